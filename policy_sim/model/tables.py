"""Profiles, trust differentials, costs and curves as tidy tables: one row per figure.

A figure that does not exist is missing (``pd.NA``) next to its status and reason. Less than a billionth
of an expected person is written as 0. The columns are a contract: commands write them, figures read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from policy_sim.model.measure import NOBODY, PRECISION, TOTAL_RISK, Bounds, Measure, kinds_of, tidy_rows, with_place
from policy_sim.model.profile import Cost, Curve, RiskProfile, TrustDifferential, paired, ratio_ends

_WHOLE = ("g",)
_TEXT = (
    "state",
    "policy",
    "attacker",
    "measure",
    "population",
    "linkage_key",
    "status",
    "reason",
    "numerator_policy",
    "denominator_policy",
    "lists",
    "restricted_to",
    "claim_status",
    "claim_reason",
)


def profile_frame(profiles: Iterable[RiskProfile], measures: Sequence[Measure]) -> pd.DataFrame:
    """Return one row per state, policy, attacker and measure.

    Where a profile has variances, ``people_from`` to ``people_to`` and the same as shares are its interval: 95 % over
    chance alone; no level is known where people are modeled (docs/uncertainty.md).

    ``people`` and ``share`` (0..1) have every unknown field of the list withheld, ``people_high``
    and ``share_high`` have it released: a range with the status ``interval``, which has no place among single figures
    (:meth:`ComparisonAnswer.ranking <policy_sim.study.compare.ComparisonAnswer.ranking>`). Precision is a
    share of the claims, and has no people; where fewer than ten claims are expected, its row has the status
    ``few_claims`` and no share.

    ``in_file`` is the share of the state's people in the file, of which ``share`` is taken: 1 where everyone is
    released. ``small_file_share``, next to total risk, is the share of a file of one per cent of the people that is
    linked correctly where the attacker knows who is in it; missing where ``in_file`` says how many are.
    """
    profiles = tuple(profiles)
    rows = [
        (
            p.state,
            p.policy,
            p.attacker,
            measure.name,
            measure.g,
            *_both(p, measure),
            p.population,
            p.linkage_key,
            str(p.claims_status if _without_share(p, measure) else p.status),
            p.claims_reason if _without_share(p, measure) else p.reason,
            p.lists or None,
            p.in_file,
            *((_low(p.small_file_share), _high(p.small_file_share)) if measure == TOTAL_RISK else (None, None)),
        )
        for p in profiles
        for measure in measures
    ]
    names = (
        "state policy attacker measure g people share people_high share_high population linkage_key status reason "
        "lists in_file small_file_share small_file_share_high"
    )
    table = _table(rows, names)
    if any(p.variances for p in profiles):
        spans = [(p.interval(measure), p.records) for p in profiles for measure in measures]
        _add_interval(table, "people", [span for span, _ in spans])
        _add_interval(table, "share", [span.per(records) if span else None for span, records in spans])
    return table


def trust_frame(differentials: Iterable[TrustDifferential]) -> pd.DataFrame:
    """Return one row per state, attacker and measure, numerator and denominator (people) next to the ratio.

    ``numerator`` and ``denominator`` have every unknown field of the list withheld, their ``_high`` twins
    released. ``ratio`` is the least and ``ratio_high`` the greatest over every combination of the unknown
    fields, so that it need not be the one column over the other (:attr:`TrustDifferential.ratio`).
    Where the profiles have variances, ``ratio_from`` to ``ratio_to`` are the interval of the ratio.
    """
    differentials = tuple(differentials)
    rows = []
    for trust in differentials:
        above, below = trust.numerator, trust.denominator
        people = above.people(trust.measure), below.people(trust.measure)
        rows.append(
            (
                above.state,
                above.attacker,
                trust.measure.name,
                trust.measure.g,
                above.policy,
                below.policy,
                *(_low(figure) for figure in (*map(_counted, people), trust.ratio)),
                str(trust.status),
                trust.reason,
                *(_high(figure) for figure in (*map(_counted, people), trust.ratio)),
                above.population,
                above.lists or None,
            )
        )
    names = (
        "state attacker measure g numerator_policy denominator_policy numerator denominator ratio status "
        "reason numerator_high denominator_high ratio_high population lists"
    )
    table = _table(rows, names)
    if any(trust.numerator.variances for trust in differentials):
        _add_interval(table, "ratio", [trust.interval() for trust in differentials])
    return table


def cost_frame(costs: Iterable[Cost]) -> pd.DataFrame:
    """Return one row per state, policy and attacker: expected re-identifications, price, and dollars for each.

    The ``_high`` columns have the unknown fields of a list released: more re-identifications, each
    the cheaper. ``price_usd_high`` is the most that the price may be, where sources give a range.
    ``correct_claims`` are the records that the attacker claims rightly, without luck, and
    ``usd_per_correct_claim`` the price over these, with ``claim_status`` and ``claim_reason``: none are given where
    fewer than ten claims are expected. ``restricted_to`` names who alone may have the list where the
    public may not (missing where anyone may, or no source says): its price, also that of a free list, is for them.
    Where the profiles have variances, ``usd_from`` to ``usd_to`` are the interval of the dollars of each.
    """
    costs = tuple(costs)
    rows = []
    for cost in costs:
        risk, usd = _counted(cost.total_risk), cost.usd_per_reidentification
        claims, per_claim = _counted(cost.correct_claims), cost.usd_per_correct_claim
        rows.append(
            (
                cost.profile.state,
                cost.profile.policy,
                _low(risk),
                cost.price_usd,
                _low(usd),
                str(cost.status),
                cost.reason,
                _high(risk),
                _high(usd),
                cost.profile.population,
                cost.profile.linkage_key,
                cost.profile.lists or None,
                cost.profile.attacker,
                ", ".join(cost.restricted_to) or None,
                cost.price_usd_high,
                *(end for figure in (claims, per_claim) for end in (_low(figure), _high(figure))),
                str(cost.claim_status),
                cost.claim_reason,
            )
        )
    names = (
        "state policy total_risk price_usd usd_per_reidentification status reason total_risk_high "
        "usd_per_reidentification_high population linkage_key lists attacker restricted_to price_usd_high "
        "correct_claims correct_claims_high usd_per_correct_claim usd_per_correct_claim_high claim_status "
        "claim_reason"
    )
    table = _table(rows, names)
    if any(cost.profile.variances for cost in costs):
        _add_interval(table, "usd", [cost.interval() for cost in costs])
    return table


def curve_frame(curves: Iterable[Curve]) -> pd.DataFrame:
    """Return one row per state, policy, attacker and g; a profile without a list has one row and no g."""
    parts = []
    for curve in curves:
        low, high = curve.low, curve.high
        part = pd.DataFrame(
            {
                "g": pd.array(curve.g if low is not None else [pd.NA], dtype="Int64"),
                "share": pd.array(low if low is not None else [pd.NA], dtype="Float64"),
                "share_high": pd.array(high if high is not None else [pd.NA], dtype="Float64"),
            }
        )
        for place, name in enumerate(("state", "policy", "attacker")):
            part.insert(place, name, getattr(curve, name))
        for name in ("population", "linkage_key", "status", "reason", "lists"):
            part[name] = str(getattr(curve, name))
        parts.append(part)
    return with_place(pd.concat(parts, ignore_index=True))


def trust_curve_frame(curves: Iterable[Curve], numerator: str, denominator: str) -> pd.DataFrame:
    """Return the trust differential at every g of one policy over another, for each state and attacker.

    ``ratio`` to ``ratio_high`` as in :func:`trust_frame`. A ratio is missing, with status ``undefined``,
    where fewer than one person is expected below.
    """
    curves = tuple(curves)
    below = {(curve.state, curve.attacker): curve for curve in curves if curve.policy == denominator}
    parts = [
        _ratios(curve, below[curve.state, curve.attacker])
        for curve in curves
        if curve.policy == numerator and curve.each() and below[curve.state, curve.attacker].each()
    ]
    names = [
        "state",
        "attacker",
        "g",
        "numerator_policy",
        "denominator_policy",
        "ratio",
        "ratio_high",
        "status",
        "population",
        "lists",
    ]
    return with_place(pd.concat(parts, ignore_index=True)[names] if parts else pd.DataFrame(columns=names))


def _ratios(above: Curve, below: Curve) -> pd.DataFrame:
    """The least and the greatest ratio at every g, over the combinations of unknown fields that have one."""
    pairs = paired(above.each(), below.each())
    a, b = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    low, high, defined_at = ratio_ends(a, b, below.records)
    status = "interval" if "interval" in (above.status, below.status) else "ok"
    table = pd.DataFrame({"g": pd.Series(above.g, dtype="Int64")})
    for name, ratio in (("ratio", low), ("ratio_high", high)):
        table[name] = pd.array(ratio, dtype="Float64")
        table[name] = table[name].where(defined_at)
    facts = {"numerator_policy": above.policy, "denominator_policy": below.policy}
    facts |= {name: getattr(above, name) for name in ("state", "attacker", "population", "lists")}
    return table.assign(status=np.where(defined_at, status, "undefined"), **facts)


def with_trust(curves: pd.DataFrame, trust: pd.DataFrame) -> pd.DataFrame:
    """Set each policy's trust differential next to its rows of :func:`curve_frame`.

    New columns: ``ratio, ratio_high, ratio_status, denominator_policy``; missing for the denominator itself.
    """
    beside = trust.rename(columns={"numerator_policy": "policy", "status": "ratio_status"})
    columns = ["ratio", "ratio_high", "ratio_status", "denominator_policy"]
    keys = ["state", "policy", "attacker", "g"]
    return curves.merge(beside[[*keys, *columns]], how="left", on=keys)


def _add_interval(table: pd.DataFrame, name: str, spans: Sequence[Bounds | None]) -> None:
    """Add both ends of an interval as columns."""
    table[f"{name}_from"] = pd.array([_low(span) for span in spans], dtype="Float64")
    table[f"{name}_to"] = pd.array([_high(span) for span in spans], dtype="Float64")


def _low(figure: Bounds | None) -> float | None:
    return None if figure is None else figure.low


def _high(figure: Bounds | None) -> float | None:
    return None if figure is None else figure.high


def _counted(people: Bounds | None) -> Bounds | None:
    """Take less than a billionth of a person as nobody: the last digits of the arithmetic."""
    return people and Bounds(*(0.0 if end < NOBODY else end for end in (people.low, people.high)))


def _without_share(profile: RiskProfile, measure: Measure) -> bool:
    """Whether there is a profile, but no share of its claims."""
    return measure == PRECISION and bool(profile.measures) and profile.share(measure) is None


def _both(profile: RiskProfile, measure: Measure) -> tuple[float | None, ...]:
    """Both ends of a measure as people and as a share; precision is a share alone."""
    if measure == PRECISION:
        share = profile.share(measure)
        return None, _low(share), None, _high(share)
    people = _counted(profile.people(measure))
    share = people and people.per(profile.records)
    return _low(people), _low(share), _high(people), _high(share)


def _table(rows: Sequence[tuple[object, ...]], names: str) -> pd.DataFrame:
    return tidy_rows(rows, kinds_of(names.split(), text=_TEXT, whole=_WHOLE))
