"""Proof by attack: people made one by one, a release, a list, links drawn at random, and a count."""

from policy_sim.simulation.attack import Attack, attack_frame, simulate
from policy_sim.simulation.people import People, make_people
from policy_sim.simulation.synthetic import synthetic_table

__all__ = ["Attack", "People", "attack_frame", "make_people", "simulate", "synthetic_table"]
