"""The explorer as one HTML file: template, style, scripts and data put together."""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from importlib.resources import files

from policy_sim.errors import OutputError
from policy_sim.io.boundaries_upright import APEX
from policy_sim.render.explorer.explorer_facts import ExplorerContent, explorer_facts
from policy_sim.render.explorer.packed_people import packed_people
from policy_sim.render.explorer.packed_shapes import GRID, packed_shapes, state_labels, upright_turns
from policy_sim.render.explorer.packed_zips import packed_zips

__all__ = ["MODEL_SCRIPTS", "MOST_BYTES", "explorer_page"]

MOST_BYTES = 3_000_000
# What computes, in the page and in its workers; what draws.
MODEL_SCRIPTS = (
    "decode",
    "formulas",
    "groups",
    "counted_parts",
    "county_parts",
    "zip_groups",
    "place_sums",
    "places",
    "model",
    "derived",
    "policies",
    "answers",
    "serving",
)
_SCRIPTS = (
    *("pool", "words", "drawing", "charts", "view", "controls"),
    *("answer", "nation", "one_state", "cards", "csv", "person", "about", "page"),
)
_FOLDER = files("policy_sim.render.explorer")


def explorer_page(content: ExplorerContent) -> str:
    """Return the whole page; it loads nothing else, ever.

    Raises
    ------
    InputError : people that the page cannot hold.
    OutputError : a page of more than :data:`MOST_BYTES` bytes.
    """
    shapes = {level: packed_shapes(level) for level in GRID}
    facts = explorer_facts(content)
    facts["shapes"] = {level: {"codes": list(codes), "grid": GRID[level]} for level, (codes, _) in shapes.items()}
    facts["shapes"]["state"]["labels"] = state_labels()
    facts["shapes"]["county"] |= {"apex": APEX, "upright": upright_turns()}
    people = packed_people(content.table)
    data = {
        "facts": zlib.compress(json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode(), 9),
        "state-shapes": zlib.compress(shapes["state"][1], 9),
        "county-shapes": zlib.compress(shapes["county"][1], 9),
        "zip-parts": zlib.compress(packed_zips(content.table.counties, content.zip_parts), 9),
        "chances": zlib.compress(people["chances"], 9),
        "lengths": zlib.compress(people["lengths"], 9),
        "people": people["people"],
    }
    parts = {
        "style": _text("page.css"),
        "model": "\n".join(_text(f"{name}.js") for name in MODEL_SCRIPTS),
        "script": "\n".join(_text(f"{name}.js") for name in _SCRIPTS),
        "data": "\n".join(
            f'<script type="application/octet-stream" id="data-{name}">{base64.b64encode(packed).decode()}</script>'
            for name, packed in data.items()
        ),
        "population": html.escape(content.population.title),
        "version": html.escape(facts["version"]),
    }
    page = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _text("page.html"))
    size = len(page.encode())
    if size > MOST_BYTES:
        raise OutputError(f"the explorer would be {size:,} bytes, more than {MOST_BYTES:,}: use a smaller population.")
    return page


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
