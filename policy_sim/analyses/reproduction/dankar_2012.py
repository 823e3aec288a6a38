"""What the model answers to the figures of Dankar et al. 2012."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

import numpy as np
import pandas as pd

from policy_sim.analyses.reproduction.printed_figure import Answer, Ask
from policy_sim.groups.size_histogram import SizeHistogram
from policy_sim.records.sampling_study import simulate
from policy_sim.voter_lists.price import Amount

__all__ = ["Dankar2012", "median_errors"]

_RULE, _PITMAN = "decision_rule", "pitman"
_MODELS = (_RULE, _PITMAN, "slide_negative_binomial", "zayatz")
_LOW = 0.1  # the paper's border of a low sampling fraction
_RUNS, _SEED = 50, 1


def median_errors(files: Mapping[str, SizeHistogram]) -> dict[str, pd.DataFrame]:
    """Run the paper's simulation on each file: its estimators and its decision rule at its seven fractions.

    Returns
    -------
    By file, the median relative error of uniqueness: one row per sampling fraction, one column per model.
    """
    tables = {}
    for name, sizes in files.items():
        study = simulate(np.repeat(sizes.size, sizes.classes), runs=_RUNS, seed=_SEED, models=_MODELS)
        errors = study.errors[study.errors["measure"] == "uniqueness"]
        tables[name] = errors.pivot_table(index="fraction", columns="model", values="relative_error", aggfunc="median")
    return tables


@dataclass(frozen=True)
class Dankar2012:
    """Uniqueness: worked examples, the decision rule, and the prices quoted from Benitez & Malin 2010.

    Parameters
    ----------
    prices : Price of each state's list of 2008.
    pitman_up_to : Largest sampling fraction at which the decision rule takes Pitman's estimator.
    errors : Median errors of the estimators on public files, see :func:`median_errors`.
    """

    prices: Mapping[str, Amount]
    pitman_up_to: float
    errors: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def answer(self, ask: Ask) -> Answer:
        """Answer one question."""
        methods: dict[str, Callable[[Ask], Answer]] = {
            "example": _uniqueness,
            "relative-bias": lambda a: Answer(a["bias"] / a["at"]),
            "product": lambda a: Answer(float(prod(a["of"]))),
            "rule": lambda _: Answer(self.pitman_up_to),
            "price": self._price,
            "simulated": self._simulated,
            "tree": self._tree,
            "file": lambda a: Answer(None, f"Needs the file: {a['file']}."),
            "adult": lambda _: Answer(None, "The paper's key fields are in a table that is not available here."),
        }
        return methods[ask["kind"]](ask)

    def _price(self, ask: Ask) -> Answer:
        amount = self.prices[ask["state"]]
        return Answer(amount.usd, amount.reason)

    def _simulated(self, ask: Ask) -> Answer:
        """At how many fractions one model is the closest, on a public file."""
        if ask["file"] not in self.errors:
            return Answer(None, f"Needs the class sizes of {ask['file']}.")
        size = self.errors[ask["file"]].abs()
        rows = size[size.index <= _LOW] if ask["at"] == "low" else size
        others = rows.drop(columns=[ask["model"], *([] if ask["model"] == _RULE else [_RULE])])
        # the rule takes one of the others at each sample, so that it can be as close as the closest
        closest = rows[ask["model"]].to_numpy() <= others.to_numpy().min(axis=1)
        return Answer(float(np.count_nonzero(closest)))

    def _tree(self, ask: Ask) -> Answer:
        """Mean error of a node of the paper's tree: of a confidential file, so only a public one can be told."""
        branches = []
        for name, table in self.errors.items():
            rows = table[table.index > _LOW] if ask["at"] == "high" else table[table.index <= _LOW][[_PITMAN]]
            branches.append(f"{name} {float(rows.to_numpy().mean()):+.3f}")
        beside = f" Mean of the median errors on public files: {', '.join(branches)}." if branches else ""
        return Answer(None, f"Needs the confidential file of the emergency department.{beside}")


def _uniqueness(ask: Ask) -> Answer:
    """Shares of unique records (their equations 1 to 3)."""
    of = ask.get("of", 0)
    ratios = {
        "sample-uniqueness": (ask["sample_uniques"], ask["sample"]),
        "share": (of, ask["sample"]),
        "lambda1": (ask["both"], ask["sample_uniques"]),
        "lambda2": (ask["both"], ask["sample"]),
        "lambda3": (ask["population_uniques"], ask["population"]),
    }
    above, below = ratios[ask["take"]]
    return Answer(above / below)
