"""Dates in several forms; if the order of day and month is ambiguous, the program does not guess."""

import datetime as dt

import pytest

from policy_sim.records.dates import date_forms, mixed_dates, read_dates
from policy_sim.words.errors import InputError

DAY = dt.date(1980, 4, 15)
FORMS = ["1980-04-15", "1980/4/15", "19800415", "1980-04-15T00:00:00", "1980-04-15 00:00:00", "4/15/1980", "15.04.1980"]
FORMS += ["15-04-1980", "15 April 1980", "15-Apr-1980", "April 15, 1980", "Apr 15 1980", " 1980-04-15 "]
NONE = ["1980-13-01", "1980-02-30", "32 May 1980", "1 Mai 1980", "80-04-15", "198004", ""]


@pytest.mark.parametrize(("text", "day"), [*((text, DAY) for text in FORMS), *((text, None) for text in NONE)])
def test_one_day_in_many_forms_and_what_is_no_date(text, day):
    assert read_dates("birth_date", [text])[0] == [day]


def test_three_forms_in_one_column_are_read_and_said():
    texts = ["1980-04-15", "04/15/1980", "04/05/1980", "15.04.1980", "05.04.1980", "later"]
    dates, notes = read_dates("birth_date", texts)
    assert dates == [DAY, DAY, dt.date(1980, 4, 5), DAY, dt.date(1980, 4, 5), None]
    (note,) = notes
    assert all(form in note for form in ("birth_date", "DD.MM.YYYY", "MM/DD/YYYY", "YYYY-MM-DD"))
    assert "1980" not in note


@pytest.mark.parametrize("texts", [["04/05/1980"], ["04/15/1980", "15/04/1980", "04/05/1980"]])
def test_an_order_that_is_not_certain_is_refused_without_a_value(texts):
    with pytest.raises(InputError, match=r"order of day and month .* not certain") as caught:
        read_dates("birth_date", texts)
    assert "1980" not in str(caught.value)


def test_a_declared_form_decides():
    assert read_dates("birth_date", ["04/05/1980"], "%d/%m/%Y")[0] == [dt.date(1980, 5, 4)]
    assert read_dates("birth_date", ["04/05/1980"], "%m/%d/%Y") == ([dt.date(1980, 4, 5)], ())


@pytest.mark.parametrize(
    ("texts", "forms"),
    [
        (["1980-07-04", "07/04/1980"], ("DD/MM/YYYY or MM/DD/YYYY", "YYYY-MM-DD")),
        (["13/04/1980", "04/13/1980"], ("DD/MM/YYYY", "MM/DD/YYYY")),
        (["1/2/1980", "12/14/1980"], ("M/D/YYYY",)),
        (["01/02/1980", "12/14/1980", "11/12/1980"], ("MM/DD/YYYY",)),
        (["04/17/1980", "4/17/1980"], ("M/D/YYYY", "MM/DD/YYYY")),
        (["1980-04-15", "1980-04-15 00:00:00"], ("YYYY-MM-DD", "YYYY-MM-DD and a time")),
        (["15 April 1980", "April 15, 1980"], ("D and the name of the month or DD and the name of the month",)),
        (["1 May 1980", "15 May 1980"], ("D and the name of the month",)),
        (["19800415", "198004", "1980-13-01", "15 Mai 1980", ""], ("YYYYMMDD",)),
    ],
)
def test_the_fewest_forms_that_explain_the_dates(texts, forms):
    assert date_forms(texts)[: len(forms)] == forms


def test_a_few_dates_among_other_texts_make_no_column_of_dates():
    assert mixed_dates("note", ["1980-04-15", "04/15/1980", "a", "b", "c"]) == ()
    assert len(mixed_dates("note", ["1980-04-15", "04/15/1980", "a"])) == 1
