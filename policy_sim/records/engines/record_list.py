"""One row per record of a file, and the risk of a file by its survey weights: both read the file again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from policy_sim.records.engines.read_classes import read_grouped
from policy_sim.records.engines.readable_file import ReadableFile
from policy_sim.records.mapped import field_meanings, mapped_fields, mapped_groups
from policy_sim.records.score import profile_rows
from policy_sim.records.weights import WeightedRisk, weighted_risk
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from policy_sim.records.profile import FileProfile

__all__ = ["listed_records", "risk_by_weights"]


def listed_records(file: ReadableFile, profile: FileProfile, fraction: float) -> pd.DataFrame:
    """Return the records of a profile, one row each (:func:`~policy_sim.records.score.profile_rows`)."""
    records = file.records
    with file.opened() as engine:
        grouped = engine.group(records, rows=True)
        classes = grouped.classes(file.most_classes)
        rows = grouped.class_of_rows(classes)
        names = mapped_fields(records.fields, records.mapping)
        if names:
            meanings = {name: field_meanings(name, grouped.values_of(name), records.mapping) for name in names}
            classes, group = mapped_groups(classes, meanings)
            rows = group[rows]
    return profile_rows(classes, rows, profile, fraction)


def risk_by_weights(file: ReadableFile, weight: str) -> WeightedRisk:
    """Return the risk of a file whose records have survey weights in a column."""
    if file.missing == "wildcard":
        raise InputError(
            "weights need classes, but the wildcard rule has none. Choose another rule for missing values."
        )
    if weight in file.records.fields:
        raise InputError(f"{weight} is the weight, not a key field. Leave it out of the fields.")
    both = replace(file, fields=(*file.records.fields, weight))
    with both.opened() as engine:
        grouped = engine.group(both.records)
        classes = read_grouped(grouped, file.most_classes, complete=file.complete).classes
        weights = pd.to_numeric(pd.Series(grouped.values_of(weight), dtype="string"), errors="coerce")
    return weighted_risk(classes, weights.to_numpy(dtype=np.float64, na_value=np.nan), weight)
