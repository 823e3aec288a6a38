"""Profiles, trust differentials, costs and curves as tidy tables: one row a figure.

A figure that does not exist is missing (``pd.NA``) beside its status and reason. The columns are a
contract: commands write them, figures read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from policy_sim.profile import Bounds, Cost, Curve, Measure, RiskProfile, TrustDifferential

__all__ = ["cost_frame", "curve_frame", "profile_frame", "trust_curve_frame", "trust_frame", "with_trust"]

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
)


def profile_frame(profiles: Iterable[RiskProfile], measures: Sequence[Measure]) -> pd.DataFrame:
    """Return one row a state, policy, attacker and measure.

    Where a profile has variances, ``people_from95`` to ``people_to95`` and the same as shares hold the
    figure with a chance of 95 %.

    ``people`` and ``share`` (0..1) have every unknown field of the list withheld, ``people_high``
    and ``share_high`` have it released.
    """
    profiles = tuple(profiles)
    rows = [
        (
            p.state,
            p.policy,
            p.attacker,
            measure.name,
            measure.g,
            *_both(p.people(measure), p.share(measure)),
            p.population,
            p.linkage_key,
            p.status,
            p.reason,
            p.lists or None,
        )
        for p in profiles
        for measure in measures
    ]
    names = (
        "state policy attacker measure g people share people_high share_high population linkage_key status reason lists"
    )
    table = _table(rows, names)
    if any(p.variances for p in profiles):
        spans = [(p.interval(measure), p.inhabitants) for p in profiles for measure in measures]
        _add_interval(table, "people", [span for span, _ in spans])
        _add_interval(table, "share", [span.per(everyone) if span else None for span, everyone in spans])
    return table


def trust_frame(differentials: Iterable[TrustDifferential]) -> pd.DataFrame:
    """Return one row a state, attacker and measure, numerator and denominator (people) beside the ratio.

    Where the profiles have variances, ``ratio_from95`` to ``ratio_to95`` hold the ratio with a chance of 95 %.
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
                *(_low(figure) for figure in (*people, trust.ratio)),
                trust.status,
                trust.reason,
                *(_high(figure) for figure in (*people, trust.ratio)),
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
    """Return one row a state, policy and attacker: expected re-identifications, price, and dollars for each.

    The ``_high`` columns have the unknown fields of a list released: more re-identifications, each
    the cheaper. Where the profiles have variances, ``usd_from95`` to ``usd_to95`` hold the dollars of each
    with a chance of 95 %.
    """
    costs = tuple(costs)
    rows = []
    for cost in costs:
        risk, each = cost.total_risk, cost.usd_per_reidentification
        rows.append(
            (
                cost.profile.state,
                cost.profile.policy,
                _low(risk),
                cost.price_usd,
                _low(each),
                cost.status,
                cost.reason,
                _high(risk),
                _high(each),
                cost.profile.population,
                cost.profile.linkage_key,
                cost.profile.lists or None,
                cost.profile.attacker,
            )
        )
    names = (
        "state policy total_risk price_usd usd_per_reidentification status reason total_risk_high "
        "usd_per_reidentification_high population linkage_key lists attacker"
    )
    table = _table(rows, names)
    if any(cost.profile.variances for cost in costs):
        _add_interval(table, "usd", [cost.interval() for cost in costs])
    return table


def curve_frame(curves: Iterable[Curve]) -> pd.DataFrame:
    """Return one row a state, policy, attacker and g; a profile without a list has one row and no g."""
    parts = []
    for curve in curves:
        low, high = curve.low, curve.high
        part = pd.DataFrame(
            {
                "g": pd.array(range(1, len(low) + 1) if low is not None else [pd.NA], dtype="Int64"),
                "share": pd.array(low if low is not None else [pd.NA], dtype="Float64"),
                "share_high": pd.array(high if high is not None else [pd.NA], dtype="Float64"),
            }
        )
        for place, name in enumerate(("state", "policy", "attacker")):
            part.insert(place, name, getattr(curve, name))
        for name in ("population", "linkage_key", "status", "reason", "lists"):
            part[name] = getattr(curve, name)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def trust_curve_frame(curves: pd.DataFrame, numerator: str, denominator: str) -> pd.DataFrame:
    """Return the trust differential at every g from the rows of :func:`curve_frame`.

    A ratio is missing, with status ``undefined``, where the denominator is 0.
    """
    sides = [curves[(curves["policy"] == policy) & curves["g"].notna()] for policy in (numerator, denominator)]
    both = sides[0].merge(sides[1], on=["state", "attacker", "g"], suffixes=("_above", "_below"))
    table = both[["state", "attacker", "g"]].copy()
    table["numerator_policy"], table["denominator_policy"] = numerator, denominator
    undefined = (both["share_below"] == 0) | (both["share_high_below"] == 0)
    for end, name in (("share", "ratio"), ("share_high", "ratio_high")):
        table[name] = both[f"{end}_above"] / both[f"{end}_below"].mask(undefined)
    status = pd.Series("ok", index=table.index)
    status[(both["status_above"] == "interval") | (both["status_below"] == "interval")] = "interval"
    table["status"] = status.mask(undefined, "undefined")
    table["population"], table["lists"] = both["population_above"], both["lists_above"]
    return table


def with_trust(curves: pd.DataFrame, trust: pd.DataFrame) -> pd.DataFrame:
    """Set each policy's trust differential beside its rows of :func:`curve_frame`.

    New columns: ``ratio, ratio_high, ratio_status, denominator_policy``; missing for the denominator itself.
    """
    beside = trust.rename(columns={"numerator_policy": "policy", "status": "ratio_status"})
    columns = ["ratio", "ratio_high", "ratio_status", "denominator_policy"]
    keys = ["state", "policy", "attacker", "g"]
    return curves.merge(beside[[*keys, *columns]], how="left", on=keys)


def _add_interval(table: pd.DataFrame, name: str, spans: Sequence[Bounds | None]) -> None:
    """Add both ends of a 95 % interval as columns."""
    table[f"{name}_from95"] = pd.array([_low(span) for span in spans], dtype="Float64")
    table[f"{name}_to95"] = pd.array([_high(span) for span in spans], dtype="Float64")


def _low(figure: Bounds | None) -> float | None:
    return None if figure is None else figure.low


def _high(figure: Bounds | None) -> float | None:
    return None if figure is None else figure.high


def _both(people: Bounds | None, share: Bounds | None) -> tuple[float | None, ...]:
    return _low(people), _low(share), _high(people), _high(share)


def _table(rows: Sequence[tuple[object, ...]], names: str) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=names.split(), dtype=object)
    kinds = {name: "string" if name in _TEXT else "Int64" if name in _WHOLE else "Float64" for name in table.columns}
    return table.astype(kinds)
