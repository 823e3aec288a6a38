"""The folder of a release: nothing of another is overwritten, and an earlier one comes back if the new one fails."""

import json

import numpy as np
import pytest

from policy_sim.errors import InputError, SourceError
from policy_sim.release.release_folder import (
    FIGURES,
    check_free,
    figures_text,
    held_beside,
    put_in_place,
    read_figures,
)


def _release(folder, sha="ab"):
    folder.mkdir(parents=True)
    (folder / FIGURES).write_text(figures_text({"output": {"sha256": sha}}))
    return folder


def test_a_folder_of_something_else_is_not_free(tmp_path):
    check_free(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    check_free(tmp_path / "empty")
    check_free(_release(tmp_path / "earlier"))
    (tmp_path / "empty" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for taken in ("empty", "file"):
        with pytest.raises(InputError, match="other than a release"):
            check_free(tmp_path / taken)


def test_the_new_folder_takes_the_place_of_the_earlier_one(tmp_path):
    out = _release(tmp_path / "out", "old")
    held = held_beside(out)
    work = _release(held.path / "release", "new")
    put_in_place(work, out, held.path)
    held.close()
    assert read_figures(out)["output"]["sha256"] == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_earlier_release_comes_back_where_the_new_one_cannot_take_its_place(tmp_path):
    out = _release(tmp_path / "out", "old")
    held = held_beside(out)
    with pytest.raises(OSError, match="No such file"):
        put_in_place(held.path / "nowhere", out, held.path)
    held.close()
    assert read_figures(out)["output"]["sha256"] == "old"


def test_numbers_of_numpy_are_written_and_other_things_are_not():
    text = figures_text({"one": np.int64(1), "share": np.float64(0.5), "yes": np.bool_(True)})
    assert json.loads(text) == {"one": 1, "share": 0.5, "yes": True}
    with pytest.raises(TypeError, match="has no place"):
        figures_text({"path": object()})


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"output": 1}', "[" * 100_000])
def test_damaged_figures_are_no_release(tmp_path, text):
    (tmp_path / FIGURES).write_text(text)
    with pytest.raises(SourceError, match=r"no release\.json of a release"):
        read_figures(tmp_path)
