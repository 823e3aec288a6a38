import csv
import io
import json

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def _run(*args):
    return CliRunner().invoke(cli, ["lists", *args])


@pytest.mark.parametrize("state", ["OH", "39", "ohio"])
def test_show_as_json_has_every_fact_with_source_and_date(state):
    run = _run("show", state, "--lists", "2008", "--format", "json")
    assert run.exit_code == 0, run.output
    facts = {row["item"]: row for row in json.loads(run.stdout)}
    assert facts["birth"]["value"] == "included (year)"
    assert facts["geography"]["value"] == "included (county)"
    assert facts["gender"]["value"] == "withheld"
    assert "10.1136/jamia.2009.000026" in facts["birth"]["sources"]
    assert facts["birth"]["date"] == "2008"
    assert facts["price"]["value"] == "free"
    assert facts["uses"]["value"] == "unknown"


def test_show_as_csv():
    run = _run("show", "WI", "--lists", "2008", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(run.stdout)))
    assert [row["item"] for row in rows][-3:] == ["price", "buyers", "uses"]


def test_show_for_the_eye_tells_conflicts_notes_and_sources():
    run = _run("show", "WI", "--lists", "2008")
    assert run.exit_code == 0, run.output
    for text in ("Wisconsin: voter list, vintage 2008", "Sources disagree", "72 re-identifications", "bm-deduced: "):
        assert text in run.stdout


def test_the_newest_list_is_the_default():
    assert "vintage 2026" in _run("show", "OH").stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("show", "Ohoi"), "state 'Ohoi' is not known"),
        (("show", "PR"), "state with a voter list: 'PR' is not known"),
        (("show", "OH", "--lists", "1999"), "vintage of the voter lists '1999' is not known"),
    ],
)
def test_bad_input_is_one_clear_line(args, said):
    run = _run(*args)
    assert run.exit_code == 2
    assert said in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
    assert run.stdout == ""
