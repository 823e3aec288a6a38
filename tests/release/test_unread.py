"""Values that were not read and what they mean, what a release is about, and who can name its people."""

from __future__ import annotations

import csv
import random
import tomllib

import pytest

from policy_sim import RecordFile, Release, Study
from policy_sim.records.formats import read_coded
from policy_sim.release.attackers_left import attackers_left
from policy_sim.release.preview import preview, unwritten
from policy_sim.release.unread import unread_columns
from policy_sim.words.errors import InputError

COUNTIES = ("10001", "10003", "10005")


@pytest.fixture
def visits(tmp_path):
    """Sixty records of Delaware; three of them have a sex or an age that nobody can read."""
    rows = [["age", "sex", "county"]]
    rows += [[str(20 + row % 5), "FM"[row % 2], COUNTIES[row % 3]] for row in range(60)]
    rows[1][1] = rows[2][1] = "Femle"
    rows[3][0] = "ninety"
    with (tmp_path / "visits.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    made = Release.new(tmp_path / "visits.csv", tmp_path / "release.toml", policy="safe-harbor")
    made.accept_guesses(by="A. Officer")
    return made


def _unread(made):
    return {row.name: row for row in unread_columns(made.project, read_coded(made.project.path))}


def test_values_that_are_not_read_are_counted_and_mapped(visits):
    found = _unread(visits)
    assert {name: row.values for name, row in found.items()} == {"age": (("ninety", 1),), "sex": (("Femle", 2),)}
    assert (set(found["sex"].read), found["sex"].number, found["sex"].records) == ({"F", "M"}, 1, 2)
    with pytest.raises(InputError, match="'Q' is not understood as sex"):
        visits.map_codes("sex", {"Femle": "Q"})
    with pytest.raises(InputError, match="no row has 'Feml'") as caught:
        visits.map_codes("sex", {"Femle": "F", "Feml": "F"})
    assert "Femle" not in str(caught.value)  # record values are not shown unasked
    visits.map_codes("sex", {"Femle": "F"})
    visits.map_codes("age", {"ninety": "90"})
    written = tomllib.loads(visits.path.read_text())["variables"]
    assert (written["sex"]["codes"], written["sex"]["accepted"]) == ({"Femle": "F"}, True)
    shown = preview(visits.project, 3)
    after = [dict(zip(shown["columns"], row["after"], strict=True)) for row in shown["rows"]]
    assert [(row["age"], row["sex"]) for row in after] == [("20", "F"), ("21", "F"), ("90+", "F")]
    assert not any("left blank" in note for note in shown["notes"])


@pytest.mark.parametrize(("kind", "read"), [("date", "0 of the 60"), ("age", "0 of the 60"), ("zip", "0 of the 60")])
def test_a_kind_of_which_a_column_has_no_values_is_refused(visits, kind, read):
    before = visits.path.read_bytes()
    with pytest.raises(InputError, match=f"kind {kind}: {read} records"):
        visits.classify("sex", "key", "seen", kind=kind)
    assert visits.path.read_bytes() == before
    visits.classify("age", "key", "seen", kind="age")  # all but one are


def test_a_value_that_means_itself_takes_its_meaning_back(visits):
    before = visits.path.read_bytes()
    visits.map_codes("sex", {"Femle": "F"})
    visits.map_codes("age", {"ninety": "90"})
    visits.map_codes("sex", {"Femle": "Femle"})
    assert dict(visits.project.looks["sex"].codes) == {}
    assert dict(visits.project.looks["age"].codes) == {"ninety": "90"}
    visits.map_codes("age", {"ninety": "ninety"})
    assert visits.path.read_bytes() == before


def test_an_empty_meaning_is_a_missing_value(visits):
    visits.map_codes("sex", {"Femle": ""})
    assert preview(visits.project, 1)["rows"][0]["after"][1] == ""


def test_what_a_release_is_about_is_in_its_dossier(visits, tmp_path):
    visits.set("about", recipient="State University", agreement="DUA 12", period="2024")
    made = visits.run(tmp_path / "released")
    assert made["about"] == {"recipient": "State University", "agreement": "DUA 12", "period": "2024"}
    assert "Recipient: State University." in (tmp_path / "released" / "keep" / "dossier.html").read_text()


def test_people_named_before_are_those_of_a_score_and_fewer_after(visits):
    visits.map_codes("sex", {"Femle": "F"})
    visits.map_codes("age", {"ninety": "25"})
    left = attackers_left(visits.project)
    mapping = visits.path.parent / "mapping.toml"
    mapping.write_text('[fields.sex.codes]\nFemle = "F"\n[fields.age.codes]\nninety = "25"\n')
    scored = RecordFile(visits.project.path, "age,sex,county", mapping).score().to_frame()
    before = [row for row in left["rows"] if row["when"] == "before"]
    assert [row["people_high"] for row in before] == pytest.approx(scored["total_risk_high"].tolist(), rel=1e-9)
    totals = {(row["attacker"], row["when"]): row["people_high"] for row in left["totals"]}
    for attacker in ("general", "voter"):
        assert 0 < totals[attacker, "after"] < totals[attacker, "before"]
    row, low, high = left["riskiest"]["general"][0]
    assert 1 <= row <= 60
    assert 0 < low <= high == pytest.approx(before[0]["largest_high"], rel=1e-9)


def test_people_named_after_a_local_recoding_are_between_two_releases_that_a_census_has(tmp_path):
    drawn = random.Random(4)
    rows = [
        [str(min(84, int(abs(drawn.gauss(0, 25))))), drawn.choice("FM"), drawn.choice(COUNTIES)] for _ in range(120)
    ]
    with (tmp_path / "visits.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["age", "sex", "county"], *rows])
    made = Release.new(tmp_path / "visits.csv", tmp_path / "release.toml")
    made.set("target", aim="risk", threshold="k=4")
    made.classify(["age", "sex", "county"], "key", "seen", by="A. Officer")
    left = attackers_left(made.project)
    assert "After: rows are at several levels" in left["notes"][0]
    (before,), (after,) = (
        [row for row in left["totals"] if (row["attacker"], row["when"]) == ("general", when)]
        for when in ("before", "after")
    )
    # each row by hand: one person of those in the census whom its label fits
    people = Study("us-2020").people.in_states(("DE",)).cells
    written, truth = unwritten(made.project, lambda _: None).written, 0.0
    table = zip(*([written[name].values[at - 1] for at in written[name].codes] for name in written.names), strict=True)
    for age, sex, county in table:
        low, high = (int(end) for end in (age.split("-") * 2)[:2])
        fits = people["age"].between(low, high) & (people["sex"] == sex) & (people["county"] == county)
        truth += 1 / people.loc[fits, "people"].sum()
    assert 0 < after["people_low"] <= truth <= after["people_high"] < before["people_high"]
