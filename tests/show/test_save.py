from __future__ import annotations

import importlib
import os
import sys
import xml.etree.ElementTree as ET
from concurrent.futures.process import BrokenProcessPool
from functools import partial

import pandas as pd
import pytest
from matplotlib.figure import Figure

from policy_sim import show
from policy_sim.show.maps.figure import total_risk_map
from policy_sim.show.panels import Page
from policy_sim.show.save import Drawers, png_bytes, save_figure, save_figures
from policy_sim.words.errors import OutputError


@pytest.mark.slow
def test_the_same_figure_is_the_same_bytes(profiles, footer, tmp_path):
    written = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        figure = total_risk_map(profiles, "limited-dataset", "voter", footer)
        written.append([path.read_bytes() for path in save_figure(figure, tmp_path / name / "map")])
    assert written[0] == written[1]


def test_an_svg_is_well_formed_text_that_can_be_searched_and_holds_no_clock(profiles, tmp_path):
    rows = profiles[(profiles["policy"] == "safe-harbor") & (profiles["attacker"] == "general")]
    name = "ours\x00\x1b[2J\ufffe & <b>"
    figure = total_risk_map(rows.assign(policy=name), name, "general", ["note\x07"])
    (path,) = save_figure(figure, tmp_path / "map", ["svg"])
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    words = " ".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "ours\ufffd\ufffd[2J\ufffd & <b> × GENERAL" in words
    assert "OH" in words.split(), "labels are text, whatever their halos are"
    assert not list(root.iter("{http://purl.org/dc/elements/1.1/}date"))


def test_nothing_is_left_behind_when_writing_fails(tmp_path):
    (tmp_path / "map.png").mkdir()
    with pytest.raises(OutputError, match=r"map\.png: cannot be written"):
        save_figure(Figure(), tmp_path / "map", ["png"])
    with pytest.raises(OutputError, match="No such file"):
        save_figure(Figure(), tmp_path / "nowhere" / "map")
    assert [path.name for path in tmp_path.iterdir()] == ["map.png"]


def test_figures_are_drawn_one_at_a_time(tmp_path):
    alive = []

    def figures():
        for name in ("a", "b"):
            alive.append((name, sorted(path.name for path in tmp_path.iterdir())))
            yield name, Figure(figsize=(1, 1))

    save_figures(figures(), tmp_path)
    assert alive == [("a", []), ("b", ["a.png", "a.svg"])]


NAMES_OF_FILES = {
    "map-v1.2": "map-v1.2",
    "map-../a b=c (age<90+county>20000)-voter": "map-..-a-b=c-age-90+county-20000--voter",
    # of like names none writes over another
    "map-a b": "map-a-b",
    "map-a-b": "map-a-b-2",
    "map-A-b": "map-A-b-3",
    "map-a-b-2": "map-a-b-2-2",
}


def test_a_policy_of_any_name_gives_a_file_of_its_own_that_every_disk_takes(tmp_path):
    paths = save_figures([(name, Figure(figsize=(1, 1))) for name in NAMES_OF_FILES], tmp_path, ["png"])
    assert [path.name for path in paths] == [f"{name}.png" for name in NAMES_OF_FILES.values()]
    assert {path.parent for path in paths} == {tmp_path}
    assert len(list(tmp_path.iterdir())) == len(NAMES_OF_FILES)


# What a notebook and a user who composes figures get: pictures, and the axes that were given.


def test_a_notebook_gets_the_picture_that_is_saved(tmp_path):
    figure = Page(4.0, 2.0, "A title with $5 and $6", "", ()).figure
    (path,) = save_figure(figure, tmp_path / "page", ["png"])
    assert figure._repr_png_().startswith(b"\x89PNG\r\n\x1a\n")
    assert figure._repr_png_() == path.read_bytes() == png_bytes(figure)
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums(), "no figure stays open"


@pytest.mark.slow
def test_vector_files_hold_fonts_that_journals_take(tmp_path):
    """Type 3 fonts are refused by many; text in SVG stays text."""
    figure = Page(4.0, 2.0, "A title", "", ()).figure
    for form in ("pdf", "eps", "svg"):
        figure.savefig(tmp_path / f"page.{form}")
    pdf = (tmp_path / "page.pdf").read_bytes()
    assert b"/Type3" not in pdf
    assert b"/CIDFontType2" in pdf
    assert b"/FontType 42" in (tmp_path / "page.eps").read_bytes()
    assert "A title</text>" in (tmp_path / "page.svg").read_text(encoding="utf-8")


def test_every_exported_name_is_a_function_or_a_class_with_a_docstring():
    for name in show.__all__:
        thing = getattr(show, name)
        assert callable(thing), name
        assert thing.__doc__, name


@pytest.mark.slow
def test_every_drawing_function_returns_the_axes_it_was_given(profiles):
    one = profiles[(profiles["policy"] == "safe-harbor") & (profiles["attacker"] == "general")]
    distinct, total = (one[one["measure"] == measure] for measure in ("g-distinct", "total-risk"))
    values = total.assign(value=total["share"], value_high=total["share"])
    classes = show.given_classes([0, 0.01, 1], "YlOrRd")
    panels = Figure(figsize=(12, 8)).subplots(2, 3).ravel()
    counties = pd.DataFrame({"county": ["10001"], "value": [0.1], "value_high": [0.1], "status": ["ok"]})
    drawn = [
        show.draw_distribution(distinct, panels[0]),
        show.draw_ranks(distinct, panels[1], outermost=1),
        show.draw_place(total, panels[2], state="OH"),
        show.draw_state_map(values, panels[3], classes=classes, write=show.short_percent),
        show.draw_county_map(counties, panels[4], classes=classes, write=show.short_percent),
        show.draw_change(pd.concat([total, total.assign(population="later")]), panels[5]),
    ]
    assert drawn == list(panels)
    assert all(axes.has_data() or axes.collections for axes in panels)


# Figures drawn by several processes: the same files as one process draws, and the same errors.


MODULE = """
import os
from policy_sim.show.panels import Page

def drawn(title):
    return Page(3, 1, title, "", ()).figure

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


@pytest.mark.slow
def test_helpers_write_what_one_process_writes(tmp_path, figures):
    drawings = [(name, partial(figures.drawn, name)) for name in NAMES]
    for folder in ("many", "one"):
        (tmp_path / folder).mkdir()
    with Drawers(helpers=2) as drawers:
        paths = drawers.save(drawings, tmp_path / "many")
    alone = save_figures([(name, draw()) for name, draw in drawings], tmp_path / "one")
    assert [path.name for path in paths] == [path.name for path in alone]
    assert [path.read_bytes() for path in paths] == [path.read_bytes() for path in alone]


@pytest.mark.slow
def test_a_helper_draws_too(tmp_path, figures):
    """What is drawn says whose process it was. A helper that is up begins with the first figure."""
    drawings = [(str(number), partial(figures.whose, os.getpid())) for number in range(6)]

    def texts(drawers):
        return [path.read_text(encoding="utf-8") for path in drawers.save(drawings, tmp_path, ["svg"])]

    with Drawers(helpers=1) as drawers:
        assert drawers._pool.submit(os.getpid).result() != os.getpid()
        assert any("another" in text for text in texts(drawers))
    for none in ({"helpers": 0}, {"most": 0}):
        with Drawers(**none) as drawers:
            assert all("the same" in text for text in texts(drawers))


@pytest.mark.slow
@pytest.mark.parametrize("helpers", [0, 1])
def test_a_folder_that_cannot_be_written_is_our_error_from_any_process(tmp_path, figures, helpers):
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    with Drawers(helpers=helpers) as drawers, pytest.raises(OutputError):
        drawers.save([("a", partial(figures.drawn, "a")), ("b", partial(figures.drawn, "b"))], tmp_path / "file")


@pytest.mark.slow
def test_what_a_helper_drew_that_the_system_ended_is_drawn_here(tmp_path, figures):
    with Drawers(helpers=1) as drawers:
        with pytest.raises(BrokenProcessPool):
            drawers._pool.submit(figures.only_in, os.getpid()).result()
        for number in range(2):
            [path] = drawers.save([(str(number), partial(figures.only_in, os.getpid()))], tmp_path, ["svg"])
            assert "the same" in path.read_text(encoding="utf-8")
