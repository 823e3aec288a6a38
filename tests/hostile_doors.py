"""The public doors of Python with arguments that work, and the values that no door should choke on."""

from __future__ import annotations

import datetime as dt
import functools
import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from zlib import crc32

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
from policy_sim.model.measure import Measure
from policy_sim.model.money.breach import NoticeCosts, breach_decision
from policy_sim.people.population import check_cells
from policy_sim.rules.files import find_rule
from policy_sim.study.money import trends
from policy_sim.tables.case_rules import check_cases, read_cases
from policy_sim.tables.cases import ReleasedFields
from policy_sim.tables.check import check_tables
from policy_sim.tables.files import Layout, read_counts
from policy_sim.tables.ledger import Ledger
from policy_sim.tables.publish import protect_tables
from policy_sim.tables.request import Request
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

# Where the results are that a reader gets; their methods are doors too.
RESULTS = (
    *("study.answers", "study.explore", "study.explain", "study.reproduction", "study.provenance", "records.tables"),
    *("release.door", "model.measure", "model.compare", "model.profile"),
)


def front_doors() -> dict[str, Any]:
    """Every name of ``policy_sim.__all__`` and every public class of results, by name."""
    doors = {name: getattr(policy_sim, name) for name in policy_sim.__all__}
    for module in (import_module(f"policy_sim.{name}") for name in RESULTS):
        classes = inspect.getmembers(module, inspect.isclass)
        doors |= {name: cls for name, cls in classes if cls.__module__ == module.__name__ and not name.startswith("_")}
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


# What a parameter is given where its door says nothing else: what the small people answer quickly.
USUAL = {
    "states": "OH",
    "state": "OH",
    "policies": "safe-harbor",
    "policy": "safe-harbor",
    "attackers": "voter",
    "attacker": "voter",
    "rules": "paper",
    "g": 1,
    "gain": 10,
    "cost_per_attempt": 4,
    "question": Question.of("safe-harbor", "general", "OH", 1, "paper"),
    "measure": "total-risk",
    "path": "rows.csv",
}


@dataclass(frozen=True)
class Door:
    """One public callable, with arguments under which it works."""

    name: str
    call: Callable[..., Any]
    works: dict[str, Any]

    @classmethod
    def of(cls, call: Callable[..., Any], **own: Any) -> Door:
        """Return a door with an argument for every parameter: its own, the usual one, or the default."""
        held = fields(call) if is_dataclass(call) else ()
        made = {each.name: each.default_factory() for each in held if each.default_factory is not MISSING}
        taken = inspect.signature(call).parameters.values()
        named = [each for each in taken if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)]
        works = {each.name: made.get(each.name, USUAL.get(each.name, each.default)) for each in named} | own
        missing = [name for name, value in works.items() if value is inspect.Parameter.empty]
        assert not missing, f"{call.__qualname__} needs an argument for {missing}"
        return cls(call.__qualname__, call, works)

    def complaints(self, every: int = 1) -> list[str]:
        """Try hostile values for every parameter: what fails otherwise than by one clear line of our own.

        ``every``: each parameter is given one value in so many, and the next parameter those after them.
        """
        return [
            f"{parameter} = {label}: {wrong}"
            for place, parameter in enumerate(self.works, crc32(self.name.encode()))
            for label, value in [*hostile_values(parameter).items()][place % every :: every]
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


OF_ONE_CENSUS = {"area_risk", "area_risk_by_race", "people_without_area", "tokens"}
OF_ONE_CENSUS |= {"compare_places", "compare_places_by_race"}
ARGUMENTS_OF_OUR_OWN = {  # called by our own modules with what they made; a reader of the manual calls none of them
    "Bounds.exactly",
    "Bounds.over",
    "Bounds.per",
    "Bounds.within",
    "Comparison.profile",
    "Comparison.trust",
    "Curve.table",
    "Population.of_cells",
    "ProfileFigures.profiles",
    "ReadableFile.opened",
    "ReadableFile.profiled",
    "ReadableFile.read",
    "ReadableFile.read_if_few",
    "ReadableFile.reading_notes",
    "ReadableFile.result",
    "ReadableFile.state_notes",
    "RiskProfile.rows",
    "Row.table",
    "SchemaError.together",
}


@functools.cache
def study() -> Study:
    return Study(small(), lists=2026)


def methods(*owners: Any, **own: dict[str, Any]) -> Iterator[Door]:
    """Every public method that takes arguments, each once; ``own``: its arguments, by name of the method."""
    tried = ARGUMENTS_OF_OUR_OWN | OF_ONE_CENSUS
    for owner in owners:
        for name, kind, function in public_members(type(owner)):
            method = getattr(owner, name) if kind == "method" else None
            if method and inspect.signature(method).parameters and function.__qualname__ not in tried:
                tried.add(function.__qualname__)
                yield Door.of(method, **own.get(name, {}))


def study_doors() -> Iterator[Door]:
    """Every question about states."""
    s = study()
    yield Door.of(Study, population=small(), lists=2026, coverage="everyone")
    parts = {"policies": ("safe-harbor",), "attackers": ("voter",), "states": ("OH",), "g": (1,)}
    yield Door.of(Question, **parts)
    yield Door.of(Question.of)
    counted = Study("us-2020", lists=2026)
    areas = counted.areas("RI", 100_000)
    for verb in (counted.area_risk, counted.area_risk_by_race, counted.people_without_area):
        yield Door.of(verb, areas=areas)
    yield Door.of(counted.compare_places, state="RI", leasts=[100_000], in_file=None)
    tokens_of_a_state = functools.partial(counted.tokens, "VT", attackers="general")
    yield Door("tokens", tokens_of_a_state, {"fields": "initial", "clear": "zip3,sex", "sizes": 10_000, "tell": None})
    yield Door.of(counted.compare_places_by_race, state="RI", leasts=[100_000])
    yield from methods(
        s,
        break_down={"by": "race"},
        areas={"states": "RI", "least": 100_000},
        cost_of={"comparison": s.compare("safe-harbor", "voter", "OH", 1, rules="paper")},
        curves={"g_max": 3},
        break_even={"sizes": False},
        explain={"attacker": "general", "on": "2026-01-01"},
        what_if={"changes": {"birth": "year"}},
        list_changes={"before": "2020"},
        listed_by={"by": "age", "year": 2024},
        listed_by_age={"year": 2024},
        list_dates={"day": "2024-11-05", "years_kept": 2},
        voter_of={"vintage": "2020"},
        look_up_next={"day": "2026-01-01"},
        county_costs={"county_price": Price("flat", 10)},
        pair={"policies": ["safe-harbor", "limited-dataset"], "first": 0.5, "second": 0.5, "both": 0.2},
        budget={"usd": 100, "usd_per_county": 50},
        game={"policies": ["safe-harbor", "state-only"], "gain": 300},
        explore={"keep": "sex"},
        sensitivity={"attackers": "general"},
        simulate={"runs": 2},
        synthesize={"people": 3, "census_day": "2020-04-01"},
    )
    for_target = functools.partial(s.budget, states="OH", rules="paper", any_buyer=True)
    yield Door("budget for a target", for_target, {"target": 0.01})
    yield Door.of(trends, moments=[("us-2000", "2008"), ("us-2000", "2026")], states="DE")
    yield Door.of(reproduce, paper="dankar-2010")
    letters = NoticeCosts(letter=1.5, linking=100, per_record=0.1)
    yield Door.of(breach_decision, exposed=5, people=50, match_rate=0.5, costs=letters, candidates=10)
    yield Door.of(NoticeCosts, letter=1.5, linking=100, per_record=0.1)


def result_doors() -> Iterator[Door]:
    """The methods of what a study answers."""
    s = study()
    compared = s.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "OH", [1, 5], rules="paper")
    cost, trust = compared.costs(), compared.trust("limited-dataset", "safe-harbor")
    above_below = {"numerator": "limited-dataset", "denominator": "safe-harbor"}
    yield from methods(compared, trust=above_below)
    yield Door.of(cost.map, policy="safe-harbor-paper")
    yield Door.of(cost.per_distinct, g=[1, 5])
    yield Door.of(trust.map)
    in_paper_form = {name: f"{policy}-paper" for name, policy in above_below.items()}
    yield from methods(s.curves("OH", g_max=3, rules="paper"), trust=in_paper_form)
    yield from methods(s.explore("OH"), within={"low": 0.0, "high": 1.0})
    yield Door.of(s.attack("OH", "safe-harbor", rules="paper").curves, points=10)
    yield from methods(compared.profiles[0])
    yield from methods(cost[0], trust[0])
    yield from methods(compared.provenance)
    yield Door.of(Measure, name="g-distinct", g=5)
    yield Door.of(Measure.of, measure="5-distinct")
    yield Door.of(Measure.distinct)


def noun_doors() -> Iterator[Door]:
    """The nouns that a reader may make: attackers, policies, populations, prices, voter lists."""
    year = Granularities(birth="year", geography="state")
    policy, price = Policy("ours", "ours", year, ""), Price("schedule", 1, 0.1, 0, 1, 1)
    yield Door.of(Attacker, name="ours", title="ours", resources=GENERAL.resources)
    of_year, birth = {"policy": year}, {"name": "ours", "changes": {"birth": "year"}}
    yield from methods(study().voter, linkage=of_year, changed=birth)
    yield Door.of(Policy, name="ours", title="ours", releases=year, citation="", rules=())
    yield from methods(policy)
    yield Door.of(Population, cells=small().cells, provenance=small().provenance)
    yield from methods(small(), of_age={"least_age": 18, "most_age": 64})
    yield Door.of(Price, kind="schedule", base_usd=1.0, usd_per_record=0.1)
    yield from methods(price, usd={"records": 1, "counties": 1, "towns": 1})
    own = {"vintage": "2026", "status": "available", "price": Price("free"), "valid_from": dt.date(2026, 1, 1)}
    yield Door.of(VoterList, **own)
    amounts, day = {"records": 1, "counties": 1}, {"day": dt.date(2026, 1, 1)}
    yield from methods(VoterList("OH", "2026", "available"), amount=amounts, on=day, citing={"sources": {}})


def file_doors(folder: Path) -> Iterator[Door]:
    """Every question about a file of records, and a release project, in a folder of their own."""
    path = folder / "visits.csv"
    path.write_text(
        "age,sex,county,weight\n" + "".join(f"{30 + row % 2},{'MF'[row % 2]},39001,2\n" for row in range(40))
    )
    file = RecordFile(path, "age,sex,county")
    reading = {"missing_codes": (), "table": None, "engine": "duckdb", "memory": "2GB", "progress": lambda _: None}
    yield Door.of(RecordFile, location=path, fields="age,sex")
    yield from methods(
        file,
        check={"location": path, **reading},
        profile={"threshold": 0.09, "cutoff": 0.5, "max_combinations": 0},
        score={"study": study(), "states": None, "attackers": "general", "top": 1},
        against={"other": path},
        measure_list={"state": "OH", "study": study(), "day": "2024-11-05"},
        estimate={"population_size": 1000, "models": ["zayatz"]},
        sampling_study={"fractions": [0.5], "runs": 1, "models": ["zayatz"]},
    )
    by_state = functools.partial(file.score, attackers="general")
    yield Door("score by state", by_state, {"study": "OH"})
    yield Door("score by states", functools.partial(by_state, study()), {"states": "OH"})


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
    path.write_text(
        "age,sex,seen\n" + "".join(f"{20 + row % 2},{'MF'[row % 2]},2025-03-0{1 + row // 2 % 2}\n" for row in range(40))
    )
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
    yield Door.of(Release, path=folder / "visits.toml")
    yield Door("Release.new", new, {"file": path, "title": "", "edition": "ipc-2016", "mapping": None})
    at_a_path = functools.partial(Release.new, path)
    yield Door("Release.new at a path", at_a_path, {"path": folder / "other.toml"})
    yield Door.of(changed.accept_guesses, by="A. Officer", on="2026-11-01")
    yield Door.of(changed.answer, question="release-model", value="public", by="me")
    yield Door(
        "Release.classify",
        changed.classify,
        {"column": "sex", "role": "other", "reason": "seen", "by": "me", "on": None},
    )
    yield Door.of(changed.pseudonym, column="age", reason="joins the rows", by="me")
    yield Door.of(changed.state_youngest, column="seen", age=18, by="me", evidence="law")
    yield Door.of(changed.state_is_not, column="age", what="long numbers", by="me", evidence="bills")
    yield Door("Release.weigh", changed.weigh, {"age": 3})
    yield Door("Release.map_codes", changed.map_codes, {"column": "sex", "codes": {"M": "M"}})
    yield Door("Release.set", changed.set, {"table": "settings", "key_file": "release.key"})
    yield Door.of(release.run, out=folder / "released")
    yield Door.of(release.frontier, thresholds=["k=2"])
    yield Door.of(release.report, out=folder / "released")
    yield Door.of(release.recheck, out=folder / "released")


def table_doors(folder: Path) -> Iterator[Door]:
    """Tables of counts and a file of cases, in a folder of their own."""
    table, cases = folder / "week.csv", folder / "cases.csv"
    table.write_text("county,F,M,Total\nAdams,3,20,23\nBrown,4,30,34\nTotal,7,50,57\n")
    cases.write_text("county,age group,sex,race\n" + "39001,18 to 49 years,F,white\n" * 20)
    ledger = Ledger(folder / "measles", "2025-W10")
    given = {"paths": [table], "rule": find_rule("cms"), "ledger": ledger, "denominators": lambda _, file: file}
    cells = small().cells
    by_origin = [cells.assign(ethnicity=name) for name in ("hispanic", "not_hispanic")]
    of_origins = Population(check_cells(pd.concat(by_origin, ignore_index=True), "made"), small().provenance)
    absent = ["month", "state", "state_code", "county_code", "ethnicity", "death"]
    yield Door.of(check_tables, **given)
    named_columns = {"count": "n", "keys": ("county",), "totals": ("Sum",), "marks": {"-": "zero"}, "population": "pop"}
    yield Door.of(Layout, **named_columns, sheet="1", running=("so far",))
    yield Door.of(read_counts, path=table)
    yield Door.of(ReleasedFields.of, text="age5,sex")
    yield Door.of(ReleasedFields, age="age5", race="race4", sex=True)
    yield Door.of(Request, criterion="E", seconds=5)
    yield Door.of(Ledger, folder=folder / "flu", week="2025-W10")
    yield Door.of(protect_tables, **given, request=Request("E", seconds=5))
    yield Door.of(read_cases, path=cases, absent=absent)
    yield Door.of(check_cases, cases=read_cases(cases, absent=absent), population=of_origins)
