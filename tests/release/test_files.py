"""Project files: made, read strictly, and changed in one place only, checked first and written whole."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pinned import pinned

from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.column_kinds import ColumnValues
from policy_sim.release import Release
from policy_sim.release.files import (
    load_agreements,
    load_project,
    new_project_text,
    parse_project,
    with_keys,
    without_table,
)
from policy_sim.words.errors import InputError, OutputError, SchemaError, SourceError, UnknownNameError

TEXT = """# head
title = "T"  # mine

# about the file
[file]
location = "a.csv"

# about b
[variables."Birth Date"]   # looks like a date
role = "key"
[answers.x]
value = "1"
"""


KEYS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=8)
VALUES = st.one_of(KEYS, st.integers(-(2**60), 2**60), st.booleans(), st.dates(), st.lists(KEYS, max_size=3))
CODED = {"role": "key", "codes": {"1": "M", 'a "b"': "F"}}


@settings(max_examples=60)
@given(st.sampled_from([("file",), ("variables", "Birth Date"), ("answers", "y")]), st.dictionaries(KEYS, VALUES))
@example(("variables", "Birth Date"), {"role": "other", "reason": 'says "x"'})
@example(("variables", "Birth Date"), CODED)  # a table inside a table
@example(("answers", "y"), {"value": "2"})  # a new table
@example(("file",), {"location": "b.csv"})
def test_a_table_is_set_and_everything_else_stays(keys, values):
    new = with_keys(TEXT, {keys: values})
    expected = tomllib.loads(TEXT)
    within = expected if len(keys) == 1 else expected[keys[0]]
    table = within[keys[-1]] = within.get(keys[-1], {}) | values
    assert tomllib.loads(new) == expected
    for kept in (
        "# head",
        "# mine",
        "# about the file",
        "# about b",
        "# looks like a date",
        '[answers.x]\nvalue = "1"',
    ):
        assert kept in new
    assert new.startswith(TEXT.rstrip()) or keys != ("answers", "y")  # a new table comes last
    assert with_keys(new, {keys: values}) == new
    for key in values:
        del table[key]
    assert tomllib.loads(with_keys(new, {keys: dict.fromkeys(values)})) == expected


def test_a_table_goes_without_its_neighbors():
    for key in ("file", "variables", "answers"):
        left, table = tomllib.loads(without_table(TEXT, key)), tomllib.loads(TEXT)
        del table[key]
        assert left == table
    assert without_table(TEXT, "nothing") == TEXT


def test_a_new_project_is_toml_whatever_the_columns_are_called():
    held = {name: ColumnValues(name, ["43215", "44101"], np.array([2, 3]), 0) for name in ('a "b"]\\', "]#", "zip")}
    text = new_project_text("p.toml", 'T "x"', "ipc-2016", "a.csv", held, ColumnMapping(), "", dt.date(2026, 11, 3))
    table = tomllib.loads(text)
    assert set(table["variables"]) == set(held)
    looks = table["variables"]["zip"].pop("looks")
    assert table["variables"]["zip"] == {"role": "undecided", "guess": "key", "kind": "zip", "reason": ""}
    assert looks.startswith("key field (zip5): ")
    assert looks.endswith(" 99999")
    assert "guess" not in table["variables"]["]#"]


# Project files, read strictly.


PROJECT = """
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
    (folder / "p.toml").write_text(PROJECT)
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
    text = PROJECT.replace('role = "key"\nkind = "age"', 'role = "keys"\nkind = "age"')
    for old, new in (('value = "public"', 'value = "publik"'), ("[5, 10]", '"5"'), ("top = 90", "top = 9.5")):
        text = text.replace(old, new)
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
        parse_project(PROJECT.replace(*change), "p.toml", folder)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match="No such file"):
        load_project(tmp_path / "none.toml")


def test_every_agreement_has_a_source_and_that_on_data_use_each_item_of_the_rule():
    items = load_agreements()["data_use_agreement"]["items"]
    assert [item.split(" ")[0] for item in items] == ["(A)", "(B)", "(C)(1)", "(C)(2)", "(C)(3)", "(C)(4)", "(C)(5)"]
    agreements = load_agreements()
    assert set(agreements) == {"clauses", "terms_of_use", "data_use_agreement", "expert_determination"}
    assert all(each["citation"] and each["items"] for each in agreements.values())
    assert len(agreements["clauses"]["items"]) == 4
    assert "164.514(b)(1)" in agreements["expert_determination"]["citation"]


# A change of a project is checked first, written whole, and touches nothing else in its file.


OURS = """# ours
title = "Visits"
edition = "ipc-2016"

[file]
location = "visits.csv"

[variables.age]    # looks like: a number
role = "undecided"
kind = "age"
reason = ""
# the end
"""
MORE = """
[variables.x1]
role = "undecided"
looks = "number"
reason = ""
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "p.toml").write_text(OURS)
    return Release(tmp_path / "p.toml")


def test_a_change_is_in_the_file_and_in_the_project_and_everything_else_stays(file):
    assert file.answer("invasion", "low", by="A. Officer", on="2026-11-01").value("invasion") == "low"
    again = Release(file.path)
    assert again.project == file.project
    assert again.project.answers["invasion"].on == dt.date(2026, 11, 1)
    file.set("settings", limit=0.1)
    file.set("settings", seed=3)
    assert file.path.read_text().startswith(OURS.rstrip())
    assert (file.project.settings.limit, file.project.settings.seed) == (0.1, 3)


def test_a_role_keeps_what_the_column_was_and_its_note(file):
    (age,) = file.classify("age", "key", "neighbors know it").variables
    assert (age.role, age.kind, age.reason) == ("key", "age", "neighbors know it")
    assert file.columns == ("age",)
    assert "# looks like: a number" in file.path.read_text()


def test_guesses_are_accepted_at_once_and_only_where_there_are_any(file):
    file.path.write_text(OURS.replace('kind = "age"', 'kind = "age"\nguess = "key"\nlooks = "ages"') + MORE)
    opened = Release(file.path)
    assert opened.accept_guesses(by="A. Officer", on="2026-11-01") == ("age",)
    (age,) = Release(file.path).project.variables
    assert (age.role, age.accepted, age.reason) == ("key", True, "accepted guess: ages")
    assert opened.project.undecided == ("x1",)
    with pytest.raises(InputError, match="need the name of the person"):
        opened.accept_guesses(by="")
    (decided,) = opened.classify("age", "other", "seen by the board").variables
    assert not decided.accepted


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda file: file.answer("invasion", "enormous"), UnknownNameError),
        (lambda file: file.answer("nothing", "low"), UnknownNameError),
        (lambda file: file.classify("age", "key", ""), SchemaError),
        (lambda file: file.set("settings", nothing=1), SchemaError),
        (lambda file: file.set("settings", limit=object()), InputError),
        (lambda file: file.set("file", missing=["?", None]), InputError),
        (lambda file: file.answer("invasion", "low", on="some day"), InputError),
    ],
)
def test_a_wrong_change_is_not_written(file, change, error):
    before = file.project
    with pytest.raises(error):
        change(file)
    assert file.path.read_text() == OURS
    assert file.project is before


def test_places_lists_and_tables_are_written_as_toml(file):
    file.set("file", location=Path("data") / "visits.csv", missing=["?"])
    assert (file.project.file.location, file.project.file.missing) == ("data/visits.csv", ("", "?"))
    (age,) = file.classify("age", "key", "known", codes={"1": "young", "2": None}).variables
    assert age.codes == (("1", "young"),)


_ANSWER = """
import sys
from policy_sim.release import Release
for _ in range(5):
    file = Release(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()
    file.answer(sys.argv[2], sys.argv[3], by="A. Officer")
    print("done", flush=True)
    sys.stdin.readline()
"""
AT_ONCE = pinned(
    {"invasion": "low", "responsible": "A. Officer"},
    {"invasion": "low", "release-model": "public", "attacker-knows": "yes", "responsible": "A. Officer"},
)


@pytest.mark.slow
def test_answers_given_at_once_are_all_kept(file):
    """Real processes that have all read the file before the first of them writes it."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", _ANSWER, str(file.path), question, answer],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for question, answer in AT_ONCE.items()
    ]

    def all_say(word):
        assert [run.stdout.readline() for run in runs] == [f"{word}\n"] * len(runs)

    def go_on():
        for run in runs:
            run.stdin.write("now\n")
            run.stdin.flush()

    for _ in range(5):
        all_say("ready")
        go_on()
        all_say("done")
        answers = Release(file.path).project.answers
        assert {question: answers[question].value for question in AT_ONCE} == AT_ONCE
        file.path.write_text(OURS)
        go_on()
    for run in runs:
        run.communicate()
        assert run.returncode == 0
    assert [path.name for path in file.path.parent.iterdir()] == ["p.toml"]


def test_a_key_file_outside_the_folder_of_the_project_is_refused(file):
    for name in ("../release.key", "/tmp/release.key", "keys/../../release.key"):
        with pytest.raises(SchemaError, match="key_file is outside the folder") as caught:
            file.set("settings", key_file=name)
        assert "\n" not in str(caught.value)
        assert file.path.read_text() == OURS


# A new project names every column of its file, decides none, and replaces nothing.


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex\n" + "30,F\n31,M\n" * 20)
    return path


def test_every_column_is_undecided_and_a_file_outside_the_folder_is_named_by_its_whole_place(visits, tmp_path):
    Release.new(visits, tmp_path / "p.toml")
    project = load_project(tmp_path / "p.toml")
    assert (project.title, project.file.location, project.edition.name) == ("visits", "visits.csv", "ipc-2016")
    assert project.undecided == ("age", "sex")
    (tmp_path / "projects").mkdir()
    Release.new(visits, tmp_path / "projects" / "p.toml", title="Visits of May")
    project = load_project(tmp_path / "projects" / "p.toml")
    assert (project.title, project.file.location) == ("Visits of May", visits.resolve().as_posix())


def test_an_earlier_project_stays_and_a_missing_file_leaves_nothing(visits, tmp_path):
    (tmp_path / "p.toml").write_text("mine")
    with pytest.raises(OutputError, match="already exists"):
        Release.new(visits, tmp_path / "p.toml")
    assert (tmp_path / "p.toml").read_text() == "mine"
    with pytest.raises(SourceError):
        Release.new(tmp_path / "none.csv", tmp_path / "q.toml")
    assert not (tmp_path / "q.toml").exists()


def test_a_mapping_says_what_columns_and_codes_mean(tmp_path):
    (tmp_path / "v.csv").write_text("GENDER_CD;YRS\n1;30\n2;?\n")
    (tmp_path / "m.toml").write_text(
        'separator = ";"\nmissing = ["?"]\n[fields.sex]\ncolumn = "GENDER_CD"\ncodes = { 1 = "M", 2 = "F" }\n'
        '[fields.age]\ncolumn = "YRS"\ntop = 90\n'
    )
    made = Release.new(tmp_path / "v.csv", tmp_path / "p.toml", mapping=tmp_path / "m.toml")
    assert made.project.file.missing == ("", "?")
    assert made.project.file.separator == ";"
    made.classify("GENDER_CD", "key", "known")
    made.classify("YRS", "key", "known")
    gender, years = made.project.variables
    assert (gender.kind, gender.codes, years.kind, years.top) == ("sex", (("1", "M"), ("2", "F")), "age", 90)


def test_a_policy_a_day_the_patient_and_open_ages_are_filled_in(tmp_path):
    rows = [f"Doe {at},M{at // 2},{'90+' if at == 3 else 30 + at},F" for at in range(20)]
    (tmp_path / "v.csv").write_text("Patient Name,MRN,age,sex\n" + "\n".join(rows) + "\n")
    made = Release.new(tmp_path / "v.csv", tmp_path / "p.toml", policy="safe-harbor").project
    assert (made.target.aim, made.target.policy) == ("policy", "safe-harbor")
    assert made.file.person == "MRN"
    assert made.missing_for_run == ("the role of a column to release",)
    assert "top = 90" in (tmp_path / "p.toml").read_text()
    with pytest.raises(UnknownNameError, match="safe-harbor"):
        Release.new(tmp_path / "v.csv", tmp_path / "q.toml", policy="safe-harbour")
    assert not (tmp_path / "q.toml").exists()
