"""``policy-sim lists page``: the pages of the documentation that are made from the lists."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["page"]


@click.command()
@click.option("--of-2008", is_flag=True, help="The paper's constraints on the lists of 2008, replayed.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write here.")
def page(of_2008: bool, out: Path | None) -> None:
    """Write the page of all states' lists, with sources, as Markdown.

    \b
    Examples:
      policy-sim lists page --out docs/voter-lists.md
      policy-sim lists page --of-2008 --out docs/lists-of-2008.md
    """
    from policy_sim.cli.lists_paths import written_beside
    from policy_sim.cli.standard_output import put

    text = _replayed() if of_2008 else _all_lists()
    if out is None:
        put(text)
        return
    with written_beside(out) as path:
        path.write_text(text, encoding="utf-8")


def _all_lists() -> str:
    from policy_sim.io.voter_lists.state_files import FICTIONAL, read_state_files
    from policy_sim.render.list_page import lists_page

    files = read_state_files()
    return lists_page(
        [files[state][vintage] for state in sorted(files) if state != FICTIONAL for vintage in sorted(files[state])]
    )


def _replayed() -> str:
    from dataclasses import astuple

    from policy_sim.analyses.reproduction.lists_of_2008 import replay_lists_of_2008
    from policy_sim.render.list_page import replay_page
    from policy_sim.study import Study

    study = Study("us-2000", "2008", coverage="everyone")
    found = study.compare(g=(1, 10), rules="paper")
    rows = replay_lists_of_2008(study.voter.voter_lists.lists, found)
    return replay_page([astuple(row) for row in rows], "us-2000")
