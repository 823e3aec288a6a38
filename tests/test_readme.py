"""What README, the page of the table and the page of the papers print is what the commands print."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from small_people import frame, run

from policy_sim.words.states import find_state

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMPARE = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
PAPERS = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")


@cache
def figures(*command: str) -> pd.DataFrame:
    return frame(*command, "--as", "benitez-malin-2010")


def table_rows() -> list[tuple[str, str, str]]:
    """Part of the table (policy × attacker), name, and our figures as the page prints them."""
    rows, part = [], ""
    for line in PAPERS.split("## Against the paper")[1].split("## ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0]:
            heading = re.fullmatch(r"(\w+(?: Harbor)?) × (\w+): (.*)", cells[0])
            part = f"{heading[1]} {heading[2]}" if heading else part
            rows.append((part, heading[3] if heading else cells[0], cells[2]))
    return rows


def figure(part: str, state: str, measure: str, g: int | None, column: str) -> float:
    policy, attacker = part.rsplit(" ", 1)
    rows = figures("compare")
    chosen = rows[
        (rows["state"] == find_state(state).postal)
        & (rows["policy"] == {"Limited": "limited-dataset-paper", "Safe Harbor": "safe-harbor-paper"}[policy])
        & (rows["attacker"] == attacker.casefold())
        & (rows["measure"] == measure)
        & (rows["g"].isna() if g is None else rows["g"] == g)
    ]
    return float(chosen[column].item())


@pytest.mark.slow
@pytest.mark.parametrize(("part", "name", "ours"), table_rows(), ids=lambda value: value)
def test_our_side_of_the_table_is_what_the_commands_print(part, name, ours):
    if name.startswith("Ohio"):
        g = int(re.search(r"(\d+)-distinct", name)[1])
        assert ours == f"{100 * figure(part, 'Ohio', 'g-distinct', g, 'share'):.2f}%"
    elif name.startswith("dollars"):
        cost = figures("econ", "cost").set_index(["state", "policy"])["usd_per_reidentification"]
        assert ours == ", ".join(f"{cost[state, 'limited-dataset-paper']:.0f}" for state in ("WI", "WV", "NH"))
    elif ours.endswith("%"):
        assert ours == f"{100 * figure(part, name, 'total-risk', None, 'share'):.2f}%"
    else:
        people = [figure(part, state, "total-risk", None, "people") for state in name.split(", ")]
        assert ours == ", ".join(f"{count:,.0f}" for count in people)


def test_the_table_has_every_figure_of_the_comparison():
    assert len(table_rows()) == 22


@pytest.mark.slow
@pytest.mark.parametrize("block", re.findall(r"^\$ policy-sim (.*)\n((?:(?!```).*\n)+)```", COMPARE, re.MULTILINE))
def test_example_blocks(block):
    command, output = block
    assert run(*command.split()).stdout == output


@pytest.mark.slow
def test_the_script_of_readme_shows_a_table_and_a_map_and_cites_the_list(capsys):
    """As a notebook: every line that is an expression is shown."""
    script = re.search(r"```python\n(from policy_sim import Study\n.*?)```", README, re.DOTALL)[1]
    names, shown = {}, []
    for line in ast.parse(script).body:
        if isinstance(line, ast.Expr):
            shown.append(eval(compile(ast.Expression(line.value), "README.md", "eval"), names))
        else:
            exec(compile(ast.Module([line], []), "README.md", "exec"), names)
    answer, frame, shapes, figure, trust, intervals, costs, *_ = shown
    assert "<table" in answer._repr_html_()
    assert len(frame) == len(shapes) == 2 * 2 * 8
    assert shapes.geometry.notna().all()
    assert figure._repr_png_().startswith(b"\x89PNG")
    for result in (answer, trust, intervals, costs):
        assert len(repr(result).splitlines()) <= 10
    printed = capsys.readouterr().out
    assert re.search(r"OH, vintage 2026: available; .* \(date\).*https?://", printed, re.DOTALL)
    assert "Census 2020" in printed


@pytest.mark.slow
def test_the_words_about_ohio_hold_the_figures_of_the_command():
    rows = frame("compare", "--state", "OH", "--g", "1").set_index(["policy", "attacker", "measure"])
    text = " ".join(COMPARE.split())
    limited, safe = "limited-dataset", "safe-harbor"
    risk, alone = (rows.loc[(limited, "general", measure), "share"] for measure in ("total-risk", "correct-claims"))
    assert f"be right for {risk:.1%} of the people; {alone:.1%} are alone with their values and certain" in text
    risk, claims, right = (
        rows.loc[(limited, "voter", measure), "share"] for measure in ("total-risk", "claims", "precision")
    )
    assert f"for {risk:.1%} of the people; for {claims:.1%} it finds exactly one listed person, and {right:.1%}" in text
    few, alone = (rows.loc[(safe, "general", measure), "people"] for measure in ("total-risk", "correct-claims"))
    assert f"be right for {few:,.0f} people; {alone:,.0f} are alone with their values" in text
    assert f"{rows.loc[(safe, 'general', 'total-risk'), 'share']:.2%} |" in text
    few = rows.loc[(safe, "voter", "total-risk"), "people"]
    assert f"be right for {few:,.0f} people, and nobody is alone" in text
    assert rows.loc[(safe, "voter", "correct-claims"), "people"] == 0
    small = rows.loc[(safe, "general", "total-risk"), "small_file_share"]
    assert f"it would match {small:.1%} of the Safe Harbor records" in text
    opening = " ".join(README.split())
    few = rows.loc[(safe, "voter", "total-risk"), "people"]
    risk = rows.loc[(limited, "voter", "total-risk"), "share"]
    assert f"name {risk:.1%} of the people under the limited data set, and {few:,.0f} people under" in opening


def test_the_example_of_the_paper_is_in_its_table():
    theirs, ours = re.search(r"([\d.]+%) against ([\d.]+%) for Delaware's limited data set", README).groups()
    assert f"| Limited × GENERAL: Delaware | {theirs} | {ours} |" in PAPERS


def test_commands_of_the_table_are_those_that_there_are():
    from policy_sim.cli.names import COMMANDS

    table = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8").split("## Commands")[1].split("\n## ")[0]
    listed = re.findall(r"^\| \**`([^`]+)`\** \| \**(.*?)\** \|$", table, re.MULTILINE)
    assert listed == [(name, command.help) for name, command in COMMANDS.items()]


def test_install_commands_work_from_a_clone():
    """make run makes .venv; nothing tells the reader to fetch the project from an index that does not have it."""
    assert "source .venv/bin/activate" in README
    assert "pip install 'policy-sim" not in README
    assert "python -m pip install -e '.[app]'" in README
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(re.findall(r"'\.\[([\w,]+)\]'", README)) <= set(extras)
    assert ".ci/install app\n" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_readme_is_short_and_reads_at_grade_ten():
    """Whole sentences only: tables, code, links' addresses and lists of names are not prose."""
    assert len(README.splitlines()) <= 150
    textstat = pytest.importorskip("textstat", reason="textstat is not installed")
    prose = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
    lines = [line for line in prose.splitlines() if not re.match(r"\s*(\||!\[|#)", line)]
    prose = re.sub(r"\]\([^)]*\)|[\[*`]", "", "\n".join(lines)).replace("policy_sim", "it")
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n|\n\* ", prose)]
    sentences = [
        one for block in blocks for one in re.split(r"(?<=[.?!]) (?=[A-Z])", block) if one.endswith((".", "?"))
    ]
    text = " ".join(sentences)
    assert len(sentences) > 40
    words = re.findall(r"[A-Za-z'-]+|\d[\d,.]*", text)
    syllables = sum(max(len(re.findall(r"[aeiouy]+", word.lower().removesuffix("e"))), 1) for word in words)
    assert 0.39 * len(words) / len(sentences) + 11.8 * syllables / len(words) - 15.59 <= 10
    assert textstat.coleman_liau_index(text) <= 10


# The gallery shows what the program computes today: its tables are computed again, its pages are all listed.


REPORTS = Path(__file__).resolve().parents[1] / "reports"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "arguments"),
    [
        ("today/profiles.csv", ("compare",)),
        ("benitez-malin-2010.csv", ("compare", "--as", "benitez-malin-2010")),
        (
            "releases.csv",
            ("compare", "--hipaa", "paper", "--population", "us-2020", "--release", "newest", "--attacker", "general"),
        ),
    ],
)
def test_the_tables_are_those_of_today(table, arguments):
    # sums over many groups differ in the last digits from machine to machine
    pd.testing.assert_frame_equal(frame(*arguments), pd.read_csv(REPORTS / table), rtol=1e-9, atol=1e-9)


@pytest.mark.slow
def test_a_brief_says_what_it_said(tmp_path):
    path = tmp_path / "oh.html"
    run("brief", "OH", "--date", "2026-11-22", "--out", path)
    now, then = (
        re.sub(r'src="data:[^"]*"', "", page.read_text(encoding="utf-8"))  # pictures differ with the fonts' version
        for page in (path, REPORTS / "briefs" / "OH.html")
    )
    assert now == then


@pytest.mark.slow
def test_everything_in_the_gallery_is_listed_and_nothing_is_large():
    page = (REPORTS / "README.md").read_text(encoding="utf-8")
    listed = {(REPORTS / target).resolve() for target in re.findall(r"\]\(([^)]+)\)", page)}
    files = [path for path in REPORTS.rglob("*") if path.is_file() and path.name != "README.md"]
    assert len(files) > 30
    assert not [path for path in files if not ({path, *path.parents} & listed)]
    assert max(path.stat().st_size for path in files) < 5_000_000
