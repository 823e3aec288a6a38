"""What a first reader sees, on rows made by hand."""

from __future__ import annotations

import pandas as pd
import pytest
from said import numbers

from policy_sim.cli.start import DOORS
from policy_sim.show.document.markup import folder_page
from policy_sim.show.opening import nation_sentence, opening_text, page_opening, state_sentences

COLUMNS = ["state", "policy", "attacker", "people", "share", "people_high", "share_high", "reason"]
ROWS = pd.DataFrame(
    [
        ("OH", "safe-harbor", "voter", 20.0, 0.001, 20.0, 0.001, ""),
        ("OH", "limited-dataset", "voter", 8000.0, 0.4, 8000.0, 0.4, ""),
        ("OH", "safe-harbor", "general", 60.0, 0.003, 60.0, 0.003, ""),
        ("AL", "safe-harbor", "voter", 10.0, 0.002, 90.0, 0.018, "it is unknown whether it has sex"),
        ("HI", "safe-harbor", "voter", None, None, None, None, "Each county clerk sells its own list."),
        ("WY", "safe-harbor", "voter", 30.0, 0.004, 30.0, 0.004, ""),
    ],
    columns=COLUMNS,
).assign(measure="total-risk", population="us-2020", lists="2026", in_file=1)


def test_a_state_is_told_for_each_attacker_and_policy():
    voter, general = state_sentences(ROWS, "OH")
    assert numbers(voter) == ["20", "0.10%", "8,000", "40%"]
    assert voter.index("voter list") < voter.index("Safe Harbor") < voter.index("limited data set")
    assert numbers(general)[:2] == ["60", "0.30%"]
    assert "knows everyone" in general


def test_a_range_and_a_missing_figure_give_their_reason():
    (alabama,), (hawaii,) = state_sentences(ROWS, "AL"), state_sentences(ROWS, "HI")
    assert numbers(alabama)[:4] == ["10", "90", "0.20%", "1.80%"]
    assert alabama.endswith("it is unknown whether it has sex.")
    assert numbers(hawaii) == []
    assert hawaii.endswith("Each county clerk sells its own list.")


def test_the_highest_exact_figure_leads_and_no_range_does():
    said = nation_sentence(ROWS)
    assert "0.40%" in numbers(said)
    assert "Wyoming" in said
    assert "Alabama" not in said


@pytest.mark.parametrize("change", [{"population": ["us-2010"] * 3 + ["us-2020"] * 3}, {"in_file": 0.01}])
def test_rows_of_several_populations_or_of_a_file_have_no_sentence(change):
    assert page_opening(ROWS.assign(**change)) == ([], {})


def test_the_text_has_the_four_doors_and_fits_80_columns():
    text = opening_text(ROWS, "OH", ["Two maps show every state:", "  out/a.png"], DOORS, "A hint.")
    assert all(command in text for command, _ in DOORS.values())
    assert max(map(len, text.splitlines())) <= 80
    assert "us-2020 and the voter lists of 2026." in " ".join(text.split())


def test_the_page_opens_with_a_sentence_two_maps_and_a_choice_of_state():
    maps = [f"map-total-risk-{policy}-{who}.png" for policy in ("a", "b") for who in ("general", "voter")]
    page = folder_page("OH 1%", [*maps, "profiles.csv"], *page_opening(ROWS))
    order = [page.index(part) for part in ("Where all facts", maps[1], maps[3], 'id="states"', maps[0], "OH 1%")]
    assert order == sorted(order)
    assert '<a href="#state-ohio">Ohio</a>' in page
    assert page.count('id="state-ohio"') == 1
    anchors = [page.index(f'href="#state-{name}"') for name in ("alabama", "hawaii", "ohio", "wyoming")]
    assert anchors == sorted(anchors)  # by name, as readers look for it, not by code
