"""What an agreement with a recipient has to hold, from ``data/agreements.toml``, with sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from policy_sim.files.paths import data_dir
from policy_sim.io.toml_files import damaged_if_wrong, shipped_table

__all__ = ["Agreement", "load_agreements"]


@dataclass(frozen=True)
class Agreement:
    """One list of clauses, in our words, and its source."""

    title: str
    citation: str
    items: tuple[str, ...]


@cache
def load_agreements() -> Mapping[str, Agreement]:
    """Return the lists: ``clauses``, ``terms_of_use``, ``data_use_agreement``, ``expert_determination``.

    Raises
    ------
    SourceError : the file is missing or damaged.

    Examples
    --------
    >>> load_agreements()["data_use_agreement"].citation
    '45 CFR 164.514(e)(4)(ii)'
    """
    path = data_dir() / "agreements.toml"
    with damaged_if_wrong(path):
        return MappingProxyType(
            {
                name: Agreement(table["title"], table["citation"], tuple(table["items"]))
                for name, table in shipped_table(path).items()
            }
        )
