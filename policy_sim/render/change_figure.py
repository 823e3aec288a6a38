"""How risk changed between populations: one row per state, one dot per population."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.numbers import percent
from policy_sim.render.page import MARGIN, foot_height, new_page
from policy_sim.render.panels import percent_axis
from policy_sim.render.text_table import Column, layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["area_change_table", "change_figure", "change_figures", "change_table", "draw_change"]

_WIDTH, _HEAD_INCHES, _ROW_INCHES = 7.2, 1.75, 0.155
_LEAST_ROWS = 4
_MARKERS = ("o", "s", "D", "^", "v", "P", "X")


def change_figure(
    profiles: pd.DataFrame, policy: str, attacker: str, measure: str, g: int | None = None, footer: Sequence[str] = ()
) -> Figure:
    """Draw each state's share in every population, joined by a line, the largest latest share on top.

    Parameters
    ----------
    profiles : Tidy profiles of several populations; their order is the order of the dots.
    policy, attacker, measure, g : Which rows are drawn.
    footer : Whose censuses, which lists, which options.

    Returns
    -------
    A page; states without one figure in every population are named below, not drawn.
    """
    rows = profiles[
        (profiles["policy"] == policy) & (profiles["attacker"] == attacker) & (profiles["measure"] == measure)
    ]
    rows = rows if g is None else rows[rows["g"] == g]
    shares = _shares(rows)
    left_out = [str(state) for state in rows["state"].unique() if state not in shares.index]
    what = f"{g}-distinct" if g is not None else measure.replace("-", " ")
    with theme.styled():
        lines = [*_left_out(left_out), *footer]
        page = new_page(
            _WIDTH,
            _HEAD_INCHES + foot_height(_WIDTH, lines) + _ROW_INCHES * max(len(shares), _LEAST_ROWS),
            _sentence(shares, what),
            f"{what[0].upper()}{what[1:]} as a share of each state's people, {theme.policy_title(policy)} × "
            f"{theme.attacker_title(attacker)}",
            lines,
        )
        axes = page.figure.add_axes(page.box(MARGIN + 0.35, page.bottom + 0.45, page.width - MARGIN, page.top - 0.3))
        draw_change(rows, axes)
        return page.figure


def change_figures(profiles: pd.DataFrame, footer: Sequence[str] = ()) -> Iterator[tuple[str, Figure]]:
    """Draw the change in total risk under each policy and attacker, with the name each file gets.

    Nothing is drawn of one population, nor of a policy and attacker without a figure anywhere.
    """
    if profiles["population"].nunique() < 2:
        return
    rows = profiles[(profiles["measure"] == "total-risk") & (profiles["status"] == "ok")]
    for policy, attacker in rows[["policy", "attacker"]].drop_duplicates().itertuples(index=False):
        yield f"change-{policy}-{attacker}", change_figure(profiles, policy, attacker, "total-risk", footer=footer)


def _shares(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per state and one column per population, the largest latest share last."""
    names = [str(name) for name in rows["population"].unique()]
    shares = rows[rows["status"] == "ok"].pivot_table(
        index="state", columns="population", values="share", aggfunc="first", observed=True
    )
    return shares.reindex(columns=names).dropna().astype(float).sort_values([names[-1], names[0]])


def _sentence(shares: pd.DataFrame, what: str) -> str:
    """Say in how many states the share rose and fell from the first population to the last."""
    if shares.empty:
        return f"No state has an exact figure for {what} in every population"
    first, last = shares.iloc[:, 0], shares.iloc[:, -1]
    rose, fell = int((last > first).sum()), int((last < first).sum())
    equal = len(shares) - rose - fell
    words = [f"rose in {_states(rose)}", f"fell in {fell}", *([f"did not change in {equal}"] if equal else [])]
    text = f"{', '.join(words[:-1])} and {words[-1]}"
    return f"From {shares.columns[0]} to {shares.columns[-1]}, {what} {text}"


def _states(number: int) -> str:
    return f"{number} state" + ("s" if number != 1 else "")


def draw_change(rows: pd.DataFrame, ax: Axes) -> Axes:
    """Draw each state's share in every population on your axes, and return them.

    Parameters
    ----------
    rows : Rows of several populations under one policy and attacker, of one measure (and one g).
    """
    axes, shares = ax, _shares(rows)
    names = [str(name) for name in shares.columns]
    places = range(len(shares))
    axes.hlines(places, shares.min(axis=1), shares.max(axis=1), color=theme.PALE, linewidth=1.2, zorder=1)
    for place, name in enumerate(names):
        axes.scatter(
            shares[name],
            places,
            s=16,
            marker=_MARKERS[place % len(_MARKERS)],
            color=theme.line_color(place),
            label=name,
            zorder=2,
        )
    axes.set_yticks(list(places), [str(state) for state in shares.index], size=theme.SIZES["map"])
    axes.set_ylim(-0.7, max(len(shares), 1) - 0.3)
    axes.set_xlim(left=0)
    percent_axis(axes, "x")
    axes.set_xlabel("share of the state's people")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=len(names), borderaxespad=0.1)
    return axes


def change_table(
    changes: pd.DataFrame, measure: str = "total-risk", g: int | None = None, width: int | None = None
) -> str:
    """Write one row per state: the share in the first population, and the change of each later one in points.

    Where a field of a list is not known the lower ends are compared, marked ``+``.

    Parameters
    ----------
    changes : Tidy changes; other measures are left out.
    """
    rows = changes[changes["measure"] == measure]
    rows = rows if g is None else rows[rows["g"] == g]
    states = [str(state) for state in rows["state"].unique()]
    columns = []
    for policy, attacker in rows[["policy", "attacker"]].drop_duplicates().itertuples(index=False):
        selection = rows[(rows["policy"] == policy) & (rows["attacker"] == attacker)]
        if selection["difference"].isna().all():
            continue
        head = (theme.policy_title(policy), theme.attacker_title(attacker))
        first, later = str(selection["before"].iloc[0]), [str(name) for name in selection["after"].unique()]
        by_state = {name: selection[selection["after"] == name].set_index("state").reindex(states) for name in later}
        shares = [_cell(value, percent) for value in by_state[later[0]]["share_before"]]
        columns.append(Column((*head, first), tuple(shares)))
        columns += [Column((*head, name), tuple(_differences(table))) for name, table in by_state.items()]
    key = Column(("", "", ""), tuple(states), right=False)
    note = f"change in {measure.replace('-', ' ')} since the first population: percentage points of its people"
    return f"{note}\n{layout([key], columns, width)}"


def area_change_table(changes: pd.DataFrame, measure: str = "total-risk") -> str:
    """Write one row per area, policy and attacker: the first share, and the change of each later one in points.

    An area of several counties is named by its first and the number of the others.

    Parameters
    ----------
    changes : Tidy changes by area; other measures are left out.
    """
    keys = ["state", "area", "policy", "attacker"]
    rows = changes[changes["measure"] == measure]
    first = rows.drop_duplicates(keys)
    others = [str(counties).count(" ") for counties in first["counties"]]
    names = [f"{area} +{more}" if more else str(area) for area, more in zip(first["area"], others, strict=True)]
    texts = first.assign(area=names)[keys].astype(str)
    key = [Column((name,), tuple(texts[name]), right=False) for name in keys]
    shares = tuple(_cell(value, percent) for value in first["share_before"])
    columns = [Column((str(first["before"].iloc[0]),), shares)]
    for name, later in rows.groupby("after", sort=False):
        table = first[keys].merge(later, on=keys, how="left")
        columns.append(Column((str(name),), tuple(_differences(table))))
    note = f"change in {measure.replace('-', ' ')} since the first population: percentage points of the area's people"
    return f"{note}\n{layout(key, columns)}"


def _differences(rows: pd.DataFrame) -> list[str]:
    return [
        _cell(difference, _points) + ("+" if status == "interval" else "")
        for difference, status in zip(rows["difference"], rows["status"], strict=True)
    ]


def _cell(value: object, write: Callable[[float], str]) -> str:
    return "–" if pd.isna(value) else write(float(value))  # type: ignore[call-overload,arg-type]


def _points(difference: float) -> str:
    """Write a difference of shares as percentage points with its sign."""
    if difference == 0:
        return "0"
    sign = "+" if difference > 0 else "−"
    return sign + percent(abs(difference)).removesuffix("%")


def _left_out(states: Sequence[str]) -> list[str]:
    if not states:
        return []
    return [f"not drawn, because not every population has one exact figure: {', '.join(states)}"]
