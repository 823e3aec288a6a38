"""Who is on the attacker's lists: by hand, and against the shares that overlaps are defined by."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.analyses.attack.drawn_lists import draw_lists, joined_key
from policy_sim.analyses.attack.made_up_people import make_people, shown_key
from policy_sim.attackers import GENERAL, Attacker, Coverage, covered, voter
from policy_sim.attackers.identified_file import IdentifiedFile
from policy_sim.attackers.joined import Joined
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import NO_CONDITIONS, Policy
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.voter_list import VoterList

ROWS = [("OH", county, sex, age, 1, 20_000) for county in ("39001", "39003") for sex in "MF" for age in (10, 30, 70)]
COLUMNS = ["state", "county", "sex", "age", "age_width", "people"]
CELLS = check_cells(pd.DataFrame(ROWS, columns=COLUMNS), "made")
PEOPLE = Population(CELLS, Provenance("made", "made", "", "2020-04-01", "", 1, 0, 0))


def file(name, share, *, most_age=None, **fields):
    held = Coverage(name, name, least_age=0, most_age=most_age, least_share=share, most_share=share)
    shown = {field: ListField("included", value) for field, value in fields.items()}
    rest = {field: ListField("withheld") for field in ("gender", "race", "birth", "geography", "zip")}
    return IdentifiedFile(name, name, "file", held, fields=rest | shown, states=("OH",))


def made(seed=1):
    return make_people(PEOPLE, np.random.default_rng(seed))


def drawn(overlap, *files):
    resource = Joined(files, overlap) if len(files) > 1 else files[0]
    return draw_lists(made(), Attacker("a", "a", (resource,)), "OH", np.random.default_rng(2))


@pytest.mark.parametrize(
    ("overlap", "shares", "expected"),
    [
        ("independent", (0.7, 0.6), 0.42),
        ("most", (0.7, 0.6), 0.6),
        ("least", (0.7, 0.6), 0.3),
        ("least", (0.3, 0.6), 0.0),
        ("least", (0.9, 0.8, 0.9), 0.6),
        ("most", (0.9, 0.8, 0.9), 0.8),
        ("", (0.7,), 0.7),
    ],
)
def test_the_overlap_is_the_one_that_is_assumed(overlap, shares, expected):
    lists = drawn(overlap, *(file(f"f{place}", share, birth="date") for place, share in enumerate(shares)))
    many = len(lists.listed)
    assert lists.possible.all()
    assert lists.listed.mean() == pytest.approx(expected, abs=5 * np.sqrt(0.25 / many))


def test_only_people_whom_every_list_may_hold():
    lists = drawn("most", file("a", 1.0, most_age=50), file("b", 1.0))
    age = made().age
    assert lists.possible.tolist() == (age <= 50).tolist()
    assert lists.listed.tolist() == lists.possible.tolist()


def test_a_voter_list_has_no_children_and_the_share_of_the_registered():
    listed = VoterList("OH", "x", "available", fields={"birth": ListField("included", "date")})
    half = Coverage("registered", "half", {"OH": 80_000})
    lists = draw_lists(made(), covered(voter({"OH": listed}), half), "OH", np.random.default_rng(1))
    assert not lists.possible[made().age < 18].any()
    assert lists.listed.sum() == pytest.approx(80_000, abs=5 * 200)


def test_everyone_is_drawn_for_nobody():
    assert draw_lists(made(), GENERAL, "OH", np.random.default_rng(1)) is None


def test_lists_together_tell_apart_what_their_join_does():
    """One list has sex and county, the other the date of birth: the pair of both is the join."""
    policy = Policy("p", "t", Granularities(gender="value", birth="month", geography="county"), "c")
    both = Joined((file("a", 1.0, gender="value", geography="county"), file("b", 1.0, birth="date")), "most")
    people = made()
    key = joined_key(people, policy, Attacker("a", "a", (both,)), "OH", released=False)
    joined = shown_key(people, policy.releases, NO_CONDITIONS)
    pairs = np.unique(np.stack([key, joined]), axis=1).shape[1]
    assert pairs == len(np.unique(key)) == len(np.unique(joined))
