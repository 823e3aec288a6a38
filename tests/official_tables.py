"""The small official tables that ship with the tests (``tests/official/README.md``)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parent / "official"
_CODES = ("county_fips", "state_fips", "zip3", "table", "sex")


def official(name: str) -> pd.DataFrame:
    """Return one table by name, codes as text."""
    return pd.read_csv(FOLDER / f"{name}.csv.gz", dtype=dict.fromkeys(_CODES, str))
