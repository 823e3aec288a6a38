"""A reproduction for the eye: printed figures next to ours, and how far each is off."""

from __future__ import annotations

import base64
from collections.abc import Hashable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.show import theme
from policy_sim.show.document.markup import filled
from policy_sim.show.numbers import percent_tick, printed_figure, signed_deviation, signed_tick
from policy_sim.show.panels import new_page
from policy_sim.show.text_table import WIDTH, Column, cut, layout, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Worst last; what is not judged is gray.
VERDICT_COLORS: Mapping[str, str] = {
    "agrees": "#009e73",
    "within tolerance": "#56b4e9",
    "differs": "#d55e00",
    "the paper contradicts itself": "#cc79a7",
    "not computed": "#8c8c8c",
}
UNIT_SIGNS: Mapping[str, str] = {"percent": "%", "usd": " USD", "millions": " M"}
_SHORT = {"within tolerance": "within", "the paper contradicts itself": "paper", "not computed": "none"}
_CLIP = 0.5  # relative deviation at the edge of the figure
_LONG = 36


def written(value: float | None, unit: str = "") -> str:
    """Write ours with five digits and its unit, without a trailing part that says nothing.

    >>> [written(x) for x in (0.187296, 3160929.87, 55.0, 4.614e12, None)]
    ['0.1873', '3,160,930', '55', '4.61 × 10^12', '']
    >>> written(1.0, "statement")
    'holds'
    """
    if value is None or pd.isna(value):
        return ""
    if unit == "statement":
        return "holds" if value else "does not hold"
    return printed_figure(value) + UNIT_SIGNS.get(unit, "")


def counted(rows: pd.DataFrame) -> dict[str, int]:
    """How many rows have each verdict, in the order of :data:`VERDICT_COLORS`."""
    verdicts = rows["verdict"].value_counts()
    return {verdict: int(verdicts.get(verdict, 0)) for verdict in VERDICT_COLORS}


def based(rows: pd.DataFrame) -> dict[str, int]:
    """How many agreeing rows rest on each basis, the most first."""
    return {str(basis): int(number) for basis, number in rows["basis"].value_counts().items()}


def reproduction_table(rows: pd.DataFrame) -> str:
    """Write one line per figure, then the reasons of every figure that does not simply agree."""
    lines = _lines(rows)
    heads = ("", "printed", "ours", "off", "verdict", "basis")
    columns = [
        Column((head,), cells, right=head in heads[1:4])
        for head, cells in zip(heads, zip(*lines, strict=True), strict=True)
    ]
    reasons = _reasons(rows)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in counted(rows).items() if number)
    agreeing = ", ".join(f"{number} {basis}" for basis, number in based(rows).items())
    summary = [f"{len(rows)} figures: {counts}", f"of those that agree or are within tolerance: {agreeing or 'none'}"]
    parts = [layout([], columns, WIDTH), *wrapped(summary, WIDTH)]
    for head, texts in (("Why:", reasons), ("Assumed:", _assumed(rows))):
        parts += ["", head, *wrapped(texts, WIDTH)] if texts else []
    return "\n".join(parts)


def _lines(rows: pd.DataFrame) -> list[tuple[str, str, str, str, str, str]]:
    """One line per figure, and one for each place in the paper above its figures."""
    lines, above = [], ""
    columns = ["where", "what", "printed", "unit", "ours", "deviation", "verdict", "basis"]
    for where, what, printed, unit, ours, deviation, verdict, basis in rows[columns].itertuples(index=False):
        if where != above:
            above = where
            lines.append((cut(above, _LONG + 2), "", "", "", "", ""))
        figures = (printed + UNIT_SIGNS.get(unit, ""), written(ours, unit), _off(deviation))
        words = (_SHORT.get(verdict, verdict), "" if pd.isna(basis) else basis)
        lines.append((f"  {cut(what, _LONG)}", *figures, *words))
    return lines


def _reasons(rows: pd.DataFrame) -> list[str]:
    """Why each figure does not simply agree; neighbors with one reason together."""
    reasons: list[tuple[str, str, list[str]]] = []
    for where, what, verdict, reason in rows[["where", "what", "verdict", "reason"]].itertuples(index=False):
        if verdict in ("agrees", "within tolerance"):
            continue
        if reasons and reasons[-1][:2] == (where, reason):
            reasons[-1][2].append(what)
        else:
            reasons.append((where, reason, [what]))
    return [
        f"{where}, {whats[0] if len(whats) == 1 else f'{len(whats)} figures'}: {why}" for where, why, whats in reasons
    ]


def _assumed(rows: pd.DataFrame) -> list[str]:
    """What ours takes for granted, figure by figure; none where a paper's figures need nothing."""
    if "assumed" not in rows:
        return []
    assumptions = rows[rows["assumed"].fillna("") != ""]
    return [
        f"{where}, {what}: {assumed}"
        for where, what, assumed in assumptions[["where", "what", "assumed"]].itertuples(index=False)
    ]


def _off(value: float | None) -> str:
    return "" if value is None or pd.isna(value) else signed_deviation(value)


def deviation_figure(rows: pd.DataFrame, title: str, footer: Sequence[str] = ()) -> Figure:
    """Draw how far ours is from each printed figure, sorted; more than half is at the edge, bounds are left out."""
    judged = _judged(rows)
    close = int(judged["verdict"].isin(("agrees", "within tolerance")).sum())
    sentence = f"Of {len(judged)} numbers printed in {title}, ours agree with {close} within the tolerance"
    subtitle = (
        f"Relative difference from each printed number, sorted. {len(rows) - len(judged)} more are left out: not "
        "computed, 0, or printed as a bound"
    )
    with new_page(10.0, 4.8, sentence, subtitle, footer, foot_inside=True) as page:
        axes = draw_deviations(rows, page.inside(0.6, 0.35, 0, 0.45, label="deviations"))
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)
        return page.figure


def draw_deviations(rows: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the points of :func:`deviation_figure` on your axes, and return them; each verdict has a label."""
    judged = _judged(rows)
    off = judged["deviation"].to_numpy(dtype=float)
    at, height = np.arange(len(judged)), np.clip(off, -_CLIP, _CLIP)
    for (verdict, color), marker in zip(VERDICT_COLORS.items(), "osDX^", strict=True):
        mine = (judged["verdict"] == verdict).to_numpy(dtype=bool)
        if mine.any():
            ax.scatter(at[mine], height[mine], s=14, marker=marker, color=color, label=f"{verdict} ({mine.sum()})")
    ax.axhline(0, color=theme.GREY, linewidth=0.6)
    ax.set_yscale("symlog", linthresh=0.001)
    ax.set(xticks=[], ylim=(-0.7, 0.7), ylabel="relative difference")
    ax.set_yticks([-0.5, -0.1, -0.01, -0.001, 0, 0.001, 0.01, 0.1, 0.5])
    ax.yaxis.set_major_formatter(lambda value, _: signed_tick(value))
    ax.minorticks_off()
    return ax


def _judged(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with a number of ours next to a printed number that is no bound, sorted by how far it is off."""
    bounded = rows["printed"].str.startswith(("<", ">"))
    return rows[rows["deviation"].notna() & ~bounded].sort_values("deviation", kind="stable")


# A reproduction as one page that needs nothing besides itself.


def reproduction_page(
    rows: pd.DataFrame,
    title: str,
    tolerances: Sequence[tuple[str, float, str]],
    figures: Mapping[str, bytes],
    notes: Sequence[str],
) -> str:
    """Return a page with the verdicts counted, every figure, and the drawings.

    ``tolerances``: name, share and reason of each. ``figures``: drawings as PNG by caption, in the order in which they
    are shown.
    """
    bases = ", ".join(f"{number} {basis}" for basis, number in based(rows).items())
    limits = (
        (name, f"{percent_tick(share)} of the figure" if share else "none", why) for name, share, why in tolerances
    )
    pictures = ((escape(caption), base64.b64encode(image).decode("ascii")) for caption, image in figures.items())
    heading = "<h2>Figures in the paper's form</h2>\n" if figures else ""
    return filled(
        files("policy_sim.show") / "reproduction.html",
        title=escape(title),
        number=str(len(rows)),
        counts=_counts(rows),
        tolerances="".join(f"<li><b>{escape(name)}</b>: {most}: {escape(why)}.</li>\n" for name, most, why in limits),
        bases=bases or "none",
        table=_table(rows),
        figures=heading
        + "".join(
            f'<h3>{words}</h3><img alt="{words}" src="data:image/png;base64,{data}">\n' for words, data in pictures
        ),
        notes="".join(f"<p class=note>{escape(note)}</p>\n" for note in notes),
    )


def _counts(rows: pd.DataFrame) -> str:
    return "".join(
        f'<span class=count><span class=mark style="background:{VERDICT_COLORS[verdict]}"></span> '
        f"{number} {escape(verdict)}</span>"
        for verdict, number in counted(rows).items()
    )


def _table(rows: pd.DataFrame) -> str:
    names = ("where", "what", "printed", "ours", "off", "verdict", "basis", "reason")
    head = "".join(f"<th>{name}</th>" for name in names)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_row, rows.to_dict('records')))}</tbody></table>"


def _row(row: Mapping[Hashable, Any]) -> str:
    unit, verdict, assumed = str(row["unit"]), str(row["verdict"]), row.get("assumed", "")
    off = _off(row["deviation"])
    secondary = " (secondary)" if row["secondary"] else ""
    why = f" <i>Assumed: {escape(assumed)}</i>" if isinstance(assumed, str) and assumed else ""
    cells = [
        f"<td>{escape(str(row['where']))}</td><td>{escape(str(row['what']) + secondary)}</td>",
        f"<td class=number>{escape(str(row['printed']) + UNIT_SIGNS.get(unit, ''))}</td>",
        f"<td class=number>{escape(written(row['ours'], unit))}</td><td class=number>{escape(off)}</td>",
        f'<td class=verdict style="color:{VERDICT_COLORS[verdict]}">{escape(verdict)}</td>',
        f"<td>{'' if pd.isna(row['basis']) else escape(str(row['basis']))}</td>",
        f"<td>{escape(str(row['reason']))}{why}</td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"
