from __future__ import annotations

import numpy as np

from policy_sim.analyses.lattice_search.births import births_of
from policy_sim.policies.lattice import BirthView

# Of each age: the class it falls in, and the bins hidden in that class.
VIEWS = {
    BirthView("none"): ([0, 0, 0, 0, 0], [1.0] * 5),
    BirthView("year"): ([0, 1, 2, 3, 4], [1.0] * 5),
    BirthView("date"): ([0, 1, 2, 3, 4], [365.0] * 5),
    BirthView("decade"): ([0, 1, 0, 1, 1], [10.0, 10.0, 10.0, 10.0, 10.0]),  # no runs of ages
}
BIRTHS = births_of({view: (np.array(lower), np.array(bins)) for view, (lower, bins) in VIEWS.items()})
PEOPLE = np.random.default_rng(5).integers(0, 9, (2, 3, 5))


def test_views_that_put_the_same_ages_together_share_their_classes():
    assert len(BIRTHS.runs) == 1 + 5  # everyone, and each age once for both year and date
    assert sorted(map(tuple, BIRTHS.scattered)) == [(0, 2), (1, 3, 4)]
    assert [job.bins for job in BIRTHS.jobs] == [1.0, 10.0, 365.0]


def test_classes_are_the_sums_of_their_ages():
    merged, rows = BIRTHS.merge(PEOPLE), PEOPLE.reshape(-1, 5)
    members = [list(range(*run)) for run in BIRTHS.runs.tolist()] + [list(ages) for ages in BIRTHS.scattered]
    np.testing.assert_array_equal(merged, np.column_stack([rows[:, ages].sum(axis=1) for ages in members]))


def test_every_view_gets_every_person_once():
    by_class = BIRTHS.merge(PEOPLE).sum(axis=0)
    by_kind = np.bincount(BIRTHS.kind, weights=by_class, minlength=BIRTHS.kinds)
    got = np.zeros(len(BIRTHS.views))
    for job in BIRTHS.jobs:
        np.add.at(got, job.view, by_kind[job.kind])
    assert got.tolist() == [PEOPLE.sum()] * len(VIEWS)
