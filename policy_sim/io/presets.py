"""Presets: the population, lists and measures of a published study, by name."""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.errors import UnknownNameError
from policy_sim.io.toml_files import shipped_files, shipped_table

__all__ = ["Preset", "list_presets", "load_preset"]


@dataclass(frozen=True)
class Preset:
    """Population, voter lists, form of the rules, coverage, policies and measures of a published study."""

    title: str
    population: str
    lists: str
    rules: str
    coverage: str
    policies: tuple[str, ...]
    g: tuple[int, ...]
    days_per_year: float


def list_presets() -> tuple[str, ...]:
    """Names of the studies."""
    return tuple(shipped_files("presets"))


def load_preset(name: str) -> Preset:
    """Return the preset of a study.

    Raises
    ------
    UnknownNameError : no preset has that name.
    """
    if name not in list_presets():
        raise UnknownNameError("preset", name, list_presets())
    table = shipped_table(shipped_files("presets")[name])
    return Preset(**table | {"policies": tuple(table["policies"]), "g": tuple(table["g"])})
