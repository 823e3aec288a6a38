"""Attackers and what they hold: voter lists, prices, and the linkage keys that follow."""

from policy_sim.attackers.attacker import GENERAL, Attacker, Resource, voter
from policy_sim.attackers.linkage import LINKAGE_STATUSES, Linkage
from policy_sim.attackers.price import Amount, Price
from policy_sim.attackers.voter_list import VoterList

__all__ = [
    "GENERAL",
    "LINKAGE_STATUSES",
    "Amount",
    "Attacker",
    "Linkage",
    "Price",
    "Resource",
    "VoterList",
    "voter",
]
