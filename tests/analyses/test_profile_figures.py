"""What a profile holds: claims, precision, a small file; and how a file changes every figure."""

from __future__ import annotations

import pytest

from policy_sim import Study
from policy_sim.analyses.profile_figures import ProfileFigures
from policy_sim.errors import InputError
from policy_sim.results import Measure

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
