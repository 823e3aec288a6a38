"""Presets: the population, lists and measures of a published study, by name."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from policy_sim.errors import UnknownNameError
from policy_sim.io.paths import data_dir

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
    return tuple(sorted(path.stem for path in (data_dir() / "presets").glob("*.toml")))


def load_preset(name: str) -> Preset:
    """Return the preset of a study.

    Raises
    ------
    UnknownNameError : no preset has that name.
    """
    if name not in list_presets():
        raise UnknownNameError("preset", name, list_presets())
    table = tomllib.loads((data_dir() / "presets" / f"{name}.toml").read_text(encoding="utf-8"))
    return Preset(**table | {"policies": tuple(table["policies"]), "g": tuple(table["g"])})
