"""``policy-sim lists what-if``: a change of law on people counted by hand."""

import pytest
from small_people import BY_COUNTY, BY_YEAR, one_line, rows, run, written


@pytest.fixture
def people(tmp_path):
    return ("--population", written(tmp_path), "--coverage", "everyone")


def total_risk(*words):
    return {row["policy"]: row for row in rows("lists", "what-if", *words) if row["measure"] == "total-risk"}


def test_a_field_that_is_withheld_puts_its_groups_together(people):
    """Ohio's list tells the year of birth: four groups, and one without it."""
    row = total_risk("OH", *people, "--policy", BY_YEAR, "--set", "birth=withheld")[BY_YEAR]
    assert (row["before"], row["after"], row["change"]) == (4, 1, -3)


def test_changes_of_a_file_and_of_options_go_together_and_options_win(people, tmp_path):
    law = tmp_path / "law.toml"
    law.write_text('birth = "withheld"\ngeography = "withheld"\n')
    words = ("OH", *people, "--policy", BY_COUNTY, "--changes", law)
    assert total_risk(*words)[BY_COUNTY]["after"] == 1
    assert total_risk(*words, "--set", "geography=county")[BY_COUNTY]["after"] == 2


def test_every_field_is_tried_in_turn(people):
    found = rows("lists", "what-if", "OH", "--all-states", *people, "--policy", BY_YEAR, "--rules", "paper")
    assert {row["state"] for row in found} == {"OH"}
    worth = [abs(row["change"]) for row in found if row["change"] is not None]
    assert worth == sorted(worth, reverse=True)


def test_a_change_of_buyers_has_no_effect_unless_someone_is_held_back(people):
    done = run("lists", "what-if", "OH", *people, "--policy", BY_YEAR, "--set", "buyers=party")
    assert "no effect without --adversary" in done.output


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        (),
        ("OH",),
        ("--set", "birth=year"),
        ("--all-states", "--set", "birth=year"),
        ("--all-states", "--attacker", "texas-birth-index"),
        ("--all-states", "--g", "3"),
        ("--all-states", "--policy", "county", "--policy", "safe-harbor"),
        ("OH", "--set", "birth"),
        ("OH", "--set", "hair=brown"),
        ("OH", "--set", "birth=hour"),
    ],
)
def test_what_cannot_be_changed_is_one_line(words):
    one_line("lists", "what-if", *words)
