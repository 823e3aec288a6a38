from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.show.curves import listed_figure, listed_map

AGES = pd.DataFrame(
    {"age": [18, 19, 20, 101], "people": [10, 10, 0, 5], "listed": [2, 5, 0, 5], "records": [3, 12, 0, 9]}
)


def test_the_curve_draws_shares_of_the_people_of_each_age():
    figure = listed_figure(AGES, "Ohio", ["a note"])
    (axes,) = figure.axes
    lines = {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
    assert lines == {
        "all records": [[18, 0.3], [19, 1.2]],
        "listed residents": [[18, 0.2], [19, 0.5]],
    }, "nobody is of age 20, and people over 100 are few"
    texts = [text.get_text() for text in figure.texts]
    assert texts[0].startswith("In Ohio, 20% to 50% of the people of each age are on the")
    assert "a note" in texts


@pytest.mark.parametrize(("column", "codes"), [("county", ["39001", "39003"]), ("state", ["OH", "WY"])])
def test_the_map_is_of_counties_or_of_states(column, codes):
    figure = listed_map(pd.DataFrame({column: codes, "coverage": [0.6, 0.9]}))
    assert figure.texts[0].get_text().startswith("The voter lists hold 60% to 90% of each ")
