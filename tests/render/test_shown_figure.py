"""What a notebook and a user who composes figures get: pictures, and the axes that were given."""

import sys

import pandas as pd
from matplotlib.figure import Figure

from policy_sim import render
from policy_sim.render.page import new_page
from policy_sim.render.save import png_bytes, save_figure

PNG = b"\x89PNG\r\n\x1a\n"


def test_a_notebook_gets_the_picture_that_is_saved(tmp_path):
    figure = new_page(4.0, 2.0, "A title with $5 and $6").figure
    (path,) = save_figure(figure, tmp_path / "page", ["png"])
    assert figure._repr_png_().startswith(PNG)
    assert figure._repr_png_() == path.read_bytes() == png_bytes(figure)


def test_vector_files_hold_fonts_that_journals_take(tmp_path):
    """Type 3 fonts are refused by many; text in SVG stays text."""
    figure = new_page(4.0, 2.0, "A title").figure
    for form in ("pdf", "eps", "svg"):
        figure.savefig(tmp_path / f"page.{form}")
    pdf = (tmp_path / "page.pdf").read_bytes()
    assert b"/Type3" not in pdf
    assert b"/CIDFontType2" in pdf
    assert b"/FontType 42" in (tmp_path / "page.eps").read_bytes()
    assert "A title</text>" in (tmp_path / "page.svg").read_text(encoding="utf-8")


def test_no_figure_stays_open():
    new_page(4.0, 2.0, "A title").figure._repr_png_()
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()


def test_every_exported_name_is_a_function_or_a_class_with_a_docstring():
    for name in render.__all__:
        thing = getattr(render, name)
        assert callable(thing), name
        assert thing.__doc__, name


def test_every_drawing_function_returns_the_axes_it_was_given(profiles):
    distinct = profiles[
        (profiles["measure"] == "g-distinct")
        & (profiles["policy"] == "safe-harbor")
        & (profiles["attacker"] == "general")
    ]
    total = profiles[
        (profiles["measure"] == "total-risk")
        & (profiles["policy"] == "safe-harbor")
        & (profiles["attacker"] == "general")
    ]
    values = total.assign(value=total["share"], value_high=total["share"])
    classes = render.given_classes([0, 0.01, 1], "YlOrRd")
    panels = Figure(figsize=(12, 8)).subplots(2, 3).ravel()
    counties = pd.DataFrame({"county": ["10001"], "value": [0.1], "value_high": [0.1], "status": ["ok"]})
    drawn = [
        render.draw_distribution(distinct, panels[0]),
        render.draw_ranks(distinct, panels[1], outermost=1),
        render.draw_place(total, panels[2], state="OH"),
        render.draw_state_map(values, panels[3], classes=classes, write=render.short_percent),
        render.draw_county_map(counties, panels[4], classes=classes, write=render.short_percent),
        render.draw_change(pd.concat([total, total.assign(population="later")]), panels[5]),
    ]
    assert drawn == list(panels)
    assert all(axes.has_data() or axes.collections for axes in panels)
