"""A second number of a person that leaves when the first is left out: the rows of people are joined all the same."""

from __future__ import annotations

import csv

import pytest

from policy_sim import Release
from policy_sim.release.preview import preview
from policy_sim.words.errors import InputError


def _made(tmp_path, joined=1.0):
    """Sixty people of two stays each: two numbers for each person, and the number of a doctor of many.

    The second number is the same in both stays for a share of the people.
    """
    with (tmp_path / "stays.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["ssn", "mrn", "doctor_npi", "sex", "age"])
        for at in range(120):
            who = at // 2
            own = who if who < 60 * joined else 60 + at
            out.writerow(
                [
                    f"{123 + who}-45-{6000 + who}",
                    f"MR{700123 + own * own * 37 % 9973}",
                    1234567893,
                    "MF"[at % 2],
                    30 + at % 4,
                ]
            )
    made = Release.new(tmp_path / "stays.csv", tmp_path / "release.toml")
    made.accept_guesses(by="A. Officer")
    made.set("file", person="ssn")
    made.classify(["ssn", "doctor_npi"], "direct", "names somebody", by="A. Officer", treatment="drop")
    made.set("target", aim="risk", threshold="k=3", sizes="file")
    made.set("settings", limit=0.5)
    return made


@pytest.fixture
def stays(tmp_path):
    return _made(tmp_path)


@pytest.mark.parametrize(("joined", "known"), [(0.4, "all"), (0.05, "1")])
def test_a_number_that_joins_the_rows_of_some_people_counts(tmp_path, joined, known):
    """Whoever is joined is known by all rows, even if most people are not."""
    made = _made(tmp_path, joined)
    made.pseudonym("mrn", reason="joins stays", by="A. Officer")
    assert preview(made.project, 1)["people"]["known"] == known


def test_a_second_number_of_a_person_joins_the_rows(stays, tmp_path):
    stays.pseudonym("mrn", reason="joins stays", by="A. Officer")
    shown = preview(stays.project, 1)
    assert shown["people"]["known"] == "all"
    assert shown["people"]["why"].startswith("mrn is released")
    assert not any("does not show which rows" in note for note in shown["notes"])
    result = stays.run(tmp_path / "out")
    assert result["claim"]["person"] == "mrn"
    assert "the rows of one person" not in [what for what, _ in result.verdict.report.not_tried]


def test_a_second_number_may_not_leave_as_it_is(stays):
    stays.classify(["mrn"], "other", "a number of the study", by="A. Officer", treatment="keep")
    with pytest.raises(InputError, match="mrn goes with ssn one to one"):
        preview(stays.project, 1)


def test_the_number_of_a_doctor_of_many_joins_nobody(stays):
    stays.classify(["mrn"], "direct", "names somebody", by="A. Officer", treatment="drop")
    stays.classify(["doctor_npi"], "other", "the study", by="A. Officer", treatment="keep")
    shown = preview(stays.project, 1)
    assert shown["people"]["known"] == "1"
    assert any("does not show which rows" in note for note in shown["notes"])
