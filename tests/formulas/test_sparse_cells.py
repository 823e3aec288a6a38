"""Small cells added up by factorial moments, against the sums over how many entries a bin has."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, poisson

from policy_sim.formulas.sparse_cells import SPARSE, SparseCells, person_moments

SIZES = np.array([1, 2, 5, 10])
FAR = 60  # entries of a bin that are added up by hand


def of_one_person(people, chance, stale):
    """The chance of 0, 1, ... other entries, as the sum of a binomial and a Poisson variable."""
    entries = np.arange(FAR)
    return np.convolve(binom.pmf(entries, people - 1, chance), poisson.pmf(entries, people * stale))[:FAR]


@pytest.mark.parametrize("stale", [0.0, 0.3])
@pytest.mark.parametrize("mean", [1e-9, 0.01, SPARSE * 0.999])
@pytest.mark.parametrize("people", [1, 2, 3, 9, 400, 100_000])
def test_moments_against_every_number_of_entries(people, mean, stale):
    listed, part = 0.7, mean / (people * (0.7 + 0.3 * stale))
    others = of_one_person(people, part * listed, part * stale * 0.3)
    moments = person_moments(np.array([float(people)]), np.array([listed]), np.array([0.3 * stale]))
    cells = SparseCells(moments * part ** np.arange(len(moments))[:, None])
    entries = np.arange(FAR)
    assert cells.named().item() == pytest.approx((others / (entries + 1)).sum(), rel=1e-14)
    assert cells.distinct(SIZES)[:, 0] == pytest.approx([others[:g].sum() for g in SIZES], rel=1e-13)
    assert cells.with_one_other().item() == pytest.approx(others[1], rel=1e-11, abs=1e-30)
