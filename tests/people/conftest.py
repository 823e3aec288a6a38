from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from policy_sim.people.census import keep
from policy_sim.people.census.client import Patience
from policy_sim.people.facts import Published
from policy_sim.people.population import RACES
from policy_sim.people.store import Entry, PopulationCache

# Tests wait for little: no back-off, and a silence is one after a second, which a busy machine may take to answer.
QUICK = Patience(connect=5.0, read=1.0, tries=3, backoff=0.0, longest_wait=1.0)


@pytest.fixture(scope="session")
def quick():
    return QUICK


@pytest.fixture(scope="session")
def patient():
    """For tests that count requests: no second request if a busy machine answers late."""
    return replace(QUICK, read=60.0)


@pytest.fixture(scope="session")
def small_cells():
    """Delaware and Rhode Island with random people: eight counties, every age, sex and race."""
    rng = np.random.default_rng(11)
    counties = ["10001", "10003", "10005", "44001", "44003", "44005", "44007", "44009"]
    ages = [*((age, 1) for age in range(100)), (100, 5), (105, 5), (110, 1)]
    cells = pd.DataFrame(
        [
            ("DE" if county[:2] == "10" else "RI", county, sex, age, width, race)
            for county in counties
            for sex in "MF"
            for age, width in ages
            for race in RACES
        ],
        columns=["state", "county", "sex", "age", "age_width", "race"],
    )
    cells["people"] = rng.poisson(2.0, len(cells))
    return cells[cells["people"] > 0].reset_index(drop=True)


@pytest.fixture
def service(small_cells):
    from census_service import CensusService, tables_of

    with CensusService(tables_of(small_cells)).running() as running:
        yield running


@pytest.fixture
def cache(tmp_path):
    return PopulationCache(tmp_path / "populations")


@pytest.fixture
def put(cache):
    """What keeps a population of two cells: of one person, and of so many."""
    words = dict.fromkeys(("title", "publisher", "how", "universe", "geography", "ages", "retrieved"), "made up")
    lists = {"addresses": ("here",), "notes": ("a note",), "checks": ("a check",)}

    def kept(people, name="made-up", cache=cache, **origin):
        entry = Entry(name, date="2010-04-01", counted=1.0, estimated=0.0, origin=origin, **words, **lists)
        cells = pd.DataFrame({"state": ["DE", "DE"], "age": [0, 1], "age_width": [1, 1], "people": [people, 1]})
        return cache.put(entry, cells.astype({"state": "category"}))

    return kept


@pytest.fixture
def printed(monkeypatch, small_cells):
    """Hold loads against the made-up population instead of what the Bureau printed."""
    people = small_cells.groupby("state")["people"].sum().to_dict()
    facts = Published(2010, people, frozenset(small_cells["county"]))
    monkeypatch.setattr(keep, "published", lambda year: facts)
    return facts
