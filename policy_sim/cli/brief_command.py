"""``policy-sim brief``: a few pages for people who make or follow rules."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import click

from policy_sim.cli.in_file_type import IN_FILE
from policy_sim.cli.lists_options import which_lists_options
from policy_sim.cli.options import FilePath

__all__ = ["brief"]


@click.command()
@click.argument("state")
@click.option("--against", metavar="STATE|US", help="Add this state to the table of neighboring states.")
@click.option(
    "--in-file",
    type=IN_FILE,
    metavar="SHARE|NUMBER",
    help="How many people are in the file: a share (0.01) or a number (11000). [default: 0.01]",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME|FILE",
    help="Policies, two or more; the brief explains the last one.",
)
@click.option(
    "--bill", multiple=True, metavar="ITEM=VALUE", help="One page on a change of list law, such as birth=year."
)
@click.option(
    "--rules",
    type=click.Choice(("regulation", "paper")),
    default="regulation",
    show_default=True,
    help="Use the HIPAA rules as written, or as Benitez & Malin (2010) simplify them.",
)
@click.option("--population", metavar="NAME|FILE", help="The population. [default: us-2020]")
@which_lists_options
@click.option(
    "--date",
    type=click.DateTime(("%Y-%m-%d",)),
    help="Date of the brief; the age of each fact is counted to this date. [default: today]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("html", "docx", "pdf", "md")),
    help="Format. [default: from the ending of --out, else html]",
)
@click.option(
    "--out",
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File to write. [default: brief-STATE.html here]",
)
def brief(
    state: str,
    against: str | None,
    in_file: float | None,
    policies: tuple[str, ...],
    bill: tuple[str, ...],
    rules: str,
    population: str | None,
    date: dt.datetime | None,
    form: str | None,
    out: Path | None,
    **lists: Any,
) -> None:
    """Write a brief about one STATE, or about the nation (US).

    The brief has two to four pages in plain words: the answer for a file of your size, what the voter list contains and
    costs, how the state compares with others, what an attack costs, and what would change the answer. Every number
    links to its row in an appendix. With --bill, the brief is one page on the effect of a change in list law.

    \b
    Examples:
      policy-sim brief OH
      policy-sim brief OH --in-file 11000 --out ohio.pdf
      policy-sim brief OH --bill birth=year --format docx
      policy-sim brief US
    """
    from policy_sim.briefing import bill_brief, nation_brief, state_brief
    from policy_sim.cli.progress import Progress
    from policy_sim.errors import InputError
    from policy_sim.render.document import check_format, write_document
    from policy_sim.render.drawers import Drawers
    from policy_sim.states import find_state
    from policy_sim.study import Study
    from policy_sim.voter_lists.amendments import parse_changes

    nation = state.strip().upper() == "US"
    called = "us" if nation else find_state(state).postal.lower()
    path = out or Path(f"brief-{called}.{form or 'html'}")
    if form is not None and path.suffix != f".{form}":
        path = path.with_suffix(f".{form}")
    check_format(path)
    day = None if date is None else date.date()
    with Progress() as progress, Drawers(most=0 if nation or bill else 1) as drawers:
        progress("computing every state")
        study = Study(population, **lists)
        shared: dict[str, Any] = {"policies": policies or None, "rules": rules, "date": day}
        if nation and (against or in_file or bill):
            raise InputError("a national brief does not take --against, --in-file or --bill: name a state to use them.")
        if nation:
            document = nation_brief(study, **shared)
        elif bill:
            document = bill_brief(study, state, parse_changes(bill), in_file=in_file, **shared)
        else:
            document = state_brief(study, state, against=against, in_file=in_file, drawers=drawers, **shared)
        progress(f"writing {path.name}")
        write_document(document, path)
    click.echo(f"Written to {path}.")
