"""What is known of the shipped populations, as tidy rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from policy_sim.errors import UnknownNameError
from policy_sim.io.population_store.shipped import population_facts, provenance_of
from policy_sim.io.populations.zip_population import SUFFIX, ZIP_POPULATIONS, zip_provenance

__all__ = ["facts_of_population", "population_frame", "populations_frame"]

_COLUMNS = ("date", "people", "cells", "counted", "estimated", "modeled", "title", "publisher", "how", "sha256")


def populations_frame() -> pd.DataFrame:
    """One row per shipped population, oldest first: ``population`` and what the manifest says.

    ``counted``, ``estimated`` and ``modeled`` are shares of the people, 0 to 1, that add up to 1.
    ``cells`` is missing where the population is made when it is asked for.
    """
    rows = [{"population": name} | {key: facts[key] for key in _COLUMNS} for name, facts in _facts().items()]
    return pd.DataFrame(rows, columns=["population", *_COLUMNS]).astype({"cells": "Int64"})


def _facts() -> dict[str, dict[str, Any]]:
    """Facts of every population that needs no network: those of the manifest, then those made from them."""
    facts = population_facts()
    for name in ZIP_POPULATIONS:
        base = name.removesuffix(SUFFIX)
        by_zip = asdict(zip_provenance(name, provenance_of(base, facts[base])))
        of_base = {key: facts[base][key] for key in ("people", "made_with")}
        del by_zip["name"], by_zip["counted_by_state"], by_zip["counted_ages"]
        facts[name] = {**by_zip, **of_base, "cells": None, "file": f"computed from {facts[base]['file']} when needed"}
    return dict(sorted(facts.items(), key=lambda item: item[1]["date"]))


def facts_of_population(name: str) -> dict[str, Any]:
    """Return everything that the manifest says of one shipped population.

    Raises
    ------
    UnknownNameError : no shipped population has this name.
    """
    facts = _facts()
    if name not in facts:
        raise UnknownNameError("shipped population", name, facts)
    return facts[name]


def population_frame(name: str) -> pd.DataFrame:
    """Everything that the manifest says of one population, as rows ``population, item, value``.

    Errors are those of :func:`facts_of_population`.
    """
    rows = [
        (name, item, str(value))
        for item, values in facts_of_population(name).items()
        for value in _each(values)
        if value is not None
    ]
    return pd.DataFrame(rows, columns=["population", "item", "value"])


def _each(values: Any) -> Iterable[Any]:
    """Yield the values of one item of the manifest: of a list each, of a table by state ``TX 1.0``."""
    if isinstance(values, Mapping):
        return [f"{key} {value}" for key, value in values.items()]
    return values if isinstance(values, list | tuple) else [values]
