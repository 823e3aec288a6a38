"""Box figures of relative error, one panel per sampling fraction (Dankar et al. 2012, Figures 3 to 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.numbers import percent
from policy_sim.render.page import MARGIN, new_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_error_boxes", "error_boxes"]

_TITLES = {"uniqueness": "population uniqueness", "marketer_risk": "marketer risk"}
_SHORT = {
    "decision_rule": "E1",
    "pitman": "Pitman",
    "slide_negative_binomial": "SNB",
    "zayatz": "Zayatz",
    "negative_binomial": "neg. binomial",
    "argus": "mu-Argus",
    "poisson_log_linear": "log-linear",
}
_WIDTH, _HEIGHT, _FEET, _HEADS, _GAP = 10.0, 4.4, 0.95, 0.35, 0.12
_LINEAR = 1.0  # relative errors beyond this are drawn on a logarithmic scale
_TICKS = (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 5.0, *(step * 10.0**power for power in range(1, 9) for step in (1, 3)))


def error_boxes(summary: pd.DataFrame, measure: str, footer: Sequence[str] = ()) -> Figure:
    """Draw boxes from quartile to quartile, whiskers from the 5th to the 95th percentile of the runs.

    Parameters
    ----------
    summary : Rows with ``measure, fraction, model, runs, failed, p05, q1, median, q3, p95``. A model
        without an answer in any run has no box, and one that failed in some runs says so.
    measure : Which measure's rows.
    """
    rows = summary[summary["measure"] == measure]
    fractions = sorted(rows["fraction"].unique())
    models = list(dict.fromkeys(rows["model"]))
    with theme.styled():
        page = new_page(
            _WIDTH,
            _HEIGHT,
            f"Each box shows the error of a model's estimates of {_TITLES.get(measure, measure)}",
            "Median, quartiles, 5th and 95th percentile of the relative error over the runs. Over each panel: "
            "the share of the population in the sample",
            footer,
        )
        left = MARGIN + 0.55
        width = (page.width - MARGIN - left + _GAP) / max(len(fractions), 1)
        first: Axes | None = None
        for place, fraction in enumerate(fractions):
            start = left + place * width
            box = page.box(start, page.bottom + _FEET, start + width - _GAP, page.top - _HEADS)
            axes = page.figure.add_axes(box, sharey=first) if first else page.figure.add_axes(box)
            draw_error_boxes(rows[rows["fraction"] == fraction], axes, models=models)
            axes.set_title(percent(float(fraction)))
            if first:
                axes.tick_params(labelleft=False)
            first = first or axes
        if first is not None:
            _scale(first, rows)
        return page.figure


def draw_error_boxes(rows: pd.DataFrame, ax: Axes, *, models: Sequence[str] = ()) -> Axes:
    """Draw one panel of :func:`error_boxes` on your axes, and return them.

    Parameters
    ----------
    rows : Rows of one measure and sampling fraction.
    models : The models and their order; by default those of the rows.
    """
    axes, models = ax, list(models) or list(dict.fromkeys(rows["model"]))
    with_median = rows[rows["median"].notna()].set_index("model")
    present = [model for model in models if model in with_median.index]
    boxes = [_box(row) for row in with_median.loc[present].to_dict("records")]
    axes.axhline(0, color=theme.GREY, linewidth=0.8)
    places = [models.index(model) for model in present]
    drawn = axes.bxp(boxes, positions=places, widths=0.6, showfliers=False, patch_artist=True) if boxes else {}
    for patch, place in zip(drawn.get("boxes", ()), places, strict=True):
        patch.set(facecolor=theme.line_color(place), alpha=0.55, edgecolor=theme.INK)
    for line in drawn.get("medians", ()):
        line.set(color=theme.INK, linewidth=1.4)
    for place, model in enumerate(models):
        row = rows[rows["model"] == model]
        if len(row) and int(row["failed"].iloc[0]):
            share = percent(int(row["failed"].iloc[0]) / int(row["runs"].iloc[0]))
            label: dict[str, Any] = {
                "rotation": 90,
                "size": theme.SIZES["footer"],
                "color": theme.GREY,
                "va": "top",
                "ha": "center",
            }
            where: Any = axes.get_xaxis_transform()
            axes.text(place, 0.99, f"{share} failed", transform=where, **label)
    axes.set_xticks(range(len(models)), [_SHORT.get(model, model) for model in models], rotation=90)
    axes.set_xlim(-0.7, len(models) - 0.3)
    return axes


def _box(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {"med": row["median"], "q1": row["q1"], "q3": row["q3"], "whislo": row["p05"], "whishi": row["p95"]}


def _scale(axes: Axes, rows: pd.DataFrame) -> None:
    from matplotlib.ticker import NullLocator

    axes.set_ylabel("relative error")
    low, high = float(rows["p05"].min()), float(rows["p95"].max())
    if max(-low, high) > 3 * _LINEAR:
        axes.set_ylabel("relative error, log from 100%")
        axes.set_yscale("symlog", linthresh=_LINEAR)
        axes.set_yticks([tick for tick in _TICKS if min(low, 0) <= tick <= max(high, 0)], minor=False)
        axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(lambda value, _: f"{'−' if value < 0 else ''}{percent(abs(value))}")
