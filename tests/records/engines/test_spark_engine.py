"""A real Spark cluster of two workers counts what DuckDB counts, byte for byte, and survives a killed worker.

And the commands against a real Spark Connect server print what they print by themselves.
"""

import csv
import json
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pinned import pinned
from small_people import run
from spark_servers import QUICK_JAVA, SETTINGS, Cluster, ConnectServer

from policy_sim.formulas.groups import claims, g_distinct, total_risk
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.merging import merge
from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.classes import class_sizes
from policy_sim.records.engines.engine import records_and_person
from policy_sim.records.engines.expressions import Table, quoted
from policy_sim.records.engines.population import open_engine_population
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.records.engines.sources import open_records
from policy_sim.records.person_classes import PersonClasses
from policy_sim.records.person_rows import PersonRows
from policy_sim.words.errors import InputError, SchemaError, SourceError
from policy_sim.words.fields import Granularities

pytestmark = [pytest.mark.spark, pytest.mark.slow]

FIELDS = ("age", "sex", "county", "weight")
SECRET = "Schmidt"


@pytest.fixture(scope="module")
def home():
    """The folder of Spark, where it and Java are installed."""
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    return Path(pyspark.__file__).parent


@pytest.fixture(scope="module")
def cluster(home, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("spark")
        settings = SETTINGS | {"spark.executor.memory": "512m"}
        text = "".join(f"{key} {value}\n" for key, value in settings.items())
        (folder / "spark-defaults.conf").write_text(text)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("JAVA_TOOL_OPTIONS", QUICK_JAVA)
        patch.setenv("SPARK_CONF_DIR", str(folder))
        started = Cluster(str(home), folder)
        try:
            yield started
        finally:
            started.stop()


@pytest.fixture(scope="module")
def spark(cluster):
    from policy_sim.records.engines.spark_engine import SparkEngine

    with SparkEngine(cluster.url) as engine:
        yield engine


@pytest.fixture(scope="module")
def duck():
    with open_engine(threads=1) as engine:
        yield engine


def _rows(n=4000):
    rng = np.random.default_rng(8)
    ages = [None if a == 0 else f"{a:02d}" for a in rng.integers(0, 60, n)]
    sexes = [None if s == 0 else "MF"[s % 2] for s in rng.integers(0, 9, n)]
    counties = [str(c) for c in rng.choice(["39001", "39003", " 39003", "a,b", 'q"q', "two\nlines", "é", "NULL"], n)]
    weights = [None if w == 0 else float(w) / 4 for w in rng.integers(0, 5, n)]
    return list(zip(ages, sexes, counties, weights, strict=True))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, rows = tmp_path_factory.mktemp("files"), _rows()
    with (folder / "f.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([FIELDS, *rows])
    table = pa.table({name: list(column) for name, column in zip(FIELDS, zip(*rows, strict=True), strict=True)})
    table = table.set_column(3, "weight", pa.array([-0.0 if w == 0.25 else w for w in table["weight"].to_pylist()]))
    for place in range(4):
        (folder / "parts").mkdir(exist_ok=True)
        pq.write_table(table.slice(place * 1000, 1000), folder / "parts" / f"{place}.parquet")
        (folder / "csvs").mkdir(exist_ok=True)
        with (folder / "csvs" / f"part {place}.csv").open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([FIELDS, *rows[place * 1000 : place * 1000 + 1000]])
    return folder


def _bytes(sizes):
    return sizes.size.tobytes(), sizes.records.tobytes(), sizes.excluded


@pytest.mark.parametrize(
    ("name", "missing"),
    pinned([("f.csv", ("", "NULL", "39001"))], [("f.csv", ("", "NULL", "39001")), ("parts", ("",))]),
)
def test_the_same_bytes_on_both_engines(spark, duck, files, name, missing):
    records = open_records(str(files / name), FIELDS, ColumnMapping(missing=missing))
    ours, theirs = duck.group(records), spark.group(records)
    one, other = ours.classes(), theirs.classes()
    assert one.values == other.values
    assert one.codes.tobytes() == other.codes.tobytes()
    assert one.sizes.tobytes() == other.sizes.tobytes()
    assert one.missing == other.missing == theirs.missing()
    assert min(one.missing[:2]) > 0
    for rule in ("own", "wildcard", "exclude"):
        assert _bytes(class_sizes(one, rule)) == _bytes(class_sizes(other, rule))
    for complete in (False, True):
        a, b = (grouped.sizes(FIELDS[:2], complete=complete) for grouped in (ours, theirs))
        assert _bytes(a) == _bytes(b)
    for field in FIELDS:
        assert ours.values_of(field) == theirs.values_of(field)


def test_people_with_several_rows_are_the_same_on_both_engines_and_in_memory(spark, duck, files, tmp_path):
    """The weight column as a person, empty for some rows; in another order of the rows nothing changes."""
    lines = (files / "f.csv").read_bytes().decode().replace("two\nlines", "two lines").splitlines()
    order = np.random.default_rng(1).permutation(len(lines) - 1) + 1
    (tmp_path / "f.csv").write_text("\n".join([lines[0], *(lines[at] for at in order)]) + "\n", encoding="utf-8")
    found = []
    for folder, engine in ((files, duck), (files, spark), (tmp_path, spark)):
        records = open_records(str(folder / "f.csv"), FIELDS[:2], ColumnMapping(person="county"))
        one = engine.group(records).classes()
        people = PersonClasses.of(engine.group(records_and_person(records)).classes())
        sizes = [replace(people, known=known).sizes_on(FIELDS[:2]) for known in ("1", "2", "all")]
        looked_up = [PersonRows.of(replace(people, known=known)).classes for known in ("1", "2", "all")]
        entries = [each.codes.tobytes() + each.sizes.tobytes() for each in looked_up]
        found.append([one.codes.tobytes(), one.sizes.tobytes(), *map(_bytes, sizes), *entries])
    assert found[0] == found[1] == found[2]


def _people_of_both(duck, spark, folder):
    cells = [
        {"state": s, "county": f"{s}{c}", "age": a, "age_width": w, "people": a % 7 + c}
        for s in ("OH", "KY")
        for c in range(3)
        for a, w in [(age, 1) for age in range(100)] + [(100, 5)]
    ]
    pd.DataFrame(cells).to_parquet(folder / "cells.parquet")
    return [open_engine_population(engine, str(folder / "cells.parquet")) for engine in (duck, spark)]


def test_a_second_file_and_a_population_on_both_engines(spark, duck, files, tmp_path):
    one, other = (open_records(str(files / name), FIELDS[:3]) for name in ("f.csv", "parts"))
    joints = []
    for engine in (duck, spark):
        file, population = engine.group_alike(one, other)
        joint = file.joint(population)
        joints.append([a.tobytes() for a in (joint.records, joint.people, joint.classes)])
        assert joint.people.min() > 0
    assert joints[0] == joints[1]
    people = _people_of_both(duck, spark, tmp_path)
    for key in ("birth=date+geography=county", "birth=five_years+geography=nation"):
        merged = [merge(held, Granularities.parse(key)) for held in people]
        for name in ("unit", "bins", "people", "released", "number"):
            assert getattr(merged[0], name).tobytes() == getattr(merged[1], name).tobytes()


def test_a_text_in_a_query_is_that_text_on_both_engines(spark, duck):
    for text in ("it's", "a\\b", "\\'", "${env:HOME}", "two\nlines", '"q"', "`", "é"):
        for engine in (spark, duck):
            assert engine.fetch(Table(f"SELECT {quoted(text)} AS text", {}))["text"].to_pylist() == [text]


def test_groups_on_a_list_on_both_engines(spark, duck, tmp_path):
    people = _people_of_both(duck, spark, tmp_path)
    rng, counties = np.random.default_rng(4), tuple(f"{s}{c}" for s in ("KY", "OH") for c in range(3))
    listing = Listing(counties, rng.uniform(0.2, 1.0, (6, YEARS_OF_AGE)), rng.uniform(0.0, 0.3, 6))
    for key in ("birth=date+geography=county", "birth=five_years+geography=nation"):
        ours, theirs = (merge(held, Granularities.parse(key), listing=listing) for held in people)
        for figures in (total_risk, partial(g_distinct, g=[1, 3]), claims):
            np.testing.assert_allclose(figures(ours), figures(theirs), rtol=1e-9)
        assert ours.number.sum() == theirs.number.sum()


@pytest.mark.parametrize(
    ("text", "message"),
    [(f"a,b\n1,2\n{SECRET}\n", "more or fewer columns"), (f"a,b\n1,2\n3,{SECRET},5\n", "more or fewer columns")],
)
def test_a_ragged_file_is_one_line_without_its_content(spark, tmp_path, text, message, capfd):
    path = tmp_path / "f.csv"
    path.write_text(text)
    with pytest.raises(SchemaError, match=message) as caught:
        spark.group(open_records(str(path), ["a"]))
    output = capfd.readouterr()
    assert SECRET not in str(caught.value) + output.out + output.err


@pytest.mark.parametrize("name", pinned(["f.csv", "csvs"], ["f.csv", "parts", "csvs"]))
def test_rows_have_the_same_numbers_on_both_engines(spark, duck, files, name):
    """One file whose lines end inside quotes, and folders whose files several workers read."""
    records = open_records(str(files / name), FIELDS)
    ours, theirs = (engine.group(records, rows=True) for engine in (duck, spark))
    codes = ours.classes().codes
    for some in (codes[:1], codes):
        assert theirs.rows(some) == ours.rows(some)
    assert ours.rows(codes) == list(range(1, 4001))


def test_no_row_has_no_number(spark, tmp_path):
    from policy_sim.records.engines.spark_engine import numbered

    (tmp_path / "empty.csv").write_text("v\n")
    frame = spark.session.read.csv(str(tmp_path / "empty.csv"), header=True)
    assert numbered([(frame, ["v"])], stored_index=False).collect() == []


def test_what_spark_does_not_do(spark, tmp_path):
    with pytest.raises(InputError, match="reads files"):
        spark.group(open_records("sqlite:///x", FIELDS, table="t"))
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no parquet PAR1")
    with pytest.raises(SourceError, match="complete"):
        spark.group(open_records(str(tmp_path / "bad.parquet"), FIELDS))


def _commonest(folder):
    """Files as pandas, R and Excel write them, and the key fields of each."""
    (folder / "v").mkdir()
    (folder / "v" / "a.csv").write_text(",age,sex,Sex\n1,30,M,x\n2,99.0,F,x\n")
    (folder / "v" / "b.csv").write_text("\ufeffsex;Sex;age;\nM;x;30;\nF;y;099;\n", encoding="utf-8")
    (folder / "v" / "c[1].csv").write_text("Sex,age,sex\rx,30,M\ry,1,F\r")
    (folder / "v" / "c.csv.bak").write_text("age,sex,Sex\n30,M,x\n")
    columns = {"sex": ["M", "F"], "Sex": ["1", "1"], "a.b": [99.0, None], "row": ["x", "y"]}
    pq.write_table(pa.table(columns), folder / "t.parquet")
    return {"v": ("age", "sex", "Sex"), "v/c[1].csv": ("sex", "age"), "t.parquet": ("Sex", "sex", "a.b", "row")}


def test_the_commonest_exports_on_both_engines(spark, duck, tmp_path):
    """Empty names, twins, other orders and separators, signs of a pattern in a name, codes as numbers, ``row``."""
    for name, fields in _commonest(tmp_path).items():
        records = open_records(str(tmp_path / name), fields, ColumnMapping(missing=("", "99", "-9")))
        ours, theirs = (engine.group(records, rows=True) for engine in (duck, spark))
        one, other = ours.classes(), theirs.classes()
        assert one.codes.tobytes() == other.codes.tobytes()
        assert one.missing == other.missing
        assert ours.class_of_rows(one).tolist() == theirs.class_of_rows(other).tolist()
        assert [ours.values_of(field) for field in fields] == [theirs.values_of(field) for field in fields]
        assert one.records == spark.group(records).sizes().number == {"v": 6}.get(name, 2)
    assert set(spark.remarks) == set(duck.remarks)
    assert any("code '-9' " in remark for remark in spark.remarks)


def test_a_killed_worker_changes_nothing_and_without_any_worker_there_is_one_clear_line(spark, duck, cluster, files):
    records = open_records(str(files / "parts"), FIELDS)
    cluster.kill(cluster.workers[0])
    one, other = duck.group(records).classes(), spark.group(records).classes()
    assert one.sizes.tobytes() == other.sizes.tobytes()
    cluster.kill(cluster.workers[1])
    # the same session with less patience: elsewhere in this file a busy machine may start its workers late
    hasty = type(spark)(cluster.url, patience=6.0)
    with pytest.raises(SourceError, match="has had no worker for 6 s") as caught:
        hasty.group(records).classes()
    assert "\n" not in str(caught.value)


def test_no_spark_at_an_address_is_one_clear_line(monkeypatch):
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises((SourceError, InputError)) as caught:
            open_engine(f"sc://127.0.0.1:{taken.getsockname()[1]}").__enter__()
    assert "\n" not in str(caught.value)


# The commands against a real Spark Connect server.


@pytest.fixture(scope="module")
def server(home, tmp_path_factory):
    pytest.importorskip("grpc", reason="the client of Spark Connect is not installed")
    started = ConnectServer(home, tmp_path_factory.mktemp("connect"))
    yield started.url
    started.stop()


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    rng = np.random.default_rng(3)
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    ages = [str(a) for a in rng.integers(0, 90, 900)]
    sexes = ["" if s == 0 else "MF"[s % 2] for s in rng.integers(0, 12, 900)]
    counties = rng.choice(["39001", "39049", "99999"], 900, p=[0.5, 0.48, 0.02]).tolist()
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("age", "sex", "county"), *zip(ages, sexes, counties, strict=True)])
    return path


def _run(*arguments):
    command = [str(Path(sys.executable).with_name("policy-sim")), "dataset", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_profile_is_the_same(server, visits):
    asked = ("profile", visits, "--fields", "age,sex,county", "--format", "json")
    ours, theirs = run("dataset", *asked), _run(*asked, "--engine", server)
    assert theirs.returncode == 0, theirs.stderr
    assert json.loads(theirs.stdout) == json.loads(ours.stdout)
    assert len(json.loads(ours.stdout)) > 5


def test_a_score_is_the_same_and_lists_the_same_rows_outside(server, visits, tmp_path):
    asked = ("score", visits, "--fields", "age,sex,county", "--population", "us-2010", "--state", "OH")
    run("dataset", *asked, "--engine", "duckdb", "--out", tmp_path / "du")
    found = _run(*asked, "--engine", server, "--out", tmp_path / "sc")
    assert found.returncode == 0, found.stderr
    for name in ("scores.csv", "groups.csv", "outside.csv"):
        assert (tmp_path / "sc" / name).read_text() == (tmp_path / "du" / name).read_text()
    with (tmp_path / "sc" / "outside.csv").open(newline="") as stream:
        listed = list(csv.DictReader(stream))
    with visits.open(newline="") as stream:
        records = list(csv.DictReader(stream))
    expected = [place for place, one in enumerate(records, 1) if not one["sex"] or one["county"] == "99999"]
    assert [int(row["row"]) for row in listed] == expected


def test_a_ragged_file_is_one_line_from_a_server_too(server, tmp_path):
    path = tmp_path / "f.csv"
    path.write_text(f"a,b\n1,2\n{SECRET}\n")
    found = _run("profile", path, "--fields", "a", "--engine", server)
    assert found.returncode == 2
    assert "more or fewer columns" in found.stderr
    assert SECRET not in found.stdout + found.stderr
    assert "Traceback" not in found.stderr
