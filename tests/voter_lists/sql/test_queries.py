"""Questions in SQL that can change nothing."""

from __future__ import annotations

from itertools import count

import pytest

from policy_sim.voter_lists.sql.database import open_engine
from policy_sim.voter_lists.sql.stored_lists import all_lists, open_lists, run_query
from policy_sim.words.errors import InputError, SourceError

_roles = count()


@pytest.mark.slow
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


@pytest.mark.slow
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
    with pytest.raises(InputError, match=r"two columns .* 'id'"):
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
    engine = open_lists(f"sqlite:///{tmp_path / 'lists.sqlite'}", make=True)
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


@pytest.mark.parametrize("query", ["SELECT 9e999 AS n", "SELECT -9e999 AS n", "SELECT 1 AS a, 9e999 AS n"])
def test_a_number_without_end_is_one_line(built, query):
    with pytest.raises(InputError, match=r"column 'n' .* infinite"):
        run_query(built, query)


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) AS most FROM c WHERE x < 0"


@pytest.mark.slow
def test_a_query_without_end_is_given_up(filled_url):
    with pytest.raises(SourceError, match="no answer within 1 seconds"):
        run_query(open_engine(filled_url, seconds=1), ENDLESS)


def test_too_many_rows_and_too_long_values_are_refused(built):
    with pytest.raises(InputError, match="more than 1,000,000 rows"):
        run_query(built, "SELECT 1 AS a FROM citation, evidence AS b, note AS c LIMIT 1000001")
    if built.dialect.name == "sqlite":
        with pytest.raises(InputError, match="refused: string or blob too big"):
            run_query(built, "SELECT length(zeroblob(999999999)) AS a")


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.parametrize("grant", ["ALTER ROLE x SUPERUSER", "GRANT pg_read_server_files TO x", "GRANT postgres TO x"])
def test_a_role_that_reads_files_of_the_server_is_refused(postgres, postgres_url, grant):
    import psycopg

    name = f"role{next(_roles)}"
    with psycopg.connect(f"host={postgres} user=postgres dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN")
        connection.execute(
            grant.replace("x", name, 1) if grant.startswith("ALTER") else grant.replace(" x", f" {name}")
        )
    open_lists(postgres_url).dispose()
    theirs = open_engine(postgres_url.replace("lists@", f"{name}@"))
    with pytest.raises(InputError, match=r"role may read the server.s files.*only SELECT"):
        run_query(theirs, "SELECT pg_read_file('/etc/hostname') AS secret")


@pytest.mark.slow
@pytest.mark.postgres
def test_a_role_that_may_only_select_is_enough(postgres, postgres_url):
    import psycopg

    name = f"role{next(_roles)}"
    open_lists(postgres_url).dispose()
    database = postgres_url.partition("@/")[2].partition("?")[0]
    with psycopg.connect(f"host={postgres} user=postgres dbname={database}", autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN")
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}")
    address = postgres_url.replace("lists@", f"{name}@")
    assert run_query(open_lists(address), "SELECT count(*) AS n FROM state")["n"].tolist() == [51]
