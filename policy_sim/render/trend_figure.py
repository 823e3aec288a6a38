"""What changes of people, law, sources and price did to risk and to profit, as bars and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.attack_text import signed_dollars
from policy_sim.render.numbers import compact, percent
from policy_sim.render.page import MARGIN, foot_height, new_page
from policy_sim.render.price_sources import source_lines, source_numbers
from policy_sim.render.text_table import Column, layout, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_changes", "trend_figure", "trend_table"]

_WIDTH = 11.0  # inches
_MOST = 15  # states in a panel
_RISK = (("risk_people", "people"), ("risk_law", "law"), ("risk_source", "source"))
_PROFIT = (
    ("profit_people_usd", "people"),
    ("profit_law_usd", "law"),
    ("profit_source_usd", "source"),
    ("profit_price_usd", "price"),
)
_COLORS = {"people": "#0072b2", "law": "#d55e00", "source": "#b0b0b0", "price": "#009e73"}
_HATCHES = {"people": "", "law": "///", "source": "", "price": "..."}
_WORTH_A_LINE = 0.001  # of the share of the file


def trend_figure(changes: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw the states whose risk and whose profit changed most from the first time to the last, by what did it.

    Parameters
    ----------
    changes : One row per state and step, with the parts of people, law, sources and price. Steps are added up.
    footer : Whose census, which lists, which amounts; one line each.
    """
    whole = _whole(changes)
    first, last = (str(name) for name in (changes["before"].iloc[0], changes["after"].iloc[-1]))
    with theme.styled():
        page = new_page(
            _WIDTH,
            4.4 + foot_height(_WIDTH, footer),
            f"From {first} to {last}, changes in list law changed the risk in {_moved(whole)} states by one "
            f"percentage point or more",
            "The change caused by people, list law, better sources on the list, and price, averaged over every order; "
            f"the {_MOST} states with the largest changes. States without a known list or price at each date are left "
            "out",
            footer,
        )
        middle = page.width / 2
        boxes = ((MARGIN + 0.35, middle - 0.25), (middle + 0.45, page.width - MARGIN))
        titles = ("change in the share matched correctly, percentage points", "change in the best attack's profit, $")
        for (left, right), parts, title in zip(boxes, (_RISK, _PROFIT), titles, strict=True):
            axes = page.figure.add_axes(page.box(left, page.bottom + 0.5, right, page.top - 0.35), label=title)
            draw_changes(whole, [name for name, _ in parts], axes)
            axes.set_xlabel(title)
            if parts is _PROFIT:
                axes.legend(loc="lower right")
        return page.figure


def draw_changes(whole: pd.DataFrame, parts: Sequence[str], ax: Axes) -> Axes:
    """Draw stacked bars of the parts of a change, one bar per state, the largest on top, and return the axes.

    Parameters
    ----------
    whole : One row per state, with the columns ``parts``.
    parts : ``risk_people``, ``risk_law`` and ``risk_source``, or those of profit.
    ax : Where to draw.
    """
    complete = whole.dropna(subset=list(parts))
    size = complete[list(parts)].abs().sum(axis=1)
    rows = complete.loc[size.sort_values(ascending=False, kind="stable").index[:_MOST]].iloc[::-1]
    names = dict((*_RISK, *_PROFIT))
    above, below = pd.Series(0.0, index=rows.index), pd.Series(0.0, index=rows.index)
    for part in parts:
        values = rows[part].astype(float)
        start = above.where(values >= 0, below)
        label = names[part]
        ax.barh(
            rows["state"].tolist(),
            values.tolist(),
            left=start.tolist(),
            color=_COLORS[label],
            hatch=_HATCHES[label],
            edgecolor="white",
            label=label,
        )
        above, below = above + values.clip(lower=0), below + values.clip(upper=0)
    ax.axvline(0, color=theme.GREY, linewidth=0.6)
    write = _points if parts[0].startswith("risk") else _money
    ax.xaxis.set_major_formatter(lambda value, _: write(value))
    return ax


def trend_table(rows: pd.DataFrame, changes: pd.DataFrame, width: int | None = None) -> str:
    """Write risk, price and profit of every state at every time, then what changed them."""
    moments = list(dict.fromkeys(rows["moment"]))
    states = list(dict.fromkeys(rows["state"]))
    at, whole = _records(rows, ("state", "moment")), _records(_whole(changes), ("state",))
    heads = (("share", "matched"), ("price_usd", "price"), ("profit_usd", "profit"), ("price_date", "price seen"))
    numbers = source_numbers(rows)
    columns = [
        Column((str(moment), head), tuple(_cell(at.get((state, moment)), name, numbers) for state in states))
        for moment in moments
        for name, head in heads
    ]
    parts = [
        Column((head, label), tuple(_part(whole.get((state,)), name) for state in states))
        for head, group in (("risk changed by", _RISK), ("profit changed by", _PROFIT))
        for name, label in group
    ]
    key = Column(("", "state"), tuple(states), right=False)
    lines = wrapped([*_differences(changes), *source_lines(rows)], width)
    return "\n".join([layout([key], columns, width), "", layout([key], parts, width), *lines])


def _differences(changes: pd.DataFrame) -> list[str]:
    """Name what law changed and what sources tell otherwise, where the risk moved by a tenth of a point or more."""
    lines = []
    for cause, head in (("law", "Changed by law"), ("source", "Told otherwise by a later source")):
        moved = changes[changes[f"risk_{cause}"].abs().fillna(0) >= _WORTH_A_LINE]
        facts = zip(moved["state"], moved["before"], moved["after"], moved[f"changed_{cause}"], strict=True)
        lines += [f"{head}: {state}, {before} to {after}: {words}" for state, before, after, words in facts]
    return lines


def _whole(changes: pd.DataFrame) -> pd.DataFrame:
    """Add up the steps of each state; a state with a step that is not known has no sum."""
    names = [name for name, _ in (*_RISK, *_PROFIT)]
    states = list(dict.fromkeys(changes["state"]))
    sums = [changes.loc[changes["state"] == state, names].sum(skipna=False) for state in states]
    return pd.DataFrame(sums, columns=names).reset_index(drop=True).assign(state=states)


def _moved(whole: pd.DataFrame) -> int:
    return int((whole["risk_law"].abs() >= 0.01).sum())


def _points(value: float) -> str:
    return f"{100 * value:+.3g}".replace("-", "−") if value else "0"


def _money(value: float) -> str:
    return "$0" if not value else f"{'−' if value < 0 else '+'}${compact(abs(value))}"


def _cell(row: Mapping[str, Any] | None, name: str, numbers: Mapping[str, int]) -> str:
    if row is None:
        return ""
    if pd.isna(row[name]):
        return str(row["price_status"]).replace("_", " ") if name == "price_usd" else ""
    if name == "price_date":
        number = "" if pd.isna(row["price_source"]) else f" [{numbers[str(row['price_source'])]}]"
        return f"{row[name]}{number}"
    return percent(float(row[name])) if name == "share" else signed_dollars(float(row[name]))


def _part(row: Mapping[str, Any] | None, name: str) -> str:
    if row is None or pd.isna(row[name]):
        return ""
    return f"{_points(float(row[name]))} points" if name.startswith("risk") else _money(float(row[name]))


def _records(rows: pd.DataFrame, keys: Sequence[str]) -> dict[tuple[Any, ...], Mapping[str, Any]]:
    records: list[dict[str, Any]] = rows.to_dict("records")  # type: ignore[assignment]
    return {tuple(record[key] for key in keys): record for record in records}
