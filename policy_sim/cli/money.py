"""Commands about attacks and money: attack, cost, break-even, budget, game, pair and economics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import (
    RULES,
    answer_to,
    ask,
    engine_option,
    format_option,
    in_file_option,
    interval_option,
    lists_option,
    option,
    out_option,
    population_option,
    stakes_options,
    study_options,
    taken_stakes,
)
from policy_sim.cli.output import Progress, deliver, print_rows
from policy_sim.words.errors import InputError


@click.command()
@click.argument("state")
@option("--against", multiple=True, metavar="STATE", help="Also show this state, for comparison; repeat for more.")
@study_options(without="states")
@stakes_options()
@option(
    "--sees-list",
    is_flag=True,
    help="Assume that the attacker sees the list before it chooses which records to attack.",
)
@format_option
@out_option("Also write attack.csv, attack-curve.csv, the figure and manifest.json into this folder.")
def attack(state: str, against: tuple[str, ...], sees_list: bool, form: str, out: Path | None, **options: Any) -> None:
    """Find the best attack on a file about one STATE, and its profit.

    The attacker starts with the records that it is most likely to match correctly. It stops when one more attempt costs
    more than it earns. With all records and no cost per attempt, this is the figure that 'policy-sim cost' prints.

    \b
    Examples:
      policy-sim attack OH --policy limited-dataset --in-file 11000
      policy-sim attack WA --against OH --gain broker-2023 --cost-per-attempt 0 --out attack
    """
    from policy_sim.attackers import VOTER
    from policy_sim.show.money import attack_table

    stakes = taken_stakes(options)
    studies = ask(**options | {"states": (state, *against), "attackers": options["attackers"] or (VOTER,)})
    answer = answer_to(studies.question, studies.only_study.attack, sees_list=sees_list, **stakes)
    rows, curves = answer.to_frame(), answer.curves()
    deliver(
        rows,
        form,
        out,
        answer.provenance,
        lambda: attack_table(rows),
        files={"attack.csv": rows, "attack-curve.csv": curves},
        figures=lambda: [("attack", answer.plot())] if len(curves) else [],
    )


@click.command()
@study_options()
@engine_option
@interval_option
@format_option
@out_option("Write cost.csv and manifest.json into this folder.")
def cost(form: str, out: Path | None, **options: Any) -> None:
    """Divide the price of a voter list, or of another file, by the number of correct matches.

    The status says whether a list is free, not for sale, or of unknown price. A price that depends on the number of
    records or counties is computed for the population.

    \b
    Examples:
      policy-sim cost
      policy-sim cost --as benitez-malin-2010 --state WV --state NH --state WI
      policy-sim cost --state FL --attacker voter --attacker florida-driver-data
    """
    from policy_sim.attackers import VOTER
    from policy_sim.show.text_table import cost_table

    studies = ask(**options | {"attackers": options["attackers"] or (VOTER,)})
    if not studies.question.has_files:
        raise InputError(
            "this attacker knows everyone, an assumption that nobody sells: its price is not modeled. Name one with a "
            "list or a file, such as voter."
        )
    frame, origin = studies.costs().to_frame(), studies.provenance("cost")
    deliver(frame, form, out, origin, lambda: cost_table(frame), files={"cost.csv": frame})


@click.command(name="break-even")
@study_options()
@stakes_options()
@option(
    "--no-sizes",
    "sizes",
    is_flag=True,
    default=True,
    show_default=False,
    flag_value=False,
    help="Do not compute the smallest file that pays.",
)
@format_option
@out_option("Also write break-even.csv and manifest.json into this folder.")
def break_even(form: str, out: Path | None, sizes: bool, **options: Any) -> None:
    """Show whether an attack pays in each state, and from which gain, price and file size.

    If no source gives the price of a list, its profit and break-even gain are unknown. Its break-even price is the
    highest price at which the attack would pay.

    \b
    Examples:
      policy-sim break-even --policy limited-dataset --in-file 0.01
      policy-sim break-even --state WI --state NC --gain broker-2023 --cost-per-attempt 0
    """
    from policy_sim.attackers import VOTER
    from policy_sim.show.money import break_even_table

    stakes = taken_stakes(options)
    studies = ask(**options | {"attackers": options["attackers"] or (VOTER,)})
    with Progress() as progress:
        progress("looking for the smallest files" if sizes else "looking for the best attacks")
        answer = answer_to(studies.question, studies.only_study.break_even, sizes=sizes, **stakes)
    rows = answer.to_frame()
    deliver(rows, form, out, answer.provenance, lambda: break_even_table(rows), files={"break-even.csv": rows})


@click.command()
@option("--usd", type=click.FloatRange(min=0), help="How much the buyer spends.")
@option(
    "--target",
    type=click.FloatRange(min=0, min_open=True),
    help="Or: the number of correct claims that the buyer wants.",
)
@study_options()
@option("--any-buyer", is_flag=True, help="Also include lists that the public may not buy.")
@option("--released", is_flag=True, help="Count a list's unknown fields as released instead of withheld.")
@option("--usd-per-county", type=click.FloatRange(min=0), help="Price of a county's list where no source gives one.")
@format_option
@out_option("Also write budget.csv and manifest.json into this folder.")
def budget(
    usd: float | None,
    target: float | None,
    any_buyer: bool,
    released: bool,
    usd_per_county: float | None,
    form: str,
    out: Path | None,
    **options: Any,
) -> None:
    """Choose the lists with the most correct claims for a budget, or the cheapest lists for a number of claims.

    The attacker claims a record when exactly one person on the list has the record's values. The buyer buys one list
    per state, or the lists of counties where only counties sell. The output names the lists that this buyer may not
    have, and those with no known price; the answer leaves them out. The answer is exact (a binary program).

    \b
    Examples:
      policy-sim budget --usd 5000
      policy-sim budget --usd 5000 --adversary party --policy safe-harbor --in-file 0.01
      policy-sim budget --target 100000
    """
    from policy_sim.attackers import VOTER
    from policy_sim.show.money import budget_table

    options |= {"policies": options["policies"] or ("limited-dataset",), "attackers": options["attackers"] or (VOTER,)}
    studies = ask(**options)
    question = studies.question
    answer = studies.only_study.budget(
        usd,
        target,
        question.policies,
        question.attackers,
        question.states,
        any_buyer=any_buyer,
        released=released,
        usd_per_county=usd_per_county,
        rules=question.rules,
        in_file=question.in_file,
    )
    rows = answer.to_frame()
    deliver(rows, form, out, answer.provenance, lambda: budget_table(rows), files={"budget.csv": rows})


@click.command()
@click.argument("state", required=False)
@population_option
@lists_option
@option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME|FILE",
    help="A policy that the publisher may choose, such as release:newest or your own file; repeat for more. [default: "
    "the HIPAA rules and twelve policies by county or state]",
)
@option(
    "--frontier",
    is_flag=True,
    help="Also include the policies on the frontier of 'policy-sim explore'; needs one STATE.",
)
@option(
    "--keep",
    multiple=True,
    metavar="FIELD[=HOW]",
    help="A field that the release must show at least this finely, as in 'policy-sim explore': sex, race=broad; repeat "
    "for more.",
)
@option(
    "--coverage", type=("everyone", "adults", "survey", "registered"), help="Who is assumed to be on the voter list."
)
@option("--adversary", metavar="NAME|FILE", help="What limits the recipient. [default: nothing]")
@option("--rules", type=("paper", "regulation"), help="Which form of the HIPAA rules to use, as in compare.")
@in_file_option
@option(
    "--benefit",
    metavar="USD|NAME",
    default="benefit-wan-2015",
    help="Value to the publisher of one record in full detail.",
)
@option(
    "--loss", metavar="USD|NAME", default="loss-wan-2015", help="Loss to the publisher for each person re-identified."
)
@stakes_options(
    *("gain", "cost_per_attempt", "penalty", "chance_caught"), penalty="hipaa-neglect-2026", chance_caught=0.01
)
@format_option
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

    from policy_sim.show.money import game_page, game_table
    from policy_sim.study.money import GAME_POLICIES
    from policy_sim.study.question import DEFAULT_RULES
    from policy_sim.study.study import Study

    study = Study(population, lists, adversary=adversary)
    if coverage is not None:
        study = replace(study, coverage=coverage)
    with Progress() as progress:
        progress("solving the game")
        answer = study.game(state, policies or GAME_POLICIES, rules=rules or DEFAULT_RULES, **options)  # type: ignore[arg-type]
    rows, origin = answer.to_frame(), answer.provenance
    deliver(
        rows,
        form,
        out,
        origin,
        lambda: game_table(rows),
        files={"game.csv": rows, "game-moves.csv": answer.moves, "game.html": game_page(rows, origin.notes)},
        figures=lambda: [("game", answer.map())] if state is None else [],
    )


_SHARE = click.FloatRange(0, 1, min_open=True)


@click.command()
@click.argument("state")
@option("--first", "shows_first", required=True, metavar="NAME|FILE", help="The policy of the first file.")
@option("--second", "shows_second", required=True, metavar="NAME|FILE", help="The policy of the second file.")
@option("--in-first", "first", type=_SHARE, required=True, help="Share of the state's people in the first file.")
@option("--in-second", "second", type=_SHARE, required=True, help="Share of the state's people in the second file.")
@option("--in-both", "both", type=_SHARE, required=True, help="Share of the state's people in both files.")
@option("--listed", "coverage", type=_SHARE, default=1.0, help="Share of the people who are on the list.")
@option("--attacker", metavar="NAME", help="The attacker that has the list. [default: voter]")
@option(
    "--rules",
    type=RULES,
    default="regulation",
    help="Which form of a HIPAA rule a policy's name means: as written, with ZIP codes, or as the paper simplifies it.",
)
@population_option
@lists_option
@format_option
@out_option("Also write pair.csv and manifest.json into this folder.")
def pair(
    state: str,
    shows_first: str,
    shows_second: str,
    attacker: str | None,
    population: str | None,
    lists: str | None,
    form: str,
    out: Path | None,
    **options: Any,
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
    from policy_sim.show.text_table import pair_table
    from policy_sim.study.study import Study

    answer = Study(population, lists).pair(state, (shows_first, shows_second), attacker or VOTER, **options)
    rows = answer.to_frame()
    deliver(rows, form, out, answer.provenance, lambda: pair_table(rows), files={"pair.csv": rows})


@click.command()
@format_option
def economics(form: str) -> None:
    """List gains, costs and penalties of attacks, each with its date and source.

    Other commands take these names in --gain, --cost-per-attempt and --penalty. An amount is unknown if no source gives
    it.

    \b
    Examples:
      policy-sim economics
      policy-sim economics --format csv
    """
    from dataclasses import asdict

    import pandas as pd

    from policy_sim.attackers.files import load_amounts
    from policy_sim.show.text_table import wrapped

    amounts = load_amounts().values()
    rows = pd.DataFrame([asdict(amount) for amount in amounts])
    rows = rows.astype(dict.fromkeys(("usd_low", "usd_high", "cap_usd"), "Float64"))
    lines = [f"{amount.kind}: {amount.what}. {amount.cite()} {amount.note}".rstrip() for amount in amounts]
    print_rows(rows, form, (), lambda: "\n".join(wrapped(lines)))
