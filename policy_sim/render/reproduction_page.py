"""A reproduction as one page that needs nothing besides itself."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd

from policy_sim.render.reproduction_text import UNIT_SIGNS, VERDICT_COLORS, based, counted, written

__all__ = ["reproduction_page"]

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 1100px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: 3px 8px; border-bottom: 1px solid #ddd; vertical-align: top; }
td.number { text-align: right; white-space: nowrap; }
td.verdict { font-weight: 600; white-space: nowrap; }
th { position: sticky; top: 0; background: #fff; }
.count { display: inline-block; margin-right: 1.2rem; } .mark { display: inline-block; width: 0.8em; height: 0.8em; }
img { width: 100%; height: auto; margin: 0.6rem 0 1.4rem; } .note { color: #666; font-size: 13px; }
"""


def reproduction_page(
    rows: pd.DataFrame,
    title: str,
    tolerances: Sequence[tuple[str, float, str]],
    figures: Mapping[str, bytes],
    notes: Sequence[str],
) -> str:
    """Return a page with the verdicts counted, every figure, and the drawings.

    Parameters
    ----------
    rows : Tidy rows of a reproduction.
    title : The paper.
    tolerances : Name, share and reason of each.
    figures : Drawings as PNG by caption, in the order in which they are shown.
    notes : Whose census, which lists, which options; one line each.
    """
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Reproduction: {escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>Reproduction</h1><p>{escape(title)}</p>",
        f"<p>{len(rows)} printed figures. {_counts(rows)}</p>",
        "<h2>Tolerances</h2><ul>",
        *(f"<li><b>{escape(name)}</b>: {_tolerated(share)}: {escape(why)}.</li>" for name, share, why in tolerances),
        "</ul><p class=note>A figure agrees if ours rounds to the printed digits; a count of people may also be "
        "truncated to them. Otherwise it may still be within tolerance. The tolerances are wider than the measured "
        "error where that is known.</p>",
        "<p class=note>An agreement is <b>independent</b> if ours comes from data and facts that are not in the "
        "paper. It is the <b>same figure</b> if we took a list or a price from a figure in the paper, and "
        "<b>arithmetic</b> if ours repeats a calculation from numbers in the paper. "
        f"Here: {', '.join(f'{number} {basis}' for basis, number in based(rows).items()) or 'none'}.</p>",
        "<h2>Figure by figure</h2>",
        _table(rows),
        "<h2>Figures in the paper's form</h2>" if figures else "",
        *(_drawing(caption, image) for caption, image in figures.items()),
        "<h2>Made from</h2>",
        *(f"<p class=note>{escape(note)}</p>" for note in notes),
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _tolerated(share: float) -> str:
    return f"{100 * share:g}% of the figure" if share else "none"


def _counts(rows: pd.DataFrame) -> str:
    return "".join(
        f'<span class=count><span class=mark style="background:{VERDICT_COLORS[verdict]}"></span> '
        f"{number} {escape(verdict)}</span>"
        for verdict, number in counted(rows).items()
    )


def _table(rows: pd.DataFrame) -> str:
    names = ("where", "what", "printed", "ours", "off", "verdict", "basis", "reason")
    head = "".join(f"<th>{name}</th>" for name in names)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_row, rows.itertuples()))}</tbody></table>"


def _row(row: object) -> str:
    printed = f"{row.printed}{UNIT_SIGNS.get(str(row.unit), '')}"  # type: ignore[attr-defined]
    deviation = row.deviation  # type: ignore[attr-defined]
    off = "" if pd.isna(deviation) else f"{100 * deviation:+.2f}%"
    verdict = str(row.verdict)  # type: ignore[attr-defined]
    secondary = " (secondary)" if row.secondary else ""  # type: ignore[attr-defined]
    cells = [
        f"<td>{escape(str(row.where))}</td><td>{escape(str(row.what) + secondary)}</td>",  # type: ignore[attr-defined]
        f"<td class=number>{escape(printed)}</td><td class=number>{escape(written(row.ours, str(row.unit)))}</td>",  # type: ignore[attr-defined]
        f"<td class=number>{escape(off)}</td>",
        f'<td class=verdict style="color:{VERDICT_COLORS[verdict]}">{escape(verdict)}</td>',
        f"<td>{'' if pd.isna(row.basis) else escape(str(row.basis))}</td>",  # type: ignore[attr-defined]
        f"<td>{escape(str(row.reason))}{_assumed(row)}</td>",  # type: ignore[attr-defined]
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _assumed(row: object) -> str:
    text = getattr(row, "assumed", "")
    return f" <i>Assumed: {escape(text)}</i>" if isinstance(text, str) and text else ""


def _drawing(caption: str, image: bytes) -> str:
    data = base64.b64encode(image).decode("ascii")
    return f'<h3>{escape(caption)}</h3><img alt="{escape(caption)}" src="data:image/png;base64,{data}">'
