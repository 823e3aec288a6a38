"""The door of Python: every call either works or says in one of our own errors what is allowed."""

from __future__ import annotations

import datetime as dt
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hostile_doors import study
from small_people import population_of, small

from policy_sim import PolicySimError, Study
from policy_sim.attackers import GENERAL
from policy_sim.people.population import Population
from policy_sim.study.compare import Studies
from policy_sim.study.question import Question
from policy_sim.study.study import explorer_policies
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field
from policy_sim.words.states import STATES

# Arguments as a reader may write them; each question with arguments that work is a door of hostile_doors.
COMPARED = {
    "states": [
        *("OH", ["OH"], "oh", ["Ohio", "wyoming"], "39", STATES["OH"], {"OH"}, ["OH", "ohio"], pd.Series(["OH"])),
        (state for state in ["OH"]),
    ],
    "policies": ["safe-harbor", "birth=year+geography=state"],
    "attackers": ["voter", ["VOTER", "General"], GENERAL],
    "g": [5, np.int64(5), np.array([1, 5]), range(1, 4)],
}
MADE_OF = [
    *({"lists": 2026}, {"lists": "2008"}, {"days_per_year": 365}, {"adversary": "academic"}, {"as_of": "2009-01-01"}),
    *({"as_of": dt.date(2009, 1, 1)}, {"as_of": dt.datetime(2009, 1, 1, 12)}),
]
BAD = {
    "explore than two": lambda s: s.explore("OH", than=["safe-harbor", "limited-dataset"]),
    "a state that is not here": lambda s: s.compare(states="TX"),
    "trust of an unknown policy": lambda s: s.compare(states="OH").trust("a", "safe-harbor"),
    "profile of an unknown state": lambda s: s.compare(states="OH").profile("ZZ", "safe-harbor", "voter"),
    "map of an unknown policy": lambda s: s.compare(states="OH").map("nope"),
    "county costs nowhere": lambda s: s.county_costs("ZZ"),
    "effects of two policies": lambda s: s.marginal_effects(["safe-harbor", "limited-dataset"]),
    "engine unknown": lambda _: Study("nowhere.parquet", engine="abacus").compare(),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), [(name, value) for name in COMPARED for value in COMPARED[name]])
def test_a_comparison_takes_what_reads_naturally(name, value):
    assert len(study().compare(**{name: value}))


@pytest.mark.parametrize("made_of", MADE_OF, ids=str)
def test_a_study_is_made_of_what_reads_naturally(made_of):
    assert len(Study(small(), **made_of).compare("safe-harbor", "voter", "ohio", 1))


@pytest.mark.parametrize("call", BAD.values(), ids=BAD)
def test_what_cannot_work_is_one_of_our_errors(call):
    with pytest.raises(PolicySimError) as caught:
        call(study())
    message = str(caught.value)
    assert message
    assert "--" not in message, "an option of the command line does not exist in Python"
    assert "\n" not in message
    assert len(message) < 1_500


def test_one_value_and_a_list_of_it_ask_the_same():
    one, many = (
        study().compare("safe-harbor", "voter", "ohio", 5),
        study().compare(["safe-harbor"], ["voter"], ["OH"], [5]),
    )
    pd.testing.assert_frame_equal(one.to_frame(), many.to_frame())


# The same question for several populations.


ASKED = Question.of(["safe-harbor", "limited-dataset"], "general", "WY", [1, 5], "paper")


@cache
def made_study(name, times):
    rows = [("WY", "56001", sex, age, 1, "white", times * (1 + age % 3)) for sex in "MF" for age in (10, 30, 31, 95)]
    return Study(population_of(rows, date="2020-04-01", name=name), lists=2026)


@cache
def both():
    return Studies((made_study("a", 1), made_study("b", 4)), ASKED)


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
    assert len(Studies((made_study("a", 1),), ASKED).changes()) == 0


def test_who_holds_no_file_pays_nothing_for_it():
    assert len(both().costs()) == 0


def test_a_question_to_one_population_refuses_two_and_no_study_is_none():
    assert Studies((made_study("a", 1),), ASKED).only_study is made_study("a", 1)
    with pytest.raises(InputError, match="one population"):
        both().breakdown("county")
    with pytest.raises(InputError, match="at least one"):
        Studies((), ASKED)


@pytest.mark.slow
def test_populations_with_and_without_zip_codes_are_compared_by_the_places_of_both():
    made_study = Study(lists=2026, coverage="survey")
    rows = made_study.compare("limited-dataset", "voter", "OH", 1, population=["us-2000", "us-2010"]).to_frame()
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


# The explorer's page of a study.


@pytest.fixture(scope="module")
def small_page():
    people = Study("us-2020").people.in_states(["DE", "RI"])
    return Study(people).explorer()


@pytest.mark.slow
def test_a_page_is_whole_and_asks_nobody(small_page):
    assert small_page.startswith("<!doctype html>")
    assert small_page.rstrip().endswith("</html>")
    assert "{{" not in re.sub(r"<script.*?</script>", "", small_page, flags=re.DOTALL)
    outside = re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=", small_page)
    assert outside == []
    assert "default-src 'none'" in small_page
    assert len(small_page.encode()) < 1_000_000


@pytest.mark.slow
def test_the_same_study_gives_the_same_page(small_page):
    people = Study("us-2020").people.in_states(["DE", "RI"])
    assert Study(people).explorer() == small_page


def test_people_without_counties_are_refused():
    people = Study("us-2020").people.in_states(["DE"])
    merged = people.cells.drop(columns="county").groupby(["state", "age", "age_width", "sex", "race"], observed=True)
    cells = merged["people"].sum().reset_index()
    with pytest.raises(InputError, match="county"):
        Study(Population(cells, people.provenance)).explorer()


def test_the_policies_that_most_choose_come_first():
    names = [policy.name for policy in explorer_policies()]
    assert names[:4] == ["limited-dataset", "safe-harbor", "limited-dataset-paper", "safe-harbor-paper"]
    assert len(set(names)) == len(names)
    assert all(policy.releases[Field.GEOGRAPHY] in ("state", "county") for policy in explorer_policies(by_zip=False))
