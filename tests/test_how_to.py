"""What the how-to pages and the tutorials tell a reader to type works as it is printed there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pandas as pd
import pytest
from small_people import run

from policy_sim.study.study import Study

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted((DOCS / "how-to").glob("*.md")), *sorted(DOCS.glob("tutorial-*.md"))]

pytestmark = pytest.mark.slow


def blocks(page: Path, language: str) -> list[str]:
    """What stands in the fences of a language; a plain fence has none, and is typed into a shell."""
    return [code for name, _, code in fences(page) if name == language]


def fences(page: Path) -> list[tuple[str, str, str]]:
    """Language, title and text of each fence of a page."""
    pattern = r'^```(\w*)(?: title="([\w./-]+)")?\n(.*?)^```$'
    return re.findall(pattern, page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[str]:
    lines = [line.strip() for block in blocks(page, "") for line in block.splitlines()]
    return [line for line in lines if line.startswith("policy-sim ")]


@pytest.fixture(scope="module")
def visits():
    people = Study("us-2010").synthesize("DE", people=3000, seed=1)
    codes = {"10001": "19901", "10003": "19801", "10005": "19966"}
    return people.assign(zip5=people["county"].astype(str).map(codes), diagnosis=people.index % 40)


@pytest.fixture
def folder(tmp_path, monkeypatch, visits):
    """What a reader of any page has: a file, a database, a state's list and the examples of the page."""
    from sqlalchemy import create_engine

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path / "home"))
    visits.to_csv("visits.csv", index=False)
    engine = create_engine("sqlite:///clinic.db")
    visits.astype(str).to_sql("visits", engine, index=False)
    engine.dispose()
    case = "2021-01,10003,18 to 49 years,F,white,not hispanic,no\n" * 20
    (tmp_path / "cases.csv").write_text(f"case_month,county,age_group,sex,race,ethnicity,death_yn\n{case}", "utf-8")
    shutil.copy(ROOT / "voter_policies" / "oh.toml", tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def elsewhere() -> set[tuple[str, ...]]:
    """Answers of ``compare`` and ``model`` that ran on an earlier page, and neither read nor write a file."""
    return set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_a_page_runs_in_the_order_of_the_page(page, folder, elsewhere):
    examples = {title or "people.csv": example for language, title, example in fences(page) if language == "csv"}
    written = {title for title in examples if "/" in title}  # by the commands, into a folder
    for title in examples.keys() - written:
        (folder / title).write_text(examples[title], encoding="utf-8")
    for line in commands(page):
        command, _, comment = line.partition("  #")
        words, _, target = command.partition(" > ")
        asked = shlex.split(words)[1:]
        if asked[0] in ("compare", "model") and not {".", ">"} & set(command) and "--out" not in asked:
            if tuple(asked) in elsewhere:
                continue
            elsewhere.add(tuple(asked))
        done = run(*asked, code=int("exits with 1" in comment))
        if target:
            (folder / target.strip()).write_text(done.stdout, encoding="utf-8")
    for title in written:
        assert (folder / title).read_text(encoding="utf-8") == examples[title]


@pytest.mark.parametrize(
    "page",
    [
        page
        for page in (*PAGES, *(DOCS / f"{name}.md" for name in ("briefs", "cases", "tables")))
        if blocks(page, "python")
    ],
    ids=lambda page: page.stem,
)
def test_every_python_example_of_a_page_runs(page, folder):
    tables = {title: example for _, title, example in fences(DOCS / "how-to" / "weekly-table.md")}
    (folder / "week10.csv").write_text(tables["week10.csv"], encoding="utf-8")
    names: dict[str, object] = {}
    for code in blocks(page, "python"):
        exec(compile(code, page.name, "exec"), names)


def test_the_table_for_latex_has_no_sign_that_latex_reads_as_a_command(folder, capsys):
    for code in blocks(DOCS / "how-to" / "tables-for-papers.md", "python")[:1]:
        exec(compile(code, "tables-for-papers", "exec"), {})
    table = capsys.readouterr().out
    assert table.startswith("\\begin{table}")
    assert re.findall(r"(?<!\\)[%_#$~^]", table) == []


def test_rows_for_other_programs_read_as_the_page_says(folder):
    """Empty where there is no figure, codes of counties as text in the third and fifth columns, two ends everywhere."""
    text = run("compare", "--by", "county", "--state", "CT", "--format", "csv").stdout
    (folder / "counties.csv").write_text(text, encoding="utf-8")
    counties = pd.read_csv("counties.csv", dtype={"fips": str, "value": str})
    assert (counties.columns[2], counties.columns[4]) == ("fips", "value")
    assert set(counties["value"].str.len()) == {5}
    assert counties["fips"].tolist() == counties["value"].tolist()
    text = run("compare", "--state", "HI", "--format", "csv").stdout
    (folder / "risk.csv").write_text(text, encoding="utf-8")
    risk = pd.read_csv("risk.csv", keep_default_na=False)
    missing = risk[(risk["attacker"] == "voter") & (risk["status"] != "ok")]
    assert len(missing)
    assert set(missing["people"]) == {""}
    assert all(missing["reason"])
    assert {"share", "share_high", "g", "status", "reason"} <= set(risk.columns)


def test_the_index_has_every_how_to_page():
    index = (DOCS / "how-to.md").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(how-to/([\w-]+\.md)\)", index)
    assert sorted(listed) == sorted(page.name for page in (DOCS / "how-to").glob("*.md"))


# The notebooks run from their first cell to the last, offline, as a reader would run them.


NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::PendingDeprecationWarning"
)
def test_a_notebook_runs_and_shows_something_in_each_cell(path, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) >= 5
    assert all(cell.outputs for cell in code)


def test_notebooks_are_committed_without_outputs():
    """Outputs would go stale: the site and the reader compute them."""
    import json

    assert len(NOTEBOOKS) == 2
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert not [cell for cell in cells if cell.get("outputs")]
