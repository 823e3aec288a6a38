"""A new project names every column of its file, decides none, and replaces nothing."""

from __future__ import annotations

import pytest

from policy_sim.errors import OutputError, SourceError, UnknownNameError
from policy_sim.io.release_project_files import load_project
from policy_sim.release import Release
from policy_sim.release.new_project import write_new_project


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex\n" + "30,F\n31,M\n" * 20)
    return path


def test_every_column_is_there_and_undecided(visits, tmp_path):
    write_new_project(visits, tmp_path / "p.toml", "", "ipc-2016", None)
    project = load_project(tmp_path / "p.toml")
    assert (project.title, project.file.location, project.edition.name) == ("visits", "visits.csv", "ipc-2016")
    assert project.undecided == ("age", "sex")


def test_a_file_outside_the_project_s_folder_is_named_by_its_whole_place(visits, tmp_path):
    (tmp_path / "projects").mkdir()
    write_new_project(visits, tmp_path / "projects" / "p.toml", "Visits of May", "ipc-2016", None)
    project = load_project(tmp_path / "projects" / "p.toml")
    assert (project.title, project.file.location) == ("Visits of May", visits.resolve().as_posix())


def test_an_earlier_project_stays_and_a_missing_file_leaves_nothing(visits, tmp_path):
    (tmp_path / "p.toml").write_text("mine")
    with pytest.raises(OutputError, match="already exists"):
        write_new_project(visits, tmp_path / "p.toml", "", "ipc-2016", None)
    assert (tmp_path / "p.toml").read_text() == "mine"
    with pytest.raises(SourceError):
        write_new_project(tmp_path / "none.csv", tmp_path / "q.toml", "", "ipc-2016", None)
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
