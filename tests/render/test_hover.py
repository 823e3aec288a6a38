from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from policy_sim.render.hover import as_url, with_titles

SVG = "http://www.w3.org/2000/svg"
ROOT = f'<svg xmlns="{SVG}" xmlns:xlink="http://www.w3.org/1999/xlink">{{}}</svg>'


@pytest.mark.parametrize("title", ["Franklin, Ohio: 1%", 'a "b" <c> & d', "Doña Ana: 2–3%", "x" * 300, "100% a/b?c#d"])
def test_a_title_comes_back_from_the_finished_file(title):
    link = f'<a xlink:href="{as_url(title)}" target="_blank"><path d="M0 0"/></a>'
    tree = ET.fromstring(with_titles(ROOT.format(link)))
    assert tree.find(f".//{{{SVG}}}title").text == title
    assert tree.find(f".//{{{SVG}}}path") is not None
    assert tree.find(f".//{{{SVG}}}a") is None


def test_an_area_without_words_has_no_title_and_each_area_its_own():
    links = "".join(f'<a xlink:href="{as_url(word)}"><path/></a>' for word in ("one", "", "two"))
    tree = ET.fromstring(with_titles(ROOT.format(links)))
    assert [title.text for title in tree.iter(f"{{{SVG}}}title")] == ["one", "two"]
    assert len(list(tree.iter(f"{{{SVG}}}path"))) == 3


def test_a_real_link_stays():
    real = '<a xlink:href="https://example.org"><path/></a>'
    assert with_titles(real) == real
