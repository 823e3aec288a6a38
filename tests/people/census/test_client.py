"""Tables of the census, and the client: whole numbers or one clear line, and a key that goes only where it may."""

from __future__ import annotations

import logging
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
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
    SexByAge,
    Shape,
    to_cells,
    wrong_with,
)
from policy_sim.people.population import RACES, check_cells
from policy_sim.people.store import load_shipped
from policy_sim.words.errors import InputError, SourceError

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


# What the Bureau's service answers for San Mateo County in 2010: everyone, and males under 1.
SAN_MATEO = '[["PCT012001","PCT012003","state","county"],["718451","4746","06","081"]]'


def test_an_answer_that_the_real_service_gave(client, service):
    service.faults = [f"body {SAN_MATEO}"]
    (row,) = client.rows(["PCT012001", "PCT012003"], {"for": "county:081", "in": "state:06"})
    assert row == {"PCT012001": 718_451, "PCT012003": 4_746, "state": "06", "county": "081"}
    cells = load_shipped("us-2010").cells
    assert cells.loc[cells["county"] == "06081", "people"].sum() == row["PCT012001"]


@pytest.mark.parametrize(("words", "said"), [("Invalid", "does not accept the key"), ("Missing", "received no key")])
@pytest.mark.parametrize(
    "page", ["<html><body><h1>{} Key</h1></body></html>", '<title>Error</title><h1 class="x">\n {} Key </h1>']
)
def test_a_page_on_the_key_is_known_by_its_heading_at_once(words, said, page, client, service):
    service.faults = [f"body {page.format(words)}"] * 5
    with pytest.raises(SourceError, match=f"{said}.*Check CENSUS_API_KEY"):
        client.rows(["PCT012001"], WHERE)
    assert len(service.faults) == 4, "asked once"


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


# Tables of sex by age, and their cells.


def _tables(counts, shape, places=None):
    places = places if places is not None else pd.DataFrame({"state": ["DE"], "county": ["10001"]})
    return SexByAge(shape, places, counts)


def test_columns_of_the_official_tables():
    # Summary File 1: PCT12 has 209 columns, males 3 to 105, females 107 to 209, counted from 1;
    # P12 has 49, males 3 to 25, females 27 to 49.
    assert SINGLE_YEARS.columns == 209
    assert SINGLE_YEARS.ages_of(0) == slice(2, 105)
    assert SINGLE_YEARS.ages_of(1) == slice(106, 209)
    assert SINGLE_YEARS.ages[99:] == ((99, 1), (100, 5), (105, 5), (110, 1))
    assert AGE_CLASSES.columns == 49
    assert AGE_CLASSES.ages_of(1) == slice(26, 49)
    assert AGE_CLASSES.ages[:4] == ((0, 5), (5, 5), (10, 5), (15, 3))
    assert AGE_CLASSES.ages[-1] == (85, 15)


def test_cells_by_hand():
    shape = Shape("PCT12", ((0, 1), (1, 5)))  # total, males, m0, m1, females, f0, f1
    empty = np.zeros((1, 7), dtype=np.int64)
    counts = dict.fromkeys("ABCDEFG", empty)
    counts["B"] = np.array([[6, 1, 0, 1, 5, 2, 3]])
    cells = to_cells(_tables(counts, shape))
    assert cells[["sex", "age", "age_width", "race", "people"]].to_numpy().tolist() == [
        ["M", 1, 5, "black", 1],
        ["F", 0, 1, "black", 2],
        ["F", 1, 5, "black", 3],
    ]
    pd.testing.assert_frame_equal(check_cells(cells, "test"), cells, check_like=True, check_categorical=False)


@pytest.mark.parametrize("shape", [SINGLE_YEARS, AGE_CLASSES])
def test_nobody_is_lost(shape):
    rng = np.random.default_rng(7)
    places = pd.DataFrame({"state": ["DE", "DE", "OH"], "county": ["10001", "10003", "39001"]})
    counts = {letter: rng.poisson(1.0, (3, shape.columns)) for letter in "ABCDEFG"}
    cells = to_cells(_tables(counts, shape, places))
    for letter, race in zip("ABCDEFG", RACES, strict=True):
        for sex, label in enumerate("MF"):
            there = cells[(cells["race"] == race) & (cells["sex"] == label)]
            assert there["people"].sum() == counts[letter][:, shape.ages_of(sex)].sum()
    assert (cells["people"] > 0).all()


def test_origin_tables_are_a_partition_of_their_own():
    counts = {letter: np.ones((1, AGE_CLASSES.columns), dtype=np.int64) for letter in "HIJKLMNO"}
    races = set(to_cells(_tables(counts, AGE_CLASSES))["race"].unique())
    assert races == {"hispanic", *(f"{race}_not_hispanic" for race in RACES)}


def test_half_a_partition_is_refused():
    counts = {letter: np.ones((1, 49), dtype=np.int64) for letter in "ABC"}
    with pytest.raises(InputError, match="P12A, P12B, P12C do not make up"):
        to_cells(_tables(counts, AGE_CLASSES))


def test_a_table_of_another_shape_is_refused():
    with pytest.raises(InputError, match=r"PCT12A .* 49 columns; 1 and 209"):
        _tables({"A": np.ones((1, 49), dtype=np.int64)}, SINGLE_YEARS)
