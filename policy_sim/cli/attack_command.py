"""``policy-sim attack``: which records a rational attacker attacks, and its profit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import format_option, out_option, study_options
from policy_sim.cli.stakes_options import stakes_options, taken_stakes

__all__ = ["attack"]


@click.command()
@click.argument("state")
@click.option(
    "--against", multiple=True, metavar="STATE", help="Also show this state, for comparison; repeat for more."
)
@study_options(without="states")
@stakes_options()
@click.option(
    "--sees-list",
    is_flag=True,
    help="Assume that the attacker sees the list before it chooses which records to attack.",
)
@format_option()
@out_option("Also write attack.csv, attack-curve.csv, the figure and manifest.json into this folder.")
def attack(state: str, against: tuple[str, ...], sees_list: bool, form: str, out: Path | None, **options: Any) -> None:
    """Find the best attack on a file about one STATE, and its profit.

    The attacker starts with the records that it is most likely to match correctly. It stops when one more attempt costs
    more than it brings. With all records and no cost per attempt, this is the figure that 'policy-sim cost' prints.

    \b
    Examples:
      policy-sim attack OH --policy limited-dataset --in-file 11000
      policy-sim attack WA --against OH --gain broker-2023 --cost-per-attempt 0 --out attack
    """
    from policy_sim.attackers import VOTER
    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import output_folder, print_rows, write_rows
    from policy_sim.render.attack_text import attack_table

    stakes = taken_stakes(options)
    attackers = options["attackers"] or (VOTER,)
    studies = ask(**options | {"states": (state, *against), "attackers": attackers})
    question = studies.question
    answer = studies.only_study.attack(
        question.states,
        question.policies,
        question.attackers,
        rules=question.rules,
        in_file=question.in_file,
        sees_list=sees_list,
        **stakes,
    )
    rows = answer.to_frame()
    if out is not None:
        from policy_sim.render.save import save_figure

        with output_folder(out, answer.provenance.manifest()) as folder:
            write_rows(rows, folder / "attack.csv")
            write_rows(answer.curves(), folder / "attack-curve.csv")
            if len(answer.curves()):
                save_figure(answer.plot(), folder / "attack")
    print_rows(rows, form, answer.provenance.notes, lambda: attack_table(rows))
