import pytest

from policy_sim.errors import InputError
from policy_sim.sources.database.lists import all_lists, open_lists
from policy_sim.sources.database.query import run_query


def test_a_query_gives_its_rows(built):
    rows = run_query(built, "SELECT status, count(*) AS lists FROM voter_list WHERE vintage = '2008' GROUP BY status;")
    assert rows.set_index("status")["lists"].to_dict() == {"available": 31, "county_only": 1, "unknown": 19}


def test_a_query_over_evidence(built):
    rows = run_query(
        built,
        "WITH low AS (SELECT list_id FROM evidence WHERE item = 'price' AND confidence = 'low') "
        "SELECT state FROM voter_list WHERE vintage = '2008' AND id IN (SELECT list_id FROM low) ORDER BY state",
    )
    assert rows["state"].tolist() == ["IL", "IN", "MN", "OH", "TN", "WA"]


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM note",
        "UPDATE voter_list SET status = 'available'",
        "DROP TABLE note",
        "CREATE TABLE mine (a INTEGER)",
        "INSERT INTO permitted_use (name) VALUES ('fun')",
        "SELECT 1; DELETE FROM note",
        "COMMIT; DELETE FROM note",
        "ATTACH 'other.sqlite' AS other",
        "PRAGMA query_only = OFF",
        "SET TRANSACTION READ WRITE; DELETE FROM note",
        "VACUUM",
        "VACUUM INTO 'other.sqlite'",
        "WITH gone AS (DELETE FROM note RETURNING list_id) SELECT * FROM gone",
        "COMMIT",
        "BEGIN",
        "SET TRANSACTION READ WRITE",
        "COPY note TO STDOUT",
        "COPY note TO PROGRAM 'touch other.sqlite'",
        "EXPLAIN ANALYZE DELETE FROM note",
        "SELECT FROM WHERE",
        "  ; ",
    ],
)
def test_what_does_not_only_read_is_refused(built, query, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = all_lists(built)
    with pytest.raises(InputError, match="the query"):
        run_query(built, query)
    assert all_lists(built) == before
    assert not (tmp_path / "other.sqlite").exists()


def test_two_columns_of_one_name_are_refused(built):
    with pytest.raises(InputError, match="two columns of the query are called 'id'"):
        run_query(built, "SELECT id, id FROM voter_list")


def test_days_amounts_and_what_is_missing_are_alike_on_both(built):
    rows = run_query(
        built,
        "SELECT valid_from, valid_until, base_usd, CAST(free_records AS NUMERIC) AS free FROM voter_list "
        "JOIN price ON list_id = id WHERE state = 'AZ' AND vintage = '2026'",
    )
    assert rows.iloc[0].tolist() == ["2026-01-01", None, 328.13, 1_000_000]
    assert rows["valid_until"].isna().all()


def test_a_column_of_several_kinds_is_text(tmp_path):
    engine = open_lists(f"sqlite:///{tmp_path / 'lists.sqlite'}")
    rows = run_query(engine, "SELECT 1 AS a UNION ALL SELECT 'x' UNION ALL SELECT NULL")
    assert rows["a"].to_json(orient="values") == '["1","x",null]'


def test_whole_numbers_stay_whole_where_some_are_missing(built):
    rows = run_query(built, "SELECT 1 AS a UNION ALL SELECT NULL")
    assert sorted(rows.to_csv(index=False).split()) == ['""', "1", "a"]


def test_a_query_without_rows_has_its_columns(built):
    rows = run_query(built, "SELECT id, state FROM voter_list WHERE vintage = '1066'")
    assert (list(rows.columns), len(rows)) == (["id", "state"], 0)


def test_a_per_cent_sign_and_a_remark_mean_what_they_do_in_sql(built):
    assert run_query(built, "SELECT state FROM voter_list WHERE state LIKE 'OH%' -- all")["state"].unique() == ["OH"]
