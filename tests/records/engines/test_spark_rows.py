"""Rows that Spark reads in parts are numbered by file, then as in the file."""

import shutil

import pytest

from policy_sim.records.engines.sources import ROW

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module")
def session():
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    from policy_sim.records.engines.spark_engine import SparkEngine

    with SparkEngine("local[2]") as engine:
        yield engine.session


def test_files_follow_in_the_order_of_their_names_whatever_order_they_are_read_in(session, tmp_path):
    from policy_sim.records.engines.spark_engine import keyed, numbered

    for name, values in (("b", "pq"), ("a", "xyz"), ("c d", "r")):
        rows = "".join(f"{value}\n" for value in values)
        (tmp_path / f"{name}.csv").write_text("v.1,w\n" + rows.replace("\n", ",1\n"))
    frames = [(session.read.csv(str(tmp_path / f"{name}.csv"), header=True), ["v.1"]) for name in ("b", "c d", "a")]
    rows = {row[ROW]: row["f0"] for row in numbered(frames, stored_index=False).collect()}
    assert rows == dict(enumerate("xyzpqr", 1))
    assert keyed(frames[0][0], ["w", "v.1"]).columns == ["f0", "f1"]


def test_no_row_has_no_number(session, tmp_path):
    from policy_sim.records.engines.spark_engine import numbered

    (tmp_path / "empty.csv").write_text("v\n")
    frame = session.read.csv(str(tmp_path / "empty.csv"), header=True)
    assert numbered([(frame, ["v"])], stored_index=False).collect() == []
