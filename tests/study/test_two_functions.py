"""Every figure ends in one of two functions: with another in its place, every figure that is printed is another."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from small_people import frame, run

from policy_sim import Study
from policy_sim.briefs import state_brief
from policy_sim.formulas import bins
from policy_sim.show.document import document_bytes
from policy_sim.words.arrays import FloatArray

SINGLE, SEVERAL, SERIES = bins.one_place, bins.several_places, bins.few_entries
NAMES = ("one_place", "several_places", "few_entries")
FIGURES = ("people", "share", "usd_per_reidentification", "total_risk", "largest_chance")
SAME, CERTAIN = 1e-9, 1.0  # a precision of 1 stays: of a list of everyone, no claim is wrong


def changed(before: pd.DataFrame, after: pd.DataFrame) -> pd.Series:
    """Whether each figure above 0 changed; text and facts are the same rows."""
    columns = [name for name in before.columns if name in FIGURES]
    assert columns
    assert len(before) == len(after)
    old, new = (table[columns].melt(ignore_index=False)["value"] for table in (before, after))
    asked = old.abs() > SAME
    if "measure" in before:
        sure = before.index[(before["measure"] == "precision") & (before["share"] == CERTAIN)]
        asked &= ~old.index.isin(sure)
    return ((new - old).abs() > SAME * old.abs())[asked]


def other(empty):
    """Another chance of an empty bin, also where it is 0 or 1."""
    return 0.97 * empty**1.1 + 0.01


def emptier(empty):
    """The chance of a bin that one person in ten is never in."""
    return empty**0.9


@pytest.fixture
def replaced(monkeypatch):
    """Replace both functions, and the series of the first, wherever they are called, once everything is imported."""

    def replace(other: Callable[[FloatArray], FloatArray] = other) -> None:
        now = bins.one_place, bins.several_places, bins.few_entries

        def other_single(people, missed, power=np.exp):
            return other(SINGLE(people, missed)) - (power is np.expm1)

        def other_several(share, missed, people):
            return np.log(np.maximum(other(np.exp(SEVERAL(share, missed, people))), 1e-300))

        def other_series(moments, most):
            filled, by_size = SERIES(moments, most)
            chance = 0.9 ** np.arange(1, most + 1)[:, None]
            return other(1.0) * filled, other(chance) / chance * by_size

        for room, module in list(sys.modules.items()):
            if room.startswith("policy_sim."):
                changed_functions = other_single, other_several, other_series
                for name, old, new in zip(NAMES, now, changed_functions, strict=True):
                    if getattr(module, name, None) is old:
                        monkeypatch.setattr(module, name, new)

    return replace


COMMANDS = {
    "ZIP codes by class": "compare OH --population us-2020-zcta",
    "a state": "compare OH",
    "another census": "compare --population us-2010 --state DE --state WY --state NY",
    "the paper's form": "compare OH --hipaa paper",
    "a file": "compare --in-file 11000 --state DE",
    "a file from places": "compare --in-file 4000 --from Kent,Sussex=40% --state DE",
    "a curve": "model curve DE --g-max 32",
    "every policy": "policy explore DE",
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_every_figure_changes_with_the_two_functions(command, replaced):
    before = frame(*command.split())
    replaced()
    after = frame(*command.split())
    moved = changed(before, after)
    assert len(moved) > 5
    assert moved.all(), before.loc[moved.index[~moved].unique()[:5]].to_string()


@pytest.mark.slow
def test_so_do_a_score_and_a_brief(tmp_path, replaced):
    file = tmp_path / "people.csv"
    run("dev", "synth", "DE", "--people", 300, "--seed", 3, "--out", file)
    score = ("dataset", "score", file, "--state", "DE", "--fields", "birth_date,sex,county")

    study = Study(Study("us-2020").people.in_states(("DE", "VT")))

    def brief() -> str:
        page = document_bytes(state_brief(study, "DE").paper, "md").decode()
        return next(line for line in page.splitlines() if line.startswith("Of the people in this file"))

    before, said = frame(*score), brief()
    replaced()
    moved = changed(before, frame(*score))
    assert len(moved) >= 6
    assert moved.all(), before.to_string()
    replaced(emptier)  # a paper checks its figures
    assert brief() != said
