"""Whatever a caller passes to a question about states, the answer is a result or one line that says what to do."""

from __future__ import annotations

import inspect
from functools import cache

import hostile_doors
import matplotlib as mpl
import pytest
from hostile_doors import ARGUMENTS_OF_OUR_OWN, FILE_DOORS, STATE_DOORS, Door

mpl.use("Agg")


@cache
def doors() -> dict[str, Door]:
    made = [*hostile_doors.study_doors(), *hostile_doors.result_doors(), *hostile_doors.noun_doors()]
    return {door.name: door for door in made}


@pytest.mark.slow
@pytest.mark.parametrize("name", STATE_DOORS)
def test_a_wrong_argument_is_one_clear_line(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    door = doors()[name]
    assert door.left_out() == set()
    door.call(**door.works)
    assert door.complaints() == []


def test_every_door_is_tried():
    assert set(doors()) == set(STATE_DOORS)


def test_every_public_callable_with_arguments_is_a_door():
    """A new method of a front door is tried too, or named among those that only our own modules call."""
    tried = {name.split(" ")[0] for name in (*STATE_DOORS, *FILE_DOORS)} | ARGUMENTS_OF_OUR_OWN
    for owner in ("Study", "RecordFile"):  # whose questions stand in several classes
        tried |= {name.partition(".")[2] for name in tried if name.startswith(f"{owner}.")}
    missing = [
        f"{owner}.{name}"
        for owner, cls in hostile_doors.front_doors().items()
        if inspect.isclass(cls)
        for name, kind, function in hostile_doors.public_members(cls)
        if kind == "method" and set(inspect.signature(function).parameters) - {"self", "cls", "study"}
        if not tried & {f"{owner}.{name}", function.__qualname__, name if owner in ("Study", "RecordFile") else ""}
    ]
    assert not missing
