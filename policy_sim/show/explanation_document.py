"""Where one figure comes from, as a document: key, groups, one group worked, inputs, what would change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from policy_sim.show.document.blocks import Block, Bullets, Document, DocumentTable, Heading, Paragraph
from policy_sim.show.numbers import (
    Formatter,
    bare,
    given,
    interval,
    people,
    percent,
    result,
    status_word,
)
from policy_sim.show.theme import attacker_title, policy_title, state_title
from policy_sim.words.fields import COMPARED

_FIELDS = {"gender": "sex", "geography": "place"}
_INPUTS = {**_FIELDS, "zip": "ZIP code"}
_PLACES = {
    "area:": "area of ",
    "county_zip5": "county and ZIP code",
    "county_zip3": "county and three-digit ZIP code",
    "zip5": "ZIP code",
    "zip3": "three-digit ZIP code",
}
_SHORT = 3  # steps, where all are on the list and have one value
_ONE = 0.5  # fewer expected people than this are none


def explanation_document(facts: Mapping[str, Any]) -> Document:
    """Return the document of an explanation's facts, as its ``to_dict`` gives them."""
    blocks: list[Block] = [*_answer(facts), *_key(facts), *_groups(facts), *_inputs(facts), *_changes(facts)]
    blocks += [Heading("Notes"), Bullets(tuple(facts["notes"]))]
    return Document(
        f"{state_title(facts['state'])}: {policy_title(facts['policy'])}, {attacker_title(facts['attacker'])}",
        "Where the figure comes from",
        tuple(blocks),
    )


def _answer(facts: Mapping[str, Any]) -> list[Block]:
    risk = facts["figures"].get("total-risk")
    if risk is None:
        return [Paragraph(f"There is no figure: {status_word(facts['status'])}. {facts['reason']}", "lead")]
    alone = facts["figures"].get("1-distinct")
    whole = "people of the file" if facts["in_file"] < 1 else "people of the state"
    text = (
        f"Matching at random within equal groups, the attacker is right for {_ends(risk['people'], people)} people: "
        f"{_ends(risk['share'], percent)} of the {people(facts['people'] * facts['in_file'])} {whole}."
    )
    if alone is not None:
        text += f" {_worth(alone['people'], facts)}"
    reason = [Paragraph(f"Why two figures: {facts['reason']}.")] if facts["status"] == "interval" else []
    return [Paragraph(text, "lead"), *reason]


def _worth(alone: Sequence[float], facts: Mapping[str, Any]) -> str:
    """Say of those alone with their values what a match is worth: certain only where the list misses nobody."""
    claims, precision = facts["figures"]["claims"]["people"], facts["precision"]
    if max(claims) < _ONE:
        return "It never finds exactly one person with the values of a record."
    if precision is not None and min(precision) == 1:
        return f"{_ends(alone, people)} people are alone with their values and certain to be matched."
    listed = _ends(alone, people)
    right = "too few to say how many of these claims are right"
    if precision is not None:
        right = f"and {_ends(precision, percent)} of these claims are right"
    return (
        f"{listed[:1].upper() + listed[1:]} people are listed and alone with their values. The list misses people: for "
        f"{_ends(claims, people)} records the attacker finds exactly one person, {right}."
    )


def _ends(ends: Sequence[float], write: Formatter) -> str:
    """Write both ends; where even nobody is possible, the most."""
    low, high = ends
    return f"at most {write(high)}" if low == 0 < high else interval(low, high, write)


def _key(facts: Mapping[str, Any]) -> list[Block]:
    rows = tuple(
        (_FIELDS.get(row["field"], row["field"]), *(_seen(row[name]) for name in ("released", "held", "linked")))
        for row in facts["linked"]
    )
    table = DocumentTable(("field", "the release shows", "the attacker holds", "both share"), rows)
    text = f"Linkage key: {facts['linkage_key'] or 'none'}. For each field, it is the coarser of the two"
    if any(row["linked"] in COMPARED for row in facts["linked"]):
        text += ", but race is compared record by record, as the two ask it in different ways"
    return [Heading("What links the two"), Paragraph(f"{text}."), table]


def _seen(granularity: str) -> str:
    """Return how finely a field is seen, in words: ``county_zip5`` is a county and a ZIP code."""
    for name, words in _PLACES.items():
        granularity = granularity.replace(name, words)
    return granularity


def _groups(facts: Mapping[str, Any]) -> list[Block]:
    counts, worked = facts["groups"], facts["worked"]
    if counts is None:
        return []
    blocks: list[Block] = [
        Heading("Who shares a key"),
        Paragraph(
            f"{people(counts['people'])} people may be on the attacker's list. The census puts them in "
            f"{people(counts['groups'])} groups. The median person shares a group with "
            f"{people(max(counts['middle'] - 1, 0))} others."
        ),
        Heading("One group, step by step"),
    ]
    values = ", ".join(f"{field} {value}" for field, value in worked["shown"].items()) or "everyone together"
    steps = _steps(worked)
    if worked["released"] < 1:
        steps.append(
            f"Only one of the release and the list asks race with Hispanic as one of the answers. Of the people who "
            f"may match this record, {percent(worked['released'])} have the same race in the release; their records "
            f"have that share of both figures. Records of another race are compared with other people."
        )
    return [*blocks, Paragraph(f"The group of the median person: {values}."), Bullets(tuple(steps))]


def _steps(worked: Mapping[str, Any]) -> list[str]:
    """Write the arithmetic, with the formulas of docs/model.md."""
    b, parts = worked["values"], worked["parts"]
    hidden = f"{bare(b)} equally likely values that the census does not show"
    values = "1 value: the key does not distinguish these people" if b == 1 else hidden
    steps = _alike(worked) if len(parts) == 1 and parts[0]["share"] == 1 else _parts(worked)
    return steps if b == 1 and len(steps) == _SHORT else [*steps[:-2], f"b = {values}.", *steps[-2:]]


def _alike(worked: Mapping[str, Any]) -> list[str]:
    """Write the arithmetic of people who are all in one place: who they are, then matches, then those alone."""
    b, s = worked["values"], worked["stale"]
    (part,) = worked["parts"]
    whole, c, n = part["people"], worked["linked"], worked["trials"]
    if b == 1 and c == 1 and not s:
        return [
            f"n = {whole:,} people{_of_county(part)}. The key does not distinguish them (b = 1), and all are on "
            f"the list (c = 1).",
            f"Correct matches: b (1 - (1 - c/b)^n) = {result(worked['correct'])}. Each of the {whole:,} guesses is "
            f"right with chance 1/{whole:,} (Benitez and Malin 2010, equation 4).",
            f"Alone with their values: {result(worked['alone'])} people.",
        ]
    steps = [
        f"n = {whole:,} people{_of_county(part)}.",
        f"c = {bare(c)}: the chance that one of them is on the list and in the file.",
    ]
    if n != whole:
        c = worked["linked"] * whole / n
        steps[-1] = (
            f"n c = {given(worked['linked'] * whole)} of them are expected on the list and in the file. Some are "
            f"likelier to be than others: they count as n = {given(n)} people with c = {bare(c)} each, as scattered."
        )
    number = given(n) if n != whole else bare(n)
    others = given(n - 1) if n != whole else bare(n - 1)
    equations = "(Benitez and Malin 2010, equation 4)"
    if not s:
        return [
            *steps,
            f"Correct matches: b (1 - (1 - c/b)^n) = {bare(b)} x (1 - (1 - {bare(c)}/{bare(b)})^{number}) = "
            f"{result(worked['correct'])}, one for each value that somebody has {equations}.",
            f"Alone: n c (1 - c/b)^(n-1) = {number} x {bare(c)} x (1 - {bare(c)}/{bare(b)})^{others} = "
            f"{result(worked['alone'])} people (equations 2 and 3, counting people).",
        ]
    return [
        *steps,
        f"s = {bare(s)} records of people who left are expected to look like them, each with one of the b values.",
        f"Correct matches: n c times the mean of 1/(1 + others with the value), n c x integral from 0 to 1 of "
        f"(1 - c u/b)^(n-1) exp(-s u/b) du = {result(worked['correct'])} {equations[:-1]}, with s).",
        f"Alone: n c (1 - c/b)^(n-1) exp(-s/b) = {number} x {bare(c)} x (1 - {bare(c)}/{bare(b)})^{others} x "
        f"exp(-{bare(s)}/{bare(b)}) = {result(worked['alone'])} people (equations 2 and 3, counting people, with s).",
    ]


def _parts(worked: Mapping[str, Any]) -> list[str]:
    """Write the arithmetic of people of one or more counties who live here by chance."""
    s, parts = worked["stale"], worked["parts"]
    linked_alike = len({part["linked"] for part in parts}) == 1
    steps = [
        f"N = {p['people']:,} people{_of_county(p)}, each lives here with chance p = {bare(p['share'])}{_mean_of(p)}"
        + ("." if linked_alike else f" and is on the list and in the file with chance c = {bare(p['linked'])}.")
        for p in parts
    ]
    if linked_alike:
        steps.append(f"c = {bare(parts[0]['linked'])}: the chance that one of them is on the list and in the file.")
    more = " Each part has exactly its counted number of people, which changes the last digits."
    if any(part["classes"] for part in parts):
        more = " Every p is that of the people's sex, age and race."
    if not s:
        return [
            *steps,
            f"Correct matches: b (1 - product of (1 - c p/b)^N) = {result(worked['correct'])}, one for each value "
            f"that somebody has (Benitez and Malin 2010, equation 4).{more}",
            "Alone: b q times the sum of N o, with q the product and o = (c p/b) / (1 - c p/b) = "
            f"{result(worked['alone'])} people (equations 2 and 3, counting people).",
        ]
    return [
        *steps,
        f"s = {bare(s)} records of people who left are expected to look like them, each with one of the b values.",
        "Correct matches: for each person on the list the mean of 1/(1 + others with the value) = "
        f"{result(worked['correct'])} (Benitez and Malin 2010, equation 4, with s).{more}",
        "Alone: b q exp(-s/b) times the sum of N o, with q the product of (1 - c p/b)^N and "
        f"o = (c p/b) / (1 - c p/b) = {result(worked['alone'])} people (equations 2 and 3, counting people, with s).",
    ]


def _mean_of(part: Mapping[str, Any]) -> str:
    """Say of how many classes a chance is the mean, if of several."""
    many = part["classes"]
    return f" in the mean of {many} classes, of which each has its own p" if many > 1 else ""


def _of_county(part: Mapping[str, Any]) -> str:
    return f" of county {part['county']}" if part["county"] else ""


def _inputs(facts: Mapping[str, Any]) -> list[Block]:
    rows = tuple(
        (
            f"{head}{sign}{_INPUTS.get(item, item)}",
            row["value"],
            row["source"],
            row["date"] + ("" if row["age_years"] is None else f" ({bare(row['age_years'])} years)"),
            row["confidence"],
        )
        for row in facts["inputs"]
        for head, sign, item in [row["item"].rpartition(": ")]  # "list: zip" is "list: ZIP code"
    )
    return [
        Heading("Where each input comes from"),
        DocumentTable(("input", "value", "source", "date (age)", "confidence"), rows),
    ]


def _changes(facts: Mapping[str, Any]) -> list[Block]:
    head = Heading("What would change the answer")
    if not facts["changes"]:
        return [head, Paragraph(f"Not computed: {facts['no_changes']}")]
    rows = tuple(
        (row["title"], percent(row["share"]), interval(row["low"], row["high"], percent)) for row in facts["changes"]
    )
    text = "One assumption changes at a time; the largest change of total risk is first. Figures are shares of people."
    table = DocumentTable(("assumption", "now", "then"), rows, numbers=frozenset({1, 2}))
    return [head, Paragraph(text), table]
