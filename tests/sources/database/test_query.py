import pytest

from policy_sim.errors import InputError
from policy_sim.sources.database.lists import all_lists
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
