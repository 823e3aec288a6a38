"""How long drawn people live, from the shipped life table but with the tests' own code."""

from __future__ import annotations

import numpy as np

from policy_sim.files.toml import shipped_table


def deaths() -> np.ndarray:
    """Chances to die of both sexes, from the table by hand: each sex by its survivors; shape (101,)."""
    table = shipped_table("life_table.toml")
    lives = {"M": 1.05, "F": 1.0}
    chance = []
    for age in range(101):
        both = sum(lives.values())
        dead = {sex: lives[sex] * table[sex][age] for sex in lives}
        chance.append(sum(dead.values()) / both)
        lives = {sex: lives[sex] - dead[sex] for sex in lives}
    return np.array(chance)


def years_to_death(rng: np.random.Generator, exact: np.ndarray) -> np.ndarray:
    """Draw the years that people of exact ages have to live; the last chances grow as the table's last two do."""
    chance = deaths()
    more = np.minimum(chance[-1] * (chance[-1] / chance[-2]) ** np.arange(1, 60), 0.99)
    force = np.append(0.0, np.cumsum(-np.log1p(-np.append(chance, more))))
    reached = np.interp(exact, np.arange(len(force)), force) + rng.exponential(size=len(exact))
    return np.interp(reached, force, np.arange(len(force))) - exact
