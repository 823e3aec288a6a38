"""The requests that a population needs, and the tables made from their answers."""

from __future__ import annotations

import threading

import pytest
from census_service import KEY

from policy_sim.people.census.client import MAX_VARIABLES, Answers, TableClient
from policy_sim.people.census.fetch import Order, _chunks, assemble, do_at_once, fetch_population
from policy_sim.people.census.tables import EDITIONS, GEOGRAPHIES
from policy_sim.words.errors import InputError, PolicySimError, SourceError
from policy_sim.words.states import STATES, find_states

EDITION, COUNTY = EDITIONS["sf1-2010"], GEOGRAPHIES["county"]


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
def test_a_population_says_where_it_is_from_and_each_answer_is_told(service, cache, quick, printed):
    steps = []
    options = {"cache": cache, "url": service.url, "patience": quick, "progress": lambda *at: steps.append(at)}
    entry = fetch_population("sf1-2010", KEY, states=["DE", "RI"], **options)
    assert entry.origin["states"] == ["DE", "RI"]
    assert entry.people == sum(printed.people.values())
    done, needed = zip(*steps, strict=True)
    assert done == tuple(range(1, needed[0] + 1))
    assert set(needed) == {len(steps)}


def test_unknown_names_and_no_key_are_refused_before_any_request(service, cache, quick):
    for wrong in ({"edition_name": "sf1-1990"}, {"geography_name": "block"}, {"states": ["Atlantis"]}):
        with pytest.raises(InputError):
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
