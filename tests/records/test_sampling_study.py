from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from policy_sim.estimators import ClassTable, estimator_names
from policy_sim.records import sampling_study as module
from policy_sim.records.sampling_study import Simulation, error_tree, simulate
from policy_sim.words.errors import InputError, SourceError, UnknownNameError


@pytest.fixture(scope="module")
def sizes():
    rng = np.random.default_rng(0)
    return rng.geometric(0.25, 800) * (1 + 9 * (rng.random(800) < 0.1))


@pytest.fixture(scope="module")
def done(sizes):
    return simulate(sizes, (0.05, 0.5), runs=30, seed=4)


def test_one_row_per_fraction_run_measure_and_model_that_speaks(done):
    counts = done.errors.groupby(["measure", "model"]).size()
    assert set(counts["uniqueness"].index) == set(estimator_names(classes=False)) - {"argus"}
    assert "zayatz" not in counts["marketer_risk"].index
    assert (counts == 60).all()


def test_a_model_is_silent_on_what_it_does_not_estimate_even_when_it_fails():
    errors = simulate(np.ones(50, dtype=int), (0.05,), 2, models=["decision_rule", "zayatz"]).errors
    assert set(errors["measure"]) == {"uniqueness"}


def test_truths_are_the_files_own(done, sizes):
    errors = done.errors
    assert errors["relative_error"][0] == pytest.approx(errors["estimate"][0] / errors["truth"][0] - 1)
    assert set(errors.loc[errors["measure"] == "uniqueness", "truth"]) == {(sizes == 1).sum() / sizes.sum()}
    # the marketer risk of a simple random sample is K/N in expectation
    truth = errors.loc[(errors["measure"] == "marketer_risk") & (errors["model"] == "argus"), "truth"]
    assert truth.mean() == pytest.approx(sizes.size / sizes.sum(), abs=5 * truth.std() / np.sqrt(60))


def test_summary_is_the_median_and_quartiles_of_the_runs(done):
    table = done.summary().set_index(["measure", "fraction", "model"])
    errors = done.errors
    mine = errors[(errors["measure"] == "uniqueness") & (errors["fraction"] == 0.5) & (errors["model"] == "zayatz")][
        "relative_error"
    ]
    row = table.loc[("uniqueness", 0.5, "zayatz")]
    assert row["median"] == pytest.approx(mine.median())
    assert row["iqr"] == pytest.approx(mine.quantile(0.75) - mine.quantile(0.25))
    assert (row["runs"], row["failed"]) == (30, 0)


def test_most_accurate_has_the_smallest_median(done):
    best, table = done.most_accurate(), done.summary()
    assert len(best) == 4
    for row in best.itertuples():
        rivals = table[(table["measure"] == row.measure) & (table["fraction"] == row.fraction)]
        assert abs(row.median) == pytest.approx(rivals["median"].abs().min())


def test_a_model_that_often_fails_is_passed_over():
    rows = [("uniqueness", 0.5, "lucky", error) for error in [0.0, *[np.nan] * 9]] + [
        ("uniqueness", 0.5, "steady", 0.2)
    ] * 10
    errors = pd.DataFrame(rows, columns=["measure", "fraction", "model", "relative_error"])
    simulation = Simulation(errors, 100, 10, 0)
    assert simulation.most_accurate()["model"].tolist() == ["steady"]
    assert simulation.summary().set_index("model")["failed"].to_dict() == {"lucky": 9, "steady": 0}


def test_same_seed_same_runs_whatever_else_is_asked(sizes, done):
    again = simulate(sizes, (0.5,), runs=5, seed=4, models=["argus"]).errors
    errors = done.errors
    same = errors[(errors["fraction"] == 0.5) & (errors["model"] == "argus") & (errors["run"] < 5)]
    pd.testing.assert_frame_equal(again, same.reset_index(drop=True))
    other = simulate(sizes, (0.5,), runs=5, seed=5, models=["argus"]).errors
    assert not other["estimate"].equals(again["estimate"])


def test_draws_do_not_depend_on_the_order_of_the_classes(sizes):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 12, (3000, 3)) // 2
    table = ClassTable.from_records(codes, ("a", "b", "c"))
    mixed = rng.permutation(table.size.size)
    shuffled = ClassTable(table.codes[mixed], table.size[mixed], table.fields)
    models = ["pitman", "poisson_log_linear"]
    one, other = (simulate(t, (0.2,), 2, seed=3, models=models).errors for t in (table, shuffled))
    pd.testing.assert_frame_equal(one, other)
    backwards = (simulate(s, (0.2,), 3, seed=3).errors for s in (sizes, sizes[::-1]))
    pd.testing.assert_frame_equal(*backwards)
    # class sizes alone are drawn as they are with their values
    alone = simulate(table.size, (0.2,), 2, seed=3, models=["pitman"]).errors
    pd.testing.assert_frame_equal(alone, one[one["model"] == "pitman"].reset_index(drop=True))


@pytest.mark.slow
def test_workers_do_not_change_the_result(sizes):
    one, two = (simulate(sizes, (0.3,), runs=60, seed=1, models=["zayatz", "argus"], workers=w) for w in (1, 2))
    pd.testing.assert_frame_equal(one.errors, two.errors)


def test_progress_counts_up_to_all_runs(sizes):
    seen = []
    simulate(sizes, (0.3, 0.5), 30, models=["argus"], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(25, 60), (30, 60), (55, 60), (60, 60)]


def test_failures_keep_their_reason_and_have_no_error():
    table = simulate(np.ones(50, dtype=int), (0.2,), 3, models=["pitman"]).errors
    assert table["status"].str.contains("no maximum").all()
    assert table["relative_error"].isna().all()


def test_nothing_to_be_relative_to_is_said():
    table = simulate(np.full(40, 5), (0.5,), 3, models=["zayatz"]).errors
    rows = table[table["measure"] == "uniqueness"]
    assert (rows["status"] == "the truth is 0: no relative error").all()
    assert rows["relative_error"].isna().all()


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"models": ["pitmann"]}, UnknownNameError, "'pitman'"),
        ({"models": ["poisson_log_linear"]}, InputError, "values of each class"),
        *(
            ({"population": wrong}, InputError, r"class sizes|2 records")
            for wrong in ([], [1], [0, 5], [1.5], [[1, 2]])
        ),
    ],
)
def test_refuses(sizes, asked, error, words):
    with pytest.raises(error, match=words):
        simulate(**{"population": sizes, **asked})


def _die(fraction, runs):
    import os

    os._exit(9)


@pytest.mark.slow
def test_a_killed_worker_is_one_clear_line(sizes, monkeypatch):
    monkeypatch.setattr(module, "_task", _die)
    with pytest.raises(SourceError, match="fewer workers"):
        simulate(sizes, (0.3,), runs=2, models=["argus"], workers=2)


_SLOW_PARENT = """
import numpy as np
from policy_sim.records.sampling_study import simulate

if __name__ == "__main__":
    simulate(
        np.arange(1, 60), (0.3,), runs=50_000, models=["pitman"], workers=2,
        progress=lambda done, whole: print("running", flush=True),
    )
"""


@pytest.mark.slow
def test_workers_end_with_their_parent(tmp_path):
    """Kill the parent as the system would; its workers hold its standard output open until they end."""
    script = tmp_path / "slow.py"
    script.write_text(_SLOW_PARENT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, env=environment, text=True, start_new_session=True
    ) as parent:
        assert parent.stdout.readline() == "running\n"  # a worker has finished a task
        parent.kill()
        try:
            parent.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(parent.pid, signal.SIGKILL)
            pytest.fail("a minute after the parent was killed a worker was still running")
    assert parent.returncode == -signal.SIGKILL


def test_a_slow_model_sees_the_first_runs_only_and_the_same_samples():
    rng = np.random.default_rng(4)
    table = ClassTable.from_records(rng.integers(0, [5, 6, 4], (400, 3)), ("a", "b", "c"))
    models = ("pitman", "poisson_log_linear")
    some = simulate(table, (0.3,), 6, seed=2, models=models, slow_runs=2).errors
    every = simulate(table, (0.3,), 6, seed=2, models=models).errors
    assert some["model"].value_counts().to_dict() == {"pitman": 12, "poisson_log_linear": 4}
    kept = every[(every["model"] == "pitman") | (every["run"] < 2)].reset_index(drop=True)
    assert kept.equals(some)


def test_error_tree_finds_what_was_put_in():
    rows = [
        (fraction, model, 2.0 if model == "bad" and fraction < 0.1 else 0.01)
        for fraction in (0.05, 0.5)
        for model in ("bad", "good")
        for _ in range(20)
    ]
    errors = pd.DataFrame(rows, columns=["fraction", "model", "relative_error"]).assign(measure="uniqueness")
    tree = error_tree(Simulation(errors, 100, 20, 0), depth=2)
    assert tree.runs == 80
    assert tree.mean_relative_error == pytest.approx((2 + 3 * 0.01) / 4)
    leaf = tree
    while leaf.question is not None:
        leaf = leaf.yes if leaf.yes.mean_relative_error > leaf.no.mean_relative_error else leaf.no
    assert (leaf.runs, leaf.mean_relative_error) == (20, pytest.approx(2.0))
    assert "2.000 (20 runs)" in "\n".join(tree.lines())


def test_error_tree_of_nothing_says_so():
    done = simulate([1, 2, 3, 4], (0.5,), 2, models=["argus"])
    with pytest.raises(InputError, match="no relative error"):
        error_tree(done, measure="prosecutor")
