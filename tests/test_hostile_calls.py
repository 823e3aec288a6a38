"""Whatever a caller passes to a question, the answer is a result or one line that says what to do."""

from __future__ import annotations

import inspect
from functools import cache

import hostile_doors
import matplotlib as mpl
import pytest
from hostile_doors import ARGUMENTS_OF_OUR_OWN, Door
from pinned import pinned

from policy_sim import RecordFile, Release, Study, UnknownNameError

mpl.use("Agg")

OF_STATES = ("study_doors", "result_doors", "noun_doors")
OF_FILES = ("file_doors", "release_doors", "table_doors")


@pytest.fixture(scope="module")
def doors_of(tmp_path_factory):
    """Return the doors of a kind; those of files have a folder of their own."""

    @cache
    def made(kind: str) -> list[Door]:
        folder = [tmp_path_factory.mktemp(kind)] if kind in OF_FILES else []
        return list(getattr(hostile_doors, kind)(*folder))

    return made


@pytest.mark.slow
@pytest.mark.parametrize("kind", OF_STATES + OF_FILES)
def test_a_wrong_argument_is_one_clear_line(kind, doors_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    complaints = {}
    for door in doors_of(kind):
        door.call(**door.works)
        complaints[door.name] = door.complaints(pinned(10, 1))
    assert not {name: wrong for name, wrong in complaints.items() if wrong}


def test_every_public_callable_with_arguments_is_a_door(doors_of):
    """A new method of a front door is tried too, or named among those that only our own modules call."""
    names = {door.name.split(" ")[0] for kind in OF_STATES + OF_FILES for door in doors_of(kind)}
    missing = [
        f"{owner}.{name}"
        for owner, cls in hostile_doors.front_doors().items()
        if inspect.isclass(cls)
        for name, kind, function in hostile_doors.public_members(cls)
        if kind == "method" and set(inspect.signature(function).parameters) - {"self", "cls", "study"}
        if function.__qualname__ not in names | ARGUMENTS_OF_OUR_OWN
    ]
    assert not missing


def test_an_argument_that_a_front_door_lacks_is_answered_with_the_one_that_was_meant(tmp_path):
    file = tmp_path / "visits.csv"
    file.write_text("age,sex\n30,F\n41,M\n", encoding="utf-8")
    records, release = RecordFile(file, "age,sex"), Release.new(file, tmp_path / "visits.toml")
    for wrong, meant in (
        (lambda: Study(list=2026), "lists"),
        (lambda: Study().compare(state="OH"), "states"),
        (lambda: RecordFile(file, field="age"), "fields"),
        (lambda: RecordFile.check(file, sheets="a"), "sheet"),
        (lambda: records.estimate(population_sizes=100), "population_size"),
        (lambda: Release(paths=file), "path"),
        (lambda: Release.new(file, tmp_path / "o.toml", polcy="safe-harbor"), "policy"),
        (lambda: release.run(tmp_path / "o", treshold="k=5"), "threshold"),
    ):
        with pytest.raises(UnknownNameError, match=f"Did you mean '{meant}'"):
            wrong()
