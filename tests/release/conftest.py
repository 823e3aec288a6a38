"""A hospital's file of made-up people of Delaware, a project about it, and what a run of it writes."""

from __future__ import annotations

import csv
import datetime as dt
import shutil
from contextlib import nullcontext

import numpy as np
import pytest

from benchmarks.planted.trip import no_word_document
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release import Release
from policy_sim.release.ladders import given_hierarchy
from policy_sim.release.schemes import order_of_words

ROLES = {
    "mrn": ("direct", "identifies a patient", {"treatment": "pseudonym"}),
    "name": ("direct", "a name", {}),
    "birth_date": ("key", "neighbors know it", {"kind": "birth_date"}),
    "sex": ("key", "seen", {"kind": "sex"}),
    "race": ("key", "seen", {"kind": "race"}),
    "county": ("key", "neighbors know it", {"kind": "county"}),
    "admitted": ("sensitive", "known to the hospital", {"kind": "date", "treatment": "shift"}),
    "diagnosis": ("sensitive", "known to the hospital", {"kind": "code"}),
    "days": ("other", "known to the hospital", {"kind": "number"}),
}
ANSWERS = {
    "release-model": "public",
    "attacker-knows": "yes",
    "invasion": "low",
    "responsible": "A. Officer",
    "purpose": "research",
    "reassess": "2027-11-30",
    "stigma": "the ethics board looked at it",
}
NON_PUBLIC = {
    "agreement": "DUA 17 of 2026-10-01",
    "cutoff": "0.33",
    "controls": "medium",
    "motives": "medium",
    "prevalence": "0.0005",
    "breach": "0.2",
}


@pytest.fixture
def word_copy() -> None:
    """Asked for by tests that read the Word copy of a dossier."""


@pytest.fixture(autouse=True)
def _word_copy_for_those_who_read_it(request):
    """It takes as long as the rest of a run."""
    with nullcontext() if "word_copy" in request.fixturenames else no_word_document():
        yield


@pytest.fixture(scope="session")
def adult(shared):
    """Adult as ARX ships it, and its hierarchies by field."""
    folder = shared / "microdata"
    with (folder / "adult_arx.csv").open(newline="") as file:
        head, *rows = csv.reader(file, delimiter=";")
    columns = {name: CodedColumn.of(texts) for name, texts in zip(head, zip(*rows, strict=True), strict=True)}

    def ladder(name):
        with (folder / "adult_arx_hierarchies" / f"adult_hierarchy_{name}.csv").open(newline="") as file:
            values = list(csv.reader(file, delimiter=";"))
        return given_hierarchy(name, values, order=order_of_words([value[0] for value in values]))

    return CodedTable(columns), ladder


@pytest.fixture(scope="session")
def hospital(tmp_path_factory):
    """Visits of 3,000 made-up people; some came twice."""
    from policy_sim import Study

    people = Study().synthesize("DE", people=3000, seed=11)
    rng = np.random.default_rng(7)
    path = tmp_path_factory.mktemp("hospital") / "visits.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(ROLES)
        for at, person in enumerate(people.itertuples()):
            for _ in range(1 + (at % 10 == 0)):
                day = f"2025-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}"
                illness = str(rng.choice(["E11.9", "I10", "J45.0", "F32.1"], p=[0.3, 0.5, 0.15, 0.05]))
                writer.writerow(
                    [
                        f"{700000 + at}", person.name, person.birth_date, person.sex, person.race, person.county,
                        day, illness, rng.integers(1, 15),
                    ]
                )  # fmt: skip
    return path


def ready(folder, hospital):
    """A project about the hospital's file, ready to run as a public release."""
    (folder / "visits.csv").write_bytes(hospital.read_bytes())
    made = Release.new(folder / "visits.csv", folder / "visits.toml", title="Visits of 2025")
    for column, (role, reason, settings) in ROLES.items():
        made.classify(column, role, reason, by="A. Officer", **settings)
    made.set("file", person="mrn")
    made.set("settings", key_file="release.key", recoding="one-level", seed=7)
    for question, value in ANSWERS.items():
        made.answer(question, value, by="A. Officer", evidence="minutes 7", on=dt.date(2026, 11, 3))
    return made


def without_key(made):
    """Leave pseudonyms and shifted dates out of a project."""
    made.classify("mrn", "direct", "identifies a patient", treatment="drop")
    made.classify("admitted", "sensitive", "known to the hospital", kind="date", treatment="drop")
    return made


@pytest.fixture
def release(tmp_path, hospital):
    return ready(tmp_path, hospital)


@pytest.fixture(scope="session")
def ran(hospital, tmp_path_factory):
    """The project after a run into ``out``, with its figures; nobody changes them."""
    folder = tmp_path_factory.mktemp("ran")
    made = ready(folder, hospital)
    return made, made.run(folder / "out")


@pytest.fixture
def own_run(ran, tmp_path):
    """A copy of that project and its release in ``out``, which a test may change."""
    shutil.copytree(ran[0].path.parent, tmp_path, dirs_exist_ok=True)
    return Release(tmp_path / "visits.toml")


@pytest.fixture
def project_of_keys():
    """Write a project of ``f.csv`` whose columns are key fields; every question about risk is answered."""

    def write(path, kinds, target, more="", *, knows="yes"):
        variables = "".join(
            f'[variables.{name}]\nrole = "key"\nkind = "{kind}"\nreason = "known"\n' for name, kind in kinds.items()
        )
        answers = {"release-model": "public", "attacker-knows": knows, "invasion": "low"}
        answered = "".join(f'[answers.{name}]\nvalue = "{value}"\n' for name, value in answers.items())
        path.write_text(
            f'title = "x"\n[file]\nlocation = "f.csv"\n{variables}[target]\naim = "risk"\n{target}{more}{answered}'
        )
        return Release(path)

    return write


@pytest.fixture
def plain(release):
    """The same project without pseudonyms and shifted dates: it needs no key."""
    return without_key(release)


@pytest.fixture
def as_non_public():
    """Make a project one with a named recipient."""

    def change(release):
        release.answer("release-model", "non-public", by="A. Officer")
        for question, value in NON_PUBLIC.items():
            release.answer(question, value, by="A. Officer", evidence="contract")

    return change


# The figures of a small release, as a run writes them.

RISK = {
    "records": 90, "rows": 100, "classes": 7, "smallest": 1, "uniques": 2, "maximum": 1.0, "average": 0.07,
    "strict_average": 1.0, "population_smallest": 1, "population_maximum": 1.0, "marketer": 0.07,
}  # fmt: skip
VERDICT = {"data_risk": 0.05, "context_risk": 1.0, "overall": 0.05, "passes": True, "why": "that meets it"}
FIGURES = {
    "program": "policy-sim 0",
    "title": "Visits <2025>",
    "edition": {"name": "ipc-2016", "title": "Guidelines", "citation": "IPC 2016", "read": "whole", "also": []},
    "input": {"name": "visits.csv", "sha256": "ab" * 32, "rows": 100, "columns": 3},
    "output": {"name": "release.csv", "sha256": "cd" * 32, "rows": 95, "columns": 2},
    "sources": {"population us-2020": "ef" * 32},
    "population": "the records of the file",
    "key": {"file": "a.key", "fingerprint": "0123456789abcdef"},
    "answers": [
        {
            "question": "reassess", "step": "documents", "asks": "When?", "answer": "2027-11-30", "meaning": "",
            "by": "A. Officer", "on": "2026-11-01", "evidence": "minutes 7", "citation": "IPC 2016",
        }
    ],
    "variables": [
        {"name": "age", "standing": "target", "role": "key", "kind": "age", "done": "generalized to 5 wide",
         "reason": "known", "by": "A.", "looks": "99"}
    ],
    "aim": "no class of fewer than 11 records of the file",
    "assessment": {
        "model": "non-public", "invasion": "low", "threshold": "0.09", "class": 11, "measure": "maximum",
        "sizes": "file",
        "needs": "no class of fewer than 11", "context": 1.0,
        "attacks": [{"name": "T4", "title": "an attack", "probability": 1.0, "why": "open", "citation": "IPC 2016"}],
        "before": VERDICT | {"passes": False, "why": "that does not meet it"}, "after": VERDICT,
    },
    "before": RISK,
    "after": RISK | {"smallest": 11, "uniques": 0, "maximum": 1 / 11},
    "search": {
        "loss": 0.21, "objective": 0.25, "objective_is": "the mean of the fields' losses",
        "levels": {"age": "5 wide"}, "suppressed": 5, "blanked": 0, "drawn": 100, "limit": 0.05,
        "nodes": 10, "measured": 4, "optimal": True,
    },
    "utility": {
        "entropy_loss": 0.4,
        "missingness": {
            "records_before": 0.03, "records_after": 0.05, "cells_before": 0.015, "cells_after": 0.03,
            "records_lost": 0.02, "cells_lost": 0.015,
        },
        "distances": [
            {"field": "age", "kind": "shares", "distance": None, "mean_before": None, "mean_after": None},
        ],
    },
    "sensitive": [{"field": "ill", "distinct": 2, "entropy": 1.5, "closeness": 0.2, "told": 3, "records": 95}],
    "linkage": {
        "rows": [
            {
                "attacker": "voter", "state": "OH", "linkage_key": "geography=county", "records": 95,
                "total_risk": 0.01, "largest_chance": 0.0001, "price_usd": None, "status": "ok", "reason": "",
            }
        ],
        "left_out": ["dx"],
        "notes": ["voter lists: vintage 2026"],
    },
    "analyses": [{"analysis": "stay", "group": "sex=F", "before": 2.5, "after": None}],
    "notes": ["a note"],
    "project": 'title = "Visits <2025>"  # & more\n',
}  # fmt: skip


@pytest.fixture
def figures():
    return FIGURES
