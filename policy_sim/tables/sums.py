"""Which labels of a table are sums of others: by their words, by the numbers, and the relations that follow."""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from policy_sim.tables.running import may_run
from policy_sim.tables.table import Key, Relation
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from policy_sim.tables.files import Layout
    from policy_sim.tables.marks import Reading

_COINCIDENCE = 3.0  # decimal digits of counts that add up: fewer may do so by chance
_BLOCK = 32  # labels that are added up first
_MOST_IN_BLOCKS = 500  # labels of a column that may be blocks of regions and their counties
_MOST_OF_SOME = 12  # labels, of which any two or three may have a total between them
_FEW = 2.0  # the same where a label is the sum of all others: fewer are asked about
_PARTIAL = re.compile(r"\b(sub)?totals?\b", re.I)


def found_sums(path: Path, cells: Mapping[Key, Reading], layout: Layout) -> list[dict[str, list[str]]]:
    """Return for each column of labels those that are sums of others, though no word says so, with their parts.

    A label that says that it is a total, or of a part, and one of which few digits speak for a sum, are asked about.
    """
    sums = list[dict[str, list[str]]]()
    for lines, labels in _lines(cells):
        totals = sorted(filter(layout.is_total, labels))
        if len(totals) > 1:
            raise InputError(f"{path}: several labels of one column mean a total: {', '.join(totals)}. Leave one.")
        running = [label for label in labels if label not in totals and layout.is_running(label)]
        of_now = [label for label in labels if label not in running]
        sums.append(_sums_among(path, _only(lines, of_now), of_now, totals, layout))
        if len(running) > 2:
            sums[-1] |= _sums_among(path, _only(lines, running), running, [], layout)
    return sums


def _only(lines: Mapping[Key, Mapping[str, Reading]], labels: Sequence[str]) -> dict[Key, dict[str, Reading]]:
    return {rest: {label: line[label] for label in labels if label in line} for rest, line in lines.items()}


def _sums_among(
    path: Path, lines: Mapping[Key, Mapping[str, Reading]], labels: list[str], totals: list[str], layout: Layout
) -> dict[str, list[str]]:
    """Return the labels that are sums of others among some, of this week or of all weeks so far."""
    plain = [label for label in labels if label not in totals]
    if not plain:
        return {}
    counts, absent = _along(lines, plain, layout)
    sums = _sums_of_blocks(counts, plain) or _inner_sums(counts, absent, plain)
    sums.update(_called_sums(lines, [label for label in plain if label not in sums]))
    sums.update(_sums_of_neighbors(lines, labels, totals, layout))
    sums.update(_sums_of_some(lines, [label for label in plain if label not in sums], layout))
    leaves = [label for label in plain if label not in sums]
    partial = next((label for label in leaves if _PARTIAL.search(label) and not layout.is_running(label)), "")
    if partial and not layout.totals:
        adds, none = (ask("totals", word, option="--total") for word in (partial, "none"))
        so_far = ask("running", partial)
        advice = f"If it is the sum of the others, add {adds}; if it counts all weeks so far, add {so_far}"
        raise InputError(f"{path}: {partial!r} looks like a total. {advice}; if neither, add {none}.")
    for label in _as_large_as_the_others(lines, leaves) if not totals else ():
        others = [other for other in leaves if other != label]
        digits = _digits_as_sum(lines.values(), label, others)
        large = any(len(line) > 2 and label in line and line[label].value for line in lines.values())
        if digits is None or not large or len(leaves) < 3:
            continue
        if digits >= _FEW:
            sums[label] = others
            break
        if not layout.totals:
            raise InputError(f"{path}: {_may_be_total(label, others)}")
    return sums


def _sums_of_neighbors(
    lines: Mapping[Key, Mapping[str, Reading]], labels: list[str], totals: Sequence[str], layout: Layout
) -> dict[str, list[str]]:
    """Return a total that is less than all others, but the sum of those next to it, as in two blocks of columns."""
    sums = dict[str, list[str]]()
    for word in totals:
        if _digits_as_sum(lines.values(), word, [label for label in labels if label != word]) is None:
            counts, absent = _along(lines, labels, layout)
            sums |= {of: parts for of, parts in _inner_sums(counts, absent, labels).items() if of == word}
    return sums


def _called_sums(lines: Mapping[Key, Mapping[str, Reading]], leaves: list[str]) -> dict[str, list[str]]:
    """Return the labels that say that they are totals, and are the sums of all others in each line; none is hidden."""
    known = all(cell.value is not None for line in lines.values() for cell in line.values())
    called = [label for label in leaves if _PARTIAL.search(label)] if known else []
    parts = [label for label in leaves if label not in called]
    digits = {label: _digits_as_sum(lines.values(), label, parts) for label in called}
    return {label: parts for label, of in digits.items() if of is not None and of >= _FEW and len(parts) > 1}


def _sums_of_some(
    lines: Mapping[Key, Mapping[str, Reading]], leaves: list[str], layout: Layout
) -> dict[str, list[str]]:
    """Return the labels that say that they are totals, and are the sum of two or three others alone in each line."""
    called = [label for label in leaves if _PARTIAL.search(label) and not layout.is_running(label)]
    others = [label for label in leaves if label not in called]
    sums = dict[str, list[str]]()
    for label in called if len(others) <= _MOST_OF_SOME else ():
        some = [parts for many in (2, 3) for parts in itertools.combinations(others, many) if many < len(others)]
        digits = [_digits_as_sum(lines.values(), label, parts) for parts in some]
        need = _COINCIDENCE + math.log10(max(len(some), 1))
        adding = [parts for parts, of in zip(some, digits, strict=True) if of is not None and of >= need]
        sums |= {label: list(adding[0])} if len(adding) == 1 else {}
    return sums


def _as_large_as_the_others(lines: Mapping[Key, Mapping[str, Reading]], leaves: list[str]) -> list[str]:
    """Return the labels that no line shows to be less than the sum of all others."""
    some = leaves
    for line in lines.values():
        all_of = sum(line[label].value or 0 for label in leaves if label in line)
        values = {label: line[label].value for label in some if label in line}
        some = [label for label in some if (value := values.get(label)) is None or 2 * value >= all_of]
        if not some:
            break
    return some


def _may_be_total(label: str, parts: Sequence[str]) -> str:
    total, none = (ask("totals", word, option="--total") for word in (label, "none"))
    seems = f"{label!r} may be the total of {parts[0]!r} to {parts[-1]!r}: its counts are as large"
    return f"{seems}. If it is, add {total}; if not, add {none}."


def _lines(cells: Mapping[Key, Reading]) -> Iterator[tuple[dict[Key, dict[str, Reading]], list[str]]]:
    """Yield for each column of labels the cells along it, by the other labels, and its labels."""
    for at in range(len(next(iter(cells)))):
        lines: dict[Key, dict[str, Reading]] = defaultdict(dict)
        for key, cell in cells.items():
            lines[key[:at] + key[at + 1 :]][key[at]] = cell
        yield lines, list(dict.fromkeys(key[at] for key in cells))


def _along(
    lines: Mapping[Key, Mapping[str, Reading]], plain: list[str], layout: Layout
) -> tuple[FloatArray, BoolArray]:
    """Return the counts of the labels in each line that is no line of totals, and which have no row there."""
    inner = [line for rest, line in lines.items() if not any(map(layout.is_total, rest))]  # totals say no more
    counts = np.array([[_count(line.get(label)) for label in plain] for line in inner]).reshape(-1, len(plain))
    absent = np.array([[label not in line for label in plain] for line in inner], dtype=np.bool_).reshape(counts.shape)
    return counts, absent


def _sums_of_blocks(counts: FloatArray, plain: list[str]) -> dict[str, list[str]]:
    """Return the labels that are each the sum of a block, such as a region's row above or below its counties.

    The blocks make up the whole column, but for a first or last label that is the sum of their sums; none where
    the counts allow several ways, are too few to tell, or hide what would say in which block a label stands.
    """
    many, ways, found = len(plain), 0, dict[str, list[str]]()
    sure = 6 <= many <= _MOST_IN_BLOCKS and not np.isnan(counts).any()
    for first, last in ((0, many), (1, many), (0, many - 1)) if sure else ():
        for order in (np.arange(first, last), np.arange(first, last)[::-1]):
            number, heads, digits = _blocks(counts[:, order])
            whole = [at for at in range(many) if not first <= at < last]
            totals, tops = counts[:, whole], counts[:, order[heads]]
            if not number or any(_digits_of_runs(totals[:, [at]], tops)[-1] < 0 for at in range(len(whole))):
                continue
            ways += number
            ends = [*heads[1:], len(order)]
            own = [sorted(order[head + 1 : end]) for head, end in zip(heads, ends, strict=True)]
            if digits >= 2 * _COINCIDENCE and len(heads) > 1:
                found = {plain[order[head]]: [plain[at] for at in of] for head, of in zip(heads, own, strict=True)}
    return found if ways == 1 else {}


def _blocks(counts: FloatArray) -> tuple[int, list[int], float]:
    """Return in how many ways labels are blocks of a sum and its parts, the sums of one way, and its digits."""
    many = counts.shape[1]
    ways, before, digits = [1, *[0] * many], [0] * (many + 1), [0.0] * (many + 1)
    for head in range(many - 2):
        runs = _digits_of_runs(counts[:, [head]], counts[:, head + 1 :]) if ways[head] else np.empty(0)
        for parts in np.flatnonzero(runs >= 0):
            end = head + int(parts) + 2
            ways[end] += ways[head]
            before[end], digits[end] = head, digits[head] + float(runs[parts])
    heads, end = list[int](), many
    while ways[many] and end:
        end = before[end]
        heads.append(end)
    return ways[many], heads[::-1], digits[many]


def _inner_sums(counts: FloatArray, absent: BoolArray, plain: list[str]) -> dict[str, list[str]]:
    """Return the labels that are sums of those directly above or below, in lines too large for a coincidence."""
    sums, most = dict[str, list[str]](), len(plain) - 2
    totals = np.where(absent, np.nan, counts)
    below, above = _at_least_two(totals, counts), _at_least_two(totals[:, ::-1], counts[:, ::-1])[::-1]
    for own, label in enumerate(plain):
        total = totals[:, own][:, None]
        for perhaps, side in ((below, range(own + 1, len(plain))), (above, range(own - 1, -1, -1))):
            if perhaps[own] and label not in sums:
                at = np.arange(side.start, side.stop, side.step)[:most]
                many = _parts_of(total, counts, at)
                sums |= {label: [plain[part] for part in sorted(side[:many])]} if many else {}
    return sums


def _at_least_two(totals: FloatArray, counts: FloatArray) -> BoolArray:
    """Return the labels that have two after them which no line shows to be more than they are."""
    two = np.nan_to_num(counts)[:, 1:-1] + np.nan_to_num(counts)[:, 2:]
    perhaps: BoolArray = np.append(~(two > totals[:, :-2]).any(axis=0), [False, False][: counts.shape[1]])
    return perhaps


def _parts_of(total: FloatArray, counts: FloatArray, at: IntArray) -> int:
    """Return how many of the labels ``at``, from the first on, add up to a total; 0 where none do."""
    size = _BLOCK
    while True:
        parts = counts[:, at[:size]]
        good = np.flatnonzero(_digits_of_runs(total, parts) >= _COINCIDENCE)
        if len(good) or size >= len(at) or np.any(np.nansum(parts, axis=1) > total[:, 0]):
            return int(good[0]) + 1 if len(good) else 0
        size *= 4


def _count(cell: Reading | None) -> float:
    """Return the count of a cell: NaN where it is not known, 0 where there is none."""
    return 0.0 if cell is None else math.nan if cell.value is None else float(cell.value)


def _digits_of_runs(total: FloatArray, parts: FloatArray) -> FloatArray:
    """Return how many digits speak for the sum of the first one, two ... parts; -1 where a count speaks against."""
    seen = np.cumsum(np.nan_to_num(parts), axis=1)
    settled = np.logical_and.accumulate(~np.isnan(parts), axis=1)
    most = np.maximum.accumulate(np.nan_to_num(parts), axis=1)
    against = ((seen > total) | (settled & (seen != total) & ~np.isnan(total))).any(axis=0)
    digits = np.where(settled & (total > most), np.log10(np.nan_to_num(total) + 1), 0).sum(axis=0)
    digits[:1] = -1  # a single part is no sum
    speaks: FloatArray = np.where(against, -1.0, digits)
    return speaks


def unsaid_totals(cells: Iterable[Key], relations: Iterable[Relation], layout: Layout) -> list[str]:
    """Return the labels that are sums of all others of their column, though no word says so: a mark may hide that."""
    labels, found = [dict.fromkeys(own) for own in zip(*cells, strict=True)], dict[str, None]()
    for total, parts, _ in relations:
        for at, label in enumerate(total):
            others = {part[at] for part in parts} - {label}
            if others and not layout.is_total(label) and len(others) == len(labels[at]) - 1:
                found[label] = None
    return list(found)


def found_relations(
    cells: Mapping[Key, Reading], sums: Sequence[Mapping[str, Sequence[str]]], layout: Layout
) -> list[Relation]:
    """Return what the labels that are sums of others add up, wherever no count speaks against it."""
    aside = {words.casefold() for words in layout.coincidences}
    used = [
        {
            label: parts
            for label, parts in of.items()
            if not layout.is_total(label) and _words(label, parts).casefold() not in aside
        }
        for of in sums
    ]
    relations = list[Relation]()
    for key in cells if any(used) else ():
        for at, label in enumerate(key):
            parts = [(*key[:at], part, *key[at + 1 :]) for part in used[at].get(label, ())]
            inside = [part for part in parts if part in cells]
            line = {of[at]: cells[of] for of in (key, *inside)}
            if inside and _digits_as_sum([line], label, used[at][label]) is not None:
                relations.append(Relation(key, tuple(inside), _words(label, used[at][label])))
    return relations


def _words(label: str, parts: Sequence[str]) -> str:
    """Write a sum as the attacker writes equations."""
    some = " + ".join(parts) if len(parts) < 4 else f"{parts[0]} + ... + {parts[-1]} ({len(parts)} numbers)"
    return f"{label} = {some}"


def _digits_as_sum(lines: Iterable[Mapping[str, Reading]], label: str, parts: Sequence[str]) -> float | None:
    """Return how many digits of counts speak for a label as the sum of others; None where a count speaks against."""
    digits = 0.0
    for line in lines:
        total = line[label].value if label in line else None
        values = [line[part].value for part in parts if part in line]
        seen = sum(value or 0 for value in values)
        if total is not None and (seen > total or (None not in values and seen != total)):
            return None
        if total and None not in values and max(value or 0 for value in values) < total:
            digits += math.log10(total + 1)
    return digits


def total_relations(
    cells: dict[Key, Reading],
    within: Mapping[int, Mapping[int, Mapping[str, str]]],
    layout: Layout,
    sums: Sequence[Mapping[str, Sequence[str]]],
    nothing: Reading,
) -> tuple[Relation, ...]:
    """Return every sum of the layout; a combination without a row becomes a cell with the reading ``nothing``.

    Labels that are sums of others (``sums``), and running totals, are no parts of a total that adds up without them
    alone.
    """
    relations, plain = list[Relation](), _plain(cells, layout)
    for at, (lines, labels) in enumerate(_lines(cells)):
        leaves = [label for label in plain[at] if label not in sums[at]]
        of_now = [label for label in leaves if not layout.is_running(label)]
        surely_of_now = [label for label in of_now if not may_run(label)]
        for word in filter(layout.is_total, labels) if len(surely_of_now) < len(plain[at]) else ():
            ways_to_add = (plain[at], leaves, of_now, surely_of_now)
            adds = (parts for parts in ways_to_add if _digits_as_sum(lines.values(), word, parts) is not None)
            plain[at] = next(adds, plain[at])
    words = {label for at in plain for label in {key[at] for key in cells} if layout.is_total(label)}
    for total in list(cells) if words else ():
        ways = [at for at in plain if total[at] in words]
        before = len(relations)
        for at in ways:
            above = [(total[up], of) for up, of in within.get(at, {}).items() if not layout.is_total(total[up])]
            among = sums[at].get(total[at], plain[at])
            own = [label for label in among if all(of[label] == name for name, of in above)]
            parts = [(*total[:at], label, *total[at + 1 :]) for label in own]
            if any(cells.get(part, nothing) is not nothing for part in parts):
                cells |= {part: nothing for part in parts if part not in cells}
                relations.append(Relation(total, tuple(parts)))
        if ways and len(relations) == before:
            inner = (key for key in cells if not any(layout.is_total(key[at]) for at in ways))
            inside = tuple(key for key in inner if all(key[at] == total[at] for at in plain if at not in ways))
            lowest = tuple(key for key in inside if not any(label in sums[at] for at, label in enumerate(key)))
            inside = lowest if _adds(cells, total, lowest) and not _adds(cells, total, inside) else inside
            every = inside or tuple(_lowest(cells, words, sums))  # a label that only totals have: the whole table
            relations += [Relation(total, every)] if inside or _adds(cells, total, every) else []
    return tuple(relations)


def _lowest(cells: Mapping[Key, Reading], words: Container[str], sums: Sequence[Mapping[str, object]]) -> Iterator[Key]:
    """Yield the cells that are no sums of others."""
    for key in cells:
        if not any(label in words or label in sums[at] for at, label in enumerate(key)):
            yield key


def _adds(cells: Mapping[Key, Reading], total: Key, parts: Sequence[Key]) -> bool:
    line = {str(at): cells[part] for at, part in enumerate(parts)}
    return _digits_as_sum([line | {"": cells[total]}], "", list(line)) is not None


def _plain(cells: Mapping[Key, Reading], layout: Layout) -> dict[int, list[str]]:
    """Return the labels of each column that are no totals."""
    places = range(len(next(iter(cells))))
    labels = (dict.fromkeys([key[at] for key in cells]) for at in places)
    return {at: [label for label in own if not layout.is_total(label)] for at, own in enumerate(labels)}


def found_parents(cells: Mapping[Key, Reading], layout: Layout) -> dict[int, dict[int, dict[str, str]]]:
    """Return the columns within whose labels those of a column lie, such as region for county."""
    plain, parents = _plain(cells, layout), dict[int, dict[int, dict[str, str]]]()
    for at, up in itertools.permutations(plain, 2):
        inner = set(plain[at]), set(plain[up])
        pairs = {(key[at], key[up]) for key in cells if key[at] in inner[0] and key[up] in inner[1]}
        if 1 < len(plain[up]) < len(plain[at]) and len(pairs) == len(plain[at]):
            parents.setdefault(at, {})[up] = dict(pairs)
    return parents
