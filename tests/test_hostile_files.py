"""Whatever a caller passes about a file of records, the answer is a result or one line that says what to do."""

from __future__ import annotations

import hostile_doors
import matplotlib as mpl
import pytest
from hostile_doors import FILE_DOORS

mpl.use("Agg")


@pytest.fixture(scope="module")
def doors(tmp_path_factory):
    made = [
        *hostile_doors.file_doors(tmp_path_factory.mktemp("file")),
        *hostile_doors.release_doors(tmp_path_factory.mktemp("release")),
        *hostile_doors.table_doors(tmp_path_factory.mktemp("tables")),
    ]
    return {door.name: door for door in made}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILE_DOORS)
def test_a_wrong_argument_is_one_clear_line(name, doors, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    door = doors[name]
    assert door.left_out() == set()
    door.call(**door.works)
    assert door.complaints() == []


def test_every_door_is_tried(doors):
    assert set(doors) == set(FILE_DOORS)
