"""The entries of the program and its model say what CITATION.cff says."""

import re

import pytest

from policy_sim.io.publication.model_entries import model_entries


def test_the_entries_are_those_of_the_citation_file(root):
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    text = model_entries(cited["version"])
    assert cited["title"].replace("_", r"\_") in text
    assert f"version = {{{cited['version']}}}" in text
    for reference in cited["references"]:
        entry = next(each for each in text.split("\n\n") if reference["doi"] in each)
        assert f"{{{{{reference['title']}}}}}" in entry
        assert f"year = {{{reference['year']}}}" in entry
        assert f"pages = {{{reference['start']}--{reference['end']}}}" in entry
        for author in reference["authors"]:
            assert f"{author['family-names']}, {author['given-names']}" in entry
    assert len(re.findall(r"^@", text, re.MULTILINE)) == 1 + len(cited["references"])
