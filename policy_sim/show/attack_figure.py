"""The attack curve: correct matches, precision and profit over the number of records attacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.show import theme
from policy_sim.show.frontier_figure import best_policy_figure
from policy_sim.show.numbers import compact, dollars
from policy_sim.show.page import MARGIN, foot_height, new_page
from policy_sim.show.panels import percent_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_PANELS = (("matched", "correct matches"), ("precision", "share of attempts correct"), ("profit_usd", "profit, $"))
_WIDTH = 11.0  # inches
_LINE = 0.2  # inches of a line of the legend
_FIRST, _GAP, _FEET = 0.75, 0.85, 0.5


def attack_figure(curves: pd.DataFrame, stakes: str, footer: Sequence[str] = ()) -> Figure:
    """Draw the yield, the precision and the profit of attacks over the records attacked, the surest first.

    ``curves``: rows with ``state, policy, attacker, unknown_fields, attacked, matched, precision, profit_usd, best``.
    """
    labels = _labels(curves)
    rows = -(-len(set(labels)) // 2)
    with theme.styled():
        page = new_page(
            _WIDTH,
            4.3 + _LINE * rows + foot_height(_WIDTH, footer),
            _sentence(curves),
            f"The attacker starts with the records that it is most likely to match. {stakes}. A dot marks the best "
            f"place to stop; the price of the list is not subtracted",
            footer,
        )
        width = (page.width - 2 * MARGIN - _FIRST - 2 * _GAP) / len(_PANELS)
        panels = []
        for place, (column, title) in enumerate(_PANELS):
            left = MARGIN + _FIRST + place * (width + _GAP)
            box = page.box(left, page.bottom + _FEET, left + width, page.top - 0.3 - _LINE * rows)
            axes = page.figure.add_axes(box, label=column)
            draw_attack(curves, column, axes)
            axes.set_ylabel(title)
            panels.append(axes)
        handles, texts = panels[0].get_legend_handles_labels()
        at = (MARGIN + _FIRST) / page.width, (page.top - 0.12) / page.height
        page.figure.legend(handles, texts, loc="upper left", bbox_to_anchor=at, ncols=2, borderaxespad=0.0)
        return page.figure


def draw_attack(curves: pd.DataFrame, column: str, ax: Axes) -> Axes:
    """Draw one column of attack curves over the records attacked on your axes, and return them.

    ``column``: ``matched``, ``precision`` or ``profit_usd``. ``ax``: where to draw; the lines have labels.
    """
    labels = _labels(curves)
    for place, label in enumerate(dict.fromkeys(labels)):
        rows = curves[[label_of_row == label for label_of_row in labels]]
        color, dashes = theme.line_color(place), theme.line_style(place)
        ax.plot(rows["attacked"], rows[column], color=color, linestyle=dashes, label=label)
        best = rows[rows["best"].astype(bool)]
        ax.plot(best["attacked"], best[column], "o", color=color, markersize=5)
    ax.set(xscale="log", xlabel="records attacked")
    ax.xaxis.set_major_formatter(lambda value, _: compact(value) if value >= 1 else f"{value:g}")
    if column == "precision":
        ax.set_ylim(0, 1.03)
        percent_axis(ax)
    elif column == "matched":
        ax.set_yscale("symlog", linthresh=1)
        ax.set_ylim(0, 2 * max(float(curves[column].max()), 1.0))
        ax.yaxis.set_major_formatter(lambda value, _: compact(value) if value else "0")
    else:
        largest = float(curves[column].max())
        ax.set_ylim(-0.4 * max(largest, 1.0), 1.1 * max(largest, 1.0))
        ax.axhline(0, color=theme.GREY, linewidth=0.6)
        ax.yaxis.set_major_formatter(lambda value, _: _dollar_tick(value))
    return ax


def _dollar_tick(value: float) -> str:
    return f"−{_dollar_tick(-value)}" if value < 0 else f"${compact(value)}" if value >= 1000 else f"${value:,.0f}"


def _labels(curves: pd.DataFrame) -> list[str]:
    """Name each row's attack by what tells the attacks apart."""
    names = []
    for state, policy, attacker, end in curves[["state", "policy", "attacker", "unknown_fields"]].itertuples(
        index=False
    ):
        unknown = "" if pd.isna(end) else f", {end if 'people' in str(end) else f'unknown fields {end}'}"
        where = theme.state_title(state)
        names.append(f"{where}, {theme.policy_title(policy)}, {theme.attacker_title(attacker)}{unknown}")
    return names


def _sentence(curves: pd.DataFrame) -> str:
    best = curves[curves["best"].astype(bool)]
    if best.empty or not (best["profit_usd"] > 0).any():
        return "No record is worth an attempt"
    top = best.sort_values("profit_usd").iloc[-1]
    where = theme.state_title(top["state"])
    return (
        f"The best attack here takes {compact(float(top['attacked']))} records of {where}, names "
        f"{compact(float(top['matched']))} correctly, and gains {dollars(float(top['profit_usd']))} before the price "
        "of a list"
    )


# The publisher's best policy in every state, as a map.


def game_map(solutions: pd.DataFrame, footer: Sequence[str] = (), penalty: str = "without") -> Figure:
    """Color each state by the publisher's best policy, and write the detail that it keeps.

    ``solutions``: one row per state and penalty with ``state, penalty, policy, utility``. ``penalty``: ``without`` or
    ``with``.
    """
    rows = solutions[solutions["penalty"] == penalty]
    return best_policy_figure(
        rows.assign(policy=rows["policy"].astype("string").map(theme.policy_title, na_action="ignore")),
        f"The policy that pays the publisher most if the recipient attacks whenever that pays, {penalty} a penalty",
        "Numbers: the detail that the policy keeps, as a share of full sex, race, date of birth and place",
        footer,
        none="releases nothing, or depends on an unknown price",
    )
