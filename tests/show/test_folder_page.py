"""The page of a folder of results names each file once, shows each picture, and escapes what others wrote."""

from __future__ import annotations

import re

from policy_sim.show.document.html_document import folder_page

NAMES = ["cost.csv", "manifest.json", "map-cost-safe-harbor.png", "map-cost-safe-harbor.svg", "new.png", "summary.txt"]


def test_each_file_is_linked_and_each_picture_is_shown_in_words():
    page = folder_page("OH  <0.001", NAMES)
    listed = page.partition('id="files"')[2]
    assert re.findall(r'<li><a href="([^"]+)"', listed) == NAMES
    assert re.findall(r'<img src="([^"]+)"', page) == ["map-cost-safe-harbor.png", "new.png"]
    assert 'alt="Map: price of a list per person matched, safe-harbor"' in page
    assert "OH  &lt;0.001" in page
    assert "http" not in page, "nothing is asked of another machine"


def test_a_name_is_never_markup():
    assert "<b>" not in folder_page("", ["map-cost-<b>.png"])
