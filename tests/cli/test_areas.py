"""The command that makes areas, and the folder that it writes."""

from __future__ import annotations

import json
import sqlite3

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*words: object):
    return CliRunner().invoke(cli, [str(word) for word in words], prog_name="policy-sim")


@pytest.mark.slow
def test_the_folder_has_tables_maps_shapes_and_a_page(tmp_path):
    answer = run("areas", "make", "DE", "--out", tmp_path / "de")
    assert answer.exit_code == 0, answer.output
    folder = tmp_path / "de"
    table = pd.read_csv(folder / "areas.csv", dtype=str)
    assert table.columns.tolist() == ["zip", "area", "people", "vintage"]
    assert not table["zip"].duplicated().any()
    content = json.loads((folder / "areas-DE.geojson").read_text())
    assert content["description"].startswith("Approximate shapes")
    west, south = content["features"][0]["geometry"]["coordinates"][0][0][:2]
    assert -76 < west < -75
    assert 38 < south < 40
    with sqlite3.connect(folder / "areas-DE.gpkg") as database:
        assert database.execute("select count(*) from areas").fetchone()[0] == len(content["features"])
    page = (folder / "DE.html").read_text()
    assert "not Safe Harbor" in page
    assert {"map-DE.png", "map-DE.svg", "counties.csv", "risk.csv", "manifest.json"} <= {
        p.name for p in folder.iterdir()
    }


@pytest.mark.slow
def test_places_are_compared_in_a_table_and_two_charts(tmp_path):
    answer = run("areas", "compare", "DE", "--out", tmp_path / "de")
    assert answer.exit_code == 0, answer.output
    rows = pd.read_csv(tmp_path / "de" / "places.csv")
    assert {"three-digit ZIP codes", "counties", "areas of 20,000", "ZIP codes"} <= set(rows["place"])
    by_race = pd.read_csv(tmp_path / "de" / "places-by-race.csv")
    assert set(by_race["place"]) == set(rows["place"]) - {"limited data set"}
    assert (tmp_path / "de" / "places-general.png").stat().st_size > 10_000


def test_overlaps_end_with_one_where_few_people_are_in_both(tmp_path):
    made = run("areas", "make", "RI", "--lines", "none", "--format", "csv")
    assert made.exit_code == 0
    (tmp_path / "areas.csv").write_text("zip,area\n02806,A\n02886,A\n")
    answer = run("areas", "overlap", tmp_path / "areas.csv", "--fewer-than", 10**6, "--format", "csv")
    assert answer.exit_code == 1
    assert answer.stdout.splitlines()[0] == "next_to,area,other,people"
    assert run("areas", "overlap", tmp_path / "areas.csv", "--fewer-than", 1).exit_code == 0
    (tmp_path / "none.csv").write_text("zip,area\n99999,A\n")
    assert run("areas", "overlap", tmp_path / "none.csv").exit_code == 2
    (tmp_path / "some.csv").write_text("zip,area\n02806,A\n02886,A\n99999,A\n")
    some = run("areas", "overlap", tmp_path / "some.csv")
    assert "1 of 3 ZIP codes" in some.output
    (tmp_path / "wrong.csv").write_text("code,area\n02806,A\n")
    wrong = run("areas", "overlap", tmp_path / "wrong.csv")
    assert wrong.exit_code == 2
    assert "columns zip and area" in wrong.stderr


def test_rows_as_csv_name_each_area():
    answer = run("areas", "make", "RI", "--at-least", 100_000, "--format", "csv")
    assert answer.exit_code == 0
    assert answer.stdout.splitlines()[0].startswith("area,state,people")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["areas", "make", "Atlantis"], "Atlantis"),
        (["areas", "make", "RI", "--at-least", "10"], "--at-least"),
        (["areas", "make", "RI", "--keep", "districts.csv"], "--keep"),
    ],
)
def test_what_is_wrong_is_one_line(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = run(*words)
    assert answer.exit_code == 2
    assert said in answer.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())
