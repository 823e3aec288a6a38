"""Where folders are. Only this module knows whether we run from a checkout or an installed wheel."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cache_dir", "data_dir", "user_data_dir", "voter_policies_dir"]

_PACKAGE = Path(__file__).resolve().parents[1]


def _shipped(name: str) -> Path:
    """Return a folder that ships with the project: inside a wheel, or beside the package in a checkout."""
    in_wheel = _PACKAGE / "_shipped" / name
    return in_wheel if in_wheel.is_dir() else _PACKAGE.parent / name


def data_dir() -> Path:
    """Shipped facts about people and places: populations, boundaries, rule lists."""
    return _shipped("data")


def voter_policies_dir() -> Path:
    """One TOML a state: what its voter list holds, costs and allows."""
    return _shipped("voter_policies")


def user_data_dir() -> Path:
    """Where the user's own things are kept; ``POLICY_SIM_HOME`` moves it."""
    import platformdirs

    home = os.environ.get("POLICY_SIM_HOME")
    return Path(home) if home else Path(platformdirs.user_data_dir("policy_sim", appauthor=False))


def cache_dir() -> Path:
    """Where fetched populations are kept."""
    return user_data_dir() / "populations"
