"""Whole comparisons of small random worlds (hundreds in the whole) against people told apart one by one.

The oracle shares nothing with the program but its nouns: it sees each person through the policy and the
list, puts together those who look alike, throws their birthdays one person at a time over every way that
bins can fill, and counts. Seeded.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from itertools import product

import numpy as np
import pytest
from pinned import pinned
from small_people import population_of

from policy_sim.attackers import ADULTS, GENERAL, Attacker, Coverage, VoterList, covered, voter
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.people.population import Population
from policy_sim.policies.policy import Conditions, Policy, SmallPlaces
from policy_sim.voter_lists.list_field import ListField
from policy_sim.words.fields import Granularities

COLUMNS = ["state", "county", "tract", "sex", "age", "age_width", "race", "people"]
G = (1, 2, 3)
SPANS = {"twenty_years": 20, "fifteen_years": 15, "decade": 10, "five_years": 5, "year": 1}
PARTS = {"quarter": 4, "month": 12, "date": 365}
BIRTHS = ("none", *SPANS, *PARTS)
PLACES = ("nation", "state", "county", "tract")
FINEST = {"gender": "value", "race": "value", "geography": "county"}


@cache
def thrown(people: int, bins: int, listed: float) -> tuple[float, ...]:
    """Expected occupied bins, and people in bins of g or fewer: each person falls into a bin or is not listed."""
    ways: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(people):
        after: dict[tuple[int, ...], float] = defaultdict(float)
        for sizes, chance in ways.items():
            after[sizes] += chance * (1 - listed)
            after[tuple(sorted((*sizes, 1)))] += chance * listed * (bins - len(sizes)) / bins
            for size, many in Counter(sizes).items():
                rest = list(sizes)
                rest.remove(size)
                after[tuple(sorted((*rest, size + 1)))] += chance * listed * many / bins
        ways = after
    occupied = sum(chance * len(sizes) for sizes, chance in ways.items())
    return occupied, *(sum(chance * sum(s for s in sizes if s <= g) for sizes, chance in ways.items()) for g in G)


class World:
    """Cells, two policies, and what one state's list holds of each field (None: no source says)."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.rows = sorted({self.one_cell() for _ in range(rng.integers(3, 9))})
        self.rows = [(*cell, int(rng.integers(1, 4))) for cell in self.rows]
        self.policies = [self.one_policy("first"), self.one_policy("second")]
        self.list = {
            "gender": self.pick("", "value", None),
            "race": self.pick("", "value", None),
            "birth": self.pick("", "year", "date", None),
            "geography": self.pick("", "county", "county", None),
        }

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def one_cell(self):
        state = self.pick("OH", "WV")
        county = {"OH": "39", "WV": "54"}[state] + self.pick("001", "003")
        age, width = self.pick((10, 1), (30, 1), (31, 1), (47, 1), (100, 5))
        return state, county, county + self.pick("000100", "000200"), self.pick("M", "F"), age, width, self.race()

    def race(self):
        return self.pick("white", "black", "asian")

    def one_policy(self, name: str) -> Policy:
        releases = {
            "gender": self.pick("none", "value"),
            "race": self.pick("none", "broad", "value"),
            "birth": self.pick(*BIRTHS),
            "geography": self.pick(*PLACES, "county", "tract"),
        }
        small = None
        if releases["geography"] in ("county", "tract") and self.rng.random() < 0.5:
            small = SmallPlaces(releases["geography"], int(self.rng.integers(1, 6)))
        return Policy(name, "t", Granularities(releases), "c", Conditions(self.pick(None, 31, 100), small))

    def population(self) -> Population:
        return population_of(self.rows, COLUMNS)

    def holder(self) -> Attacker:
        facts = {
            name: ListField("unknown")
            if held is None
            else ListField("included", held)
            if held
            else ListField("withheld")
            for name, held in self.list.items()
        }
        facts |= {name: ListField("withheld") for name in ("zip", "party")}
        return voter({s: VoterList(s, "2026", "available", fields=facts) for s in ("OH", "WV")})

    def possible_lists(self):
        every = {"birth": ("", "year", "date")}
        choices = [every.get(n, ("", FINEST.get(n, ""))) if held is None else (held,) for n, held in self.list.items()]
        return [dict(zip(self.list, choice, strict=True)) for choice in product(*choices)]

    def counted(self, state: str, policy: Policy, held: dict | None, coverage: Coverage | None) -> np.ndarray:
        """Total risk and g-distinct of a state; ``held`` is what the list holds, None for GENERAL."""
        rows = [row for row in self.rows if coverage is None or row[4] >= 18]
        adults = sum(row[-1] for row in rows if row[0] == state)
        share = 1.0 if coverage is None else coverage.share(state, adults)
        crowds: Counter = Counter()
        ours: Counter = Counter()
        for row in rows:
            seen = self.seen(row, policy, held)
            crowds[seen] += row[-1]
            ours[seen] += row[-1] * (row[0] == state)
        figures = [np.array(thrown(crowds[k], k[-1], share)) * ours[k] / crowds[k] for k in crowds if ours[k]]
        return sum(figures, np.zeros(1 + len(G)))

    def seen(self, row, policy: Policy, held: dict | None):
        """What the attacker can compare of a person: the policy's values as far as the list has them; and bins."""
        state, county, tract, sex, age, width, race, _ = row
        r = {field.value: name for field, name in policy.releases.items()}
        gender, by_race = (r["gender"], r["race"]) if held is None else (
            r["gender"] if held["gender"] else "none", r["race"] if held["race"] else "none"
        )  # fmt: skip
        birth = r["birth"]
        if held is not None and held["birth"] != "date":
            birth = "none" if not held["birth"] else "year" if birth in PARTS else birth
        place = r["geography"]
        if held is not None and place not in ("nation", "state"):
            place = "county" if held["geography"] else "state"
        where = {"nation": "", "state": state, "county": county, "tract": tract}[place]
        small = policy.conditions.small_places
        if small is not None and place == small.place:
            column = COLUMNS.index(small.place)
            if sum(other[-1] for other in self.rows if other[column] == row[column]) <= small.most:
                where = state + " elsewhere"
        shown_race = {"none": "", "value": race, "broad": race if race in ("white", "black") else "other"}[by_race]
        return (where, sex if gender == "value" else "", shown_race, *self.shown_age(age, width, birth, policy))

    @staticmethod
    def shown_age(age: int, width: int, birth: str, policy: Policy) -> tuple[object, int]:
        if birth == "none":
            return "", 1
        if policy.conditions.top_age is not None and age >= policy.conditions.top_age:
            return "old", 1
        if birth in PARTS:
            return age, PARTS[birth] * width
        span = SPANS[birth]
        return (age, width) if width > span else (f"{span} from {age // span * span}", 1)


REGISTERED = Coverage("registered", "some", {"OH": 3, "WV": 5})


@pytest.mark.parametrize("seed", range(pinned(60, 180)))
def test_every_figure_is_what_people_told_apart_one_by_one_give(seed):
    world = World(np.random.default_rng([7, seed]))
    people, holder = world.population(), world.holder()
    coverage = (None, ADULTS, REGISTERED)[seed % 3]
    attackers = [GENERAL, holder] if coverage is None else [GENERAL, covered(holder, coverage)]
    study = compare(Cases(people, world.policies, attackers, g=G))
    worlds = world.possible_lists()
    for profile in study:
        policy = next(policy for policy in world.policies if policy.name == profile.policy)
        general = profile.attacker == "general"
        whom = None if general else coverage
        low, high = (world.counted(profile.state, policy, None if general else worlds[end], whom) for end in (0, -1))
        ours = [profile.people(measure) for measure in study.measures]
        np.testing.assert_allclose([end.low for end in ours], low, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose([end.high for end in ours], high, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(pinned(20, 60)))
def test_every_trust_differential_ranges_over_every_possible_list(seed):
    world = World(np.random.default_rng([8, seed]))
    study = compare(Cases(world.population(), world.policies, [world.holder()], g=G))
    for trust in study.trust("second", "first"):
        state, place = trust.numerator.state, study.measures.index(trust.measure)
        pairs = [
            [world.counted(state, policy, held, None)[place] for policy in reversed(world.policies)]
            for held in world.possible_lists()
        ]
        ratios = [above / below for above, below in pairs if below > 1 - 1e-9]
        if ratios:
            assert [trust.ratio.low, trust.ratio.high] == pytest.approx([min(ratios), max(ratios)], rel=1e-9)
        else:
            assert (trust.status, trust.ratio) == ("undefined", None)
