"""Records that are a table of a database: the same classes as from a file, and nothing of the password."""

import numpy as np
import pandas as pd
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.records.classes import Classes
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.records.engines.sources import open_records
from policy_sim.words.errors import SourceError

FIELDS = ("age", "sex", "admitted", "weight")


def _visits(url, schema=None):
    rng = np.random.default_rng(4)
    rows = [
        {
            "age": int(age),
            "sex": None if sex == 0 else "MF"[sex % 2],
            "admitted": pd.Timestamp(2020, 1, int(day)).date(),
            "weight": None if weight == 0 else weight / 4,
        }
        for age, sex, day, weight in rng.integers((0, 0, 1, 0), (9, 7, 5, 4), (700, 4)).tolist()
    ]
    database = sa.create_engine(url)
    columns = (sa.Integer, sa.Text, sa.Date, sa.Double)
    table = sa.Table("visits", sa.MetaData(), *map(sa.Column, FIELDS, columns), schema=schema)
    with database.begin() as connection:
        if schema:
            connection.execute(sa.schema.CreateSchema(schema))
        table.create(connection)
        connection.execute(table.insert(), rows)
    database.dispose()
    return [tuple(row.values()) for row in rows]


def test_a_table_has_the_classes_of_its_rows(url):
    rows = _visits(url)
    expected = Classes.of_rows(rows, FIELDS)
    with open_engine(memory="500MB") as engine:
        grouped = engine.group(open_records(url, FIELDS, table="visits"))
        classes = grouped.classes()
        assert classes.histogram == expected.histogram
        assert classes.missing == expected.missing
        assert classes.values == expected.values
        assert grouped.values_of("admitted") == [f"2020-01-0{day}" for day in range(1, 5)]


@pytest.mark.slow
@pytest.mark.postgres
def test_a_table_of_a_schema_on_the_command_line(postgres_url, tmp_path):
    rows = _visits(postgres_url, "clinic")
    pd.DataFrame(rows, columns=FIELDS).to_csv(tmp_path / "visits.csv", index=False)
    asked = ("--fields", ",".join(FIELDS), "--format", "csv")
    ours = CliRunner().invoke(cli, ["dataset", "profile", postgres_url, "--table", "clinic.visits", *asked])
    theirs = CliRunner().invoke(cli, ["dataset", "profile", str(tmp_path / "visits.csv"), *asked])
    assert (ours.exit_code, theirs.exit_code) == (0, 0), ours.output
    assert ours.stdout == theirs.stdout
    assert "lists@" not in ours.output


@pytest.mark.postgres
def test_what_the_server_refuses_is_one_line_without_the_password(postgres_url):
    wrong = postgres_url.replace("lists@", "nobody:Schmidt@")
    with open_engine() as engine, pytest.raises(SourceError, match="check that you can reach it") as caught:
        engine.group(open_records(wrong, ["age"], table="visits"))
    assert "Schmidt" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.postgres
def test_not_a_number_of_postgresql_is_missing(postgres_url):
    database = sa.create_engine(postgres_url)
    with database.begin() as connection:
        connection.execute(sa.text("CREATE TABLE nans (a double precision, b numeric)"))
        connection.execute(sa.text("INSERT INTO nans VALUES ('NaN', 'NaN'), (1, 1), (NULL, NULL)"))
    database.dispose()
    with open_engine(memory="200MB") as engine:
        assert engine.group(open_records(postgres_url, ["a", "b"], table="nans")).missing() == (2, 2)


def _nothing_in(*texts):
    for text in texts:
        assert not [form for form in ("Tr0ub4dor", "dor&3", "dor%263") if form in text], text


@pytest.mark.slow
@pytest.mark.postgres
def test_the_commands_that_come_next_leave_the_password_to_the_reader(postgres_url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url = sa.make_url(postgres_url)
    source = sa.create_engine(url)
    with source.begin() as connection:
        connection.execute(sa.text("create table visits (age text, sex text)"))
        connection.execute(sa.text("insert into visits values ('30', 'M'), ('41', 'F')"))
    source.dispose()
    in_user = url.set(username=url.username or "postgres", password="Tr0ub4dor&3").render_as_string(hide_password=False)
    in_query = url.set(query={**url.query, "password": "Tr0ub4dor&3"}).render_as_string(hide_password=False)
    for at, address in enumerate((in_user, in_query)):
        for more in ([], ["--write-mapping", f"mapping{at}.toml"], ["--out", f"out{at}"]):
            done = CliRunner().invoke(cli, ["dataset", "check", address, "--table", "visits", *more])
            assert done.exit_code == 0, done.stderr
            assert "--table visits" in done.stderr
            assert "the full address again" in done.stderr
            assert "release new postgres" not in done.stderr  # a release is made from a file
            _nothing_in(done.output, done.stderr)
        profiled = CliRunner().invoke(
            cli, ["dataset", "profile", address, "--table", "visits", "--fields", "age,sex", "--out", f"profile{at}"]
        )
        assert profiled.exit_code == 0, profiled.stderr
        _nothing_in(profiled.output, profiled.stderr)
    _nothing_in(*(path.read_bytes().decode(errors="replace") for path in tmp_path.rglob("*") if path.is_file()))
    new = CliRunner().invoke(cli, ["release", "new", in_user, "release.toml"])
    assert (new.exit_code, new.stderr.count("\n")) == (2, 1)
    assert "Export the table to a file first" in new.stderr
    _nothing_in(new.stderr)
