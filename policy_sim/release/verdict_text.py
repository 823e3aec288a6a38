"""A file's figures as texts: a count, a share, and what to read first of an estimate and of a profile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from policy_sim.show.numbers import people, percent

if TYPE_CHECKING:
    from policy_sim.estimators.base import Estimate
    from policy_sim.records.profile import ProsecutorRisk


_ROUNDS = 0.0005  # a share nearer than this to 0 or 1 would be written as one of them


def figure(value: float | None) -> str:
    """Write a count or a measure; a dash where there is none.

    >>> figure(1442), figure(0.04), figure(20380.0), figure(None)
    ('1,442', '0.04', '20,380', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if 10_000 <= abs(value) < 1e15 else f"{value:.4g}"


def share(value: float | None) -> str:
    """Write a share (0..1); a dash where there is none, and never 0 or 100% where it is neither.

    >>> share(0.015), share(None), share(0.0003), share(0.9998)
    ('1.5%', '-', '0.030%', '99.98%')
    """
    if value is None:
        return "-"
    return percent(value) if 0 < value < _ROUNDS or 1 - _ROUNDS < value < 1 else f"{value:.1%}"


def profile_verdict(risk: ProsecutorRisk, without: Sequence[tuple[str, float | None]], counted: str = "records") -> str:
    """Write how many records are alone, how many matches are right on average, and which field to change first.

    ``without`` has each field and the average risk if it is left out; None where there is no other field. ``counted``
    is what was counted: records, or people.
    """
    if risk.unique_share is None or risk.average is None:
        return "No verdict: there are no records to judge."
    alone = f"{risk.uniques:,} of {risk.records:,} {counted} ({percent(risk.unique_share)})"
    lines = [
        f"{alone} are alone with these values: someone who knows them and who is in the file is certain of a match."
        if risk.uniques
        else f"None of {risk.records:,} {counted} is alone with these values: no match is certain.",
        "An attacker who guesses among records with equal values would be right for "
        f"{percent(risk.average)} of all {counted}.",
    ]
    left = [(average, name) for name, average in without if average is not None]
    if left:
        average, name = min(left)
        lines[1] += f" Without {name}, it would be {percent(average)}."
    return "\n".join(lines)


def verdict_text(first: Estimate, population_size: int, instead: str = "") -> str:
    """Write the estimate to read first as a range, or why there is none; where it cannot tell, ``instead`` follows."""
    if first.uniqueness is None:
        return f"No estimate: {first.status}."
    among = f"of {population_size:,} people"
    alone, ends = _ends(first.uniqueness, first.interval, lambda share: people(share * population_size))
    share, share_ends = _ends(first.uniqueness, first.interval, percent)
    if ends is None:
        lines = [f"Estimated unique people: {alone} {among} ({share})."]
    elif first.range_of == "cannot tell":
        sentence = f"This sample cannot tell how many {among} are unique: {ends} ({share_ends})."
        lines = [f"{sentence} {instead}".rstrip()]
    else:
        lines = [f"Estimated unique people: {ends} {among} ({share_ends}); closest single figure {alone} ({share})."]
    if first.marketer_risk is not None:
        risk, risk_ends = _ends(first.marketer_risk, first.marketer_interval, percent)
        spread = risk if risk_ends is None else f"{risk_ends} (closest single figure {risk})"
        lines.append(
            f"An attacker who matches every record at random within equal groups is right for this share: {spread}."
        )
    why = "; ".join(first.notes)
    return "\n".join([*lines, f"{why[:1].upper()}{why[1:]}."])


def _ends(figure: float, interval: tuple[float, float] | None, write: Callable[[float], str]) -> tuple[str, str | None]:
    """Write a figure, and "between one and another", or None where both ends read alike."""
    if interval is None:
        return write(figure), None
    low, high = write(interval[0]), write(interval[1])
    return write(figure), None if low == high else f"between {low} and {high}"


def population_text(figures: Mapping[str, Any]) -> str:
    """Say the smallest class in the file and in the population, and what counting in the file would lose.

    >>> population_text({"after": {"smallest": 1, "population_smallest": 1}, "search": None})
    ''
    """
    after, search = figures["after"], figures["search"] or {}
    if after["population_smallest"] in (None, after["smallest"]):
        return ""
    text = (
        f"smallest class: {after['smallest']:,} records of the file, {after['population_smallest']:,} people of the "
        "population with the same values"
    )
    if search.get("file_loss") is None:
        return text
    loss, in_file = figure(search["loss"]), figure(search["file_loss"])
    return f"{text}; loss {loss}, where the same target in the file would lose {in_file}"


def recoding_text(search: Mapping[str, Any]) -> str:
    """Say what a release loses and what one level per field would lose; empty where no local recoding was wanted.

    >>> recoding_text({"recoding": "one-level", "one_level_loss": None, "loss": 0.2})
    ''
    >>> recoding_text({"recoding": "one-level", "one_level_loss": 0.3, "local_loss": 0.1}).partition(": ")[2]
    'local recoding loses 0.1, but does worse by the measure that the project asks for'
    """
    other = search.get("one_level_loss")
    if other is None:
        return ""
    if search["recoding"] == "one-level":
        local = search["local_loss"]
        instead = "suppresses too many rows" if local is None else f"loses {figure(local)}"
        if local is not None and local < other:
            instead += ", but does worse by the measure that the project asks for"
        return f"loss {figure(other)} with one level per field, which is released: local recoding {instead}"
    mixed = search["at_several_levels"]
    cost = (
        f"several levels in one column ({', '.join(mixed)}), so bring the values to one level before you count or "
        "compare them"
        if mixed
        else "every column still shows one level, or nothing in a cell"
    )
    return f"loss {figure(search['loss'])} by local recoding, {figure(other)} with one level per field; {cost}"
