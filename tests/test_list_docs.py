"""What the guides on lists and attackers say is what the program has."""

import re
import tomllib

import pytest

from policy_sim.attackers import LINKAGE_STATUSES
from policy_sim.attackers.files import list_adversaries, load_adversary
from policy_sim.cli.lists import lists
from policy_sim.voter_lists.price import PRICE_KINDS
from policy_sim.voter_lists.sql.database import METADATA

PAGES = ("add-a-state.md", "voter-lists-database.md", "attackers.md")


@pytest.fixture
def pages(root):
    return {name: (root / "docs" / name).read_text(encoding="utf-8") for name in PAGES}


def test_every_table_and_column_of_the_database_is_described(pages):
    described = {}
    for line in re.findall(
        r"^\| (`[^|]+) \|[^|]*\| (`[^|]+) \|$", pages["voter-lists-database.md"], flags=re.MULTILINE
    ):
        for table in re.findall(r"`(\w+)`", line[0]):
            described[table] = set(re.findall(r"`(\w+)`", line[1]))
    tables = {name: set(table.columns.keys()) for name, table in METADATA.tables.items()}
    assert described.keys() == tables.keys()
    for name, columns in tables.items():
        assert columns <= described[name], name
        assert described[name] - columns <= {"use", "buyer"}, name


def test_every_list_command_that_is_named_exists(pages):
    for text in pages.values():
        named = set(re.findall(r"(?:policy-sim |`)lists ([a-z-]+)", text))
        assert named
        assert named <= set(lists.commands)


def test_the_adversaries_in_the_table_are_those_that_ship(pages):
    row = re.compile(r"^\| `(\w+)` \| ([\w, ]+) \| (\w+) \| ([\w,]+)(?: USD)? \| ([\w ]+) \|$", re.MULTILINE)
    rows = row.findall(pages["attackers.md"])
    assert {each[0] for each in rows} == set(list_adversaries())
    for name, buyer, purpose, money, scruples in rows:
        who = load_adversary(name)
        assert tuple(buyer.split(", ")) == who.buyer
        assert purpose == who.purpose
        assert money == ("any" if who.money_usd is None else f"{who.money_usd:,.0f}")
        assert scruples == ("none" if who.breaks_law else "keeps to the rules")


def test_every_status_and_kind_of_price_is_explained(pages):
    assert set(re.findall(r"^\| `(\w+)` \|", pages["attackers.md"], flags=re.MULTILINE)) >= set(LINKAGE_STATUSES)
    assert set(re.findall(r'kind = "(\w+)"', pages["add-a-state.md"])) == set(PRICE_KINDS)


def test_the_examples_of_the_guide_are_toml(pages):
    examples = re.findall(r"```toml\n(.*?)```", pages["add-a-state.md"], flags=re.DOTALL)
    assert len(examples) == 3
    for example in examples:
        tomllib.loads(example)
