"""A file of records against a resource that holds some of the people, by counting every case."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from policy_sim.attackers import Attacker, Coverage, IdentifiedFile
from policy_sim.granularity import Granularities
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.records.census_groups import FileCells
from policy_sim.records.groups_by_key import GroupsByKey
from policy_sim.records.score import attackers_scores, outside_cells
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS

ROWS = [("OH", 10, 2), ("OH", 30, 3), ("KY", 30, 4)]
CELLS = pd.DataFrame(ROWS, columns=["state", "age", "people"]).assign(age_width=1)
PEOPLE = Population(check_cells(CELLS, "few"), Provenance("few", "few", "", "2020-04-01", "", 1, 0, 0))
SHOWN = Granularities(birth="year", geography="state")
FILE = FileCells(
    pd.DataFrame({"state": ["OH", "OH"], "age": [10, 30], "records": [1, 2]}).astype({"age": object}),
    np.full(2, "", dtype=object),
)
FIELDS = dict.fromkeys(LIST_FIELDS, ListField("withheld")) | {"birth": ListField("included", "year")}
ADULTS = Coverage("adults", "people of 18 to 99", least_age=18, most_age=99, least_share=0.25, most_share=0.25)


def _holder(coverage, **more):
    return Attacker("holder", "t", (IdentifiedFile("holder", "a file", "k", coverage, FIELDS, **more),))


def _chance(people, share):
    """Chance that a person is matched who links at random among those listed, over every case of who is listed."""
    total = 0.0
    for listed in product((0, 1), repeat=people):
        weight = np.prod([share if one else 1 - share for one in listed])
        total += weight * (listed[0] / sum(listed) if listed[0] else 0)
    return total


def _score(attacker, **more):
    (score,) = attackers_scores(outside_cells(FILE, PEOPLE, SHOWN), PEOPLE, SHOWN, [attacker], **more)
    return score


def test_only_people_of_these_ages_are_found_and_only_the_listed():
    score = _score(_holder(ADULTS, price=Price("schedule", usd_per_record=2)))
    assert score.expected.low == score.expected.high == pytest.approx(2 * _chance(3, 0.25))
    assert score.largest.high == pytest.approx(_chance(3, 0.25))
    assert (score.price.usd, score.status) == (2 * 3 * 0.25, "ok")
    assert score.records == 3, "a child's record is in the file, and cannot be found"


def test_a_share_that_is_not_known_gives_two_ends():
    some = Coverage("some", "some", least_age=0, least_share=0.2, most_share=0.9)
    price = {"price": Price("flat", base_usd=10), "price_high": Price("flat", base_usd=30)}
    score = _score(_holder(some, **price))
    ends = [_chance(2, share) + 2 * _chance(3, share) for share in (0.2, 0.9)]
    assert (score.expected.low, score.expected.high, score.status) == (*map(pytest.approx, ends), "interval")
    cost = score.usd_per_reidentification
    assert (cost.low, cost.high) == (pytest.approx(30 / ends[0]), pytest.approx(10 / ends[1]))


def test_a_file_that_does_not_tell_the_state_is_looked_up_in_the_nation():
    ohio = PEOPLE.in_states(["OH"])
    placed = outside_cells(FILE, ohio, SHOWN)
    nation = _holder(None, place="nation")
    (alone,) = attackers_scores(placed, ohio, SHOWN, [nation])
    (whole,) = attackers_scores(placed, ohio, SHOWN, [nation], whole=PEOPLE)
    assert alone.expected.low == pytest.approx(1 / 2 + 2 / 3)
    assert whole.expected.low == pytest.approx(1 / 2 + 2 / 7), "the four of Kentucky are 30 too"


def test_each_key_is_merged_once(monkeypatch):
    import policy_sim.records.groups_by_key as module

    merged = []
    real = module.people_of_groups
    monkeypatch.setattr(module, "people_of_groups", lambda *args: merged.append(args[2]) or real(*args))
    groups = GroupsByKey(outside_cells(FILE, PEOPLE, SHOWN), PEOPLE, SHOWN, 365, PEOPLE)
    some = Coverage("some", "some", least_age=18, most_age=99, least_share=0.1, most_share=0.9)
    for coverage in (None, ADULTS, *some.ends, None):
        groups.of(SHOWN, coverage)
    assert merged == [SHOWN], "everyone's groups are those of the file, and all of 18 to 99 are the same people"
    assert groups.counted(ADULTS) == {"KY": 1.0, "OH": 0.75}
