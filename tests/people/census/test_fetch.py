"""Populations from the service: the requests, what is made of the answers, and a key that goes nowhere else."""

import gzip
import json
import logging
import threading
from dataclasses import replace
from urllib.parse import quote, quote_plus

import numpy as np
import pandas as pd
import pytest
from census_service import KEY, CensusService, tables_of
from pinned import pinned

from policy_sim import Study
from policy_sim.model.measure import Measure
from policy_sim.people.by_name import load_kept
from policy_sim.people.census.client import MAX_VARIABLES, Answers, TableClient
from policy_sim.people.census.fetch import Order, _chunks, assemble, do_at_once, fetch_population
from policy_sim.people.census.tables import (
    AGE_CLASSES,
    EDITIONS,
    GEOGRAPHIES,
    SINGLE_YEARS,
    SexByAge,
    to_cells,
)
from policy_sim.words.errors import InputError, PolicySimError, SchemaError, SourceError, UnknownNameError
from policy_sim.words.states import STATES, find_states

EDITION, COUNTY = EDITIONS["sf1-2010"], GEOGRAPHIES["county"]
COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]


def _sorted(cells):
    plain = cells[COLUMNS].astype({name: str for name in COLUMNS if name not in ("age", "age_width", "people")})
    return plain.sort_values(COLUMNS).reset_index(drop=True)


def _fetch(service, cache, quick, **options):
    return fetch_population("sf1-2010", KEY, cache=cache, url=service.url, patience=quick, **options)


def _everything_written(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_nation_is_five_requests_a_table():
    questions = Order(EDITION, COUNTY).questions
    tables = {question.table for question in questions}
    assert tables == {"PCT12", *(f"PCT12{letter}" for letter in "ABCDEFG")}
    assert len(questions) == 5 * len(tables)
    assert all(len(question.variables) <= MAX_VARIABLES for question in questions)
    columns = [name for question in questions if question.table == "PCT12C" for name in question.variables]
    assert columns == [f"PCT012C{n:03d}" for n in range(1, 210)]
    assert questions[0].geography == {"for": "county:*", "in": "state:*"}


def test_states_are_asked_together_for_counties_and_apart_for_tracts():
    states = find_states(["OH", "DE"])
    counties = Order(EDITION, COUNTY, states).questions
    assert {question.within for question in counties} == {"state:10,39"}
    tracts = Order(EDITIONS["sf1-2010"], GEOGRAPHIES["tract"], states).questions
    assert {question.within for question in tracts} == {"state:10 county:*", "state:39 county:*"}


@pytest.mark.slow
def test_round_trip_equals_itself_cell_by_cell_and_each_answer_is_told(service, cache, patient, printed, small_cells):
    steps = []
    entry = _fetch(service, cache, patient, progress=lambda *at: steps.append(at))
    assert steps == [(done, 40) for done in range(1, 41)]
    assert sum(service.requests.values()) == 40
    assert max(service.requests.values()) == 1
    assert entry.people == small_cells["people"].sum()
    population = load_kept(entry.name, cache)
    pd.testing.assert_frame_equal(_sorted(population.cells), _sorted(small_cells))
    assert population.provenance.counted == 1.0
    assert population.provenance.publisher == "US Census Bureau"
    assert population.provenance.sources == (f"{service.url}/2010/dec/sf1",)


@pytest.mark.slow
def test_what_is_at_hand_is_not_asked_again(service, cache, patient, printed):
    service.faults = ["ok"] * 17 + ["status 404"] * 4
    with pytest.raises(SourceError, match="refused"):
        _fetch(service, cache, patient)
    kept = len(list(cache.work_folder("sf1-2010").glob("*.json.gz")))
    assert kept >= 15
    service.requests.clear()
    service.faults.clear()
    _fetch(service, cache, patient)
    assert sum(service.requests.values()) == 40 - kept
    cache.remove("sf1-2010")
    assert not cache.work_folder("sf1-2010").exists()


FAULTS = [
    ["status 429 1"],
    ["status 429 0"],
    ["status 500", "status 502"],
    ["status 503"],
    ["cut"],
    ["body {}"],
    ["html"],
    ["body []"],
    ["stall"],
    ["body [["],
    ['body [["PCT012001","state","county"],[null,"10","001"]]'],
    ['body [["state","county"],["10","001"]]'],
    ['body [["PCT012001","state","county"],["5","10"]]'],
    ['body [["PCT012001","state","county"],["5",null,"001"]]'],
    ["body " + "[" * 100_000],
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "faults",
    pinned(FAULTS[::2], FAULTS),
    ids=lambda faults: faults[0][:40],
)
def test_a_fault_is_survived_and_leaves_no_wrong_number(faults, service, cache, quick, printed, small_cells):
    service.faults = list(faults)
    entry = _fetch(service, cache, quick)
    pd.testing.assert_frame_equal(_sorted(load_kept(entry.name, cache).cells), _sorted(small_cells))


# One thing wrong at a time; which values and codes are wrong at all: test_client.py.
_WRONG_ROWS = {
    "null": lambda row, name: row.update({name: None}),
    "short": lambda row, name: row.pop(name),
    "no county": lambda row, name: row.pop("county"),
}


@pytest.mark.slow
@pytest.mark.parametrize("wrong", _WRONG_ROWS)
def test_a_wrong_answer_is_not_kept_and_one_that_was_is_asked_again(wrong, service, cache, quick, printed, small_cells):
    entry = _fetch(service, cache, quick)
    answers = Answers(cache.work_folder("sf1-2010"), f"{service.url}/2010/dec/sf1")
    question = Order(EDITION, COUNTY).questions[7]
    rows = answers.get(question)
    _WRONG_ROWS[wrong](rows[-1], question.variables[3])
    with pytest.raises(SourceError, match="row 8 has no co"):
        answers.put(question, rows)
    assert answers.get(question) is not None
    path = answers._path(question)  # as an earlier version kept it
    kept = json.loads(gzip.decompress(path.read_bytes()))
    kept["rows"] = [[row.get(name) for name in kept["header"]] for row in rows]
    path.write_bytes(gzip.compress(json.dumps(kept).encode()))
    service.requests.clear()
    assert _fetch(service, cache, quick).sha256 == entry.sha256
    assert sum(service.requests.values()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("what", ["body", "head"])
def test_an_answer_that_trickles_without_end_is_given_up(what, service, cache, quick, printed):
    # Never silent for the fifth of a second that a read may take; the whole may take one.
    service.faults = [f"trickle {what}"] * 40
    with pytest.raises(SourceError, match="within 1 seconds") as caught:
        _fetch(service, cache, replace(quick, whole=1.0))
    assert not any(form in str(caught.value) for form in _forms())
    service.faults.clear()
    assert _fetch(service, cache, quick).people


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("/data/missing_key.html", "missing_key.html. Check CENSUS_API_KEY"),
        ("/data/invalid_key.html?key={key}", "does not accept the key. Check CENSUS_API_KEY"),
        ("/data/moved.html", "redirected to a page, moved.html, that is not a table"),
        (
            "http://localhost:9/data?key={key}",
            "another address, localhost, ",
        ),
        (
            "https://me:{key}@127.0.0.1/data?key={key}",
            "another address, 127.0.0.1, ",
        ),
    ],
)
def test_a_redirect_is_named_and_takes_the_key_nowhere(where, said, service, cache, quick, caplog):
    caplog.set_level(logging.DEBUG)
    service.faults = [f"redirect {where}"] * 40
    with pytest.raises(SourceError) as caught:
        _fetch(service, cache, quick)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not any(form in text for form in _forms() for text in (str(caught.value), caplog.text))


def test_a_redirect_to_another_host_is_not_followed(cache, quick, printed, small_cells):
    with (
        CensusService(tables_of(small_cells)).running() as other,
        CensusService(tables_of(small_cells)).running() as one,
    ):
        one.faults = [f"redirect {other.url}/2010/dec/sf1?key={{key}}"] * 40
        with pytest.raises(SourceError, match="does not send the key there"):
            _fetch(one, cache, quick)
        assert not other.requests


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("status 429 0", "received too many requests"),
        ("status 503", "the census service failed"),
        ("status 400", "refused .status 400.: Error report"),
        ("status 204", "no such table"),
        ("html", "not a table of whole numbers, 3 times"),
        ("cut", "was cut off, 3 times"),
        ("stall", "cannot be reached .ReadTimeoutError"),
        ("body [[", "not a table"),
    ],
)
def test_a_lasting_fault_is_one_clear_line_without_the_key(fault, said, service, cache, quick, printed, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    service.faults = [fault] * 200
    with pytest.raises(SourceError, match=said) as caught:
        _fetch(service, cache, quick)
    assert "\n" not in str(caught.value)
    assert cache.names() == ()
    said = [str(caught.value), caplog.text, *capfd.readouterr()]
    chained = caught.value
    while chained := chained.__cause__ or chained.__context__:
        said.append(str(chained))
    for text in said:
        assert not any(form in text for form in _forms())
    assert not any(form.encode() in _everything_written(cache.folder) for form in _forms())


def _forms():
    return {KEY, quote(KEY), quote(KEY, safe=""), quote_plus(KEY)}


def test_the_key_is_in_no_byte_written_or_logged_on_success(service, cache, patient, printed, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    _fetch(service, cache, patient)
    assert "GET /data/2010/dec/sf1" in caplog.text  # the libraries did log the addresses
    texts = [caplog.text.encode(), _everything_written(cache.folder), *(t.encode() for t in capfd.readouterr())]
    assert not any(form.encode() in text for form in _forms() for text in texts)


def test_a_wrong_key_is_named_as_such(service, cache, quick, printed):
    with pytest.raises(SourceError, match=r"does not accept the key\. Check CENSUS_API_KEY") as caught:
        fetch_population("sf1-2010", "wr0ngk3y", cache=cache, url=service.url, patience=quick)
    assert "wr0ngk3y" not in str(caught.value)


def test_a_service_that_is_not_there(cache, quick):
    with pytest.raises(SourceError, match="cannot be reached"):
        fetch_population("sf1-2010", KEY, cache=cache, url="http://127.0.0.1:9/data", patience=quick)


@pytest.mark.parametrize(
    "url",
    [
        "http://api.census.gov/data",
        "ftp://127.0.0.1",
        "census",
        "https://",
        "https://[bad",
        "http://127.0.0.1:port",
        "http://127.0.0.1/%s/%d",
        f"https://me:{KEY}@api.census.gov/data",
        f"https://api.census.gov/data?key={KEY}",
        f"https://api.census.gov/data#{KEY}",
        f"https://api.census.gov/{KEY}/data",
    ],
)
def test_a_key_goes_over_https_only_and_never_in_the_address(url):
    with pytest.raises(InputError) as caught:
        TableClient(KEY, EDITION, url=url)
    assert KEY not in str(caught.value)


def test_the_client_does_not_show_its_key():
    assert KEY not in repr(TableClient(KEY, EDITION))


def test_more_than_fifty_variables_are_not_sent(service, quick):
    client = TableClient(KEY, EDITION, url=service.url, patience=quick)
    with pytest.raises(InputError, match="51 variables"):
        client.rows([f"PCT012{n:03d}" for n in range(1, 52)], {"for": "county:*", "in": "state:*"})
    assert not service.requests


def test_a_revised_figure_keeps_its_count(service, quick):
    client = TableClient(KEY, EDITION, url=service.url, patience=quick)
    service.faults = ['body [["PCT012001","state","county"],["35221(r1234)","10","001"]]']
    rows = client.rows(["PCT012001"], {"for": "county:*", "in": "state:10"})
    assert rows == [{"PCT012001": 35221, "state": "10", "county": "001"}]


@pytest.mark.slow
def test_tables_that_do_not_add_up_are_thrown_away_and_asked_anew(cache, quick, printed, small_cells):
    tables = tables_of(small_cells)
    tables.counts["D"][2, 5] += 1
    with CensusService(tables).running() as service:
        with pytest.raises(SchemaError, match="PCT12D: ages do not") as caught:
            _fetch(service, cache, quick)
        assert caught.value.problems[-1].endswith("Fetch again to request all of them.")
        assert cache.names() == ()
        tables.counts["D"][2, 5] -= 1  # the service is mended
        assert _fetch(service, cache, quick).people == small_cells["people"].sum()


@pytest.mark.slow
def test_what_another_service_answered_is_not_taken_for_this_one_s(cache, quick, printed, small_cells):
    wrong = tables_of(small_cells)
    with CensusService(wrong).running() as first:
        _fetch(first, cache, quick)
    with CensusService(tables_of(small_cells)).running() as second:
        entry = _fetch(second, cache, quick)
    assert sum(second.requests.values()) == 40
    assert entry.addresses == (f"{second.url}/2010/dec/sf1",)


@pytest.mark.slow
@pytest.mark.parametrize(("table", "said"), [("PCT12", "parts of table PCT12"), ("PCT12G", "PCT12 and PCT12G")])
def test_tables_of_different_places_are_not_put_together(table, said, service, cache, quick, printed):
    # Every part that is touched loses one county: all its numbers are sound, and none may be used.
    _fetch(service, cache, quick)
    answers = Answers(cache.work_folder("sf1-2010"), f"{service.url}/2010/dec/sf1")
    questions = Order(EDITION, COUNTY).questions
    touched = [question for question in questions if question.table == table]
    for question in touched[: 1 if table == "PCT12" else None]:
        answers.put(question, answers.get(question)[1:])
    with pytest.raises(SourceError, match=said):
        assemble(Order(EDITION, COUNTY), answers)


@pytest.mark.slow
def test_a_damaged_file_is_named_and_made_again_from_the_answers(service, cache, quick, printed, caplog, small_cells):
    entry = _fetch(service, cache, quick)
    service.requests.clear()
    path = cache.folder / entry.file
    whole = path.read_bytes()
    path.write_bytes(whole[:1000] + b"x" + whole[1001:])
    population = load_kept(entry.name, cache)
    assert path.name in caplog.text
    assert "damaged" in caplog.text
    assert population.people == small_cells["people"].sum()
    assert path.read_bytes() == whole
    assert not service.requests


@pytest.mark.slow
def test_tracts_come_by_state_with_their_codes(cache, quick, printed, small_cells):
    # 2000 answers with four digits where a tract's suffix is 00.
    tables = tables_of(small_cells[small_cells["state"] == "DE"])
    places = tables.places.assign(tract=[county + "0401" for county in tables.places["county"]])
    with CensusService(SexByAge(SINGLE_YEARS, places, tables.counts)).running() as service:
        entry = _fetch(service, cache, quick, states=["DE"], geography_name="tract")
    cells = load_kept(entry.name, cache).cells
    assert entry.name == "sf1-2010-tract-de"
    assert set(cells["tract"].cat.categories) == {county + "040100" for county in places["county"]}
    pd.testing.assert_series_equal(
        cells.groupby("race", observed=True)["people"].sum(),
        to_cells(tables).groupby("race", observed=True)["people"].sum(),
    )


def test_zip_areas_of_2020_come_in_age_classes_and_say_so(cache, quick, monkeypatch, printed, small_cells):
    table = np.zeros((2, AGE_CLASSES.columns), dtype=np.int64)
    table[:, [0, 1, 2]] = 7  # everyone is a male under 5
    places = pd.DataFrame({"state": ["DE", "DE"], "zip5": ["19701", "19702"]})
    empty = np.zeros_like(table)
    counts = {"": table, "A": table, **dict.fromkeys("BCDEFG", empty)}
    facts = printed.__class__(2020, {"DE": 14}, frozenset())
    monkeypatch.setattr("policy_sim.people.census.keep.published", lambda year: facts)
    service = CensusService(SexByAge(AGE_CLASSES, places, counts), year=2020, dataset="dec/dhc")
    with service.running():
        entry = fetch_population(
            "dhc-2020", KEY, cache=cache, url=service.url, patience=quick, states=["DE"], geography_name="zcta"
        )
    population = load_kept(entry.name, cache)
    assert population.cells[["zip5", "age", "age_width", "people"]].to_numpy().tolist() == [
        ["19701", 0, 5, 7],
        ["19702", 0, 5, 7],
    ]
    notes = " ".join(population.provenance.notes)
    assert "noise" in notes
    assert "23 classes of P12A to P12G" in notes


def test_parts_of_zip_areas_in_counties_are_measured_as_they_are_counted(cache, quick, monkeypatch, printed):
    shape, sexes = AGE_CLASSES, AGE_CLASSES.sex_totals
    places = pd.DataFrame({"state": "DE", "county": ["10001", "10003", "10003"], "zip5": ["19734", "19734", "19711"]})
    counts = {letter: np.zeros((3, shape.columns), dtype=np.int64) for letter in ("", *"ABCDEFG")}
    for letter, people in {"A": (1, 700, 3000), "B": (40, 1, 900)}.items():  # all are men of 30 to 34
        counts[letter][:, shape.ages_of(0).start + [low for low, _ in shape.ages].index(30)] = people
        counts[letter][:, [0, sexes[0]]] = np.array(people)[:, None]
        counts[""] += counts[letter]
    facts = printed.__class__(2010, {"DE": 4700}, frozenset({"10001", "10003", "10005"}))
    monkeypatch.setattr("policy_sim.people.census.keep.published", lambda year: facts)
    with CensusService(SexByAge(shape, places, counts)).running() as service:
        entry = _fetch(service, cache, quick, states=["DE"], geography_name="zcta-county")
        asked = {request.split(" ", 1)[1] for request in service.requests}
    assert asked == {"county (or part):* state:10 zip code tabulation area (or part):*"}
    assert entry.name == "sf1-2010-zcta-county-de"
    assert any("state totals reach" in check for check in entry.checks)
    population = load_kept(entry.name, cache)
    cells = population.cells.astype({"county": str, "zip5": str, "race": str})
    assert sorted(cells[["county", "zip5", "race", "people"]].to_numpy().tolist()) == [
        ["10001", "19734", "black", 40],
        ["10001", "19734", "white", 1],
        ["10003", "19711", "black", 900],
        ["10003", "19711", "white", 3000],
        ["10003", "19734", "black", 1],
        ["10003", "19734", "white", 700],
    ]
    # the limited data set: date of birth, sex, race, county and ZIP code; everyone of a part in 5 * 365 dates
    (profile,) = Study(population).compare("limited-dataset", "general", "DE", 1).profiles
    alone = sum(n * (1 - 1 / 1825) ** (n - 1) for n in (1, 40, 1, 700, 900, 3000))
    assert profile.people(Measure("g-distinct", 1)).low == pytest.approx(alone, rel=1e-9)


def test_zip_areas_of_the_nation_take_one_request_for_each_part_of_a_table(cache, quick, monkeypatch, printed):
    table = np.zeros((3, AGE_CLASSES.columns), dtype=np.int64)
    table[:, [0, 1, 2]] = 7  # everyone is a male under 5
    places = pd.DataFrame({"state": ["DE", "OH", "PR"], "zip5": ["19701", "43215", "00601"]})
    counts = {"": table, "A": table, **dict.fromkeys("BCDEFG", np.zeros_like(table))}
    facts = printed.__class__(2020, {"DE": 7, "OH": 7, "PR": 7}, frozenset())
    monkeypatch.setattr("policy_sim.people.census.keep.published", lambda year: facts)
    service = CensusService(SexByAge(AGE_CLASSES, places, counts), year=2020, dataset="dec/dhc")
    with service.running():
        entry = fetch_population("dhc-2020", KEY, cache=cache, url=service.url, patience=quick, geography_name="zcta")
        assert len(service.requests) == sum(service.requests.values()) == 8, "P12 and P12A to P12G, of 49 columns"
        assert {request.split(" ", 1)[1] for request in service.requests} == {"zip code tabulation area:* None"}
    population = load_kept(entry.name, cache)
    cells = population.cells[["state", "zip5", "people"]].astype({"state": str, "zip5": str})
    assert sorted(cells.to_numpy().tolist()) == [["DE", "19701", 7], ["OH", "43215", 7], ["PR", "00601", 7]]
    assert "the state of most of its people" in " ".join(population.provenance.notes)


@pytest.mark.parametrize("columns", [1, 49, 50, 51, 100, 209])
def test_every_column_is_in_one_request_of_at_most_fifty(columns):
    chunks = list(_chunks(columns))
    assert [column for chunk in chunks for column in chunk] == list(range(1, columns + 1))
    assert max(map(len, chunks)) <= MAX_VARIABLES


def test_a_missing_answer_is_named(service, quick, tmp_path):
    client = TableClient(KEY, EDITION, url=service.url, patience=quick)
    with pytest.raises(SourceError, match="missing or damaged"):
        assemble(Order(EDITION, COUNTY, find_states(["DE"])), Answers(tmp_path, client.address))


# A whole population from the service: its name, its facts, and nothing half-saved.


def test_a_name_is_bounded_and_tells_choices_apart():
    assert Order(EDITION, COUNTY).name == "sf1-2010"
    everyone = [state for state in STATES if state != "PR"]
    assert Order(EDITION, COUNTY, find_states(everyone)).name == "sf1-2010-us"
    names = {Order(EDITION, COUNTY, find_states(everyone[:-at])).name for at in range(1, 30)}
    assert len(names) == 29
    assert "sf1-2010-30-states-" in " ".join(names)
    assert max(map(len, names)) < 40


@pytest.mark.slow
def test_a_population_says_where_it_is_from(service, cache, quick, printed):
    entry = _fetch(service, cache, quick, states=["DE", "RI"])
    assert entry.origin["states"] == ["DE", "RI"]
    assert entry.people == sum(printed.people.values())


def test_unknown_names_and_no_key_are_refused_before_any_request(service, cache, quick):
    for wrong, error, said in (
        ({"edition_name": "sf1-1990"}, UnknownNameError, "dhc-2020"),
        ({"geography_name": "block"}, InputError, "county, tract, zcta, zcta-county"),
        ({"edition_name": "sf1-2000", "geography_name": "zcta-county"}, InputError, "of sf1-2010, dhc-2020"),
        ({"states": ["Atlantis"]}, UnknownNameError, "Atlantis"),
    ):
        with pytest.raises(error, match=said):
            fetch_population(**{"edition_name": "sf1-2010", "key": KEY, "cache": cache, "url": service.url, **wrong})
    for key in ("", "  "):
        with pytest.raises(InputError, match="CENSUS_API_KEY"):
            fetch_population("sf1-2010", key, cache=cache, url=service.url)
    with pytest.raises(PolicySimError):
        fetch_population("sf1-2010", KEY, cache=cache, url="http://elsewhere.invalid")
    assert not service.requests


# A few jobs at a time: all are done, one failure ends it, an interruption waits for nothing.


def test_no_job_is_no_work():
    assert list(do_at_once(print, [], 4)) == []


def test_every_job_is_done_once_and_never_more_than_the_most_are_under_way():
    under_way, seen, done, lock = set(), [], [], threading.Lock()

    def work(job):
        with lock:
            under_way.add(job)
            seen.append(len(under_way))
        with lock:
            under_way.remove(job)
            done.append(job)

    assert len(list(do_at_once(work, range(200), 3))) == 200
    assert sorted(done) == list(range(200))
    assert max(seen) <= 3


def test_a_failure_ends_what_is_under_way_and_begins_nothing_else():
    begun, other, failed, ended = [], threading.Event(), threading.Event(), threading.Event()

    def work(job):
        begun.append(job)
        if job == 0:
            other.wait(10)
            failed.set()
            raise ValueError("the first")
        other.set()
        failed.wait(10)
        ended.set()

    with pytest.raises(ValueError, match="the first"):
        list(do_at_once(work, range(100), 2))
    assert ended.is_set()
    assert len(begun) <= 4  # two at once, and what each may begin before the failure is seen


def test_an_interruption_waits_for_nothing():
    let_go, started = threading.Event(), threading.Event()

    def work(job):
        if job:
            started.set()
            let_go.wait(60)

    jobs = do_at_once(work, [0, 1, 2], 2)
    next(jobs)
    assert started.wait(10)
    jobs.close()  # as KeyboardInterrupt leaves it; it would hang here until the wait ends
    assert not let_go.is_set()
    let_go.set()
