"""``policy-sim game``: the publisher picks a policy, the recipient attacks if that pays."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.options import format_option, in_file_option, out_option

__all__ = ["game"]


@click.command()
@click.argument("state", required=False)
@click.option("--population", metavar="NAME|FILE", help="Whose census. [default: us-2020]")
@click.option("--lists", metavar="VINTAGE", help="Voter lists of which year. [default: the newest]")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME|FILE",
    help="What the publisher may pick, such as release:newest or your own file; repeat for more. [default: Safe Harbor "
    "and other policies without ZIP codes]",
)
@click.option(
    "--frontier", is_flag=True, help="Also the policies on the frontier of 'policy-sim explore', for one STATE."
)
@click.option("--coverage", type=click.Choice(("everyone", "adults", "registered")), help="Who is on the lists.")
@click.option("--adversary", metavar="NAME|FILE", help="What holds the recipient back. [default: nothing]")
@click.option(
    "--rules", type=click.Choice(("paper", "regulation")), help="The form of the HIPAA rules, as for compare."
)
@in_file_option()
@click.option("--benefit", metavar="USD|NAME", default="benefit-wan-2015", show_default=True, help="Of a full record.")
@click.option("--loss", metavar="USD|NAME", default="loss-wan-2015", show_default=True, help="Of a person named.")
@click.option("--gain", metavar="USD|NAME", default="wan-2015", show_default=True, help="Of a correct match.")
@click.option(
    "--cost-per-attempt", metavar="USD|NAME", default="attempt-wan-2015", show_default=True, help="Of each attempt."
)
@click.option(
    "--penalty", metavar="USD|NAME", default="hipaa-neglect-2026", show_default=True, help="Per person named."
)
@click.option("--chance-caught", type=click.FloatRange(0, 1), default=0.01, show_default=True, help="An assumption.")
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
    """The policy that pays the publisher most, where the recipient attacks if that pays (Wan et al. 2015).

    For one STATE or all, with the real price of its voter list, without and with a penalty, beside always releasing
    Safe Harbor.

    \b
    Examples:
      policy-sim game OH --in-file 0.01
      policy-sim game DE --frontier --in-file 11000
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
