"""The figures that survey weights add to a profile."""

from __future__ import annotations

import pandas as pd

from policy_sim.records.weighted import WeightedRisk

__all__ = ["weighted_figures"]


def weighted_figures(risk: WeightedRisk) -> pd.DataFrame:
    """Return one row per measure, as :func:`~policy_sim.records.record_tables.profile_figures` does."""
    records = int(risk.classes.sizes.sum())
    any_records = records > 0
    rows = [
        ("people that the weights represent", float(risk.people.sum()), None),
        ("expected correct matches, by weights", risk.expected, risk.expected / records if any_records else None),
        (
            "expected to be alone in the population, by weights",
            risk.unique,
            risk.unique / records if any_records else None,
        ),
        ("records in classes that represent fewer people than records", float(risk.below_one), None),
    ]
    table = pd.DataFrame(rows, columns=["measure", "number", "share"])
    table["status"] = "ok" if any_records else "undefined"
    table["reason"] = "" if any_records else "there are no records to judge"
    kinds = {"measure": "string", "number": "Float64", "share": "Float64", "status": "string", "reason": "string"}
    return table.astype(kinds)
