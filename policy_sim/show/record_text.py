"""The figures of a file of records as text, and what to read first of an estimate and of a profile."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.records.check import not_recognized
from policy_sim.show.numbers import Formatter, dollars, interval, people, percent, status_word
from policy_sim.show.text_table import Column, column, layout, ranges, table_width, wrapped
from policy_sim.words.fields import fields_title

if TYPE_CHECKING:
    from policy_sim.records.profile import ProsecutorRisk

_SHARES = ("risk", "share", "chance", "fraction", "error", "uniqueness", "lambda")
_MOST_ROWS = 12
_SPREAD = {"mean": ("mean", "chance"), "percentile_95": ("95th", "percentile"), "largest": ("largest", "chance")}
_SPREAD_HEAD = "people's own chances of a correct match: fewer than 5% have more than the 95th percentile"


def figures_text(frame: pd.DataFrame) -> str:
    """Write measures with their numbers and shares; a word where there is no figure."""
    unknown = [status_word(status) for status in frame["status"]]
    numbers = tuple("" if pd.isna(value) else people(value) for value in frame["number"])
    shares = tuple(
        percent(share) if pd.notna(share) else (word if not number else "")
        for share, word, number in zip(frame["share"], unknown, numbers, strict=True)
    )
    columns = [Column(("number",), numbers), Column(("share",), shares)]
    return layout([Column(("measure",), tuple(frame["measure"]), right=False)], columns)


def profile_text(figures: pd.DataFrame, fields: pd.DataFrame, combinations: pd.DataFrame, notes: Sequence[str]) -> str:
    """Write a profile: its figures, its fields and the combinations that make most records unique."""
    parts = [figures_text(figures), rows_text(fields)]
    telling = combinations[combinations["minimal_uniques"] > 0]
    if len(telling):
        parts.append(rows_text(telling))
    return "\n\n".join([*parts, *notes])


def census_text(
    scores: pd.DataFrame, groups: pd.DataFrame, distribution: pd.DataFrame | None = None, beside: str = ""
) -> str:
    """Write the scores, what to know ``beside`` them, how the risk is spread over people and the riskiest groups."""
    key = [_texts(scores, name) for name in ("attacker", "state")]
    columns = [
        _texts(scores, "linkage_key"),
        column(scores, "records", write=people),
        _ends(scores, "total_risk", ("expected", "matches"), people, "status"),
        _ends(scores, "share", ("share",), percent, "status"),
        _ends(scores, "largest_chance", ("largest", "chance"), percent, "status"),
        _ends(scores, "price_usd", ("price of", "the list"), dollars, "price_status"),
        _ends(scores, "usd_per_reidentification", ("price of", "a correct", "match"), dollars, "price_status"),
    ]
    parts = [layout(key, columns)] if len(scores) else ["no record matches a cell of the population"]
    reasons = [
        f"{attacker}, {state}: {reason}"
        for attacker, state, reason in zip(*(scores[name] for name in ("attacker", "state", "reason")), strict=True)
        if reason
    ]
    parts += ["\n".join(wrapped([f"{beside}."]))] if beside else []
    parts += ["\n".join(reasons)] if reasons else []
    parts += _distribution_parts(distribution)
    if len(groups):
        parts += ["riskiest groups, for the attacker who knows everyone:", rows_text(groups)]
    return "\n\n".join(parts)


def _distribution_parts(rows: pd.DataFrame | None) -> list[str]:
    """Write the mean and the 95th percentile of people's own chances, of everyone and of each part."""
    rows = None if rows is None else rows[rows["mean"].notna()]
    if rows is None or rows.empty:
        return []
    several = len(rows["state"].unique()) > 1
    key = [_texts(rows, name) for name in ("attacker", *(["state"] if several else []), "by", "value")]
    columns = [
        column(rows, "records", write=people),
        *(_ends(rows, name, head, percent, "status") for name, head in _SPREAD.items()),
    ]
    return [f"{_SPREAD_HEAD}\n{layout(key, columns)}"]


def estimates_text(frame: pd.DataFrame) -> str:
    """Write what each estimator says, and below its remarks; those of the first row are its own text."""
    columns = [
        column(frame, "population_uniques", ("population", "uniques"), people, none="–"),
        *_with_interval(frame, "uniqueness", ("lambda 3",)),
        column(frame, "lambda1", ("lambda 1",), percent, none="–"),
        *_with_interval(frame, "marketer_risk", ("marketer", "risk")),
    ]
    model = Column(("model",), tuple(str(name).replace("_", " ") for name in frame["model"]), right=False)
    words = [
        f"{name}: {text}"
        for name, status, notes in zip(model.cells, frame["status"], frame["notes"], strict=True)
        if name != "first"
        for text in (*([status] if status != "ok" else []), *([notes] if notes else []))
    ]
    return "\n".join([layout([model], columns), *(["", *words] if words else [])])


def spread_note(uniqueness: tuple[float, float] | None, marketer_risk: tuple[float, float] | None) -> str:
    """Write how far the models lie apart, which is what their sampling error does not show.

    >>> spread_note((0.01, 0.2), None)
    'range over the models: uniqueness (lambda 3) 1% to 20%'
    """
    named = (("uniqueness (lambda 3)", uniqueness), ("marketer risk", marketer_risk))
    ends = [f"{name} {percent(pair[0])} to {percent(pair[1])}" for name, pair in named if pair is not None]
    return f"range over the models: {'; '.join(ends) or 'no model has an answer'}"


def summary_text(summary: pd.DataFrame, best: pd.DataFrame, least_share: float) -> str:
    """Write median relative errors with their quartiles, and the model to trust at each fraction.

    ``least_share`` is the share of the runs that a model must answer in to be chosen.
    """
    parts = []
    for measure, rows in summary.groupby("measure", sort=False):
        fractions = sorted(rows["fraction"].unique())
        models = list(dict.fromkeys(rows["model"]))
        cell = {(row.model, row.fraction): _error(row) for row in rows.itertuples()}
        top = {row.fraction: row.model for row in best[best["measure"] == measure].itertuples()}
        key = Column(("estimator",), tuple(model.replace("_", " ") for model in models), right=False)
        columns = [
            Column(
                (percent(fraction),),
                tuple(("*" if top.get(fraction) == model else "") + cell[model, fraction] for model in models),
            )
            for fraction in fractions
        ]
        head = f"{str(measure).replace('_', ' ')}: median relative error (and inter-quartile range), by fraction"
        parts.append(f"{head}\n{layout([key], columns)}")
    rule = f"estimators that answer in {percent(least_share)} of the runs or more"
    return "\n\n".join([*parts, f"* closest at this fraction among {rule}"])


def _error(row: Any) -> str:
    if pd.isna(row.median):
        return "no answer"
    failed = f" {row.failed} failed" if row.failed else ""
    return f"{_signed(row.median, percent)} ({percent(row.iqr)}){failed}"


def _with_interval(frame: pd.DataFrame, name: str, head: tuple[str, ...]) -> list[Column]:
    figures = column(frame, name, head, percent, none="–")
    if frame[f"{name}_low"].isna().all():
        return [figures]
    return [figures, Column(("range",), ranges(frame, f"{name}_low", f"{name}_high", percent, none="–"))]


def _texts(frame: pd.DataFrame, name: str) -> Column:
    return column(frame, name, name.split("_"), lambda value: fields_title(value).replace("+", " "), right=False)


def _ends(frame: pd.DataFrame, name: str, head: tuple[str, ...], write: Formatter, status: str) -> Column:
    """One figure or both ends of it; a word where there is none."""
    high = f"{name}_high" if f"{name}_high" in frame else name
    rows = zip(frame[name], frame[high], frame[status], strict=True)
    return Column(
        head,
        tuple(
            status_word(word) if pd.isna(low) or word == "free" else interval(low, top, write)
            for low, top, word in rows
        ),
    )


def rows_text(frame: pd.DataFrame, most: int = _MOST_ROWS) -> str:
    """Write the first rows of a table: shares as per cent, a dash where there is no figure."""
    first_rows = frame.head(most)
    columns = [_column(first_rows, str(name)) for name in first_rows.columns]
    table = layout(columns[:1], columns[1:]) if len(first_rows) else "(no rows)"
    hidden = len(frame) - len(first_rows)
    return f"{table}\n... and {hidden:,} rows more" if hidden else table


def _column(frame: pd.DataFrame, name: str) -> Column:
    head = name.split("_")
    if not pd.api.types.is_numeric_dtype(frame[name].dtype):
        return column(frame, name, head)
    write = percent if any(part in name for part in _SHARES) else people
    return column(frame, name, head, lambda value: _signed(value, write), none="–")


def _signed(value: float, write: Formatter) -> str:
    text = write(abs(value))
    return f"−{text}" if value < 0 else text


def check_text(columns: pd.DataFrame, findings: pd.DataFrame, named_twice: Sequence[str] = ()) -> str:
    """Write what Safe Harbor asks of the file, one row per column, and what to correct first.

    Columns that share a name, ``named_twice`` or more often, were not read, so there is no verdict.
    """
    rows = layout(
        [column(columns, "column")],
        [
            column(columns, "kind"),
            column(columns, "field", ("census", "field")),
            *(column(columns, name, write="{:,}".format) for name in ("records", "missing", "values")),
            column(columns, "reason", ("because",)),
        ],
    )
    verdict = _not_read(named_twice) if named_twice else _safe_harbor(columns)
    if findings.empty:
        return "\n".join([*verdict, "", rows, "", "No values to correct before you measure the risk."])
    lines = [_line(row) for row in findings.itertuples()]
    return "\n".join([*verdict, "", rows, "", "Correct these before you measure the risk:", *lines])


def _not_read(names: Sequence[str]) -> list[str]:
    listed = ", ".join(dict.fromkeys(names))
    return [
        f"{len(names):,} columns were not read, so there is no verdict: they share a name ({listed}).",
        "  Give each column its own name, then check the file again.",
    ]


def _safe_harbor(columns: pd.DataFrame) -> list[str]:
    """Say whether the file can be Safe Harbor as it is, and group its columns by what to do."""
    flagged = columns.dropna(subset=["safe_harbor"])
    look = not_recognized()
    unknown = flagged["safe_harbor"] == look
    shows, looks = int((~unknown).sum()), int(unknown.sum())
    rule = "Safe Harbor (45 CFR 164.514(b)(2))"
    of = f"of {len(columns):,} columns"
    if flagged.empty:
        return [
            f"{rule}: the rule allows every column as it is here.",
            "  Release it only if you know of no way to identify someone from what remains.",
        ]
    not_known = f"{looks:,} {of} {'is' if looks == 1 else 'are'} not recognized"
    if not shows:
        lines = [f"{rule}: there is no verdict yet. {not_known}."]
    else:
        need = f"{shows:,} {of} need{'s' if shows == 1 else ''} to be removed or changed"
        lines = [
            "As it stands, this file does not meet Safe Harbor (45 CFR 164.514(b)(2)).",
            *_indented(f"{need}; {not_known}." if looks else f"{need}.", "", ""),
        ]
    for ask in sorted(dict.fromkeys(flagged["safe_harbor"]), key=lambda text: text == look):
        names = ", ".join(flagged.loc[flagged["safe_harbor"] == ask, "column"].astype(str))
        lines += _indented(f"{names}: {ask}.", "  ", "    ")
    return [*lines, "  A release leaves out every column that no one has decided on."]


def _line(row: Any) -> str:
    remedy = f"{row.remedy[0].upper()}{row.remedy[1:]}."
    where = f"{_counted(row.records, 'record')} ({_counted(row.values, 'value')})"
    return "\n".join([f"{row.column}: {where}: {row.problem}.", *_indented(remedy, "    ", "    ")])


def _indented(text: str, first: str, following: str) -> list[str]:
    """Break a text at the width of a table, with what stands before its first line and before the others."""
    return textwrap.wrap(text, table_width(), initial_indent=first, subsequent_indent=following)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"


def profile_verdict(risk: ProsecutorRisk, without: Sequence[tuple[str, float | None]], counted: str = "records") -> str:
    """Write how many records are alone, how many matches are right on average, and which field to change first.

    ``without`` has each field and the average risk if it is left out; None where there is no other field. ``counted``
    is what was counted: records, or people.
    """
    if risk.unique_share is None or risk.average is None:
        return "No verdict: there are no records to judge."
    alone = f"{risk.uniques:,} of {risk.records:,} {counted} ({percent(risk.unique_share)})"
    lines = [
        f"{alone} are unique on these fields: someone who knows the values, and knows who is in the file, is certain "
        "of a match."
        if risk.uniques
        else f"None of {risk.records:,} {counted} is unique on these fields: no match is certain.",
        "An attacker who guesses among records with equal values would be correct for "
        f"{percent(risk.average)} of all {counted}.",
    ]
    left = [(average, name) for name, average in without if average is not None]
    if left:
        average, name = min(left)
        lines[1] += f" Without {name}, it would be {percent(average)}."
    return "\n".join(lines)


def verdict_text(first: Any, population_size: int, instead: str = "") -> str:
    """Write the estimate to read first as a range, or why there is none; where it cannot tell, ``instead`` follows."""
    if first.uniqueness is None:
        return f"No estimate: {first.status}."
    among = f"of {population_size:,} people"
    alone, ends = _between(first.uniqueness, first.interval, lambda share: people(share * population_size))
    share, share_ends = _between(first.uniqueness, first.interval, percent)
    if ends is None:
        lines = [f"Estimated unique people: {alone} {among} ({share})."]
    elif first.range_of == "cannot tell":
        sentence = f"This sample cannot tell how many {among} are unique: {ends} ({share_ends})."
        lines = [f"{sentence} {instead}".rstrip()]
    else:
        lines = [f"Estimated unique people: {ends} {among} ({share_ends}); closest single figure {alone} ({share})."]
    if first.marketer_risk is not None:
        risk, risk_ends = _between(first.marketer_risk, first.marketer_interval, percent)
        spread = risk if risk_ends is None else f"{risk_ends} (closest single figure {risk})"
        lines.append(
            f"An attacker who matches every record at random within equal groups is right for this share: {spread}."
        )
    why = "; ".join(first.notes)
    return "\n".join([*lines, f"{why[:1].upper()}{why[1:]}."])


def _between(
    figure: float, interval: tuple[float, float] | None, write: Callable[[float], str]
) -> tuple[str, str | None]:
    """Write a figure, and "between one and another", or None where both ends read alike."""
    if interval is None:
        return write(figure), None
    low, high = write(interval[0]), write(interval[1])
    return write(figure), None if low == high else f"between {low} and {high}"
