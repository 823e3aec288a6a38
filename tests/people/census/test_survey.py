"""The American Community Survey from a service on loopback: people, margins, checks, and a key that stays secret."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from census_service import KEY, CensusService, _send
from click.testing import CliRunner

from policy_sim import InputError, Study
from policy_sim.cli.main import cli
from policy_sim.people.by_name import load_kept
from policy_sim.people.census.client import Patience
from policy_sim.people.census.survey import SHAPE, fetch_survey
from policy_sim.people.census.tables import RACE_TABLES
from policy_sim.people.store import PopulationCache
from policy_sim.words.errors import SourceError

PLACES = {
    "county": [("10", "001"), ("10", "003"), ("39", "049")],
    "zip code tabulation area": [("19901",), ("19702",), ("43215",)],
}
QUICK = Patience(connect=2.0, read=2.0, tries=2, backoff=0.001, longest_wait=0.01, whole=5.0)


def tables():
    """White men of 30 to 34 and Black women of 85 and over, by place."""
    made = {letter: np.zeros((3, SHAPE.columns), dtype=int) for letter in RACE_TABLES}
    for letter, sex, column, people in (("A", 0, 10, (100, 20, 7)), ("B", 1, 31, (3, 50, 1))):
        table = made[letter]
        table[:, column - 1] = people
        table[:, SHAPE.sex_totals[sex]] = people
        table[:, 0] = people
    return made


@dataclass
class SurveyService(CensusService):
    """Answers tables B01001, with a margin of a quarter of each estimate, or the Bureau's codes."""

    counts: dict = field(default_factory=tables)
    margin: str = ""

    def _table(self, handler, query):
        names, kind = query["get"].split(","), query["for"].partition(":")[0]
        places = PLACES[kind]
        if "in" in query:
            wanted = query["in"].removeprefix("state:").split(",")
            places = [place for place in places if "*" in wanted or place[0] in wanted]
        at = [PLACES[kind].index(place) for place in places]
        columns = []
        for name in names:
            letter, column, of = name[6:].partition("_")[0], int(name[-4:-1]), name[-1]
            everyone = sum(table[:, 0] for table in self.counts.values())
            values = (self.counts[letter][:, column - 1] if letter else everyone)[at]
            columns.append([str(value) if of == "E" else self._margin_of(value) for value in values])
        codes = ["state", "county"] if kind == "county" else [kind]
        rows = [[*values, *place] for values, place in zip(zip(*columns, strict=True), places, strict=True)]
        _send(handler, 200, json.dumps([[*names, *codes], *rows]), "application/json")

    def _margin_of(self, value):
        return {"": str(value // 4), "null": None}.get(self.margin, self.margin)


def service_of(**facts):
    return SurveyService(None, 2022, "acs/acs5", **facts).running()


def fetched(service, cache, **asked):
    return fetch_survey(
        "acs5-2022", KEY, **{"cache": cache, "url": service.url, "patience": QUICK, "states": ["DE"]} | asked
    )


def test_by_hand_estimates_become_cells_with_their_margins(tmp_path):
    cache = PopulationCache(tmp_path)
    with service_of() as service:
        entry = fetched(service, cache)
        asked = sorted(service.requests)
    assert entry.name == "acs5-2022-de"
    assert len(asked) == 16  # everyone and seven races, estimates and margins
    assert asked[0] == "B01001A_001E county:* state:10"
    population = load_kept(entry.name, cache)
    cells = population.cells.astype({"county": str, "sex": str, "race": str})
    assert sorted(cells[["county", "sex", "age", "age_width", "race", "people"]].to_numpy().tolist()) == [
        ["10001", "F", 85, 15, "black", 3],
        ["10001", "M", 30, 5, "white", 100],
        ["10003", "F", 85, 15, "black", 50],
        ["10003", "M", 30, 5, "white", 20],
    ]
    assert (entry.counted, entry.estimated, entry.date) == (0.0, 1.0, "2020-07-01")
    # of 173 people, those of margins 0/3, 12/50, 5/20 and 25/100: half of them have 25% or more
    assert any("25% of the estimate or more" in note for note in entry.notes)
    (profile,) = Study(population).compare("gender+race+birth=year+geography=county", "general", "DE", 1).profiles
    occupied = sum(b * (1 - (1 - 1 / b) ** n) for n, b in ((3, 15), (100, 5), (50, 15), (20, 5)))
    assert profile.people(profile.measures[0]).low == pytest.approx(occupied)


def test_zip_code_areas_of_a_state_are_taken_from_those_of_the_nation(tmp_path):
    cache = PopulationCache(tmp_path)
    with service_of() as service:
        entry = fetched(service, cache, geography="zcta")
        assert {request.split(" ", 1)[1] for request in service.requests} == {"zip code tabulation area:* None"}
    assert entry.name == "acs5-2022-zcta-de"
    cells = load_kept(entry.name, cache).cells
    assert cells.groupby("zip5", observed=True)["people"].sum().to_dict() == {"19702": 70, "19901": 103}
    damaged = cache.folder / entry.file
    damaged.write_bytes(b"no table")
    assert load_kept(entry.name, cache).cells.equals(cells)  # made again from the answers


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("-555555555", "margin is 0% of the estimate"),
        ("-222222222", "no margins of error"),
        ("null", "no margins of error"),
        ("12.5", ""),
    ],
)
def test_what_is_written_in_place_of_a_margin_is_no_number_of_people(tmp_path, code, words):
    with service_of(margin=code) as service:
        if not words:
            with pytest.raises(SourceError, match="not a table of whole numbers"):
                fetched(service, PopulationCache(tmp_path))
            return
        entry = fetched(service, PopulationCache(tmp_path))
    assert any(words in note for note in entry.notes)


@pytest.mark.parametrize(
    ("letter", "column", "words"),
    [("A", 9, "ages do not add up in DE 10001"), ("B", 1, "sexes do not add up"), ("C", 0, "sexes do not add up")],
)
def test_tables_that_do_not_add_up_are_refused_and_their_answers_deleted(tmp_path, letter, column, words):
    counts = tables()
    counts[letter][0, column] += 1
    cache = PopulationCache(tmp_path)
    with service_of(counts=counts) as service, pytest.raises(SourceError, match=words) as said:
        fetched(service, cache)
    assert "\n" not in str(said.value)
    assert not cache.names()
    assert not list(tmp_path.rglob("*.json.gz"))


def test_from_the_command_line_the_key_is_printed_logged_and_saved_nowhere(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path))
    monkeypatch.setenv("CENSUS_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    with service_of() as service:
        words = ["dev", "census", "fetch", "acs5-2022", "--state", "DE", "--url", service.url]
        said = CliRunner().invoke(cli, words, prog_name="policy-sim")
        refused = CliRunner().invoke(cli, [*words, "--geography", "tract"], prog_name="policy-sim")
        by_origin = CliRunner().invoke(cli, [*words, "--ethnicity"], prog_name="policy-sim")
    assert said.exit_code == 0, said.output
    assert "acs5-2022-de: 173 people" in said.output
    assert (refused.exit_code, by_origin.exit_code) == (2, 2)
    assert "county, zcta" in refused.output
    texts = [said.output, refused.output, caplog.text]
    texts += [path.read_bytes().decode(errors="replace") for path in Path(tmp_path).rglob("*") if path.is_file()]
    assert not any(KEY in text for text in texts)


def test_a_survey_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="acs5-2020, acs5-2021"):
        fetch_survey("acs5-1999", KEY, cache=PopulationCache(tmp_path))
