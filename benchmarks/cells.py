"""Invented cells of the size and unevenness of the nation's, from a seed; no file is read."""

from __future__ import annotations

import numpy as np
import pandas as pd

from policy_sim.people.population import RACES, SEXES, Population, Provenance
from policy_sim.words.states import STATES

COUNTIES = 3141
PEOPLE = 281_000_000
# Single years to 99, then 100-104, 105-109, 110 and over.
AGES = np.array([*range(101), 105, 110])
WIDTHS = np.array([1] * 100 + [5, 5, 1])


def nation(counties: int = COUNTIES, seed: int = 2000) -> Population:
    """Return ``counties`` counties × 2 sexes × 103 ages × 7 races, without the empty cells."""
    rng = np.random.default_rng(seed)
    # a few counties of millions, most of ten thousands
    size = rng.lognormal(0, 1.5, counties)
    size *= PEOPLE * counties / COUNTIES / size.sum()
    races = rng.dirichlet([30, 5, 0.5, 0.6, 0.1, 1, 0.8], counties)
    ages = 1 / (1 + np.exp((AGES - 75) / 6))
    cells = size[:, None, None, None] * 0.5 * (ages / ages.sum())[:, None] * races[:, None, None, :]
    people = rng.poisson(np.broadcast_to(cells, (counties, 2, len(AGES), len(RACES)))).ravel()
    county, sex, age, race = np.indices((counties, 2, len(AGES), len(RACES))).reshape(4, -1)[:, people > 0]
    codes = sorted(STATES)[:51]
    state = np.arange(counties) % len(codes)
    frame = pd.DataFrame(
        {
            "state": pd.Categorical.from_codes(state[county], codes),
            "county": pd.Categorical.from_codes(county, [f"{code:05d}" for code in range(counties)]),
            "sex": pd.Categorical.from_codes(sex, list(SEXES)),
            "race": pd.Categorical.from_codes(race, list(RACES)),
            "age": AGES[age],
            "age_width": WIDTHS[age],
            "people": people[people > 0],
        }
    )
    invented = Provenance("invented", "invented cells", "policy_sim", "", "drawn from a seed", 0.0, 0.0, 1.0)
    return Population(frame, invented)
