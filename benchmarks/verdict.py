"""How far the estimate that is read first is from the truth, beside the published rule, on public files.

    python -m benchmarks.verdict --files ../shared/microdata --runs 20

Each file is taken as a population, sampled, and estimated (policy_sim.records.sampling_study). The figure is the
median size of the relative error of uniqueness over all files, fractions and samples.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from benchmarks.accuracy import FILES, classes_of
from policy_sim.records.sampling_study import simulate

FRACTIONS = (0.01, 0.05, 0.1, 0.3, 0.5)
MODELS = ("poisson_log_linear", "pitman", "decision_rule")


def first_read(errors: pd.DataFrame) -> pd.Series:
    """Return the error of the log-linear model where it fits, else of Pitman's, else of the rule's."""
    table = errors.pivot_table(index=["fraction", "run"], columns="model", values="relative_error", aggfunc="first")
    status = errors.pivot_table(index=["fraction", "run"], columns="model", values="status", aggfunc="first")
    fits = (status["poisson_log_linear"] == "ok").reindex(table.index, fill_value=False)
    log_linear = table.get("poisson_log_linear", pd.Series(index=table.index, dtype=float)).where(fits)
    return log_linear.fillna(table["pitman"]).fillna(table["decision_rule"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    rows = []
    for name in FILES:
        table = classes_of(given.files, name)
        study = simulate(table, FRACTIONS, given.runs, seed=given.seed, models=MODELS, workers=given.workers)
        errors = study.errors[study.errors["measure"] == "uniqueness"]
        rule = errors[errors["model"] == "decision_rule"].set_index(["fraction", "run"])["relative_error"]
        both = pd.DataFrame({"first": first_read(errors), "rule": rule}).abs()
        rows.append(both.assign(file=name))
        print(f"{name}: {both.median().map('{:.3f}'.format).to_dict()}", flush=True)
    every = pd.concat(rows).reset_index()
    print(every.groupby("fraction")[["first", "rule"]].median().round(3).to_string())
    print("all: first", f"{every['first'].median():.3f}", "published rule", f"{every['rule'].median():.3f}")


if __name__ == "__main__":
    main()
