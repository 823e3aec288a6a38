"""A brief as people with a keyboard or a screen reader meet it: axe-core in a real browser, at two widths."""

from datetime import date

import pytest
from barriers import OF_COLOR, serious_barriers

from policy_sim.briefs import Brief, state_brief

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_no_serious_barrier_in_light_and_dark_wide_and_narrow(small_study, tmp_path, browser):
    page = tmp_path / "brief.html"
    state_brief(small_study, "DE", date=date(2026, 11, 22)).write(page)
    faults = []
    for width, part in ((1280, page), (390, page), (390, Brief.annex_of(page))):
        view = browser.new_page(color_scheme="light", viewport={"width": width, "height": 900})
        requests = []
        view.on("request", lambda request, seen=requests: seen.append(request.url))
        view.goto(part.as_uri())
        faults += serious_barriers(view)
        view.emulate_media(color_scheme="dark")
        faults += serious_barriers(view, OF_COLOR)
        assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
        assert view.evaluate("document.documentElement.scrollWidth") <= width + 1
        view.close()
    assert not faults
