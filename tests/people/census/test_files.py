from __future__ import annotations

import csv
import gzip
import json
import shutil
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from census_service import tables_of

from policy_sim.people.by_name import load_kept
from policy_sim.people.census.files import _column, members, read_estimates, read_tables
from policy_sim.people.census.load import load_files
from policy_sim.people.census.tables import EDITIONS, SINGLE_YEARS
from policy_sim.words.errors import InputError, PolicySimError, SchemaError, SourceError

FILES = {"b/Two.CSV": b"2\n", "a/one.csv": b"1\n" * 5_000}


def contents(path):
    found = {}
    for member in members(path):
        with member.stream() as stream:
            found[member.name] = stream.read()
    return found


def as_folder(at):
    for name, content in FILES.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_bytes(content)
    return at


def as_zip(at):
    with zipfile.ZipFile(at / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    return at / "all.zip"


def as_gzip(at):
    for name, content in FILES.items():
        (at / f"{name.rpartition('/')[2]}.gz").write_bytes(gzip.compress(content))
    return at


@pytest.mark.parametrize("deliver", [as_folder, as_zip, as_gzip, lambda at: as_zip(at).parent])
def test_a_delivery_has_the_same_files_however_it_comes(deliver, tmp_path):
    assert contents(deliver(tmp_path)) == {"one.csv": FILES["a/one.csv"], "two.csv": FILES["b/Two.CSV"]}


def test_one_file_is_a_delivery_and_nothing_is_none(tmp_path):
    (tmp_path / "X.csv").write_bytes(b"x")
    assert contents(tmp_path / "X.csv") == {"x.csv": b"x"}
    with pytest.raises(SourceError, match="no such file or folder"):
        list(members(tmp_path / "nothing"))


@pytest.mark.parametrize("deliver", [as_zip, as_gzip])
def test_a_file_cut_short_is_named(deliver, tmp_path):
    deliver(tmp_path)
    file = min(tmp_path.iterdir())
    file.write_bytes(file.read_bytes()[:-5])
    with pytest.raises(SourceError, match=file.name):
        contents(file)


@pytest.fixture(scope="module")
def samples(shared):
    return shared / "census" / "official_samples"


@pytest.fixture(scope="module")
def tables(small_cells):
    return tables_of(small_cells)


@pytest.mark.slow
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
    assert any(check.startswith("races add up to P12 ") for check in entry.checks)
    assert "1 state totals equal the published ones" in entry.checks
    assert any(check.startswith("all 120 counties expected") for check in entry.checks)
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


def _saved(tables, edition, tmp_path):
    rows = _wide(tables, edition, "ABCDEFG", lambda code: {"state": code[:2], "county": code[2:]})
    (tmp_path / "t.json").write_text(json.dumps(rows))
    return tmp_path / "t.json"


def test_2020_tables_say_that_they_carry_noise_and_are_of_no_other_year(tables, tmp_path, cache, printed):
    path = _saved(tables, "dhc-2020", tmp_path)
    assert "noise" in " ".join(load_files(str(path), "pct12-csv", cache=cache).notes)
    with pytest.raises(InputError, match="the columns are those of 2020"):
        read_tables(path, 2010)


def test_the_year_must_be_told_where_codes_do_not(tables, tmp_path):
    path = _saved(tables, "sf1-2000", tmp_path)
    with pytest.raises(InputError, match="Give the year 2000, 2010 or 2020"):
        read_tables(path)
    assert read_tables(path, 2000)[1] == 2000


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[["PCT012A001","state","county"],["many","10","001"]]', "line 2: 'many' "),
        ('[["PCT012A001","state","county"],[null,"10","001"]]', "line 2: '' "),
        (
            '[["PCT012A001","state","county"],["1","10","001"],["2","10","001"]]',
            "appears twice in PCT12A with different counts",
        ),
        ('[["PCT012A001","state","county"],["1","10","001"]]', "PCT12A has no count .* 1 counties"),
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
    with pytest.raises(SchemaError, match="line 3 has 2 values for 3 columns"):
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


@pytest.fixture
def delaware(shared, tmp_path):
    """The first 21 lines of Delaware's official file: Kent County at the estimates base of 2000."""
    path = tmp_path / "co-est00int-alldata-10.csv"
    shutil.copyfile(shared / "census" / "official_samples" / "co-est00int-alldata-10_head21.csv", path)
    path.chmod(0o600)
    return path


def test_delaware_adds_up_to_its_own_totals(delaware, cache):
    entry = load_files(str(delaware), "co-est00int", cache=cache, partial=True)
    population = load_kept(entry.name, cache)
    official = pd.read_csv(delaware)
    total = official[official["AGEGRP"] == 99].iloc[0]
    cells = population.cells
    assert population.people == total["TOT_POP"] == 126_771
    for sex, word in (("M", "MALE"), ("F", "FEMALE")):
        for race, stem in (("white", "WA"), ("black", "BA"), ("nhpi", "NA"), ("multiple", "TOM")):
            there = cells[(cells["sex"] == sex) & (cells["race"] == race)]
            assert there["people"].sum() == total[f"{stem}_{word}"]
    newborn = cells[cells["age"] == 0]
    assert (newborn["age_width"] == 1).all()
    assert newborn["people"].sum() == 1_873
    assert entry.date == "2000-04-01"
    assert (entry.counted, entry.estimated) == (0.0, 1.0)
    assert "1 of 3 counties are present" in entry.checks
    assert set(cells["age_width"]) == {1, 4, 5, 15}


def test_missing_counties_are_named_unless_they_are_meant(delaware):
    with pytest.raises(SchemaError, match=r"counties are missing .*: 10003, 10005"):
        read_estimates(delaware, "co-est00int")


@pytest.mark.parametrize(
    ("line", "change", "said"),
    [
        (2, ("10,001,", "aa,001,"), r"line 2: STATE = 'aa' is not a whole number"),
        (2, (",1873,959,", ",1874,959,"), "sexes do not add up"),
        (2, (",649,603,", ",648,603,"), "races do not add up to TOT_MALE"),
        (3, (",1,1,", ",1,77,"), "age groups 0 to 99 "),
        (21, (",126771,", ",126772,"), "age groups do not add up"),
        (2, ("050,10,001", "050,10,002"), "not of this vintage: 10002"),
    ],
)
def test_estimates_damage_is_named(line, change, said, delaware):
    lines = delaware.read_text().splitlines()
    assert change[0] in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(*change, 1)
    delaware.write_text("\n".join(lines) + "\n")
    with pytest.raises(SchemaError, match=said):
        read_estimates(delaware, "co-est00int", partial=True)


def test_several_dates_need_a_choice(delaware):
    lines = delaware.read_text().splitlines()
    lines += [line.replace("Kent County,1,", "Kent County,2,") for line in lines[1:]]
    delaware.write_text("\n".join(lines) + "\n")
    with pytest.raises(SchemaError, match="YEAR codes 1, 2: choose one"):
        read_estimates(delaware, "co-est00int", partial=True)
    assert read_estimates(delaware, "co-est00int", 2, partial=True).date == "2000-07-01"
    with pytest.raises(SchemaError, match="has no rows of YEAR 7"):
        read_estimates(delaware, "co-est00int", 7, partial=True)


def test_a_file_of_totals_only_is_refused_and_its_damaged_cell_found(shared, tmp_path):
    sample = shared / "census" / "official_samples" / "cc-est2019-alldata_year12_agegrp0_all_counties.csv.gz"
    with pytest.raises(SchemaError, match=r"STATE = 'aa' is not a whole number"):
        read_estimates(sample, "cc-est")
    mended = pd.read_csv(sample, dtype=str, encoding="latin-1").replace({"STATE": {"aa": "1"}})
    mended.to_csv(tmp_path / "cc-est2019-alldata.csv", index=False, encoding="latin-1")
    with pytest.raises(SchemaError, match=r"age groups 0 to 18 .*: 01001") as caught:
        read_estimates(tmp_path / "cc-est2019-alldata.csv", "cc-est")
    # Its races, sexes and 3,142 counties are sound: no other problem is reported.
    assert len(caught.value.problems) == 1


def test_postcensal_codes_and_dates(delaware, tmp_path):
    """The same county with the other file's age groups: 0 is the total and 1 is 0 to 4."""
    table = pd.read_csv(delaware, dtype=str)
    counts = [name for name in table.columns if table.columns.get_loc(name) >= table.columns.get_loc("TOT_POP")]
    numbers = table[counts].astype(int)
    young = table[table["AGEGRP"].isin(["0", "1"])].index
    numbers.loc[young[1]] += numbers.loc[young[0]]
    numbers.loc[young[0]] = numbers.loc[table.index[-1]]
    table[counts] = numbers.astype(str)
    table = table.iloc[:-1].assign(YEAR="12")
    path = tmp_path / "cc-est2019-alldata-10.csv"
    table.to_csv(path, index=False)
    found = read_estimates(path, "cc-est", partial=True)
    assert found.date == "2019-07-01"
    assert found.cells["people"].sum() == 126_771
    assert found.cells[found.cells["age"] == 0]["people"].sum() == 1_873 + 7_268
    with pytest.raises(SchemaError, match="name must contain its vintage"):
        read_estimates(path.rename(tmp_path / "cc.csv"), "cc-est", partial=True)


def test_what_is_not_an_estimates_file(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(SchemaError, match="is not an estimates file"):
        read_estimates(tmp_path / "x.csv", "cc-est")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SchemaError, match=r"has no \.csv file"):
        read_estimates(tmp_path / "empty", "cc-est")


def test_columns_of_tables_are_known_in_every_spelling():
    """The table's letter and the number of the column, of the Bureau's names and of NHGIS's."""
    header = ["GEOID", "PCT012A003", "P012003", "P12_004N", "H9B005", "H76006"]
    columns = [_column(name) for name in header]
    assert [tuple(column)[:3] if column else None for column in columns] == [
        None,
        ("PCT12", "A", 3),
        ("P12", "", 3),
        ("P12", "", 4),
        ("P12", "B", 5),
        ("P12", "", 6),
    ]
