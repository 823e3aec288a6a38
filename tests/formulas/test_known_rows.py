"""People with several rows, against every subset of every person's rows counted one by one."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.formulas.known_rows import KNOWN, known_rows, smallest_groups
from policy_sim.words.errors import NotEstimableError, UnknownNameError


def counted(rows, known):
    """The smallest group of each person, by every subset of its rows and everybody's."""
    of_person = {}
    for row, person in rows:
        of_person.setdefault(person, []).append(row)

    def subsets(own):
        if known == "all":
            return {("all", *sorted(own))}
        sizes = range(1, int(known) + 1)
        return {tuple(sorted(part)) for size in sizes for part in combinations(own, size)}

    who = Counter(part for own in of_person.values() for part in subsets(own))
    return [min(who[part] for part in subsets(of_person[person])) for person in sorted(of_person)]


PEOPLE = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), min_size=1, max_size=24)


@pytest.mark.parametrize("known", KNOWN)
@given(rows=PEOPLE, seed=st.integers(0, 9))
def test_every_subset_counted(known, rows, seed):
    order = np.random.default_rng(seed).permutation(len(rows))
    classes, person = np.array(rows, dtype=np.int64)[order].T
    assert smallest_groups(classes, person)[known].tolist() == counted(rows, known)


@given(rows=PEOPLE)
def test_nobody_hides_better_from_who_knows_more(rows):
    classes, person = np.array(rows, dtype=np.int64).T
    one, two, every = smallest_groups(classes, person).values()
    assert (every <= two).all()
    assert (two <= one).all()


def test_the_sixteen_people_of_two_rows():
    """Each row is of four people and each person's two rows are nobody else's: k = 4 by one row, 1 by both."""
    rows = np.array([(first, 4 + second) for first in range(4) for second in range(4)]).ravel()
    least = smallest_groups(rows, np.repeat(np.arange(16), 2))
    assert [set(of.tolist()) for of in least.values()] == [{4}, {1}, {1}]


def test_a_long_history_is_compared_to_its_end():
    """Two people of 5,000 rows in 3,000 classes, who differ in the last row only."""
    rng = np.random.default_rng(1)
    rows = np.sort(rng.integers(0, 3000, 5000))
    other = rows.copy()
    other[-1] += 1
    person = np.repeat([0, 1, 2], 5000)
    least = known_rows(np.concatenate([rows, other, rows]), person, "all").least()
    assert least.tolist() == [2, 1, 2]


def test_too_many_pairs_are_not_counted():
    rows, person = np.arange(20), np.zeros(20, dtype=np.int64)
    with pytest.raises(NotEstimableError, match="190 different pairs, more than the 189"):
        known_rows(rows, person, "2", most=189)
    assert known_rows(rows, person, "2", most=190).number == 190 + 20
    assert smallest_groups(rows, person, most=189)["2"] is None


def test_no_rows_and_no_such_number():
    none = np.zeros(0, dtype=np.int64)
    assert [known_rows(none, none, known).number for known in KNOWN] == [0, 0, 0]
    with pytest.raises(UnknownNameError, match="number of known rows"):
        known_rows(none, none, "3")
