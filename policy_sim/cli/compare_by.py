"""``policy-sim compare --by``: the risk of each group of people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.questions.studies import Studies

__all__ = ["compare_by"]


def compare_by(by: str, form: str, out: Path | None, **options: Any) -> None:
    """Break every measure down by race, age, sex, county or county size; print it, and write it with ``--out``.

    The printed table adds the states together; by county, each county has a row. With several populations, the command
    shows the change of each county.
    """
    import click

    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import output_folder, print_rows, write_rows
    from policy_sim.errors import InputError

    studies = ask(**options)
    if studies.study.spread:
        raise InputError("--by and --interval do not work together: use one of them.")
    if by == "county" and len(studies.studies) > 1:
        _compare_counties(studies, form, out)
        return
    rows, origin = studies.breakdown(by).to_frame(), studies.provenance("compare")
    if out is not None:
        from policy_sim.render.breakdown_figure import breakdown_figures
        from policy_sim.render.save import save_figures

        with output_folder(out, origin.manifest() | {"by": by}) as folder:
            write_rows(rows, folder / f"by-{by}.csv")
            save_figures(breakdown_figures(_together(rows, by), origin.figure_notes), folder)
    print_rows(rows, form, origin.notes, lambda: _table(rows, by))
    if out is not None:
        click.echo(f"Written to {out}: by-{by}.csv, figures and manifest.json.", err=True)


def _compare_counties(studies: Studies, form: str, out: Path | None) -> None:
    """Print the change of each county's risk since the first population, over areas with the same borders."""
    import click

    from policy_sim.cli.output import output_folder, print_rows, write_rows
    from policy_sim.render.change_figure import area_change_table

    (rows, notes), origin = studies.county_changes(), studies.provenance("compare")
    if out is not None:
        with output_folder(out, origin.manifest() | {"by": "county"}) as folder:
            write_rows(rows, folder / "change-by-county.csv")
    print_rows(rows, form, [*notes, *origin.notes], lambda: area_change_table(rows))
    if out is not None:
        click.echo(f"Written to {out}: change-by-county.csv and manifest.json.", err=True)


def _together(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the table: several states added together; counties or one state unchanged."""
    from policy_sim.analyses.breakdown import over_states

    return rows if by == "county" or len(rows["state"].unique()) == 1 else over_states(rows)


def _table(rows: pd.DataFrame, by: str) -> str:
    from policy_sim.render.breakdown_figure import breakdown_table

    states = len(rows["state"].unique())
    head = [f"{states} states added up, as far as they have a figure"] if states > 1 and by != "county" else []
    return "\n".join([*head, breakdown_table(_together(rows, by))])
