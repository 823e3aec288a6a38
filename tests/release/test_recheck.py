"""Does a verdict still hold: a changed file, an overlap, a passed day."""

from __future__ import annotations

import csv
import datetime as dt

import numpy as np
import pytest

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.recheck import overlapping_table, project_of
from policy_sim.show.document.blocks import Document, Verbatim
from policy_sim.show.document.html_document import html_document
from policy_sim.words.errors import InputError, SourceError


def checks(release, out, **options):
    return {row["check"]: row for row in release.recheck(out, **options)}


@pytest.mark.slow
def test_a_fresh_release_holds_until_its_day(release, tmp_path):
    release.run(tmp_path / "out")
    fresh = checks(release, tmp_path / "out", today=dt.date(2026, 12, 1))
    assert {row["holds"] for row in fresh.values()} == {"yes"}
    late = checks(release, tmp_path / "out", today=dt.date(2027, 12, 1))
    assert late["the date of re-assessment"]["why"] == "overdue"
    assert late["the date of re-assessment"]["holds"] == "no"


@pytest.mark.slow
def test_a_changed_file_is_noticed(release, tmp_path):
    release.run(tmp_path / "out")
    path = tmp_path / "out" / "release.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    assert checks(release, tmp_path / "out")["the released file is unchanged"]["holds"] == "no"


@pytest.mark.slow
def test_a_stricter_answer_changes_the_verdict(release, tmp_path):
    release.run(tmp_path / "out")
    release.answer("invasion", "high")
    row = checks(release, tmp_path / "out")["the file, by today's answers"]
    assert row["holds"] == ("yes" if "smallest class 2" in row["why"] else "no")
    assert "20 records" in row["now"]


@pytest.mark.slow
def test_two_releases_together_tell_more(release, tmp_path):
    """A second file under the same key gives each patient's county again; by both columns somebody is alone."""
    release.run(tmp_path / "out")
    with (tmp_path / "out" / "release.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (tmp_path / "other.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["mrn", "town"])
        writer.writerows([row["mrn"], f"town {at % 97}"] for at, row in enumerate(rows))
    found = checks(release, tmp_path / "out", overlap=tmp_path / "other.csv", overlap_on="mrn")
    assert found["people who are also in other.csv, by the columns of both files"]["holds"] == "no"


def test_the_rows_that_two_files_share():
    one = CodedTable({"p": CodedColumn.of(["a", "b", "b", ""]), "age": CodedColumn.of(["1", "2", "3", "4"])})
    two = CodedTable({"p": CodedColumn.of(["b", "c", ""]), "age": CodedColumn.of(["x", "y", "z"])})
    joined, whose = overlapping_table(one, two, "p")
    assert joined["age"].texts().tolist() == ["2", "3"]
    assert joined["other age"].texts().tolist() == ["x", "x"]
    np.testing.assert_array_equal(whose, [0, 0])
    for wrong in ("", "q"):
        with pytest.raises(InputError, match="a column that both releases have"):
            overlapping_table(one, two, wrong)
    with pytest.raises(InputError, match="have no value of"):
        overlapping_table(one, two.take(np.array([False, True, False])), "p")


@pytest.mark.slow
def test_newer_people_need_a_census(release, tmp_path):
    release.run(tmp_path / "out")
    with pytest.raises(InputError, match="with a census population"):
        release.recheck(tmp_path / "out", population="us-2022")


# Projects inside dossiers.


def test_a_dossier_lends_its_project_and_leaves_nothing(tmp_path):
    text = 'title = "A & B"\r\n# <é>\n'
    (tmp_path / "d.html").write_bytes(html_document(Document("D", "a line", (Verbatim(text, "project"),))))
    with project_of(tmp_path / "d.html") as path:
        assert path.parent == tmp_path
        assert path.read_text(encoding="utf-8").replace("\r", "") == text.replace("\r", "")
    assert [each.name for each in tmp_path.iterdir()] == ["d.html"]


def test_a_project_file_is_itself(tmp_path):
    with project_of(tmp_path / "p.toml") as path:
        assert path == tmp_path / "p.toml"


def test_pages_that_carry_no_project(tmp_path):
    (tmp_path / "d.html").write_text("<p>")
    with pytest.raises(InputError, match="not the dossier"), project_of(tmp_path / "d.html"):
        pass
    with pytest.raises(SourceError, match="No such file"), project_of(tmp_path / "none.html"):
        pass
