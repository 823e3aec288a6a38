"""An atlas of three states, one of them without a list and one with unknown fields."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from atlas_pages import LEFT_OUT, STATES, ParsedPage

from policy_sim import Study
from policy_sim.atlas.site import write_atlas
from policy_sim.files.paths import DEFAULT_POPULATION

DAY = dt.date(2026, 11, 24)


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    people = Study(DEFAULT_POPULATION).people.in_states((*STATES, LEFT_OUT))
    out = tmp_path_factory.mktemp("atlas") / "site"
    write_atlas(Study(people), out, STATES, date=DAY)
    return out


@pytest.fixture(scope="session")
def pages(site) -> dict[str, ParsedPage]:
    return {
        str(path.relative_to(site)): ParsedPage(path.read_text(encoding="utf-8"))
        for path in site.rglob("*.html")
        if path.name != "explorer.html"
    }
