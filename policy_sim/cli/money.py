"""Commands about attacks and money: attack, cost, break-even, budget, game, pair and economics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from policy_sim.cli.options import (
    engine_option,
    format_option,
    in_file_option,
    interval_option,
    out_option,
    population_option,
    study_options,
)

__all__ = ["attack", "break_even", "budget", "cost", "economics", "game", "pair", "stakes_options", "taken_stakes"]


# Options on gains and costs of an attack, shared by the commands about money.


_Command = TypeVar("_Command", bound=Callable[..., Any])
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "gain": {
        "metavar": "USD|NAME",
        "default": "wan-2015",
        "help": "Value of a correct match to the attacker: dollars, or a name from 'policy-sim economics'.",
    },
    "cost_per_attempt": {
        "metavar": "USD|NAME",
        "default": "attempt-wan-2015",
        "help": "Cost of attacking one record, right or wrong: dollars, or a name from 'policy-sim economics'.",
    },
    "loss_per_wrong": {
        "type": click.FloatRange(min=0),
        "default": 0.0,
        "help": "Dollars that the attacker loses for each record matched to the wrong person.",
    },
    "penalty": {
        "metavar": "USD|NAME",
        "default": "0",
        "help": "Fine for each person re-identified if the attacker is caught: dollars, or a name from 'policy-sim "
        "economics'.",
    },
    "chance_caught": {
        "type": click.FloatRange(0, 1),
        "default": 0.0,
        "help": "Chance (0 to 1) that the attacker is caught and fined. An assumption: no source gives it.",
    },
}


def stakes_options(*names: str, **defaults: Any) -> Callable[[_Command], _Command]:
    """Add the options on an attack's gains and costs, ``--gain``, ``--cost-per-attempt`` and so on.

    ``names``: which of them; all by default. ``defaults``: other values where an option is not given.
    """

    def add(command: _Command) -> _Command:
        for name in reversed(names or tuple(_OPTIONS)):
            settings = {**_OPTIONS[name], **({"default": defaults[name]} if name in defaults else {})}
            command = click.option(f"--{name.replace('_', '-')}", show_default=True, **settings)(command)
        return command

    return add


def taken_stakes(options: dict[str, Any]) -> dict[str, Any]:
    """Take the values of these options out of all that were given.

    >>> given = {"gain": "100", "penalty": "0", "policies": ()}
    >>> taken_stakes(given), given
    ({'gain': '100', 'penalty': '0'}, {'policies': ()})
    """
    return {name: options.pop(name) for name in _OPTIONS if name in options}


# ``policy-sim attack``: which records a rational attacker attacks, and its profit.


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
    from policy_sim.cli.options import ask
    from policy_sim.cli.output import output_folder, print_rows, write_rows
    from policy_sim.show.money_text import attack_table

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
        from policy_sim.show.save import save_figure

        with output_folder(out, answer.provenance.manifest()) as folder:
            write_rows(rows, folder / "attack.csv")
            write_rows(answer.curves(), folder / "attack-curve.csv")
            if len(answer.curves()):
                save_figure(answer.plot(), folder / "attack")
    print_rows(rows, form, answer.provenance.notes, lambda: attack_table(rows))


# ``policy-sim cost``: what the buyer of a voter list pays for each re-identification.


@click.command()
@study_options()
@engine_option()
@interval_option()
@format_option()
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
    from policy_sim.cli.options import ask
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.words.errors import InputError

    studies = ask(**options | {"attackers": options["attackers"] or (VOTER,)})
    if not studies.question.has_files:
        raise InputError(
            "this attacker knows everyone, an assumption that nobody sells: its price is not modeled. Name one with a "
            "list or a file, such as voter."
        )
    frame, origin = studies.costs().to_frame(), studies.provenance("cost")
    if out is not None:
        write_frames(out, origin.manifest(), cost=frame)
    print_rows(frame, form, origin.notes)


# ``policy-sim break-even``: whether an attack pays, and when it starts to.


@click.command(name="break-even")
@study_options()
@stakes_options()
@click.option(
    "--no-sizes",
    "sizes",
    is_flag=True,
    default=True,
    flag_value=False,
    help="Do not compute the smallest file that pays.",
)
@format_option()
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
    from policy_sim.cli.options import ask
    from policy_sim.cli.output import Progress, print_rows, write_frames
    from policy_sim.show.money_text import break_even_table

    stakes = taken_stakes(options)
    studies = ask(**options | {"attackers": options["attackers"] or (VOTER,)})
    question = studies.question
    with Progress() as progress:
        progress("looking for the smallest files" if sizes else "looking for the best attacks")
        answer = studies.only_study.break_even(
            question.states,
            question.policies,
            question.attackers,
            rules=question.rules,
            in_file=question.in_file,
            sizes=sizes,
            **stakes,
        )
    rows = answer.to_frame()
    if out is not None:
        write_frames(out, answer.provenance.manifest(), **{"break-even": rows})
    print_rows(rows, form, answer.provenance.notes, lambda: break_even_table(rows))


# ``policy-sim budget``: which lists to buy for a budget, or for a number of names.


@click.command()
@click.option("--usd", type=click.FloatRange(min=0), help="How much the buyer spends.")
@click.option(
    "--target",
    type=click.FloatRange(min=0, min_open=True),
    help="Or: the number of correct claims that the buyer wants.",
)
@study_options()
@click.option("--any-buyer", is_flag=True, help="Also include lists that the public may not buy.")
@click.option("--released", is_flag=True, help="Count a list's unknown fields as released instead of withheld.")
@click.option(
    "--usd-per-county", type=click.FloatRange(min=0), help="Price of a county's list where no source gives one."
)
@format_option()
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
    from policy_sim.cli.options import ask
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.show.money_text import budget_table

    options |= {
        "policies": options["policies"] or ("limited-dataset",),
        "attackers": options["attackers"] or (VOTER,),
    }
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
    if out is not None:
        write_frames(out, answer.provenance.manifest(), budget=rows)
    print_rows(rows, form, answer.provenance.notes, lambda: budget_table(rows))


# ``policy-sim game``: the publisher chooses a policy, and the recipient attacks if that pays.


@click.command()
@click.argument("state", required=False)
@population_option()
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

    from policy_sim.cli.output import Progress, output_folder, print_rows, write_rows
    from policy_sim.show.money_text import game_page, game_table
    from policy_sim.study.market import GAME_POLICIES
    from policy_sim.study.question import DEFAULT_RULES
    from policy_sim.study.study import Study

    study = Study(population, lists, adversary=adversary)
    if coverage is not None:
        study = replace(study, coverage=coverage)
    with Progress() as progress:
        progress("solving the game")
        answer = study.game(state, policies or GAME_POLICIES, rules=rules or DEFAULT_RULES, **options)  # type: ignore[arg-type]
    rows, notes = answer.to_frame(), answer.provenance.notes
    if out is not None:
        from policy_sim.show.save import save_figure

        with output_folder(out, answer.provenance.manifest()) as folder:
            write_rows(rows, folder / "game.csv")
            write_rows(answer.moves, folder / "game-moves.csv")
            (folder / "game.html").write_text(game_page(rows, notes), encoding="utf-8")
            if state is None:
                save_figure(answer.map(), folder / "game")
    print_rows(rows, form, notes, lambda: game_table(rows))


# ``policy-sim pair``: two files about the same people, linked by the fields they have in common.


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
@population_option()
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
    from policy_sim.study.study import Study

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


# ``policy-sim economics``: what a name is worth, what an attack costs, and the sources.


@click.command()
@format_option()
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
    from policy_sim.cli.output import print_rows
    from policy_sim.show.text_table import wrapped

    amounts = load_amounts().values()
    rows = pd.DataFrame([asdict(amount) for amount in amounts])
    rows = rows.astype(dict.fromkeys(("usd_low", "usd_high", "cap_usd"), "Float64"))
    lines = [f"{amount.kind}: {amount.what}. {amount.cite()} {amount.note}".rstrip() for amount in amounts]
    print_rows(rows, form, (), lambda: "\n".join(wrapped(lines)))
