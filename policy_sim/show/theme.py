"""How everything drawn looks: sizes, colors, hatches and the names of policies and attackers.

Sequential palettes are ColorBrewer's (C. Brewer, M. Harrower: colorbrewer2.org), whose lightness falls
evenly, so that they read without color. Lines use the palette of Okabe and Ito (2008), which people
with any form of color blindness can distinguish.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import as_file, files
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from policy_sim.files.toml import shipped_table
from policy_sim.words.fields import fields_title
from policy_sim.words.states import STATES

if TYPE_CHECKING:
    from matplotlib import RcParams

DPI = 150
INK = "#222222"
GREY = "#6b6b6b"
PALE = "#c9c9c9"
PAPER = "#ffffff"
FREE = "#2d004b"  # a free list: darker than every price, 3 to 1 against the darkest class

# Points.
SIZES: Mapping[str, float] = MappingProxyType(
    {"title": 13.0, "subtitle": 9.5, "axis": 8.5, "label": 8.0, "tick": 8.0, "map": 6.4, "footer": 6.8}
)
# From matplotlib's copies of the ColorBrewer palettes. Darker and redder is always more risk: a low price comes first.
RISK, TRUST, COST = "YlOrRd", "RdPu", "YlOrRd_r"


@dataclass(frozen=True)
class StatusStyle:
    """How a state looks that has no figure, or whose figure is not known exactly."""

    label: str
    face: str
    hatch: str


# Words of figures and tables: policies, people, notes, files of a folder.
TEXTS = shipped_table("pages/comparison.toml")
STATUSES: Mapping[str, StatusStyle] = {kind: StatusStyle(*look) for kind, look in TEXTS["statuses"].items()}
_LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_DASHES = ("solid", "dashed", "dotted", "dashdot")


@cache
def settings() -> RcParams:
    """Return matplotlib's settings for every figure."""
    from matplotlib import rc_params_from_file

    with as_file(files("policy_sim.show") / "figures.mplstyle") as path:
        return rc_params_from_file(path, use_default_template=False)


def styled() -> AbstractContextManager[None]:
    """Draw and save in the project's style; matplotlib's own settings come back afterwards."""
    from matplotlib import rc_context

    return rc_context(settings())


def policy_title(policy: object) -> str:
    """Return the name of a policy for people: ``limited-dataset`` is ``Limited data set``."""
    return TEXTS["policies"].get(str(policy)) or fields_title(policy)


def policy_phrase(policy: object) -> str:
    """Return the name of a policy inside a sentence: ``limited-dataset`` is ``the limited data set``."""
    title = policy_title(policy)
    return f"the l{title[1:]}" if title.startswith("Limited") else title


def attacker_title(attacker: object) -> str:
    """Return the name of an attacker for people, as the paper prints it: ``VOTER``."""
    return str(attacker).upper()


def case_title(policy: object, attacker: object) -> str:
    """Return what a panel or a line is about: ``Limited data set × VOTER``."""
    return f"{policy_title(policy)} × {attacker_title(attacker)}"


def state_title(state: object) -> str:
    """Return the name of a state by its postal code; any other word as it is."""
    return STATES[str(state)].name if str(state) in STATES else str(state)


def line_color(place: int) -> str:
    """Return the color of the n-th policy (from 0)."""
    return _LINES[place % len(_LINES)]


def line_style(place: int) -> str:
    """Return the dashes of the n-th attacker (from 0)."""
    return _DASHES[place % len(_DASHES)]


def ink_on(color: str) -> str:
    """Return black or white, whichever reads better on the color."""
    from matplotlib.colors import to_rgb

    channels = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color))
    luminance = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), channels, strict=True))
    return INK if luminance > 0.25 else PAPER


# Words that an SVG shows where the pointer rests on an area.
#
# matplotlib writes no titles but links: an area gets a link that leads nowhere, and the finished file has a
# title in the place of each.


_SCHEME = "title:"
_LINK = re.compile(rf'<a xlink:href="{_SCHEME}([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)


def as_url(title: str) -> str:
    """Return the link that becomes this title.

    >>> as_url("Franklin, Ohio: 1%")
    'title:Franklin%2C%20Ohio%3A%201%25'
    """
    return _SCHEME + quote(title, safe="")


def with_titles(svg: str) -> str:
    """Turn the links of :func:`as_url` into titles.

    >>> with_titles('<a xlink:href="title:A%20%26%20B" target="_blank"><path/></a>')
    '<g><title>A &amp; B</title><path/></g>'
    """

    def titled(link: re.Match[str]) -> str:
        return f"<g><title>{escape(unquote(link[1]), quote=False)}</title>{link[2]}</g>" if link[1] else link[2]

    return _LINK.sub(titled, svg)
