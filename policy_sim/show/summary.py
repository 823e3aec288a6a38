"""The summary of a comparison for the eye: one row per state."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import pandas as pd

from policy_sim.policies.policy import Policy
from policy_sim.show.numbers import (
    OPEN_ENDED,
    Formatter,
    compact,
    fact_ends,
    people,
    percent,
    plain,
    range_words,
    short_dollars,
    short_percent,
    short_ratio,
    status_word,
)
from policy_sim.show.text_table import WIDTH, Column, column, layout, wrapped
from policy_sim.show.theme import TEXTS, attacker_title, policy_phrase, policy_title
from policy_sim.voter_lists.list_field import LINKED_FIELDS
from policy_sim.words.fields import GRANULARITIES, Field, field_word

_SMALL_FILE = "1% file %"
_OPEN, _MOST = "+", "≤"  # mark the lower end of an interval, and the upper end of one that begins at 0


def summary_table(
    profiles: pd.DataFrame,
    trust: pd.DataFrame,
    cost: pd.DataFrame,
    width: int | None = None,
    footer: Sequence[str] = (),
    *,
    worth: bool = False,
    g: Sequence[int] = (),
) -> str:
    """Say what the heads mean, and write one row per state: total risk, trust differential, cost.

    Total risk is people and per cent of the people released. Where a field of a list is not known the
    lower end stands with a ``+``; the rows have both ends. With several populations one table follows another.

    ``worth``: also what a match is worth: people alone with their values, the precision of claims where a list holds
    some of the people only, a file of one per cent, and dollars per correct claim.
    """
    names = list(profiles["population"].unique()) if "population" in profiles else [None]
    parts = []
    for name in names:
        tables = [
            frame if name is None or "population" not in frame else frame[frame["population"] == name]
            for frame in (profiles, trust, cost)
        ]
        head = [f"population {name}"] if len(names) > 1 else []
        parts.append("\n".join([*head, layout(*_columns(*tables, worth=worth, g=g), width)]))
    notes = list(_notes(profiles, trust, cost, worth=worth, g=g))
    above = [*wrapped(notes, width), ""] if notes else []
    return "\n".join([*above, "\n\n".join(parts), *wrapped(footer, width)])


def state_table(
    profiles: pd.DataFrame,
    trust: pd.DataFrame,
    cost: pd.DataFrame,
    sentences: Sequence[str],
    meaning: str,
    *,
    g: Sequence[int] = (),
) -> str:
    """Write one state: sentences, one row per policy and attacker, ratios and prices, and what the heads mean."""
    without = profiles.drop(
        columns="share_low", errors="ignore"
    )  # the sentences have the ranges, and the table 80 columns
    _, columns = _columns(without, trust, cost, worth=True, g=g)
    rows, lines = dict[tuple[str, ...], dict[str, str]](), dict[str, list[str]]()
    for each in columns:
        *group, name = each.head
        if len(group) > 1:  # policy and attacker
            rows.setdefault(tuple(group), {})[name] = each.cells[0]
        else:
            title = next((title for title, _ in rows if title.split()[0] == name), name)
            lines.setdefault(group[0], []).append(f"{title} {each.cells[0]}")
    heads = max(rows.values(), key=len)
    titles = zip(("policy", "attacker"), zip(*rows, strict=True), strict=True)
    named = [Column((head,), texts, right=False) for head, texts in titles]
    counted = [Column((head,), tuple(cells.get(head, "") for cells in rows.values())) for head in heads]
    figures = [f"{head}: {', '.join(texts)}" for head, texts in lines.items()]
    notes = [meaning, *_notes(profiles, trust, cost, worth=True, g=g)]
    return "\n".join([*wrapped(sentences), "", layout(named, counted), "", *wrapped(figures), "", *wrapped(notes)])


def _notes(
    profiles: pd.DataFrame, trust: pd.DataFrame, cost: pd.DataFrame, *, worth: bool, g: Sequence[int]
) -> Iterator[str]:
    """What the short heads, the columns of a match's worth and the words in place of figures mean."""
    from policy_sim.attackers import bought_by  # late: the lists of policies and populations need no attacker

    partial = worth and _is_partial(profiles)
    for pair in trust[["numerator_policy", "denominator_policy"]].drop_duplicates().itertuples(index=False):
        above, below = map(policy_phrase, pair)
        yield f"trust differential: total risk under {above} divided by that under {below}"
    # the price is that of the list or file of the first attacker, whose costs the table has
    names = list(cost["attacker"].unique()) if "attacker" in cost else []
    bought = bought_by(names[:1]) + (f", {attacker_title(names[0])}," if len(names) > 1 else "")
    if len(cost):
        yield f"$ per re-id.: price of the {bought} divided by total risk"
    if worth:
        yield from (TEXTS["worth"][name] for name in ("people", "alone"))
        if partial:
            yield TEXTS["worth"]["sure"]
        if "small_file_share" in profiles and profiles["small_file_share"].notna().any():
            yield TEXTS["worth"]["small"]
        if len(cost):
            yield f"$ per claim: price of the {bought} divided by the people alone"
    if any(_ranges(profiles, "share", short_percent)):
        yield TEXTS["worth"]["range"]
    yield from (f"g={size}: people who share their values with fewer than {size} others" for size in g if size > 1)
    words = {str(status) for frame in (profiles, trust, cost) for status in frame["status"].dropna()}
    words -= set() if partial else {"few_claims"}
    words |= set(cost["claim_status"].astype(str)) if worth and "claim_status" in cost else set()
    yield from (note for status, note in TEXTS["notes"].items() if status in words)


def _is_partial(profiles: pd.DataFrame) -> bool:
    claims, correct = (profiles.loc[profiles["measure"] == name, "people"] for name in ("claims", "correct-claims"))
    return bool((claims.dropna().to_numpy() > correct.dropna().to_numpy()).any())


def _columns(
    profiles: pd.DataFrame, trust: pd.DataFrame, cost: pd.DataFrame, *, worth: bool, g: Sequence[int]
) -> tuple[list[Column], list[Column]]:
    total = profiles[profiles["measure"] == "total-risk"]
    ratios = trust[trust["measure"] == "total-risk"]
    states = [str(state) for state in total["state"].unique()]
    columns: list[Column] = []
    for (policy, attacker), rows in _parts(total, ("policy", "attacker"), states):
        title = policy_title(policy) if worth else f"total risk: {policy_title(policy)}"
        head = (title, attacker_title(attacker))
        columns.append(Column((*head, "people      %"), _risks(rows)))
        same = profiles[(profiles["policy"] == policy) & (profiles["attacker"] == attacker)]
        columns += [Column((*head, name), cells) for name, cells in _more(same, rows, worth=worth, g=g)]
    several = len(ratios["numerator_policy"].unique()) > 1
    for (policy, attacker), rows in _parts(ratios, ("numerator_policy", "attacker"), states):
        head = (
            f"trust differential: {policy_title(policy)}" if several else "trust differential",
            attacker_title(attacker),
        )
        columns.append(Column(head, _figures(rows, "ratio", short_ratio)))
    prices = [("$ per re-id.", "usd_per_reidentification", "status")]
    prices += [("$ per claim", "usd_per_correct_claim", "claim_status")] * (worth and "usd_per_correct_claim" in cost)
    for words, name, status in prices:
        for (policy,), rows in _parts(cost, ("policy",), states):
            cells = _figures(rows.assign(status=rows[status]), name, short_dollars)
            columns.append(Column((words, policy_title(policy).split()[0]), cells))
    return [Column(("",), tuple(states), right=False)], columns


def _more(
    profiles: pd.DataFrame, total: pd.DataFrame, *, worth: bool, g: Sequence[int]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns next to the total risk of one policy and attacker: name and cells."""
    by_measure = {name: rows.set_index("state") for name, rows in profiles.groupby("measure", sort=False)}
    if worth and "correct-claims" in by_measure:
        yield "alone %", _shares(by_measure["correct-claims"].reindex(total.index), "share")
        if _is_partial(profiles):
            yield "sure %", _shares(by_measure["precision"].reindex(total.index), "share")
        if total["small_file_share"].notna().any():
            yield _SMALL_FILE, _shares(total, "small_file_share")
    for size in g:
        rows = profiles[profiles["g"] == size].set_index("state").reindex(total.index)
        yield f"g={size} %", _shares(rows, "share")


def _shares(rows: pd.DataFrame, name: str) -> tuple[str, ...]:
    """Per cent without its sign, or one word; a share of nobody is empty. Only of risk is the upper end the most."""
    grows = name == "small_file_share" and f"{name}_high" in rows
    high = rows[f"{name}_high"] if grows else rows[name]
    return tuple(
        (_word(status) if status not in ("ok", "interval") else "-")
        if pd.isna(share)
        else _MOST + short_percent(most).removesuffix("%")
        if share == 0 < most
        else short_percent(share).removesuffix("%") + mark
        for share, most, status, mark in zip(rows[name], high, rows["status"], _marks(rows), strict=True)
    )


def _parts(
    frame: pd.DataFrame, names: Sequence[str], states: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """Part a frame by every combination of ``names``; each part has one row per state, in that order."""
    parts = dict(iter(frame.groupby(list(names), sort=False)))
    for key in product(*(frame[name].unique() for name in names)):
        if key in parts:
            yield tuple(map(str, key)), parts[key].drop_duplicates("state").set_index("state").reindex(list(states))


def _risks(rows: pd.DataFrame) -> tuple[str, ...]:
    """People, per cent and its range, each aligned, or one word; of what nobody knows of the list the lower end."""
    ends = [end for name in ("people", "share") for end in fact_ends(rows, name)]
    behind = _ranges(rows, "share", short_percent)
    parts = [
        None
        if pd.isna(share)
        else (_MOST + compact(most), short_percent(most_share).removesuffix("%"), "")
        if people == 0 < most
        else (compact(people) + mark, short_percent(share).removesuffix("%"), own_range)
        for people, most, share, most_share, mark, own_range in zip(*ends, _marks(rows), behind, strict=True)
    ]
    widths = [max((len(part[place]) for part in parts if part), default=0) for place in range(3)]
    return tuple(
        "{:>{}} {:>{}}{:<{}}".format(*(each for pair in zip(part, widths, strict=True) for each in pair))
        if part
        else _word(status)
        for part, status in zip(parts, rows["status"], strict=True)
    )


def _ranges(rows: pd.DataFrame, name: str, write: Formatter) -> list[str]:
    """Write the range behind each figure that no unknown fact leaves open; of a table without ranges nothing."""
    if f"{name}_low" not in rows:
        return [""] * len(rows)
    ends = zip(*(rows[end] for end in (name, f"{name}_low", f"{name}_high", "status")), strict=True)
    return [
        "" if pd.isna(value) or pd.isna(low) or status in OPEN_ENDED else range_words(value, low, high, write)
        for value, low, high, status in ends
    ]


def _figures(rows: pd.DataFrame, name: str, write: Formatter) -> tuple[str, ...]:
    ends = pd.concat(fact_ends(rows, name), axis=1).min(axis=1)
    after = (mark + behind for mark, behind in zip(_marks(rows), _ranges(rows, name, write), strict=True))
    return tuple(
        _word(status) if pd.isna(value) or status == "free" else write(value) + words
        for value, status, words in zip(ends, rows["status"], after, strict=True)
    )


def _word(status: object) -> str:
    return str(TEXTS["short"].get(str(status), status_word(status)))


def _marks(rows: pd.DataFrame) -> list[str]:
    return [_OPEN if status in OPEN_ENDED else "" for status in rows["status"].fillna("")]


# Shipped populations for the eye: one line each, or one in full.


_SHARES = ("counted", "estimated", "modeled")


def populations_text(frame: pd.DataFrame) -> str:
    """Write the rows of :func:`policy_sim.people.facts.populations_frame`, one a line."""
    columns = [
        column(frame, "date", right=True),
        column(frame, "people", write=people),
        Column(("cells",), tuple(map(_count, frame["cells"]))),
        *(column(frame, name, write=percent) for name in _SHARES),
    ]
    return layout([column(frame, "population")], columns)


def population_text(name: str, facts: Mapping[str, Any]) -> str:
    """Write everything that the manifest says of one population."""
    shares = ", ".join(f"{percent(facts[word])} {word}" for word in _SHARES)
    by_state = ", ".join(f"{state} {percent(share)}" for state, share in facts.get("counted_by_state", {}).items())
    ethnicity: list[str] = []
    if (origin := facts.get("ethnicity")) is not None:
        counted = f"{percent(origin['counted'])} of the people counted with it"
        ethnicity = [
            f"ethnicity: {people(origin['hispanic'])} Hispanic people; {counted}. {origin['how']}",
            f"ethnicity file: {origin['file']}, sha256 {origin['sha256']}",
        ]
    lines = [
        f"{name}: {facts['title']}",
        f"publisher: {facts['publisher']}",
        f"date: {facts['date']}",
        f"people: {people(facts['people'])}; cells: {_count(facts['cells'])}; {shares}",
        *([f"counted by state: {by_state}"] if by_state else []),
        f"how made: {facts['how']}",
        *ethnicity,
        *(f"note: {note}" for note in facts["notes"]),
        *(f"source: {source}" for source in facts["sources"]),
        f"file: {facts['file']}, sha256 {facts['sha256']}",
        f"built with: {', '.join(facts['made_with'])}",
    ]
    return "\n".join(wrapped(lines))


def _count(number: int | None) -> str:
    """Write how many cells there are; a population that is made when it is asked for has none before."""
    return "not yet counted" if number is None or pd.isna(number) else people(number)


# Policies as text: a list, one with its rules, and what release checks find.


def list_text(frame: pd.DataFrame) -> str:
    """Write one line per policy: what it shows of each field, and its conditions."""
    conditions = [
        ", ".join([f"age < {top}"] * pd.notna(top) + [f"{place} of more than {most:,} people"] * pd.notna(most))
        for top, most, place in zip(frame["top_age"], frame["place_above"], frame["geography"], strict=True)
    ]
    fields = [column(frame, name.value, (field_word(name),)) for name in Field]
    return layout([column(frame, "policy")], [*fields, Column(("conditions",), tuple(conditions), right=False)])


def policy_text(policy: Policy, zip3_lists: Mapping[str, Sequence[str]]) -> str:
    """Write a policy with each rule and its paragraph; lists of ZIP codes where a rule needs them."""
    lines = [f"{policy.name}: {policy.title}", f"  after {policy.citation}", ""]
    lines += [
        f"  {field_word(field):<10} {name}"
        for field, name in policy.releases.items()
        if name != next(iter(GRANULARITIES[field]))
    ]
    if policy.conditions.top_age is not None:
        lines.append(
            f"  ages {policy.conditions.top_age} and over are one class; year and date of birth do not show them either"
        )
    if policy.conditions.shift_days is not None:
        lines.append(
            f"  dates of birth are shifted by up to {policy.conditions.shift_days} days in either direction: who knows "
            f"one sees a window of {2 * policy.conditions.shift_days + 1} days"
        )
    small = policy.conditions.small_places
    if small is not None:
        lines.append(
            f"  a {small.place} of {small.most:,} people or fewer is not shown; in each state they all share one value"
        )
    if policy.paper_form:
        lines.append(f"  as Benitez & Malin 2010 simplify it: {policy.paper_form} (rules: paper)")
    for remark in policy.remarks:
        lines += ["", *textwrap.wrap(remark, WIDTH - 4, initial_indent="  ", subsequent_indent="  ")]
    for rule in policy.rules:
        lines += ["", *textwrap.wrap(rule.says, WIDTH - 4, initial_indent="  ", subsequent_indent="  ")]
        lines.append(f"    {rule.citation}")
    if small is not None and small.place == "zip3":
        for citation, prefixes in zip3_lists.items():
            lines += ["", f"  {len(prefixes)} prefixes, {citation}:"]
            lines += textwrap.wrap(" ".join(prefixes), WIDTH - 4, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def checked_text(frame: pd.DataFrame, policy: str) -> str:
    """Write what each check would withhold in each state."""
    columns = [
        column(frame, "passes", write=lambda passes: "yes" if passes else "no"),
        column(frame, "cells", write=people),
        column(frame, "cells_withheld", ("withheld", "cells"), people),
        column(frame, "cells_withheld_share", ("withheld", "share"), percent),
        column(frame, "people_withheld", ("withheld", "people"), people),
        column(frame, "people_withheld_share", ("withheld", "share of people"), percent),
    ]
    return f"{policy}\n{layout([column(frame, 'state'), column(frame, 'check')], columns)}"


# Resources as text: all side by side, and one with its facts and sources.


def resource_list_text(frame: pd.DataFrame) -> str:
    """Write one line per resource: its kind, its states, what it shows, how many of the people, and its price."""
    shares = [_share(low, high) for low, high in zip(frame["least_share"], frame["most_share"], strict=True)]
    columns = [
        *(column(frame, name) for name in ("kind", "states")),
        *(column(frame, name, (field_word(name),), _short, right=False) for name in LINKED_FIELDS),
        Column(("share of", "its people"), tuple(shares), right=False),
        *(column(frame, name) for name in ("price", "buyers")),
    ]
    return layout([column(frame, "name", ("resource",))], columns)


def resource_text(facts: pd.DataFrame) -> str:
    """Write the facts of one resource, with notes and sources below the table."""
    listed_facts = facts[~facts["item"].isin(("title", "note", "legality"))]
    columns = [column(listed_facts, name) for name in ("value", "date", "confidence")]
    (title,) = facts.loc[facts["item"] == "title", "value"]
    lines = [f"{facts['name'].iloc[0]}: {plain(title)}", ""]
    items = tuple(plain(field_word(item)) for item in listed_facts["item"])
    lines.append(layout([Column(("item",), items, right=False)], columns))
    notes = [f"{item}: {note}" for item, note in zip(items, listed_facts["note"], strict=True) if note]
    notes += [f"legality: {value}" for value in facts.loc[facts["item"] == "legality", "value"]]
    notes += list(facts.loc[facts["item"] == "note", "value"])
    sources = list(dict.fromkeys(cited for row in facts["sources"] if row for cited in str(row).split(" | ")))
    for head, texts in (("Notes", notes), ("Sources", sources)):
        if texts:
            lines += ["", head, *wrapped([f"  {plain(text)}" for text in texts])]
    return "\n".join(lines)


def _share(low: float, high: float) -> str:
    if (low, high) == (0.0, 1.0):
        return "unknown"
    return percent(low) if low == high else f"{percent(low)} to {percent(high)}"


def _short(fact: str) -> str:
    return fact.removeprefix("included (").removesuffix(")") if fact.startswith("included (") else fact
