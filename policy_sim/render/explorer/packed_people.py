"""The table of people as bytes: each count as its distance from what its neighbors foretell.

The count of an age is foretold by the three ages before it and, for the second sex, by the first. The whole
arithmetic is in whole numbers, so that Python and the browser foretell the same. ``explorer/decode.js`` reads it.
"""

from __future__ import annotations

import numpy as np

from policy_sim.arrays import IntArray
from policy_sim.errors import InputError
from policy_sim.population.people_table import PeopleTable
from policy_sim.render.explorer.entropy_coding import Coder

__all__ = ["CONTEXTS", "context_of", "foretold", "packed_people"]

CONTEXTS = 80
_FINE = 16  # up to here every eighth of a person is a context of its own
_MOST = 65_535  # of a count, and of a distance as a number: both must fit into two bytes


def packed_people(table: PeopleTable) -> dict[str, bytes]:
    """Return the bytes of a table, by name.

    Returns
    -------
    ``chances``: the frequency of each symbol in each context, two bytes each, the smaller first.
    ``lengths``: how many bytes each county takes, two each. ``people``: the counties one after the other.

    Raises
    ------
    InputError : a cell of more people than fit into two bytes, or one that differs too much from its neighbors.
    """
    people = table.people
    eighths = foretold(people)
    distance = people - (eighths + 4 >> 3)
    numbers = np.where(distance < 0, -2 * distance - 1, 2 * distance).reshape(len(people), -1)
    if max(int(people.max(initial=0)), int(numbers.max(initial=0))) > _MOST:
        raise InputError(f"a cell has {int(people.max()):,} people, more than the page can store: use finer cells.")
    contexts = context_of(eighths).reshape(len(people), -1)
    coder = Coder.for_numbers(numbers, contexts, CONTEXTS)
    streams = coder.encode(numbers, contexts)
    return {
        "chances": coder.frequency.astype("<u2").tobytes(),
        "lengths": np.array([len(stream) for stream in streams], dtype="<u2").tobytes(),
        "people": b"".join(streams),
    }


def foretold(people: IntArray) -> IntArray:
    """Return eight times what each count is expected to be, from the counts before it.

    Parameters
    ----------
    people : Shape (counties, sexes, races, ages).

    Examples
    --------
    >>> foretold(np.array([[[[8, 8, 8, 8]], [[0, 0, 0, 0]]]])).tolist()
    [[[[0, 32, 48, 64]], [[32, 32, 32, 32]]]]
    """
    before = np.pad(people, ((0, 0), (0, 0), (0, 0), (3, 0)))
    quarters = 2 * before[..., 2:-1] + before[..., 1:-2] + before[..., :-3]
    eighths = 2 * quarters
    eighths[:, 1:] = quarters[:, 1:] + 4 * people[:, :-1]
    return eighths


def context_of(eighths: IntArray) -> IntArray:
    """Return the context of an expectation: fine near 0, then four to each doubling.

    >>> context_of(np.array([0, 15, 16, 19, 20, 32, 240_000])).tolist()
    [0, 15, 16, 16, 17, 20, 71]
    """
    power = np.frexp(np.maximum(eighths, 1).astype(np.float64))[1].astype(np.int64) - 1
    coarse = _FINE + (power - 4) * 4 + ((eighths >> np.maximum(power - 2, 0)) & 3)
    return np.where(eighths < _FINE, eighths, coarse)
