"""Rows and weights of real files: the row numbers are the file's own, mapped values are one."""

import csv
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from policy_sim import RecordFile
from policy_sim.words.errors import InputError


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(3)
    rows = [
        (rng.choice(["M", "m", "F"]), int(rng.integers(20, 30)), rng.choice(["1.5", "2", "40"])) for _ in range(500)
    ]
    path = tmp_path / "survey.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("sex", "age", "w"), *rows])
    return path, rows


def test_each_record_has_the_size_of_its_class(survey):
    path, rows = survey
    table = RecordFile(path, "sex,age").profile(list_records=True).tables["records"]
    count = Counter(row[:2] for row in rows)
    assert table["class_size"].tolist() == [count[row[:2]] for row in rows]
    assert (table.loc[table["class_size"] > 1, "suda_score"] == 0).all()


def test_values_that_a_mapping_calls_alike_are_one(survey, tmp_path):
    path, rows = survey
    mapping = tmp_path / "m.toml"
    mapping.write_text('[fields.sex]\ncolumn = "sex"\n')
    table = RecordFile(path, "sex,age", mapping=mapping).profile(list_records=True).tables["records"]
    count = Counter((row[0].upper(), row[1]) for row in rows)
    assert table["class_size"].tolist() == [count[row[0].upper(), row[1]] for row in rows]


def test_weights_add_up(survey):
    path, rows = survey
    figures = RecordFile(path, "sex,age").profile(weight="w").to_frame().set_index("measure")
    assert figures.loc["people that the weights represent", "number"] == pytest.approx(sum(float(r[2]) for r in rows))
    frame = pd.DataFrame(rows, columns=["sex", "age", "w"]).astype({"w": float})
    people = frame.groupby(["sex", "age"])["w"].agg(["size", "sum"])
    alone = (1 / people.loc[people["size"] == 1, "sum"]).sum()
    assert figures.loc["expected to be alone in the population, by weights", "number"] == pytest.approx(alone)


@pytest.mark.slow
def test_what_is_refused(survey):
    path, _ = survey
    with pytest.raises(InputError, match="not a key field"):
        RecordFile(path, "sex,age,w").profile(weight="w")
    with pytest.raises(InputError, match="above 0"):
        RecordFile(path, "age").profile(weight="sex")
    with pytest.raises(InputError, match="the wildcard rule has none"):
        RecordFile(path, "age", missing="wildcard").profile(weight="w")
