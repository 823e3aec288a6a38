"""Project files, read strictly."""

import datetime as dt

import pytest

from policy_sim.errors import SchemaError, SourceError
from policy_sim.io.release_project_files import load_project, parse_project

TEXT = """
title = "Visits"
[file]
location = "visits.csv"
missing = ["?"]
person = "mrn"
day = 2026-06-30
[variables.mrn]
role = "direct"
reason = "a number"
treatment = "pseudonym"
by = "A. Officer"
on = 2026-11-01
[variables.age]
role = "key"
kind = "age"
reason = "known"
widths = [5, 10]
top = 90
levels = ["5 wide", "10 wide"]
codes = { old = "90" }
[variables.sex]
role = "key"
reason = "known"
hierarchy = "sex.csv"
[variables.x]
role = "undecided"
[answers.release-model]
value = "public"
by = "A. Officer"
on = 2026-11-01
evidence = "minutes 7"
[answers.prevalence]
value = 0.01
[target]
aim = "risk"
threshold = "k=5"
[population]
source = "census"
states = ["OH"]
[settings]
limit = 0.02
local = true
key_file = "a.key"
[[analyses]]
name = "by sex"
statistic = "mean"
of = "age"
by = ["sex"]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sex.csv").write_text("F;*\nM;*\n")
    return tmp_path


def test_everything_is_read(folder):
    (folder / "p.toml").write_text(TEXT)
    project = load_project(folder / "p.toml")
    mrn, age, sex = project.variables
    assert (mrn.treatment, age.widths, age.top, age.levels) == ("pseudonym", (5, 10), 90, ("5 wide", "10 wide"))
    assert age.codes == (("old", "90"),)
    assert (sex.kind, sex.rows) == ("table", (("F", "*"), ("M", "*")))
    assert project.undecided == ("x",)
    assert project.classified == {"mrn": "A. Officer, 2026-11-01"}
    assert (project.file.missing, project.file.person, project.file.day) == (("", "?"), "mrn", dt.date(2026, 6, 30))
    assert project.answers["release-model"].evidence == "minutes 7"
    assert project.answers["prevalence"].value == "0.01"
    assert (project.target.aim, project.target.threshold) == ("risk", "k=5")
    assert (project.population.source, project.population.states) == ("census", ("OH",))
    assert (project.settings.limit, project.settings.local, project.settings.key_file) == (0.02, True, "a.key")
    assert project.analyses[0].by == ("sex",)


def test_every_problem_is_named_at_once(folder):
    text = TEXT.replace('role = "key"\nkind = "age"', 'role = "keys"\nkind = "age"')
    text = (
        text.replace('value = "public"', 'value = "publik"').replace("[5, 10]", '"5"').replace("top = 90", "top = 9.5")
    )
    text = text.replace('aim = "risk"', 'aim = "policy"') + '\n[answers.shoe]\nvalue = "1"\n[color]\na = 1\n'
    with pytest.raises(SchemaError) as raised:
        parse_project(text, "p.toml", folder)
    said = "\n".join(raised.value.lines)
    for part in ("keys", "publik", "widths", "top", "names a policy", "shoe", "color"):
        assert part in said


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("title =", "titel ="), "title is missing"),
        (('reason = "a number"\n', ""), "no reason for its role"),
        (('hierarchy = "sex.csv"', 'hierarchy = "none.csv"'), "hierarchy cannot be read"),
        (('statistic = "mean"', 'statistic = "mode"'), "mode"),
        (("limit = 0.02", 'limit = "much"'), "limit"),
        (('title = "Visits"', "title = Visits"), "is not TOML"),
    ],
)
def test_single_problems(folder, change, why):
    with pytest.raises(SchemaError, match=why):
        parse_project(TEXT.replace(*change), "p.toml", folder)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match="No such file"):
        load_project(tmp_path / "none.toml")
