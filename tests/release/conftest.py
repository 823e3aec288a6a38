"""A hospital's file of made-up people of Delaware, and a project about it."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from policy_sim.release import Release

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


@pytest.fixture
def release(tmp_path, hospital):
    """A project about the hospital's file, ready to run as a public release."""
    (tmp_path / "visits.csv").write_bytes(hospital.read_bytes())
    made = Release.new(tmp_path / "visits.csv", tmp_path / "visits.toml", title="Visits of 2025")
    for column, (role, reason, settings) in ROLES.items():
        made.classify(column, role, reason, by="A. Officer", **settings)
    made.set("file", person="mrn")
    made.set("settings", key_file="release.key")
    for question, value in ANSWERS.items():
        made.answer(question, value, by="A. Officer", evidence="minutes 7")
    return made


@pytest.fixture
def plain(release):
    """The same project without pseudonyms and shifted dates: it needs no key."""
    release.classify("mrn", "direct", "identifies a patient", treatment="drop")
    release.classify("admitted", "sensitive", "known to the hospital", kind="date", treatment="drop")
    return release


@pytest.fixture
def as_non_public():
    """Make a project one with a named recipient."""

    def change(release):
        release.answer("release-model", "non-public", by="A. Officer")
        for question, value in NON_PUBLIC.items():
            release.answer(question, value, by="A. Officer", evidence="contract")

    return change
