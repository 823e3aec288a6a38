"""The client: whole numbers or one clear line, and a key that goes only where it may."""

import pytest
from census_service import KEY

from policy_sim.errors import InputError, SourceError
from policy_sim.io.census_service.client import TableClient, _checked, _one_line, _whole
from policy_sim.io.census_service.editions import find_edition

WHERE = {"for": "county:*", "in": "state:10"}


@pytest.fixture
def client(service, quick):
    return TableClient(KEY, find_edition("sf1-2010"), url=service.url, patience=quick)


@pytest.mark.parametrize(("text", "count"), [("0", 0), ("35221", 35221), ("35221(r1234)", 35221)])
def test_a_count_is_a_whole_number_with_or_without_a_revision(text, count):
    assert _whole(text) == count


@pytest.mark.parametrize("text", ["", "-1", "1.5", "1e3", "none", "١", "12(x)", "9" * 12])
def test_anything_else_is_no_count(text):
    with pytest.raises(ValueError, match="count"):
        _whole(text)


def test_a_row_per_place_with_counts_and_codes(client, small_cells):
    rows = client.rows(["PCT012001"], WHERE)
    expected = small_cells[small_cells["state"] == "DE"].groupby("county")["people"].sum()
    assert {row["state"] + row["county"]: row["PCT012001"] for row in rows} == expected.to_dict()


def test_an_answer_that_is_no_table_is_asked_again_and_then_given_up(service, client, quick):
    service.faults = ["body {}"]
    assert client.rows(["PCT012001"], WHERE)
    service.faults = ["body {}"] * quick.tries
    with pytest.raises(SourceError, match=r"times in a row") as caught:
        client.rows(["PCT012001"], WHERE)
    assert KEY not in str(caught.value)


def test_addresses_that_may_have_a_key():
    assert _checked("https://api.census.gov/data/", KEY) == "https://api.census.gov/data"
    assert _checked("http://localhost:80/data", KEY) == "http://localhost:80/data"
    for wrong in ("http://api.census.gov", "ftp://x", "https://", "https://u:p@x", "https://x?a=1", f"https://x/{KEY}"):
        with pytest.raises(InputError) as caught:
            _checked(wrong, KEY)
        assert KEY not in str(caught.value)


def test_the_services_own_words_are_one_short_line():
    assert _one_line("<html><b>Sorry</b>\n\n  down </html>") == "Sorry down"
    assert _one_line("") == "nothing"
    assert len(_one_line("x " * 1000)) <= 200


def test_no_key_is_refused_before_any_request():
    with pytest.raises(InputError, match="CENSUS_API_KEY"):
        TableClient(" ", find_edition("sf1-2010"))
