"""Sentences in the singular, the plural, with nothing known and with nobody matched."""

import pytest

from policy_sim.briefing import sentences as say
from policy_sim.status import Status


def test_matches_and_no_match():
    who = "the people in the file"
    text = say.match_sentence("safe-harbor-regulation", "5", "0.5%", of=who, certain="2")
    assert text == (
        "**Under Safe Harbor**, it would be right for 5 of the people in the file (0.5%). "
        "2 of these matches are certain."
    )
    none = say.match_sentence("limited-dataset", "0", "0%", of=who, nobody=True)
    assert none == "**Under the limited data set**, it would be right for less than one of the people in the file."


def test_a_list_that_misses_people_makes_nothing_certain():
    who = "the people in the file"
    text = say.match_sentence("safe-harbor", "5", "0.5%", of=who, claims="7", precision="60%")
    assert text.endswith("For 7 it finds exactly one person on the list, and 60% of these claims are right.")
    assert "certain" not in text
    assert say.match_sentence("safe-harbor", "5", "0.5%", of=who).endswith(
        "It never finds exactly one person on the list."
    )


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Status.NOT_SOLD, "Nobody can have a list of Delaware's voters: a law."),
        (Status.COUNTY_ONLY, "Delaware sells no statewide voter list; only counties or towns sell theirs: a law."),
        (Status.UNKNOWN, "No source says what voter list Delaware had: a law."),
    ],
)
def test_no_list(status, words):
    assert say.no_list_sentence("DE", status, "a law") == words
    assert say.no_list_sentence("DE", status, "").endswith(".")


def test_what_a_list_holds():
    assert say.holds_sentence("DE", ["sex", "birth year"], []) == "Delaware's voter list gives sex and birth year."
    assert say.holds_sentence("DE", ["sex"], ["race"]).endswith("; no source says whether it gives race.")
    assert "none of the fields" in say.holds_sentence("DE", [], [])


@pytest.mark.parametrize(
    ("status", "amount", "restricted", "words"),
    [
        ("free", "", (), "It is free."),
        ("ok", "$5", (), "It costs $5."),
        ("at_least", "$5", (), "It costs $5 or more."),
        ("unknown", "", (), "Its price is not known: no source."),
        ("ok", "$5", ("candidate", "party"), "It costs $5. Only a candidate or party may have it."),
    ],
)
def test_prices(status, amount, restricted, words):
    assert say.price_sentence(status, amount, restricted, "no source" if status == "unknown" else "") == words


def test_ranks():
    assert "has the largest share of 40" in say.rank_sentence("DE", 1, 40, "ours")
    assert "has the smallest share of 40" in say.rank_sentence("DE", 40, 40, "ours")
    assert "is number 7 of 40 states with a figure under the policy ours" in say.rank_sentence("DE", 7, 40, "ours")
    assert "has no rank" in say.rank_sentence("DE", None, 40, "ours")


def test_ages_of_facts():
    assert say.age_in_months("2024-11-22", 2026, 11) == 24
    assert say.age_in_months("", 2026, 11) is None
