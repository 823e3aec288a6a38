"""``policy-sim trends``: how people, list law, sources and prices changed risk and profit."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.options import format_option, in_file_option, many_states_option, out_option, study_option
from policy_sim.cli.stakes_options import stakes_options

__all__ = ["trends"]


@click.command()
@click.option(
    "--at",
    "moments",
    multiple=True,
    metavar="POPULATION:LISTS",
    help="A date, as population:lists, such as us-2000:2008; repeat, oldest first. [default: us-2000:2008, "
    "us-2020:2020, us-2022:2026]",
)
@click.option("--policy", default="limited-dataset", show_default=True, metavar="NAME|FILE", help="What is released.")
@many_states_option()
@study_option("rules")
@study_option("coverage")
@in_file_option()
@stakes_options("gain", "cost_per_attempt")
@format_option()
@out_option("Also write trends.csv, trends-changes.csv, the figure and manifest.json into this folder.")
def trends(
    moments: tuple[str, ...],
    policy: str,
    states: tuple[str, ...],
    rules: str | None,
    coverage: str | None,
    in_file: float | None,
    gain: str,
    cost_per_attempt: str,
    form: str,
    out: Path | None,
) -> None:
    """Show risk, price and profit of an attack with the voter list at several dates, and what changed them.

    The command splits each change into the effects of people, list law, better sources on the list, and price, averaged
    over every order of the changes. Rules and coverage are those of compare; where the people of one date have no ZIP
    codes (us-2000), every date is measured without them.

    \b
    Examples:
      policy-sim trends --state OH --state VA
      policy-sim trends --at us-2000:2008 --at us-2020:2026 --out trends
      policy-sim trends --at us-2020:2020 --at us-2020:2026 --coverage everyone
    """
    from policy_sim.cli.output import output_folder, print_rows, write_rows
    from policy_sim.cli.progress import Progress
    from policy_sim.errors import InputError
    from policy_sim.questions.trend_questions import MOMENTS
    from policy_sim.questions.trend_questions import trends as ask_trends
    from policy_sim.render.trend_figure import trend_table

    pairs = [tuple(moment.partition(":")[::2]) for moment in moments]
    if any(not all(pair) for pair in pairs):
        raise InputError("--at takes a population and a vintage of lists, such as us-2000:2008.")
    chosen = [(population, lists) for population, lists in pairs] or list(MOMENTS)
    with Progress() as progress:
        answer = ask_trends(
            chosen,
            policy,
            states or None,
            gain=gain,
            cost_per_attempt=cost_per_attempt,
            rules=rules or "regulation",
            coverage=coverage or "registered",
            in_file=in_file,
            tell=progress,
        )
    rows, notes = answer.to_frame(), answer.provenance.notes
    if out is not None:
        from policy_sim.render.save import save_figure

        with output_folder(out, answer.provenance.manifest()) as folder:
            write_rows(rows, folder / "trends.csv")
            write_rows(answer.changes, folder / "trends-changes.csv")
            save_figure(answer.plot(), folder / "trends")
    print_rows(rows, form, notes, lambda: trend_table(rows, answer.changes))
