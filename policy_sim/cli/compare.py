"""``policy-sim compare``: the main table, as rows, as a summary and as a folder of files and maps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.options import engine_option, format_option, g_option, interval_option, out_option, study_options

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["compare"]


@click.command()
@study_options()
@engine_option()
@g_option()
@interval_option()
@click.option(
    "--by",
    type=click.Choice(("race", "age", "sex", "county", "county-size")),
    help="Who bears the risk: every measure parted among the people; with --out bars, or maps of counties.",
)
@format_option()
@out_option("Also write the tables (csv, summary.txt), maps, figures and manifest.json into this folder.")
def compare(form: str, out: Path | None, by: str | None, **options: Any) -> None:
    """Risk of every state under each policy and attacker.

    Total risk is the expected number of correct re-identifications; g-distinct is how many people
    share their key with fewer than g others. Where a list's field is not known, both ends are given.
    With several populations, each is also compared with the first: the change in risk of every state.

    \b
    Examples:
      policy-sim compare
      policy-sim compare --as benitez-malin-2010 --out out
      policy-sim compare --state OH --state TX --g 1 --g 5 --format csv
      policy-sim compare --by race --state OH
      policy-sim compare --by county --state OH --out ohio
      policy-sim compare --population us-2000 --population us-2010 --population us-2020 --out change
    """
    import pandas as pd

    if by is not None:
        from policy_sim.cli.compare_by import compare_by

        compare_by(by, form, out, **options)
        return

    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import output_folder, print_rows, write_rows
    from policy_sim.cli.progress import Progress

    asked = ask(**options)
    profiles = pd.concat([comparison.to_frame() for comparison in asked.comparisons], ignore_index=True)
    trust, cost, change = asked.trust_rows(), asked.cost_rows(), asked.change_rows()
    shown = cost[cost["attacker"] == "voter"]  # one price a state; --coverage adds attackers, not lists
    if out is not None:
        from policy_sim.render.change import change_figures
        from policy_sim.render.comparison import comparison_figures
        from policy_sim.render.save import save_figures

        with Progress() as progress, output_folder(out, asked.manifest("compare")) as folder:
            progress("drawing maps and figures")
            summary = [_summary(profiles, trust, shown, change), *asked.notes]
            (folder / "summary.txt").write_text("\n".join(summary) + "\n", encoding="utf-8")
            for name, frame in (("profiles", profiles), ("trust", trust), ("cost", cost), ("change", change)):
                if len(frame) or name != "change":
                    write_rows(frame, folder / f"{name}.csv")
            save_figures(comparison_figures(profiles, trust, shown, asked.notes), folder)
            save_figures(change_figures(profiles, asked.notes), folder)
    print_rows(profiles, form, asked.notes, lambda: _summary(profiles, trust, cost, change))
    if out is not None:
        click.echo(f"Written to {out}: tables, maps, figures and manifest.json.", err=True)


def _summary(profiles: pd.DataFrame, trust: pd.DataFrame, cost: pd.DataFrame, change: pd.DataFrame) -> str:
    from policy_sim.render.change import change_table
    from policy_sim.render.summary import summary_table

    tables = [summary_table(profiles, trust, cost), *([change_table(change)] if len(change) else [])]
    if "people_from95" in profiles:
        from policy_sim.render.intervals import interval_table

        tables.append(interval_table(profiles))
    return "\n\n".join(tables)
