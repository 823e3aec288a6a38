"""``policy-sim explain``: where one figure comes from."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import FilePath, study_options

__all__ = ["explain"]


@click.command()
@click.argument("state")
@study_options(without="states")
@click.option(
    "--date",
    "on",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DAY",
    help="Count the age of each fact to this date. [default: today]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "html", "json")),
    default="text",
    show_default=True,
    help="How it is written.",
)
@click.option("--out", type=FilePath(dir_okay=False, path_type=Path), metavar="FILE", help="Write it to this file.")
def explain(state: str, on: dt.datetime | None, form: str, out: Path | None, **options: Any) -> None:
    """Explain the figure of one STATE under one policy, by one attacker.

    The explanation has the values that link the release to the attacker's list, the groups of people who share them,
    the arithmetic for one group, the source and age of each input, and what would change the answer.

    \b
    Examples:
      policy-sim explain OH
      policy-sim explain OH --policy limited-dataset --attacker voter --format html --out ohio.html
      policy-sim explain WY --policy safe-harbor --attacker general --format json
    """
    from policy_sim.attackers import VOTER
    from policy_sim.cli.asked import ask
    from policy_sim.cli.progress import Progress
    from policy_sim.cli.standard_output import put
    from policy_sim.io.files import replace_file

    chosen = {
        "policies": options["policies"] or ("limited-dataset",),
        "attackers": options["attackers"] or (VOTER,),
        "states": (state,),
    }
    studies = ask(**{**options, **chosen})
    question = studies.question
    with Progress() as progress:
        progress("changing one assumption at a time")
        answer = studies.only_study.explain(
            (question.states or ())[0],
            _only("policy", question.policies),
            _only("attacker", question.attackers),
            rules=question.rules,
            in_file=question.in_file,
            on=None if on is None else on.date(),
        )
    if form == "json":
        content = json.dumps(answer.to_dict(), indent=1) + "\n"
    else:
        content = answer.html() if form == "html" else answer.text() + "\n"
    if out is None:
        put(content)
        return
    replace_file(out, content.encode())
    click.echo(f"Written to {out}.", err=True)


def _only(kind: str, choices: tuple[Any, ...]) -> Any:
    from policy_sim.errors import InputError

    if len(choices) != 1:
        raise InputError(f"explain takes one {kind}, not {len(choices)}.")
    return choices[0]
