"""A few jobs at a time: all are done, one failure ends it, an interruption waits for nothing."""

import threading

import pytest

from policy_sim.io.census_service.at_once import do_at_once


def test_every_job_is_done_once():
    done, lock = [], threading.Lock()

    def work(job):
        with lock:
            done.append(job)

    assert len(list(do_at_once(work, range(50), 4))) == 50
    assert sorted(done) == list(range(50))


def test_no_job_is_no_work():
    assert list(do_at_once(print, [], 4)) == []


def test_never_more_than_the_most_are_under_way():
    under_way, seen, lock = set(), [], threading.Lock()

    def work(job):
        with lock:
            under_way.add(job)
            seen.append(len(under_way))
        with lock:
            under_way.remove(job)

    list(do_at_once(work, range(200), 3))
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
