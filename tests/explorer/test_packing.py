"""What is written is read back; the reader here is written from the description alone."""

from __future__ import annotations

import base64
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from policy_sim.explorer.page import (
    BITS,
    CONTEXTS,
    ESCAPE,
    GRID,
    Coder,
    context_of,
    foretold,
    in_text,
    packed_listing,
    packed_people,
    packed_shapes,
    packed_zips,
    signed,
    state_labels,
    upright_turns,
    varints,
)
from policy_sim.files.boundaries import load_boundaries
from policy_sim.people.county_tables import PeopleTable
from policy_sim.people.zips import zip_parts
from policy_sim.words.errors import InputError


def read(stream: bytes, contexts, frequency) -> list[int]:
    """Read one stream."""
    start = np.cumsum(frequency, axis=1) - frequency
    state, at, numbers = int.from_bytes(stream[:4], "big"), 4, []

    def take(first, width):
        nonlocal state, at
        state = width * (state >> BITS) + (state & 4095) - first
        while state < 1 << 23:
            state, at = state << 8 | stream[at], at + 1

    for context in contexts:
        symbol = int(np.flatnonzero(start[context] <= (state & 4095))[-1])
        while not frequency[context, symbol]:
            symbol -= 1
        take(int(start[context, symbol]), int(frequency[context, symbol]))
        if symbol == ESCAPE:
            symbol = 0
            for _ in range(2):
                byte = (state & 4095) // 16
                take(byte * 16, 16)
                symbol = symbol * 256 + byte
        numbers.append(symbol)
    assert at == len(stream)
    return numbers


@settings(max_examples=5)
@given(st.integers(0, 2**32))
@example(0)
def test_what_is_written_is_read_back(seed):
    rng = np.random.default_rng(seed)
    contexts = rng.integers(0, 3, (7, 400))
    numbers = np.minimum(rng.geometric(0.02 + 0.3 * contexts) - 1, 65_535)
    numbers[rng.random(numbers.shape) < 0.02] = 60_000
    numbers[0, :3] = 254, 255, 256
    coder = Coder.for_numbers(numbers, contexts, 4)
    for stream, row, context in zip(coder.encode(numbers, contexts), numbers, contexts, strict=True):
        assert read(stream, context, coder.frequency) == row.tolist()


@pytest.mark.slow
def test_the_size_is_near_the_entropy():
    nothing = np.zeros((2, 1000), dtype=np.int64)  # one symbol alone takes no room
    assert [len(stream) for stream in Coder.for_numbers(nothing, nothing, 1).encode(nothing, nothing)] == [4, 4]
    rng = np.random.default_rng(1)
    numbers = rng.poisson(4.0, (10, 5000))
    _, counts = np.unique(numbers, return_counts=True)
    chance = counts / counts.sum()
    entropy = -(chance * np.log2(chance)).sum() * numbers.size / 8
    contexts = np.zeros_like(numbers)
    written = sum(len(s) for s in Coder.for_numbers(numbers, contexts, 1).encode(numbers, contexts))
    assert entropy < written < 1.01 * entropy + 60


def test_frequencies_fill_the_whole_and_reach_every_symbol():
    rng = np.random.default_rng(2)
    numbers = np.concatenate([np.zeros(100_000, dtype=np.int64), rng.integers(0, 300, 500)])[None, :]
    coder = Coder.for_numbers(numbers, np.zeros_like(numbers), 2)
    assert coder.frequency.sum(axis=1).tolist() == [4096, 4096]
    assert (coder.frequency[0, np.unique(np.minimum(numbers, 255))] > 0).all()


def whole_numbers(packed):
    """Read numbers of seven bits to a byte, the smallest first."""
    value, scale = 0, 1
    for byte in packed:
        value += (byte & 127) * scale
        scale *= 128
        if byte < 128:
            yield value
            value, scale = 0, 1


@given(st.lists(st.integers(0, 2**40)), st.sets(st.integers(-(10**6), 10**6)))
@example([0, 1, 127, 128, 16_383, 16_384, 2**31], set(range(-100, 101)))
def test_numbers_are_read_back_and_signs_are_folded_one_to_one(numbers, of_either_sign):
    assert list(whole_numbers(varints(numbers))) == numbers
    folded = {number: signed(number) for number in of_either_sign}
    assert all(number == (-(code + 1) // 2 if code % 2 else code // 2) for number, code in folded.items())
    assert set(map(signed, range(-100, 101))) == set(range(201))


@given(st.binary(max_size=40))
@example(b"\xff" * 7)
def test_bytes_as_text_are_read_back_and_end_no_script(packed):
    text = in_text(packed)
    assert base64.b85decode(text.replace(",", "<")) == packed
    assert "<" not in text


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


def _read(packed, many):
    numbers = whole_numbers(packed)
    whole = lambda: next(numbers)  # noqa: E731
    step = lambda: (lambda value: -(value + 1) // 2 if value % 2 else value // 2)(whole())  # noqa: E731
    shapes = []
    for _ in range(many):
        x = y = 0
        rings = []
        for _ in range(whole()):
            ring = []
            for _ in range(whole()):
                x, y = x + step(), y + step()
                ring.append((x, y))
            rings.append(np.array(ring))
        shapes.append(rings)
    assert next(numbers, None) is None
    return shapes


@pytest.mark.slow
@pytest.mark.parametrize("level", GRID)
def test_every_shape_keeps_its_place_and_area(level):
    shapely = pytest.importorskip("shapely")
    codes, packed = packed_shapes(level)
    frame = load_boundaries(level)
    assert list(codes) == list(frame.index)
    grid = GRID[level]
    for code, rings, shape in zip(codes, _read(packed, len(codes)), frame["geometry"], strict=True):
        drawn = shapely.Polygon(rings[0] * grid) if len(rings) == 1 else None
        x, y = np.concatenate(rings).T * grid
        near = 6_000 if level == "state" else 2_500
        assert np.allclose([x.min(), y.min(), x.max(), y.max()], shape.bounds, atol=near) or len(rings) > 1, code
        if drawn is not None and shape.area > 2e9:
            assert drawn.area == pytest.approx(shape.area, rel=0.05), code


def test_labels_and_turns_are_those_of_the_maps():
    assert len(state_labels()) == len(load_boundaries("state"))
    turns = upright_turns()
    assert turns["15"] == 0
    assert turns["53"] < 0 < turns["23"] or turns["23"] < 0 < turns["53"]


def test_every_part_is_read_back():
    parts = zip_parts("us-2020")
    counties = sorted(set(parts["county"].astype(str)))[::7]
    numbers = whole_numbers(packed_zips(counties, parts))
    found = []
    for county in counties:
        code = 0
        for _ in range(next(numbers)):
            code += next(numbers)
            found.append((county, f"{code:05d}", next(numbers)))
    held = parts[(parts["people"] > 0) & parts["county"].isin(counties)].sort_values(["county", "zip5"])
    assert found == list(held[["county", "zip5", "people"]].itertuples(index=False, name=None))
    assert next(numbers, None) is None


def test_without_parts_there_is_nothing():
    assert packed_zips(["10001"], None) == b""
    assert packed_zips(["10001"], pd.DataFrame({"county": [], "zip5": [], "people": []})) == b"\0"


def test_every_county_has_its_residents_and_the_records_of_people_who_left():
    listed, stale = np.array([0, 127, 700_000]), np.array([0, 128, 3])
    numbers = whole_numbers(packed_listing(SimpleNamespace(listed=listed, stale=stale)))
    assert list(numbers) == [0, 0, 127, 128, 700_000, 3]
