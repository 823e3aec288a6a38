"""Who may have a file, and for what: classes of buyers and uses."""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.voter_lists.evidence import NO_EVIDENCE, Evidence

__all__ = ["BUYERS", "NO_RULE", "USES", "Allowed"]

# Who may have a list. "public" is anyone, and so every other class too.
BUYERS = ("public", "resident", "voter", "candidate", "party", "scholar", "journalist", "commercial")

# For what a list may be used. "any" includes commerce.
USES = ("any", "non_commercial", "political", "scholarly", "journalistic")


@dataclass(frozen=True)
class Allowed:
    """Which buyers, or which uses, the state allows.

    ``names`` is None where no source says, and empty where nobody is allowed.
    """

    names: tuple[str, ...] | None = None
    evidence: Evidence = NO_EVIDENCE


NO_RULE = Allowed()  # no source says
