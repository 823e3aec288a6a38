"""Tables of counts are told from files of records, in both directions."""

from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from policy_sim import RecordFile
from policy_sim.records.formats import read_coded, refuse_counts
from policy_sim.release import Release
from policy_sim.words.errors import InputError

DIMENSIONS = {
    "county": ["Allen", "Lucas", "Wood", "Franklin"],
    "week": [f"2025-W{week:02d}" for week in range(1, 13)],
    "Age": [str(age) for age in range(0, 100, 5)],
    "sex": ["F", "M"],
    "group": ["a", "b", "c"],
}
COUNTS = ["n", "N", "count", "Cases", "freq", "FREQUENCY", "deaths", "patients", "number_of_patients", "caseCount"]


def _write(path, header, rows):
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in [header, *rows]))
    return path


def _refused_as(path):
    """Return how the engine and the reader of codes refuse a file; both say the same."""

    def by_engine():
        with RecordFile(path, read_coded(path).names[:1]).opened():
            pass

    said = []
    for look in (by_engine, lambda: refuse_counts(path.name, read_coded(path))):
        try:
            look()
            said.append("")
        except InputError as error:
            said.append(str(error))
    assert said[0] == said[1]
    return said[0]


@st.composite
def tables(draw):
    names = draw(st.lists(st.sampled_from(list(DIMENSIONS)), min_size=1, max_size=4, unique=True))
    cells = list(product(*(DIMENSIONS[name] for name in names)))
    rows = draw(st.lists(st.sampled_from(cells), min_size=2, max_size=60, unique=True))
    counted = draw(st.lists(st.integers(0, 5_000), min_size=len(rows) - 1, max_size=len(rows) - 1))
    return names, rows, [draw(st.integers(2, 500)), *counted], draw(st.sampled_from(COUNTS))


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(tables())
@example((["county", "sex", "age"], [("Allen", "F", 0), ("Allen", "M", 5), ("Lucas", "F", 5)], [2, 0, 0], COUNTS[-2]))
def test_a_table_of_counts_is_refused(tmp_path_factory, table):
    names, rows, counts, count = table
    path = tmp_path_factory.mktemp("t") / "t.csv"
    _write(path, [*names, count], [(*row, n) for row, n in zip(rows, counts, strict=True)])
    said = _refused_as(path)
    assert f"t.csv: column '{count}' counts" in said
    assert "\n" not in said


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(tables(), st.sampled_from(["id", "repeated", "numbered", "flag", "other name"]))
def test_records_with_a_column_of_that_name_are_read(tmp_path_factory, table, why):
    names, rows, counts, count = table
    body = [(*row, n) for row, n in zip(rows, counts, strict=True)]
    header = [*names, count]
    if why == "id":
        header, body = ["mrn", *header], [(f"A{at // 2}", *row) for at, row in enumerate(body)]
    elif why == "numbered":
        body = [(*body[at % len(body)], 100_000 + 3 * at) for at in range(30)]
        header = [*header, "x1"]
    elif why == "repeated":
        body.append((*rows[0], counts[0] + 1))
    elif why == "flag":
        body = [(*row, at % 2) for at, row in enumerate(rows)]
    else:
        header = [*names, "platelet_count"]
    assert _refused_as(_write(tmp_path_factory.mktemp("t") / "t.csv", header, body)) == ""


def test_suppressed_counts_and_rates_beside_them(tmp_path):
    rows = [("Allen", "F", "<11", "1.5"), ("Allen", "M", 30, "2.5"), ("Lucas", "F", "", "3.1"), ("Lucas", "M", 12, "4")]
    assert "'n' counts" in _refused_as(_write(tmp_path / "t.csv", ["county", "sex", "n", "rate"], rows))


@pytest.mark.parametrize("name", ["total", "visits"])
def test_what_may_be_of_one_person_counts_only_on_a_grid(tmp_path, name):
    grid = [(county, sex, 7 + at) for at, (county, sex) in enumerate(product("ABC", "FM"))]
    assert "counts" in _refused_as(_write(tmp_path / "t.csv", ["county", "sex", name], grid))
    sparse = [
        (age, sex, zip3, 3) for age, sex, zip3 in zip((30, 41, 52, 63), "FMFM", (432, 436, 451, 450), strict=True)
    ]
    assert _refused_as(_write(tmp_path / "s.csv", ["age", "sex", "zip3", name], sparse)) == ""


@pytest.mark.slow
def test_every_question_refuses_it(tmp_path):
    path = _write(tmp_path / "c.csv", ["county", "week", "age", "sex", "n"], [("Allen", "2025-W10", 34, "F", 30)] * 1)
    path.write_text(path.read_text() + "Allen,2025-W11,35,M,40\n")
    file = RecordFile(path, "age,sex")
    for ask in (
        file.profile,
        lambda: file.score("OH"),
        lambda: file.estimate(1000),
        lambda: Release.new(path, tmp_path / "c.toml"),
    ):
        with pytest.raises(InputError, match=r"c\.csv: column 'n' counts"):
            ask()
    assert not (tmp_path / "c.toml").exists()


def test_a_table_of_a_database(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "d.db") as database:
        database.execute("create table t (county text, sex text, n integer)")
        database.executemany("insert into t values (?, ?, ?)", [("A", "F", 3), ("A", "M", 4), ("B", "F", 9)])
    with pytest.raises(InputError, match="column 'n' counts"):
        RecordFile(f"sqlite:///{tmp_path / 'd.db'}", "county,sex", table="t").profile()
