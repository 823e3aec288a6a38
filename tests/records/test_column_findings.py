"""What to mend in a column, counted by hand."""

import numpy as np
import pytest

from policy_sim.records.column_findings import column_findings
from policy_sim.records.column_kinds import ColumnKind, ColumnValues


def findings(texts, records, kind, field="", name="c"):
    held = ColumnValues(name, texts, np.array(records, dtype=np.int64), 0)
    return {one.problem: (one.values, one.records) for one in column_findings(held, ColumnKind(kind, "", field))}


def test_spellings_that_a_reader_takes_for_one():
    seen = findings(["NORTH", "North ", "Süd", "Sud", "West"], [5, 1, 2, 3, 9], "code")
    assert seen == {"spellings that differ only in case, blanks, accents or punctuation": (4, 11)}


def test_signs_that_change_the_meaning_are_no_spelling():
    assert findings(["<=50K", ">50K", "A+", "A"], [1, 1, 1, 1], "code") == {}


def test_lost_zeros():
    seen = findings(["6010", "06011", "6012.0"], [3, 4, 5], "key field", "zip5")
    assert seen == {"codes with fewer than 5 digits: leading zeros are lost": (2, 8)}


def test_missing_marks_and_numbers():
    seen = findings(["34", "NA", "-9", "999", "Unknown"], [10, 1, 2, 3, 4], "key field", "age")
    assert seen["texts that look like a missing value"] == (2, 5)
    assert seen["numbers such as -9 or 999 that often mean a missing value"] == (2, 5)


def test_many_people_of_99_may_be_nobody_s_age():
    sign = "numbers such as -9 or 999 that often mean a missing value"
    assert findings(["40", "90", "98", "99"], [50, 3, 2, 30], "key field", "age")[sign] == (1, 30)
    assert findings(["40", "90", "98", "99"], [50, 3, 2, 9], "key field", "age") == {}
    assert findings(["40", "99"], [50, 4], "key field", "age") == {}
    assert findings(["40", "99"], [50, 30], "number") == {}


def test_age_classes():
    seen = findings(["20-24", "90+", "41"], [2, 3, 4], "key field", "age")
    assert seen == {"age classes such as 20-24 or 90+": (2, 5)}


def test_dates_that_cannot_be_read():
    seen = findings(["2020-01-05", "2020-02-31", "soon"], [2, 3, 4], "date")
    assert seen == {"dates that are not understood": (2, 7)}


def test_dates_whose_day_and_month_are_not_certain():
    seen = findings(["2020-01-05", "01/02/2020", "03/04/2020"], [2, 3, 4], "date")
    assert seen == {"dates in which the day and the month are ambiguous": (2, 7)}


def test_several_records_of_one_person():
    seen = findings(["1", "2", "3"], [4, 1, 2], "direct identifier", name="patient_id")
    assert seen == {"several records of one person, at most 4": (2, 6)}
    assert findings(["1", "2", "3"], [4, 1, 2], "direct identifier", name="serial") == {}


@pytest.mark.parametrize("kind", ["code", "date", "number", "free text", "constant"])
def test_a_clean_column_has_nothing_to_mend(kind):
    assert findings(["2020-01-05", "2020-01-06"], [2, 2], kind) == {}
