"""Kinds of places against risk at equal fields: what the place says, who is matched, and who is in a small group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.areas.risk import LIMITED
from policy_sim.show import theme
from policy_sim.show.numbers import percent_tick
from policy_sim.show.panels import new_page
from policy_sim.words.states import STATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 10.0, 9.6  # inches
_SHORT = {"three-digit ZIP codes": "ZIP3", "counties": "county", "ZIP codes": "ZIP5"}
_ROWS = (
    ("share", "people matched, share"),
    ("small_share", "people in groups of ten or fewer, share"),
)
_ROOM_FOR_NAME = 0.045  # of the width of a panel, that the text of a place needs
_LEAST, _MOST = 1e-6, 1.5  # a smaller share is drawn at the edge


def places_chart(
    frame: pd.DataFrame,
    attacker: str,
    words: str,
    footer: Sequence[str] = (),
    *,
    released: str = "Everyone in the state",
) -> Figure:
    """Draw the rows of one state and attacker, without and with race, a line per age class.

    ``frame``: as :func:`~policy_sim.areas.risk.risk_frame` makes it. ``words``: who the attacker is. The dashed line is
    Safe Harbor: three-digit ZIP codes and the year of birth; the star is the limited data set. ``released``: who is.
    """
    rows = frame[frame["attacker"] == attacker]
    name = STATES[str(rows["state"].iloc[0])].name
    title = f"{name}: what finer places risk at the same fields, someone who {words}"
    subtitle = (
        f"{released} is released. A point is a kind of place; lines join those with the same fields. Dashed: Safe "
        "Harbor with the year of birth. Star: limited data set with the date of birth. Points at the bottom: "
        f"{percent_tick(_LEAST)} or less"
    )
    with new_page(_WIDTH, _HEIGHT, title, subtitle, footer, foot_inside=True) as page:
        height = (page.top - page.bottom - 1.6) / 2
        for row, (column, label) in enumerate(_ROWS):
            low = page.bottom + 0.5 + (1 - row) * (height + 0.85)
            for side, (left, right) in enumerate(page.across(2, 0.5, 0.7)):
                axes = page.axes(left, low, right, low + height, label=f"{column}-{side}")
                with_race = rows["fields"].str.contains("race") == bool(side)
                _draw(axes, rows[with_race], column, "with race" if side else "without race")
                axes.set_ylabel("" if side else label)
                if row == 0 and side == 0:
                    axes.legend(loc="upper left", fontsize=theme.SIZES["footer"])
        return page.figure


def _draw(axes: Axes, rows: pd.DataFrame, column: str, title: str) -> None:
    from matplotlib.ticker import FuncFormatter

    limited, rows = rows[rows["place"] == LIMITED], rows[rows["place"] != LIMITED]
    if len(limited):
        axes.plot(limited["bits"].astype(float), limited[column].astype(float), "*", markersize=9, color=theme.INK)
    for number, (fields, part) in enumerate(rows.groupby("fields", sort=False)):
        line = part.sort_values("bits")
        x, y = line["bits"].astype(float), line[column].astype(float).clip(lower=_LEAST)
        age = str(fields).removeprefix("sex, ").removeprefix("race, ")
        axes.plot(x, y, "o-", markersize=4, color=theme.line_color(number), label=age)
        if number == 0:
            named = [_SHORT.get(str(place), str(place).removeprefix("areas of ")) for place in line["place"]]
    harbor = rows[(rows["place"] == "three-digit ZIP codes") & rows["fields"].str.endswith("year of birth")]
    if len(harbor):
        axes.axhline(max(float(harbor[column].iloc[0]), _LEAST), linestyle="dashed", color=theme.GREY, linewidth=0.9)
    axes.set(yscale="log", xlabel="bits that the place says", title=title)
    axes.set_ylim(_LEAST * 0.8, _MOST)
    if len(rows):
        _name_places(axes, named, x.tolist(), at_top=bool((rows[column].astype(float) < _LEAST).any()))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: percent_tick(share)))


def _name_places(axes: Axes, names: Sequence[str], places: Sequence[float], *, at_top: bool) -> None:
    """Write the name of each kind of place at its line; those too near to each other share one text.

    ``at_top``: points are at the bottom, where the names would hide them.
    """
    look: dict[str, Any] = {
        "rotation": 90,
        "va": "top" if at_top else "bottom",
        "ha": "right",
        "size": theme.SIZES["footer"],
    }
    low, high = axes.get_xlim()
    room = _ROOM_FOR_NAME * (high - low)
    together: list[tuple[list[str], float]] = []
    for name, at in zip(names, places, strict=True):
        axes.axvline(at, color=theme.PALE, linewidth=0.5, zorder=0)
        if together and at - together[-1][1] < room:
            together[-1][0].append(name)
        else:
            together.append(([name], at))
    for words, at in together:
        axes.text(
            at,
            0.98 if at_top else 0.02,
            " and ".join(words),
            transform=axes.get_xaxis_transform(),
            color=theme.GREY,
            **look,
        )
