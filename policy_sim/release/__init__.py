"""A release project run on its file of records: answer, run, report, check again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from policy_sim.release.door import Release

__all__ = ["Release"]


def __getattr__(name: str) -> Any:  # imported when first used: a verdict on a profile needs none of it
    if name == "Release":
        from policy_sim.release.door import Release

        return Release
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
