"""What a profile holds: claims, precision, a small file; and how a file changes every figure."""

from __future__ import annotations

import pandas as pd
import pytest

from policy_sim import Study
from policy_sim.analyses.cases import cases_of
from policy_sim.analyses.comparison import compare
from policy_sim.analyses.profile_figures import ProfileFigures
from policy_sim.attackers import Attacker, Coverage, IdentifiedFile
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.results import Measure
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS

PAPER = {"rules": "paper"}


@pytest.fixture(scope="module")
def study() -> Study:
    return Study("us-2020", 2026)


def test_the_measures_of_a_profile_in_order():
    figures = ProfileFigures((1, 5))
    assert [str(measure) for measure in figures.counts] == [
        "total-risk",
        "1-distinct",
        "5-distinct",
        "claims",
        "correct-claims",
    ]
    assert figures.risks == figures.counts[:3]


@pytest.mark.parametrize(
    ("state", "share", "per_hundred"),
    [
        ("OH", 1, 0.012),
        ("OH", 0.01, 0.96),
        ("OH", 0.001, 6.8),
        ("WA", 0.01, 1.65),
    ],
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


@pytest.mark.parametrize("attacker", ["general", "voter"])
def test_a_file_of_everyone_is_no_file(study, attacker):
    with_file = study.compare(attackers=attacker, states=["DE", "OH"], in_file=1, **PAPER).to_frame()
    without = study.compare(attackers=attacker, states=["DE", "OH"], **PAPER).to_frame()
    for name in ("people", "share", "people_high"):
        assert with_file[name].to_numpy(float) == pytest.approx(without[name].to_numpy(float), rel=1e-12, nan_ok=True)


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
    cells = pd.DataFrame({"state": "OH", "sex": ["F", "M"], "age": [30, 40], "age_width": [1, 5], "people": [90, 60]})
    people = Population(check_cells(cells, "made"), Provenance("made", "made", "", "", "", 1, 0, 0))
    policy = Policy("fine", "t", Granularities(gender="value", birth="date", geography="state"), "c")
    fields = dict.fromkeys(LIST_FIELDS, ListField("withheld"))
    fields |= {"birth": ListField("included", "date"), "gender": ListField("unknown")}
    file = IdentifiedFile("file", "a file", "k", Coverage("file", "people", least_age=0), fields)
    cases = cases_of(people, [policy], [Attacker("file", "t", (file,))], ["OH"])
    (withheld, *_), (told, *_) = cases[0].keys
    errors = {withheld: 0.1, told: 0.4}
    plain, added = (
        compare(people, [policy], [Attacker("file", "t", (file,))], g=[1], spread=True, model_error=error)[0]
        for error in (None, lambda key, *_: errors[key])
    )
    for measure in ("total-risk", "1-distinct"):
        chance, at, found = plain.variances[Measure.of(measure)], plain.people(measure), added.variances
        expected = chance.low + (0.1 * at.low) ** 2, chance.high + (0.4 * at.high) ** 2
        assert (found[Measure.of(measure)].low, found[Measure.of(measure)].high) == pytest.approx(expected, rel=1e-12)
