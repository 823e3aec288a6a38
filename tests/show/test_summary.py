from __future__ import annotations

import pandas as pd
import pytest
from said import numbers

from policy_sim.attackers.files import list_resources, load_resource, resource_facts_frame, resources_frame
from policy_sim.people.facts import facts_of_population, populations_frame
from policy_sim.policies.files import list_policies, load_policy
from policy_sim.policies.policy import policy_frame
from policy_sim.show.summary import (
    checked_text,
    list_text,
    policy_text,
    population_text,
    populations_text,
    resource_list_text,
    resource_text,
    summary_table,
)
from policy_sim.show.text_table import WIDTH


def line(text, state):
    return next(line for line in text.splitlines() if line.startswith(f"{state} "))


def test_one_row_a_state_in_100_columns(profiles, trust, cost, footer):
    lines = summary_table(profiles, trust, cost, footer=footer).splitlines()
    assert max(map(len, lines)) <= 100
    states = [row[:2] for row in lines if row[:2].isupper() and row[2:4] == "  "]
    assert len(states) == len(set(states)) == 51


def test_people_and_per_cent_trust_and_cost_stand_in_the_row(profiles, trust, cost):
    """Ohio is the 36th state of the made-up frames: shares 0.0002 and 0.3 times 2.4, VOTER a fortieth."""
    assert line(summary_table(profiles, trust, cost), "OH").split() == (
        ["OH", "480", "0.048", "12", "0.0012", "720", "k", "72", "18", "k", "1.80", "1,500", "1,500", "free", "free"]
    )


def test_an_interval_is_marked_and_a_state_without_a_list_has_a_word_and_never_a_zero(profiles, trust, cost):
    text = summary_table(profiles, trust, cost)
    assert line(text, "WA").count("+") >= 3
    assert "+ the lower end of a range" in text
    assert line(text, "CA").split().count("unsold") == 5
    assert line(text, "AZ").split().count("county") == 5
    assert "unsold: nobody can get a list" in text


def test_what_the_heads_mean_is_above_the_rows_and_the_foot_below(profiles, trust, cost, footer):
    text = summary_table(profiles, trust, cost, footer=footer)
    assert text.index("price of the voter list divided by") < text.index("AL ")
    assert text.index("WY ") < text.index(footer[0])


def test_several_populations_follow_each_other_and_one_attacker_keeps_its_head_whole(profiles, trust, cost):
    both = [pd.concat([frame, frame.assign(population="us-2000")]) for frame in (profiles, trust, cost)]
    text = summary_table(*both)
    assert text.index("population us-2020") < text.index("population us-2000")
    general = (frame[frame["attacker"] == "general"] for frame in (profiles, trust))
    assert "total risk: Limited data set" in summary_table(*general, cost.iloc[:0]).partition("\n\n")[2].splitlines()[0]


def test_a_price_of_at_least_and_an_interval_that_begins_at_nobody_are_marked(profiles, trust, cost):
    rows, unsure = cost.copy(), profiles.copy()
    rows.loc[rows["state"] == "NV", "status"] = "at_least"
    unsure.loc[unsure["state"] == "WA", ["people", "share"]] = 0
    text = summary_table(unsure, trust, rows)
    assert line(text, "NV").count("+") == 2
    assert "≤" in line(text, "WA")
    flat = " ".join(text.split())
    assert "known only to be at least" in flat
    assert "a range that starts at 0" in flat


def test_a_price_is_of_the_list_or_of_the_file_that_is_bought(profiles, trust, cost):
    assert "price of the voter list divided by" in summary_table(profiles, trust, cost)
    file = cost.assign(attacker="births")
    assert "price of the file divided by" in summary_table(profiles, trust, file)
    both = summary_table(profiles, trust, pd.concat([file, cost.assign(attacker="voter")]))
    assert "price of the file, BIRTHS, divided by" in both


def test_every_population_has_one_line_with_its_people():
    frame, text = populations_frame(), populations_text(populations_frame())
    for name, people in zip(frame["population"], frame["people"], strict=True):
        (line,) = [line for line in text.splitlines() if line.split()[:1] == [name]]
        assert f"{people:,}" in line
        assert ("not yet counted" in line) == name.endswith("-zip")


def test_one_in_full_says_every_note_and_source():
    facts = facts_of_population("us-2010")
    flat = " ".join(population_text("us-2010", facts).split())
    lists = (facts["notes"], facts["sources"], facts["made_with"])
    for words in (facts["title"], facts["how"], facts["sha256"], *(word for some in lists for word in some)):
        assert " ".join(words.split()) in flat
    assert "people: 308,745,538" in flat
    assert "counted by state: " in flat
    assert numbers(flat.partition(" ethnicity: ")[2])[:2] == ["50,477,594", "74.8%"]
    assert facts["ethnicity"]["sha256"] in flat
    text = population_text("us-2010-zip", facts_of_population("us-2010-zip"))
    assert "counted by state" not in text
    assert "ethnicity" not in text


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
    lists = {"a list": ["036", "059"]}  # of ZIP codes: where a rule needs them alone
    assert "2 prefixes, a list:\n    036 059" in policy_text(policy, lists)
    assert "036" not in policy_text(load_policy("limited-dataset-paper"), lists)


def test_a_check_says_whether_it_passes_and_what_it_withholds():
    row = {"state": "OH", "check": "11-or-more", "passes": False, "cells": 40.0, "cells_withheld": 10.0}
    row |= {"cells_withheld_share": 0.25, "people": 400, "people_withheld": 20.0, "people_withheld_share": 0.05}
    line = checked_text(pd.DataFrame([row]), "mine").splitlines()[-1].split()
    assert line == ["OH", "11-or-more", "no", "40", "10", "25%", "20", "5%"]


@pytest.mark.usefixtures("wide")
def test_every_resource_has_a_line():
    text = resource_list_text(resources_frame(load_resource(name) for name in list_resources()))
    for name in list_resources():
        assert sum(line.startswith(f"{name} ") for line in text.splitlines()) == 1
    (line,) = [line for line in text.splitlines() if line.startswith("denton")]
    assert "0% to 3.12%" in line
    (line,) = [line for line in text.splitlines() if line.startswith("broker-military")]
    assert "0.01 USD a record to 0.32 USD" in line


def test_one_with_its_notes_and_sources_each_once():
    text = resource_text(resource_facts_frame(load_resource("texas-birth-index")))
    assert text.startswith("texas-birth-index: summary birth index of Texas\n")
    assert "at most 15,000,000 in TX" in text
    assert text.count("https://gavvy.com/details/18123-indexes-for-vital-records") == 1
    assert max(map(len, text.splitlines())) <= 100


def test_nothing_that_a_terminal_would_obey(tmp_path):
    path = tmp_path / "odd.toml"
    path.write_text('name = "odd"\ntitle = "a\\u001b[31mb"\nkind = "k"\nstates = "all"\n', encoding="utf-8")
    assert "\x1b" not in resource_text(resource_facts_frame(load_resource(path)))
