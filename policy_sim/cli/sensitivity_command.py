"""``policy-sim sensitivity``: what each assumption is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import format_option, g_option, out_option, study_options

__all__ = ["sensitivity"]

_NOT_MEASURED = (
    "errors of the population and of its noise are measured for some linkage keys only: where they are not "
    "listed they are not known"
)


@click.command()
@click.argument("state", required=False)
@study_options(without="states")
@g_option()
@format_option()
@out_option("Also write sensitivity.csv, the tornado figure (of one state) and manifest.json into this folder.")
def sensitivity(state: str | None, form: str, out: Path | None, **options: Any) -> None:
    """Change one assumption at a time in one STATE, and rank the changes; in every state without one.

    The form of the rules, who is on the list, how many are in the file, birthdays, years of birth, fields not
    known, the oldest in one class, another census, the measured errors of the population and of its noise. An
    assumption that does not move a figure is left out.

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
