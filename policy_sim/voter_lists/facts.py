"""What is known of a voter list, as rows: one row per fact, with its date, confidence and sources."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import pandas as pd

from policy_sim.files.evidence import Evidence, Source
from policy_sim.voter_lists.changes import RecordedCause, recorded_by_item
from policy_sim.voter_lists.list_field import LIST_FIELDS, LIST_ITEMS, RECORDED_FIELDS, Allowed, ListField
from policy_sim.voter_lists.registration import load_registration
from policy_sim.voter_lists.voter_list import Mirror, Preemption, VoterList
from policy_sim.words.fields import field_word


@dataclass(frozen=True)
class Fact:
    """One fact of one list. ``sources`` are the short names by which the list's sources go."""

    state: str
    vintage: str
    item: str
    value: str
    date: str
    confidence: str
    sources: tuple[str, ...]
    note: str = ""


def facts_of(listed: VoterList) -> list[Fact]:
    """Return status, each recorded field, price, buyers and uses, then preempted rules and mirrors, in that order.

    The date of a fact is the newest date of its sources.
    """

    def fact(item: str, value: str, evidence: Evidence, date: str = "", note: str = "") -> Fact:
        date = date or newest_date(listed.sources[name] for name in evidence.sources)
        carried = f"carried back from {evidence.carried_from}" if evidence.carried_from else ""
        notes = "; ".join(text for text in (carried, note) if text)
        return Fact(listed.state, listed.vintage, item, value, date, evidence.confidence, evidence.sources, notes)

    price = listed.price
    return [
        Fact(listed.state, listed.vintage, "status", listed.status, "", "", (), listed.reason),
        *(fact(name, field_words(listed.fields[name]), listed.fields[name].evidence) for name in LIST_FIELDS),
        fact("price", price.describe(), price.evidence, price.date, price.note),
        fact("buyers", allowed_words(listed.buyers), listed.buyers.evidence),
        fact("uses", allowed_words(listed.uses), listed.uses.evidence),
        *(
            fact("preempted", _ruling(entry), entry.evidence, str(entry.since), entry.note)
            for entry in listed.preemptions
        ),
        *(fact("mirror", _mirror(entry), Evidence(sources=(entry.source,))) for entry in listed.mirrors),
    ]


def facts_frame(lists: Iterable[VoterList]) -> pd.DataFrame:
    """Return the facts of many lists as a table; ``sources`` holds titles and addresses."""
    rows = [
        {**asdict(fact), "sources": " | ".join(cite(listed.sources[name]) for name in fact.sources)}
        for listed in lists
        for fact in facts_of(listed)
    ]
    return pd.DataFrame(rows, columns=[*Fact.__dataclass_fields__], dtype="string")


def newest_date(sources: Iterable[Source]) -> str:
    """Return the newest of the sources' dates, empty without sources."""
    dates = [source.date for source in sources]
    dated = [date for date in dates if date != "undated"]
    return max(dated) if dated else (dates[0] if dates else "")


def field_words(fact: ListField) -> str:
    """Say whether a field is shown, and how finely."""
    if fact.availability != "included":
        return fact.availability
    detail = fact.wording or fact.granularity
    return "included" if detail in ("", "value") else f"included ({detail})"


def allowed_words(allowed: Allowed) -> str:
    """Say who or what is allowed."""
    if allowed.names is None:
        return "unknown"
    return ", ".join(allowed.names) or "nobody"


def _ruling(preemption: Preemption) -> str:
    """Say which rule no longer binds, and who set it aside."""
    by = preemption.by.replace("_", " ")
    written, allowed = (allowed_words(Allowed(names)) for names in (preemption.written, preemption.allowed))
    return f"{preemption.rule}: {allowed} since {preemption.since}, by {by} (state rule: {written})"


def _mirror(mirror: Mirror) -> str:
    return f"{mirror.covers}: {f'{mirror.usd:,.2f} USD' if mirror.usd else 'free'}"


def cite(source: Source) -> str:
    """Return a source as title and address."""
    return f"{source.title} <{source.url}>" if source.url else source.title


# Lists side by side: a row per list, what differs between two times, and what each source supports.


def lists_frame(lists: Iterable[VoterList]) -> pd.DataFrame:
    """Return one row per list with the words for each of :data:`LIST_ITEMS`, and when it holds."""
    rows = [
        {
            "state": listed.state,
            "vintage": listed.vintage,
            "valid_from": "" if listed.valid_from.year == 1 else str(listed.valid_from),
            "valid_until": str(listed.valid_until or ""),
            **_words(listed),
        }
        for listed in lists
    ]
    columns = ["state", "vintage", "valid_from", "valid_until", *LIST_ITEMS]
    return pd.DataFrame(rows, columns=columns, dtype="string")


def diff_frame(
    before: Mapping[str, VoterList], after: Mapping[str, VoterList], recorded: Sequence[RecordedCause] = ()
) -> pd.DataFrame:
    """Return a row for each item of each state that is not the same in two sets of lists.

    ``change`` tells a change of the list from a change of what is known: ``changed``, ``became
    known`` or ``became unknown``. ``cause`` is ``law`` or ``source``, as in
    :func:`~policy_sim.voter_lists.changes.causes_of`; ``why`` is what is recorded of it, or of sources that disagree
    about the later fact.
    """
    rows = []
    for state in sorted(set(before) & set(after)):
        old, new = _words(before[state]), _words(after[state])
        entries = recorded_by_item(before[state], after[state], recorded)
        for item in LIST_ITEMS:
            if old[item] == new[item]:
                continue
            change = _change(old[item], new[item])
            entry = entries.get(item) if change == "changed" else None
            cause = entry.cause if entry else "law" if change == "changed" else "source"
            why = entry.why if entry else " ".join(_disputes(after[state], item))
            rows.append((state, item, old[item], new[item], change, cause, why))
    return pd.DataFrame(rows, columns=_DIFFERENCE, dtype="string")


_DIFFERENCE = ["state", "item", "before", "after", "change", "cause", "why"]
_COUNTED = {"registered": "counties", "active": "with_active", "inactive": "with_inactive"}


def differences(
    before: Mapping[str, VoterList],
    after: Mapping[str, VoterList],
    vintages: tuple[str, str],
    recorded: Sequence[RecordedCause] = (),
) -> tuple[pd.DataFrame, list[str]]:
    """Return what differs between the lists of two vintages: their facts, then how many records they had.

    Records are those of the elections nearest to the vintages, with the cause ``count``; the other rows are those of
    :func:`diff_frame`. The notes name the elections, and the states without a count.
    """
    rows, counts = diff_frame(before, after, recorded), load_registration()
    old, new = (counts.nearest(int(vintage[:4])) for vintage in vintages)
    if old == new:
        return rows, [f"records: the count nearest to both is that of November {old}, so no change of them is known"]
    tables = {year: counts.by_state(year) for year in (old, new)}
    chosen = sorted(set(before) & set(after))
    records = [row for state in chosen for row in _record_changes(tables, state)]
    uncounted = [state for state in chosen if not any(state in table.index for table in tables.values())]
    notes = [
        f"records: as election offices counted them in November {old} and in November {new} ({counts.publisher})",
        *([f"records: no count of {' '.join(uncounted)} at either election"] if uncounted else []),
    ]
    return pd.concat([rows, pd.DataFrame(records, columns=_DIFFERENCE, dtype="string")], ignore_index=True), notes


def _record_changes(tables: Mapping[int, pd.DataFrame], state: str) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for item, places in _COUNTED.items():
        before, after = (_records_words(table, state, item, year) for year, table in tables.items())
        if before.partition(" ")[0] != after.partition(" ")[0]:
            why = "; ".join(filter(None, (_not_counted(table, state, places, year) for year, table in tables.items())))
            rows.append((state, item, before, after, _change(before, after), "count", why))
    return rows


def _records_words(table: pd.DataFrame, state: str, item: str, year: int) -> str:
    """Return a count with its election: the word unknown where there is none."""
    number = table[item].get(state, pd.NA)
    return "unknown" if pd.isna(number) else f"{int(number):,} in {year}"


def _not_counted(table: pd.DataFrame, state: str, places: str, year: int) -> str:
    """Say how many counties are not in a count; nothing where all are."""
    if state not in table.index:
        return f"November {year}: no count"
    counted, whole = (int(table[name][state]) for name in (places, "places"))
    return "" if counted == whole else f"November {year}: {counted} of {whole} counties reported them"


def _disputes(listed: VoterList, item: str) -> list[str]:
    """Return why sources disagree about an item of a list."""
    return [conflict.why for conflict in listed.conflicts if conflict.about in (item, f"fields.{item}")]


def sources_frame(lists: Iterable[VoterList]) -> pd.DataFrame:
    """Return a row for each source of each list, with the items it supports."""
    rows = []
    for listed in lists:
        supports: dict[str, list[str]] = {}
        for fact in facts_of(listed):
            for name in fact.sources:
                supports.setdefault(name, []).append(fact.item)
        for name, source in listed.sources.items():
            items = ", ".join(supports.get(name, ["conflict or quote"]))
            rows.append((listed.state, listed.vintage, source.title, source.date, source.url, items, source.note))
    columns = ["state", "vintage", "source", "date", "address", "supports", "note"]
    return pd.DataFrame(rows, columns=columns, dtype="string")


def conflicts_frame(lists: Iterable[VoterList]) -> pd.DataFrame:
    """Return a row for each place where sources of a list disagree."""
    rows = [
        (listed.state, listed.vintage, c.about, c.chosen, c.other, "yes" if c.resolved else "no", c.why)
        for listed in lists
        for c in listed.conflicts
    ]
    columns = ["state", "vintage", "about", "chosen", "other", "settled", "why"]
    return pd.DataFrame(rows, columns=columns, dtype="string")


def _words(listed: VoterList) -> dict[str, str]:
    return {fact.item: fact.value for fact in facts_of(listed)}


def _change(before: str, after: str) -> str:
    if before == "unknown":
        return "became known"
    return "became unknown" if after == "unknown" else "changed"


# How old is the fact that decides a linkage: the oldest of those that the linkage key rests on.


MAX_AGE_MONTHS = 24
_FEW_STATES = 3
_FIRST, _LAST = (1, 1), (12, 31)


@dataclass(frozen=True)
class DecidingFact:
    """The oldest fact that a linkage rests on: its field, and the newest ``date`` among its sources, with the title.

    The date is empty without sources. ``unknown`` are fields of the linkage that no source mentions.
    """

    item: str
    date: str
    source: str
    unknown: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return the fact as words for a reader."""
        missing = f"; no source mentions {', '.join(map(field_word, self.unknown))}" if self.unknown else ""
        if not self.item:
            return f"no fact is known{missing}"
        return f"{field_word(self.item)}, {self.date or 'no date'}, {self.source or 'no source'}{missing}"


def deciding_fact(listed: VoterList, linked: Iterable[str]) -> DecidingFact:
    """Return the oldest fact of a list among the fields of a linkage key.

    Fields that are not recorded, or that the model does not link on, are passed over. A fact without a date counts as
    older than any with one. ``item`` is empty where nothing is known.

    >>> from policy_sim.files.evidence import Evidence, Source
    >>> from policy_sim.voter_lists.list_field import ListField
    >>> sources = {"a": Source("a", "Order form", date="2017"), "b": Source("b", "Law", date="2026")}
    >>> fields = {
    ...     "birth": ListField("included", "date", "", Evidence("high", ("a",))),
    ...     "race": ListField("withheld", "", "", Evidence("high", ("b",))),
    ... }
    >>> listed = VoterList("XX", "2026", "available", fields=fields, sources=sources)
    >>> deciding_fact(listed, ["birth", "race"]).describe()
    'birth, 2017, Order form'
    """
    names = [name for name in linked if name in RECORDED_FIELDS and RECORDED_FIELDS[name].linked_as]
    unknown = tuple(name for name in names if listed.fields[name].availability == "unknown")
    dated = [(*_newest(listed, name), name) for name in names if name not in unknown]
    if not dated:
        return DecidingFact("", "", "", unknown)
    date, title, item = min(dated, key=lambda fact: "" if fact[0] == "undated" else fact[0])
    return DecidingFact(item, date, title, unknown)


def _newest(listed: VoterList, name: str) -> tuple[str, str]:
    """Return the newest date of a field's sources and the title of the source that has it."""
    sources = [listed.sources[key] for key in listed.fields[name].evidence.sources if key in listed.sources]
    date = newest_date(sources)
    return date, next((source.title for source in sources if source.date == date), "")


def last_day(date: str) -> dt.date:
    """Return the last day that ``2026``, ``2026-05`` or ``2026-05-19`` can mean.

    >>> last_day("2024-02")
    datetime.date(2024, 2, 29)
    """
    return _day(date, _LAST)


def _day(date: str, missing: tuple[int, int]) -> dt.date:
    numbers = [int(part) for part in date.split("-")]
    year, month, day = (*numbers, *missing[len(numbers) - 1 :])
    return dt.date(year, month, min(day, calendar.monthrange(year, month)[1]))


def months_before(day: dt.date, months: int) -> dt.date:
    """Return the day that lies this many months before another.

    >>> months_before(dt.date(2026, 3, 31), 1)
    datetime.date(2026, 2, 28)
    """
    index = max(day.year * 12 + day.month - 1 - months, 12)
    year, month = divmod(index, 12)
    return dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def is_old(date: str, day: dt.date, months: int = MAX_AGE_MONTHS) -> bool:
    """Tell whether a fact of this date is older than this many months on a day; one without a date is.

    >>> is_old("2024", dt.date(2026, 11, 22)), is_old("2025-01", dt.date(2026, 11, 22))
    (False, False)
    >>> is_old("2017-07-05", dt.date(2026, 11, 22)), is_old("undated", dt.date(2026, 11, 22))
    (True, True)
    """
    return date in ("", "undated") or last_day(date) < months_before(day, months)


def newest_source(lists: Iterable[VoterList]) -> dt.date | None:
    """Return the day of the newest source of lists, which tells when they were last looked up; None without dates."""
    dates = {source.date for listed in lists for source in listed.sources.values()} - {"", "undated"}
    return max((_day(date, _FIRST) for date in dates), default=None)


def freshness_lines(
    lists: Mapping[str, VoterList], states: Iterable[str], linked: Iterable[str], *, doubtful: bool = False
) -> list[str]:
    """Say how old the facts are that decide a linkage in some states; nothing where no list is known.

    Age is counted on the date of the newest source of the lists, so that the same question always has the same answer.
    ``doubtful``: only of facts that are old, or that no source mentions.
    """
    day, fields = newest_source(lists.values()), list(linked)
    with_list = [state for state in states if state in lists and lists[state].status == "available"]
    facts = {state: fact for state in with_list if (fact := deciding_fact(lists[state], fields)).item or fact.unknown}
    if day is None or not facts:
        return []
    old = [state for state, fact in facts.items() if fact.item and is_old(fact.date, day)]
    if len(facts) <= _FEW_STATES:
        return [
            f"{state}, oldest fact used: {fact.describe()}{_flag(day, state in old)}"
            for state, fact in facts.items()
            if not doubtful or state in old or fact.unknown
        ]
    lines = [f"{len(old)} of {len(facts)} states use a fact {_older_than(day, old)}"] if old or not doubtful else []
    dated = {state: fact for state, fact in facts.items() if fact.item}
    if dated and not doubtful:
        state = min(dated, key=lambda name: "" if dated[name].date == "undated" else dated[name].date)
        lines.append(f"the oldest is {state}: {replace(dated[state], unknown=()).describe()}")
    if unknown := [name for name, fact in facts.items() if fact.unknown]:
        lines.append(
            f"a field that affects the answer is unknown in {' '.join(unknown)}; policy-sim lists check "
            f"ranks such fields"
        )
    return lines


def price_lines(lists: Mapping[str, VoterList], states: Iterable[str]) -> list[str]:
    """Say how old the prices are that decide a cost in some states: as old as the day on which each was seen."""
    day = newest_source(lists.values())
    priced_lists = [lists[state] for state in states if state in lists and lists[state].price.kind != "unknown"]
    if day is None or not priced_lists:
        return []
    old = [listed.state for listed in priced_lists if is_old(listed.price.date, day)]
    if len(priced_lists) <= _FEW_STATES:
        return [
            f"{listed.state}, price: {listed.price.date or 'no date'}{_flag(day, listed.state in old)}"
            for listed in priced_lists
        ]
    return [f"{len(old)} of {len(priced_lists)} prices are {_older_than(day, old)}"]


def _older_than(day: dt.date, states: Sequence[str]) -> str:
    names = f" ({' '.join(states)})" if states else ""
    return f"older than {MAX_AGE_MONTHS} months on {day:%B} {day.day}, {day.year}{names}"


def _flag(day: dt.date, old: bool) -> str:
    return f" (OLD: more than {MAX_AGE_MONTHS} months before {day:%B} {day.day}, {day.year})" if old else ""
