"""Voter lists as a document and back, without loss, and every problem of a document at once."""

import tomllib

import pytest

from policy_sim.files.schema import read_sources
from policy_sim.voter_lists.document import as_toml, parse_voter_lists
from policy_sim.voter_lists.files import load_voter_lists

GOOD = """
state = "OH"
[[source]]
id = "form"
title = "Order form"
date = "2026-01-01"
[2026]
status = "available"
valid_from = 2026-01-01
[2026.fields.birth]
availability = "included"
granularity = "year"
confidence = "medium"
sources = ["form"]
"""


def parsed(text, state="OH"):
    problems = []
    return parse_voter_lists(tomllib.loads(text), state, {}, problems), problems


def test_a_source_is_read_by_its_short_name():
    problems = []
    sources = read_sources(tomllib.loads(GOOD), problems)
    assert (problems, sources["form"].title) == ([], "Order form")
    again = tomllib.loads(GOOD)
    again["source"] *= 2
    read_sources(again, problems)
    assert "twice" in problems[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace('state = "OH"', ""), "state is missing"),
        (lambda text: text.replace('"OH"', '"TX"'), "file's name says"),
        (lambda text: text.replace("[2026", "[year"), "no vintage"),
        (lambda text: text + "\n[surprise]\na = 1\n", "surprise"),
        (lambda text: text.replace('"included"', '"yes"'), "included, withheld, unknown"),
        (lambda text: text.replace('"year"', '"hour"'), "hour"),
        (lambda text: text.replace('sources = ["form"]', 'sources = ["nobody"]'), "nobody"),
    ],
)
def test_each_problem_is_one_line_with_its_place(change, words):
    _, problems = parsed(change(GOOD))
    assert any(words in problem for problem in problems), problems
    assert all("\n" not in problem for problem in problems)


def test_several_problems_are_told_together():
    _, problems = parsed(GOOD.replace('"OH"', '"TX"') + "\n[surprise]\na = 1\n[other]\nb = 2\n")
    assert len(problems) >= 3


@pytest.mark.parametrize("state", ["OH", "TX", "ME", "PA"])
def test_nothing_of_a_shipped_list_is_lost(state):
    listed = load_voter_lists("2026")[state]
    text = as_toml([listed])
    problems = []
    again = parse_voter_lists(tomllib.loads(text), state, {}, problems)
    assert problems == []
    assert again["2026"].citing(listed.sources) == listed.citing(listed.sources)
