"""Answers of analyses of their own: they draw themselves, say where they come from, and cost nobody else an import."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from small_people import BY_COUNTY, BY_YEAR, small

from policy_sim import Study
from policy_sim.study.answers import Answer, BreakdownAnswer, SensitivityAnswer
from policy_sim.words.errors import UnknownNameError

mpl.use("Agg")

STUDY = Study("us-2010")
HEAVY = ("model.explore.search", "model.money.attack_plan", "model.sensitivity", "model.disclosure_rules")


def test_a_breakdown_draws_bars_and_keeps_its_provenance():
    answer = STUDY.break_down("sex", "limited-dataset", "general", "DE", 1, rules="paper")
    assert isinstance(answer, BreakdownAnswer)
    assert set(answer.to_frame()["value"]) == {"F", "M"}
    drawn = words(answer.plot())
    assert all(text in drawn for text in ("Male", "Female", "39.2%"))
    assert answer.provenance.notes[0].startswith("population: us-2010")


@pytest.mark.slow
def test_sensitivity_draws_a_tornado_with_a_bar_for_each_assumption():
    answer = STUDY.sensitivity("DE", "safe-harbor", "general", 1, rules="paper")
    assert isinstance(answer, SensitivityAnswer)
    labels = [label.get_text() for axes in answer.plot().axes for label in axes.get_yticklabels()]
    assert len([label for label in labels if label]) >= 1


@pytest.mark.slow
def test_a_comparison_imports_none_of_them():
    code = (
        "import sys\nfrom policy_sim import Study\nStudy('us-2010').compare(states='DE', rules='paper')\n"
        f"sys.exit(', '.join(name for name in {HEAVY} if 'policy_sim.' + name in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# An answer shows itself: its first rows as text and in a notebook.


def rows(many, title="Rows"):
    table = {"state": [f"S{i}" for i in range(many)], "note": ["<b>"] * many, "none": [None] * many}
    return Answer(pd.DataFrame(table), title, provenance=STUDY.cost("county", "DE", rules="paper").provenance)


def test_text_shows_the_first_rows_and_says_that_there_are_more():
    text = repr(rows(1_234, "Risks"))
    assert text.startswith("Risks: 1,234 rows (.to_frame() has every row)")
    assert "S5" in text
    assert "S6" not in text
    assert repr(rows(1)).splitlines()[0] == "Rows: 1 row"


def test_a_column_without_any_value_is_not_shown():
    assert "none" not in repr(rows(3))
    assert "none" in rows(3).to_frame()


def test_a_notebook_gets_no_markup_from_the_data():
    html = rows(21, "a < b")._repr_html_()
    assert "a &lt; b" in html
    assert "&lt;b&gt;" in html
    assert "The first 20 are shown" in html
    assert "S20" not in html


def test_an_answer_is_its_results_and_the_table_of_them():
    costs = STUDY.cost(["safe-harbor", "limited-dataset"], ["DE", "RI"], rules="paper")
    assert len(costs) == len(costs.to_frame()) == len(list(costs)) == 4
    assert type(costs[2:]) is type(costs)
    assert costs[2:].provenance is costs.provenance
    assert set(costs[2:].to_frame()["state"]) == {"RI"}
    assert costs[0].to_frame().equals(costs[:1].to_frame())


def test_the_results_of_a_table_are_its_rows():
    effects = STUDY.marginal_effects("county", "DE")
    fields = effects.to_frame()["field"].tolist()
    assert [row["field"] for row in effects] == [effects[place]["field"] for place in range(len(effects))] == fields
    assert effects[:2].to_frame()["field"].tolist() == fields[:2]


def test_curves_over_a_policy_that_they_lack_are_refused():
    with pytest.raises(UnknownNameError, match="policy of these curves"):
        STUDY.curves("DE", "county", "general", 3).trust("county", "safe-harbor")


# What an answer draws.


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def answer():
    study = Study(small(), 2026, coverage="everyone")
    return study.compare([BY_YEAR, BY_COUNTY], ["general", "voter"], None, 1)


def words(figure):
    return " ".join(text.get_text() for text in figure.findobj(match=lambda artist: hasattr(artist, "get_text")))


def test_a_map_is_of_the_policy_that_is_named_and_of_the_last_by_default(answer):
    assert "$125" in words(answer.costs().map(BY_YEAR))  # Wyoming's list, of one group
    assert words(answer.costs().map()) == words(answer.costs().map(BY_COUNTY))


def test_a_curve_draws_a_line_for_each_policy_and_attacker():
    curves = Study(small(), 2026, coverage="everyone").curves("OH", [BY_YEAR, BY_COUNTY], "general", 40)
    lines = [line for axes in curves.plot().axes for line in axes.get_lines() if len(line.get_xdata()) >= 40]
    assert len(lines) == 2
