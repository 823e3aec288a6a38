"""What the page of a long job says: its step, the share that is done, and how long the step still takes."""

from __future__ import annotations

import pytest

from policy_sim.app import jobs
from policy_sim.words.telling import Step, each, each_part, telling


def test_a_step_takes_as_long_again_as_it_took_for_its_first_half(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(jobs.time, "monotonic", lambda: now[0])
    job = jobs.Job("Reading", "/", str, None)
    assert job.as_json()["left"] is None
    job.note("reading: 1,000 rows", 0.0)
    now[0] += 10
    job.note("reading: 2,000 rows", 0.5)
    assert (job.as_json()["left"], job.as_json()["share"]) == (10, 0.5)
    job.note("attacking: column 2 of 20", 0.05)  # another step begins anew
    assert job.as_json()["left"] is None
    now[0] += 30
    job.note("attacking: column 8 of 20", 0.35)
    assert job.as_json()["left"] == 65
    job.note("writing the dossier", None)
    assert (job.as_json()["left"], job.as_json()["share"]) == (None, None)


@pytest.mark.parametrize("number", [4, 0])
def test_long_work_says_its_rows_columns_and_shares(monkeypatch, number):
    monkeypatch.setattr("policy_sim.words.telling._SECONDS", -1.0)  # at every item
    told: list[Step] = []
    with telling(told.append):
        assert [*each("abcd", "looking")] == [*"abcd"]
        assert [*each_part(["xx", "yyy"], "reading", len, number)] == ["xx", "yyy"]
    assert told == [*(f"looking: column {at} of 4" for at in (1, 2, 3, 4)), "reading: 2 rows", "reading: 5 rows"]
    assert [step.share for step in told] == [0, 0.25, 0.5, 0.75, *([0.25, 0.5] if number else [None, None])]
