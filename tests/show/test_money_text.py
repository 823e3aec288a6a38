"""Attacks as text: figures, prices with their date and source, and a verdict in words."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.figure import Figure
from said import numbers

from policy_sim.model.money.budget import LeftOut, Market, Offer, Purchase, budget_frame
from policy_sim.show.money import (
    attack_figure,
    attack_table,
    break_even_table,
    budget_table,
    draw_attack,
    game_map,
    game_page,
    game_table,
    game_words,
    signed_dollars,
    verdict_lines,
)

pytestmark = pytest.mark.usefixtures("wide")
BASE = {
    "state": "OH", "policy": "safe-harbor", "attacker": "voter", "unknown_fields": None, "verdict": "pays",
    "price_usd": 25.0, "price_status": "ok", "price_date": "2025", "price_source": "Ohio, fees",
    "restricted_to": None, "in_file": 1.0, "gain_usd": 300.0, "cost_per_attempt_usd": 4.0, "loss_per_wrong_usd": 0.0,
    "penalty_usd": 0.0, "chance_caught": 0.0,
}  # fmt: skip
PLAN = {
    "records": 1000.0, "attacked": 10.0, "matched": 5.0, "precision": 0.5, "least_chance": 0.25,
    "profit_before_price_usd": 1460.0, "profit_usd": 1435.0,
}  # fmt: skip


def rows(*changes):
    return pd.DataFrame([BASE | PLAN | change for change in changes]).astype({"verdict": "string"})  # as answers are


def test_one_attack_and_one_at_a_price_that_no_source_gives():
    text = attack_table(rows({}))
    pays = "an attack pays in this state."
    for part in ("50%", "25%", "$1,435", "$25", "2025", "Ohio, fees", "[1] Ohio, fees", pays):
        assert part in text, part
    assert "≥ $25" in attack_table(rows({"price_status": "at_least"}))
    unknown = {"price_usd": None, "price_status": "unknown", "profit_usd": None, "verdict": "depends on the price"}
    text = attack_table(rows(unknown))
    assert "unknown" in text
    assert "depends on a price that no source" in " ".join(text.split())


ENDS = ({"unknown_fields": "withheld", "verdict": "does not pay"}, {"unknown_fields": "released"})
NONE, TEXAS = {"state": "WA", "verdict": "no list"}, {"state": "TX"}
OPEN = {"price_usd": None, "price_status": "not_modeled", "verdict": "depends on the price", "attacker": "general"}
FINED = {"penalty_usd": 73011.0, "chance_caught": 0.01, "loss_per_wrong_usd": 10.0, "in_file": 0.01}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([OPEN], ["depends on a price that is not modeled"]),
        (ENDS, ["Safe Harbor, VOTER: an attack pays", "at one end of what is unknown"]),
        (
            [*ENDS, TEXAS, NONE],
            ["pays in 1 of 3 states; in 1 ", "; in 1 there is no list"],
        ),
        (
            [*ENDS, TEXAS | {"verdict": "does not pay"}],
            ["no attack surely pays in any of", "2 states; in 1 it pays at one"],
        ),
        (
            [FINED],
            ["gains $300", "costs $4", "loses $10", "$73,011, with chance 1%", "contains 1% of the people"],
        ),
        (
            [{"in_file": 0.01}, {"state": "WI", "in_file": 0.02}],
            ["the same number of people from each"],
        ),
        (
            [{"verdict": "does not pay"}, NONE],
            ["no attack pays in any of 2", "in 1 there is no list", "gains $300", "costs $4", "everyone is released"],
        ),
    ],
)
def test_a_verdict_is_counted_over_the_states_with_what_is_unknown_and_assumed(changes, said):
    (line,) = verdict_lines(rows(*changes))
    assert [words for words in said if words not in line] == []


def test_lists_that_are_not_for_the_public_are_named():
    lines = verdict_lines(rows({"state": "VA", "restricted_to": "party"}, {"state": "OH"}))
    assert "an attack pays in 2 of 2" in lines[0]
    assert "Not for the public: VA (only for party)" in lines[1]


def test_break_even_points():
    even = {
        "break_even_gain_usd": 12.0, "precision_at_break_even": 0.9, "break_even_price_usd": 70.0,
        "break_even_records": 136.0,
    }  # fmt: skip
    text = break_even_table(rows(even))
    for part in ("$12", "90%", "$70", "136"):
        assert part in text
    assert [signed_dollars(x) for x in (0, -1, 1234.0)] == ["$0", "−$1", "$1,234"]


# The game in words.


ROW = {
    "state": "OH", "penalty": "without", "policy": "limited-dataset", "utility": 1.0, "payoff_usd": 1000.0,
    "attacked": 10.0, "matched": 5.0, "precision": 0.5, "verdict": "pays", "deterred_policy": "state-only",
    "deterred_payoff_usd": 100.0, "deterred_share": 0.1, "baseline": "safe-harbor", "baseline_payoff_usd": 400.0,
    "baseline_verdict": "pays", "gain_over_baseline_usd": 600.0, "records": 20.0, "price_usd": 0.0,
    "price_status": "free", "price_date": "2026", "price_source": "fees", "reason": "",
}  # fmt: skip


def game_text_rows(*changes):
    return pd.DataFrame([ROW | change for change in changes])


def test_one_state_and_many_in_words():
    (line,) = game_words(game_text_rows({}))
    best = "best with the limited data set"
    for part in (best, "attacks 10 of 20", "$600 more", "10% of that"):
        assert part in line, part
    assert "no attack pays." in game_words(game_text_rows({"attacked": 0.0}))[0]
    none = {"policy": None, "utility": None, "reason": "the price is unknown"}
    assert "(the price is unknown)" in game_words(game_text_rows(none))[0]
    lines = game_words(game_text_rows(*({"state": state} for state in ("OH", "TX", "NC", "DE", "WI", "AL"))))
    assert numbers(lines[0]) == ["6", "6"]
    assert "limited data set" in lines[0]


def test_the_table_and_the_page():
    assert "Limited data set" in game_table(game_text_rows({}))
    page = game_page(game_text_rows({}), ["gain < loss"])
    assert "<h1>The publisher's game</h1>" in page
    assert "gain &lt; loss" in page


# A purchase as text.


OFFERS = (Offer("OH", "OH", 2.0, 1234.0, 2468.0, "", "2025", "fees"), Offer("TX", "TX", 5.0, 1.0, 1.0))


def bought(offers, left_out=(), purchase=()):
    return budget_table(budget_frame(Market(offers, left_out), Purchase(purchase)))


def test_the_sum_and_what_is_left_out_or_not_bought():
    text = bought(OFFERS, (LeftOut("HI", "HI", "not sold"),), OFFERS[:1])
    assert ["1", "$2", "1,234", "50%"] in [numbers(line) for line in text.splitlines()]
    assert "left out: 1\n  HI: not sold" in text
    assert "fees" in text
    assert "available, not bought: TX" in text
    assert "together: 0 lists for $0, 0 right claims" in bought(OFFERS)
    nobody = Offer("AZ 04001", "AZ", 50.0, 0.0, 0.0, "04001")
    assert "no claim would be correct: AZ 04001" in bought((nobody,))


# The attack curve as a figure, and the game as a map.


CURVES = pd.DataFrame(
    [
        ("OH", "safe-harbor", "voter", None, 1.0, 1.0, 1.0, 296.0, False),
        ("OH", "safe-harbor", "voter", None, 10.0, 5.0, 0.5, 1460.0, True),
        ("OH", "safe-harbor", "voter", None, 1000.0, 6.0, 0.006, -2200.0, False),
    ],
    columns=["state", "policy", "attacker", "unknown_fields", "attacked", "matched", "precision", "profit_usd", "best"],
)


def test_three_panels_with_the_best_stop_in_the_title():
    figure = attack_figure(CURVES, "A match brings $300", ["population: made"])
    assert [axes.get_ylabel() for axes in figure.axes] == ["correct matches", "share of attempts correct", "profit, $"]
    title = " ".join(text.get_text() for text in figure.texts)
    assert [said for said in numbers(title) if said in ("10", "5", "$1,460")] == ["10", "5", "$1,460"]
    nothing = attack_figure(CURVES.assign(best=False), "")
    assert "No record is worth an attempt" in [text.get_text() for text in nothing.texts]


def test_a_line_and_a_dot_on_your_axes():
    axes = draw_attack(CURVES, "precision", Figure().subplots())
    line, dot = axes.lines
    assert line.get_label() == "Ohio, Safe Harbor, VOTER"
    assert list(dot.get_xdata()) == [10.0]


@pytest.mark.slow
def test_the_title_says_which_game():
    rows = pd.DataFrame(
        [("OH", "with", "safe-harbor", 0.4), ("TX", "with", None, None), ("OH", "without", "county", 0.6)],
        columns=["state", "penalty", "policy", "utility"],
    )
    texts = [text.get_text() for text in game_map(rows, penalty="with").texts]
    assert any("with a penalty" in text for text in texts)
