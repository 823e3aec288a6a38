"""How many people could be named from a release of health records, and at what price."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from policy_sim.api import Study
    from policy_sim.errors import PolicySimError

__all__ = ["PolicySimError", "Study"]

_HOMES = {"Study": "policy_sim.api", "PolicySimError": "policy_sim.errors"}


def __getattr__(name: str) -> Any:  # imported when first used: a command that prints help needs none of it
    if name == "__version__":
        return version("policy-sim")
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
