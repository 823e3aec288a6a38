"""``policy-sim game``: the publisher chooses a policy, and the recipient attacks if that pays."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.options import format_option, in_file_option, out_option
from policy_sim.cli.stakes_options import stakes_options

__all__ = ["game"]


@click.command()
@click.argument("state", required=False)
@click.option("--population", metavar="NAME|FILE", help="The census population to use. [default: us-2020]")
@click.option("--lists", metavar="VINTAGE", help="Year of the voter lists. [default: the newest]")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME|FILE",
    help="A policy that the publisher may choose, such as release:newest or your own file; repeat for more. [default: "
    "the HIPAA rules and twelve policies by county or state]",
)
@click.option(
    "--frontier",
    is_flag=True,
    help="Also include the policies on the frontier of 'policy-sim explore'; needs one STATE.",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="FIELD[=HOW]",
    help="A field that the release must show at least this finely, as in 'policy-sim explore': sex, race=broad; repeat "
    "for more.",
)
@click.option(
    "--coverage",
    type=click.Choice(("everyone", "adults", "registered")),
    help="Who is assumed to be on the voter list.",
)
@click.option("--adversary", metavar="NAME|FILE", help="What limits the recipient. [default: nothing]")
@click.option(
    "--rules", type=click.Choice(("paper", "regulation")), help="Which form of the HIPAA rules to use, as in compare."
)
@in_file_option()
@click.option(
    "--benefit",
    metavar="USD|NAME",
    default="benefit-wan-2015",
    show_default=True,
    help="Value to the publisher of one record in full detail.",
)
@click.option(
    "--loss",
    metavar="USD|NAME",
    default="loss-wan-2015",
    show_default=True,
    help="Loss to the publisher for each person re-identified.",
)
@stakes_options(
    *("gain", "cost_per_attempt", "penalty", "chance_caught"), penalty="hipaa-neglect-2026", chance_caught=0.01
)
@format_option()
@out_option("Also write game.csv, game-moves.csv, a page, a map of all states, and manifest.json into this folder.")
def game(
    state: str | None,
    population: str | None,
    lists: str | None,
    policies: tuple[str, ...],
    adversary: str | None,
    coverage: str | None,
    rules: str | None,
    form: str,
    out: Path | None,
    **options: float | str | bool | None,
) -> None:
    """Find the policy that pays the publisher most, given that the recipient attacks if that pays (Wan et al. 2015).

    The command solves one STATE or all states, with the real price of the voter list, with and without a penalty. It
    compares the result with always releasing Safe Harbor.

    \b
    Examples:
      policy-sim game OH --in-file 0.01
      policy-sim game DE --frontier --keep sex --keep race=broad --in-file 11000
      policy-sim game --in-file 0.01 --out game
    """
    from dataclasses import replace

    from policy_sim.cli.output import output_folder, print_rows, write_rows
    from policy_sim.cli.progress import Progress
    from policy_sim.questions.market_questions import GAME_POLICIES
    from policy_sim.questions.question import DEFAULT_RULES
    from policy_sim.render.game_text import game_page, game_table
    from policy_sim.study import Study

    study = Study(population, lists, adversary=adversary)
    if coverage is not None:
        study = replace(study, coverage=coverage)
    with Progress() as progress:
        progress("solving the game")
        answer = study.game(state, policies or GAME_POLICIES, rules=rules or DEFAULT_RULES, **options)  # type: ignore[arg-type]
    rows, notes = answer.to_frame(), answer.provenance.notes
    if out is not None:
        from policy_sim.render.save import save_figure

        with output_folder(out, answer.provenance.manifest()) as folder:
            write_rows(rows, folder / "game.csv")
            write_rows(answer.moves, folder / "game-moves.csv")
            (folder / "game.html").write_text(game_page(rows, notes), encoding="utf-8")
            if state is None:
                save_figure(answer.map(), folder / "game")
    print_rows(rows, form, notes, lambda: game_table(rows))
