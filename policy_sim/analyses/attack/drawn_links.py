"""Links of the records of a release with people on a list, drawn at random among those who show the same key.

Nothing here shares code with the formulas.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policy_sim.analyses.attack.drawn_lists import Listed
from policy_sim.arrays import IntArray

__all__ = ["Sides", "link", "sides_of"]


@dataclass(frozen=True, eq=False)
class Sides:
    """The two sides that are linked, as places among the people: records of the release, people on the list."""

    records: IntArray
    people: IntArray


def sides_of(lists: Listed | None, released: IntArray, everyone: int, *, is_file: bool) -> Sides:
    """Return whose records are linked and with whom.

    Parameters
    ----------
    lists : Who can be on the attacker's lists, and who is; None: everyone.
    released : Whose records are released.
    everyone : Number of people.
    is_file : Whether the attacker knows who of its list is among them.
    """
    if lists is None:
        return Sides(released, released if is_file else np.arange(everyone))
    records = released[lists.possible[released]]
    return Sides(records, records[lists.listed[records]] if is_file else np.flatnonzero(lists.listed))


def link(key: IntArray, sides: Sides, rng: np.random.Generator) -> tuple[int, int, int]:
    """Link every record to a random person on the list who shows the same key, and count.

    Parameters
    ----------
    key : What each of the people shows, a number.
    sides : Records and listed people.

    Returns
    -------
    Right links; records claimed (exactly one listed person shows their key); those claimed rightly.
    """
    _, bin_of = np.unique(key, return_inverse=True)
    listed = bin_of[sides.people]
    by_bin = sides.people[np.argsort(listed, kind="stable")]
    size = np.bincount(listed, minlength=int(bin_of.max(initial=0)) + 1)
    first = np.cumsum(size) - size
    mine = bin_of[sides.records]
    many = size[mine]
    place = first[mine] + rng.integers(0, np.maximum(many, 1))
    correct = (many > 0) & (by_bin[np.minimum(place, len(by_bin) - 1)] == sides.records) if len(by_bin) else many > 0
    claimed = many == 1
    return int(correct.sum()), int(claimed.sum()), int((correct & claimed).sum())
