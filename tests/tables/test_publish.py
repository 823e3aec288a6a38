"""A file made fit to publish, and its certificate: what was changed afterwards is refused."""

from __future__ import annotations

import json
import random
import shutil
from functools import partial
from pathlib import Path

import pytest
from small_people import invoke

from benchmarks.tables import changed
from policy_sim.files.writing import sha256_of
from policy_sim.tables.files import Layout, read_counts
from policy_sim.tables.ledger import why_folder_refused
from policy_sim.tables.table import intervals

TABLE = """county,under 15,15-44,45-64,65+,Total
Allen,3,25,40,12,80
Boone,14,60,0,33,107
Clark,30,8,22,41,101
Total,47,93,62,86,288
"""
HOPELESS = "a,b,c,Total\nx,15,0,15\ny,5,0,5\nz,0,30,30\nTotal,20,30,50\n"


_table = partial(invoke, "table")


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weekly")
    (folder / "counts.csv").write_text(TABLE, encoding="utf-8")
    outcome = _table("protect", folder / "counts.csv", "--rule", "cms", "--out", folder / "out")
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stdout.startswith("READY: rule cms-11 hides 2 cells")
    return folder / "out"


def test_the_table_keeps_its_layout_and_only_stars_are_new(published):
    before, after = (text.split("\n") for text in (TABLE, (published / "send/table.csv").read_text(encoding="utf-8")))
    for old, new in zip(before, after, strict=True):
        for one, other in zip(old.split(","), new.split(","), strict=True):
            assert other in (one, "*")
    assert sum(line.count("*") for line in after) == 6  # 3 and 8, and the cheapest four that make cycles with them
    assert "45-64" in after[0]
    assert after[2] == before[2]


def test_an_audit_of_the_written_table_alone_finds_the_promised_range(published):
    table = read_counts(published / "send/table.csv", Layout()).table()
    ends = {each.key: each for each in intervals(table, {cell.key: (1, None) for cell in table.cells})}
    for key in (("Allen", "under 15"), ("Clark", "15-44")):
        assert ends[key].least <= 1
        assert ends[key].greatest is None or ends[key].greatest >= 10


def test_counts_that_nobody_declared_are_named_and_do_not_go_out(tmp_path):
    """A second column of counts is neither a label nor audited: it is left out."""
    text = "county,cases,deaths\nAllen,40,3\nMercer,7,2\nLucas,30,20\nTotal,77,25\n"
    (tmp_path / "two.csv").write_text(text, encoding="utf-8")
    asked = _table("check", tmp_path / "two.csv", "--rule", "cms", "--key", "county", "--total", "none")
    assert asked.exit_code in (1, 2)
    words = ("protect", tmp_path / "two.csv", "--rule", "cms", "--count", "cases")
    done = _table(*words, "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert "Left out, not audited: deaths" in done.output
    written = (tmp_path / "out" / "send/table.csv").read_text(encoding="utf-8").splitlines()
    assert written[0] == "county,cases"
    assert all(line.count(",") == 1 for line in written)


def test_the_certificate_holds(published):
    outcome = _table("verify", published)
    assert (outcome.exit_code, outcome.stdout[:6]) == (0, "READY:")


def test_thirty_certificates_with_one_number_changed_are_refused(published):
    """By the sums alone: the message names no checksum."""
    rng = random.Random(27)
    assert all(changed(published, rng) for _ in range(30))


RUNNING = """week,cases,cumulative
week 10,12,12
week 11,27,39
week 12,8,47
week 13,129,176
week 14,9,185
week 15,41,226
"""


def test_changed_tables_of_a_proof_are_refused_by_the_equations_of_the_files(tmp_path):
    """Running totals are found in the files alone; a manifest with the checksum of the changed proof is no help."""
    (tmp_path / "weeks.csv").write_text(RUNNING, encoding="utf-8")
    assert _table("protect", tmp_path / "weeks.csv", "--rule", "cms", "--out", tmp_path / "out").exit_code == 0
    assert _table("verify", tmp_path / "out").exit_code == 0
    path, manifest = tmp_path / "out/keep/proof.json", tmp_path / "out/manifest.json"
    proof, written = json.loads(path.read_text()), json.loads(manifest.read_text())
    changes = [(at, own) for at, table in enumerate(proof["tables"]) for own in range(len(table))]
    assert len(changes) >= 4
    for at, own in changes:
        proof["tables"][at][own] += 1
        path.write_text(json.dumps(proof))
        proof["tables"][at][own] -= 1
        written["files"]["keep/proof.json"] = sha256_of(path)
        manifest.write_text(json.dumps(written))
        outcome = _table("verify", tmp_path / "out")
        assert (outcome.exit_code, outcome.output[:9], "checksum" in outcome.output) == (1, "NOT READY", False)


def test_every_number_of_the_table_changed_is_refused(published, tmp_path):
    lines = [line.split(",") for line in (published / "send/table.csv").read_text(encoding="utf-8").splitlines()]
    places = [(at, own) for at, line in enumerate(lines) for own, text in enumerate(line) if at and text.isdigit()]
    for at, own in places:
        folder = shutil.copytree(published, tmp_path / f"{at}-{own}")
        lines_changed = [list(line) for line in lines]
        lines_changed[at][own] = str(int(lines[at][own]) + 1)
        (folder / "send/table.csv").write_text("\n".join(map(",".join, lines_changed)) + "\n", encoding="utf-8")
        (folder / "manifest.json").unlink()  # without a checksum that would tell: the sums alone have to
        outcome = _table("verify", folder)
        assert (outcome.exit_code, outcome.output[:9]) == (1, "NOT READY")
        assert "manifest.json" not in outcome.output  # which is named only where the sums find nothing


def test_what_no_sum_sees_the_checksum_does(published, tmp_path):
    folder = shutil.copytree(published, tmp_path / "out")
    (folder / "keep/hidden.csv").write_text("cell,hidden_as,why\n", encoding="utf-8")
    assert "hidden.csv is not as it was written" in why_folder_refused(folder)


def test_no_safe_pattern_is_an_answer_with_ways_out_and_nothing_is_written(tmp_path):
    """By hand: row y has 5 people and its total of 5; criterion D asks for 11."""
    (tmp_path / "hopeless.csv").write_text(HOPELESS, encoding="utf-8")
    asked = ("--rule", "cms", "--criterion", "D", "--total", "Total", "--out", tmp_path / "out")
    outcome = _table("protect", tmp_path / "hopeless.csv", *asked)
    assert (outcome.exit_code, outcome.stdout[:10]) == (1, "NOT READY:")
    assert "hide zeros too" in outcome.stdout
    assert not (tmp_path / "out").exists()


def test_totals_are_hidden_and_named_where_nothing_else_protects_a_count(tmp_path):
    (tmp_path / "hopeless.csv").write_text(HOPELESS, encoding="utf-8")
    asked = ("--rule", "cms", "--criterion", "E", "--total", "Total", "--out", tmp_path / "out")
    outcome = _table("protect", tmp_path / "hopeless.csv", *asked)
    assert outcome.exit_code == 0
    assert "Hidden totals:" in " ".join(outcome.stdout.split())
    assert _table("verify", tmp_path / "out").exit_code == 0


def test_a_mark_without_a_meaning_and_a_hidden_count_are_asked_for(tmp_path):
    (tmp_path / "counts.csv").write_text(TABLE.replace(",3,", ",-,"), encoding="utf-8")
    outcome = _table("protect", tmp_path / "counts.csv", "--rule", "cms")
    assert outcome.exit_code == 2
    assert len(outcome.stderr.splitlines()) == 1
    (tmp_path / "counts.csv").write_text(TABLE.replace(",3,", ",*,"), encoding="utf-8")
    outcome = _table("protect", tmp_path / "counts.csv", "--rule", "cms")
    assert (outcome.exit_code, "has no count" in outcome.stderr) == (2, True)


WEEKS = """county,week 19,week 20,week 21,Total
Adams,4,12,31,47
Brown,0,2,15,17
Clark,22,18,9,49
Dover,13,40,52,105
Total,39,72,107,218
"""


def test_columns_named_after_weeks_are_counts(tmp_path):
    (tmp_path / "weekly.csv").write_text(WEEKS, encoding="utf-8")
    outcome = _table("protect", tmp_path / "weekly.csv", "--rule", "cms", "--out", tmp_path / "out", "--format", "json")
    assert outcome.exit_code == 0
    assert {row["cell"] for row in json.loads(outcome.stdout)["cells"] if row["hidden_as"] == "primary"} == {
        "Adams, week 19",
        "Brown, week 20",
        "Clark, week 21",
    }
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "weekly-table.md").read_text(encoding="utf-8")
    assert (tmp_path / "out" / "send/table.csv").read_text(encoding="utf-8") in page


def test_where_nothing_adds_up_only_what_the_rule_hides_is_hidden_and_it_is_said(tmp_path):
    (tmp_path / "counts.csv").write_text("county,n\nAdams,4\nBrown,17\n", encoding="utf-8")
    outcome = _table("protect", tmp_path / "counts.csv", "--rule", "cms", "--out", tmp_path / "out")
    assert (outcome.exit_code, outcome.stdout[:6]) == (0, "READY:")
    assert "Nothing was found to add up" in " ".join(outcome.stdout.split())
    assert (tmp_path / "out/send/table.csv").read_text(encoding="utf-8") == "county,n\nAdams,*\nBrown,17\n"


def test_what_other_ways_lose_and_whose_counts_are_hidden(tmp_path):
    """By hand: of 18 counts 12 are no multiple of 5; Floyd's and Clark's are all shown."""
    (tmp_path / "births.csv").write_text(
        "county,White,Black,Asian,Total\nAdams,120,9,14,143\nBrown,88,31,7,126\nClark,140,27,22,189\nDover,40,3,0,43\n"
        "Evans,20,13,12,45\nFloyd,320,113,42,475\nTotal,728,196,97,1021\n",
        encoding="utf-8",
    )
    outcome = _table("protect", tmp_path / "births.csv", "--rule", "cms", "--compare", "--format", "json")
    rows = {row["way"]: row for row in json.loads(outcome.stdout)}
    assert (rows["round to 5"]["cells"], rows["round to 5"]["people"]) == (12, 21)
    assert [rows[f"hidden of county {name}"]["cells"] for name in ("Clark", "Floyd")] == [0, 0]
    parts = [rows[f"hidden of the {size} third by county"]["cells"] for size in ("smallest", "middle", "largest")]
    assert sum(parts) == rows["hide further cells (as written)"]["cells"]
