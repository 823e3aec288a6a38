from __future__ import annotations

from functools import cache

import pandas as pd
import pytest
from small_people import population_of

from policy_sim import Study
from policy_sim.study.compare import Studies
from policy_sim.study.question import Question
from policy_sim.words.errors import InputError

ASKED = Question.of(["safe-harbor", "limited-dataset"], "general", "WY", [1, 5], "paper")


@cache
def study(name, times):
    rows = [("WY", "56001", sex, age, 1, "white", times * (1 + age % 3)) for sex in "MF" for age in (10, 30, 31, 95)]
    return Study(population_of(rows, date="2020-04-01", name=name), lists=2026)


@cache
def both():
    return Studies((study("a", 1), study("b", 4)), ASKED)


def test_rows_of_both_are_those_of_each_one_after_the_other():
    alone = [Studies((one,), ASKED).to_frame() for one in both().studies]
    pd.testing.assert_frame_equal(both().to_frame(), pd.concat(alone, ignore_index=True))


def test_every_later_policy_is_set_over_the_first():
    ratios = both().trust()
    assert [(one.numerator.population, one.denominator.policy) for one in ratios][::3] == [
        ("a", "safe-harbor-paper"),
        ("b", "safe-harbor-paper"),
    ]
    assert all(one.numerator.policy == "limited-dataset-paper" for one in ratios)


def test_changes_are_of_later_populations_and_one_alone_has_none():
    assert len(both().changes()) > 0
    assert len(Studies((study("a", 1),), ASKED).changes()) == 0


def test_who_holds_no_file_pays_nothing_for_it():
    assert len(both().costs()) == 0


def test_a_question_to_one_population_refuses_two_and_no_study_is_none():
    assert Studies((study("a", 1),), ASKED).only_study is study("a", 1)
    with pytest.raises(InputError, match="one population"):
        both().breakdown("county")
    with pytest.raises(InputError, match="at least one"):
        Studies((), ASKED)


@pytest.mark.slow
def test_populations_with_and_without_zip_codes_are_compared_by_the_places_of_both():
    study = Study(lists=2026, coverage="survey")
    rows = study.compare("limited-dataset", "voter", "OH", 1, population=["us-2000", "us-2010"]).to_frame()
    assert set(rows["policy"]) == {"limited-dataset-without-zip"}
    assert rows["linkage_key"].unique().tolist() == ["birth=date+geography=county"]
    assert rows["reason"].str.contains("by county, not by ZIP code").all()
    share = rows[rows["measure"] == "total-risk"].set_index("population")["share"]
    assert share["us-2010"] == pytest.approx(share["us-2000"], rel=0.01)  # 0.1394 and 0.1395: nothing tripled


@pytest.mark.slow
def test_one_population_without_zip_codes_says_so_in_every_row():
    """Beside a population with ZIP codes, whose rows have another name and no reason."""
    without, with_zip = (
        Study(name, 2026).compare("limited-dataset", "voter", "OH", 1) for name in ("us-2000", "us-2010")
    )
    assert set(without.to_frame()["policy"]) == {"limited-dataset-without-zip"}
    assert without.to_frame()["reason"].str.contains("population us-2000").all()
    assert set(with_zip.to_frame()["policy"]) == {"limited-dataset"}
    assert (with_zip.to_frame()["reason"] == "").all()
    assert without.profile("OH", "limited-dataset", "voter").policy == "limited-dataset-without-zip"
    same = Study("us-2000").compare(["safe-harbor", "safe-harbor-without-zip"], "general", "DE", 1)
    assert len(same) == 1
