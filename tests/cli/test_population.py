import json

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*args):
    return CliRunner().invoke(cli, ["population", *args])


def test_list_shows_what_is_counted_and_what_is_modeled():
    done = run("list")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    lines = lines[next(at for at, line in enumerate(lines) if line.startswith("population ")) :]
    assert lines[0].split() == ["population", "date", "people", "cells", "counted", "estimated", "modeled"]
    assert lines[2].split()[:3] == ["us-2000", "2000-04-01", "281,421,906"]
    assert "100%" in lines[5]
    assert lines[4].startswith("us-2010-zip")
    assert "not yet counted" in lines[4]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_list_for_machines_has_every_column(form):
    done = run("list", "--format", form)
    assert done.exit_code == 0
    if form == "json":
        rows = json.loads(done.stdout)
        assert [row["people"] for row in rows] == [
            281_421_906,
            308_745_538,
            308_745_538,
            331_449_281,
            331_449_281,
            333_287_557,
        ]
        assert [row["cells"] is None for row in rows] == [False, False, True, False, True, False]
    else:
        assert done.stdout.startswith("population,date,people,cells,counted")


def test_show_says_how_it_was_made_and_how_good_it_is():
    done = run("show", "us-2020")
    assert done.exit_code == 0
    for words in ("how made:", "Method measured on Texas 2010", "Puerto Rico", "P.L. 94-171", "100% modeled"):
        assert words in " ".join(done.stdout.split())


def test_show_knows_what_is_made_when_asked_for():
    said = " ".join(run("show", "us-2010-zip").stdout.split())
    for words in ("assigned to its ZIP code areas", "100% modeled", "zcta_county_2010.parquet"):
        assert words in said
    rows = json.loads(run("show", "us-2010-zip", "--format", "json").stdout)
    assert "None" not in {row["value"] for row in rows}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["show", "us-202"], "Did you mean 'us-2022'?"),
        (["build", "us-1990", "--from", "."], "population that can be built 'us-1990' is not known"),
        (["build", "us-2010", "--from", "nowhere"], "Name the folder of official tables"),
    ],
)
def test_mistakes_are_one_line(args, said, tmp_path):
    done = run(*args, *(["--out", str(tmp_path)] if args[0] == "build" else []))
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
