"""The class size and risk of each record: one row per record, for someone who reviews or suppresses records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.arrays import IntArray
from policy_sim.records.classes import Classes
from policy_sim.records.missing import agreeing
from policy_sim.records.profile import FileProfile
from policy_sim.records.score import FileScore

__all__ = ["profile_rows", "score_rows"]


def profile_rows(classes: Classes, rows: IntArray, profile: FileProfile, fraction: float) -> pd.DataFrame:
    """Return one row per record, in the order of the file; no value of a record.

    Parameters
    ----------
    classes : Every class of the file, including those with a missing key field.
    rows : Index of each record's class among them; shape (records,).
    profile : The profile of these classes, with its rule for missing values.
    fraction : Sampling fraction of the file, for ``match_chance`` (DIS).

    Returns
    -------
    ``row`` (from 1, the header not counted), ``class_size``, ``risk`` (1/size, 0..1), and with scores ``suda_score``
    and ``match_chance``. A record that the rule leaves out has ``pd.NA`` and the reason in ``status``.

    Examples
    --------
    >>> from policy_sim.records.profile import profile_classes
    >>> from policy_sim.records.prosecutor import Threshold
    >>> classes = Classes.of_rows([("F",), ("M",), ("F",)], ("sex",))
    >>> profile = profile_classes(classes, "own", Threshold.parse("0.09"), Threshold.parse("0.5"))
    >>> profile_rows(classes, np.array([0, 1, 0]), profile, 0.1)[["row", "class_size"]].values.tolist()
    [[1, 2], [2, 1], [3, 2]]
    """
    rule = profile.sizes.rule
    judged = (classes.codes > 0).all(axis=1) if rule == "exclude" else np.ones(classes.number, dtype=bool)
    sizes = agreeing(classes) if rule == "wildcard" else classes.sizes
    of_class = pd.DataFrame({"class_size": sizes, "risk": 1 / sizes})
    if profile.suda is not None:
        for name, values in (("suda_score", profile.suda.score), ("match_chance", profile.suda.dis(fraction))):
            of_class[name] = np.zeros(classes.number, dtype=values.dtype)
            of_class.loc[judged, name] = values
    kinds = {name: "Int64" if name in ("class_size", "suda_score") else "Float64" for name in of_class}
    of_class = of_class.astype(kinds)
    of_class.loc[~judged] = pd.NA
    of_class["status"] = np.where(judged, "ok", "left out: a key field is missing")
    table = of_class.iloc[rows].reset_index(drop=True)
    table.insert(0, "row", np.arange(1, len(rows) + 1))
    return table


def score_rows(scores: Sequence[FileScore], outside: NDArray[np.object_], rows: IntArray) -> pd.DataFrame:
    """Return one row per record, in the order of the file, with each attacker's chance of a correct match.

    Parameters
    ----------
    scores : One per attacker and state.
    outside : Why each class has no cell in the population, empty where it has one; shape (classes,).
    rows : Index of each record's class, -1 for a record that is left out; shape (records,).

    Returns
    -------
    ``row`` (from 1, the header not counted); for each attacker ``<name>_chance`` and ``<name>_chance_high`` (0..1;
    the second if the list shows every unknown field), ``pd.NA`` where there is no list; and ``status``.
    """
    table = pd.DataFrame(index=range(len(outside)))
    for name in dict.fromkeys(score.attacker for score in scores):
        for end, column in enumerate((f"{name}_chance", f"{name}_chance_high")):
            chance = np.full(len(outside), np.nan)
            for score in scores:
                if score.attacker == name and score.chances is not None:
                    chance = np.where(np.isnan(chance), score.chances[end], chance)
            table[column] = pd.Series(chance).astype("Float64")  # NaN becomes missing
    table["status"] = [str(reason) or "ok" for reason in outside]
    listed = table.reindex(rows).reset_index(drop=True)
    listed["status"] = listed["status"].fillna("left out: a key field is missing")
    listed.insert(0, "row", np.arange(1, len(rows) + 1))
    return listed
