"""The tutorial of docs/release.md, command by command, with the output that it prints."""

from __future__ import annotations

import re
import shlex

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


@pytest.mark.slow
def test_the_tutorial_does_what_it_says(root, tmp_path, monkeypatch):
    page = (root / "docs" / "release.md").read_text(encoding="utf-8")
    tables = re.search(r"```toml\n(\[variables\.name\].*?)```", page, re.DOTALL)[1]
    output = re.search(r"```text\n(.*?)```", page, re.DOTALL)[1]
    commands = [line for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL) for line in block.splitlines()]
    assert len(commands) == 12
    monkeypatch.chdir(tmp_path)
    printed = {}
    for command in commands:
        done = CliRunner().invoke(cli, shlex.split(command)[1:], prog_name="policy-sim")
        assert done.exit_code == 0, (command, done.stderr)
        printed[command] = done.stdout
        if " new " in command and "--policy" not in command:
            project = tmp_path / "patients.toml"
            text = project.read_text()
            project.write_text(text[: text.index("[variables.")] + tables)
    ran = next(text for command, text in printed.items() if "--out released" in command and " run " in command)
    assert ran.startswith(output)
    assert (tmp_path / "again" / "release.csv").read_bytes() == (tmp_path / "released" / "release.csv").read_bytes()
