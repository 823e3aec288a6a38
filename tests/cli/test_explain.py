"""explain as a user runs it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli

ASKED = ("OH", "--population", "us-2010", "--rules", "paper", "--date", "2026-11-22")


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(cli, ["explain", *arguments])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


@pytest.mark.slow
def test_text_html_and_json(tmp_path):
    assert "One group, step by step" in run(*ASKED).stdout
    page = tmp_path / "ohio.html"
    run(*ASKED, "--policy", "limited-dataset", "--attacker", "voter", "--format", "html", "--out", str(page))
    html = page.read_text(encoding="utf-8")
    assert html.lstrip().startswith("<!DOCTYPE html>") or html.lstrip().lower().startswith("<!doctype html>")
    assert "http" not in html.split("<body", 1)[0]
    facts = json.loads(run(*ASKED, "--format", "json").stdout)
    assert (facts["state"], facts["policy"], facts["attacker"]) == ("OH", "limited-dataset-paper", "voter")
    assert facts["worked"]["correct"] > 0


def test_one_policy_and_one_attacker():
    text = run(*ASKED, "--policy", "safe-harbor", "--policy", "limited-dataset", code=2).output
    assert "explain takes one policy, not 2" in text
    text = run(*ASKED, "--attacker", "general", "--attacker", "voter", code=2).output
    assert "explain takes one attacker, not 2" in text


def test_a_state_that_is_not_known():
    assert "Did you mean" in run("Ohi", code=2).output
