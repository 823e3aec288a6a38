"""A state to its paper, and the explorer's own page, in a window of Chromium."""

from __future__ import annotations

import pytest

from policy_sim.app.states import content_policy

from .conftest import PATIENCE

pytestmark = pytest.mark.slow


def test_a_policy_names_each_script_and_style_by_its_checksum():
    """The checksum of an empty text is known; data in a script of another kind is no script."""
    empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    page = '<style></style><script id="model"></script><script type="x/y" id="data">1</script>'
    assert f"script-src {empty}; style-src {empty}; worker-src blob:;" in content_policy(page)
    assert "unsafe" not in content_policy(page)


def test_a_state_to_its_paper_and_the_explorer(opened, served):
    """That the paper equals the one that the command writes is counted in benchmarks/app.py."""
    page = opened
    page.get_by_role("link", name="Choose a state").click()
    page.select_option("#paper-state", "OH")
    page.fill("#people", "18,000")
    page.fill("#places", "Allen,Lucas=40%")
    page.fill("#what", "discharge records")
    page.select_option("#form", "md")
    page.get_by_role("button", name="Write the paper").click()
    page.get_by_role("heading", name="The paper on a release in Ohio").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the paper").click()
    paper = download.value.path().read_text(encoding="utf-8")
    assert "Releasing discharge records: Ohio" in paper.splitlines()[0]
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the annex").click()
    assert download.value.suggested_filename == "brief-oh-annex.md"
    command = "policy-sim brief OH --in-file 18000 --from Allen,Lucas=40% --what 'discharge records' --out brief-oh.md"
    assert page.locator("pre").inner_text() == command

    page.get_by_role("link", name="Another paper, or the explorer").click()
    page.select_option("#explorer-state", "WA")
    page.get_by_role("button", name="Open the explorer").click()
    page.wait_for_url("**/states/explorer#s=WA", timeout=3 * PATIENCE)
    page.locator("#tiles > *").first.wait_for()
    page.get_by_text("Washington").first.wait_for()
    own = f"http://127.0.0.1:{served.port}/"
    assert [address for address in page.requests if not address.startswith((own, "blob:", "data:"))] == []
    assert page.errors == []
