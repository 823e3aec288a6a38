"""A population in Parquet, checked inside the engine and left there."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from small_people import cells, small

from policy_sim.formulas.groups import total_risk
from policy_sim.people.by_name import read_own_population
from policy_sim.records.engines.population import groups_from_engine, open_engine_population, population_of_engine
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.words.errors import InputError, SchemaError, SourceError
from policy_sim.words.fields import Granularities


@pytest.fixture(scope="module")
def engine():
    with open_engine(memory="200MB", threads=1) as opened:
        yield opened


def stored(folder, frame, name="cells.parquet"):
    frame.to_parquet(folder / name)
    return str(folder / name)


def test_people_are_those_of_the_file(engine, tmp_path):
    people = open_engine_population(engine, stored(tmp_path, cells()))
    assert people.people_by_state() == small().people_by_state() == {"OH": 96, "WY": 48}
    assert people.counties_by_state() == {"OH": 2, "WY": 1}
    assert len(people.provenance.sha256) == 64


def test_groups_by_year_are_those_counted_by_hand(engine, tmp_path):
    groups = groups_from_engine(engine, stored(tmp_path, cells()), Granularities(birth="year", geography="county"))
    assert sorted(groups.people.tolist()) == sorted([12, 8, 12, 16] * 3) or len(groups) == 12
    assert total_risk(groups).sum() == pytest.approx(12)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda frame: frame.drop(columns="age"), "age are missing"),
        (lambda frame: frame.assign(people=-1), "cells are wrong: each needs whole numbers"),
        (lambda frame: frame.assign(people=0), "0"),
        (lambda frame: frame.assign(age_width=0), "cells are wrong"),
        (lambda frame: frame.assign(age="ten"), "cells are wrong"),
        (lambda frame: frame.assign(age=[[30]] * len(frame)), "age does not contain numbers"),
        (lambda frame: frame.assign(people=1.5), "cells are wrong"),
        (lambda frame: frame.assign(people=np.inf), "cells are wrong"),
        (lambda frame: frame.assign(county=frame["county"].astype(int)), "county is not text"),
        (lambda frame: frame.assign(sex=None), "sex"),
    ],
)
def test_cells_that_cannot_be_are_refused(engine, tmp_path, change, expected):
    with pytest.raises(SchemaError, match=expected):
        open_engine_population(engine, stored(tmp_path, change(cells())))


def test_a_damaged_file_is_one_line(engine, tmp_path):
    (tmp_path / "cells.parquet").write_bytes(b"PAR1 no such thing")
    with pytest.raises(SourceError) as caught:
        open_engine_population(engine, str(tmp_path / "cells.parquet"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [None, small(), "us-2020", "cells.csv"])
def test_what_is_no_parquet_is_refused(source):
    with pytest.raises(InputError, match=r"\.parquet"):
        population_of_engine(source, "duckdb")


def test_an_engine_by_name_is_opened_for_the_population(tmp_path):
    people = population_of_engine(stored(tmp_path, pd.DataFrame(cells())), "duckdb")
    assert people.states == ("OH", "WY")
    with pytest.raises(InputError, match="duckdb"):
        population_of_engine(stored(tmp_path, cells()), "abacus")


_ODD = {
    "a list": [[1], [2]],
    "a table": [{"a": 1}, {"a": 2}],
    "text": ["1", "2"],
    "text of no number": ["x", "y"],
    "a half": [1.5, 2.0],
    "below 0": [-1, 2],
    "too large": [10**12, 1],
    "true": [True, False],
    "nothing": [None, None],
    "not a number": [float("nan"), 1.0],
    "infinite": [float("inf"), 1.0],
    "blanks": ["5.0", " 7"],
}


@pytest.mark.slow
@pytest.mark.parametrize("odd", _ODD)
def test_what_is_read_into_memory_is_read_by_the_engine_and_what_is_refused_is_refused(engine, tmp_path, odd):
    two = {"state": ["DE", "DE"], "county": ["10001", "10001"], "sex": ["M", "F"], "age": [30, 31], "age_width": [1, 1]}
    two |= {"race": ["white", "black"], "people": [5, 2]}
    for column in two:
        path = tmp_path / f"{column}.parquet"
        pd.DataFrame(two | {column: _ODD[odd]}).to_parquet(path)
        answers = []
        for read, place in ((read_own_population, path), (partial(open_engine_population, engine), str(path))):
            try:
                answers.append(sum(read(place).people_by_state().values()))
            except SchemaError as error:
                answers.append("refused" if len(str(error).splitlines()) <= 4 else str(error))
        assert answers[0] == answers[1], (column, answers)
