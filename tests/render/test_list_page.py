"""The pages made from the lists: up to date, and complete."""

import re
import runpy

import pytest

from policy_sim.io.voter_lists.state_files import read_state_files


@pytest.fixture(scope="module")
def pages(root):
    """What the documentation build writes."""
    return runpy.run_path(str(root / "docs" / "site" / "list_pages.py"))


@pytest.mark.parametrize(("page", "made"), [("voter-lists.md", "all_lists"), ("lists-of-2008.md", "lists_of_2008")])
def test_the_page_is_up_to_date(root, pages, page, made):
    written = (root / "docs" / page).read_text(encoding="utf-8")
    again = "python docs/site/list_pages.py"
    assert written == pages[made](), f"docs/{page} is out of date; write it again with: {again}"


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


def test_the_page_of_2008_has_every_figure_that_a_list_decides(root):
    """Each of the constraints that were researched for the lists of 2008 stands there."""
    text = (root / "docs" / "lists-of-2008.md").read_text(encoding="utf-8")
    for where in ("Table 1, Voter", "Table 2, Limited Dataset", "Table 2, Safe Harbor", "Left out of Table 2"):
        assert f"| {where} |" in text
    assert "| Table 1, General |" not in text
    assert "| 3,159,764 | 3,161,156 | within tolerance |" in text
