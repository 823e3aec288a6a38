"""The public doors of Python with arguments that work, and the values that no door should choke on."""

from __future__ import annotations

import datetime as dt
import functools
import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from small_people import small

import policy_sim
from policy_sim import (
    Attacker,
    Policy,
    PolicySimError,
    Population,
    Price,
    Question,
    RecordFile,
    Release,
    Study,
    VoterList,
    reproduce,
)
from policy_sim.attackers import GENERAL
from policy_sim.files.evidence import NO_EVIDENCE
from policy_sim.model.measure import Measure
from policy_sim.people.population import check_cells
from policy_sim.policies.policy import NO_CONDITIONS
from policy_sim.rules.files import find_rule
from policy_sim.study.money import trends
from policy_sim.tables.case_rules import check_cases, read_cases
from policy_sim.tables.cases import ReleasedFields
from policy_sim.tables.check import check_tables
from policy_sim.tables.files import Layout, read_counts
from policy_sim.tables.ledger import Ledger
from policy_sim.tables.publish import Request, protect_tables
from policy_sim.voter_lists.list_field import Allowed
from policy_sim.words.fields import Granularities

# Values of every kind that a caller may pass by mistake.
HOSTILE: dict[str, Any] = {
    "None": None,
    "True": True,
    "an empty text": "",
    "a blank": " ",
    "an unknown name": "nope",
    "two lines": "a\nb",
    "a long text": "x" * 5_000,
    "bytes": b"x",
    "0": 0,
    "5": 5,
    "-1": -1,
    "1.5": 1.5,
    "NaN": math.nan,
    "infinity": math.inf,
    "a huge number": 10**30,
    "a complex number": 1j,
    "an empty list": [],
    "a list of None": [None],
    "a list of numbers": [1, 2, 3],
    "a long list": ["nope"] * 2_000,
    "an empty mapping": {},
    "a mapping": {"nope": None},
    "an object": object(),
    "a class": int,
    "a function": lambda _: None,
    "a table": pd.DataFrame({"a": [1]}),
    "an empty array": np.array([]),
    "the first day": dt.date.min,
    "a path": Path("nowhere/at/all.toml"),
}

# What no parameter means anything by: to take it silently is a fault too.
NEVER_RIGHT = ("bytes", "NaN", "a complex number", "an object", "a class", "a mapping")

# Results that a study hands out; their methods are doors too.
RESULTS = {
    "policy_sim.study.answers": [
        *("Answer", "ComparisonAnswer", "CostAnswer", "TrustAnswer", "CurveAnswer", "BreakdownAnswer"),
        *("SensitivityAnswer", "AttackPlanAnswer", "TrendAnswer", "GameAnswer", "BudgetAnswer"),
    ],
    "policy_sim.study.explore": ["ExplorationAnswer"],
    "policy_sim.study.explain": ["Explanation"],
    "policy_sim.records.tables": ["FileResult"],
    "policy_sim.release.door": ["ReleaseResult", "Rechecked"],
    "policy_sim.model.measure": ["Bounds"],
    "policy_sim.model.compare": ["Cost", "Curve"],
    "policy_sim.model.profile": ["RiskProfile", "TrustDifferential"],
    "policy_sim.study.reproduction": ["Reproduction"],
    "policy_sim.study.provenance": ["AnswerProvenance"],
}


def front_doors() -> dict[str, Any]:
    """Every name of ``policy_sim.__all__`` and every class of results, by name."""
    doors = {name: getattr(policy_sim, name) for name in policy_sim.__all__}
    for module, names in RESULTS.items():
        doors |= {name: getattr(import_module(module), name) for name in names}
    return doors


def public_members(cls: type) -> Iterator[tuple[str, str, Any]]:
    """Return name, kind and function of each public method and property that our own code defines."""
    held = {each.name for each in fields(cls)} if is_dataclass(cls) else set()  # a field may hold a function
    for name, kind, home, found in inspect.classify_class_attrs(cls):
        if name.startswith("_") or name in held or not home.__module__.startswith("policy_sim"):
            continue
        if isinstance(found, functools.cached_property):
            yield name, "property", found.func
        elif isinstance(found, property):
            yield name, "property", found.fget
        elif kind in ("method", "class method", "static method") and name in home.__dict__:
            yield name, "method", inspect.unwrap(getattr(cls, name))


# Several where a parameter takes one.
TWO = {
    "policy": ["safe-harbor", "limited-dataset"],
    "than": ["safe-harbor", "limited-dataset"],
    "attacker": ["voter", "texas-birth-index"],
    "state": ["OH", "WY"],
}


def hostile_values(parameter: str) -> dict[str, Any]:
    """What is tried for a parameter."""
    if parameter in (
        "progress",
        "tell",
        "hispanic",
    ):  # a class can be called, and what it makes of a text is its own affair
        return {label: value for label, value in HOSTILE.items() if label != "a class"}
    return HOSTILE | ({"two": TWO[parameter]} if parameter in TWO else {})


@dataclass(frozen=True)
class Door:
    """One public callable, with arguments under which it works."""

    name: str
    call: Callable[..., Any]
    works: dict[str, Any]

    def left_out(self) -> set[str]:
        """Arguments that are not tried; one more way into a door that is there already may leave out some."""
        taken = inspect.signature(self.call).parameters.values()
        named = {each.name for each in taken if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)}
        return named - set(self.works) if " " not in self.name else set()

    def complaints(self) -> list[str]:
        """Try every hostile value for every parameter: what fails otherwise than by one clear line of our own."""
        return [
            f"{parameter} = {label}: {wrong}"
            for parameter in self.works
            for label, value in hostile_values(parameter).items()
            if (wrong := self._wrong(parameter, label, value))
        ]

    def _wrong(self, parameter: str, label: str, value: Any) -> str:
        try:
            self.call(**{**self.works, parameter: value})
        except PolicySimError as error:
            message = str(error)
            clear = message and "\n" not in message and len(message) < 1_500 and "--" not in message
            return "" if clear else f"not one clear line: {message[:200]!r}"
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
        finally:
            plt.close("all")
        return "taken in silence" if label in NEVER_RIGHT else ""


ARGUMENTS_OF_OUR_OWN = {  # called by our own modules with what they made; a reader of the manual calls none of them
    "Bounds.exactly",
    "Bounds.per",
    "Bounds.within",
    "Cost.table",
    "Curve.table",
    "Population.of_cells",
    "ReadableFile.opened",
    "ReadableFile.profiled",
    "ReadableFile.read",
    "ReadableFile.read_if_few",
    "ReadableFile.reading_notes",
    "ReadableFile.result",
    "RiskProfile.rows",
    "RiskProfile.table",
    "SchemaError.together",
    "TrustDifferential.table",
}


@functools.cache
def study() -> Study:
    return Study(small(), lists=2026)


_ASKED = {"states": "OH", "policies": "safe-harbor", "attackers": "voter", "rules": "paper", "in_file": None}
_STAKES = {"gain": 10, "cost_per_attempt": 4, "loss_per_wrong": 0, "penalty": 0, "chance_caught": 0}


def _of(names: str) -> dict[str, Any]:
    return {name: _ASKED[name] for name in names.split()}


def study_doors() -> Iterator[Door]:
    """Every question about states."""
    s, asked = study(), _of("states policies attackers rules in_file")
    question = Question.of("safe-harbor", "general", "OH", 1, "paper")
    yield Door(
        "Study",
        Study,
        {
            "population": small(), "lists": 2026, "days_per_year": 365, "zip3": "computed", "adversary": None,
            "coverage": "everyone", "spread": False, "database": None, "engine": None, "as_of": None,
        },
    )  # fmt: skip
    yield Door(
        "Question",
        Question,
        {
            "policies": ("safe-harbor",),
            "attackers": ("voter",),
            "states": ("OH",),
            "g": (1,),
            "rules": "paper",
            "in_file": None,
        },
    )
    yield Door("Question.of", Question.of, {**asked, "g": 1})
    yield Door("Study.compare", s.compare, {**asked, "g": 1, "population": None})
    for name in ("answer", "attackers_of", "people_for", "people_one_by_one", "places_by_county"):
        yield Door(f"Study.{name}", getattr(s, name), {"question": question})
    yield Door(
        "Study.compare_release",
        s.compare_release,
        {**_of("policies attackers states rules"), "release": "newest", "g": 1},
    )
    yield Door("Study.break_down", s.break_down, {**asked, "by": "race", "g": 1})
    yield Door("Study.cost", s.cost, asked)
    yield Door("Study.cost_of", s.cost_of, {"comparison": s.compare("safe-harbor", "voter", "OH", 1, rules="paper")})
    swept = {"state": "OH", "g_max": 3, "round_sizes": False}
    yield Door("Study.curves", s.curves, {**_of("policies attackers rules in_file"), **swept})
    yield Door("Study.attack", s.attack, {**asked, **_STAKES, "sees_list": False})
    yield Door("Study.break_even", s.break_even, {**asked, **_STAKES, "sizes": False})
    yield Door(
        "Study.explain",
        s.explain,
        {
            "state": "OH",
            "policy": "safe-harbor",
            "attacker": "general",
            "rules": "paper",
            "in_file": None,
            "on": "2026-01-01",
        },
    )
    yield Door(
        "Study.what_if",
        s.what_if,
        {
            "state": "OH",
            "changes": {"birth": "year"},
            "policies": "safe-harbor",
            "g": 1,
            "attacker": "voter",
            "rules": "paper",
        },
    )
    yield Door("Study.marginal_effects", s.marginal_effects, {"policy": "safe-harbor", **_of("states rules")})
    yield Door("Study.list_changes", s.list_changes, {"before": "2020", **_of("states")})
    yield Door("Study.listed_by", s.listed_by, {"by": "age", "year": 2024, **_of("states")})
    yield Door("Study.listed_by_age", s.listed_by_age, {"year": 2024, **_of("states")})
    yield Door("Study.voter_of", s.voter_of, {"vintage": "2020"})
    yield Door(
        "Study.look_up_next",
        s.look_up_next,
        {"policy": "safe-harbor", "states": "OH", "rules": "paper", "day": "2026-01-01", "months": 24},
    )
    yield Door(
        "Study.county_costs",
        s.county_costs,
        {"state": "OH", "policy": "safe-harbor", "county_price": Price("flat", 10)},
    )
    yield Door(
        "Study.pair",
        s.pair,
        {
            "state": "OH", "policies": ["safe-harbor", "limited-dataset"], "attacker": "voter", "first": 0.5,
            "second": 0.5, "both": 0.2, "coverage": 1, "rules": "paper",
        },
    )  # fmt: skip
    yield Door(
        "Study.budget",
        s.budget,
        {
            "usd": 100, "target": None, "policy": "safe-harbor", **_of("attackers states rules in_file"),
            "any_buyer": False, "released": False, "usd_per_county": 50,
        },
    )  # fmt: skip
    yield Door(
        "Study.budget for a target",
        functools.partial(s.budget, states="OH", rules="paper", any_buyer=True),
        {"target": 0.01},
    )
    yield Door(
        "Study.game",
        s.game,
        {
            "states": "OH", "policies": ["safe-harbor", "state-only"], "attacker": "voter", "benefit": 1200,
            "loss": 300, "gain": 300, "cost_per_attempt": 4, "penalty": 100, "chance_caught": 0.01, "frontier": False,
            "rules": "paper", "in_file": None, "keep": (),
        },
    )  # fmt: skip
    yield Door(
        "Study.explore",
        s.explore,
        {
            "states": "OH",
            "than": "safe-harbor",
            "risk": "total_risk",
            "g": 1,
            "rules": "paper",
            "keep": "sex",
            "weights": None,
            "age_classes": False,
            "in_file": None,
        },
    )
    yield Door("Study.check_release", s.check_release, {"policy": "safe-harbor", "states": "OH"})
    yield Door("Study.own_release", s.own_release, {"state": "OH", "g": 1})
    yield Door("Study.sensitivity", s.sensitivity, {**asked, "attackers": "general", "g": 1, "tell": None})
    yield Door(
        "Study.simulate",
        s.simulate,
        {**_of("policies attackers rules in_file"), "state": "OH", "runs": 2, "release": 1.0, "seed": 1, "tell": None},
    )
    yield Door("Study.synthesize", s.synthesize, {"state": "OH", "people": 3, "seed": 1, "census_day": "2020-04-01"})
    yield Door(
        "trends",
        trends,
        {
            "moments": [("us-2000", "2008"), ("us-2000", "2026")],
            "policy": "safe-harbor",
            "states": "DE",
            "gain": 10,
            "cost_per_attempt": 4,
            "rules": "paper",
            "coverage": "registered",
            "in_file": None,
            "tell": None,
        },
    )
    yield Door("reproduce", reproduce, {"paper": "dankar-2010", "data": None, "tell": None})


def result_doors() -> Iterator[Door]:
    """The methods of what a study answers."""
    s = study()
    compared = s.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "OH", [1, 5], rules="paper")
    cost, curves = compared.costs(), s.curves("OH", g_max=3, rules="paper")
    trust = compared.trust("limited-dataset", "safe-harbor")
    explored = s.explore("OH")
    yield Door(
        "ComparisonAnswer.profile", compared.profile, {"state": "OH", "policy": "safe-harbor", "attacker": "voter"}
    )
    yield Door("ComparisonAnswer.trust", compared.trust, {"numerator": "limited-dataset", "denominator": "safe-harbor"})
    yield Door("Shown.to_csv", compared.to_csv, {"path": "rows.csv"})
    yield Door(
        "ComparisonAnswer.ranking",
        compared.ranking,
        {"policy": "safe-harbor", "attacker": "voter", "measure": "total-risk"},
    )
    yield Door("ComparisonAnswer.map", compared.map, {"policy": "safe-harbor", "attacker": "voter"})
    yield Door("CostAnswer.map", cost.map, {"policy": "safe-harbor-paper"})
    yield Door("TrustAnswer.map", trust.map, {"attacker": "voter"})
    yield Door(
        "CurveAnswer.trust", curves.trust, {"numerator": "limited-dataset-paper", "denominator": "safe-harbor-paper"}
    )
    yield Door("ExplorationAnswer.plot", explored.plot, {"state": "OH"})
    yield Door("ExplorationAnswer.within", explored.within, {"low": 0.0, "high": 1.0})
    yield Door("AttackPlanAnswer.curves", s.attack("OH", "safe-harbor", rules="paper").curves, {"points": 10})
    profile = compared.profiles[0]
    for name in ("each", "each_variance", "people", "share"):
        yield Door(f"RiskProfile.{name}", getattr(profile, name), {"measure": "total-risk"})
    yield Door("RiskProfile.interval", profile.interval, {"measure": "total-risk", "level": 0.95})
    yield Door("Cost.interval", cost[0].interval, {"level": 0.95})
    yield Door("TrustDifferential.interval", trust[0].interval, {"level": 0.95})
    yield Door("AnswerProvenance.manifest", compared.provenance.manifest, {"command": "compare"})
    yield Door("Measure", Measure, {"name": "g-distinct", "g": 5})
    yield Door("Measure.of", Measure.of, {"measure": "5-distinct"})
    yield Door("Measure.distinct", Measure.distinct, {"g": 5})


def noun_doors() -> Iterator[Door]:
    """The nouns that a reader may make: attackers, policies, populations, prices, voter lists."""
    year = Granularities(birth="year", geography="state")
    listed = VoterList("OH", "2026", "available")
    holder = study().voter
    yield Door("Attacker", Attacker, {"name": "ours", "title": "ours", "resources": GENERAL.resources})
    yield Door("Attacker.linkage", holder.linkage, {"policy": year, "state": "OH"})
    yield Door("Attacker.vintage_in", holder.vintage_in, {"state": "OH"})
    yield Door("Attacker.voter_list", holder.voter_list, {"state": "OH"})
    yield Door("Attacker.changed", holder.changed, {"name": "ours", "state": "OH", "changes": {"birth": "year"}})
    yield Door(
        "Policy",
        Policy,
        {
            "name": "ours",
            "title": "ours",
            "releases": year,
            "citation": "",
            "conditions": NO_CONDITIONS,
            "rules": (),
            "paper_form": "",
            "remarks": (),
            "left_out": "",
        },
    )
    yield Door("Policy.in_state", Policy("ours", "ours", year, "").in_state, {"state": "OH"})
    yield Door("Population", Population, {"cells": small().cells, "provenance": small().provenance, "hispanic": None})
    yield Door("Population.of_age", small().of_age, {"least_age": 18, "most_age": 64})
    yield Door("Population.in_states", small().in_states, {"states": ["OH"]})
    yield Door(
        "Price",
        Price,
        {
            "kind": "schedule", "base_usd": 1.0, "usd_per_record": 0.1, "free_records": 0, "usd_per_county": 0.0,
            "usd_per_town": 0.0, "min_usd": 0.0, "max_usd": None, "quoted_usd": None, "usd_by_buyer": {}, "date": "",
            "note": "", "evidence": NO_EVIDENCE,
        },
    )  # fmt: skip
    yield Door(
        "Price.usd", Price("schedule", 1, 0.1, 0, 1, 1).usd, {"records": 1, "counties": 1, "towns": 1, "buyer": None}
    )
    yield Door(
        "VoterList",
        VoterList,
        {
            "state": "OH", "vintage": "2026", "status": "available", "status_reason": "", "fields": {},
            "price": Price("free"), "valid_from": dt.date(2026, 1, 1), "valid_until": None, "buyers": Allowed(),
            "uses": Allowed(), "quotes": (), "conflicts": (), "notes": (), "sources": {}, "preemptions": (),
            "mirrors": (),
        },
    )  # fmt: skip
    yield Door("VoterList.amount", listed.amount, {"records": 1, "counties": 1})
    yield Door("VoterList.on", listed.on, {"day": dt.date(2026, 1, 1)})
    yield Door("VoterList.citing", listed.citing, {"sources": {}})


def file_doors(folder: Path) -> Iterator[Door]:
    """Every question about a file of records, and a release project, in a folder of their own."""
    path = folder / "visits.csv"
    path.write_text(
        "age,sex,county,weight\n" + "".join(f"{30 + row % 2},{'MF'[row % 2]},39001,2\n" for row in range(40))
    )
    file = RecordFile(path, "age,sex,county")
    reading = {"missing_codes": (), "table": None, "engine": "duckdb", "memory": "2GB", "progress": lambda _: None}
    yield Door(
        "RecordFile",
        RecordFile,
        {
            "location": path,
            "fields": "age,sex",
            "mapping": None,
            "missing": "own",
            "max_classes": None,
            "person": "",
            "sheet": "",
            **reading,
        },
    )
    yield Door("RecordFile.check", RecordFile.check, {"location": path, **reading})
    yield Door(
        "RecordFile.profile",
        file.profile,
        {
            "threshold": 0.09,
            "cutoff": 0.5,
            "sampling_fraction": 0.1,
            "max_combinations": 0,
            "weight": None,
            "list_records": False,
        },
    )
    yield Door(
        "RecordFile.score",
        file.score,
        {
            "study": study(),
            "states": None,
            "attackers": "general",
            "buyer": None,
            "top": 1,
            "name_groups": False,
            "list_records": False,
        },
    )
    yield Door("RecordFile.score by state", functools.partial(file.score, attackers="general"), {"study": "OH"})
    yield Door(
        "RecordFile.score by states", functools.partial(file.score, study(), attackers="general"), {"states": "OH"}
    )
    yield Door("RecordFile.against", file.against, {"other": path})
    yield Door("RecordFile.estimate", file.estimate, {"population_size": 1000, "models": ["zayatz"], "bootstrap": None})
    yield Door(
        "RecordFile.sampling_study",
        file.sampling_study,
        {"fractions": [0.5], "runs": 1, "seed": 1, "models": ["zayatz"], "slow_runs": None, "workers": 1},
    )
    yield Door("ReadableFile.classes", file.classes, {})


PUBLIC = {
    "release-model": "public",
    "attacker-knows": "yes",
    "invasion": "low",
    "responsible": "A. Officer",
    "purpose": "research",
    "reassess": "2027-11-30",
    "stigma": "the ethics board looked at it",
}


def release_doors(folder: Path) -> Iterator[Door]:
    """A release project in a folder of its own."""
    path = folder / "visits.csv"
    path.write_text("age,sex\n" + "".join(f"{20 + row % 2},{'MF'[row % 2]}\n" for row in range(40)))
    numbers = iter(range(100_000))

    def new(**given: Any) -> Release:
        return Release.new(**{"path": folder / f"new-{next(numbers)}.toml", **given})

    def ready(name: str) -> Release:
        made = Release.new(path, folder / f"{name}.toml")
        for column in ("age", "sex"):
            made.classify(column, "key", "neighbors know it", kind=column)
        for question, value in PUBLIC.items():
            made.answer(question, value)
        return made

    changed, release = ready("changed"), ready("visits")
    release.run(folder / "released")
    yield Door("Release", Release, {"path": folder / "visits.toml"})
    yield Door("Release.new", new, {"file": path, "title": "", "edition": "ipc-2016", "mapping": None})
    yield Door(
        "Release.new at a path", lambda path: Release.new(folder / "visits.csv", path), {"path": folder / "other.toml"}
    )
    yield Door("Release.accept_guesses", changed.accept_guesses, {"by": "A. Officer", "on": "2026-11-01"})
    yield Door(
        "Release.answer",
        changed.answer,
        {"question": "release-model", "value": "public", "by": "me", "evidence": "", "on": None},
    )
    yield Door(
        "Release.classify",
        changed.classify,
        {"column": "sex", "role": "other", "reason": "seen", "by": "me", "on": None},
    )
    yield Door("Release.set", changed.set, {"table": "settings", "key_file": "release.key"})
    yield Door(
        "Release.run",
        release.run,
        {"out": folder / "released", "file": None, "node": "", "threshold": "", "progress": lambda _: None},
    )
    yield Door("Release.frontier", release.frontier, {"thresholds": ["k=2"], "file": None, "progress": lambda _: None})
    yield Door("Release.report", release.report, {"out": folder / "released"})
    yield Door(
        "Release.recheck",
        release.recheck,
        {"out": folder / "released", "population": "", "overlap": None, "overlap_on": "", "today": None},
    )


def table_doors(folder: Path) -> Iterator[Door]:
    """Tables of counts and a file of cases, in a folder of their own."""
    table, cases = folder / "week.csv", folder / "cases.csv"
    table.write_text("county,F,M,Total\nAdams,3,20,23\nBrown,4,30,34\nTotal,7,50,57\n")
    cases.write_text("county,age group,sex,race\n" + "39001,18 to 49 years,F,white\n" * 20)
    ledger = Ledger(folder / "measles", "2025-W10")
    given = {"paths": [table], "rule": find_rule("cms"), "layout": Layout()}
    given |= {"ledger": ledger, "denominators": lambda _, file: file}
    cells = small().cells
    by_origin = [cells.assign(ethnicity=name) for name in ("hispanic", "not_hispanic")]
    of_origins = Population(check_cells(pd.concat(by_origin, ignore_index=True), "made"), small().provenance)
    absent = ["month", "state", "state_code", "county_code", "ethnicity", "death"]
    yield Door("check_tables", check_tables, given)
    asked = {
        "criterion": "E",
        "cost": "people",
        "seconds": 5,
        "hide_margins": False,
        "hide_zeros": False,
    }
    named_columns = {"count": "n", "keys": ("county",), "totals": ("Sum",), "marks": {"-": "zero"}, "population": "pop"}
    yield Door("Layout", Layout, {**named_columns, "sheet": "1", "running": ("so far",)})
    yield Door("read_counts", read_counts, {"path": table, "layout": Layout()})
    yield Door("ReleasedFields.of", ReleasedFields.of, {"text": "age5,sex"})
    yield Door("ReleasedFields", ReleasedFields, {"age": "age5", "race": "race4", "sex": True, "ethnicity": False})
    yield Door("Request", Request, {**asked, "reader": "zeros"})
    yield Door("Ledger", Ledger, {"folder": folder / "flu", "week": "2025-W10", "since": "", "corrected": False})
    yield Door("protect_tables", protect_tables, {**given, "request": Request("E", seconds=5)})
    yield Door("read_cases", read_cases, {"path": cases, "mapping": None, "absent": absent, "state": "OH"})
    yield Door(
        "check_cases",
        check_cases,
        {"cases": read_cases(cases, absent=absent), "population": of_origins, "k": 11, "origin": ""},
    )
