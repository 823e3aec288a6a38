"""The maps of an atlas: the states under a policy, and the counties of a state."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import pandas as pd

from policy_sim.atlas.page import Markup
from policy_sim.files.boundaries import load_boundaries, place_counties
from policy_sim.show.maps.fills import MISSING, Classes, fills_of, quantile_classes
from policy_sim.show.maps.state_map import known_values, values_of
from policy_sim.show.maps.svg_map import svg_legend, svg_map
from policy_sim.show.numbers import LEAST_SHORT_SHARE, short_percent
from policy_sim.show.theme import RISK
from policy_sim.words.states import STATES


def _classes(values: pd.DataFrame) -> Classes:
    return quantile_classes(known_values(values), RISK, least=LEAST_SHORT_SHARE)


def map_of_states(rows: pd.DataFrame, name: str, caption: str, addresses: Mapping[str, str]) -> Markup:
    """Return a map of total risk; ``rows``: those of one policy and attacker, ``name``: of this map on its page."""
    values = values_of(rows[rows["measure"] == "total-risk"], "share")
    classes = _classes(values)
    fills = {code: MISSING for code in STATES if code != "PR"} | fills_of(values, classes, short_percent)
    titles = {code: f"{STATES[code].name}: {fill.text}" for code, fill in fills.items()}
    drawing = svg_map(
        "state", fills, titles, name=name, label=f"Map. {caption} The table has every figure.", addresses=addresses
    )
    return _figure(drawing, caption, svg_legend(fills, classes, short_percent, "states", name))


def map_of_counties(rows: pd.DataFrame, caption: str) -> Markup:
    """Return a map of the counties of a state; ``rows``: a breakdown by county, of total risk."""
    values = values_of(rows.assign(state=rows["value"]), "share").rename(columns={"state": "county"})
    classes, placement = _classes(values), place_counties(values["county"])
    by_code = fills_of(values, classes, short_percent, area="county")
    fills = dict.fromkeys(placement.blank, MISSING) | {area: by_code[code] for area, code in placement.drawn.items()}
    names = load_boundaries("county")["name"]
    titles = {area: f"{names[area]}: {fill.text}" for area, fill in fills.items()}
    drawing = svg_map("county", fills, titles, name="county", label=f"Map. {caption}")
    notes = " ".join((caption, *placement.notes()))
    return _figure(drawing, notes, svg_legend(fills, classes, short_percent, "counties", "county"))


def _figure(drawing: str, caption: str, legend: str) -> Markup:
    return Markup(f"<figure>{drawing}{legend}<figcaption>{escape(caption)}</figcaption></figure>")
