"""``policy-sim lists agreement | coding-sheet``: the facts coded a second time."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.options import FilePath, format_option

__all__ = ["agreement", "coding_sheet"]


@click.command()
@click.option(
    "--coding",
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A second coding: a filled-in sheet from 'lists coding-sheet'. [default: the one that comes with the program]",
)
@click.option("--disagreements", is_flag=True, help="List the facts on which the two codings differ.")
@format_option()
def agreement(coding: Path | None, disagreements: bool, form: str) -> None:
    """Compare the list facts with a second, independent coding of some of them: agreement and Cohen's kappa by item.

    \b
    Examples:
      policy-sim lists agreement
      policy-sim lists agreement --disagreements --format csv
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.io.list_coding_files import read_coding, read_decisions, shipped_coding
    from policy_sim.io.voter_lists.state_files import described_lists
    from policy_sim.voter_lists.agreement import agreement_frame, changed_since, disagreements_frame, first_codes
    from policy_sim.voter_lists.coding import fact_keys

    lists, second = described_lists(), read_coding(coding or shipped_coding("second"))
    now, every = first_codes(lists, second), fact_keys(lists)
    then = {fact.key: fact.code for fact in read_coding(shipped_coding("first"))} if coding is None else now
    notes = [f"coded twice: {len(second):,} of {len(every):,} facts ({len(second) / len(every):.1%})"]
    if changed := changed_since(then, now):
        notes.append(f"changed since the comparison: {', '.join(' '.join(key) for key in changed)}")
    if disagreements:
        print_rows(disagreements_frame(then, second, read_decisions()), form, notes)
        return
    print_rows(agreement_frame(then, second), form, notes)


@click.command("coding-sheet")
@click.option(
    "--share", type=float, default=0.2, show_default=True, help="Share of the facts of each item and vintage."
)
@click.option("--seed", type=int, default=2026, show_default=True, help="The same seed draws the same facts.")
@click.option("--out", type=FilePath(dir_okay=False, path_type=Path), metavar="FILE", help="Write here.")
def coding_sheet(share: float, seed: int, out: Path | None) -> None:
    """Write a blank sheet for a second coder: randomly chosen facts with their sources but without their values.

    \b
    Example:
      policy-sim lists coding-sheet --out sheet.csv
    """
    from policy_sim.cli.lists_paths import written_beside
    from policy_sim.cli.standard_output import put
    from policy_sim.io.list_coding_files import blank_sheet
    from policy_sim.io.voter_lists.state_files import described_lists
    from policy_sim.voter_lists.coding import fact_keys, sample_of

    lists = described_lists()
    text = blank_sheet(sample_of(fact_keys(lists), share, seed), lists)
    if out is None:
        put(text)
        return
    with written_beside(out) as path:
        path.write_text(text, encoding="utf-8")
