"""People, outlines and ZIP code areas as bytes in the page; ``explorer/decode.js`` and ``zip_groups.js`` read them."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.attackers.county_coverage import CountyCoverage
from policy_sim.files.area_tables import NO_AREA, area_table
from policy_sim.files.boundaries import load_boundaries, turn_upright
from policy_sim.people.composition import (
    ADULT_AGES,
    AGE_STARTS,
    FACTOR_STEPS,
    GROUPS,
    MIDDLE_WEIGHT,
    WEIGHT_STEPS,
    AreaFactors,
    group_of_race,
)
from policy_sim.people.county_tables import PeopleTable
from policy_sim.people.population import CATEGORIES
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError

BITS = 12  # chances are multiples of 1/4096
ESCAPE = 255  # the symbol before a number that is too large to be one: two raw bytes follow
_WHOLE = 1 << BITS
_LEAST = 1 << 23  # a state lies in [_LEAST, 256 * _LEAST)
_BYTE = _WHOLE // 256


@dataclass(frozen=True, eq=False)
class Coder:
    """The chance of each symbol in each context, times 4096: whole numbers that add up to 4096 in each context."""

    frequency: IntArray

    @classmethod
    def for_numbers(cls, numbers: IntArray, contexts: IntArray, many: int) -> Coder:
        """Take the chances from the numbers themselves, each in one of ``many`` contexts."""
        symbol = np.minimum(numbers, ESCAPE).reshape(-1)
        counts = np.bincount(contexts.reshape(-1) * 256 + symbol, minlength=many * 256).reshape(many, 256)
        return cls(np.array([_quantized(row) for row in counts]))

    @property
    def start(self) -> IntArray:
        """Sum of the frequencies of the symbols before each one, same shape."""
        return np.cumsum(self.frequency, axis=1) - self.frequency

    def encode(self, numbers: IntArray, contexts: IntArray) -> list[bytes]:
        """Return one string of bytes per stream; ``numbers`` and ``contexts`` have shape (streams, length)."""
        streams, length = numbers.shape
        writer = _Writer(streams, 4 * length + 8)
        start = self.start
        for place in range(length - 1, -1, -1):  # last in, first out
            number, context = numbers[:, place], contexts[:, place]
            symbol = np.minimum(number, ESCAPE)
            for byte in (number & 255, number >> 8):
                writer.put(np.full(streams, _BYTE), byte * _BYTE, symbol == ESCAPE)
            writer.put(self.frequency[context, symbol], start[context, symbol], np.ones(streams, dtype=bool))
        return writer.close()


def _quantized(counts: IntArray) -> IntArray:
    """Return whole numbers that add up to 4096, in proportion to the counts, and at least 1 where there is one."""
    if not counts.sum():
        return np.where(np.arange(len(counts)) == 0, _WHOLE, 0)
    shares = np.where(counts > 0, np.maximum(1, np.round(counts / counts.sum() * _WHOLE)), 0).astype(np.int64)
    while over := int(shares.sum()) - _WHOLE:  # the largest share is at least 16, with 256 symbols in 4096
        most = int(shares.argmax())
        shares[most] -= min(over, int(shares[most]) - 1)
    return shares


class _Writer:
    """States and bytes of all streams; bytes are written backwards."""

    def __init__(self, streams: int, room: int) -> None:
        self._state = np.full(streams, _LEAST, dtype=np.int64)
        self._bytes = np.zeros((streams, room), dtype=np.uint8)
        self._used = np.zeros(streams, dtype=np.int64)

    def put(self, frequency: IntArray, start: IntArray, where: np.ndarray) -> None:
        """Add one symbol to each stream where it is meant."""
        frequency = np.where(where, frequency, 1)
        most = ((_LEAST >> BITS) << 8) * frequency
        while (full := np.flatnonzero(where & (self._state >= most))).size:
            self._bytes[full, self._used[full]] = self._state[full] & 255
            self._used[full] += 1
            self._state[full] >>= 8
        coded = ((self._state // frequency) << BITS) + self._state % frequency + start
        self._state = np.where(where, coded, self._state)

    def close(self) -> list[bytes]:
        """Return the bytes in reading order: the state, then what was written, last first."""
        return [
            int(state).to_bytes(4, "big") + row[:used][::-1].tobytes()
            for state, row, used in zip(self._state, self._bytes, self._used, strict=True)
        ]


def in_text(packed: bytes) -> str:
    """Write bytes as text that may stand in a script of a page: base 85, five characters for four bytes.

    >>> in_text(b"four")
    'W^Z+J'
    """
    return base64.b85encode(packed).decode().replace("<", ",")  # a script may end, or begin a comment, at <


def varints(numbers: Iterable[int]) -> bytes:
    """Write numbers >= 0, seven bits to a byte, the smallest first; the high bit says that more follow.

    >>> list(varints([5, 300]))
    [5, 172, 2]
    """
    out = bytearray()
    for number in numbers:
        left = number
        while left > 127:
            out.append(left & 127 | 128)
            left >>= 7
        out.append(left)
    return bytes(out)


def signed(number: int) -> int:
    """Return a number >= 0 that stands for a number of either sign: 0, -1, 1, -2 are 0, 1, 2, 3.

    >>> [signed(number) for number in (0, -1, 1, -2)]
    [0, 1, 2, 3]
    """
    return -2 * number - 1 if number < 0 else 2 * number


# The table of people as bytes: each count as its distance from what its neighbors predict.
#
# The count of an age is foretold by the three ages before it and, for the second sex, by the first. The whole
# arithmetic is in whole numbers, so that Python and the browser predict the same. ``explorer/decode.js`` reads it.


CONTEXTS = 80
_FINE = 16  # up to here every eighth of a person is a context of its own
_MOST = 65_535  # of a count, and of a distance as a number: both must fit into two bytes


def packed_people(table: PeopleTable) -> dict[str, bytes]:
    """Return the bytes of a table: ``people``, one county after the other, and how to read them.

    ``chances`` are the frequency of each symbol in each context, ``lengths`` how many bytes each county takes; both in
    two bytes each, the smaller first.
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
    """Return eight times what each count is expected to be; shape (counties, sexes, races, ages)."""
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


GRID = {"state": 1500.0, "county": 300.0}  # meters on the page to one step
_UNSEEN = {"state": 3000.0, "county": 700.0}  # meters: what is left out of an outline, so that neighbors still meet


def packed_shapes(level: str) -> tuple[Sequence[str], bytes]:
    """Return codes and outlines of a level: rings, points, and steps east and north on a grid of ``GRID`` meters."""
    import shapely

    frame = load_boundaries(level)
    shapes = shapely.normalize(shapely.coverage_simplify(frame["geometry"].to_numpy(), _UNSEEN[level]))
    return [str(code) for code in frame.index], varints(
        number for shape in shapes for number in steps_of(_rings(shape, GRID[level]))
    )


def state_labels() -> list[list[int]]:
    """Return where the label of each state has most room, meters on the page, in the order of its shapes."""
    frame = load_boundaries("state")
    return [[round(x), round(y)] for x, y in zip(frame["label_x"], frame["label_y"], strict=True)]


def upright_turns() -> dict[str, float]:
    """Return the angle (radians) that turns each state upright, by the two digits of its FIPS code."""
    codes: dict[str, list[str]] = {}
    for code in load_boundaries("county").index:
        codes.setdefault(str(code)[:2], []).append(str(code))
    return {state: turn_upright(counties) for state, counties in codes.items()}


def _rings(shape: Any, grid: float) -> list[np.ndarray]:
    """Return the rings of a (multi)polygon on the grid, without points that fall together; tiny ones go."""
    import shapely

    rings = []
    for ring in shapely.get_rings(shapely.get_parts(shape)):
        points = np.round(shapely.get_coordinates(ring) / grid).astype(np.int64)
        moved = np.append(True, (np.diff(points, axis=0) != 0).any(axis=1))
        points = points[moved]
        rings.append(points[:-1] if len(points) > 1 else points)  # a ring closes itself
    whole = [ring for ring in rings if len(ring) > 2]
    return whole or rings[:1]


def steps_of(rings: Sequence[np.ndarray]) -> Iterator[int]:
    """Yield the numbers of one shape, each >= 0."""
    yield len(rings)
    x = y = 0
    for ring in rings:
        yield len(ring)
        for east, north in ring.tolist():
            yield signed(east - x)
            yield signed(north - y)
            x, y = east, north


def packed_zips(counties: Sequence[str], parts: pd.DataFrame | None) -> bytes:
    """Return, for each county, how many areas it has, and the step to each code and its people; empty without parts."""
    if parts is None:
        return b""
    held = parts[parts["people"] > 0].sort_values(["county", "zip5"])
    by_county = {str(county): rows for county, rows in held.groupby("county", observed=True)}
    numbers: list[int] = []
    for county in counties:
        rows = by_county.get(county)
        numbers.append(0 if rows is None else len(rows))
        if rows is not None:
            steps = np.diff(rows["zip5"].astype(int).to_numpy(), prepend=0)
            numbers += np.stack([steps, rows["people"].to_numpy()], axis=1).ravel().tolist()
    return varints(numbers)


def packed_areas(counties: Sequence[str], parts: pd.DataFrame | None, kinds: Sequence[str]) -> bytes:
    """Return, for each kind of area, the step of its number from each ZIP code that ``packed_zips`` has to the next.

    0 is no area. The numbers follow the ZIP codes: neighbors in the order of the code are often in areas alike.
    """
    if parts is None:
        return b""
    held = parts[(parts["people"] > 0) & parts["county"].isin(counties)]
    zips = np.unique(held["zip5"].astype(str).to_numpy(dtype=np.str_))
    numbers: list[int] = []
    for kind in kinds:
        found = area_table(kind).areas_of(zips)
        number = {area: at for at, area in enumerate(dict.fromkeys([NO_AREA, *found.tolist()]))}
        numbers += map(signed, np.diff([number[area] for area in found.tolist()], prepend=0).tolist())
    return varints(numbers)


def packed_factors(counties: Sequence[str], parts: pd.DataFrame | None, factors: AreaFactors | None) -> bytes:
    """Return the bytes of the factors by column, ZIP code by ZIP code, and the two bytes of the weight of each part.

    ZIP codes and parts are in the order of ``packed_areas`` and ``packed_zips``. ``factors``: a row for each part.
    """
    if parts is None or factors is None:
        return b""
    turn = {county: at for at, county in enumerate(counties)}
    rows = parts.assign(row=range(len(parts)), turn=parts["county"].astype(str).map(turn))
    rows = rows[(rows["people"] > 0) & rows["turn"].notna()].sort_values(["turn", "zip5"])
    by_zip = rows.drop_duplicates("zip5").sort_values("zip5")["row"].to_numpy()
    steps = factors.weights[rows["row"].to_numpy()].astype(np.int64) - MIDDLE_WEIGHT
    folded = np.where(steps < 0, -2 * steps - 1, 2 * steps)
    weights = np.stack([folded & 255, folded >> 8]).astype(np.uint8)
    return bytes(factors.codes[by_zip].T.tobytes() + weights.tobytes())


def factor_facts() -> dict[str, Any]:
    """Return which factors people have, and what their bytes stand for."""
    return {
        "ages": AGE_STARTS,
        "adult": ADULT_AGES,
        "groups": len(GROUPS),
        "groupOf": {race: group_of_race(race) for race in CATEGORIES["race"]},
        "steps": [FACTOR_STEPS, WEIGHT_STEPS],
    }


def packed_listing(coverage: CountyCoverage) -> bytes:
    """Return, for each county, its listed residents and its stale records."""
    return varints(np.stack([coverage.listed, coverage.stale], axis=1).ravel().tolist())
