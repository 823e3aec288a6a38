"""Box figures: one panel a fraction, one box for each model that answered."""

import pandas as pd
import pytest

from policy_sim.render.boxes import error_boxes
from policy_sim.render.save import save_figure


def _summary(spread=1.0, failed=0):
    rows = [
        ("uniqueness", fraction, model, 100, failed, *(spread * x for x in (-0.3, -0.1, 0.0, 0.1, 0.3)))
        for fraction in (0.01, 0.5)
        for model in ("pitman", "zayatz")
    ]
    names = ["measure", "fraction", "model", "runs", "failed", "p05", "q1", "median", "q3", "p95"]
    return pd.DataFrame(rows, columns=names)


def test_a_panel_a_fraction_and_a_box_a_model():
    figure = error_boxes(_summary(), "uniqueness")
    assert [axes.get_title() for axes in figure.axes] == ["1%", "50%"]
    assert all(len(axes.patches) == 2 for axes in figure.axes)
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["Pitman", "Zayatz"]


def test_a_model_without_an_answer_has_no_box_and_says_so():
    summary = _summary()
    gone = (summary["model"] == "zayatz") & (summary["fraction"] == 0.5)
    summary.loc[gone, ["p05", "q1", "median", "q3", "p95"]] = None
    summary.loc[gone, "failed"] = 100
    figure = error_boxes(summary, "uniqueness")
    assert [len(axes.patches) for axes in figure.axes] == [2, 1]
    assert "100% failed" in [text.get_text() for text in figure.axes[1].texts]


@pytest.mark.parametrize(("spread", "scale"), [(1.0, "linear"), (50.0, "symlog")])
def test_errors_of_many_times_the_truth_get_a_logarithmic_axis(spread, scale):
    assert error_boxes(_summary(spread), "uniqueness").axes[0].get_yscale() == scale


def test_the_same_bytes_each_time(tmp_path):
    for name in ("a", "b"):
        save_figure(error_boxes(_summary(), "uniqueness", ["note"]), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
