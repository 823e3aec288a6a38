from __future__ import annotations

import numpy as np
import pytest

from policy_sim.errors import InputError
from policy_sim.population.people_table import PeopleTable
from policy_sim.render.explorer.packed_people import CONTEXTS, context_of, foretold, packed_people


def _table(people):
    counties = tuple(f"{i:05d}" for i in range(len(people)))
    ages = tuple((age, 1) for age in range(people.shape[-1]))
    return PeopleTable(counties, ("DE",) * len(people), ages, people)


def test_nothing_foretold_looks_ahead():
    rng = np.random.default_rng(0)
    people = rng.integers(0, 50, (2, 2, 7, 9))
    before = foretold(people)
    later = people.copy()
    later[:, 1, 3, 5] += 1000
    changed = np.argwhere(foretold(later) != before)
    assert set(map(tuple, changed[:, 1:])) == {(1, 3, 6), (1, 3, 7), (1, 3, 8)}


def test_contexts_grow_with_what_is_expected():
    contexts = context_of(np.arange(300_000))
    assert (np.diff(contexts) >= 0).all()
    assert contexts.max() < CONTEXTS


def test_lengths_add_up_to_the_bytes():
    people = np.random.default_rng(1).poisson(3, (5, 2, 7, 20))
    packed = packed_people(_table(people))
    assert np.frombuffer(packed["lengths"], "<u2").sum() == len(packed["people"])
    assert len(packed["chances"]) == 2 * 256 * CONTEXTS


def test_more_people_than_fit_are_refused():
    people = np.zeros((1, 2, 7, 3), dtype=np.int64)
    people[0, 0, 0, 1] = 70_000
    with pytest.raises(InputError, match="70,000"):
        packed_people(_table(people))
