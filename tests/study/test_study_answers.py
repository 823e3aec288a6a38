"""Answers that know where they come from and draw themselves."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from small_people import BY_COUNTY, BY_YEAR, small

from policy_sim import Study
from policy_sim.study.answers import CostAnswer, one_of
from policy_sim.words.errors import InputError, UnknownNameError

mpl.use("Agg")


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


def test_a_slice_of_an_answer_still_knows_where_it_comes_from(answer):
    costs = answer.costs()
    part = costs[:1]
    assert isinstance(part, CostAnswer)
    assert part.provenance is costs.provenance is answer.provenance
    assert len(part.to_frame()) == 1


def test_a_map_is_of_the_policy_that_is_named_and_of_the_last_by_default(answer):
    assert "$125" in words(answer.costs().map(BY_YEAR))  # Wyoming's list, of one group
    assert words(answer.costs().map()) == words(answer.costs().map(BY_COUNTY))


def test_a_trust_map_names_both_policies(answer):
    drawn = words(answer.trust(BY_COUNTY, BY_YEAR).map("general"))
    assert "2" in drawn


def test_a_curve_draws_a_line_for_each_policy_and_attacker():
    curves = Study(small(), 2026, coverage="everyone").curves("OH", [BY_YEAR, BY_COUNTY], "general", 40)
    lines = [line for axes in curves.plot().axes for line in axes.get_lines() if len(line.get_xdata()) >= 40]
    assert len(lines) == 2


def test_one_of_a_few_names():
    assert one_of("policy", None, ["a", "b", "a"]) == "b"
    assert one_of("policy", "a", ["a", "b"]) == "a"
    with pytest.raises(UnknownNameError, match=r"policy of this answer"):
        one_of("policy", "c", ["a", "b"])
    with pytest.raises(InputError, match="nothing to draw"):
        one_of("policy", None, [])
