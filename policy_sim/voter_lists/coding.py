"""Facts of voter lists as codes of a closed set, and a sample of them to be coded a second time.

A second coder reads the sources and writes a code for each fact of the sample, without the first values. Codes are
coarser than the facts where two readers could word the same thing in two ways: an amount is its kind of price, and
buyers and uses are classes.
"""

from __future__ import annotations

import csv
import io
import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from policy_sim.files.paths import data_dir
from policy_sim.voter_lists.facts import cite
from policy_sim.voter_lists.list_field import LIST_ITEMS, RECORDED_FIELDS
from policy_sim.voter_lists.price import PRICE_KINDS
from policy_sim.voter_lists.voter_list import LIST_STATUSES, VoterList
from policy_sim.words.errors import InputError, SchemaError
from policy_sim.words.text import csv_text

SHARE = 0.2
SEED = 2026
_BUYER_CLASSES = ("public", "residents", "restricted", "nobody", "unknown")
_USE_CLASSES = ("any", "non_commercial", "political", "nothing", "unknown")

# The codes of each item, with the meaning of those that are not the words of a list's own file.
CODES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "status": tuple(LIST_STATUSES),
        **{
            name: (*(field.granularities if field.graded else ("included",)), "withheld", "unknown")
            for name, field in RECORDED_FIELDS.items()
        },
        "price": PRICE_KINDS,
        "buyers": _BUYER_CLASSES,
        "uses": _USE_CLASSES,
    }
)


@dataclass(frozen=True, order=True)
class CodedFact:
    """The code of one fact: which list, which item, which code, and what it rests on."""

    state: str
    vintage: str
    item: str
    code: str
    basis: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.item not in CODES:
            raise InputError(f"item {self.item!r} is not coded; one of {', '.join(CODES)}.")
        if self.code not in CODES[self.item]:
            raise InputError(
                f"{self.state} {self.vintage} {self.item}: code {self.code!r} is not one of "
                f"{', '.join(CODES[self.item])}."
            )

    @property
    def key(self) -> tuple[str, str, str]:
        """Which fact it is."""
        return self.state, self.vintage, self.item


def code_of(listed: VoterList, item: str) -> str:
    """Return the code of a fact of a list: of one of :data:`LIST_ITEMS`."""
    if item == "status":
        return listed.status
    if item == "price":
        return listed.price.kind
    if item == "buyers":
        return _buyers(listed.buyers.names)
    if item == "uses":
        return _uses(listed.uses.names)
    fact = listed.fields[item]
    if fact.availability != "included":
        return fact.availability
    return fact.granularity if RECORDED_FIELDS[item].graded else "included"


def fact_keys(lists: Iterable[VoterList]) -> list[tuple[str, str, str]]:
    """Return every coded fact of the lists, as (state, vintage, item), sorted; scenarios are left out."""
    return sorted(
        (listed.state, listed.vintage, item) for listed in lists if not listed.is_scenario for item in LIST_ITEMS
    )


def sample_of(
    keys: Sequence[tuple[str, str, str]], share: float = SHARE, seed: int = SEED
) -> list[tuple[str, str, str]]:
    """Return a share of the facts of every vintage and item, drawn at random, sorted.

    The facts of one stratum, rounded up, depend on its own facts alone: a list that is added elsewhere does not change
    them.
    """
    if not 0 < share <= 1:
        raise InputError(f"share = {share} must be above 0 and up to 1.")
    strata: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for key in sorted(keys):
        strata.setdefault(key[1:], []).append(key)
    drawn: list[tuple[str, str, str]] = []
    for stratum, members in strata.items():
        rng = random.Random(f"{seed} {' '.join(stratum)}")  # noqa: S311  a sample, not a secret
        order = sorted(members, key=lambda _: rng.random())
        drawn += order[: math.ceil(share * len(members))]
    return sorted(drawn)


def _buyers(names: Sequence[str] | None) -> str:
    """Return the class of buyers: anyone, residents and voters of the state, or some professions and parties only."""
    if names is None:
        return "unknown"
    if not names:
        return "nobody"
    if "public" in names:
        return "public"
    return "residents" if {"resident", "voter"} & set(names) else "restricted"


def _uses(names: Sequence[str] | None) -> str:
    """Return the class of uses: any, any but commerce, or politics, scholarship and journalism only."""
    if names is None:
        return "unknown"
    if not names:
        return "nothing"
    return next((name for name in ("any", "non_commercial") if name in names), "political")


# How well two codings of the same facts agree, beyond what chance gives: Cohen's kappa.
#
# References
# ----------
# J. Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20:37-46.


_Pair = tuple[str, str]
_Key = tuple[str, str, str]


def agreement_of(*strata: Sequence[_Pair]) -> dict[str, object]:
    """Return how well two codings agree: ``by_chance`` is the share on which they agree by chance within each stratum.

    By chance each coder keeps its own frequencies of codes. ``kappa`` is 1 where all agree, 0 where they agree as often
    as chance does, negative below that, and None where it is not defined: no facts, or both coders use one and the same
    code throughout.

    Of 50 applications two readers accept 20 together and refuse 15 together; each refuses 5 and 10 alone. They
    agree on 0.7; chance gives 0.5.

    >>> pairs = [("yes", "yes")] * 20 + [("no", "no")] * 15 + [("yes", "no")] * 5 + [("no", "yes")] * 10
    >>> round(agreement_of(pairs)["kappa"], 10)
    0.4
    """
    many = sum(map(len, strata))
    agree = sum(first == second for pairs in strata for first, second in pairs)
    expected = 0.0
    for pairs in filter(None, strata):
        first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
        expected += len(pairs) * (sum(first[code] * second[code] for code in first) / len(pairs) ** 2)
    return {
        "facts": many,
        "agree": agree,
        "agree_share": agree / many if many else None,
        "by_chance": expected / many if many else None,
        "kappa": (agree - expected) / (many - expected) if expected < many else None,
    }


def first_codes(lists: Iterable[VoterList], facts: Sequence[CodedFact]) -> dict[_Key, str]:
    """Return the code of each fact as the lists have it."""
    by_list = {(listed.state, listed.vintage): listed for listed in lists}
    missing = sorted({fact.key[:2] for fact in facts} - set(by_list))
    if missing:
        raise InputError(f"the coding names a list that does not exist: {' '.join(missing[0])}.")
    return {fact.key: code_of(by_list[fact.state, fact.vintage], fact.item) for fact in facts}


def agreement_frame(first: Mapping[_Key, str], second: Sequence[CodedFact]) -> pd.DataFrame:
    """Return one row per item, then two for all items together; ``by_chance`` is the share on which chance agrees.

    The row ``all`` takes chance within each item: (A - E) / (N - E), with A of N facts that agree and E expected by
    chance. The row ``all but unknown`` leaves out facts that both codings call unknown.
    """
    pairs: dict[str, list[_Pair]] = {}
    for fact in second:
        pairs.setdefault(fact.item, []).append((first[fact.key], fact.code))
    strata = {item: [pairs[item]] for item in LIST_ITEMS if item in pairs} | {"all": [*pairs.values()]}
    strata["all but unknown"] = [[pair for pair in coded if pair != ("unknown",) * 2] for coded in pairs.values()]
    return pd.DataFrame([{"item": item} | agreement_of(*parts) for item, parts in strata.items()]).astype(
        {"kappa": "Float64"}
    )


def disagreements_frame(
    first: Mapping[_Key, str], second: Sequence[CodedFact], decisions: Mapping[_Key, tuple[str, str]] | None = None
) -> pd.DataFrame:
    """Return one row per fact on which the codings differ, with what the second rests on and what was decided.

    A decision is ``mended`` or ``kept``, with its reason; a fact without one is ``open``.
    """
    rows = []
    for fact in second:
        if first[fact.key] != fact.code:
            decision, reason = (decisions or {}).get(fact.key, ("open", ""))
            rows.append((*fact.key, first[fact.key], fact.code, fact.basis, fact.note, decision, reason))
    columns = ["state", "vintage", "item", "first", "second", "basis", "note", "decision", "reason"]
    return pd.DataFrame(rows, columns=columns, dtype="string")


def changed_since(first: Mapping[_Key, str], now: Mapping[_Key, str]) -> list[_Key]:
    """Return the facts whose code is another today than when they were compared."""
    return [key for key, code in first.items() if now.get(key) != code]


# The two codings of list facts as CSV files, what was decided where they differ, and the blank sheet of a coder.


DECISIONS = ("mended", "kept")
_COLUMNS = ("state", "vintage", "item", "code", "basis", "note")


def shipped_coding(which: str) -> Path:
    """Return a file that ships: the ``first`` or ``second`` coding, each as it stood when the two were compared."""
    return data_dir() / "list_coding" / f"{which}_coding.csv"


def read_coding(path: Path) -> list[CodedFact]:
    """Return the facts of a coding.

    >>> len(read_coding(shipped_coding("second")))
    407
    """
    problems: list[str] = []
    facts: dict[tuple[str, str, str], CodedFact] = {}
    for number, row in enumerate(_rows(path, ("state", "vintage", "item", "code")), 2):
        try:
            fact = CodedFact(*(row.get(name) or "" for name in _COLUMNS))
        except InputError as error:
            problems.append(f"line {number}: {error}")
            continue
        if fact.key in facts:
            problems.append(f"line {number}: {' '.join(fact.key)} is coded twice.")
        facts[fact.key] = fact
    if problems:
        raise SchemaError(str(path), problems)
    return [*facts.values()]


def read_decisions(path: Path | None = None) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Return what was decided on the facts that were coded in two ways: ``mended`` or ``kept``, and why."""
    file = path or data_dir() / "list_coding" / "decisions.csv"
    rows = _rows(file, ("state", "vintage", "item", "decision", "reason"))
    problems = [
        f"line {number}: decision {row['decision']!r} is not one of {', '.join(DECISIONS)}."
        for number, row in enumerate(rows, 2)
        if row["decision"] not in DECISIONS
    ]
    if problems:
        raise SchemaError(str(file), problems)
    return {(row["state"], row["vintage"], row["item"]): (row["decision"], row["reason"]) for row in rows}


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of a CSV file that has these columns, and others or not."""
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read as CSV ({getattr(error, 'strerror', '') or error}).") from error
    if not rows or not set(columns) <= set(rows[0]) or any(None in row or None in row.values() for row in rows):
        raise SchemaError(str(path), [f"needs the columns {', '.join(columns)} and at least one row."])
    return rows


def blank_sheet(keys: Sequence[tuple[str, str, str]], lists: Iterable[VoterList]) -> str:
    """Return the sheet that a second coder fills in: each fact with the sources of its list, without any value."""
    by_list = {(listed.state, listed.vintage): listed for listed in lists}
    rows = (
        (*key, " ".join(CODES[key[2]]), "; ".join(map(cite, by_list[key[:2]].sources.values())), "", "", "")
        for key in keys
    )
    return csv_text(["state", "vintage", "item", "codes", "sources", *_COLUMNS[3:]], rows)
