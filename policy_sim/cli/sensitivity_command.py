"""``policy-sim sensitivity``: how much each assumption changes the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import format_option, g_option, out_option, study_options

__all__ = ["sensitivity"]

_NOT_MEASURED = (
    "the errors of the population and of its noise are measured for some linkage keys only; for other keys they are "
    "unknown"
)


@click.command()
@click.argument("state", required=False)
@study_options(without="states")
@g_option()
@format_option()
@out_option("Also write sensitivity.csv, the tornado figure (of one state) and manifest.json into this folder.")
def sensitivity(state: str | None, form: str, out: Path | None, **options: Any) -> None:
    """Change one assumption at a time in one STATE, or in every state, and rank the changes.

    The assumptions are the form of the rules, who is on the list, how many people are in the file, birthdays, years of
    birth, unknown fields, one class for the oldest, another census, and the measured errors of the population and its
    noise. The table omits assumptions that do not change a figure.

    \b
    Examples:
      policy-sim sensitivity OH
      policy-sim sensitivity OH --as benitez-malin-2010 --out ohio
      policy-sim sensitivity TX --policy safe-harbor --attacker voter --format csv
      policy-sim sensitivity --format csv > states.csv
    """
    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import output_folder, print_rows, write_rows
    from policy_sim.cli.progress import Progress
    from policy_sim.render.tornado import sensitivity_table, tornado_figure

    studies = ask(**options | {"states": (state,) if state else ()})
    origin, question = studies.provenance("sensitivity"), studies.question
    notes = [*origin.notes, _NOT_MEASURED]
    with Progress() as progress:
        progress("changing one assumption at a time")
        answer = studies.only_study.sensitivity(
            question.states,
            question.policies,
            question.attackers,
            question.g,
            rules=question.rules,
            in_file=question.in_file,
            tell=lambda changed: progress(f"changing one assumption at a time: {changed} changed"),
        )
    rows = answer.to_frame()
    if out is not None:
        from policy_sim.render.save import save_figure

        with output_folder(out, origin.manifest()) as folder:
            write_rows(rows, folder / "sensitivity.csv")
            if state:
                save_figure(tornado_figure(rows, [*origin.figure_notes, _NOT_MEASURED]), folder / "tornado")
    print_rows(rows, form, notes, lambda: sensitivity_table(rows))
    if out is not None:
        figures = ", tornado.png, tornado.svg" if state else ""
        click.echo(f"Written to {out}: sensitivity.csv{figures} and manifest.json.", err=True)
