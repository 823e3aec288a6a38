"""One schema: what it holds comes back from every form, and a new field is one line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace

import pytest
import tomli_w

from policy_sim.files.paths import voter_policies_dir
from policy_sim.voter_lists.exchange import as_csv, as_json, read_lists
from policy_sim.voter_lists.files import LIST_FOLDER, read_state_files, shared_sources
from policy_sim.voter_lists.schema import parse_voter_lists, state_document
from policy_sim.voter_lists.sql.stored_lists import all_lists, import_lists, open_lists

OUTSIDE = """
mirror = [{ source = "xx-press", covers = "search by name" }, { source = "xx-form", usd = 20.5 }]

[[2026.preempted]]
rule = "uses"
since = 2025-11-25
by = "federal_court"
written = ["political"]
allowed = ["any"]
note = "As applied to one publisher."
confidence = "high"
sources = ["xx-press"]
"""


def _own(name="oh"):
    return (voter_policies_dir() / f"{name}.toml").read_text(encoding="utf-8")


def _fictional():
    """The fictional state with a preempted rule, two mirrors and a list of its counties."""
    text = _own("xx").replace('allowed = ["political"]', 'allowed = ["any"]')
    text = text.replace("\n[2026.fields]", OUTSIDE + "\n[2026.fields]")
    county = text[text.index("\n[2026]\n") : text.index("\n[scenario")].replace("2026", "2026-county", 1)
    county = county.replace("[2026.", "[2026-county.").replace("[[2026.", "[[2026-county.")
    return text.replace("\n[scenario", county + "\n[scenario", 1)


def _parsed(text, state="XX"):
    problems: list[str] = []
    lists = parse_voter_lists(tomllib.loads(text), state, shared_sources(), problems)
    assert problems == []
    return lists


@pytest.mark.parametrize("state", sorted(read_state_files()))
def test_every_states_file_is_written_and_read_again_without_loss(state):
    raw = tomllib.loads(_own(state.lower()))
    lists = read_state_files()[state]
    document = state_document(lists.values()) | {"scenario": raw.get("scenario", {})}
    assert _parsed(tomli_w.dumps(document), state) == lists


def test_a_preempted_rule_mirrors_and_a_countys_list_come_back_from_every_form(tmp_path):
    lists = [made for made in _parsed(_fictional()).values() if not made.is_scenario]
    assert [(made.vintage, made.seller) for made in lists][1:] == [("2026", "state"), ("2026-county", "county")]
    ohio = [replace(made, state="OH") for made in lists]
    forms = {"oh.toml": tomli_w.dumps(state_document(ohio)), "lists.csv": as_csv(ohio), "lists.json": as_json(ohio)}
    for name, text in forms.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert read_lists(tmp_path / name) == ohio, name
    engine = open_lists(f"sqlite:///{tmp_path / 'lists.sqlite'}", make=True)
    import_lists(engine, ohio)
    stored = {made.vintage: made for made in all_lists(engine, ["OH"])}
    for made in ohio:
        assert stored[made.vintage] == made


def test_a_preemption_that_does_not_fit_the_list_is_a_problem():
    problems: list[str] = []
    parse_voter_lists(tomllib.loads(_fictional().replace('["any"]', '["scholarly"]', 1)), "XX", {}, problems)
    assert any("preempted 1: uses.allowed on 2026-01-01" in each for each in problems)


def test_a_field_that_a_file_leaves_out_is_unknown(tmp_path):
    text = _own().replace('party     = { availability = "', 'party     = { availability = "')
    lines = [line for line in text.splitlines() if not line.startswith("party ")]
    (tmp_path / "oh.toml").write_text("\n".join(lines), encoding="utf-8")
    lists, problems = LIST_FOLDER.scan(tmp_path)
    assert problems == {}
    assert {made.fields["party"].availability for made in lists["OH"].values()} == {"unknown"}


def test_every_problem_of_a_file_is_one_line_with_its_path_and_what_is_allowed():
    text = (
        _own("xx")
        .replace('kind = "schedule"', 'kind = "shedule"')
        .replace("max_usd = 500", 'max_usd = "500"')
        .replace("valid_from = 2026-01-01", 'valid_from = "2026-01-01"')
        .replace('race      = { availability = "withheld"', "race      = { availability = 3")
    )
    problems: list[str] = []
    parse_voter_lists(tomllib.loads(text), "XX", {}, problems)
    faults = {
        "[2026] fields.race.availability = 3": "one of included, withheld, unknown.",
        "[2026] price.kind = 'shedule'": "Did you mean 'schedule'?",
        "[2026] price.max_usd = '500'": "number of 0 or more",
        "[2026] valid_from = '2026-01-01'": "date such as 2008-09-01",
    }
    assert [problem.partition(" is not ")[0] for problem in sorted(problems)] == [*faults]
    assert all(allowed in said for allowed, said in zip(faults.values(), sorted(problems), strict=True))
    assert not any("\n" in problem for problem in problems)


PHONE = """
import csv, io, json, runpy, sys, tomli_w
from pathlib import Path
from policy_sim.voter_lists.sql.stored_lists import run_query
from policy_sim.voter_lists.sql.stored_lists import all_lists, import_lists, open_lists
from policy_sim.voter_lists.schema import state_document
from policy_sim.voter_lists.exchange import as_csv, as_json, read_lists
from policy_sim.voter_lists.changes import change_list
from policy_sim.voter_lists.facts import facts_of

folder = Path(sys.argv[1])
(listed,) = [made for made in read_lists(folder / "oh.toml") if made.vintage == "2026"]
engine = open_lists(f"sqlite:///{folder / 'lists.sqlite'}", make=True)
import_lists(engine, [listed])
(stored,) = [made for made in all_lists(engine, ["OH"]) if made.vintage == "2026"]
assert stored == listed
rows = run_query(engine, "SELECT availability FROM list_field WHERE name = 'phone' AND availability != 'unknown'")
changed = change_list(listed, {"phone": "withheld"})
print(json.dumps({
    "noun": listed.fields["phone"].availability,
    "toml": tomli_w.dumps(state_document([listed])),
    "csv": next(csv.DictReader(io.StringIO(as_csv([listed]))))["fields.phone.availability"],
    "json": json.loads(as_json([listed]))[0]["2026"]["fields"]["phone"]["availability"],
    "sql": rows.iloc[0, 0],
    "what_if": changed.fields["phone"].availability,
    "facts": [fact.item for fact in facts_of(listed)],
    "page": runpy.run_path(sys.argv[2])["lists_page"]([listed]),
    "others": sorted({made.fields["phone"].availability for made in read_lists(folder / "pa.toml")}),
}))
"""


@pytest.mark.slow
def test_a_recorded_field_is_one_line_in_the_schema(root, tmp_path):
    """A copy of the package with a line for ``phone``, and nothing else changed."""
    shutil.copytree(root / "policy_sim", tmp_path / "policy_sim", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(root / "voter_policies", tmp_path / "voter_policies")
    (tmp_path / "data").symlink_to(root / "data")
    registry = tmp_path / "policy_sim" / "voter_lists" / "list_field.py"
    line = '            RecordedField("party"),\n'
    text = registry.read_text(encoding="utf-8")
    assert text.count(line) == 1
    registry.write_text(text.replace(line, line + '            RecordedField("phone"),\n'), encoding="utf-8")
    ohio = tmp_path / "voter_policies" / "oh.toml"
    head, tail = ohio.read_text(encoding="utf-8").split("[2026.fields]\n")
    ohio.write_text(head + '[2026.fields]\nphone = { availability = "included" }\n' + tail, encoding="utf-8")
    for name in ("oh.toml", "pa.toml"):
        shutil.copy(tmp_path / "voter_policies" / name, tmp_path / name)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "POLICY_SIM_HOME": str(tmp_path / "home")}
    run = subprocess.run(
        [sys.executable, "-c", PHONE, str(tmp_path), str(root / "docs" / "site" / "list_pages.py")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout)
    assert [seen[key] for key in ("noun", "csv", "json", "sql", "what_if")] == [*["included"] * 4, "withheld"]
    assert "[2026.fields.phone]" in seen["toml"]
    assert "phone" in seen["facts"]
    assert "| party | phone |" in seen["page"]
    assert seen["others"] == ["unknown"]


def test_a_file_without_its_state_or_a_year_says_so():
    for raw, said in (
        ({"2026": {}}, "state is missing; give a text in quotes."),
        ({"state": "OH"}, "no vintage is given"),
    ):
        problems: list[str] = []
        parse_voter_lists(raw, "OH", {}, problems)
        assert any(line.startswith(said) for line in problems)
