"""The database of voter lists, and what a change of law would do, against the plain way, in one process.

Building: the state files are parsed and checked and every row inserted, into a new SQLite file. Ours:
:func:`policy_sim.voter_lists.sql.stored_lists.build`, one statement a table. Plain: the same rows, one statement a
row. Both must hold the same lists. Below it the parsing alone, which both ways begin with.

Effects of laws: every single change of a field of every state's list. Ours:
:func:`policy_sim.model.what_if.marginal_effects`, which merges each linkage key once for all states. Plain: for a
sample of the changes one comparison each, times the changes left out. Both must give the same people.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
from sqlalchemy import Engine, insert

from benchmarks.binning import Timing, timed
from benchmarks.cells import nation
from policy_sim.attackers.attacker import voter
from policy_sim.files.evidence import Source
from policy_sim.model.cases import Cases
from policy_sim.model.what_if import marginal_effects, what_if
from policy_sim.policies.files import load_policy
from policy_sim.voter_lists.files import FICTIONAL, LIST_FOLDER, load_voter_lists
from policy_sim.voter_lists.sql.database import CHILDREN, METADATA, list_rows, open_engine, source_row, writing
from policy_sim.voter_lists.sql.stored_lists import FROM_FILES, all_lists, build, make_tables
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.states import STATES

SAMPLE = 8  # changes compared one by one
POLICY = "limited-dataset-paper"

_numbers = count()


def run() -> Iterator[Timing]:
    """Time both ways of building, then both ways of ranking."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _building(Path(folder))
    yield _ranking()


def _building(folder: Path) -> Iterator[Timing]:
    parsed, lists = timed(_parse, 3)
    ours, engine = timed(lambda: _build(folder), 3)
    plain, beside = timed(lambda: _build_row_by_row(folder))
    assert all_lists(engine) == all_lists(beside)
    yield Timing(f"build the database of {len(lists)} lists from the files", ours, plain, plain / ours)
    note = "of building; plain: the whole of it"
    yield Timing("parse and check the files alone", parsed, ours, ours / parsed, note)


def _parse() -> list[VoterList]:
    files, problems = LIST_FOLDER.scan()
    assert not problems
    return [made for state in sorted(files) if state != FICTIONAL for _, made in sorted(files[state].items())]


def _new(folder: Path) -> Engine:
    return open_engine(f"sqlite:///{folder / f'{next(_numbers)}.sqlite'}")


def _build(folder: Path) -> Engine:
    engine = _new(folder)
    build(engine, _parse(), "benchmark")
    return engine


def _build_row_by_row(folder: Path) -> Engine:
    engine, lists, tables = _new(folder), _parse(), METADATA.tables
    numbers = {source: number for number, source in enumerate(_all_sources(lists), 1)}
    with writing(engine) as connection:
        make_tables(connection)
        for state in STATES.values():
            connection.execute(
                insert(tables["state"]), {"postal": state.postal, "fips": state.fips, "name": state.name}
            )
        for table, names in (("buyer_class", "buyers"), ("permitted_use", "uses")):
            for name in dict.fromkeys(name for made in lists for name in getattr(made, names).names or ()):
                connection.execute(insert(tables[table]), {"name": name})
        for source, number in numbers.items():
            connection.execute(insert(tables["source"]), source_row(source, number))
        for number, listed in enumerate(lists, 1):
            known = {key: numbers[source] for key, source in listed.sources.items()}
            rows = list_rows(listed, number, known, FROM_FILES)
            for table in ("voter_list", *CHILDREN):
                for row in rows.get(table, ()):
                    connection.execute(insert(tables[table]), row)
    return engine


def _all_sources(lists: list[VoterList]) -> dict[Source, None]:
    return dict.fromkeys(source for listed in lists for source in listed.sources.values())


def _ranking() -> Timing:
    population, policy, holder = nation(), load_policy(POLICY), voter(load_voter_lists("2026"))
    ours, table = timed(lambda: marginal_effects(Cases(population, [policy], [holder])), 3)
    sample = table.iloc[:: max(1, len(table) // SAMPLE)].head(SAMPLE)

    def one_by_one() -> list[float]:
        found = []
        for row in sample.itertuples():
            change = {str(row.field): str(row.becomes)}
            rows = what_if(Cases(population, [policy], [holder], states=[str(row.state)], g=(1,)), change)
            found.append(float(rows.loc[rows["measure"] == "total-risk", "change"].iloc[0]))
        return found

    plain, changes = timed(one_by_one)
    np.testing.assert_allclose(sample["change"].astype(float), changes, rtol=1e-9, atol=1e-6)
    waited = plain * len(table) / len(sample)
    states = len(set(table["state"]))
    workload = f"rank {len(table)} changes of law in {states} states"
    return Timing(workload, ours, waited, waited / ours, f"plain: {len(sample)} changes, times the rest")
