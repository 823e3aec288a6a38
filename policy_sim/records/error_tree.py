"""A regression tree of the causes of the estimators' errors (Dankar et al. 2012, figure 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.errors import InputError
from policy_sim.records.sampling_study import Simulation

__all__ = ["TreeNode", "error_tree"]


@dataclass(frozen=True)
class TreeNode:
    """A set of runs, its mean relative error, and the question that splits it best.

    ``question`` is None at a leaf; runs that answer yes go to ``yes``.
    """

    runs: int
    mean_relative_error: float
    question: str | None = None
    yes: TreeNode | None = None
    no: TreeNode | None = None

    def lines(self, indent: str = "", answer: str = "") -> list[str]:
        """Return the tree as indented lines of text."""
        head = f"{indent}{answer}mean relative error {self.mean_relative_error:+.3f} ({self.runs:,} runs)"
        if self.question is None or self.yes is None or self.no is None:
            return [head]
        deeper = indent + "    "
        yes, no = self.yes.lines(deeper, "yes: "), self.no.lines(deeper, "no: ")
        return [f"{head}; {self.question}?", *yes, *no]


def _grow(tree: Any, node: int, questions: list[tuple[str, str | None]]) -> TreeNode:
    runs, mean = int(tree.n_node_samples[node]), float(tree.value[node].item())
    if tree.children_left[node] < 0:
        return TreeNode(runs, mean)
    name, model = questions[tree.feature[node]]
    low = _grow(tree, tree.children_left[node], questions)
    high = _grow(tree, tree.children_right[node], questions)
    if model is not None:  # 0 or 1: the upper side is this model
        return TreeNode(runs, mean, f"model is {model}", yes=high, no=low)
    return TreeNode(runs, mean, f"{name} <= {float(tree.threshold[node]):.3g}", yes=low, no=high)


def error_tree(simulation: Simulation, measure: str = "uniqueness", depth: int = 3) -> TreeNode:
    """Grow the tree that predicts the relative error of a run from its fraction and model.

    Parameters
    ----------
    simulation : Errors by run.
    measure : ``"uniqueness"`` or ``"marketer_risk"``.
    depth : Questions on the longest path, >= 1.

    Raises
    ------
    InputError : no run has an error of this measure, or scikit-learn is not installed.
    """
    try:
        from sklearn.tree import DecisionTreeRegressor
    except ImportError:
        raise InputError("the error tree needs scikit-learn: pip install -e '.[learn]'.") from None
    errors = simulation.errors
    with_error = errors[(errors["measure"] == measure) & errors["relative_error"].notna()]
    if with_error.empty:
        raise InputError(f"the simulation has no relative error of {measure!r}.")
    models = pd.get_dummies(with_error["model"])
    columns = np.column_stack([with_error["fraction"].to_numpy(), models.to_numpy(dtype=float)])
    questions: list[tuple[str, str | None]] = [
        ("sampling fraction", None),
        *(("", str(model)) for model in models.columns),
    ]
    tree = DecisionTreeRegressor(max_depth=depth, random_state=0)
    tree.fit(columns, with_error["relative_error"].to_numpy())
    return _grow(tree.tree_, 0, questions)
