"""The figures of a file as tidy tables: one row per figure; a missing figure has a status and a reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import pandas as pd

from policy_sim.files.manifest import RunProvenance
from policy_sim.model.measure import Bounds, Shown
from policy_sim.records.classes import LinkedRisk, WeightedRisk
from policy_sim.records.profile import FileProfile

if TYPE_CHECKING:
    from pathlib import Path

    from policy_sim.estimators import Estimate
    from policy_sim.records.sampling_study import Simulation
    from policy_sim.records.score import FileScore


_NO_RECORDS = "there are no records to judge"


def profile_figures(profile: FileProfile) -> pd.DataFrame:
    """Return one row per measure: its number (records, classes) and its share (0..1), or why there is none."""
    risk, sizes = profile.risk, profile.sizes
    above = f"records in classes below {profile.threshold.k}, risk above {profile.threshold.text}"
    strict = f"strict average risk, cut-off {profile.cutoff.text}"
    wild = "sizes belong to records under wildcards"
    if sizes.overlap:
        wild = "a person is in several classes where one or two rows are known"
    rows = [
        _figure("records", risk.records),
        _figure("records left out, a key field missing", sizes.excluded),
        _figure("classes", profile.classes, reason=wild),
        _figure("records alone in their class", risk.uniques, risk.unique_share, reason=_NO_RECORDS),
        _figure("smallest class", risk.smallest, reason=_NO_RECORDS),
        _figure("prosecutor risk, maximum", None, risk.maximum, reason=_NO_RECORDS),
        _figure("prosecutor risk, average over records", None, risk.average, reason=_NO_RECORDS),
        _figure(strict, None, risk.strict_average, reason=_NO_RECORDS),
        _figure(above, risk.at_risk, risk.at_risk_share, reason=_NO_RECORDS),
    ]
    return _figures(rows)


def linked_frame(risk: LinkedRisk) -> pd.DataFrame:
    """Return the figures of a file against an identified one, as :func:`profile_figures` does."""
    nobody, matches = "no record's class is in the identified file", risk.matches or (None, None)
    rows = [
        _figure("records", risk.records),
        _figure("people in the identified file", risk.people),
        _figure("records outside it", risk.outside),
        _figure("records beyond the people of their class", risk.surplus),
        _figure("journalist risk, maximum", None, risk.journalist, reason=nobody),
        _figure("marketer risk", risk.expected, risk.marketer, reason=_NO_RECORDS),
        _figure("correct matches, lower end of 95%", matches[0], reason=nobody),
        _figure("correct matches, upper end of 95%", matches[1], reason=nobody),
        _figure("people with the values of a record", risk.candidates),
        _figure("lambda 1: unique in both, of the file's uniques", None, risk.lambda1, reason="no record is unique"),
        _figure("lambda 2: unique in both, of the records", None, risk.lambda2, reason=_NO_RECORDS),
        _figure("lambda 3: unique people", None, risk.lambda3, reason="the identified file is empty"),
    ]
    return _figures(rows)


def weighted_figures(risk: WeightedRisk) -> pd.DataFrame:
    """Return what survey weights add to the figures of a profile; undefined, each of them, without records."""
    records = risk.classes.records
    rows = [
        ("people that the weights represent", float(risk.people.sum()), None),
        ("expected correct matches, by weights", risk.expected, risk.expected),
        ("expected to be alone in the population, by weights", risk.unique, risk.unique),
        ("records in classes that represent fewer people than records", float(risk.below_one), None),
    ]
    why = ("ok", "") if records else ("undefined", _NO_RECORDS)
    return _figures(
        (measure, number, part / records if records and part is not None else None, *why)
        for measure, number, part in rows
    )


def field_frame(profile: FileProfile) -> pd.DataFrame:
    """Return one row per field: the figures on it alone, and on the other fields without it.

    ``added_risk`` is the decrease of average risk without the field; rows are in that order.
    """
    average = profile.risk.average
    rows = [
        {
            "field": field.name,
            "values": field.values,  # noqa: PD011 - a number, not a frame
            "missing": field.missing,
            "uniques_alone": field.alone.uniques,
            "average_risk_alone": field.alone.average,
            "uniques_without": field.without.uniques if field.without else 0,
            "average_risk_without": field.without.average if field.without else None,
            "added_risk": None if average is None else average - ((field.without and field.without.average) or 0.0),
            "score_share": field.score_share,
        }
        for field in profile.by_field
    ]
    table = pd.DataFrame(rows).sort_values("added_risk", ascending=False, kind="stable", ignore_index=True)
    return table.astype({name: "Float64" for name in table.columns if "risk" in name or "share" in name})


def combination_frame(profile: FileProfile) -> pd.DataFrame:
    """Return one row per combination of fields; those that make the most records minimally unique come first."""
    rows = [
        ("+".join(walked.fields), len(walked.fields), walked.classes, walked.uniques, walked.average, walked.minimal)
        for walked in profile.combinations or ()
    ]
    names = ["fields", "number", "classes", "uniques", "average_risk", "minimal_uniques"]
    kinds = {"classes": "Int64", "average_risk": "Float64", "minimal_uniques": "Int64"}
    table = pd.DataFrame(rows, columns=names).astype(kinds)
    return table.sort_values(["minimal_uniques", "number", "fields"], ascending=[False, True, True], ignore_index=True)


def size_frame(profile: FileProfile) -> pd.DataFrame:
    """Return one row per class size, with the number of records in each."""
    sizes = profile.sizes
    table = pd.DataFrame({"size": sizes.size, "records": sizes.records})
    if profile.classes is not None:
        table["classes"] = sizes.records // sizes.size
    return table


def suda_frame(profile: FileProfile, fraction: float) -> pd.DataFrame:
    """Return one row per SUDA score, highest first, with its records and the chance of a correct match.

    That chance (DIS) is the one at the sampling ``fraction`` of the file.
    """
    if profile.suda is None:
        return pd.DataFrame({"score": [], "records": [], "match_chance": []})
    scores, records = profile.suda.by_score()
    scored = profile.suda.score > 0
    chance = np.empty(len(scores))
    chance[-1 - np.searchsorted(scores[::-1], profile.suda.score[scored])] = profile.suda.dis(fraction)[scored]
    return pd.DataFrame({"score": scores, "records": records, "match_chance": chance})


def census_frame(scores: Iterable[FileScore]) -> pd.DataFrame:
    """Return one row per attacker and state: expected re-identifications, and the price per re-identification.

    The ``_high`` columns assume that the list shows every unknown field.
    """
    rows = []
    for score in scores:
        price = score.price
        reasons = (score.reason, price.reason if price else "", _surplus_note(score.surplus))
        row = {
            "attacker": score.attacker,
            "state": score.state,
            "linkage_key": score.linkage_key,
            "records": score.records,
            **_bounds("total_risk", score.expected),
            **_bounds("share", score.share),
            **_bounds("largest_chance", score.largest),
            "price_usd": price.usd if price else None,
            "price_usd_high": (score.price_high or price).usd if price else None,
            **_bounds("usd_per_reidentification", score.usd_per_reidentification),
            # without a list there is no price; an attacker that needs no list has figures
            "price_status": price.status if price else "not_needed" if score.expected else score.status,
            "status": score.status,
            "reason": "; ".join(reason for reason in reasons if reason),
        }
        rows.append(row)
    text = ("attacker", "state", "linkage_key", "price_status", "status", "reason")
    table = pd.DataFrame(rows, columns=list(rows[0]) if rows else list(text))
    return table.astype({n: "string" if n in text else "Int64" if n == "records" else "Float64" for n in table})


def estimate_frame(estimates: Iterable[Estimate]) -> pd.DataFrame:
    """Return one row per estimate; ``_low`` and ``_high`` are the ends of its range, and ``range_of`` says of what."""
    rows = [
        {
            "model": estimate.model,
            "population_uniques": estimate.uniques,
            "uniqueness": estimate.uniqueness,
            **_ends("uniqueness", estimate.interval),
            "lambda1": estimate.lambda1,
            "marketer_risk": estimate.marketer_risk,
            **_ends("marketer_risk", estimate.marketer_interval),
            "range_of": estimate.range_of,
            "status": estimate.status,
            "notes": "; ".join(estimate.notes),
        }
        for estimate in estimates
    ]
    table = pd.DataFrame(rows)
    text = ("model", "range_of", "status", "notes")
    return table.astype({name: "string" if name in text else "Float64" for name in table})


def simulation_tables(study: Simulation) -> dict[str, pd.DataFrame]:
    """Return the summary, the closest model per fraction and every error; a missing number is ``pd.NA``."""
    tables = {"summary": study.summary(), "trust": study.most_accurate(), "errors": study.errors}
    return {
        name: table.astype(dict.fromkeys(table.select_dtypes("float").columns, "Float64"))
        for name, table in tables.items()
    }


def _bounds(name: str, bounds: Bounds | None) -> dict[str, float | None]:
    return {name: bounds.low if bounds else None, f"{name}_high": bounds.high if bounds else None}


def _ends(name: str, ends: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = ends or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _surplus_note(surplus: int) -> str:
    if not surplus:
        return ""
    return (
        f"in some groups your file has more records than the census has people ({surplus:,} extra): the extra records "
        "are not counted as matches"
    )


def _figure(measure: str, number: float | None, share: float | None = None, reason: str = "") -> tuple[Any, ...]:
    has_value = number is not None or share is not None
    return (measure, number, share, "ok" if has_value else "undefined", "" if has_value else reason)


def _figures(rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["measure", "number", "share", "status", "reason"])
    kinds = {"measure": "string", "number": "Float64", "share": "Float64", "status": "string", "reason": "string"}
    return table.astype(kinds)


# The answer to one question about a file of records: tables, notes, and their sources.


_Answer = TypeVar("_Answer", covariant=True)


@dataclass(frozen=True, eq=False, repr=False)
class FileResult(Shown, Generic[_Answer]):
    """The answer to one question about a file of records.

    A notebook and ``print`` show its main table; ``to_frame()`` returns that table. No table contains a value of a
    record, unless the question includes the names of groups.

    Parameters
    ----------
    question : ``profile``, ``score``, ``estimate``, ``simulate`` or ``lists measure``.
    answer : The figures as objects; the method of ``RecordFile`` that answers the question describes them.
    tables : Every table by name, the main one first. Shares are 0..1; a missing figure is ``pd.NA``.
    notes : How the program read the file, and what a reader of the figures should know.
    options : The options of the question, for a manifest.
    files : The files that the answer comes from, by the names that outputs give them; None for a file on another
        machine or a table of a database.
    beside : What a reader of the main figure has to know first; empty where there is nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> FileResult("profile", None, {"figures": pd.DataFrame({"number": [4]})}).to_frame()["number"].tolist()
    [4]
    """

    question: str
    answer: _Answer
    tables: Mapping[str, pd.DataFrame]
    notes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Path | None] = field(default_factory=dict)
    beside: str = ""

    def to_frame(self) -> pd.DataFrame:
        """Return the main table: one row per figure, attacker and state, estimator, or error; shares are 0..1."""
        return next(iter(self.tables.values()))

    @property
    def command(self) -> str:
        """The command that asks the same: one of ``dataset``, unless the question names its own."""
        return self.question if " " in self.question else f"dataset {self.question}"

    @property
    def provenance(self) -> RunProvenance:
        """Where the answer comes from: notes, citation and manifest, with the sha256 of every local file."""
        return RunProvenance(self.command, self.options, self.files, self.notes)

    def _headline(self) -> str:
        rows = len(self.to_frame())
        more = list(self.tables)[1:]
        others = f"; more in .tables: {', '.join(more)}" if more else ""
        return f"{self.question} of {', '.join(self.files)}: {rows:,} row{'s' if rows != 1 else ''}{others}"
