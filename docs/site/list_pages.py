"""Write the two pages that are made from the voter lists: all lists with their sources, and those of 2008.

``make docs`` runs it before the site is built; ``tests/show/test_list_text.py`` holds the pages to it.
"""

from __future__ import annotations

from pathlib import Path

from policy_sim import reproduce
from policy_sim.attackers import VOTER
from policy_sim.files.writing import replace_file
from policy_sim.papers.printed_figure import Ask
from policy_sim.show.list_text import lists_page, markdown_table
from policy_sim.show.reproduction_text import UNIT_SIGNS, written
from policy_sim.voter_lists.files import FICTIONAL, read_state_files

PAGES = Path(__file__).resolve().parents[1]

_HEAD_2008 = """# The lists of 2008 against the paper

What Benitez & Malin 2010 print about the voter lists of 2008, and every figure of theirs that a voter list decides,
next to ours. The whole paper is in [reproduction.md](reproduction.md), which says what the verdicts mean; Dankar & El
Emam 2012 quote five prices, which are there too. This page is made by `make docs`; do not edit it.
"""
_LISTED = ("same", "cost", "cost-rank", "cost-range")  # kinds of questions about VOTER that do not name the attacker


def all_lists() -> str:
    """Return the page of every state's lists."""
    files = read_state_files()
    return lists_page(
        [files[state][vintage] for state in sorted(files) if state != FICTIONAL for vintage in sorted(files[state])]
    )


def lists_of_2008() -> str:
    """Return the page of the figures of Benitez & Malin 2010 that a voter list decides."""
    answer = reproduce("benitez-malin-2010")
    rows = answer.to_frame()
    rows = rows[rows["id"].isin([figure.id for figure in answer.paper.figures if _by_a_list(figure.ask)])]
    lines = [
        (
            *(row.where, row.what, row.printed + UNIT_SIGNS.get(row.unit, "")),
            *(written(row.ours, row.unit), row.verdict, row.reason),
        )
        for row in rows.itertuples()
    ]
    return "\n".join([_HEAD_2008, markdown_table(("where", "what", "printed", "ours", "verdict", "reason"), lines)])


def _by_a_list(ask: Ask) -> bool:
    return ask.get("attacker") == VOTER or ask["kind"] in _LISTED


def main() -> None:
    """Write both pages."""
    for name, text in (("voter-lists.md", all_lists()), ("lists-of-2008.md", lists_of_2008())):
        replace_file(PAGES / name, text.encode("utf-8"))


if __name__ == "__main__":
    main()
