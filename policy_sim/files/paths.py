"""Where folders are, and the default population. Only here is it known whether a checkout or a wheel runs."""

from __future__ import annotations

import os
from pathlib import Path

# Where none is named: of the two newest that ship, the one whose recipe misplaces fewer people of states that were held
# out of it (docs/populations.md), with people in ZIP code areas by age and race as counted. Newer alone is no reason.
DEFAULT_POPULATION = "us-2020-zcta"
UNNAMED_IN_PROJECTS = "us-2020"  # the figures of a project that names none stay as they are
_PACKAGE = Path(__file__).resolve().parents[1]


def _shipped(name: str) -> Path:
    """Return a folder that ships with the project: inside a wheel, or next to the package in a checkout."""
    in_wheel = _PACKAGE / "_shipped" / name
    return in_wheel if in_wheel.is_dir() else _PACKAGE.parent / name


def data_dir() -> Path:
    """Shipped facts about people and places: populations, boundaries, rule lists."""
    return _shipped("data")


def voter_policies_dir() -> Path:
    """One TOML file per state: what its voter list contains, costs and allows."""
    return _shipped("voter_policies")


def user_data_dir() -> Path:
    """Folder of the user's own data; the environment variable ``POLICY_SIM_HOME`` moves it."""
    import platformdirs

    home = os.environ.get("POLICY_SIM_HOME")
    return Path(home) if home else Path(platformdirs.user_data_dir("policy_sim", appauthor=False))


def cache_dir() -> Path:
    """Folder of the saved populations."""
    return user_data_dir() / "populations"


def kind_of(path: Path) -> str:
    """Return ``file``, ``folder``, ``other`` (a device or pipe), or an empty text if nothing is there.

    A name that no file can have, such as one of 300 letters, is not an error: nothing is there.
    """
    try:
        return "file" if path.is_file() else "folder" if path.is_dir() else "other" if path.exists() else ""
    except (OSError, ValueError):
        return ""
