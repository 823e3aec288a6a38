"""Printed figures and ours as tidy rows, without a number where there is none."""

import pandas as pd

from policy_sim.analyses.reproduction.printed_figure import Answer, reproduce
from policy_sim.analyses.reproduction.reproduction_tables import reproduction_frame
from policy_sim.io.published import load_paper


def test_one_row_per_figure_in_the_order_of_the_paper():
    paper = load_paper("golle-2006")
    rows = reproduction_frame(paper, reproduce(paper, lambda ask: Answer(None, "not computed")))
    assert rows["id"].tolist() == [figure.id for figure in paper.figures]
    assert set(rows["paper"]) == {"golle-2006"}


def test_what_is_not_computed_is_missing_with_its_reason():
    paper = load_paper("golle-2006")
    rows = reproduction_frame(paper, reproduce(paper, lambda ask: Answer(None, "not computed")))
    assert rows["ours"].isna().all()
    assert rows["deviation"].isna().all()
    assert rows["reason"].str.contains("not computed").all()


def test_a_deviation_is_relative_to_what_is_printed():
    paper = load_paper("golle-2006")
    figures = iter(paper.figures)
    scale = {"percent": 0.01}

    def twice(ask):
        figure = next(figures)
        return Answer(2 * float(figure.printed) * scale.get(figure.unit, 1.0))

    rows = reproduction_frame(paper, reproduce(paper, twice))
    printed = rows[pd.to_numeric(rows["printed"]) != 0]
    assert (printed["deviation"] - 1).abs().max() < 1e-9


def test_no_figures_are_no_rows_with_the_same_columns():
    paper = load_paper("golle-2006")
    empty = reproduction_frame(paper, [])
    assert len(empty) == 0
    assert str(empty["ours"].dtype) == "Float64"
    assert empty.columns[0] == "paper"
