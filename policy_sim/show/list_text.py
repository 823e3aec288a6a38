"""Facts as text, with their sources: voter lists, what states release, disclosure rules and tables judged by one."""

from __future__ import annotations

import datetime as dt
import textwrap
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from policy_sim.files.evidence import Source
from policy_sim.model.profile import RiskProfile, has_ratio
from policy_sim.policies.policy import Policy
from policy_sim.policies.states.state_release import Finding, StateRelease, year_ranges
from policy_sim.show.numbers import cents, people, percent, plain, ratio, with_decimals, with_range
from policy_sim.show.text_table import Column, column, cut, layout, table_width, text_table, wrapped
from policy_sim.voter_lists.facts import deciding_fact, facts_of
from policy_sim.voter_lists.list_field import LINKED_FIELDS
from policy_sim.voter_lists.voter_list import Quote, VoterList
from policy_sim.words.fields import field_word, fields_title

_COLUMNS = ("item", "value", "date", "confidence", "sources", "note")


def voter_list_text(listed: VoterList, name: str) -> str:
    """Return a list as text; long lines are wrapped, and control characters replaced."""
    facts = facts_of(listed)
    rows = [
        (field_word(fact.item), fact.value, fact.date, fact.confidence, ", ".join(fact.sources), fact.note)
        for fact in facts
    ]
    parts = [f"{name}: voter list, vintage {listed.vintage}{_held(listed)}", ""]
    columns = [
        Column((head,), cells, right=False) for head, cells in zip(_COLUMNS, zip(*rows, strict=True), strict=True)
    ]
    remarks = (f"{row[0]}: {row[-1]}" for row in rows if row[-1])
    parts += [layout(columns[:1], columns[1:-1]), *_section("Notes on the items", remarks)]
    linked = [name for name in LINKED_FIELDS if name != "zip"]
    words = ", ".join(map(field_word, linked))
    parts += ["", f"Oldest fact for a linkage by {words}: {deciding_fact(listed, linked).describe()}"]
    parts += _section("Quoted elsewhere", (f"{quote.source}: {_quoted(quote)}" for quote in listed.quotes))
    disputes = (
        f"{dispute.about}: {dispute.chosen}; not {dispute.other} ({'settled' if dispute.resolved else 'not settled'}). "
        f"{dispute.why}"
        for dispute in listed.conflicts
    )
    parts += [*_section("Sources disagree", disputes), *_section("Notes", listed.notes)]
    cited = dict.fromkeys(source for fact in facts for source in fact.sources)
    return _lines([*parts, *_section("Sources", (f"{key}: {_cited(listed, key)}" for key in cited))])


def _section(head: str, lines: Iterable[str]) -> list[str]:
    """Return indented lines under a head, and nothing without lines."""
    indented = [f"  {line}" for line in lines]
    return ["", head, *indented] if indented else []


def _quoted(quote: Quote) -> str:
    amount = "" if quote.usd is None else f"{cents(quote.usd)} USD"
    return ", ".join(filter(None, (amount, quote.words, quote.openness.replace("_", " "))))


def sources_text(sources: pd.DataFrame) -> str:
    """Return the rows of :func:`policy_sim.voter_lists.facts.sources_frame`, one document after the other."""
    parts: list[str] = []
    for (title, date, address), rows in sources.groupby(["source", "date", "address"], sort=False):
        parts += [f"{title}, {date}", f"  {address}" if address else "  no address"]
        supports = [", ".join(map(field_word, items.split(", "))) for items in rows["supports"]]
        parts += [f"  {vintage}: {items}" for vintage, items in zip(rows["vintage"], supports, strict=True)]
        parts += [f"  {note}" for note in rows["note"].unique() if note]
    return _lines(parts) or "(no sources)"


def difference_text(rows: pd.DataFrame, before: str, after: str) -> str:
    """Return the rows of :func:`policy_sim.voter_lists.facts.diff_frame`: a table, and below it why."""
    if not len(rows):
        return f"Nothing differs between {before} and {after}."
    names = rows["item"].map(field_word)
    table = text_table(rows.drop(columns="why").assign(item=names))
    whys = [
        f"  {state} {item}: {why}" for state, item, why in zip(rows["state"], names, rows["why"], strict=True) if why
    ]
    return "\n".join([table, *([_lines(["", "Why", *whys])] if whys else [])])


def _held(listed: VoterList) -> str:
    """Return since when the list holds; nothing where no list is described."""
    if listed.valid_from == dt.date.min:
        return ""
    until = f" until {listed.valid_until}" if listed.valid_until else ""
    return f", valid from {listed.valid_from}{until}"


def _lines(parts: Iterable[str], *, whole: bool = True) -> str:
    """Wrap every line, keeping its indent, and replace what a terminal would obey; long words stay ``whole``."""
    limit, lines = table_width(), []
    for line in "\n".join(map(plain, parts)).split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        look: dict[str, Any] = {"initial_indent": indent, "subsequent_indent": indent + "  "}
        look |= {"break_long_words": not whole, "break_on_hyphens": not whole}
        lines += [line] if len(line) <= limit else textwrap.wrap(line.strip(), limit, **look)
    return "\n".join(lines)


def _cited(listed: VoterList, key: str) -> str:
    source = listed.sources[key]
    return ". ".join(part for part in (f"{source.title}, {source.date}", source.url, source.note) if part)


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; a bar in a cell becomes a slash.

    >>> print(markdown_table(("state", "price"), [("OH", "free")]), end="")
    | state | price |
    | --- | --- |
    | OH | free |
    """
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines) + "\n"


# What a state releases, as text: each file, its terms, its elements, caveats and sources.


_SHORT = ("state", "file", "year", "sex", "race", "ethnicity", "birth", "geography", "admission_month", "person_link")


def releases_text(frame: pd.DataFrame, notes: Sequence[str]) -> str:
    """Write one line per file; the terms that they share follow once."""
    return _lines([text_table(frame[list(_SHORT)]), "", *notes], whole=False)


def counts_text(frame: pd.DataFrame) -> str:
    """Write how many files show each element; elements that no file shows are left out."""
    rows = frame[(frame["shown"] > 0) | (frame["unknown"] > 0)]
    return layout(
        [_texts("element", rows["title"])],
        [
            Column(("shown",), tuple(f"{n} of {of}" for n, of in zip(rows["shown"], rows["files"], strict=True))),
            Column(("unknown",), tuple(str(n) if n else "" for n in rows["unknown"])),
        ],
    )


def release_text(release: StateRelease, name: str, elements: pd.DataFrame) -> str:
    """Write one file of a state."""
    program = release.program
    cited = f" ({program.agreement.citation})" if program.agreement.citation else ""
    buyers = "unknown" if program.buyers is None else ", ".join(program.buyers)
    facts = {
        "program": program.title,
        "released by": program.holder,
        "years": year_ranges(release.years),
        "agreement": program.agreement.describe() + cited,
        "price": program.price.describe(),
        "buyers": buyers,
    }
    parts = [f"{name}: {release.id} file", "", *(f"  {key + ':':<15}{value}" for key, value in facts.items()), ""]
    mentioned = elements if release.complete else elements[elements["shown"] != ""]
    if len(mentioned):
        columns = [_texts("element", mentioned["title"]), _texts("shown in", mentioned["shown"])]
        columns += [_texts("unknown in", mentioned["unknown"])] if any(mentioned["unknown"]) else []
        parts.append(layout(columns[:1], columns[1:]))
    else:
        parts.append("  No source says what the file shows.")
    if not release.complete:
        parts += ["", "  The source does not list every element, so an element that is not named is unknown."]
    caveats = _section("Caveats", (*program.caveats, *release.caveats))
    return _lines([*parts, *caveats, *_section("Sources", _sources(release.sources))], whole=False)


def own_release_line(policy: Policy, profile: RiskProfile, measure: str, people_before: float) -> str:
    """Write in a line what a state's own file shows and risks, next to the risk of another policy."""
    bounds, share = profile.people(measure), profile.share(measure)
    if bounds is None or share is None:
        return f"own release: {profile.reason}"
    ends = [f"{people(end)} ({percent(part)})" for end, part in ((bounds.low, share.low), (bounds.high, share.high))]
    risk = " to ".join(dict.fromkeys(ends))
    times = [ratio(end / people_before) for end in (bounds.low, bounds.high)] if has_ratio(people_before) else []
    against = f", {' to '.join(dict.fromkeys(times))} times the first row" if times else ""
    return f"own release: {policy.title}, {fields_title(profile.linkage_key)}: {risk} at risk{against}"


def findings_text(findings: Sequence[Finding], sources: Mapping[str, Source]) -> str:
    """Write what surveys of all states say."""
    surveys = ["All states", "", *(f"  {finding.year}: {finding.says}" for finding in findings)]
    return _lines([*surveys, *_section("Sources", _sources(sources))], whole=False)


def _texts(head: str, cells: Iterable[str]) -> Column:
    return Column((head,), tuple(cells), right=False)


def _sources(sources: Mapping[str, Source]) -> Iterator[str]:
    for key, source in sources.items():
        yield f"{key}: {source.title}, {source.date}" + (f" <{source.url}>" if source.url else "")


# Disclosure rules: all side by side, one with every fact, several compared; a table or rates judged by one.


_ITEM = 22  # letters of the widest item
_LONGEST, _LONGEST_CELL, _LONGEST_GROUP = 52, 40, 30  # letters of what a rule hides, of a cell's and a group's name
_MOST_REASONS = 10  # below a table
_ONE_DECIMAL = 10  # rates from here on have one decimal, smaller ones three digits


def rule_list_text(frame: pd.DataFrame) -> str:
    """Write one line per rule: the largest hidden count, zeros, what it hides and how sure that is."""
    columns = [
        column(frame, "largest", ("largest", "hidden"), str, none="-"),
        column(frame, "zeros", ("", "zeros")),
        column(frame, "hides", ("", "what it hides"), most=_LONGEST),
        column(frame, "confidence", ("", "sure")),
    ]
    return layout([column(frame, "rule", ("", "rule"))], columns)


def rule_facts_text(frame: pd.DataFrame) -> str:
    """Write the facts of each rule below its id."""
    parts = []
    for name, facts in frame.groupby("rule", sort=False):
        lines = [str(name)]
        for item, value in zip(facts["item"], facts["value"], strict=True):
            first, rest = f"  {item:<{_ITEM}}", " " * (_ITEM + 2)
            lines += textwrap.wrap(plain(str(value)), table_width(), initial_indent=first, subsequent_indent=rest)
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def compared_rules_text(frame: pd.DataFrame) -> str:
    """Write one block per item with a line for each rule: the words are too long for columns."""
    parts = []
    for row in frame.to_dict("records"):
        rules = {str(name): str(value) for name, value in row.items() if name != "item"}
        cells = Column(("",), tuple(rules), right=False)
        words = Column((str(row["item"]),), tuple(cut(text, 90) for text in rules.values()), right=False)
        parts.append(layout([cells], [words], max(table_width(), 120)))
    return "\n\n".join(parts)


def rates_text(frame: pd.DataFrame, by: tuple[str, ...]) -> str:
    """Write one line per group: count, people, both rates with intervals, the mark; then why there is none."""
    word = [
        str(mark or (status if status != "ok" else ""))
        for mark, status in zip(frame["mark"], frame["status"], strict=True)
    ]
    columns = [
        column(frame, "count", ("", "count"), people, none="-"),
        column(frame, "people", ("", "people"), people, none="-"),
        Column(("crude", "rate (interval)"), tuple(_rate(row, "crude") for row in frame.to_dict("records"))),
        Column(("age-adjusted", "rate (interval)"), tuple(_rate(row, "adjusted") for row in frame.to_dict("records"))),
        Column(("", "mark"), tuple(word), right=False),
    ]
    keys = [column(frame, name, ("", name), most=_LONGEST_GROUP) for name in by]
    names = frame[list(by)].agg(", ".join, axis=1) if by else ["the file"] * len(frame)
    reasons = [f"{plain(name)}: {reason}" for name, reason in zip(names, frame["reason"], strict=True) if reason]
    more = [f"... and {len(reasons) - _MOST_REASONS:,} more"] * (len(reasons) > _MOST_REASONS)
    return "\n".join([layout(keys, columns), *wrapped([*reasons[:_MOST_REASONS], *more])])


def _rate(row: dict[Hashable, Any], kind: str) -> str:
    values = [row[f"{kind}{end}"] for end in ("", "_lower", "_upper")]
    if pd.isna(values[0]):
        return "-"
    rate, lower, upper = (with_decimals(value, 1) if value >= _ONE_DECIMAL else ratio(value) for value in values)
    return f"{rate} ({lower} to {upper})"


def table_check_text(frame: pd.DataFrame) -> str:
    """Write what a reader derives of each hidden cell, without its label and with it."""
    if frame.empty:
        return ""
    order = frame["result"].map({"follows": 0, "narrower": 1, "open": 2})
    frame = frame.iloc[order.argsort(kind="stable")]
    columns = [
        Column(("a reader derives", "without label"), tuple(_ends(frame, ""))),
        Column(("a reader derives", "with label"), tuple(_ends(frame, "_labeled"))),
        column(frame, "result", ("", "result")),
        column(frame, "hidden_by", ("", "hidden by")),
        column(frame, "why", ("", "why"), most=_LONGEST),
    ]
    return layout([column(frame, "cell", ("", "cell"), right=True, most=_LONGEST_CELL)], columns)


def protected_text(frame: pd.DataFrame) -> str:
    """Write each hidden cell with why; the further cells first."""
    if frame.empty:
        return ""
    frame = frame.sort_values("hidden_as", kind="stable")
    columns = [
        column(frame, "hidden_as", ("", "hidden as")),
        column(frame, "why", ("", "why"), most=_LONGEST),
    ]
    columns += [column(frame, name, ("", name)) for name in ("keeps",) if name in frame]
    return layout([column(frame, "cell", ("", "cell"), right=True, most=_LONGEST_CELL)], columns)


def case_check_text(frame: pd.DataFrame) -> str:
    """Write one line per rule and reading, then what each asks that does not hold, where, and what to do."""
    columns = [
        column(frame, "reading", ("", "reading")),
        column(frame, "status", ("", "result")),
        column(frame, "records", ("", "records"), people),
        column(frame, "combinations", ("", "combinations"), people),
    ]
    lines = [layout([column(frame, "rule", ("", "rule"))], columns), ""]
    for row in frame[frame["status"] != "holds"].to_dict("records"):
        words = [f"{row['rule']} ({row['reading']}) asks: {row['asks']}."]
        parts = {"Where": row["places"], "Not tested": row["reason"], "To do": row["remedy"]}
        words += [f"{head}: {text}." for head, text in parts.items() if text]
        lines.append(textwrap.fill(" ".join(words), table_width(), subsequent_indent="  "))
    return "\n".join(lines)


def _ends(frame: pd.DataFrame, kind: str) -> Iterator[str]:
    for low, high in zip(frame[f"least{kind}"], frame[f"greatest{kind}"], strict=True):
        yield f"{low:,} or more" if pd.isna(high) else f"{low:,}" if low == high else f"{low:,} to {high:,}"


_COUNT_OF = {"records": "all", "alone": "alone", "small": "in few", "values": "groups"}
_SEEN = {"birth=date": "date of birth", "birth=month": "month of birth", "birth=year": "year of birth"}


def measured_list_text(ten: pd.DataFrame) -> str:
    """Write the counts of a list to send back, next to what the model expects and its range."""
    ends = zip(*(ten[name].tolist() for name in ("expected", "low", "high")), strict=True)
    expected = ["" if pd.isna(figure) else with_range(figure, low, high, people) for figure, low, high in ends]
    columns = [
        Column(("",), tuple(map(str, range(1, len(ten) + 1)))),
        Column(("counted",), tuple(people(float(number)) for number in ten["counted"])),
        Column(("expected",), tuple(expected)),
        Column(("count",), tuple(_COUNT_OF[name] for name in ten["count_of"]), right=False),
        Column(("by",), tuple(map(_seen, ten["key"])), right=False),
    ]
    meant = (
        "alone: records alone with their values. in few: records in groups of up to 20. groups: groups of up to 20 "
        "records. Behind what is expected: the range over what is assumed of the list."
    )
    return "\n".join([layout(columns[:1], columns[1:]), "", *wrapped([meant])])


def dates_text(rows: pd.DataFrame) -> str:
    """Write by state how many records are the only ones with their date of birth, and how many dates few share."""
    shown = [
        tuple(
            with_range(figure, low, high, people)
            for figure, low, high in zip(rows[name], rows[f"{name}_low"], rows[f"{name}_high"], strict=True)
        )
        for name in ("alone", "dates")
    ]
    columns = [
        Column(("state",), tuple(rows["state"]), right=False),
        Column(("records",), tuple(people(float(number)) for number in rows["records"])),
        Column(("alone",), shown[0]),
        Column(("dates",), shown[1]),
    ]
    return layout(columns[:1], columns[1:])


def _seen(key: str) -> str:
    parts = fields_title(key).split("+") if key else []
    return ", ".join(_SEEN.get(part, part.removeprefix("geography=").replace("_", " and ")) for part in parts)
