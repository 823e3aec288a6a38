"""What the page holds: people and maps are read back as they were, facts are those of the lists and policies."""

from __future__ import annotations

import base64
import itertools
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from policy_sim.attackers.files import load_resource
from policy_sim.explorer.packing import (
    BITS,
    CONTEXTS,
    ESCAPE,
    GRID,
    Coder,
    context_of,
    foretold,
    in_text,
    packed_areas,
    packed_listing,
    packed_people,
    packed_shapes,
    packed_zips,
    signed,
    state_labels,
    upright_turns,
    varints,
)
from policy_sim.explorer.page import ExplorerFile, explorer_facts, file_facts, model_error_facts
from policy_sim.files.area_tables import area_table
from policy_sim.files.boundaries import load_boundaries
from policy_sim.model.model_error import errors_of
from policy_sim.people.county_tables import PeopleTable
from policy_sim.people.population import Population
from policy_sim.people.zips import zip_parts
from policy_sim.study.study import explorer_content, hispanics_of
from policy_sim.words.errors import InputError

# Numbers and shapes as bytes; the reader here is written from the description alone.


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


def test_nothing_foretold_looks_ahead_and_contexts_grow_with_what_is_expected():
    people = np.random.default_rng(0).integers(0, 50, (2, 2, 7, 9))
    later = people.copy()
    later[:, 1, 3, 5] += 1000
    changed = np.argwhere(foretold(later) != foretold(people))
    assert set(map(tuple, changed[:, 1:])) == {(1, 3, 6), (1, 3, 7), (1, 3, 8)}
    contexts = context_of(np.arange(300_000))
    assert (np.diff(contexts) >= 0).all()
    assert contexts.max() < CONTEXTS


def test_lengths_add_up_to_the_bytes_and_more_people_than_fit_are_refused():
    packed = packed_people(_table(np.random.default_rng(1).poisson(3, (5, 2, 7, 20))))
    assert np.frombuffer(packed["lengths"], "<u2").sum() == len(packed["people"])
    assert len(packed["chances"]) == 2 * 256 * CONTEXTS
    with pytest.raises(InputError, match="70,000"):
        packed_people(_table(np.full((1, 2, 7, 3), 70_000)))


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


def test_the_area_of_each_zip_code_is_read_back():
    """By numbers: two ZIP codes have one number where they are in one area."""
    parts = zip_parts("us-2010")  # some of its ZIP codes have no area
    counties = sorted(set(parts["county"].astype(str)))[::7]
    held = parts[(parts["people"] > 0) & parts["county"].isin(counties)]
    zips = sorted(set(held["zip5"].astype(str)))
    numbers = whole_numbers(packed_areas(counties, parts, ["area:20000", "area:100000"]))
    for place in ("area:20000", "area:100000"):
        areas = [area_table(place).of_zip.get(code) for code in zips]
        found = np.cumsum(
            [(step + 1) // -2 if step % 2 else step // 2 for step in itertools.islice(numbers, len(zips))]
        )
        assert [number == 0 for number in found.tolist()] == [area is None for area in areas]
        assert 0 < areas.count(None) < len(set(zip(areas, found.tolist(), strict=True))) == len(set(areas))
    assert next(numbers, None) is None
    assert packed_areas(counties, None, []) == b""


def test_without_parts_there_is_nothing_and_every_county_has_its_listed_residents():
    assert packed_zips(["10001"], None) == b""
    assert packed_zips(["10001"], pd.DataFrame({"county": [], "zip5": [], "people": []})) == b"\0"
    listed, stale = np.array([0, 127, 700_000]), np.array([0, 128, 3])  # residents, and records of people who left
    numbers = whole_numbers(packed_listing(SimpleNamespace(listed=listed, stale=stale)))
    assert list(numbers) == [0, 0, 127, 128, 700_000, 3]


# The facts in the page, which JSON can hold.


@pytest.fixture(scope="module")
def found(study):
    return json.loads(json.dumps(explorer_facts(explorer_content(study)), allow_nan=False))


def test_people_of_states_conditions_of_policies_and_measured_errors_are_there(found, study):
    assert {state["code"]: state["people"] for state in found["states"]} == study.people.people_by_state()
    assert set(found["counties"]["drawn"].values()) <= set(found["counties"]["code"])
    tops = {policy["name"]: policy["top"] for policy in found["policies"]}
    assert (tops["safe-harbor-without-zip"], tops["safe-harbor-paper"]) == (90, None)
    errors = found["modelErrors"]
    assert set(errors["counted"]) <= set(study.people.states)
    assert 0 < errors["byKey"]["gender+race+birth=date+geography=county"]["total-risk"] < 0.1


def test_every_list_has_its_fields_and_each_fact_its_sources(found, study):
    lists = study.unrestricted_voter.voter_lists.lists
    assert set(found["lists"]) == {state["code"] for state in found["states"]} & set(lists)
    for code, each in found["lists"].items():
        listed = lists[code]
        assert each["fields"] == {name: [f.availability, f.granularity] for name, f in listed.fields.items()}
        assert each["price"]["kind"] == listed.price.kind
        for _, _, _, _, sources, _ in each["facts"]:
            assert all(0 <= number < len(found["sources"]) for number in sources)
    ohio = {fact[0]: fact for fact in found["lists"]["OH"]["facts"]}
    titles = {found["sources"][number][0] for number in ohio["birth"][4]}
    evidence = lists["OH"].fields["birth"].evidence
    assert titles == {lists["OH"].sources[key].title for key in evidence.sources}


def test_files_have_their_fields_ages_and_sources(found):
    texas = next(file for file in found["files"] if file["name"] == "texas-birth-index")
    assert texas["states"] == ["TX"]
    assert texas["fields"]["birth"] == ["included", "date"]
    assert texas["ages"] == [10, 116]  # born in 1903 to 2010, on the day of the census of 2020
    assert (texas["shares"][0], texas["shares"][-1], len(texas["shares"])) == (0.0, 1.0, 14)
    assert texas["listed"] == {"TX": 15_000_000}
    assert any("181.23" in source for *_, source, _ in texas["facts"])


def test_a_known_share_is_one_and_one_between_two_ends_is_tried_from_the_least_to_the_greatest():
    file = load_resource("texas-birth-index").changed("TX", {"share": "0.4"})
    facts = file_facts(ExplorerFile(file, (10, 116)))
    assert facts["shares"] == [0.4]
    assert facts["listed"] is None
    facts = file_facts(ExplorerFile(load_resource("denton-county-tax-roll"), (0, None)))
    assert facts["shares"] == sorted(facts["shares"])
    assert (facts["shares"][0], facts["shares"][-1]) == (0.0, 0.0312)
    assert facts["price"]["kind"] == "free"


def test_errors_are_by_the_words_of_a_key(study):
    errors = errors_of(study.people.provenance)
    by_key = model_error_facts(errors)["byKey"]
    measured = [sizes for key, sizes in by_key.items() if "county_zip3" not in key]  # those are the larger of two
    assert model_error_facts(None) == {"counted": [], "byKey": {}}
    assert sum(map(len, measured)) == sum(map(len, errors.by_key.values()))


def test_hispanics_are_those_of_a_population_that_tells(study):
    florida = study.people.in_states(["FL"])
    assert hispanics_of(Population(florida.cells, florida.provenance)) is None
    in_columns, on_demand = map(hispanics_of, (florida.with_ethnicity, florida))
    assert in_columns.people.sum() == on_demand.people.sum() == 5_697_240
    assert (in_columns.people == on_demand.people).all()
