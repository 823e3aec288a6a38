"""Commands about what an attack costs and earns."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

import policy_sim
from policy_sim.cli.commands import command
from policy_sim.cli.inputs import RECORDS
from policy_sim.cli.options import (
    MOST_G,
    answer_to,
    ask,
    engine_option,
    format_option,
    hipaa_option,
    in_file_option,
    interval_option,
    lists_option,
    option,
    out_options,
    policies_option,
    population_option,
    stakes_options,
    states_asked,
    study_options,
)
from policy_sim.cli.output import Output, Progress, meaning, print_rows
from policy_sim.words.errors import InputError


@command()
@click.argument("state", required=False)
@option("--against", multiple=True, metavar="STATE", help="Also show this state, for comparison; repeat for more.")
@study_options(without="states")
@stakes_options()
@option(
    "--sees-list",
    is_flag=True,
    help="Assume that the attacker sees the list before it chooses which records to attack.",
)
@out_options("Also write attack.csv, attack-curve.csv, the figure and manifest.json into this folder.")
@meaning(
    "The attack that pays most: how many records the attacker tries, how many it matches correctly, and its profit."
)
def attack(state: str | None, against: tuple[str, ...], output: Output, **options: Any) -> None:
    """Find the best attack on a file about one STATE, and its profit.

    The attacker starts with the records that it is most likely to match correctly. It stops when one more attempt costs
    more than it earns. With all records and no cost per attempt, this is the figure that 'policy-sim econ cost' prints.

    \b
    Examples:
      policy-sim econ attack OH --policy limited-dataset --in-file 11000
      policy-sim econ attack --in-file 4200 --from "OH: Lucas=60%, Wood; MI: Monroe"
      policy-sim econ attack WA --against OH --gain broker-2023 --cost-per-attempt 0 --out attack
    """
    from policy_sim.show.money import attack_table

    answer = answer_to(
        policy_sim.Study.attack, states=(*states_asked(state, options["in_file"]), *against) or None, **options
    )
    curves = answer.curves()
    output.deliver(
        answer,
        attack_table,
        files={"attack.csv": answer.to_frame(), "attack-curve.csv": curves},
        figures=lambda: [("attack", answer.plot())] if len(curves) else [],
    )


@command()
@study_options()
@engine_option
@option(
    "--g",
    multiple=True,
    type=click.IntRange(min=1, max=MOST_G),
    help="Divide the price by the people who are g-distinct with this g instead; repeat for more.",
)
@interval_option
@out_options("Write cost.csv and manifest.json into this folder.")
@meaning(
    "Dollars that the buyer of a list pays for each person that it is expected to match correctly: price divided by "
    "total risk. A right claim is a match with the only person on the list who fits; few claims: fewer than ten are "
    "expected. With --g: dollars for each person who shares the released values with fewer than g others. A range is "
    "the price over either end of the people."
)
def cost(output: Output, **options: Any) -> None:
    """Divide the price of a voter list, or of another file, by the number of correct matches.

    The status says whether a list is free, not for sale, or of unknown price. A price that depends on the number of
    records or counties is computed for the population. With --g, the price is divided by the people who are g-distinct;
    'policy-sim model curve' does it for every g.

    \b
    Examples:
      policy-sim econ cost
      policy-sim econ cost OH --lists 2008 --g 5
      policy-sim econ cost --as benitez-malin-2010 --state WV --state NH --state WI
      policy-sim econ cost --state FL --attacker voter --attacker florida-driver-data
    """
    from policy_sim.attackers import VOTER
    from policy_sim.show.text_table import cost_table, group_cost_table

    studies = ask(**options | {"attackers": options["attackers"] or (VOTER,)})
    if not studies.question.has_files:
        raise InputError(
            "this attacker knows everyone, which no one sells: its price is not modeled. Name one with a "
            "list or a file: --attacker voter."
        )
    costs, sizes = studies.costs(), options["g"]
    if sizes:
        output.deliver(costs.per_distinct(sizes), group_cost_table)
    else:
        output.deliver(costs, cost_table)


@command("break-even")
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
@out_options("Also write break-even.csv and manifest.json into this folder.")
@meaning(
    "Whether an attack pays, and the smallest gain per match, the highest price of the list and the smallest file at "
    "which it does."
)
def break_even(output: Output, **options: Any) -> None:
    """Show whether an attack pays in each state, and from which gain, price and file size.

    If no source gives the price of a list, its profit and break-even gain are unknown. Its break-even price is the
    highest price at which the attack would pay.

    \b
    Examples:
      policy-sim econ break-even --policy limited-dataset --in-file 0.01
      policy-sim econ break-even --state WI --state NC --gain broker-2023 --cost-per-attempt 0
    """
    from policy_sim.show.money import break_even_table

    with Progress("looking for the smallest files" if options["sizes"] else "looking for the best attacks"):
        answer = answer_to(policy_sim.Study.break_even, **options)
    output.deliver(answer, break_even_table)


@command()
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
@out_options("Also write budget.csv and manifest.json into this folder.")
@meaning(
    "The lists to buy. A correct claim is a record that fits exactly one person on the list, and it is the right "
    "person."
)
def budget(policies: tuple[str, ...], output: Output, **options: Any) -> None:
    """Choose the lists with the most correct claims for a budget, or the cheapest lists for a number of claims.

    The attacker claims a record when exactly one person on the list has the record's values. The buyer buys one list
    per state, or the lists of counties where only counties sell. The output names the lists that this buyer may not
    have, and those with no known price; the answer leaves them out. The answer is exact (a binary program).

    \b
    Examples:
      policy-sim econ budget --usd 5000
      policy-sim econ budget --usd 5000 --adversary party --policy safe-harbor --in-file 0.01
      policy-sim econ budget --target 100000
    """
    from policy_sim.show.money import budget_table

    answer = answer_to(policy_sim.Study.budget, policy=policies or "limited-dataset", **options)
    output.deliver(answer, budget_table)


@command()
@click.argument("state", required=False)
@population_option
@lists_option
@policies_option(
    "A policy that the publisher may choose, such as release:newest or your own file; repeat for more. [default: "
    "the HIPAA rules and twelve policies by county or state]"
)
@option(
    "--frontier",
    is_flag=True,
    help="Also include the policies on the frontier of 'policy-sim policy explore'; needs one STATE.",
)
@option(
    "--keep",
    multiple=True,
    metavar="FIELD[=HOW]",
    help="A field that the release must show at least this finely, as in 'policy-sim policy explore': sex, race=broad; "
    "repeat for more.",
)
@option(
    "--coverage",
    type=("everyone", "adults", "survey", "registered", "registered-with-errors"),
    help="Who is assumed to be on the voter list.",
)
@option("--adversary", metavar="NAME|FILE", help="What limits the recipient. [default: nothing]")
@hipaa_option("Which form of the HIPAA rules to use, as in compare.")
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
@out_options("Also write game.csv, game-moves.csv, a page, a map of all states, and manifest.json into this folder.")
@meaning("The release policy with the highest payoff for the publisher, given that the recipient attacks if that pays.")
def game(state: str | None, population: str | None, output: Output, **options: Any) -> None:
    """Find the policy that pays the publisher most, given that the recipient attacks if that pays (Wan et al. 2015).

    The command solves one STATE or all states, with the real price of the voter list, with and without a penalty. It
    compares the result with always releasing Safe Harbor.

    \b
    Examples:
      policy-sim econ game OH --in-file 0.01
      policy-sim econ game DE --frontier --keep sex --keep race=broad --in-file 11000
      policy-sim econ game --in-file 0.01 --out game
    """
    from policy_sim.show.money import game_page, game_table

    with Progress("solving the game"):
        answer = answer_to(policy_sim.Study.game, populations=(population,), states=state, **options)
    rows = answer.to_frame()
    page = game_page(rows, answer.provenance.notes)
    output.deliver(
        answer,
        game_table,
        files={"game.csv": rows, "game-moves.csv": answer.moves, "game.html": page},
        figures=lambda: [("game", answer.map())] if state is None else [],
    )


_SHARE = click.FloatRange(0, 1, min_open=True)


@command()
@click.argument("state")
@option("--first", "shows_first", required=True, metavar="NAME|FILE", help="The policy of the first file.")
@option("--second", "shows_second", required=True, metavar="NAME|FILE", help="The policy of the second file.")
@option("--in-first", "first", type=_SHARE, required=True, help="Share of the state's people in the first file.")
@option("--in-second", "second", type=_SHARE, required=True, help="Share of the state's people in the second file.")
@option("--in-both", "both", type=_SHARE, required=True, help="Share of the state's people in both files.")
@option("--listed", "coverage", type=_SHARE, default=1.0, help="Share of the people who are on the list.")
@option("--attacker", metavar="NAME", help="The attacker that has the list. [default: voter]")
@hipaa_option(
    "Which form of a HIPAA rule a policy's name means: as written, with ZIP codes, or as the paper simplifies it.",
    default="regulation",
)
@population_option
@lists_option
@out_options("Also write pair.csv and manifest.json into this folder.")
@meaning("People whose records in both files the attacker pairs, and those that the list then identifies.")
def pair(
    shows_first: str,
    shows_second: str,
    attacker: str | None,
    population: str | None,
    lists: str | None,
    output: Output,
    **options: Any,
) -> None:
    """Pair two files about people of one STATE, such as inpatient and emergency records, and link them with a list.

    The attacker pairs two records if they are the only ones in their files with the same shared values. It then links
    the fields of both records with the list. The command counts the people in both files whom the list identifies for
    sure, from each file alone and from the pair.

    \b
    Examples:
      policy-sim econ pair DE --first county --second month-of-birth --in-first 0.01 --in-second 0.02 --in-both 0.005
      policy-sim econ pair OH --first limited-dataset --second safe-harbor --in-first 0.001 --in-second 0.001
        --in-both 0.0005 --attacker general
      policy-sim econ pair OH --first county --second 'sex+birth=date+geography=state' --in-first 0.001
        --in-second 0.001 --in-both 0.0005 --attacker general
    """
    from policy_sim.attackers import VOTER
    from policy_sim.show.text_table import pair_table

    policies = (shows_first, shows_second)
    answer = policy_sim.Study(population, lists).pair(policies=policies, attacker=attacker or VOTER, **options)
    output.deliver(answer, pair_table)


@command()
@format_option
@meaning("What a correct match is worth, what an attack costs, and the penalties, as published.")
def economics(form: str) -> None:
    """List gains, costs and penalties of attacks, each with its date and source.

    Other commands take these names in --gain, --cost-per-attempt and --penalty. An amount is unknown if no source gives
    it.

    \b
    Examples:
      policy-sim econ sources
      policy-sim econ sources --format csv
    """
    import pandas as pd

    from policy_sim.attackers.files import load_amounts
    from policy_sim.show.text_table import wrapped

    amounts = load_amounts().values()
    rows = pd.DataFrame([asdict(amount) for amount in amounts])
    rows = rows.astype(dict.fromkeys(("usd_low", "usd_high", "cap_usd"), "Float64"))
    lines = [f"{amount.kind}: {amount.what}. {amount.cite()} {amount.note}".rstrip() for amount in amounts]
    print_rows(rows, form, (), lambda _: "\n".join(wrapped(lines)))


@command()
@click.argument("file", type=RECORDS, required=False)
@option("--against", type=RECORDS, metavar="FILE", help="The file with names from which the exposed records come.")
@option("--fields", metavar="A,B,...", help="Key fields that both files have, separated by commas.")
@option("--exposed", type=click.IntRange(min=1), metavar="N", help="Or, without FILE: how many records got out.")
@option("--people", type=click.IntRange(min=1), metavar="N", help="Number of people in the file with names.")
@option("--match-rate", type=click.FloatRange(0, 1), metavar="SHARE", help="Share that a linking would match right.")
@option("--letter", type=click.FloatRange(min=0), required=True, metavar="USD", help="Cost of one letter.")
@option("--linking", type=click.FloatRange(min=0), default=0.0, metavar="USD", help="Cost of linking the files, once.")
@option("--per-record", type=click.FloatRange(min=0), default=0.0, metavar="USD", help="Cost of each record linked.")
@option("--reach", type=click.FloatRange(0, 1), default=0.95, help="Share of the people concerned to be reached.")
@format_option
@meaning(
    "Whom to notify after a breach of records without names, and what it costs. Reached and missed are people of the "
    "exposed records; needless letters go to others."
)
def breach(file: str | None, against: str | None, fields: str | None, form: str, **options: Any) -> None:
    """Decide whom to notify after a breach: everyone in the file with names, or those whom a linking finds.

    The organization that lost the records must notify the people, whose names are in another file. Letters to everyone
    in that file reach all of them and many others. Linking first costs money and misses some. The third way is a letter
    to all people with the values of an exposed record; it needs FILE and --against. Below the table: what 500 people or
    more mean in the HIPAA rule.

    \b
    Examples:
      policy-sim model breach --exposed 1000 --people 10000 --match-rate 0.97 --letter 1.5 --linking 2000
      policy-sim model breach lost.csv --against patients.csv --fields age,sex,zip --letter 1.5 --linking 2000
    """
    from policy_sim.model.money.breach import LAW, Notice, NoticeCosts, breach_decision
    from policy_sim.show.money import breach_table
    from policy_sim.show.numbers import dollars

    costs = NoticeCosts(options["letter"], options["linking"], options["per_record"])
    counts = ("exposed", "people", "match_rate")
    if file is None:
        missing = [f"--{name.replace('_', '-')}" for name in counts if options[name] is None]
        if missing or against or fields:
            raise InputError(f"give {' and '.join(missing) or 'FILE'}, or FILE with --against and --fields.")
        numbers, more = {name: options[name] for name in counts}, {}
    else:
        if against is None or fields is None or any(options[name] is not None for name in counts):
            raise InputError("with FILE, give --against and --fields, and no --exposed, --people or --match-rate.")
        linked = policy_sim.RecordFile(file, fields).against(against).answer
        numbers = {"exposed": linked.records, "people": linked.people, "match_rate": linked.marketer or 0.0}
        more = {"candidates": max(linked.candidates, linked.records)}
    found = breach_decision(**numbers, costs=costs, reach=options["reach"], **more)
    limit = f"linking pays, next to letters to everyone, up to {dollars(found.linking_pays_up_to)} in all"
    law = f"whether this is a breach of protected health information is for counsel ({LAW})"
    notes = (*found.duties, law, limit, "Dankar and El Emam (2010), section 4.4")
    print_rows(Notice.table(found.notices), form, notes, breach_table, verdict=f"{found.verdict}.")
