import csv
import gzip
import json
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from census_service import tables_of

from policy_sim.errors import InputError, PolicySimError, SchemaError
from policy_sim.io.census_files.load import load_files
from policy_sim.io.census_files.tables_csv import read_tables
from policy_sim.io.census_service.editions import EDITIONS
from policy_sim.io.populations.kept import load_kept
from policy_sim.population.census_tables import AGE_CLASSES, ORIGIN_TABLES, SINGLE_YEARS


@pytest.fixture(scope="module")
def samples(shared):
    return shared / "census" / "official_samples"


@pytest.fixture(scope="module")
def tables(small_cells):
    return tables_of(small_cells)


def test_cook_county_adds_up(samples, shared, cache):
    path = samples / "decennial-2010-sf1-pct12h_o_cook_il_original.csv.gz"
    entry = load_files(str(path), "pct12-csv", cache=cache, partial=True, places={"Cook County, Illinois": "17031"})
    population = load_kept(entry.name, cache)
    assert population.people == 5_194_675  # Census 2010, published
    assert population.states == ("IL",)
    checked = pd.read_parquet(shared / "census" / "county_2010_sf1_pct12h_o_cook_il.parquet")
    theirs = checked[checked["population"] > 0].groupby(["sex", "age"])["population"].sum()
    ours = population.cells.astype({"sex": str}).groupby(["sex", "age"])["people"].sum()
    np.testing.assert_array_equal(ours.sort_index().to_numpy(), theirs.sort_index().to_numpy())
    assert len(population.cells) == (checked["population"] > 0).sum() == 1_568
    assert (population.cells["people"] == 1).sum() == 43
    assert "not the races of PCT12A to PCT12G" in " ".join(population.provenance.notes)


def test_cook_county_must_be_named(samples):
    with pytest.raises(SchemaError, match=r"Cook County, Illinois.*'NAME=CODE'"):
        read_tables(samples / "decennial-2010-sf1-pct12h_o_cook_il_original.csv.gz")


def test_kentucky_adds_up(samples, shared, cache):
    path = samples / "nhgis_ppdd_20200730_county_KY_ExtractColumns.csv.gz"
    entry = load_files(str(path), "pct12-csv", cache=cache)  # all 120 counties: nothing is partial
    population = load_kept(entry.name, cache)
    assert population.people == 4_339_367  # Census 2010, published
    assert "races add up to P12 in every place, sex and age" in entry.checks
    assert "1 state totals equal the published ones" in entry.checks
    assert "all 120 counties expected are here and no other" in entry.checks
    checked = pd.read_parquet(shared / "census" / "county_2010_sf1_p12a_i_kentucky.parquet")
    checked = checked[checked["in_partition"] & (checked["population"] > 0)]
    assert len(population.cells) == len(checked) == 24_660
    assert (population.cells["people"] == 1).sum() == 5_058
    keys = ["county_fips", "sex", "age"]
    theirs = checked.groupby(keys)["population"].sum()
    ours = population.cells.astype({"sex": str, "county": str}).groupby(["county", "sex", "age"])["people"].sum()
    np.testing.assert_array_equal(ours.sort_index().to_numpy(), theirs.sort_index().to_numpy())


def _wide(tables, edition, letters, header_of_place):
    names = [EDITIONS[edition].variable(SINGLE_YEARS, letter, column) for letter in letters for column in range(1, 210)]
    columns = np.concatenate([tables.counts[letter] for letter in letters], axis=1)
    places = [header_of_place(county) for county in tables.places["county"]]
    return [
        [*names, *places[0]],
        *([*map(str, row), *place.values()] for row, place in zip(columns, places, strict=True)),
    ]


def _same(found, tables):
    pd.testing.assert_frame_equal(found.places, tables.places)
    for letter, table in tables.counts.items():
        np.testing.assert_array_equal(found.counts[letter], table)


def test_answers_of_the_service_saved_as_json(tables, tmp_path):
    for letter in ("", *"ABCDEFG"):
        rows = _wide(tables, "sf1-2010", [letter], lambda code: {"state": code[:2], "county": code[2:]})
        (tmp_path / f"PCT12{letter}.json").write_text(json.dumps(rows))
    found, year = read_tables(tmp_path, 2010)
    assert year == 2010
    _same(found, tables)


def test_downloads_of_data_census_gov_in_a_zip(tables, tmp_path):
    """Codes in the first line, labels in the second, 0500000US before the county."""
    with zipfile.ZipFile(tmp_path / "download.zip", "w") as archive:
        for letter in ("", *"ABCDEFG"):
            rows = _wide(tables, "dhc-2020", [letter], lambda code: {"GEO_ID": f"0500000US{code}"})
            rows.insert(1, [" !!Total:"] * (len(rows[0]) - 1) + ["Geography"])
            rows = [[row[-1], "Name", *row[:-1]] for row in rows]  # GEO_ID stands first
            rows[0][1] = "NAME"
            path = tmp_path / "one.csv"
            with path.open("w", newline="") as file:
                csv.writer(file).writerows(rows)
            archive.write(path, f"DECENNIALDHC2020.PCT12{letter}-Data.csv")
    found, year = read_tables(tmp_path / "download.zip")
    assert year == 2020
    _same(found, tables)


def test_2020_tables_say_that_they_carry_noise(tables, tmp_path, cache, printed):
    rows = _wide(tables, "dhc-2020", "ABCDEFG", lambda code: {"state": code[:2], "county": code[2:]})
    (tmp_path / "t.json").write_text(json.dumps(rows))
    entry = load_files(str(tmp_path / "t.json"), "pct12-csv", cache=cache)
    assert "noise" in " ".join(entry.notes)


def test_the_year_must_be_told_where_codes_do_not(tables, tmp_path):
    rows = _wide(tables, "sf1-2000", "ABCDEFG", lambda code: {"state": code[:2], "county": code[2:]})
    (tmp_path / "t.json").write_text(json.dumps(rows))
    with pytest.raises(InputError, match="Give the year 2000, 2010 or 2020"):
        read_tables(tmp_path / "t.json")
    assert read_tables(tmp_path / "t.json", 2000)[1] == 2000


def test_a_year_that_contradicts_the_codes_is_refused(tables, tmp_path):
    rows = _wide(tables, "dhc-2020", "ABCDEFG", lambda code: {"state": code[:2], "county": code[2:]})
    (tmp_path / "t.json").write_text(json.dumps(rows))
    with pytest.raises(InputError, match="the columns are those of 2020"):
        read_tables(tmp_path / "t.json", 2010)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[["PCT012A001","state","county"],["many","10","001"]]', "line 2: 'many' is not a whole number"),
        ('[["PCT012A001","state","county"],[null,"10","001"]]', "line 2: '' is not a whole number"),
        ('[["PCT012A001","state","county"],["1","10","001"],["2","10","001"]]', "appears twice in PCT12A"),
        ('[["PCT012A001","state","county"],["1","10","001"]]', "PCT12A has no count for some ages in 1 counties"),
        ('[["P001001","state","county"],["1","10","001"]]', "no column of PCT12 or P12"),
        ("<html>", "is not a table in JSON"),
        ('{"PCT012A001": 3}', "which is a list of lists"),
        ('["PCT012A001"]', "which is a list of lists"),
        ('[["PCT012A001","state","county"],["1","10"]]', "line 2 has 2 values for 3 columns"),
        ('[["PCT012A001","state","county"],["99999999999999999999","10","001"]]', "is not a whole number"),
    ],
)
def test_damage_is_named(content, said, tmp_path):
    (tmp_path / "t.json").write_text(content)
    with pytest.raises(SchemaError, match=said):
        read_tables(tmp_path / "t.json", 2010)


def test_a_csv_that_breaks_off_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("PCT012A001,state,county\n1,10,001\n1,10")
    with pytest.raises(SchemaError, match=r"line 3 has 2 values for 3 columns\. Is the file complete"):
        read_tables(tmp_path / "t.csv", 2010)
    (tmp_path / "t.csv").write_text("PCT012A001,state,county\r1,10,001\r1," + "x" * 200_000)
    with pytest.raises(SchemaError, match="is not a CSV table"):
        read_tables(tmp_path / "t.csv", 2010)


@pytest.mark.parametrize("seed", range(40))
def test_no_damage_of_bytes_is_more_than_an_error_of_ours(seed, tables, tmp_path):
    """Change, cut or repeat some bytes: the tables are whole, or one of our own errors says why not."""
    rng = np.random.default_rng(seed)
    columns = [f"PCT012{letter}{n:03d}" for letter in "ABCDEFG" for n in range(1, 210)]
    lines = [",".join(["state", "county", *columns]), ",".join(["10", "001", *["0"] * len(columns)])]
    content = bytearray("\n".join(lines).encode())
    for _ in range(rng.integers(1, 5)):
        at = int(rng.integers(len(content)))
        piece = [b"", b",", b"\n", b"\r", b'"', b"\x00", b"-1", b"1e9", b"\xff", b"9" * 30][rng.integers(10)]
        content[at : at + int(rng.integers(0, 30))] = piece
    name = "t.csv.gz" if seed % 2 else "t.csv"
    packed = bytearray(gzip.compress(bytes(content)))
    packed[len(packed) // 2] ^= 1 << int(rng.integers(8))
    (tmp_path / name).write_bytes(bytes(packed if seed % 2 else content))
    with suppress(PolicySimError):
        found, _ = read_tables(tmp_path / name, 2010)
        assert set(found.counts) <= set("ABCDEFG")


def test_shapes_of_the_real_samples(samples):
    cook, _ = read_tables(
        samples / "decennial-2010-sf1-pct12h_o_cook_il_original.csv.gz", 0, {"Cook County, Illinois": "17031"}
    )
    assert cook.shape is SINGLE_YEARS
    assert cook.partition is ORIGIN_TABLES
    kentucky, year = read_tables(samples / "nhgis_ppdd_20200730_county_KY_ExtractColumns.csv.gz")
    assert (kentucky.shape, year) == (AGE_CLASSES, 2010)
    with gzip.open(samples / "nhgis_ppdd_20200730_county_KY_ExtractColumns.csv.gz", "rt") as file:
        assert "H9A001_dp" in file.readline()  # the noised counts stand beside, and are not taken
