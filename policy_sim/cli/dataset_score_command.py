"""``policy-sim dataset score``: a file compared with the census and voter lists, or with a second file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.dataset_options import file_options, print_result
from policy_sim.cli.lists_options import which_lists_options
from policy_sim.cli.options import DAYS, FilePath, attackers_option, format_option, many_states_option, out_option

if TYPE_CHECKING:
    from policy_sim.record_file import RecordFile

__all__ = ["score"]


@click.command()
@file_options()
@click.option("--population", metavar="NAME|FILE", help="The census population to use. [default: us-2020]")
@which_lists_options
@attackers_option()
@many_states_option()
@click.option("--buyer", metavar="CLASS", help="Use the price of the list for this kind of buyer, such as scholar.")
@click.option(
    "--days-per-year",
    type=DAYS,
    default=365.0,
    show_default=True,
    help="Number of equally likely birthdays in a year.",
)
@click.option(
    "--against", metavar="FILE", help="Compare with a second file of identified people instead of the census."
)
@click.option(
    "--against-mapping",
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="TOML",
    help="The mapping of the second file. [default: that of the first]",
)
@click.option("--against-table", metavar="TABLE", help="Name of the second file's table, if it is a database.")
@click.option(
    "--top", type=click.IntRange(min=0), default=5, show_default=True, help="How many of the riskiest groups to show."
)
@click.option(
    "--name-groups",
    is_flag=True,
    help="Also show the values of the riskiest groups. These are values from your records.",
)
@click.option(
    "--records",
    "list_records",
    is_flag=True,
    help="With --out, also write records.csv: for each row, each attacker's chance of a correct match.",
)
@format_option()
@out_option(
    "Write CSV files of scores, groups and unmatched rows (row numbers and reasons), and manifest.json, "
    "into this folder."
)
def score(file: RecordFile, against: str | None, form: str, out: Path | None, **options: Any) -> None:
    """Measure the risk of FILE if an attacker links it to identified people.

    With the census, the command computes each record's chance of a correct match, for the attackers GENERAL (knows
    everyone) and VOTER (has the voter list) or those that --attacker names. It adds them up by state and gives the
    price per re-identification. The fields are sex, race, age or birth_year or birth_date, and state, county or a
    smaller place; a mapping says which column is which. With --against, the command computes exact journalist and
    marketer risk from a second file.

    \b
    Examples:
      policy-sim dataset score visits.csv --fields age,sex,race,county --population us-2010 --state OH
      policy-sim dataset score visits.csv --fields birth_date,sex --state OH --mapping visits.toml --out ohio
      policy-sim dataset score visits.csv --fields birth_date,sex --state TX --attacker texas-birth-index
      policy-sim dataset score visits.csv --fields age,sex,zip --against voters.csv
    """
    from policy_sim.attackers import ATTACKERS
    from policy_sim.errors import InputError
    from policy_sim.render.record_text import census_text, figures_text
    from policy_sim.study import Study

    if options["list_records"] and out is None:
        raise InputError("--records needs --out: it writes one row per record into that folder.")
    _refuse_unheeded("--against" if against is not None else "the census")
    if against is not None:
        linked = file.against(_second(file, against, options))
        print_result(linked, form, out, lambda: figures_text(linked.to_frame()))
        return
    names = ("population", "lists", "days_per_year", "database", "as_of")
    result = file.score(
        Study(**{name: options[name] for name in names}),
        options["attackers"] or ATTACKERS,
        states=options["states"] or None,
        buyer=options["buyer"],
        top=options["top"],
        name_groups=options["name_groups"],
        list_records=options["list_records"],
    )
    print_result(result, form, out, lambda: census_text(result.tables["scores"], result.tables["groups"]))


def _second(file: RecordFile, location: str, options: Mapping[str, Any]) -> RecordFile:
    """Open the identified file; without its own mapping it uses the mapping and codes of the first file."""
    mapping, table = options["against_mapping"], options["against_table"]
    if mapping is None:
        own = replace(file.records.mapping, person="", sheet="")
        return replace(file, location=location, table=table, mapping=own, person="", sheet="")
    return replace(file, location=location, table=table, mapping=mapping, missing_codes=())


# Options that only one of the two scores heeds.
_OF_A_FILE = ("against_mapping", "against_table")
_OF_THE_CENSUS = (
    "population",
    "lists",
    "attackers",
    "states",
    "buyer",
    "days_per_year",
    "as_of",
    "database",
    "top",
    "name_groups",
    "list_records",
)


def _refuse_unheeded(scored: str) -> None:
    """Refuse options that would have no effect here."""
    from click.core import ParameterSource

    from policy_sim.errors import InputError

    command = click.get_current_context()
    unheeded = _OF_THE_CENSUS if scored == "--against" else _OF_A_FILE
    for name in unheeded:
        if command.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(parameter.opts[0] for parameter in command.command.params if parameter.name == name)
            other = "without --against" if scored == "--against" else "with --against"
            raise InputError(f"{option} works only {other}: leave it out.")
