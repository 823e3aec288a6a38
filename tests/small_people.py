"""Two small states whose figures are counted by hand, and commands run on them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pandas as pd
from click.testing import CliRunner, Result

from policy_sim.attackers import Coverage, IdentifiedFile
from policy_sim.cli.main import cli
from policy_sim.people.population import Population, Provenance, check_cells
from policy_sim.people.store import ShippedPopulation
from policy_sim.voter_lists.list_field import AVAILABILITIES, LIST_FIELDS, ListField
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.arrays import IntArray

# People of each age in one county, of one sex and race; Ohio has two such counties, Wyoming one.
PEOPLE = {10: 3, 30: 2, 31: 3, 95: 4}
BY_YEAR, BY_COUNTY = "birth=year+geography=state", "birth=year+geography=county"


@cache
def cells() -> pd.DataFrame:
    rows = [
        (state, county, sex, age, 1, race, people)
        for state, county in (("OH", "39001"), ("OH", "39003"), ("WY", "56001"))
        for sex in "MF"
        for age, people in PEOPLE.items()
        for race in ("white", "black")
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


_COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]


def population_of(
    rows: Iterable[tuple[object, ...]], columns: list[str] | None = None, date: str = "", name: str = "made"
) -> Population:
    """People of some rows: state, county, sex, age and its width, race where there is one, and how many."""
    table = list(rows)
    names = columns or [name for name in _COLUMNS if name != "race" or len(table[0]) == len(_COLUMNS)]
    return people_of(pd.DataFrame(table, columns=names), date, name)


def people_of(
    table: pd.DataFrame, date: str = "", name: str = "made", hispanic: Callable[[], IntArray] | None = None
) -> Population:
    """People of a table of cells."""
    return Population(check_cells(table, name), Provenance(name, "made", "", date, "", 1, 0, 0), hispanic)


@cache
def small() -> Population:
    return people_of(cells(), "2020-04-01")


def written(folder: Path) -> str:
    """Write the people as a file of a user's own."""
    path = folder / "made.csv"
    cells().to_csv(path, index=False)
    return str(path)


def invoke(*words: object, text: str | None = None) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words], prog_name="policy-sim", input=text)


def run(*words: object, code: int = 0) -> Result:
    done = invoke(*words)
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


def rows(*words: object) -> list[dict[str, Any]]:
    return json.loads(run(*words, "--format", "json").stdout)


def frame(*words: object) -> pd.DataFrame:
    """The rows that a command prints as CSV."""
    return pd.read_csv(io.StringIO(run(*words, "--format", "csv").stdout))


def one_line(*words: object) -> str:
    """What a command that cannot work says: one line, and nothing on standard output."""
    done = run(*words, code=2)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.removesuffix("\n")


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command and group, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def fields_of(rest: str = "unknown", **words: str | ListField) -> dict[str, ListField]:
    """Each field of a list in a word: withheld, unknown, included, or as finely as it is shown; others as ``rest``."""
    given = {name: words.get(name, rest) for name in LIST_FIELDS}
    return {name: word if isinstance(word, ListField) else _field(word) for name, word in given.items()}


def _field(word: str) -> ListField:
    return ListField(word) if word in AVAILABILITIES else ListField("included", word)


def list_of(state: str = "OH", status: str = "available", rest: str = "unknown", **facts: Any) -> VoterList:
    """A list of 2026 with these fields, in the words of :func:`fields_of`, and these other facts."""
    fields = fields_of(rest, **{name: facts.pop(name) for name in LIST_FIELDS if name in facts})
    return VoterList(state, facts.pop("vintage", "2026"), status, fields=fields, **facts)


def file_of(name: str, whom: Coverage | None = None, rest: str = "withheld", **facts: Any) -> IdentifiedFile:
    """A file of named people of Ohio with these fields, in the words of :func:`fields_of`, and these other facts."""
    fields = fields_of(rest, **{field: facts.pop(field) for field in LIST_FIELDS if field in facts})
    about = {"title": "a file", "kind": "file", "states": ("OH",)} | facts
    return IdentifiedFile(name, coverage=whom, fields=fields, **about)


def read_again(people: ShippedPopulation) -> ShippedPopulation:
    """Return a shipped population without what was made of it."""
    again = ShippedPopulation(people._content, people.provenance, people.hispanic)
    again.__dict__ |= {name: made for name, made in people.__dict__.items() if name in ("cells", "_tables")}
    return again
