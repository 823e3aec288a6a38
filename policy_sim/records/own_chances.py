"""How the risk of a file is spread over its people: the mean of their own chances, and what few of them exceed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.formulas.match_levels import upper_percentile
from policy_sim.people.places import AGE_BANDS
from policy_sim.words.arrays import FloatArray

if TYPE_CHECKING:
    from policy_sim.records.score import FileScore

MIN_GROUP = 11  # people: smaller groups of a file are not named
SMALL_GROUPS = "smaller groups"
_TEXTS = ("attacker", "state", "by", "value", "status", "reason")
_FIGURES = ("mean", "mean_high", "percentile_95", "percentile_95_high", "largest", "largest_high")


def own_chance_frame(scores: Sequence[FileScore], rows: pd.DataFrame) -> pd.DataFrame:
    """Return how the chance of a correct match is spread over the people of the file, and of its parts.

    ``rows`` has a row per class of the file, as the scores have them. Returns one row per attacker, state and part of
    the file: everyone (``by`` is ``all``), and each race, sex and class of ages, as far as the file shows them and
    names them by words of the census. ``mean`` and ``percentile_95`` (0..1) are over people: fewer than 5% of them
    have a larger chance than ``percentile_95``. Parts of fewer than :data:`MIN_GROUP` people are put together, without
    their name.
    """
    parts = dict(_parts(rows))
    table = pd.DataFrame(
        [row for score in scores for row in _rows_of(score, parts)],
        columns=["attacker", "state", "by", "value", "records", *_FIGURES, "status", "reason"],
    )
    return table.astype({n: "string" if n in _TEXTS else "Int64" if n == "records" else "Float64" for n in table})


def _parts(rows: pd.DataFrame) -> Iterator[tuple[str, np.ndarray]]:
    """Yield a name of parts and the part of each class, empty where it is not known."""
    yield "all", np.full(len(rows), "all", dtype=object)
    for name in ("race", "sex"):
        if name in rows:
            yield name, np.array([str(value) if isinstance(value, str) else "" for value in rows[name]], dtype=object)
    if "age" in rows:
        names = [f"{low}-{high - 1}" for low, high in pairwise(AGE_BANDS)] + [f"{AGE_BANDS[-1]} and over"]
        place = [-1 if pd.isna(age) else int(np.searchsorted(AGE_BANDS, age, side="right")) - 1 for age in rows["age"]]
        yield "age", np.array([names[at] if at >= 0 else "" for at in place], dtype=object)


def _rows_of(score: FileScore, parts: Mapping[str, np.ndarray]) -> Iterator[dict[str, Any]]:
    facts = {"attacker": score.attacker, "state": score.state, "status": score.status, "reason": score.reason}
    if score.own is None:
        yield facts | {"by": "all", "value": "all", "records": score.records}
        return
    for by, part_of_class in parts.items():
        people = score.own[0].people
        counted = {str(value): int(people[part_of_class == value].sum()) for value in dict.fromkeys(part_of_class)}
        small = [value for value, many in counted.items() if value and 0 < many < MIN_GROUP and by != "all"]
        named = [(value, [value]) for value in sorted(counted) if value and counted[value] and value not in small]
        for name, values in [*named, *([(SMALL_GROUPS, small)] if small else [])]:
            some = np.isin(part_of_class, values)
            row = facts | {"by": by, "value": name, "records": sum(counted[value] for value in values)}
            for end, suffix in zip(score.own, ("", "_high"), strict=True):
                row |= _figures(end.chance[some], end.people[some], suffix)
            yield row


def _figures(chance: FloatArray, people: FloatArray, suffix: str) -> dict[str, float | None]:
    held = people > 0
    chance, people = chance[held], people[held]
    if not people.sum():
        return {}
    return {
        f"mean{suffix}": float((chance * people).sum() / people.sum()),
        f"percentile_95{suffix}": upper_percentile(chance, people),
        f"largest{suffix}": float(chance.max()),
    }
