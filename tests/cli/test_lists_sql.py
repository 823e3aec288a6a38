"""``policy-sim lists sql`` and ``lists build``: one read-only query, and the database made again."""

import pytest
from small_people import one_line, rows, run


@pytest.fixture(autouse=True)
def _own_database(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_DATABASE", f"sqlite:///{tmp_path / 'lists.sqlite'}")
    run("lists", "build")


def test_a_query_counts_the_lists_that_were_built():
    (row,) = rows("lists", "sql", "SELECT count(*) AS lists FROM voter_list")
    assert f"{row['lists']} lists are in" in run("lists", "build").output


def test_a_query_without_rows_has_its_columns():
    done = run("lists", "sql", "SELECT state FROM voter_list WHERE state = 'ZZ'", "--format", "csv")
    assert done.stdout.splitlines() == ["state"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    ["DELETE FROM voter_list", "DROP TABLE price", "SELEC 1", "SELECT 1; SELECT 2", "", "SELECT x FROM no"],
)
def test_what_is_no_question_is_one_line_and_changes_nothing(query):
    before = rows("lists", "sql", "SELECT count(*) AS lists FROM voter_list")
    one_line("lists", "sql", query)
    assert rows("lists", "sql", "SELECT count(*) AS lists FROM voter_list") == before


def test_the_password_of_an_address_is_not_shown():
    assert "secret" not in one_line(
        "lists", "sql", "SELECT 1", "--database", "postgresql://me:secret@nowhere.invalid/x"
    )
