"""The commands against a real Spark Connect server print what they print by themselves."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from spark_servers import ConnectServer

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SECRET = "Schmidt"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
    pytest.importorskip("grpc", reason="the client of Spark Connect is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    started = None
    try:
        started = ConnectServer(Path(pyspark.__file__).parent, tmp_path_factory.mktemp("connect"))
        yield started.url
    finally:
        if started is not None:
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
    ours, theirs = _run(*asked), _run(*asked, "--engine", server)
    assert theirs.returncode == 0, theirs.stderr
    assert json.loads(theirs.stdout) == json.loads(ours.stdout)
    assert len(json.loads(ours.stdout)) > 5


def test_a_score_is_the_same_and_lists_the_same_rows_outside(server, visits, tmp_path):
    asked = ("score", visits, "--fields", "age,sex,county", "--population", "us-2010", "--state", "OH")
    for engine in ("duckdb", server):
        found = _run(*asked, "--engine", engine, "--out", tmp_path / engine[:2])
        assert found.returncode == 0, found.stderr
    for name in ("scores.csv", "groups.csv", "outside.csv"):
        assert (tmp_path / "sc" / name).read_text() == (tmp_path / "du" / name).read_text()
    with (tmp_path / "sc" / "outside.csv").open(newline="") as stream:
        listed = list(csv.DictReader(stream))
    with visits.open(newline="") as stream:
        records = list(csv.DictReader(stream))
    expected = [place for place, one in enumerate(records, 1) if not one["sex"] or one["county"] == "99999"]
    assert [int(row["row"]) for row in listed] == expected


def test_a_ragged_file_is_one_line_without_its_content(server, tmp_path):
    path = tmp_path / "f.csv"
    path.write_text(f"a,b\n1,2\n{SECRET}\n")
    found = _run("profile", path, "--fields", "a", "--engine", server)
    assert found.returncode == 2
    assert "more or fewer columns" in found.stderr
    assert SECRET not in found.stdout + found.stderr
    assert "Traceback" not in found.stderr
