"""Attackers and what they hold: voter lists, prices, and the linkage keys that follow."""

from policy_sim.attackers.adversary import Constraints
from policy_sim.attackers.attacker import (
    GENERAL,
    LINKAGE_STATUSES,
    Attacker,
    Linkage,
    Resource,
    covered,
    held_back,
    voter,
)
from policy_sim.attackers.coverage import ADULTS, Coverage
from policy_sim.voter_lists.price import Amount, Price
from policy_sim.voter_lists.voter_list import VoterList

__all__ = [
    "ADULTS",
    "GENERAL",
    "LINKAGE_STATUSES",
    "Amount",
    "Attacker",
    "Constraints",
    "Coverage",
    "Linkage",
    "Price",
    "Resource",
    "VoterList",
    "covered",
    "held_back",
    "voter",
]
