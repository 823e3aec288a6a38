from __future__ import annotations

from functools import cache

import pandas as pd
import pytest

from policy_sim import Population, Study
from policy_sim.errors import InputError
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Provenance
from policy_sim.questions.question import Question
from policy_sim.questions.studies import Studies

ASKED = Question.of(["safe-harbor", "limited-dataset"], "general", "WY", [1, 5], "paper")


@cache
def study(name, times):
    rows = [("WY", "56001", sex, age, 1, "white", times * (1 + age % 3)) for sex in "MF" for age in (10, 30, 31, 95)]
    columns = ["state", "county", "sex", "age", "age_width", "race", "people"]
    cells = check_cells(pd.DataFrame(rows, columns=columns), name)
    return Study(Population(cells, Provenance(name, name, "", "2020-04-01", "", 1, 0, 0)), lists=2026)


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
