from __future__ import annotations

import pandas as pd

from policy_sim.analyses.policy_tables import policy_frame
from policy_sim.io.policy_files import list_policies, load_policy
from policy_sim.render.policy_text import checked_text, list_text, policy_text
from policy_sim.render.text_table import WIDTH


def test_every_policy_stands_once_in_each_part_of_the_list_with_its_conditions():
    policies = [load_policy(name) for name in list_policies()]
    lines = list_text(policy_frame(policies)).splitlines()
    parts = sum(line.split()[:1] == ["policy"] for line in lines)
    for policy in policies:
        of_policy = [line for line in lines if line.split()[:1] == [policy.name]]
        assert len(of_policy) == parts
        if policy.conditions.top_age is not None:
            assert f"age < {policy.conditions.top_age}" in " ".join(of_policy)


def test_every_rule_stands_whole_with_its_paragraph():
    policy = load_policy("safe-harbor")
    text = policy_text(policy, {})
    flat = " ".join(text.split())
    assert policy.rules
    for rule in policy.rules:
        assert " ".join(rule.says.split()) in flat
        assert rule.citation in text
    assert max(map(len, text.splitlines())) <= WIDTH


def test_lists_of_zip_codes_stand_where_a_rule_needs_them_alone():
    lists = {"a list": ["036", "059"]}
    assert "2 prefixes, a list:\n    036 059" in policy_text(load_policy("safe-harbor"), lists)
    assert "036" not in policy_text(load_policy("limited-dataset-paper"), lists)


def test_a_check_says_whether_it_passes_and_what_it_withholds():
    row = {"state": "OH", "check": "11-or-more", "passes": False, "cells": 40.0, "cells_withheld": 10.0}
    row |= {"cells_withheld_share": 0.25, "people": 400, "people_withheld": 20.0, "people_withheld_share": 0.05}
    line = checked_text(pd.DataFrame([row]), "mine").splitlines()[-1].split()
    assert line == ["OH", "11-or-more", "no", "40", "10", "25%", "20", "5%"]
