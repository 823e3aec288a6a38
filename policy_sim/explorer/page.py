"""One page that computes in the reader's browser, and the people packed into it."""

from __future__ import annotations

import base64
import html
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.attackers import StateVoterLists
from policy_sim.attackers.county_coverage import RANGE, CountyCoverage, RegisteredCoverage
from policy_sim.attackers.files import resource_facts_frame
from policy_sim.attackers.resource import IdentifiedFile
from policy_sim.files.area_tables import NO_AREA, SHIPPED_SIZES, area_table
from policy_sim.files.boundaries import APEX, load_boundaries, place_counties, turn_upright
from policy_sim.files.evidence import Source
from policy_sim.model.model_error import DECLARED_PLACES, ModelErrors
from policy_sim.model.profile import ONE_PERSON
from policy_sim.people.county_tables import PeopleTable
from policy_sim.people.population import CATEGORIES, Provenance
from policy_sim.policies.policy import Policy, PolicyByState
from policy_sim.show.document.markup import filled
from policy_sim.voter_lists.facts import facts_of
from policy_sim.voter_lists.list_field import RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError, OutputError
from policy_sim.words.fields import (
    AXES,
    CENSUS_FIELDS,
    COMPARED,
    GRANULARITIES,
    MAKES_AREAS,
    OF_AN_AREA,
    ORDERS,
    RACE_ALONE,
    Field,
)
from policy_sim.words.states import STATES, neighbors

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


def packed_listing(coverage: CountyCoverage) -> bytes:
    """Return, for each county, its listed residents and its stale records."""
    return varints(np.stack([coverage.listed, coverage.stale], axis=1).ravel().tolist())


PRICE_AMOUNTS = (
    *("kind", "base_usd", "usd_per_record", "free_records", "usd_per_county", "usd_per_town"),
    *("min_usd", "max_usd", "quoted_usd", "note"),
)


@dataclass(frozen=True, eq=False)
class ExplorerFile:
    """A file that an attacker may hold, with the least and the greatest age of the page's people who may be in it."""

    file: IdentifiedFile
    ages: tuple[int, int | None]


def file_facts(held: ExplorerFile) -> dict[str, Any]:
    """Return a file as what JSON can hold; ``shares`` are those that are tried, from the least to the greatest."""
    file, coverage = held.file, held.file.coverage
    shares = [1.0]
    if coverage is not None:
        least, most = coverage.ends
        tried = [least, *reversed(coverage.between), most] if not coverage.is_known else [most]
        shares = [item.most_share for item in tried]
    facts = resource_facts_frame(file).drop(columns="name")
    return {
        **{name: getattr(file, name) for name in ("name", "title", "kind", "states", "place", "status", "vintage")},
        "fields": _fields(file),
        "ages": held.ages,
        "shares": shares,
        "listed": dict(coverage.registered) if coverage is not None and coverage.registered else None,
        "people": "everyone" if coverage is None else coverage.title,
        **_terms(file),
        "facts": facts.fillna("").to_numpy().tolist(),
    }


def _fields(file: IdentifiedFile | VoterList) -> dict[str, list[str]]:
    return {name: [fact.availability, fact.granularity] for name, fact in file.fields.items()}


def _terms(file: IdentifiedFile | VoterList) -> dict[str, Any]:
    """Return what a file costs, and who may have it."""
    price = {name: value for name, value in asdict(file.price).items() if name in PRICE_AMOUNTS}
    return {"price": price, "buyers": file.buyers.names}


def model_error_facts(errors: ModelErrors | None) -> dict[str, Any]:
    """Return the measured relative errors by key and measure, and the states where everyone is counted."""
    if errors is None:
        return {"counted": [], "byKey": {}}
    keys = dict.fromkeys(key.replace(geography=place) for place in DECLARED_PLACES for key in errors.by_key)
    by_key = {
        str(key): {str(measure): error for measure, error in sorted(measured.items(), key=str)}
        for key in keys
        if (measured := errors.measured(key))
    }
    return {"counted": sorted(errors.counted), "byKey": by_key}


@dataclass(frozen=True, eq=False)
class RangeEnd:
    """Another assumption about the records of the lists; None: the page finds who is ``listed`` by itself."""

    name: str
    listed: CountyCoverage | None
    states: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ExplorerContent:
    """Everything that goes into the page.

    ``zip_parts`` has ``county``, ``zip5`` and ``people`` of each part of a ZIP code area; None where there is none.
    ``hispanics`` has the Hispanics of some states in the same ages; None where nobody counts them. Policies stand in
    the order shown. ``listed`` says who is on the lists by county and age, in the order of the table,
    ``registered`` where that is from and what the survey says instead, and ``range_ends`` what else may be assumed.
    There are no ``model_errors`` where all people are counted, or nothing was measured.
    """

    table: PeopleTable
    hispanics: PeopleTable | None
    zip_parts: pd.DataFrame | None
    population: Provenance
    policies: tuple[Policy, ...]
    lists: StateVoterLists
    listed: CountyCoverage
    registered: RegisteredCoverage
    range_ends: tuple[RangeEnd, ...]
    files: tuple[ExplorerFile, ...]
    model_errors: ModelErrors | None
    days_per_year: float
    notes: tuple[str, ...]
    citation: str


def explorer_facts(content: ExplorerContent) -> dict[str, Any]:
    """Return the facts as what JSON can hold."""
    table, people = content.table, content.population
    lists, survey = content.lists.lists, content.registered.survey
    cited = dict.fromkeys(_cited(item) for listed in lists.values() for item in listed.sources.values())
    sources = {source: number for number, source in enumerate(cited)}
    by_state = dict.fromkeys(dict.fromkeys(table.states), 0)
    areas = [] if content.zip_parts is None else [f"area:{size}" for size in SHIPPED_SIZES]
    for state, number in zip(table.states, table.people.sum(axis=(1, 2, 3)).tolist(), strict=True):
        by_state[state] += number
    return {
        "version": version("policy-sim"),
        "population": {
            **{name: getattr(people, name) for name in ("name", "title", "publisher", "date", "how", "sha256")},
            "describe": people.describe(),
            "sources": people.sources,
            "notes": people.notes,
        },
        "daysPerYear": content.days_per_year,
        "ages": table.ages,
        "axes": [_axis(fields, areas) for fields in AXES],
        "areas": areas,
        "raceAlone": dict(RACE_ALONE),
        "compared": {name: [views.released, views.listed] for name, views in COMPARED.items()},
        "census": {
            "fields": {
                field.value: {name: asdict(view) for name, view in views.items()}
                for field, views in CENSUS_FIELDS.items()
            },
            "categories": {name: CATEGORIES[name] for name in ("sex", "race", "ethnicity")},
        },
        "granularities": {field.value: _with_areas(GRANULARITIES[field], areas) for field in Field},
        "linkedAs": {name: field.linked_as for name, field in RECORDED_FIELDS.items() if field.linked_as},
        "counties": _counties(table),
        "byEthnicity": content.hispanics is not None,
        "states": [
            {"code": code, "name": STATES[code].name, "people": number}
            for code, number in sorted(by_state.items(), key=lambda item: STATES[item[0]].name)
        ],
        "neighbors": {code: [near for near in neighbors(code) if near in by_state] for code in by_state},
        "policies": [_policy(policy) for policy in content.policies],
        "surveyed": {code: (survey.registered or {})[code] for code in by_state if survey.knows(code)},
        "surveyTitle": survey.title,
        "listing": _listing(content),
        "files": [file_facts(entry) for entry in content.files],
        "modelErrors": model_error_facts(content.model_errors),
        "vintage": content.lists.vintage,
        "lists": {code: _voter_list(lists[code], sources) for code in sorted(by_state) if code in lists},
        "sources": list(sources),
        "notes": content.notes,
        "citation": content.citation,
    }


def _axis(fields: tuple[Field, ...], areas: Sequence[str]) -> dict[str, Any]:
    """Return fields that are told together, and the views just coarser than each view of them."""
    above = {",".join(view): [",".join(names) for names in coarser] for view, coarser in ORDERS[fields].items()}
    return {"fields": list(fields), "above": _with_areas(above, areas)}


def _with_areas(above: Mapping[str, Iterable[str]], areas: Sequence[str]) -> dict[str, list[str]]:
    """Return what is just coarser than each view, with areas: they follow from ZIP codes, and lie in the state."""
    listed = {view: list(coarser) for view, coarser in above.items()}
    if MAKES_AREAS not in listed:
        return listed
    listed[MAKES_AREAS] += areas
    return listed | {name: [OF_AN_AREA] for name in areas}


def _counties(table: PeopleTable) -> dict[str, Any]:
    """Return code, name and state of each county, and which county each area of the map shows."""
    names = load_boundaries("county")["name"].to_dict()
    placed = place_counties(table.counties)
    return {
        "code": table.counties,
        "name": [str(names.get(code, f"county {code}")) for code in table.counties],
        "state": table.states,
        "drawn": dict(placed.drawn),
        "notes": placed.notes(),
    }


def _listing(content: ExplorerContent) -> dict[str, Any]:
    """Return how residents of each class of ages are listed next to each other, and what is counted and assumed."""
    shape, notes = content.listed.shape, content.listed.notes()
    others = [{"name": end.name, "allRecords": end.listed is None, "states": end.states} for end in content.range_ends]
    facts = {"starts": shape.starts.tolist(), "rate": shape.rate.tolist(), "title": content.registered.title}
    return facts | {"notes": [*notes, RANGE], "others": others}


def _policy(policy: Policy) -> dict[str, Any]:
    small = policy.conditions.small_places
    return {
        "name": policy.name,
        "title": policy.title,
        "fields": {field.value: name for field, name in policy.releases.items()},
        "top": policy.conditions.top_age,
        "small": small and {"place": small.place, "most": small.most, "hidden": sorted(small.listed or ())},
        "citation": policy.citation,
        "rules": [[rule.says, rule.citation] for rule in policy.rules],
        "byState": _by_state(policy) if isinstance(policy, PolicyByState) else None,
        "whyNot": policy.why_not if isinstance(policy, PolicyByState) else "",
    }


def _by_state(policy: PolicyByState) -> dict[str, Any]:
    """Return, for each state, what its file is, on what terms, what it surely shows and shows at most."""
    return {
        state: {
            "title": high.title,
            "terms": high.remarks,
            "ends": [{field.value: name for field, name in end.releases.items()} for end in (low, high)],
        }
        for state, (low, high) in policy.by_state.items()
    }


def _voter_list(listed: VoterList, sources: Mapping[tuple[str, str, str], int]) -> dict[str, Any]:
    def numbers(keys: Iterable[str]) -> list[int]:
        return [sources[_cited(listed.sources[key])] for key in keys]

    return {
        "status": listed.status,
        "reason": listed.reason,
        "vintage": listed.vintage,
        "fields": _fields(listed),
        **_terms(listed),
        "facts": [
            [fact.item, fact.value, fact.date, fact.confidence, numbers(fact.sources), fact.note]
            for fact in facts_of(listed)
        ],
        "conflicts": [[conflict.about, conflict.chosen, conflict.other, conflict.why] for conflict in listed.conflicts],
        "notes": listed.notes,
    }


def _cited(source: Source) -> tuple[str, str, str]:
    return source.title, source.date, source.url


MOST_BYTES = 4_000_000
_CODED = ("people", "hispanics")  # by the coder: nothing is left to compress
# What computes, in the page and in its workers; what draws.
MODEL_SCRIPTS = (
    *("decode", "listing", "formulas", "groups", "county_parts", "zip_groups", "place_sums"),
    *("catchment", "places", "compared_places", "model", "derived", "answers", "serving"),
)
_SCRIPTS = (
    *("pool", "words", "drawing", "charts", "view", "controls"),
    *("answer", "nation", "one_state", "csv", "person", "page"),
)
_FOLDER = files("policy_sim.explorer")


def explorer_page(content: ExplorerContent) -> str:
    """Return the whole page; it loads nothing else, ever."""
    shapes = {level: packed_shapes(level) for level in GRID}
    facts = explorer_facts(content)
    facts["shapes"] = {level: {"codes": codes, "grid": GRID[level]} for level, (codes, _) in shapes.items()}
    facts["shapes"]["state"]["labels"] = state_labels()
    facts["shapes"]["county"] |= {"apex": APEX, "upright": upright_turns()}
    people = packed_people(content.table)
    hispanics = packed_people(content.hispanics) if content.hispanics else dict.fromkeys(people, b"")
    as_text = json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode()
    data = {
        "facts": as_text,
        "state-shapes": shapes["state"][1],
        "county-shapes": shapes["county"][1],
        "zip-parts": packed_zips(content.table.counties, content.zip_parts),
        "areas": packed_areas(content.table.counties, content.zip_parts, facts["areas"]),
        **people,
        **dict(zip(("hispanic-chances", "hispanic-lengths", "hispanics"), hispanics.values(), strict=True)),
        "listing": packed_listing(content.listed),
        "listing-earlier": b"".join(packed_listing(end.listed) for end in content.range_ends if end.listed),
    }
    packed = {name: raw if name in _CODED else zlib.compress(raw, 9) for name, raw in data.items()}
    parts = {
        "style": _text("page.css"),
        "model": "\n".join([f"const ONE_PERSON = {ONE_PERSON};", *(_text(f"{name}.js") for name in MODEL_SCRIPTS)]),
        "script": "\n".join(_text(f"{name}.js") for name in _SCRIPTS),
        "data": "\n".join(
            f'<script type="application/octet-stream" id="data-{name}">{in_text(content)}</script>'
            for name, content in packed.items()
        ),
        "population": html.escape(content.population.title),
        "version": html.escape(facts["version"]),
    }
    page = filled(_FOLDER / "page.html", **parts)
    size = len(page.encode())
    if size > MOST_BYTES:
        raise OutputError(f"the explorer would be {size:,} bytes, more than {MOST_BYTES:,}: use a smaller population.")
    return page


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
