"""What is known of the shipped populations, as tidy rows."""

from __future__ import annotations

from typing import Any

import pandas as pd

from policy_sim.errors import UnknownNameError
from policy_sim.sources.populations import population_facts

__all__ = ["facts_of_population", "population_frame", "populations_frame"]

_COLUMNS = ("date", "people", "cells", "counted", "estimated", "modelled", "title", "publisher", "how", "sha256")


def populations_frame() -> pd.DataFrame:
    """One row a shipped population, oldest first: ``population`` and what the manifest says.

    ``counted``, ``estimated`` and ``modelled`` are shares of the people, 0 to 1, that add up to 1.
    """
    rows = [{"population": name} | {key: facts[key] for key in _COLUMNS} for name, facts in population_facts().items()]
    return pd.DataFrame(rows, columns=["population", *_COLUMNS])


def facts_of_population(name: str) -> dict[str, Any]:
    """Return everything that the manifest says of one shipped population.

    Raises
    ------
    UnknownNameError : no shipped population has this name.
    """
    known = population_facts()
    if name not in known:
        raise UnknownNameError("shipped population", name, known)
    return known[name]


def population_frame(name: str) -> pd.DataFrame:
    """Everything that the manifest says of one population, as rows ``population, item, value``.

    Errors are those of :func:`facts_of_population`.
    """
    rows = [
        (name, item, str(value))
        for item, values in facts_of_population(name).items()
        for value in (values if isinstance(values, list) else [values])
    ]
    return pd.DataFrame(rows, columns=["population", "item", "value"])
