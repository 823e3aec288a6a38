"""``dataset check`` on a file as exports leave them, and the mapping it writes in the next command."""

import json
import shlex

import pytest
from click.testing import CliRunner

from policy_sim import RecordFile
from policy_sim.cli.main import cli

MESSY = """\
,Patient_ID,Patient Name,DOB,Gender,ZIP,County FIPS,Dx
1,100,Ann Lee,1980-04-01,F,06010,9003,E11
2,100,Ann Lee,1980-04-01,f,6010,9003,E11
3,101,Bo Poe,1971-05-06,M,06010,9003,I10
4,102,Cy Roe,NA,M,6011,09003,I10
5,103,Di Toe,1999-12-31,M,06012,09003,J45
"""
SECRETS = ("Lee", "Poe", "1980", "6010", "E11", "9003")


def run(*arguments):
    return CliRunner().invoke(cli, ["dataset", *map(str, arguments)], prog_name="policy-sim")


@pytest.fixture
def messy(tmp_path):
    path = tmp_path / "messy.csv"
    path.write_text(MESSY, encoding="utf-8-sig")
    return path


@pytest.mark.slow
def test_kinds_and_findings_without_a_value(messy):
    done = run("check", messy)
    assert done.exit_code == 0, done.output
    for text in (
        "Patient Name  direct identifier",
        "birth_date",
        "several records of one person, at most 2",
        "leading zeros",
    ):
        assert text in done.output
    assert not [secret for secret in SECRETS if secret in done.output]


@pytest.mark.slow
def test_the_mapping_serves_the_next_command(messy, tmp_path):
    mapping = tmp_path / "messy.toml"
    assert run("check", messy, "--write-mapping", mapping).exit_code == 0
    done = run("profile", messy, "--fields", "sex,county", "--mapping", mapping, "--format", "json")
    assert done.exit_code == 0, done.output
    figures = {row["measure"]: row["number"] for row in json.loads(done.stdout)}
    assert figures["classes"] == 2  # F and f are one sex, 9003 and 09003 one county


@pytest.mark.slow
def test_the_verdict_is_first_and_the_next_command_last(messy, tmp_path):
    done = run("check", messy, "--write-mapping", tmp_path / "m.toml")
    assert done.stdout.startswith("This file is not Safe Harbor as it is")
    following = done.stderr.splitlines()[1].removeprefix("next, to measure: policy-sim dataset ")
    assert run(*shlex.split(following)).exit_code == 0, following


def test_a_mapping_that_exists_is_not_overwritten(messy, tmp_path):
    mapping = tmp_path / "mine.toml"
    mapping.write_text("mine")
    done = run("check", messy, "--write-mapping", mapping)
    assert (done.exit_code, mapping.read_text()) == (2, "mine")
    assert done.stderr == f"Error: {mapping} already exists. Choose another name.\n"


@pytest.mark.slow
def test_machine_formats_and_files(messy, tmp_path):
    done = run("check", messy, "--format", "csv", "--out", tmp_path / "out")
    assert done.stdout.splitlines()[0] == "column,kind,field,records,missing,values,reason,looks_like,safe_harbor"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "columns.csv",
        "findings.csv",
        "manifest.json",
    ]


def test_from_python(messy):
    result = RecordFile.check(messy, missing_codes=["NA"])
    assert result.to_frame().set_index("column").loc["DOB", "missing"] == 1
    assert "Lee" not in repr(result)


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "is empty"), ("a,a\n1,2\n", "no column has a unique name")],
)
def test_a_file_with_nothing_to_look_at_is_one_line(tmp_path, text, message):
    path = tmp_path / "f.csv"
    path.write_text(text)
    done = run("check", path)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_table_of_a_database(tmp_path):
    import sqlalchemy

    address = f"sqlite:///{tmp_path / 'clinic.db'}"
    database = sqlalchemy.create_engine(address)
    with database.begin() as connection:
        connection.execute(sqlalchemy.text("create table visits (sex text, age integer)"))
        connection.execute(sqlalchemy.text("insert into visits values ('M', 30), ('F', 41)"))
    database.dispose()
    done = run("check", address, "--table", "visits", "--format", "csv")
    assert done.exit_code == 0, done.output
    assert [line.split(",")[:3] for line in done.stdout.splitlines()[1:]] == [
        ["sex", "key field", "sex"],
        ["age", "key field", "age"],
    ]
    missing = run("check", address, "--table", "visit")
    assert missing.exit_code == 2
    assert "visits" in missing.stderr


def test_a_list_of_records_needs_a_folder_and_holds_no_value(messy, tmp_path):
    alone = run("profile", messy, "--fields", "Gender,ZIP", "--records")
    assert (alone.exit_code, alone.stderr.count("\n")) == (2, 1)
    assert "--records needs --out" in alone.stderr
    assert run("profile", messy, "--fields", "Gender,ZIP", "--records", "--out", tmp_path / "out").exit_code == 0
    lines = (tmp_path / "out" / "records.csv").read_text().splitlines()
    assert lines[0] == "row,class_size,risk,suda_score,match_chance,status"
    assert len(lines) == 6
    assert not [secret for secret in SECRETS if secret in "\n".join(lines)]
