"""Tables of areas: what is read, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.files.area_tables import NO_AREA, area_table, home_of_zips, read_zip_column
from policy_sim.records.census_values import ColumnMapping, FieldColumn, file_granularities, read_field
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field, Granularities, is_area, meet


def table(tmp_path, text):
    path = tmp_path / "areas.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_the_shipped_sizes_have_each_zip_code_area_once():
    twenty, hundred = (area_table(f"area:{size}") for size in (20000, 100000))
    assert set(twenty.of_zip) == set(hundred.of_zip) == set(home_of_zips())
    assert (len(set(twenty.of_zip.values())), len(set(hundred.of_zip.values()))) == (9474, 2623)


def test_lost_zeros_come_back_and_unknown_codes_have_no_area(tmp_path):
    path = table(tmp_path, b"\xef\xbb\xbfZIP,Area\r\n2802,RI1\r\n02804,RI1\r\n501,NY1\r\n\r\n")
    areas = area_table(f"area:{path}")
    assert dict(areas.of_zip) == {"02802": "RI1", "02804": "RI1", "00501": "NY1"}
    assert areas.areas_of(np.array(["02804", "99999"])).tolist() == ["RI1", NO_AREA]


def test_a_file_that_changed_is_read_again(tmp_path):
    path = table(tmp_path, "zip,area\n02802,RI1\n")
    assert area_table(f"area:{path}").of_zip["02802"] == "RI1"
    path.write_text("zip,area\n02802,RI27\n", encoding="utf-8")
    assert area_table(f"area:{path}").of_zip["02802"] == "RI27"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("zip,area\n02802,RI1\n02804,RI1\n2802,RI2\n", "rows 2 and 4 put ZIP code 02802 in two areas"),
        ("zip,area\n02802-1234,RI1\n", "row 2 has no ZIP code of five digits"),
        ("zip,area\nJane Doe,RI1\n", "row 2 has no ZIP code of five digits"),
        ("zip,area\n02802,\n", "row 2 has no area that can be shown"),
        ("zip,area\n02802,=HYPERLINK(1)\n", "row 2 has no area that can be shown"),
        ("zip,area\n02802,02802\n", "a letter first"),
        ("zip,area\n02802,<b>x</b>\n", "row 2 has no area that can be shown"),
        ("zip,area\n02802,X\n43215,X\n", "area X has ZIP codes of RI and OH"),
        ("zip,area\n99999,X\n", "none of its ZIP codes is a ZIP code area of 2020"),
        ("code,area\n02802,X\n", "must have the columns zip and area"),
        ("zip,area,area\n02802,X,Y\n", "each once"),
        ("zip;area\n02802;X\n", "with commas between them"),
        ("zip,area\n", "the column area has nothing"),
        ("", "must have the columns zip and area"),
        ("zip,area\n02802,Lincoln, north\n", "row 2 has 3 cells, but the first row has 2"),
        ("zip\tarea\n02802\tX\n", "with commas between them"),
        ("zip,area\n02802,X\0Y\n", "row 2 has no area that can be shown"),
        ('zip,area\n02802,"X\n02804,X\n', "row 2 has no area that can be shown"),
        ("zip,area\n02802,X\n".encode("utf-16"), "not a CSV file in UTF-8"),
        (b"zip,area\n02802,\xff\xfe\n", "not a CSV file in UTF-8"),
    ],
)
def test_an_edited_table_is_refused_without_its_values(tmp_path, text, said):
    path = table(tmp_path, text)
    with pytest.raises(InputError, match=said) as refused:
        area_table(f"area:{path}")
    assert "Jane" not in str(refused.value)
    assert "HYPERLINK" not in str(refused.value)


def test_districts_may_have_any_name(tmp_path):
    path = table(tmp_path, "zip,district\n02802,1\n02804,9th & Main\n")
    assert read_zip_column(path, "district") == {"02802": "1", "02804": "9th & Main"}


def test_a_county_has_an_area_only_where_it_is_whole():
    areas, homes = area_table("area:100000"), home_of_zips()
    whole = areas.of_county
    for county in ("44005", "10001", "39049"):  # Newport and Kent are in one area of 100,000; Franklin is cut
        held = {areas.of_zip[code] for code, (home, _) in homes.items() if home == county}
        assert (whole.get(county) in held) == (len(held) == 1)
    assert "39049" not in whole


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        ("zip5", "area:20000"),
        ("county_zip5", "area:20000"),
        ("zip3", "state"),
        ("county", "state"),
        ("nation", "nation"),
    ],
)
def test_areas_follow_from_zip_codes_alone(other, shared):
    assert meet(Field.GEOGRAPHY, "area:20000", other) == shared == meet(Field.GEOGRAPHY, other, "area:20000")


def test_areas_join_to_zip_codes():
    own = Granularities(geography="area:20000")
    joined = {other: own.join(Granularities(geography=other))[Field.GEOGRAPHY] for other in ("state", "zip3", "county")}
    assert joined == {"state": "area:20000", "zip3": "zip5", "county": "county_zip5"}
    assert own.is_coarser_or_equal(Granularities(geography="zip5"))
    assert not Granularities(geography="zip3").is_coarser_or_equal(own)
    assert not is_area("area: x")
    assert not is_area("area:x\n")


def test_a_column_of_areas_is_a_field_of_a_score():
    fields = ["sex", "area:20000"]
    assert file_granularities(fields, {}, has_state=False)[Field.GEOGRAPHY] == "area:20000"
    known = area_table("area:20000").of_zip
    reading = read_field("area:20000", FieldColumn("zip"), [" OH113", "43215", "OH9999", "6010-1234", "99999"])
    assert list(reading.meanings) == ["OH113", known["43215"], None, known["06010"], None]
    assert reading.unread == 2
    assert [note.endswith(": 1") for note in reading.notes] == [True]


def test_areas_are_read_from_the_column_of_zip_codes_where_a_mapping_names_none_for_them():
    zips, areas = FieldColumn("postal"), FieldColumn("area")
    assert ColumnMapping({"zip5": zips}).column("area:20000") == zips
    assert ColumnMapping({"zip5": zips, "area:20000": areas}).column("area:20000") == areas
    assert ColumnMapping({"sex": zips}).column("area:20000") == FieldColumn("area:20000")
