"""``policy-sim pair``: two files about the same people, linked by the fields they have in common."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.options import format_option, out_option

__all__ = ["pair"]

_SHARE = click.FloatRange(0, 1, min_open=True)


@click.command()
@click.argument("state")
@click.option("--first", "shows_first", required=True, metavar="NAME|FILE", help="The policy of the first file.")
@click.option("--second", "shows_second", required=True, metavar="NAME|FILE", help="The policy of the second file.")
@click.option("--in-first", type=_SHARE, required=True, help="Share of the state's people in the first file.")
@click.option("--in-second", type=_SHARE, required=True, help="Share of the state's people in the second file.")
@click.option("--in-both", type=_SHARE, required=True, help="Share of the state's people in both files.")
@click.option("--listed", type=_SHARE, default=1.0, show_default=True, help="Share of the people who are on the list.")
@click.option("--attacker", metavar="NAME", help="The attacker that has the list. [default: voter]")
@click.option(
    "--rules",
    type=click.Choice(("regulation", "paper")),
    default="regulation",
    show_default=True,
    help="Which form of a HIPAA rule a policy's name means: as written, with ZIP codes, or as the paper simplifies it.",
)
@click.option("--population", metavar="NAME|FILE", help="The census population to use. [default: us-2020]")
@click.option("--lists", metavar="VINTAGE", help="Year of the voter lists. [default: the newest]")
@format_option()
@out_option("Also write pair.csv and manifest.json into this folder.")
def pair(
    state: str,
    shows_first: str,
    shows_second: str,
    in_first: float,
    in_second: float,
    in_both: float,
    listed: float,
    attacker: str | None,
    rules: str,
    population: str | None,
    lists: str | None,
    form: str,
    out: Path | None,
) -> None:
    """Pair two files about people of one STATE, such as inpatient and emergency records, and link them with a list.

    The attacker pairs two records if they are the only ones in their files with the same shared values. It then links
    the fields of both records with the list. The command counts the people in both files whom the list identifies for
    sure, from each file alone and from the pair.

    \b
    Examples:
      policy-sim pair DE --first county --second month-of-birth --in-first 0.01 --in-second 0.02 --in-both 0.005
      policy-sim pair OH --first limited-dataset --second safe-harbor --in-first 0.001 --in-second 0.001
        --in-both 0.0005 --attacker general
      policy-sim pair OH --first county --second 'sex+birth=date+geography=state' --in-first 0.001 --in-second 0.001
        --in-both 0.0005 --attacker general
    """
    from policy_sim.attackers import VOTER
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.study import Study

    answer = Study(population, lists).pair(
        state,
        (shows_first, shows_second),
        attacker or VOTER,
        first=in_first,
        second=in_second,
        both=in_both,
        coverage=listed,
        rules=rules,
    )
    rows = answer.to_frame()
    if out is not None:
        write_frames(out, answer.provenance.manifest(), pair=rows)
    print_rows(rows, form, answer.provenance.notes)
