import json

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*args):
    return CliRunner().invoke(cli, ["population", *args])


def test_list_shows_what_is_counted_and_what_is_modelled():
    done = run("list")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["population", "date", "people", "cells", "counted", "estimated", "modelled"]
    assert lines[2].split()[:3] == ["us-2000", "2000-04-01", "281,421,906"]
    assert "100 %" in lines[4]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_list_for_machines_has_every_column(form):
    done = run("list", "--format", form)
    assert done.exit_code == 0
    if form == "json":
        assert [row["people"] for row in json.loads(done.stdout)] == [281_421_906, 308_745_538, 331_449_281]
    else:
        assert done.stdout.startswith("population,date,people,cells,counted")


def test_show_says_how_it_was_made_and_how_good_it_is():
    done = run("show", "us-2020")
    assert done.exit_code == 0
    for words in ("how made:", "Method measured on 2010", "Puerto Rico", "P.L. 94-171", "100 % modelled"):
        assert words in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["show", "us-202"], "Did you mean 'us-2020'?"),
        (["build", "us-1990", "--from", "."], "population that can be built 'us-1990' is not known"),
        (["build", "us-2010", "--from", "nowhere"], "--from must name the folder of official tables"),
    ],
)
def test_mistakes_are_one_line(args, said, tmp_path):
    done = run(*args, *(["--out", str(tmp_path)] if args[0] == "build" else []))
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.output
    assert list(tmp_path.iterdir()) == []
