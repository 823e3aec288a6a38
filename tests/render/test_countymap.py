import pandas as pd
import pytest

from policy_sim.errors import InputError
from policy_sim.render import theme
from policy_sim.render.classes import given_classes
from policy_sim.render.countymap import county_map
from policy_sim.render.numbers import percent
from policy_sim.sources.boundaries import load_boundaries

CLASSES = given_classes([0, 0.5, 1], theme.RISK)
WORDS = {"title": "Counties", "subtitle": "a share", "legend_title": "share"}


def frame(codes):
    values = pd.DataFrame({"county": list(codes), "value": 0.2, "value_high": 0.2, "status": "ok"})
    return values.astype({"value": "Float64", "value_high": "Float64"})


def texts(figure):
    return [artist.get_text() for artist in figure.findobj(lambda a: hasattr(a, "get_text"))]


def drawn(figure):
    axes = next(axes for axes in figure.axes if axes.get_label() == "map")
    return {collection.get_label(): collection for collection in axes.collections}


def test_the_counties_of_a_state_are_drawn_and_hatched_by_status(assert_nothing_is_cut):
    values = frame(code for code in load_boundaries("county").index if code.startswith("39"))
    values.loc[values["county"] == "39049", ["value", "value_high"]] = pd.NA
    values.loc[values["county"] == "39049", "status"] = "not_sold"
    figure = county_map(values, CLASSES, percent, **WORDS)
    assert len(drawn(figure)["counties"].get_paths()) == 88
    assert len(drawn(figure)["not_sold"].get_paths()) == 1
    assert len(drawn(figure)["states"].get_paths()) == 1
    assert_nothing_is_cut(figure)


def test_what_the_map_cannot_draw_stands_in_its_foot():
    figure = county_map(frame(["51005", "51560"]), CLASSES, percent, **WORDS)
    assert any(text.startswith("Not drawn: 51560 (Clifton Forge") for text in texts(figure))


def test_counties_of_a_state_that_the_table_lacks_are_blank_not_low():
    figure = county_map(frame(["10001"]), CLASSES, percent, **WORDS)
    assert len(drawn(figure)["counties"].get_paths()) == 3
    assert "not in the table (2)" in texts(figure)


def test_codes_that_no_map_has_are_refused():
    with pytest.raises(InputError, match="five-digit FIPS"):
        county_map(frame(["Franklin"]), CLASSES, percent, **WORDS)
