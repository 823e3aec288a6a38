"""What a file sends beside its key fields, counted by hand and against the profile of the same columns."""

from __future__ import annotations

import pytest

from policy_sim.records.engines.sent_fields import sent_fields
from policy_sim.study.record_file import RecordFile

ROWS = """mrn,sex,dob,county,admitted,drg
A1,M,1950-01-01,Lucas,2024-01-02,470
A2,M,1950-01-01,Lucas,2024-01-03,470
A3,M,1951-05-05,Lucas,2024-01-02,871
A4,M,1951-05-05,Lucas,2024-01-02,871
A5,F,1960-02-02,Wood,2024-02-02,470
A6,F,1961-02-02,Wood,2024-02-02,470
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text(ROWS)
    return path


def test_records_alone_by_each_column_are_those_counted_by_hand(file):
    sent = sent_fields(file)
    assert (sent.records, sent.key, sent.identifiers) == (6, ("sex", "dob", "county"), ("mrn",))
    # The last two records differ in the day of birth; the first four are two pairs.
    assert (sent.alone, sent.without_birth) == (pytest.approx(2 / 6), 0)
    admitted, drg = sent.fields
    assert (admitted.column, admitted.kind) == ("admitted", "date")
    assert (drg.column, drg.kind) == ("drg", "DRG code")
    # The day of admission parts the first pair; without birth, it leaves only the second record alone.
    assert (admitted.alone, admitted.without_birth) == (pytest.approx(4 / 6), pytest.approx(1 / 6))
    assert (drg.alone, drg.without_birth) == (pytest.approx(2 / 6), 0)


def test_records_alone_are_those_of_the_profile(file):
    figures = RecordFile(file, "sex,dob,county,admitted").profile().tables["figures"].set_index("measure")
    alone = figures.loc["records alone in their class", "share"]
    assert sent_fields(file).fields[0].alone == pytest.approx(float(alone))


def test_a_mapping_names_the_key_fields_and_the_person(file, tmp_path):
    mapping = tmp_path / "visits.toml"
    mapping.write_text('person = "mrn"\n[fields.birth_date]\ncolumn = "admitted"\n')
    sent = sent_fields(file, mapping)
    assert "admitted" in sent.key
    assert sent.identifiers == ("mrn",)
