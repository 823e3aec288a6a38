"""Columns of files as the engine reads them: counts by hand, twins and nameless columns left alone."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from policy_sim import RecordFile
from policy_sim.records.engines.file_questions import checked
from policy_sim.words.errors import InputError, UnknownNameError


def test_counts_of_a_csv_with_an_index_and_a_twin(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text(",sex,x,x\n1,M,1,2\n2,,3,4\n3,M,5,6\n")
    result = checked(path)
    (column,) = result.answer
    assert (column.held.name, column.held.filled, column.held.missing, column.held.distinct) == ("sex", 2, 1, 1)
    assert any("'x' appears twice" in note for note in result.notes)
    assert any("3 records" in note for note in result.notes)


def test_parquet_keeps_its_numbers(tmp_path):
    pq.write_table(pa.table({"age": [30, 31, None, 999]}), tmp_path / "f.parquet")
    (column,) = checked(tmp_path / "f.parquet").answer
    assert (column.kind.field, column.held.missing) == ("age", 1)
    assert [finding.records for finding in column.findings] == [1]


# Questions about a file that need neither a population nor a voter list, on records counted by hand.


def opened(folder, name, text, fields="age,sex"):
    (folder / name).write_text(text)
    return RecordFile(folder / name, fields)


@pytest.fixture
def file(tmp_path):
    return opened(tmp_path, "visits.csv", "age,sex\n30,F\n30,F\n41,M\n52,M\n")


def test_journalist_and_marketer_risk_by_hand(file, tmp_path):
    """Of the identified people 4 are 30, one is 41 and nobody is 52: (2/4 + 1) / 4 expected matches of four records."""
    people = opened(tmp_path, "people.csv", "age,sex\n" + "30,F\n" * 4 + "41,M\n" * 1 + "60,F\n")
    result = file.against(people)
    assert result.answer.marketer == pytest.approx((2 / 4 + 1) / 4)
    assert result.options["against"] == "people.csv"
    assert set(result.files) == {"visits.csv", "people.csv"}


def test_files_on_other_fields_are_not_linked(file, tmp_path):
    people = opened(tmp_path, "people.csv", "age,sex\n30,F\n", "sex,age")
    with pytest.raises(InputError, match="key fields"):
        file.against(people)


def test_what_cannot_be_estimated_is_refused(file):
    for wrong in (3, 0, -1, 10**20):
        with pytest.raises(InputError):
            file.estimate(wrong, models=["zayatz"])
    with pytest.raises(UnknownNameError):
        file.estimate(100, models=["nobody"])
    with pytest.raises(InputError, match="Bootstrap"):
        file.estimate(100, models=["zayatz"], bootstrap=200)


def test_numbers_that_would_never_end_are_refused(file):
    for runs, workers in ((0, 1), (10**9, 1), (1, 10**6)):
        with pytest.raises(InputError):
            file.sampling_study([0.5], runs, models=["zayatz"], workers=workers)
