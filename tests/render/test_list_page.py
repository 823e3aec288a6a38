"""The pages made from the lists: up to date, and complete."""

import re

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.io.voter_lists.state_files import read_state_files


@pytest.mark.parametrize(("page", "arguments"), [("voter-lists.md", ()), ("lists-of-2008.md", ("--of-2008",))])
def test_the_page_is_up_to_date(root, page, arguments):
    made = CliRunner().invoke(cli, ["lists", "page", *arguments])
    assert made.exit_code == 0, made.output
    written = (root / "docs" / page).read_text(encoding="utf-8")
    again = " ".join(["policy-sim lists page", *arguments, "--out", f"docs/{page}"])
    assert written == made.stdout, f"docs/{page} is out of date; write it again with: {again}"


def test_every_list_has_a_row_and_every_citation_a_source(root):
    text = (root / "docs" / "voter-lists.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z]{2}) \| (\d{4}) \|.*$", text, flags=re.MULTILINE)
    wanted = {
        (state, vintage)
        for state, lists in read_state_files().items()
        for vintage in lists
        if vintage.isdigit() and state != "XX"
    }
    assert set(rows[: len(wanted)]) == wanted
    defined = re.findall(r'<a id="([^"]+)"></a>', text)
    assert len(defined) == len(set(defined)), "one anchor a source"
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= set(defined)
