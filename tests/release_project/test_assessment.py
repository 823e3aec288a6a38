"""Thresholds and verdicts by hand; three release models judge one file differently."""

import numpy as np
import pytest

from policy_sim.deidentify.recount import risk_of_classes
from policy_sim.errors import UnknownNameError
from policy_sim.release_project.assessment import Assessment
from policy_sim.release_project.context_risk import attacks_on

PUBLIC = attacks_on("public")
SEMI = attacks_on("semi-public", prevalence=0.0001, breach=0.1)


def non_public(controls="medium", motives="medium", breach=0.1):
    return attacks_on("non-public", controls=controls, motives=motives, breach=breach)


def file(*sizes, people=None):
    sizes = np.array(sizes)
    return risk_of_classes(sizes, sizes if people is None else np.array(people), int(sizes.sum()), int(sizes.sum()))


@pytest.mark.parametrize(
    ("invasion", "text", "k"), [("low", "0.09", 11), ("medium", "0.075", 14), ("high", "0.05", 20)]
)
def test_public_data_are_judged_by_their_largest_risk(invasion, text, k):
    assessment = Assessment("public", invasion, PUBLIC)
    assert (assessment.threshold.text, assessment.target.least) == (text, k)
    assert assessment.verdict(file(k, 100)).passes
    assert not assessment.verdict(file(k - 1, 100)).passes


def test_a_third_means_three():
    """El Emam and Arbuckle 2013: Pr(attempt) 0.3 and threshold 0.1 leave 0.33 for the data; T1 of IPC 2016."""
    assessment = Assessment("non-public", "low", non_public())
    assert assessment.context == 0.3
    assert assessment.target.threshold.risk == pytest.approx(1 / 3)
    assert assessment.verdict(file(3, 3, 3)).passes


def test_the_example_of_step_six():
    """IPC 2016: data 0.2 times context 0.5 is 0.1."""
    assessment = Assessment("non-public", "low", non_public("low", "medium"))
    verdict = assessment.verdict(file(5, 5))
    assert verdict.data_risk == pytest.approx(0.2)
    assert verdict.overall == pytest.approx(0.1)
    assert verdict.passes


def test_a_record_above_the_cutoff_makes_its_risk_the_risk():
    assessment = Assessment("non-public", "low", non_public())
    verdict = assessment.verdict(file(2, 1000))
    assert (verdict.data_risk, verdict.passes) == (0.5, False)
    assert Assessment("non-public", "low", non_public(), cutoff="0.5").verdict(file(2, 1000)).passes


def test_semi_public_compares_classes():
    """Context 0.6 and threshold 0.1: 0.6 / 0.1 = 6 records, and not 5.999... or 7."""
    assessment = Assessment("semi-public", "low", SEMI)
    assert assessment.target.least == 6
    assert assessment.verdict(file(6)).passes
    assert not assessment.verdict(file(5, 500)).passes


def test_one_file_three_verdicts():
    """Classes of 7: not enough for the public (11), enough for the semi-public (6) and the non-public (3)."""
    same = file(7, 7, 7, 400)
    verdicts = {
        model: Assessment(model, "low", attacks).verdict(same)
        for model, attacks in (("public", PUBLIC), ("semi-public", SEMI), ("non-public", non_public()))
    }
    assert {model: verdict.passes for model, verdict in verdicts.items()} == {
        "public": False, "semi-public": True, "non-public": True,
    }  # fmt: skip
    assert len({verdict.overall for verdict in verdicts.values()}) == 3
    tighter = file(4, 4, 400)
    assert not Assessment("semi-public", "low", SEMI).verdict(tighter).passes
    assert Assessment("non-public", "low", non_public()).verdict(tighter).passes


def test_an_attacker_who_does_not_know_who_is_in_it_searches_the_population():
    assessment = Assessment("public", "low", PUBLIC, sizes="population")
    assert assessment.verdict(file(1, 1, people=[11, 300])).passes
    assert not assessment.verdict(file(1, 1, people=[10, 300])).passes


def test_nothing_left_passes_nothing():
    verdict = Assessment("public", "low", PUBLIC).verdict(file())
    assert (verdict.passes, verdict.data_risk, verdict.why) == (False, None, "no record is left")


def test_a_context_without_an_attack_still_has_the_cutoff():
    attacks = non_public("high", "low", 0)
    quiet = [type(attack)(attack.name, attack.title, 0.0, "", "") for attack in attacks]
    assessment = Assessment("non-public", "low", quiet)
    assert assessment.target.threshold.risk == 1
    assert not assessment.verdict(file(2)).passes


def test_invasion_is_one_of_three():
    with pytest.raises(UnknownNameError, match="invasion of privacy"):
        Assessment("public", "awful", PUBLIC)
