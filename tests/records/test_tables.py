"""Tables have a status and a reason wherever they have no figure."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from policy_sim.records.classes import Classes, JointSizes, WeightedRisk, linked_risk
from policy_sim.records.profile import Threshold, profile_classes
from policy_sim.records.tables import (
    FileResult,
    combination_frame,
    field_frame,
    linked_frame,
    profile_figures,
    size_frame,
    suda_frame,
    weighted_figures,
)

LIMITS = Threshold.parse("0.2"), Threshold.parse("0.5")
ROWS = [("F", 30), ("F", 40), ("F", 40), ("M", 40)]


def _profile(rows=ROWS, rule="own"):
    return profile_classes(Classes.of_rows(rows, ("sex", "age")), rule, *LIMITS)


def _check_status(frame):
    known = frame["number"].notna() | frame["share"].notna()
    assert (known == (frame["status"] == "ok")).all()
    assert ((frame["reason"] == "") == known).all()
    numbers = frame[["number", "share"]].to_numpy(dtype=float, na_value=np.nan)
    assert np.isfinite(numbers[~np.isnan(numbers)]).all()


def test_figures_of_a_file():
    frame = profile_figures(_profile())
    _check_status(frame)
    figures = frame.set_index("measure")
    assert figures.loc["classes", "number"] == 3
    assert figures.loc["prosecutor risk, average over records", "share"] == 0.75


def test_no_records_and_wildcards_say_why_figures_are_missing():
    empty, wild = profile_figures(_profile([])), profile_figures(_profile([("F", None), ("M", 1)], "wildcard"))
    _check_status(empty)
    _check_status(wild)
    assert set(empty.loc[empty["status"] != "ok", "reason"]) == {"there are no records to judge"}
    assert wild.set_index("measure").loc["classes", "reason"] == "sizes belong to records under wildcards"


def test_fields_stand_in_the_order_of_what_they_add():
    frame = field_frame(_profile())
    assert frame["added_risk"].is_monotonic_decreasing
    assert frame.set_index("field").loc["age", ["values", "uniques_alone"]].tolist() == [2, 1]
    assert field_frame(_profile([]))["added_risk"].isna().all()


def test_combinations_sizes_and_scores():
    combos = combination_frame(_profile())
    assert combos.set_index("fields").loc[["age", "sex", "sex+age"], "minimal_uniques"].tolist() == [1, 1, 0]
    assert size_frame(_profile()).to_dict("list") == {"size": [1, 2], "records": [2, 2], "classes": [2, 1]}
    assert "classes" not in size_frame(_profile(rule="wildcard"))
    scores = suda_frame(_profile(), 0.5)
    assert scores[["score", "records"]].to_numpy().tolist() == [[1, 2]]
    assert scores["match_chance"].between(0, 1).all()


def test_nothing_linked_and_nothing_weighted():
    classes, nothing = Classes.of_rows([], ("a",)), np.zeros(0)
    _check_status(linked_frame(linked_risk(JointSizes.of(classes, classes))))
    weighted = weighted_figures(WeightedRisk(classes, nothing, nothing, nothing, 0))
    assert set(weighted["status"]) == {"undefined"}
    assert weighted["share"].isna().all()


MAIN, MORE = pd.DataFrame({"figure": ["k", "risk"], "value": [2.0, 0.5]}), pd.DataFrame({"size": [1]})


def test_the_first_table_is_the_one_shown():
    result = FileResult("profile", None, {"figures": MAIN, "sizes": MORE}, files={"a.csv": None})
    assert result.to_frame() is MAIN
    assert re.match(r"profile of a\.csv: 2 rows; .*: sizes\n", repr(result))
    assert "0.5" in repr(result)


def test_one_table_and_two_files_are_said_as_they_are():
    result = FileResult("estimate", None, {"sizes": MORE}, files={"a.csv": None, "b.csv": None})
    assert repr(result).splitlines()[0] == "estimate of a.csv, b.csv: 1 row"


def test_a_headline_has_no_markup_of_a_file_name():
    html = FileResult("score", None, {"sizes": MORE}, files={"<i>.csv": None})._repr_html_()
    assert "&lt;i&gt;.csv" in html
    assert "<i>" not in html
