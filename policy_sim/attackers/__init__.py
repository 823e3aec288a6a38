"""Attackers and the resources they hold: what each links on, whom it finds, and what it costs."""

from policy_sim.attackers.adversary import Constraints
from policy_sim.attackers.attacker import (
    ATTACKERS,
    GENERAL,
    VOTER,
    Attacker,
    bought_by,
    covered,
    held_back,
    holding_of,
    joined,
    voter,
    words_of,
)
from policy_sim.attackers.coverage import ADULTS, Coverage
from policy_sim.attackers.linkage import LINKAGE_STATUSES
from policy_sim.attackers.resource import EVERYONE, IdentifiedFile, StateVoterLists
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList

__all__ = [
    "ADULTS",
    "ATTACKERS",
    "EVERYONE",
    "GENERAL",
    "LINKAGE_STATUSES",
    "VOTER",
    "Attacker",
    "Constraints",
    "Coverage",
    "IdentifiedFile",
    "Price",
    "StateVoterLists",
    "VoterList",
    "bought_by",
    "covered",
    "held_back",
    "holding_of",
    "joined",
    "voter",
    "words_of",
]
