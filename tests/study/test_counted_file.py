"""What a file of records says of itself: people by person, the places they live in, and what it lacks."""

import pytest

from policy_sim import Study
from policy_sim.records.engines.file_questions import counted_file
from policy_sim.words.errors import InputError, PolicySimError


@pytest.fixture(scope="module")
def study() -> Study:
    return Study("us-2010", 2026)


@pytest.fixture
def visits(tmp_path):
    rows = [("1", "F", "Kent"), ("1", "F", "Kent"), ("2", "M", "10001"), ("3", "F", "Sussex County"), ("4", "M", "Oz")]
    path = tmp_path / "visits.csv"
    path.write_text("mrn,sex,home\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    mapping = tmp_path / "visits.toml"
    mapping.write_text('person = "mrn"\n[fields.county]\ncolumn = "home"\n', encoding="utf-8")
    return path, mapping


def test_people_are_counted_by_person_and_county(visits, study):
    counted = counted_file(visits[0], "DE", study.counted, visits[1])
    assert counted.in_file.people == 3
    assert dict(counted.in_file.catchment.places) == pytest.approx({"10001": 2 / 3, "10005": 1 / 3})
    assert (counted.outside, counted.by_person) == (1, True)
    assert counted.in_file.counting == ""
    assert counted.lacking == ("race", "ethnicity", "birth")
    assert "people, by the column that identifies them" in counted.measured
    assert "Oz" not in counted.measured
    assert "No column is known as race, ethnicity or birth" in counted.measured


def test_without_a_person_each_record_is_one(visits, study, tmp_path):
    mapping = tmp_path / "rows.toml"
    mapping.write_text('[fields.county]\ncolumn = "home"\n', encoding="utf-8")
    counted = counted_file(visits[0], "DE", study.counted, mapping)
    assert counted.in_file.people == 4
    assert "one counted per person" in counted.measured
    assert counted.in_file.counting.startswith("4 records, counted as one per person")


def test_a_file_without_places_or_of_another_state_is_one_line(visits, study):
    with pytest.raises(InputError, match="no column says where people live"):
        counted_file(visits[0], "DE", study.counted)
    elsewhere = visits[0].with_name("other.csv")
    elsewhere.write_text("county\n39003\n39003\n39003\n10001\n10001\n", encoding="utf-8")
    with pytest.raises(PolicySimError, match="3 of 5 people live in no place of DE"):
        counted_file(elsewhere, "DE", study.counted)
