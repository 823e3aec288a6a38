"""A messy file in a window: what classes count, what costs columns, and what a warning looks like."""

from __future__ import annotations

import csv
import shutil

import pytest

from policy_sim import Release
from policy_sim.app.records_work import measure, run
from policy_sim.release.costs import costs_of
from policy_sim.release.figures import NOTHING_SHOWN

pytestmark = pytest.mark.slow
RACES = ("White", "W", "Black", "AA", "Black or African American", "African Am.")


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    """Ninety people of three visits each, with codes of sex, several words for a race, and a pseudonym."""
    folder = tmp_path_factory.mktemp("messy")
    rows = [["MRN", "Sex", "Race", "Cnty of Res", "Age", "Dx1", "Tot Chgs"]]
    for at in range(270):
        who = at // 3
        county = ("Licking", "Ross", "Lucas")[who % 3]
        charge = f"${20_000 + 37 * at:,}.{at % 90 + 10}"
        race = RACES[-1] if at == 5 else RACES[who % 5]
        rows.append(
            [
                f"44{who:05}",
                str(1 + who % 2),
                race,
                county,
                str(30 + at * at * 7 % 31),
                ("O80", "E11.9")[at % 2],
                charge,
            ]
        )
    with (folder / "visits.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    made = Release.new(folder / "visits.csv", folder / "release.toml")
    made.accept_guesses(by="A. Officer")
    made.pseudonym("MRN", reason="joins visits", by="A. Officer")
    made.classify(["Tot Chgs"], "direct", "not needed", by="A. Officer", treatment="drop")
    made.classify(["Dx1"], "other", "the study", by="A. Officer")
    made.set("target", aim="risk", threshold="k=11", known="1", sizes="file")
    made.set("settings", limit=0.3)
    return made


def test_a_class_of_one_row_per_person_says_so_beside_its_figures(visits, tmp_path):
    path = str(visits.path)
    measured = measure(path, progress=lambda *_: None)
    after = measured["people"]["after"]
    assert after["under"]["all"] > after["under"]["1"] == 0
    found = f"finds {after['alone']['all']:,} people alone, and {after['under']['all']:,} among fewer than 11."
    assert measured["counted"].startswith("Counted: one row of a person.")
    assert measured["counted"].endswith(found)
    made = run(path, str(tmp_path / "out"), "", progress=lambda *_: None)
    assert made["is_met"]
    assert made["counted"] == measured["counted"]
    assert made["warns"]


def test_lost_columns_have_a_cause_and_a_way_out():
    people = {"known": "all", "suppressed": 12, "drawn": 300}
    search = {"suppressed": 60, "drawn": 800, "limit": 0.05}
    keys = {"DOB": "birth_date", "Age": "age", "Sex": "sex"}
    variables = [{"name": name, "kind": kind, "role": "key", "done": NOTHING_SHOWN} for name, kind in keys.items()]
    suppressed, lost, why, tries = costs_of(search, variables, people)
    assert "7.5%" not in suppressed
    assert "12 of 300 people (4.0%)" in suppressed
    assert "DOB, Age and Sex" in lost
    assert "all rows of a person" in why
    assert "DOB and Age are all key fields" in why
    assert "drop the other" in tries
    assert "limit of 5.0%" in tries
    assert costs_of(search, [row | {"done": "unchanged"} for row in variables], people) == [suppressed]


def test_charges_are_amounts_and_no_record_numbers(visits, tmp_path):
    look = visits.project.looks["Tot Chgs"]
    assert "direct" not in look.text
    assert look.kind == "number"
    shutil.copy(visits.path.parent / "visits.csv", tmp_path)
    release = Release.new(tmp_path / "visits.csv", tmp_path / "release.toml", policy="safe-harbor")
    release.accept_guesses(by="A. Officer")
    release.classify(["Tot Chgs"], "other", "the study", by="A. Officer")
    assert not release.run(tmp_path / "out").verdict.warnings
