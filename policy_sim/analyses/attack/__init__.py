"""The formulas checked by simulation: make people one by one, release, link at random among equals, count."""

from policy_sim.analyses.attack.linking import Attack, Attacks, attack_frame, simulate, without_list
from policy_sim.analyses.attack.made_up_people import People, make_people
from policy_sim.analyses.attack.synthetic import synthesize

__all__ = ["Attack", "Attacks", "People", "attack_frame", "make_people", "simulate", "synthesize", "without_list"]
