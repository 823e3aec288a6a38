"""How many times the loss of a key field counts: set once in a project, by field or by analysis."""

from __future__ import annotations

import random
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from small_people import run

from policy_sim.release import Release
from policy_sim.release.files import load_project
from policy_sim.words.errors import InputError, PolicySimError, UnknownNameError

FIELDS = ("place", "trade", "group")
TARGET = 'measure = "maximum"\nthreshold = "k={}"\n'


def _people(folder, seed, rows=60):
    rng = random.Random(seed)
    frame = pd.DataFrame(
        {
            "place": [rng.choice("ABCDEFG"[: rng.randrange(1, 8)]) for _ in range(rows)],
            "trade": [rng.choice(("cook", "driver", "clerk", "nurse", "guard")) for _ in range(rows)],
            "group": [rng.choice("xyz") for _ in range(rows)],
        }
    )
    frame.to_csv(folder / "f.csv", index=False)
    return frame


def _best(frame, weights, k, limit):
    """By force: every field at its values or at nothing; the levels and the least weighted geometric loss."""
    found = {}
    for node in product((0, 1), repeat=3):
        kept = [name for name, gone in zip(FIELDS, node, strict=True) if not gone]
        sizes = frame.groupby(kept)[FIELDS[0]].transform("size") if kept else pd.Series(len(frame), frame.index)
        lost = float((sizes < k).mean())
        if lost <= limit:
            losses = [1.0 if gone else lost for gone in node]
            found[node] = float(np.exp(np.average(np.log1p(losses), weights=weights)) - 1)
    return min(found.values()), found


@pytest.mark.parametrize("seed", range(8))
def test_the_search_finds_the_least_weighted_loss_of_every_choice(tmp_path, project_of_keys, seed):
    rng = random.Random(100 + seed)
    frame = _people(tmp_path, seed)
    weights = [rng.choice((0.25, 1, 2, 3, 7)) for _ in FIELDS]
    keep = ", ".join(f"{name} = {times}" for name, times in zip(FIELDS, weights, strict=True))
    more = f'[settings]\nlimit = 0.2\nrecoding = "one-level"\nkeep = {{{keep}}}\n'
    kinds = dict.fromkeys(FIELDS, "category")
    figures = project_of_keys(tmp_path / "p.toml", kinds, TARGET.format(4), more).run(tmp_path / "out")
    least, found = _best(frame, weights, 4, 0.2)
    node = tuple(int(figures["search"]["levels"][name] == "nothing") for name in FIELDS)
    assert found[node] == pytest.approx(least, abs=1e-12)
    shares = [1.0 if gone else figures["search"]["suppressed"] / len(frame) for gone in node]
    assert figures["search"]["weighted_loss"] == pytest.approx(np.average(shares, weights=weights), abs=1e-12)
    assert figures["search"]["loss"] == pytest.approx(np.mean(shares), abs=1e-12)


NINE = "age,Place\n" + "".join(f"{age},{place}\n" for age in ("30", "31", "32") for place in "ABC")


@pytest.mark.parametrize(
    ("more", "lost"),
    [
        ("[settings]\nlimit = 0.0\nkeep = {age = 1.5}\n", "Place"),
        ("[settings]\nlimit = 0.0\nkeep = {age = 0.5}\n", "age"),
        (
            '[settings]\nlimit = 0.0\n[[analyses]]\nname = "ages"\nstatistic = "count"\nby = ["age"]\nkeep = 2\n',
            "Place",
        ),
        (
            '[settings]\nlimit = 0.0\nkeep = {Place = 3}\n[[analyses]]\nname = "ages"\nstatistic = "count"\n'
            'by = ["age"]\nkeep = 2\n',
            "age",
        ),
    ],
)
@pytest.mark.parametrize("recoding", ["local", "one-level"])
def test_a_weight_decides_which_of_two_alike_fields_is_lost(tmp_path, project_of_keys, more, lost, recoding):
    """By hand: three ages in three places, each pair once; for three in a class, all ages or all places must go."""
    (tmp_path / "f.csv").write_text(NINE)
    more = more.replace("[settings]\n", f'[settings]\nrecoding = "{recoding}"\n')
    made = project_of_keys(tmp_path / "p.toml", {"age": "category", "Place": "category"}, TARGET.format(3), more)
    made.run(tmp_path / "out")
    sent = pd.read_csv(tmp_path / "out" / "send" / "release.csv", dtype=str)
    assert [name for name in ("age", "Place") if sent[name].eq(sent[name][0]).all()] == [lost]


@pytest.mark.parametrize("keep", ["{age = 0}", "{age = -1}", "{age = true}", '{age = "3"}', "3", "[3]", "{age = inf}"])
def test_a_weight_is_a_number_above_0(tmp_path, project_of_keys, keep):
    (tmp_path / "f.csv").write_text(NINE)
    with pytest.raises(PolicySimError, match=r"settings.keep .* weights above 0"):
        project_of_keys(tmp_path / "p.toml", {"age": "category"}, TARGET.format(3), f"[settings]\nkeep = {keep}\n")


def test_weights_are_set_once_and_the_frontier_shows_them(tmp_path, project_of_keys):
    (tmp_path / "f.csv").write_text(NINE * 2)
    made = project_of_keys(tmp_path / "p.toml", {"age": "category", "Place": "category"}, TARGET.format(3))
    assert "weighted_loss" not in made.frontier(["k=3"]).columns
    run("release", "step", made.path, "variables", "--keep", "AGE=3", "--keep", "Place=0.5")
    assert load_project(made.path).settings.keep == {"age": 3.0, "Place": 0.5}
    shown = run("release", "frontier", made.path, "--threshold", "k=3")
    assert re.search("weighted loss: .* age 3 times, Place 0.5 times", shown.stdout)
    made = Release(made.path)
    for _, point in made.frontier(["k=3", "k=5"]).iterrows():
        shares = [float(part.endswith("nothing")) for part in point.levels.split(", ")] if point.levels else None
        if shares and not point.suppressed:
            assert point.weighted_loss == pytest.approx(np.average(shares, weights=[3, 0.5]))
    run("release", "step", made.path, "variables", "--keep", "age,Place=1")
    assert load_project(made.path).settings.keep == {}
    refused = run("release", "step", made.path, "variables", "--keep", "age=much", code=2)
    assert "write it as FIELDS=TIMES, such as age=3" in refused.stderr
    with pytest.raises(UnknownNameError):
        made.weigh(height=2)
    with pytest.raises(InputError, match="give a number above 0"):
        made.weigh(age=0)
