"""From options to studies: what is given, what a preset fills, and what excludes each other."""

import datetime as dt
import math

import pytest
from small_people import written

from policy_sim.cli.options import ask, with_releases
from policy_sim.words.errors import InputError, UnknownNameError


def test_nothing_given_is_the_default_question():
    asked = ask()
    assert len(asked.studies) == 1
    assert asked.study.days_per_year == 365
    assert (asked.study.coverage, asked.question.rules, asked.question.states) == ("registered", "regulation", None)


def test_a_preset_fills_what_is_not_given():
    asked = ask(preset="benitez-malin-2010", states=("ohio",))
    assert (asked.study.population, asked.study.coverage, asked.question.rules) == ("us-2000", "everyone", "paper")
    assert asked.question.states == ("OH",)
    given = ask(("us-2010",), preset="benitez-malin-2010", coverage="adults", rules="regulation", days_per_year=366)
    assert (given.study.population, given.study.coverage, given.question.rules) == ("us-2010", "adults", "regulation")
    assert given.study.days_per_year == 366


def test_several_populations_are_several_studies(tmp_path):
    asked = ask(("us-2010", written(tmp_path)), policies=("safe-harbor",))
    assert [study.population for study in asked.studies] == ["us-2010", written(tmp_path)]


def test_releases_stand_beside_the_policies_or_beside_the_textbook():
    assert with_releases(("county",), ()) == ("county",)
    assert with_releases(None, ()) is None
    assert with_releases(("county",), ("newest", "release:NC:2016")) == ("county", "release:newest", "release:NC:2016")
    assert with_releases(None, ("newest",))[:2] == ("safe-harbor", "limited-dataset")


@pytest.mark.parametrize("days", [math.nan, math.inf, -math.inf])
def test_days_that_are_no_number_are_refused(days):
    with pytest.raises(InputError, match="365"):
        ask(days_per_year=days)


def test_unknown_names_and_two_times_are_refused():
    with pytest.raises(UnknownNameError):
        ask(preset="nobody-1999")
    with pytest.raises(UnknownNameError):
        ask(states=("Atlantis",))
    with pytest.raises(InputError, match="both choose"):
        ask(lists="2026", as_of=dt.date(2020, 1, 1))
