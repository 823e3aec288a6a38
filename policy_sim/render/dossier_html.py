"""A dossier as one HTML file: no script, no network, readable in print, in the dark and by screen readers."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from policy_sim.render.dossier import Section

__all__ = ["dossier_html", "project_in_dossier"]

_STYLE = """
:root { color-scheme: light dark; }
body { background: #fff; color: #111; }
th { background: #eee; }
@media (prefers-color-scheme: dark) { body { background: #121212; color: #eee; } th { background: #242424; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .75rem 0; }
th, td { border: 1px solid #767676; padding: .3rem .5rem; text-align: left; vertical-align: top; }
td { overflow-wrap: break-word; }
pre { white-space: pre-wrap; border: 1px solid #767676; padding: .75rem; font-size: .8rem; }
.wide { overflow-x: auto; }
@media print { body { margin: 0; max-width: none; } h2 { break-after: avoid; } tr { break-inside: avoid; } }
"""
_SOURCE = re.compile(r'<pre id="project">(.*?)</pre>', re.DOTALL)


def dossier_html(title: str, sections: Sequence[Section]) -> str:
    """Return the page.

    Examples
    --------
    >>> page = dossier_html("A & B", [Section("One", ("First.",), ("x",), (("<1",),))])
    >>> "A &amp; B" in page, "&lt;1" in page
    (True, True)
    """
    body = "\n".join(_section(section) for section in sections)
    heading = html.escape(title)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{heading}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{_STYLE}</style>\n</head>\n'
        f"<body>\n<main>\n<h1>{heading}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def project_in_dossier(page: str) -> str | None:
    r"""Return the project file that a dossier carries, as it was; None where it carries none.

    Examples
    --------
    >>> project_in_dossier(dossier_html("T", [Section("P", source="a = 1  # <mine>\n")]))
    'a = 1  # <mine>\n'
    """
    held = _SOURCE.search(page)
    return None if held is None else html.unescape(held[1])


def _section(section: Section) -> str:
    parts = [f"<section>\n<h2>{html.escape(section.title)}</h2>"]
    parts += [f"<p>{html.escape(text)}</p>" for text in section.paragraphs]
    if section.head and section.rows:
        head = "".join(f'<th scope="col">{html.escape(text) or "figure"}</th>' for text in section.head)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>\n" for row in section.rows
        )
        parts.append(
            f'<div class="wide" tabindex="0" role="region" aria-label="{html.escape(section.title)}">'
            f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>"
        )
    if section.items:
        parts.append("<ul>" + "".join(f"<li>{html.escape(item)}</li>" for item in section.items) + "</ul>")
    if section.source:
        parts.append(f'<pre id="project">{html.escape(section.source)}</pre>')
    return "\n".join([*parts, "</section>"])
