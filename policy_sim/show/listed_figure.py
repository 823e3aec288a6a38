"""Who is on the voter lists, drawn: records per resident by age, and maps of listed residents per adult."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.show import theme
from policy_sim.show.maps.figure import county_map, state_map
from policy_sim.show.maps.fills import Classes, quantile_classes
from policy_sim.show.numbers import short_percent, span_words
from policy_sim.show.page import MARGIN, foot_height, new_page
from policy_sim.show.panels import percent_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 8.0, 4.2
_LAST = 100  # years; beyond are too few people for a share that says anything


def listed_figure(rows: pd.DataFrame, where: str, footer: Sequence[str] = ()) -> Figure:
    """Draw listed residents and all records per resident by year of age.

    ``rows``: one per age with ``age, people, listed, records``. ``where``: the place in the title.
    """
    with theme.styled():
        shares = _drawn(rows)
        span = span_words(shares["listed"], short_percent) if len(shares) else "an unknown share"
        page = new_page(
            _WIDTH,
            _HEIGHT + foot_height(_WIDTH, footer),
            f"In {where}, {span} of the people of each age are on the voter list",
            "Listed residents, and all records with those of people who left, per resident",
            footer,
        )
        box = page.box(MARGIN + 0.55, page.bottom + 0.5, page.width - MARGIN, page.top - 0.15)
        axes = draw_listed(rows, page.figure.add_axes(box, label="ages"))
        axes.legend(loc="lower right")
        return page.figure


def draw_listed(rows: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the lines of :func:`listed_figure` on your axes, up to 100 years, and return them; they have labels."""
    shares = _drawn(rows)
    for place, (column, label) in enumerate((("records", "all records"), ("listed", "listed residents"))):
        ax.plot(shares.index, shares[column], color=theme.line_color(place), label=label, drawstyle="steps-post")
    ax.set(xlabel="age", ylabel="per resident of that age")
    ax.set_ylim(bottom=0)
    percent_axis(ax)
    return ax


def _drawn(rows: pd.DataFrame) -> pd.DataFrame:
    held = rows[(rows["people"] > 0) & (rows["age"] <= _LAST)].set_index("age")
    return held[["listed", "records"]].div(held["people"], axis=0)


def listed_map(rows: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw listed residents per adult of each county, or of each state where the table has no counties.

    ``rows``: one per county or state with ``coverage`` (0..1).
    """
    level = "county" if "county" in rows else "state"
    shares = rows["coverage"].astype(float)
    table = pd.DataFrame({level: rows[level], "value": shares, "value_high": shares, "status": "ok"})
    classes: Classes = quantile_classes(shares, theme.RISK)
    span = span_words(shares.dropna(), short_percent)
    draw = county_map if level == "county" else state_map
    return draw(
        table,
        classes,
        short_percent,
        title=f"The voter lists hold {span} of each {level}'s adults",
        subtitle="Listed residents per adult: active records, at most one for each adult",
        legend_title="share of the adults; darker: more",
        footer=footer,
    )
