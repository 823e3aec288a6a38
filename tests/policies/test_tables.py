"""Policies and their rules as rows: a column for each field, and no 0 where there is no condition."""

import pandas as pd

from policy_sim.policies.files import list_policies, load_policy
from policy_sim.policies.policy import Conditions, Policy, Rule, SmallPlaces
from policy_sim.policies.tables import policy_columns, policy_frame, rule_frame
from policy_sim.words.fields import Field, Granularities

PLAIN = Policy("plain", "A title", Granularities(birth="year"), "a paper, p. 1")
STRICT = Policy(
    "strict",
    "Another",
    Granularities(birth="date", geography="zip3"),
    "a law",
    Conditions(90, SmallPlaces("zip3", 20_000)),
    (Rule("Ages are years.", "(1)"), Rule("Places are large.", "(2)")),
)


def test_a_condition_that_is_not_there_is_missing_and_not_zero():
    frame = policy_frame([PLAIN, STRICT])
    assert frame["top_age"].tolist() == [pd.NA, 90]
    assert frame["place_above"].tolist() == [pd.NA, 20_000]
    assert policy_columns(STRICT)["geography"] == "zip3"


def test_columns_say_what_every_shipped_policy_releases():
    policies = [load_policy(name) for name in list_policies()]
    frame = policy_frame(policies).set_index("policy")
    for policy in policies:
        shown = {name.value: frame.loc[policy.name, name.value] for name in Field}
        assert Granularities(**shown) == policy.releases


def test_one_row_a_rule_or_the_policy_itself():
    assert rule_frame(STRICT)[["says", "citation"]].to_numpy().tolist() == [
        ["Ages are years.", "(1)"],
        ["Places are large.", "(2)"],
    ]
    assert rule_frame(PLAIN)[["says", "citation"]].to_numpy().tolist() == [["A title", "a paper, p. 1"]]
