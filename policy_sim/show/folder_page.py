"""The page that opens a folder of results: its table, its pictures, what each file is, and where to read on."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from policy_sim.show.document.html_document import document_style
from policy_sim.show.numbers import plain

# What a file is, by how its name begins; the first that fits counts.
_FILES = {
    "map-total-risk-": "Map: share of each state's people whom the attacker would match",
    "map-trust-": "Map: how many times as many people one policy exposes as the other",
    "map-times-": "Map: risk of the states' own files, as a multiple of the policy's",
    "map-cost-": "Map: price of a list per person matched",
    "map-county-": "Map: share of each county's people whom the attacker would match",
    "map-change-": "Map: how the risk changed from one census to the next",
    "curve": "Curve: people who share their values with few others",
    "place": "Where the state stands among all states",
    "profiles.": "Every figure by state, policy and attacker",
    "trust.": "Ratios of the policies' figures by state",
    "cost.": "Prices of the lists, per person matched",
    "change.": "Changes from one population to the next",
    "summary.": "The table above as plain text, with all notes",
    "manifest.": "What made the files: versions, options, sources, checksums",
}
_READ_ON = (
    "docs/figures.md of policy_sim says how to read the maps, docs/model.md how the figures are computed, and "
    "docs/limits.md what not to quote them for. <code>policy-sim compare OH</code> answers for one state, "
    "and <code>policy-sim brief</code> writes two pages about a release there."
)


def folder_page(table: str, names: Sequence[str]) -> str:
    """Return ``index.html`` of a folder with these files; ``table`` is shown letter by letter.

    >>> page = folder_page("OH 43.8%", ["map-cost-p.png", "map-cost-p.svg", "cost.csv"])
    >>> 'src="map-cost-p.png"' in page, 'href="cost.csv"' in page
    (True, True)
    """
    pictures = [name for name in names if name.endswith(".png")]
    shown = "\n".join(
        f'<figure><a href="{escape(name)}"><img src="{escape(name)}" alt="{escape(_words(name))}" loading="lazy"></a>'
        f"<figcaption>{escape(_words(name))} ({escape(name)})</figcaption></figure>"
        for name in pictures
    )
    files = "\n".join(f'<li><a href="{escape(name)}">{escape(name)}</a>: {escape(_words(name))}</li>' for name in names)
    return (
        '<!DOCTYPE html>\n<html lang="en-US">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Comparison by policy_sim</title>\n<style>{document_style()}</style>\n</head>\n<body>\n<main>\n"
        "<header><h1>How many people could be named, by state</h1></header>\n"
        '<p><a href="#maps">Pictures</a> · <a href="#files">Files</a> · <a href="#read-on">Where to read on</a></p>\n'
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table"><pre>{escape(plain(table))}</pre></div>\n'
        f'<h2 id="maps">Pictures</h2>\n{shown}\n<h2 id="files">Files</h2>\n<ul>\n{files}\n</ul>\n'
        f'<h2 id="read-on">Where to read on</h2>\n<p>{_READ_ON}</p>\n</main>\n</body>\n</html>\n'
    )


def _words(name: str) -> str:
    """Return what a file is, with the policy and the attacker that its name ends in."""
    start = next((start for start in _FILES if name.startswith(start)), "")
    if not start:
        return name.rpartition(".")[0]
    rest = name.removeprefix(start).rpartition(".")[0] if start.endswith("-") else ""
    return f"{_FILES[start]}, {rest}" if rest else _FILES[start]
