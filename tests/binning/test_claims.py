"""Claims and places of several counties, against every case counted and against simulation's printed means."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from policy_sim.binning import claimed_records, people_g_distinct
from policy_sim.errors import InputError


def _counted(people: int, bins: int, coverage: float) -> tuple[float, float]:
    """Claims and correct claims, over every throw and every list."""
    claims = correct = 0.0
    for throw in product(range(bins), repeat=people):
        for listed in product((0, 1), repeat=people):
            chance = bins**-people * np.prod([coverage if one else 1 - coverage for one in listed])
            for person in range(people):
                alike = [other for other in range(people) if throw[other] == throw[person] and listed[other]]
                claims += chance * (len(alike) == 1)
                correct += chance * (alike == [person])
    return claims, correct


@pytest.mark.parametrize("people", [1, 2, 3, 4])
@pytest.mark.parametrize("bins", [1, 2, 3])
@pytest.mark.parametrize("coverage", [0.0, 0.25, 0.65, 1.0])
def test_every_throw_and_every_list_counted(people, bins, coverage):
    claims, correct = _counted(people, bins, coverage)
    assert claimed_records(people, bins, coverage).item() == pytest.approx(claims, abs=1e-12)
    assert people_g_distinct(people, bins, 1, coverage).item() == pytest.approx(correct, abs=1e-12)


def test_precision_of_a_group_has_a_closed_form():
    n, b, c = 150, 365, 0.65
    claims, correct = claimed_records(n, b, c).item(), people_g_distinct(n, b, 1, c).item()
    assert correct / claims == pytest.approx(1 / (1 + (1 - c) * (n - 1) / (b - c)), rel=1e-12)
    # a simulation of this group gave 85.56, 74.75 and 0.8737
    assert (round(claims, 2), round(correct, 2), round(correct / claims, 4)) == (85.46, 74.76, 0.8748)


def test_with_a_list_of_everyone_every_claim_is_correct():
    n = np.array([0, 1, 2, 200, 10_000])
    np.testing.assert_allclose(claimed_records(n, 365), people_g_distinct(n, 365, 1), rtol=1e-12)


def test_a_coverage_above_one_is_refused():
    with pytest.raises(InputError, match="coverage"):
        claimed_records(3, 2, 1.1)
