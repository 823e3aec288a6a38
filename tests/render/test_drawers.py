"""Figures drawn by several processes: the same files as one process draws, and the same errors."""

from __future__ import annotations

import importlib
import os
import sys
from concurrent.futures.process import BrokenProcessPool
from functools import partial

import pytest

from policy_sim.errors import OutputError
from policy_sim.render.drawers import Drawers
from policy_sim.render.save import png_bytes, save_figures

MODULE = """
import os
from policy_sim.render.page import new_page

def drawn(title):
    return new_page(3, 1, title).figure

def whose(process):
    return drawn("the same" if os.getpid() == process else "another")

def only_in(process):
    if os.getpid() != process:
        os.kill(os.getpid(), 9)
    return drawn("the same")
"""


@pytest.fixture
def figures(tmp_path, monkeypatch):
    """A module that every process can import, as helpers import what draws for them."""
    (tmp_path / "drawn_here.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "drawn_here", raising=False)
    return importlib.import_module("drawn_here")


NAMES = ("ranks", "map a", "map-a", "distribution", "map: cost")


def test_helpers_write_what_one_process_writes(tmp_path, figures):
    drawings = [(name, partial(figures.drawn, name)) for name in NAMES]
    for folder in ("many", "one"):
        (tmp_path / folder).mkdir()
    with Drawers(helpers=2) as drawers:
        paths = drawers.save(drawings, tmp_path / "many")
    alone = save_figures([(name, draw()) for name, draw in drawings], tmp_path / "one")
    assert [path.name for path in paths] == [path.name for path in alone]
    assert [path.read_bytes() for path in paths] == [path.read_bytes() for path in alone]


def test_a_helper_draws_too(tmp_path, figures):
    """What is drawn says whose process it was. A helper that is up begins with the first figure."""
    drawings = [(str(number), partial(figures.whose, os.getpid())) for number in range(6)]

    def texts(drawers):
        return [path.read_text(encoding="utf-8") for path in drawers.save(drawings, tmp_path, ["svg"])]

    with Drawers(helpers=1) as drawers:
        assert drawers._pool.submit(os.getpid).result() != os.getpid()
        assert any("another" in text for text in texts(drawers))
    with Drawers(helpers=0) as drawers:
        assert all("the same" in text for text in texts(drawers))


@pytest.mark.parametrize("helpers", [0, 1])
def test_a_folder_that_cannot_be_written_is_our_error_from_any_process(tmp_path, figures, helpers):
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    with Drawers(helpers=helpers) as drawers, pytest.raises(OutputError):
        drawers.save([("a", partial(figures.drawn, "a")), ("b", partial(figures.drawn, "b"))], tmp_path / "file")


@pytest.mark.parametrize("helpers", [0, 1])
def test_a_picture_begun_is_the_picture_drawn_at_once(figures, helpers):
    with Drawers(helpers=helpers) as drawers:
        pictures = [drawers.begin(partial(figures.drawn, title)) for title in "abcd"]
        assert [picture() for picture in pictures] == [png_bytes(figures.drawn(title)) for title in "abcd"]


def test_what_a_helper_drew_that_the_system_ended_is_drawn_here(tmp_path, figures):
    with Drawers(helpers=1) as drawers:
        picture = drawers.begin(partial(figures.only_in, os.getpid()))
        with pytest.raises(BrokenProcessPool):
            drawers._pool.submit(os.getpid).result()
        assert picture() == png_bytes(figures.drawn("the same"))
        for number in range(2):  # also with what is asked for later
            [path] = drawers.save([(str(number), partial(figures.only_in, os.getpid()))], tmp_path, ["svg"])
            assert "the same" in path.read_text(encoding="utf-8")


def test_no_helper_is_started_where_none_is_allowed(figures, tmp_path):
    with Drawers(most=0) as drawers:
        (path,) = drawers.save([("own", partial(figures.whose, os.getpid()))], tmp_path, ["svg"])
    assert "the same" in path.read_text(encoding="utf-8")
