from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_people import file_of, population_of, read_again, small

from policy_sim import Study
from policy_sim.attackers import GENERAL, Attacker, Coverage, IdentifiedFile, covered
from policy_sim.model.cases import Cases, ends_of
from policy_sim.model.compare import ProfileFigures, compare
from policy_sim.model.measure import Measure
from policy_sim.people.zips import PeopleByZip
from policy_sim.policies.policy import Policy
from policy_sim.study.question import Question
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.registration import Registration
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Granularities

FINE = Policy("fine", "t", Granularities(gender="value", birth="year", geography="county"), "c")
SAME = Policy("same", "t", FINE.releases, "c")
COARSE = Policy("coarse", "t", Granularities(gender="value", geography="state"), "c")


@pytest.fixture(scope="module")
def people():
    return small()


def total_risk(groups, chances):
    return chances.total_risk(groups)


def test_questions_stand_by_state_then_policy(people):
    cases = Cases(people, [FINE, COARSE], [GENERAL], states=["WY", "OH"])
    named = [f"{case.state} {case.policy.name}" for case in cases]
    assert named == ["WY fine", "WY coarse", "OH fine", "OH coarse"]
    assert len(list(Cases(people, [FINE], [GENERAL]))) == 2


def test_policies_with_one_key_are_merged_once_and_groups_counted_by_hand(people):
    cases, calls = Cases(people, [FINE, SAME, COARSE], [GENERAL], states=None), []

    def measure(groups, chances):
        calls.append(groups)
        return total_risk(groups, chances)

    measured = cases.measure(measure)
    assert len(calls) == 2
    for case in cases:
        part = people.cells[people.cells["state"] == case.state]
        columns = ["sex"] if case.policy is COARSE else ["sex", "age", "county"]
        low, high = ends_of(case, measured)
        assert low == high == pytest.approx(part.groupby(columns, observed=True).ngroups)
        assert np.ndim(low) == 0


def test_what_is_asked_twice_or_not_there_is_refused(people):
    with pytest.raises(InputError, match="'fine' is named twice"):
        Cases(people, [FINE, FINE], [GENERAL], states=None)
    with pytest.raises(UnknownNameError, match="TX"):
        Cases(people, [FINE], [GENERAL], states=["TX"])


FEW_OR_MANY = Coverage("file", "people", least_age=0, least_share=0.2)


def one_case(people, file):
    (case,) = Cases(people, [FINE], [Attacker("a", "a", (file,))], states=["OH"])
    return case


def test_each_key_says_what_is_assumed_for_it(people):
    unknown = IdentifiedFile("file", "a file", "k", FEW_OR_MANY, states=("OH",))
    everyone = replace(unknown, coverage=Coverage("file", "people", least_age=0))
    names = [one_case(people, file).end_names for file in (unknown, everyone, file_of("file", FEW_OR_MANY))]
    assert names == [
        ("withheld, fewest people", "released, most people"),
        ("withheld", "released"),
        ("fewest people", "most people"),
    ]
    assert next(iter(Cases(people, [FINE], [GENERAL], states=["OH"]))).end_names == ("", "")


def test_of_an_unknown_number_of_listed_people_the_first_key_has_the_fewest_and_the_last_the_most(people):
    least, most = FEW_OR_MANY.ends
    assert [coverage for _, _, coverage in one_case(people, file_of("file", FEW_OR_MANY)).keys] == [least, most]
    assert least not in FEW_OR_MANY.between


# What a profile holds: claims, precision, a small file; and how a file changes every figure.


PAPER = {"rules": "paper"}


@pytest.fixture(scope="module")
def study() -> Study:
    return Study("us-2020", 2026)


def test_the_measures_of_a_profile_in_order():
    figures = ProfileFigures((1, 5))
    assert " ".join(map(str, figures.counts)) == "total-risk 1-distinct 5-distinct claims correct-claims"
    assert figures.risks == figures.counts[:3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "share", "per_hundred"), [("OH", 1, 0.012), ("OH", 0.01, 0.96), ("OH", 0.001, 6.8), ("WA", 0.01, 1.65)]
)
def test_safe_harbor_as_the_paper_simplifies_it_in_a_file_of_a_known_size(study, state, share, per_hundred):
    """Per 100 records, as published with the model; two digits."""
    profile = study.compare("safe-harbor", "general", state, 1, in_file=share, **PAPER)[0]
    found = profile.share("total-risk").low
    assert float(f"{100 * found:.2g}") == pytest.approx(per_hundred, rel=0.04)
    assert profile.records == pytest.approx(profile.inhabitants * share)


def test_the_small_file_is_the_file_of_one_per_cent(study):
    both = [study.compare(attackers="general", states="DE", g=1, in_file=h, **PAPER) for h in (None, 0.01)]
    for policy in ("safe-harbor", "limited-dataset"):
        without, within = (each.profile("DE", policy, "general") for each in both)
        assert without.small_file_share.low == pytest.approx(within.share("total-risk").low, rel=1e-12)
        assert within.small_file_share is None
        assert without.in_file == 1


@pytest.mark.parametrize("rules", ["paper", "regulation"])
def test_nobody_who_left_is_in_a_file_that_is_known(study, rules):
    """A file of everyone is what a list without such records makes of a release of everyone."""
    (none_left,) = (other for other in study.voter.coverage.others if other.assumed == "no-stale")
    question = Question.of("limited-dataset", "voter", ["DE", "OH"], 1, rules, 1.0)
    in_file = study._cases(question)
    no_file = replace(in_file, in_file=None, attackers=[covered(study.voter, none_left)])
    known, released = (compare(cases).to_frame() for cases in (in_file, no_file))
    for name in ("people", "share", "people_high"):
        assert known[name].to_numpy(float) == pytest.approx(released[name].to_numpy(float), rel=1e-9, nan_ok=True)
    risk = compare(replace(in_file, in_file=None)).to_frame()["people"].to_numpy(float)[0]
    assert risk < released["people"].to_numpy(float)[0]


def test_everyone_listed_means_that_every_claim_is_right(study):
    profile = study.compare("limited-dataset", "general", "DE", 1, **PAPER)[0]
    assert profile.people("claims") == profile.people("correct-claims") == profile.people("1-distinct")
    assert profile.share("precision").low == 1
    row = profile.to_frame().set_index("measure").loc["claims"]
    assert row["people"] == profile.people(Measure("claims")).low


def test_a_file_larger_than_the_state_is_one_line(study):
    with pytest.raises(InputError, match="more than the 989,948 people of DE"):
        study.compare(states="DE", in_file=989_949, **PAPER)


def test_the_error_of_modeled_people_is_that_of_each_ends_own_key():
    """A list that may or may not tell gender: two keys, two errors, each added to the chance of its own end."""
    people = population_of([("OH", "39001", "F", 30, 1, 90), ("OH", "39001", "M", 40, 5, 60)])
    policy = Policy("fine", "t", Granularities(gender="value", birth="date", geography="state"), "c")
    file = file_of("file", Coverage("file", "people", least_age=0), birth="date")
    file = replace(file, fields=file.fields | {"gender": ListField("unknown")})
    cases = Cases(people, [policy], [Attacker("file", "t", (file,))], states=["OH"])
    (withheld, *_), (told, *_) = next(iter(cases)).keys
    errors = {withheld: 0.1, told: 0.4}
    plain, added = (
        compare(replace(cases, g=[1]), spread=True, model_error=error)[0]
        for error in (None, lambda key, *_: errors[key])
    )
    for measure in ("total-risk", "1-distinct"):
        at, chance, *_ = plain.figures[Measure.of(measure)]
        found = added.figures[Measure.of(measure)].variance
        expected = chance.low + (0.1 * at.low) ** 2, chance.high + (0.4 * at.high) ** 2
        assert (found.low, found.high) == pytest.approx(expected, rel=1e-12)


def test_other_records_on_the_lists_give_other_figures(monkeypatch):
    """No figure is stored: what reads the records changes every figure of a list."""
    question = Question.of("limited-dataset", "voter", "WY")
    cases = Study()._cases(question)
    before = cases.measure(ProfileFigures((1,)))
    usable = Registration.usable

    def halved(self, year):
        rows = usable(self, year)
        return rows.assign(records=rows["records"] // 2, active=rows["active"] // 2)

    monkeypatch.setattr(Registration, "usable", halved)
    people = PeopleByZip(read_again(cases.population.county_population), cases.population.zips)
    after = replace(cases, population=people).measure(ProfileFigures((1,)))
    assert before.keys() == after.keys()
    assert not any(np.allclose(row, after[at], rtol=1e-3) for at, row in before.items())


def test_round_sizes_are_those_of_the_whole_curve():
    study = Study()
    whole, few = (study.curves("DE", g_max=60, round_sizes=alone).to_frame() for alone in (False, True))
    assert sorted(few["g"].unique()) == [1, 2, 5, 10, 20, 50, 60]
    pd.testing.assert_frame_equal(few, whole[whole["g"].isin(few["g"])].reset_index(drop=True))
