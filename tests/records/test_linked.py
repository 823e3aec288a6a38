"""Journalist and marketer risk: the papers' examples, random matching, and eq. 4."""

import csv

import numpy as np
import pytest

from policy_sim.groups import Groups, total_risk
from policy_sim.groups.size_histogram import SizeHistogram
from policy_sim.records.classes import Classes
from policy_sim.records.linked import JointSizes, linked_risk


def _joint(f, big, population=None):
    f, big = np.array(f, dtype=np.int64), np.array(big, dtype=np.int64)
    return JointSizes(f, big, np.ones(len(f), dtype=np.int64), SizeHistogram.from_classes(population or big))


def test_three_classes_of_5_20_and_23_people():
    """Dankar and El Emam 2010, section 4.3: marketer risk is half of journalist risk."""
    risk = linked_risk(_joint([1, 1, 1], [5, 20, 23]))
    assert risk.journalist == 0.2
    assert risk.marketer == pytest.approx((1 / 5 + 1 / 20 + 1 / 23) / 3, rel=1e-15)
    assert risk.marketer / risk.journalist == pytest.approx(0.5, abs=0.02)  # "half", as printed


def test_fourteen_records_and_a_voter_list():
    """Dankar et al. 2012, figure 1: 9 of 14 unique, 2 of them among the 6 unique people of 40."""
    f = [1] * 9 + [2, 3]
    big = [1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6]
    risk = linked_risk(_joint(f, big, population=[*big, 1, 1, 1, 1, 2]))
    assert (risk.records, risk.people) == (14, 40)
    assert [round(x, 2) for x in (risk.lambda1, risk.lambda2, risk.lambda3)] == [0.22, 0.14, 0.15]


@pytest.mark.parametrize("one_to_one", [True, False])
def test_random_matching_gives_the_sum_of_f_over_F(one_to_one):
    """Theorem 1 of Dankar and El Emam 2010, for one-to-one and for free matching."""
    rng = np.random.default_rng(20)
    f, big, runs = [1, 3, 4, 2], [1, 5, 4, 30], 20_000
    correct = np.zeros(runs)
    for records, people in zip(f, big, strict=True):
        if one_to_one:
            drawn = np.argsort(rng.random((runs, people)), axis=1)[:, :records]
        else:
            drawn = rng.integers(0, people, (runs, records))
        correct += (drawn == np.arange(records)).sum(axis=1)
    risk = linked_risk(_joint(f, big))
    # five standard errors: less than one run in a million fails by chance
    assert correct.mean() == pytest.approx(risk.expected, abs=5 * correct.std() / np.sqrt(runs))
    assert risk.expected == pytest.approx(1 + 3 / 5 + 1 + 2 / 30)


def test_it_is_the_total_risk_of_groups_without_bins():
    f, big = [1, 2, 3, 7], [3, 2, 9, 8]
    groups = Groups.of(big, released=f)
    assert linked_risk(_joint(f, big)).expected == pytest.approx(total_risk(groups).item(), rel=1e-14)


def test_marketer_never_exceeds_journalist_risk():
    rng = np.random.default_rng(3)
    for _ in range(50):
        big = rng.integers(1, 20, 8)
        risk = linked_risk(_joint(rng.integers(1, big + 1), big))
        assert risk.marketer <= risk.journalist + 1e-15


def test_the_whole_population_has_its_classes_over_its_records(shared):
    with (shared / "microdata" / "adult_arx.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream, delimiter=";"))
    fields = ("age", "education", "race", "sex")
    classes = Classes.of_rows([tuple(record[name] for name in fields) for record in table], fields)
    risk = linked_risk(JointSizes.of(classes, classes))
    assert (classes.number, classes.histogram.uniques) == (3152, 1206)
    assert risk.marketer == 3152 / 30162
    assert round(risk.marketer, 6) == 0.104502
    assert risk.lambda2 == risk.lambda3 == 1206 / 30162


def test_records_outside_and_beyond_the_population_are_counted():
    risk = linked_risk(_joint([2, 1, 5], [0, 1, 2], population=[1, 2]))
    assert (risk.records, risk.outside, risk.surplus) == (8, 2, 3)
    assert risk.expected == 2.0  # the one person, and at most one correct match in a full class


def test_nothing_to_link():
    risk = linked_risk(_joint([], [], population=[1]))
    assert risk.marketer is risk.journalist is risk.lambda1 is risk.lambda2 is None
    assert risk.lambda3 == 1.0
