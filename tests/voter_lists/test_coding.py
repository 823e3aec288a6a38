"""Facts as codes, and the sample that is coded a second time."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from policy_sim.errors import InputError
from policy_sim.io.voter_lists.state_files import described_lists
from policy_sim.voter_lists.buyers import Allowed
from policy_sim.voter_lists.coding import CODED_ITEMS, CODES, CodedFact, code_of, fact_keys, sample_of
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList


def listed(**facts):
    return VoterList("XX", "2026", "available", **facts)


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (None, "unknown"),
        ((), "nobody"),
        (("public", "candidate"), "public"),
        (("voter", "party"), "residents"),
        (("candidate", "scholar"), "restricted"),
    ],
)
def test_buyers_are_classes(names, code):
    assert code_of(listed(buyers=Allowed(names)), "buyers") == code


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (None, "unknown"),
        ((), "nothing"),
        (("any",), "any"),
        (("non_commercial", "political"), "non_commercial"),
        (("scholarly", "journalistic"), "political"),
    ],
)
def test_uses_are_classes(names, code):
    assert code_of(listed(uses=Allowed(names)), "uses") == code


def test_fields_and_prices_are_their_words():
    made = listed(
        fields={"gender": ListField("included", "value"), "birth": ListField("included", "year"), "zip": ListField()},
        price=Price("flat", 20.0),
    )
    assert [code_of(made, item) for item in ("gender", "birth", "zip", "price", "status")] == [
        "included",
        "year",
        "unknown",
        "flat",
        "available",
    ]


def test_every_fact_that_ships_has_a_code():
    for one in described_lists():
        for item in CODED_ITEMS:
            assert code_of(one, item) in CODES[item]


def test_the_sample_is_a_fifth_of_every_stratum_and_the_same_each_time():
    keys = fact_keys(described_lists())
    drawn = sample_of(keys)
    assert drawn == sample_of(keys[::-1]) == sorted(set(drawn))
    strata, sampled = (Counter(key[1:] for key in some) for some in (keys, drawn))
    assert sampled == {stratum: math.ceil(many / 5) for stratum, many in strata.items()}
    assert drawn != sample_of(keys, seed=1)


def test_a_list_that_is_added_changes_the_sample_of_its_own_strata_alone():
    keys = [(state, "2026", "zip") for state in ("AK", "AL", "AR", "AZ", "CA")]
    more = [*keys, *((state, "2030", "zip") for state in ("AK", "AL"))]
    assert [key for key in sample_of(more) if key[1] == "2026"] == sample_of(keys)


@pytest.mark.parametrize("share", [0, -0.1, 1.1])
def test_a_share_outside_its_range_is_refused(share):
    with pytest.raises(InputError, match="share"):
        sample_of([("AK", "2026", "zip")], share)


def test_a_code_that_an_item_does_not_have_is_refused():
    with pytest.raises(InputError, match="included, withheld, unknown"):
        CodedFact("AK", "2026", "zip", "yes")
    with pytest.raises(InputError, match="not coded"):
        CodedFact("AK", "2026", "phone", "included")
