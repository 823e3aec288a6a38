"""Populations by name, and what they are: cells that add up by state, county and age, checked once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from census_service import tables_of
from click.testing import CliRunner
from said import numbers
from small_people import people_of

from policy_sim.cli.main import cli
from policy_sim.files.paths import DEFAULT_POPULATION
from policy_sim.people.by_name import load_kept, load_population, read_own_population, rebuild
from policy_sim.people.census.keep import _nation, keep
from policy_sim.people.county_tables import PeopleTable
from policy_sim.people.facts import populations_frame
from policy_sim.people.population import COLUMNS, Provenance, check_cells
from policy_sim.people.store import list_populations, load_shipped, population_facts
from policy_sim.people.zip_populations import COMPOSED_POPULATIONS
from policy_sim.people.zips import ZIP_POPULATIONS
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError, SchemaError, SourceError, UnknownNameError


def test_names_are_listed_oldest_first():
    assert list_populations() == ("us-2000", "us-2010", "us-2020", "us-2022")
    assert DEFAULT_POPULATION == "us-2020-zcta"


def test_a_shipped_population_has_the_schema_and_its_provenance():
    population = load_population("us-2010")
    assert set(COLUMNS) <= set(population.cells.columns)
    assert len(population.states) == 51
    described = population.provenance.describe()
    assert described.startswith("us-2010: Census 2010")
    assert numbers(described)[-2:] == ["86.5%", "13.5%"]
    assert str(population.cells["state"].dtype) == "category"


def test_a_shipped_population_passes_the_check_of_a_users_own():
    cells = load_population("us-2000").in_states(["DE", "HI"]).cells
    assert check_cells(cells, "us-2000")["people"].sum() == cells["people"].sum()


def test_an_unknown_name_says_which_are_known():
    with pytest.raises(UnknownNameError, match=r"'us-2002' is not known.*us-2000, us-2010,.* us-2020"):
        load_population("us-2002")


def test_a_manifest_that_is_missing_or_not_toml_is_one_line(tmp_path):
    for _ in range(2):
        with pytest.raises(SourceError, match=r"manifest\.toml: cannot be read.* Install policy-sim again"):
            population_facts(tmp_path)
        (tmp_path / "manifest.toml").write_text("= 5")


def test_rows_for_people_and_machines():
    frame = populations_frame()
    assert set(frame["population"]) == {*list_populations(), *ZIP_POPULATIONS, *COMPOSED_POPULATIONS}
    assert frame["date"].is_monotonic_increasing
    assert (frame[["counted", "estimated", "modeled"]].sum(axis=1) - 1).abs().max() < 1e-12


def test_a_sound_file_is_read_whatever_became_of_its_origin(cache, put):
    put(41)
    assert load_kept("made-up", cache).people == 42


@pytest.mark.parametrize("origin", [{}, {"kind": "answers", "edition": "1790"}, {"kind": "files", "options": {}}])
def test_a_damaged_file_whose_origin_is_gone_is_one_line(origin, cache, put):
    entry = put(41, **origin)
    (cache.folder / entry.file).write_bytes(b"damaged")
    with pytest.raises(SourceError, match="Fetch or load made-up again"):
        load_kept("made-up", cache)
    with pytest.raises(SourceError, match=entry.file):
        rebuild(cache, entry)


CSV = """state,county,age,age_width,sex,people
AL,01001,0,5,M,12
AL,01001,5,10,M,30
AL,01001,15,70,F,400
"""


def _write(tmp_path, text, name="people.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_codes_stay_text_and_classes_may_have_any_width(tmp_path):
    population = load_population(_write(tmp_path, CSV))
    assert population.name == "people"
    assert population.people == 442
    assert list(population.cells["county"]) == ["01001"] * 3
    assert list(population.cells["age_width"]) == [5, 10, 70]
    assert "race" not in population.cells
    assert len(population.provenance.sha256) == 64


def test_any_country_and_no_optional_column(tmp_path):
    text = "state,age,age_width,people\nÎle-de-France,0,110,12262544\nBretagne,0,110,3373835\n"
    population = read_own_population(_write(tmp_path, text))
    assert population.people_by_state() == {"Île-de-France": 12_262_544, "Bretagne": 3_373_835}


def test_parquet_and_csv_give_the_same(tmp_path):
    csv = read_own_population(_write(tmp_path, CSV))
    table = pd.read_csv(tmp_path / "people.csv", dtype={"county": str})
    table.to_parquet(tmp_path / "people.parquet")
    pd.testing.assert_frame_equal(read_own_population(tmp_path / "people.parquet").cells, csv.cells)


def test_every_problem_at_once(tmp_path):
    text = (
        "state,county,age,age_width,sex,people,income\n"
        "AL,01001,0,5,M,12,1\n"
        "AL,01001,3,5,M,1.5,1\n"  # overlaps, and half a person
        "AL,,8,0,F,-3,1\n"  # no county, no width, fewer than nobody
        "AL,01001,20,5,X,3,1\n"  # no such sex
        "AL,01001,20,5,X,3,1\n"  # twice
    )
    with pytest.raises(SchemaError) as caught:
        read_own_population(_write(tmp_path, text))
    said = "\n".join(caught.value.problems)
    for part in (
        "columns income are not allowed",
        "2 rows have people that is not a whole number of 0 or more",
        ", the first in row 2.",
        "1 rows have age_width",
        "1 rows have no county",
        "sex 'X' is not one of M, F",
        "1 cells appear twice, the first in row 5",
        "1 age classes overlap another of the same group, the first age 3 (width 5) in AL 01001 M",
    ):
        assert part in said
    assert len(caught.value.problems) == 7
    lines = str(caught.value).splitlines()
    assert all(line.startswith(str(tmp_path / "people.csv")) for line in lines)
    assert (len(lines), lines[-1].partition(": ")[2]) == (4, "4 more problems.")


def test_classes_of_different_groups_may_overlap(tmp_path):
    text = "state,sex,age,age_width,people\nAL,M,0,10,5\nAL,F,5,10,5\nGA,M,5,10,5\n"
    assert read_own_population(_write(tmp_path, text)).people == 15


@pytest.mark.parametrize("name", ["people.parquet", "people.csv"])
def test_what_is_not_a_table(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(b"\x00\xff\xfenot a table")
    with pytest.raises(SchemaError) as caught:
        read_own_population(path)
    assert "\n" not in caught.value.problems[0]


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        read_own_population(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("county", [1001, 1003], "county is not text. Write codes as text"),
        ("county", [["01001"], ["01003"]], "county is not text"),
        ("people", [float("inf"), 3.5], "2 rows have people"),
        ("people", [1e23, 1], "1 rows have people"),
        ("people", [True, True], "2 rows have people"),
        ("age", pd.to_datetime(["1970-01-01", "2000-01-01"]), "2 rows have age"),
        ("age_width", [2000, 5], "1 rows have age_width"),
        ("state", ["AL", "AL "], "state 'AL ' begins or ends"),
        ("ethnicity", ["Latino", "hispanic"], "ethnicity 'Latino' .* hispanic, not_hispanic"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_column_of_another_kind_is_named_and_never_taken_for_a_number_or_code(column, values, said, tmp_path):
    table = pd.DataFrame(
        {"state": ["AL", "AL"], "county": ["01001", "01003"], "age": [0, 5], "age_width": [5, 5], "people": [3, 4]}
    ).assign(**{column: values})
    table.to_parquet(tmp_path / "people.parquet")
    with pytest.raises(SchemaError, match=said):
        read_own_population(tmp_path / "people.parquet")


@pytest.mark.parametrize("digits", [20, 400, 5000])
@pytest.mark.parametrize("column", ["people", "age", "age_width"])
def test_a_number_of_many_digits_is_out_of_range(column, digits, tmp_path):
    cell = {"people": "3", "age": "0", "age_width": "5"} | {column: "9" * digits}
    text = f"state,age,age_width,people\nAL,{cell['age']},{cell['age_width']},{cell['people']}\nAL,7,1,4\n"
    with pytest.raises(SchemaError, match=f"1 rows have {column} that is not a whole number"):
        read_own_population(_write(tmp_path, text))


def test_what_is_not_known_of_the_file_is_said(tmp_path):
    described = read_own_population(_write(tmp_path, CSV)).provenance.describe()
    assert described.partition("; ")[2] == "counted or estimated is not stated"
    assert "people.csv" in described


def test_another_country_by_county_is_written_without_a_map(tmp_path):
    path = _write(tmp_path, "state,county,sex,age,age_width,people\nBretagne,Finistère,F,0,15,74500\n")
    command = ["compare", "--by", "county", "--population", str(path), "--policy", "limited-dataset-paper-without-race"]
    done = CliRunner().invoke(cli, [*command, "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    rows = pd.read_csv(tmp_path / "out" / "by-county.csv")
    assert set(rows.loc[rows["attacker"] == "voter", "status"]) == {"unknown"}
    assert not list((tmp_path / "out").glob("map-*"))


# From tables to a saved population: audited first, or not saved.


FACTS = {
    "name": "made", "title": "Made", "how": "made up", "geography": "county", "retrieved": "2026-01-01T00:00:00+00:00",
    "addresses": ("here",), "notes": (), "origin": {"kind": "files", "options": {}},
}  # fmt: skip


def test_a_county_that_is_not_there_is_found_unless_it_is_meant(cache, printed, small_cells):
    part = tables_of(small_cells[small_cells["county"] != "44001"])
    with pytest.raises(SchemaError, match="44001"):
        keep(part, cache, 2010, ("DE", "RI"), **FACTS)
    assert cache.names() == ()
    assert keep(part, cache, 2010, ("DE", "RI"), partial=True, **FACTS).people < small_cells["people"].sum()


def test_a_nation_has_every_state_and_puerto_rico_if_it_is_there(small_cells):
    assert "PR" not in _nation(tables_of(small_cells))
    assert len(_nation(tables_of(small_cells))) == 51


# A population adds up its cells by state, county and age.


GOOD = pd.DataFrame(
    {
        "state": ["OH", "OH", "TX"],
        "county": ["39001", "39003", "48001"],
        "age": [30, 31, 30],
        "age_width": [1, 1, 1],
        "people": [4, 0, 2],
    }
)


def test_people_counties_and_states():
    population = people_of(GOOD)
    assert population.people == 6
    assert population.people_by_state() == {"OH": 4, "TX": 2}
    assert population.counties_by_state() == {"OH": 1, "TX": 1}
    assert population.in_states(["TX"]).people == 2
    with pytest.raises(UnknownNameError, match="'ZZ'"):
        population.in_states(["ZZ"])


def test_the_people_of_some_ages_are_made_once():
    cells = GOOD.assign(people=[4, 1, 2], age=[17, 30, 31])
    population = people_of(cells)
    assert population.of_age(18).people_by_state() == {"OH": 1, "TX": 2}
    assert population.of_age(18, 30).people == 1
    assert population.of_age(18) is population.of_age(18)


# Ethnicity is read where asked, and adds up to the cells.


def test_hispanics_divide_the_cells_of_every_part():
    cells = check_cells(GOOD.assign(people=[4, 1, 2], age=[17, 30, 31]), "made")
    hispanic = np.array([3, 0, 2])
    population = people_of(cells, hispanic=lambda: hispanic)
    assert population.columns == (*cells.columns, "ethnicity")
    divided = population.with_ethnicity.cells
    assert divided["ethnicity"].tolist() == ["hispanic", "not_hispanic", "not_hispanic", "hispanic"]
    assert divided["people"].tolist() == [3, 1, 1, 2]
    assert divided["county"].tolist() == ["39001", "39001", "39003", "48001"]
    for part in (population.of_age(18), population.in_states(["TX", "OH"]).of_age(18)):
        assert part.with_ethnicity.cells["ethnicity"].tolist() == ["not_hispanic", "hispanic"]
    assert population.in_states(["TX"]).with_ethnicity.cells["people"].tolist() == [2]
    assert population.with_ethnicity is population.with_ethnicity


def test_a_population_that_has_ethnicity_or_does_not_know_it_is_itself():
    for cells in (GOOD, GOOD.assign(ethnicity="hispanic")):
        population = people_of(cells)
        assert population.with_ethnicity is population
        assert ("ethnicity" in population.columns) == ("ethnicity" in cells)


# A table of cells is checked once and tells everything that is wrong.


def test_empty_cells_are_dropped_and_text_is_categorical():
    cells = check_cells(GOOD, "made")
    assert len(cells) == 2
    assert cells["state"].dtype == "category"


def test_missing_columns_are_named():
    with pytest.raises(SchemaError, match="columns age_width, people are missing"):
        check_cells(GOOD.drop(columns=["people", "age_width"]), "people.csv")


def test_a_table_of_zeros_is_not_a_population():
    with pytest.raises(SchemaError, match="the population is empty"):
        check_cells(GOOD.assign(people=0), "zeros")


def _cells(**more):
    base = {
        "state": ["OH", "DE", "DE"],
        "county": ["39001", "10003", "10001"],
        "sex": ["M", "F", "F"],
        "race": ["multiple", "white", "white"],
        "age": [100, 0, 0],
        "age_width": [5, 1, 1],
        "people": [3, 4, 5],
    }
    return people_of(pd.DataFrame(base | more))


def test_every_cell_stands_at_its_place():
    table = PeopleTable.of(_cells())
    assert table.counties == ("10001", "10003", "39001")
    assert table.states == ("DE", "DE", "OH")
    assert table.ages == ((0, 1), (100, 5))
    assert table.people.shape == (3, 2, 7, 2)
    assert table.people[0, 1, 0, 0] == 5
    assert table.people[1, 1, 0, 0] == 4
    assert table.people[2, 0, 6, 1] == 3
    assert table.people.sum() == 12


def test_nobody_of_a_shipped_state_is_lost():
    people = Study("us-2020").people.in_states(["WY", "HI"])
    table = PeopleTable.of(people)
    assert table.people.sum() == people.people
    assert set(table.states) == {"WY", "HI"}
    by_sex = people.cells.groupby("sex", observed=True)["people"].sum()
    assert table.people.sum(axis=(0, 2, 3)).tolist() == [by_sex["M"], by_sex["F"]]


@pytest.mark.parametrize("column", ["county", "sex", "race"])
def test_a_population_without_a_column_is_refused(column):
    people = _cells()
    with pytest.raises(InputError, match=f"has no {column}"):
        PeopleTable.of(replace(people, cells=people.cells.drop(columns=column)))


def test_a_population_by_zip_code_is_refused():
    with pytest.raises(InputError, match="is by zip5"):
        PeopleTable.of(_cells(zip5=["43001", "19701", "19901"]))


@pytest.mark.parametrize(("counted", "words"), [(0.00003, "0.003% counted, 99.997% modeled"), (1, "100.0% counted")])
def test_no_share_is_rounded_to_none_or_all(counted, words):
    facts = Provenance("one", "One", "us", "2020", "by hand", counted, 0, 1 - counted, counted_by_state=(("DE", 3e-5),))
    assert facts.describe(["DE"]) == f"one: One; {words} (0.003% in DE counted)"


@pytest.mark.parametrize("name", ["us-2000", "us-2020"])
def test_cells_of_some_states_are_those_of_the_file_and_read_nothing_else(name):
    whole, laid_out = load_shipped(name), load_shipped(name)
    held = whole.cells["state"].isin(["RI", "DE"])
    some = laid_out.in_states(["RI", "DE"])
    of_file = whole.cells[held].reset_index(drop=True)
    of_file["county"] = of_file["county"].cat.remove_unused_categories()
    pd.testing.assert_frame_equal(some.cells, of_file)
    assert (some.hispanic() == whole.hispanic()[held]).all()
    assert "cells" not in vars(laid_out)
