from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.binning import bins_of_size, people_by_bin_size, people_g_distinct
from policy_sim.errors import InputError

# Below this the last terms of a running sum are not normal numbers any more.
NORMAL = 1e-290


def test_by_hand():
    """Three people in 2 bins: 2 throws of 8 keep all together, 6 leave one alone and two together."""
    sizes = people_by_bin_size([3, 0, 1], [2, 2, 365], 4).toarray()
    np.testing.assert_allclose(sizes, [[0.75, 1.5, 0.75, 0], [0, 0, 0, 0], [1, 0, 0, 0]], rtol=1e-15)


def test_one_bin_holds_everyone():
    sizes = people_by_bin_size([2, 5, 9], 1, 5).toarray()
    np.testing.assert_array_equal(sizes, [[0, 2, 0, 0, 0], [0, 0, 0, 0, 5], [0, 0, 0, 0, 0]])


@pytest.mark.parametrize("coverage", [1.0, 0.75, 0.01])
@pytest.mark.parametrize(
    ("people", "bins"),
    [(2, 1e7), (7, 3), (200, 365), (5000, 1.5), (900, 1), (10**5, 365.25), (10**6, 365.0), (10**9, 1e7)],
)
def test_running_sum_is_g_distinct(people, bins, coverage):
    top = 6000
    swept = np.cumsum(people_by_bin_size(people, bins, top, coverage).toarray())
    direct = people_g_distinct(people, bins, np.arange(1, top + 1), coverage)
    np.testing.assert_allclose(swept, direct, rtol=1e-11, atol=NORMAL)


def test_terms_are_the_sizes_weighted():
    sizes = np.arange(1, 2501)
    for people, bins in ((200, 365.0), (600_000, 365.25)):
        terms = people_by_bin_size(people, bins, 2500).toarray()[0]
        direct = sizes * bins_of_size(people, bins, sizes)
        # what is left out of the upper tail is below 1e-20 of the people
        np.testing.assert_allclose(terms, direct, rtol=1e-11, atol=1e-20 * people)


@given(
    st.lists(st.tuples(st.integers(0, 800), st.sampled_from([1.0, 1.1, 2.0, 12.0, 365.25, 1e6])), max_size=6),
    st.floats(0, 1),
)
def test_everyone_listed_is_in_some_bin(groups, coverage):
    people, bins = (np.array([group[i] for group in groups], dtype=float) for i in (0, 1))
    total = people_by_bin_size(people, bins, 801, coverage).sum(axis=1)
    np.testing.assert_allclose(total, people * coverage, rtol=1e-12)


def test_bad_input_is_refused():
    with pytest.raises(InputError, match=r"^g_max = 0 must be a whole number of 1 or more\.$"):
        people_by_bin_size([3], [2], 0)
