"""BibTeX: one entry per source, nothing that ends an entry early, and every part of a date."""

from __future__ import annotations

import re

import pytest

from policy_sim.io.publication.bibtex import bibtex
from policy_sim.io.publication.published_tables import published_sources
from policy_sim.io.voter_lists.state_files import described_lists
from policy_sim.voter_lists.evidence import Source


def balanced(text: str) -> bool:
    depth = 0
    for sign in re.findall(r"(?<!\\)[{}]", text):
        depth += 1 if sign == "{" else -1
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize(
    ("date", "lines"),
    [
        ("2026-05-19", ["year = {2026}", "month = may", "day = {19}"]),
        ("2026-12", ["year = {2026}", "month = dec"]),
        ("2026", ["year = {2026}"]),
        ("undated", ["year = {n.d.}"]),
    ],
)
def test_a_date_is_as_fine_as_it_is_known(date, lines):
    text = bibtex([Source("a", "A title", date=date)])
    assert [line.strip(" ,") for line in text.splitlines() if re.match(r" +(year|month|day)", line)] == lines


def test_signs_that_mean_something_to_bibtex_are_escaped():
    text = bibtex(
        [Source("a", "50 % of {a} \\ $1 & #2_x ~^", "https://x.org/{a}?b=1&c_d", note="n", also=("https://y",))]
    )
    assert r"50 \% of \{a\} \textbackslash{} \$1 \& \#2\_x \textasciitilde{}\textasciicircum{}" in text
    assert "https://x.org/%7Ba%7D?b=1&c_d" in text
    assert "note = {n. Also at https://y}" in text
    assert balanced(text)


def test_every_source_that_ships_has_one_entry():
    sources = published_sources(described_lists())
    text = bibtex(sources)
    keys = re.findall(r"^@misc\{([a-z0-9-]+),$", text, re.MULTILINE)
    assert keys == [source.id for source in sources]
    assert len(set(keys)) == len(keys)
    assert balanced(text)
    for entry in text.split("\n\n"):
        assert re.search(r"^  title = \{\{.+\}\},$", entry, re.MULTILINE)
        assert re.search(r"^  year = \{(\d{4}|n\.d\.)\},?$", entry, re.MULTILINE)
