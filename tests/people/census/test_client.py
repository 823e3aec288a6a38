"""The client: whole numbers or one clear line, and a key that goes only where it may."""

from __future__ import annotations

import logging
from dataclasses import replace
from types import SimpleNamespace

import pytest
from census_service import KEY

from policy_sim.people.census.client import (
    Answers,
    Patience,
    Question,
    Session,
    TableClient,
    _checked,
    _one_line,
    _whole,
    hide_in_logs,
    mask,
)
from policy_sim.people.census.tables import (
    AGE_CLASSES,
    EDITIONS,
    LETTERS,
    MOST_PEOPLE,
    SINGLE_YEARS,
    wrong_with,
)

WHERE = {"for": "county:*", "in": "state:10"}


@pytest.fixture
def client(service, quick):
    return TableClient(KEY, EDITIONS["sf1-2010"], url=service.url, patience=quick)


@pytest.mark.parametrize("text", ["", "-1", "1.5", "1e3", "none", "١", "12(x)", "9" * 12])
def test_anything_else_is_no_count(text):
    with pytest.raises(ValueError, match="count"):
        _whole(text)


def test_a_row_per_place_with_counts_and_codes(client, small_cells):
    rows = client.rows(["PCT012001"], WHERE)
    expected = small_cells[small_cells["state"] == "DE"].groupby("county")["people"].sum()
    assert {row["state"] + row["county"]: row["PCT012001"] for row in rows} == expected.to_dict()


def test_addresses_that_may_have_a_key():
    assert _checked("https://api.census.gov/data/", KEY) == "https://api.census.gov/data"
    assert _checked("http://localhost:80/data", KEY) == "http://localhost:80/data"


def test_the_services_own_words_are_one_short_line():
    assert _one_line("<html><b>Sorry</b>\n\n  down </html>") == "Sorry down"
    assert _one_line("") == "nothing"
    assert len(_one_line("x " * 1000)) <= 200


# A session that waits within bounds and never reveals the key.


def test_every_form_of_a_key_is_masked():
    text = mask(f"{KEY} 5ecre7-c0ffee%2F0123456789abcdef%2Bkey", KEY)
    assert text == "*** ***"
    assert mask("nothing here", KEY) == "nothing here"
    assert mask("an empty key hides nothing", "") == "an empty key hides nothing"


def test_logs_show_no_key_and_are_masked_once(caplog):
    for _ in range(3):
        hide_in_logs(KEY)
    logger = logging.getLogger("urllib3.connectionpool")
    assert sum(getattr(each, "key", None) == KEY for each in logger.filters) == 1
    with caplog.at_level(logging.DEBUG):
        logger.debug("GET %s?key=%s", "https://api.census.gov", KEY)
    assert KEY not in caplog.text
    assert "***" in caplog.text


FOLLOWED = {"/x": True, "http://h/x": True, "https://h/x": False, "http://elsewhere/x": False, "//k/x": False}


@pytest.mark.parametrize(("target", "follows"), FOLLOWED.items())
def test_a_redirect_is_followed_on_the_same_host_only(target, follows):
    session = Session(Patience())
    answer = SimpleNamespace(
        url="http://h/data", is_redirect=True, headers={"location": target}, close=lambda: None, status_code=302
    )
    if follows:
        assert session.get_redirect_target(answer) == target
    else:
        with pytest.raises(Exception, match=r"elsewhere|h|k"):
            session.get_redirect_target(answer)


ASKED = Question("PCT12A", 1, ("A1", "A2"), "county", "state:10")
ROWS = [{"A1": 5, "A2": 0, "state": "10", "county": code} for code in ("001", "003")]


@pytest.fixture
def answers(tmp_path):
    saved = Answers(tmp_path / "answers", "https://a.example")
    saved.put(ASKED, ROWS)
    return saved


def test_an_answer_comes_back_and_only_to_its_own_question(answers):
    assert answers.get(ASKED) == ROWS
    assert answers.get(replace(ASKED, variables=("A1",))) is None
    assert answers.get(replace(ASKED, place="tract")) is None
    assert answers.get(replace(ASKED, part=2)) is None
    assert replace(answers, address="https://b.example").get(ASKED) is None


def test_half_an_answer_is_none(answers):
    (file,) = answers.folder.iterdir()
    whole = file.read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"{}", whole[:-4] + b"0000"):
        file.write_bytes(content)
        assert answers.get(ASKED) is None


def test_the_day_is_that_of_the_last_answer_and_forgetting_leaves_nothing(answers):
    assert answers.retrieved([ASKED]).endswith("+00:00")
    answers.forget()
    assert answers.get(ASKED) is None
    assert not answers.folder.exists()


def test_questions_of_different_places_and_parts_have_different_files():
    asked = [replace(ASKED, part=part, within=within) for part in (1, 2) for within in ("", "state:10", "state:11")]
    assert len({question.name for question in asked}) == 6


# Editions: the names of columns, and answers that are whole.


@pytest.mark.parametrize(
    ("edition", "shape", "letter", "column", "name"),
    [
        # api.census.gov: 2000 and 2010 dec/sf1 PCT012A001, 2020 dec/dhc PCT12A_001N
        ("sf1-2010", SINGLE_YEARS, "A", 3, "PCT012A003"),
        ("sf1-2000", SINGLE_YEARS, "A", 1, "PCT012A001"),
        ("sf1-2010", SINGLE_YEARS, "", 209, "PCT012209"),
        ("dhc-2020", SINGLE_YEARS, "", 209, "PCT12_209N"),
        ("sf1-2000", AGE_CLASSES, "", 49, "P012049"),
        ("dhc-2020", SINGLE_YEARS, "A", 3, "PCT12A_003N"),
        ("dhc-2020", AGE_CLASSES, "", 1, "P12_001N"),
    ],
)
def test_variables_have_the_names_of_the_service(edition, shape, letter, column, name):
    assert EDITIONS[edition].variable(shape, letter, column) == name


def test_no_two_columns_of_an_edition_share_a_name():
    for edition in EDITIONS.values():
        names = [
            edition.variable(shape, letter, column)
            for shape in (SINGLE_YEARS, AGE_CLASSES)
            for letter in LETTERS
            for column in range(1, shape.columns + 1)
        ]
        assert len(set(names)) == len(names) == len(LETTERS) * (209 + 49)


def test_a_year_with_noise_says_so_and_others_do_not():
    noisy = {name for name, edition in EDITIONS.items() if any("noise" in note for note in edition.notes)}
    assert noisy == {"dhc-2020"}


GEOGRAPHY = {"for": "tract:*", "in": "state:10 county:*"}
ROW = {"P1": 5, "state": "10", "county": "001", "tract": "040100"}


def wrong(**changes):
    return wrong_with([ROW, {**ROW, **changes}], ["P1"], GEOGRAPHY)


def test_whole_rows_have_nothing_wrong():
    assert wrong() == ""
    assert wrong(P1=0) == wrong(P1=MOST_PEOPLE) == ""


@pytest.mark.parametrize("count", [-1, MOST_PEOPLE + 1, 1.0, "5", None, True])
def test_a_count_is_a_whole_number_of_people(count):
    assert wrong(P1=count) == "row 2 has no count for P1"


@pytest.mark.parametrize("code", ["", "1a", "²", " 01", "1" * 12, 10, None])
@pytest.mark.parametrize("place", ["state", "county", "tract"])
def test_every_place_has_a_code_in_digits(place, code):
    assert wrong(**{place: code}) == f"row 2 has no code for {place}"


@pytest.mark.parametrize("rows", [None, [], {}, "rows"])
def test_no_rows_are_an_answer_to_nothing(rows):
    assert wrong_with(rows, ["P1"], GEOGRAPHY) == "no rows"
    assert wrong_with([ROW, 7], ["P1"], GEOGRAPHY) == "row 2 is not a row"
