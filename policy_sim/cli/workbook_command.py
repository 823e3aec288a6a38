"""``policy-sim workbook``: the comparison as an Excel file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import FilePath, study_options

__all__ = ["workbook"]


@click.command()
@study_options()
@click.option(
    "--out", type=FilePath(dir_okay=False, path_type=Path), default=Path("policy-sim.xlsx"), show_default=True,
    metavar="FILE", help="The workbook to write.",
)  # fmt: skip
def workbook(out: Path, **options: Any) -> None:
    """Write the comparison as an Excel workbook with risk, trust, cost, list facts and sources.

    Trust and cost are live formulas: if you change a price, the cost changes too.

    \b
    Examples:
      policy-sim workbook --out states.xlsx
      policy-sim workbook --state OH --state WA --in-file 11000 --out two.xlsx
    """
    from policy_sim.briefing.study_workbook import study_workbook
    from policy_sim.cli.asked import ask
    from policy_sim.cli.progress import Progress
    from policy_sim.errors import InputError
    from policy_sim.io.files import replace_file

    if out.suffix.casefold() != ".xlsx":
        raise InputError(f"{out}: the name of a workbook must end in .xlsx.")
    with Progress() as progress:
        progress("measuring the states")
        studies = ask(**options)
        study = studies.only_study
        content = study_workbook(study, study.answer(studies.question))
        progress(f"writing {out.name}")
        replace_file(out, content)
    click.echo(f"Written to {out}.")
