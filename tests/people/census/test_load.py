"""Choosing a reader for the Bureau's files, and the names under which their populations are saved."""

from __future__ import annotations

import zipfile

import numpy as np
import pandas as pd
import pytest
from census_service import tables_of
from sf1_tree import invented_nation, own_layout, totals, write_sf1

from policy_sim.people.by_name import load_kept
from policy_sim.people.census import keep
from policy_sim.people.census.keep import PUBLISHER
from policy_sim.people.census.load import (
    FORMATS,
    _default_name,
    _named,
    load_files,
    places_from,
    read_sf1,
)
from policy_sim.people.census.tables import SINGLE_YEARS, SexByAge
from policy_sim.people.facts import county_history
from policy_sim.people.places import census_day
from policy_sim.words.errors import InputError, PolicySimError, SchemaError, SourceError, UnknownNameError


def test_another_format_is_refused(cache, tmp_path):
    with pytest.raises(UnknownNameError, match="sf1-2010"):
        load_files(str(tmp_path), "sf1-1990", cache=cache)


@pytest.mark.parametrize("form", FORMATS)
def test_a_folder_without_files_is_one_error_and_nothing_is_saved(form, cache, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(PolicySimError):
        load_files(str(tmp_path / "empty"), form, cache=cache)
    assert cache.names() == ()


def test_names_say_what_was_loaded():
    assert _default_name("sf1-2010", "county", ["DE", "RI"]) == "sf1-2010-de-ri"
    assert _default_name("sf1-2010", "tract", ["DE"]) == "sf1-2010-tract-de"
    assert _default_name("cc-est", "county", [f"S{at}" for at in range(4)]) == "cc-est-4-states"
    assert _default_name("sf1-2010", "county", [f"S{at}" for at in range(51)]) == "sf1-2010"


def test_a_nation_must_be_whole_and_a_few_states_are_those_that_are_there():
    assert _named(["DE", "RI"]) == ("DE", "RI")
    assert _named([f"S{at}" for at in range(50)]) == ()


def test_a_place_is_a_name_and_a_code():
    assert places_from([" Cook County, Illinois = 17031 ", "A=B=01001"]) == {
        "Cook County, Illinois": "17031",
        "A=B": "01001",
    }
    for wrong in ("Cook", "=17031", "Cook=1703", "Cook=1703x", "Cook="):
        with pytest.raises(InputError, match="five-digit"):
            places_from([wrong])


@pytest.fixture(scope="module")
def tables(small_cells):
    return tables_of(small_cells)


@pytest.fixture
def written(tables, tmp_path):
    """The tables of 2010 as the Bureau delivers them, in a folder."""
    write_sf1(tables, 2010, tmp_path)
    return tmp_path


@pytest.mark.parametrize("year", [2000, 2010])
def test_positions_and_segments_are_those_of_the_official_layout(year, shared):
    header, segments = own_layout(year)
    formats = shared / "census" / "format"
    first = {2000: 1, 2010: 0}[year]  # the two lists count from different numbers
    columns = pd.read_csv(formats / f"sf1_census{year}_geo_schema.csv").set_index("column")
    assert header == {name: (columns["start"][name] - first, columns["length"][name]) for name in header}
    tables = pd.read_csv(formats / "sf1_pct12_columns_2000_2010.csv.gz").query("census == @year").set_index("variable")
    assert segments == {table: tables["segment"][f"{table}001"] for table in segments}


@pytest.mark.parametrize("year", [2000, 2010])
@pytest.mark.parametrize("zipped", [False, True])
def test_a_tree_reads_back_cell_by_cell(year, zipped, tables, tmp_path):
    write_sf1(tables, year, tmp_path / "tree", zipped=zipped)
    found = read_sf1(tmp_path / "tree", f"sf1-{year}")
    pd.testing.assert_frame_equal(found.places, tables.places)
    for letter, table in tables.counts.items():
        np.testing.assert_array_equal(found.counts[letter], table)


def test_a_tree_without_pct12_is_held_against_its_header(tables, tmp_path):
    races = SexByAge(SINGLE_YEARS, tables.places, {letter: tables.counts[letter] for letter in "ABCDEFG"})
    write_sf1(races, 2010, tmp_path)
    assert set(read_sf1(tmp_path, "sf1-2010").counts) == set("ABCDEFG")


def test_it_is_kept_and_loaded_and_a_damaged_copy_is_made_again_from_the_files(
    tables, tmp_path, cache, printed, small_cells
):
    write_sf1(tables, 2010, tmp_path / "tree")
    entry = load_files(str(tmp_path / "tree"), "sf1-2010", cache=cache)
    assert (entry.name, entry.publisher, entry.date) == ("sf1-2010-de-ri", PUBLISHER, "2010-04-01")
    assert load_kept(entry.name, cache).people == small_cells["people"].sum()
    assert any("races add up to PCT12" in check for check in entry.checks)
    (cache.folder / entry.file).write_bytes(b"PAR1 nothing")
    assert load_kept(entry.name, cache).people == small_cells["people"].sum()


@pytest.mark.parametrize("year", [2000, 2010])
def test_files_with_the_tables_by_origin_have_ethnicity(year, tmp_path, cache, monkeypatch, small_cells):
    hispanic = small_cells["people"] // 3
    parts = {"hispanic": hispanic, "not_hispanic": small_cells["people"] - hispanic}
    cells = pd.concat([small_cells.assign(people=people, ethnicity=name) for name, people in parts.items()])
    tables = tables_of(cells)
    monkeypatch.setattr(keep, "published", lambda _: totals(tables, year))
    write_sf1(tables, year, tmp_path)
    found = load_kept(load_files(str(tmp_path), f"sf1-{year}", cache=cache).name, cache).cells
    sums = found.groupby("ethnicity", observed=True)["people"].sum().to_dict()
    assert sums == {name: people.sum() for name, people in parts.items()}


@pytest.mark.parametrize("year", [2000, 2010])
def test_tracts_keep_their_codes(year, tables, tmp_path, cache, printed):
    # Where a tract has no suffix, 2000 leaves two blanks: 0401 is 040100.
    written = tables.places.assign(tract=tables.places["county"] + ("0401" if year == 2000 else "040100"))
    write_sf1(SexByAge(SINGLE_YEARS, written, tables.counts), year, tmp_path)
    found = read_sf1(tmp_path, f"sf1-{year}", "tract")
    assert list(found.places["tract"]) == [county + "040100" for county in tables.places["county"]]
    np.testing.assert_array_equal(found.counts["B"], tables.counts["B"])
    entry = load_files(str(tmp_path), f"sf1-{year}", cache=cache, geography="tract")
    assert entry.name == f"sf1-{year}-tract-de-ri"
    assert "tract" in load_kept(entry.name, cache).cells


def _hurt(path, change):
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("de000202010.sf1", lambda text: text[: len(text) // 2], "places have no line|whole numbers"),
        ("de000202010.sf1", lambda text: text.replace(b",20,", b",21,"), "is not segment 20"),
        ("de000212010.sf1", lambda text: text.replace(b"\r\n", b",7\r\n"), "209 whole numbers"),
        ("degeo2010.sf1", lambda text: text.replace(b"050", b"051"), "no place of level 050"),
        ("degeo2010.sf1", lambda text: text[:20], "no place of level 050"),
        ("degeo2010.sf1", lambda text: text.replace(b"0000020", b"0000010"), "LOGRECNO 0000010 appears twice"),
        (
            "de000202010.sf1",
            lambda text: text.replace(b",0000020,", b",0000029,"),
            "1 places have no line",
        ),
        ("de000202010.sf1", lambda text: text + text, "or appears twice"),
        ("de000202010.sf1", lambda text: text.replace(b",0000010,", b",0000010,9" + b"9" * 30), "whole numbers"),
    ],
)
def test_damage_is_named_with_its_file(file, change, said, written):
    _hurt(written / file, change)
    with pytest.raises(SchemaError, match=said) as caught:
        read_sf1(written, "sf1-2010")
    assert file in str(caught.value)


def test_a_count_that_the_header_contradicts_is_found(written):
    line = next(line for line in (written / "de000202010.sf1").read_bytes().splitlines() if b",0000010," in line)
    hurt = line.split(b",")
    hurt[5] = str(int(hurt[5]) + 1).encode()
    _hurt(written / "de000202010.sf1", lambda text: text.replace(line, b",".join(hurt)))
    with pytest.raises(SchemaError, match=r"the header's population in 1 places: DE 10001"):
        read_sf1(written, "sf1-2010")


def test_missing_segments_are_listed(written):
    (written / "ri000232010.sf1").unlink()
    with pytest.raises(SourceError, match=r"files are missing: RI segment 23 \(PCT12D\)"):
        read_sf1(written, "sf1-2010")


def test_a_broken_zip_is_named(tables, tmp_path):
    write_sf1(tables, 2000, tmp_path, zipped=True)
    _hurt(tmp_path / "degeo_uf1.zip", lambda content: content[:-30])
    with pytest.raises(SourceError, match=r"degeo_uf1\.zip is not a complete zip file"):
        read_sf1(tmp_path, "sf1-2000")


def test_a_zip_with_other_members_or_a_password_is_named(tables, tmp_path):
    tree, path = tmp_path / "tree", tmp_path / "all.zip"
    write_sf1(tables, 2000, tree)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("de00016.uf1.txt", "what is this")
    with pytest.raises(SourceError, match="the geographic header is missing"):
        read_sf1(path, "sf1-2000")
    with zipfile.ZipFile(path, "w") as archive:
        for file in tree.iterdir():
            archive.write(file, f"deep/er/{file.name.upper()}")
    np.testing.assert_array_equal(read_sf1(path, "sf1-2000").counts["G"], tables.counts["G"])
    content = bytearray(path.read_bytes())
    for mark, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the bit that says a member is encrypted
        at = content.find(mark)
        while at >= 0:
            content[at + flag] |= 1
            at = content.find(mark, at + 1)
    path.write_bytes(bytes(content))
    with pytest.raises(SourceError, match="encrypted"):
        read_sf1(path, "sf1-2000")


def test_nothing_there(tmp_path):
    with pytest.raises(SourceError, match="no such file"):
        read_sf1(tmp_path / "none", "sf1-2000")
    with pytest.raises(SourceError, match=r"the geographic header is missing\. .* ohgeo\.uf1"):
        read_sf1(tmp_path, "sf1-2000")
    with pytest.raises(InputError, match="not by zcta"):
        read_sf1(tmp_path, "sf1-2000", "zcta")


@pytest.mark.slow
def test_a_nation_loads(tmp_path, cache, monkeypatch):
    """3,219 counties × 7 tables; what it costs in time and memory is in benchmarks/census.py."""
    nation = invented_nation(sorted(county_history().counties(census_day(2000))))
    write_sf1(nation, 2000, tmp_path / "tree")
    facts = totals(nation, 2000)
    monkeypatch.setattr(keep, "published", lambda year: facts)
    entry = load_files(str(tmp_path / "tree"), "sf1-2000", cache=cache)
    assert (entry.name, entry.rows) == ("sf1-2000", 3219 * 2 * 103 * 7)
    assert entry.people == sum(facts.people.values())
