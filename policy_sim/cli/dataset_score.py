"""``policy-sim dataset score``: a file against the census and voter lists, or against a second file."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.dataset_options import AskedFile, ask_file, file_options
from policy_sim.cli.lists_options import which_lists_options
from policy_sim.cli.options import DAYS, format_option, many_states_option, out_option

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.population.cells import Population

__all__ = ["score"]

_SHOWN_ROWS = 10


@click.command()
@file_options()
@click.option("--population", metavar="NAME|FILE", help="Whose census. [default: the newest]")
@which_lists_options
@many_states_option()
@click.option("--buyer", metavar="CLASS", help="Price of the list for this class of buyer, such as scholar.")
@click.option(
    "--days-per-year",
    type=DAYS,
    default=365.0,
    show_default=True,
    help="Equally likely birthdays in a year.",
)
@click.option("--against", metavar="FILE", help="A second, identified file instead of the census.")
@click.option(
    "--against-mapping",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="TOML",
    help="Which column of the second file is which field. [default: that of the first]",
)
@click.option("--against-table", metavar="TABLE", help="Table of the second file, where it is a database.")
@click.option("--top", type=click.IntRange(min=0), default=5, show_default=True, help="Riskiest groups to show.")
@click.option("--name-groups", is_flag=True, help="Also show what the riskiest groups are: values of your records.")
@format_option()
@out_option("Write scores, groups and outside (row numbers and reasons) as CSV, and manifest.json, into this folder.")
def score(asked: AskedFile, against: str | None, form: str, out: Path | None, **options: Any) -> None:
    """Risk of FILE against an identified population.

    Against the census: the chance of a correct match of every record, for the attackers GENERAL and
    VOTER, summed by state, with the price of each re-identification. Fields are sex, race, age or
    birth_year or birth_date, and state, county or a finer place; a mapping says which column each is.
    Against a second file: journalist and marketer risk, exactly.

    \b
    Examples:
      policy-sim dataset score visits.csv --fields age,sex,race,county --population us-2010 --state OH
      policy-sim dataset score visits.csv --fields birth_date,sex --state OH --mapping visits.toml --out ohio
      policy-sim dataset score visits.csv --fields age,sex,zip --against voters.csv
    """
    _refuse_unheeded("--against" if against is not None else "the census")
    if against is not None:
        second = ask_file(
            against,
            ",".join(asked.records.fields),
            options["against_mapping"],
            options["against_table"],
            asked.records.mapping.missing if options["against_mapping"] is None else (),
            asked.missing,
        )
        _score_linked(asked, second, form, out)
    else:
        _score_census(asked, form, out, options)


# Options that only one of the two scores heeds.
_OF_A_FILE = ("against_mapping", "against_table")
_IN_THE_MANIFEST = ("population", "lists", "states", "buyer", "days_per_year")
_OF_THE_CENSUS = (*_IN_THE_MANIFEST, "as_of", "database", "top", "name_groups")


def _refuse_unheeded(scored: str) -> None:
    """Refuse options of the other score: the user would think that they counted."""
    from click.core import ParameterSource

    from policy_sim.errors import InputError

    command = click.get_current_context()
    unheeded = _OF_THE_CENSUS if scored == "--against" else _OF_A_FILE
    for name in unheeded:
        if command.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(each.opts[0] for each in command.command.params if each.name == name)
            other = "without --against" if scored == "--against" else "with --against"
            raise InputError(f"{option} counts only {other}: leave it out.")


def _score_linked(asked: AskedFile, second: AskedFile, form: str, out: Path | None) -> None:
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.microdata.frames import linked_frame
    from policy_sim.microdata.linked import linked_risk
    from policy_sim.render.records import figures_text

    with asked.engine() as engine:
        file, population = engine.group_alike(asked.records, second.records)
        frame = linked_frame(linked_risk(file.joint(population, complete=asked.missing == "exclude")))
    notes = [*asked.notes, f"identified file: {second.records.short_name}"]
    if out is not None:
        write_frames(out, asked.manifest("score", against=second.records.short_name), scores=frame)
    print_rows(frame, form, notes, lambda: figures_text(frame) + "\n")


@dataclass(frozen=True)
class _Scored:
    scores: pd.DataFrame
    groups: pd.DataFrame
    outside: pd.DataFrame
    notes: list[str]


def _score_census(asked: AskedFile, form: str, out: Path | None, options: dict[str, Any]) -> None:
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.render.records import census_text
    from policy_sim.sources.study_lists import database_name

    found = _census(asked, options)
    if out is not None:
        chosen = {name: options[name] for name in _IN_THE_MANIFEST}
        chosen["as_of"] = str(options["as_of"]) if options["as_of"] else None
        chosen["database"] = database_name(options["database"]) or None
        manifest = asked.manifest("score", **chosen) | {"notes": found.notes}
        write_frames(out, manifest, scores=found.scores, groups=found.groups, outside=found.outside)
    print_rows(found.scores, form, found.notes, lambda: census_text(found.scores, found.groups) + "\n")


def _census(asked: AskedFile, options: dict[str, Any]) -> _Scored:
    from policy_sim.api import Study
    from policy_sim.attackers import GENERAL
    from policy_sim.microdata import cells, census, score
    from policy_sim.microdata.file_cells import file_cells
    from policy_sim.microdata.frames import census_frame
    from policy_sim.sources.study_lists import database_name
    from policy_sim.states import find_states

    states = [state.postal for state in find_states(options["states"])]
    study = Study(
        options["population"],
        options["lists"],
        options["days_per_year"],
        database=options["database"],
        as_of=options["as_of"],
    )
    fields, mapping = asked.records.fields, asked.records.mapping
    shown = cells.file_granularities(fields, mapping.fields, bool(states))
    people = study.people.in_states(states) if states else study.people
    date = _date(people, asked)
    with asked.engine() as engine:
        grouped = engine.group(asked.records, rows=True)
        classes = grouped.classes(asked.max_classes)
        classes = classes.complete() if asked.missing == "exclude" else classes
        values = {name: grouped.values_of(name) for name in fields}
        engine.progress("looking the classes up in the census")
        placed = score.outside_cells(file_cells(classes, values, mapping, states, date), people, shown)
        outside = _outside_rows(grouped, classes.codes, placed.cells.outside)
        engine.progress("linking the records under each attacker")
        attackers = (GENERAL, study.voter)
        scores = score.attackers_scores(
            placed.cells, people, shown, attackers, buyer=options["buyer"], days_per_year=study.days_per_year
        )
        groups = census.people_of_groups(placed.cells, people, shown, study.days_per_year)
    riskiest = score.riskiest_groups(groups, placed.cells, options["top"], names=options["name_groups"])
    source = database_name(study.database)
    notes = [
        *asked.notes,
        f"population: {people.provenance.describe()}",
        f"voter lists: {study.voter.describe_lists()}{f', from {source}' if source else ''}",
        f"the file shows {shown}; ages are taken on {date}; {study.days_per_year:g} birthdays a year",
        *_outside_notes(placed.records_by_reason, outside),
    ]
    return _Scored(census_frame(scores), riskiest, _outside_frame(outside), notes)


def _date(people: Population, asked: AskedFile) -> dt.date:
    """The day on which ages are taken: the mapping's, else the population's."""
    from policy_sim.errors import InputError

    if asked.records.mapping.reference_date:
        return asked.records.mapping.reference_date
    try:
        return dt.date.fromisoformat(people.provenance.date)
    except ValueError:
        if not {"birth_date", "birth_month", "birth_year"} & set(asked.records.fields):
            return dt.date.min  # ages are in the file
        raise InputError(
            f"population {people.name} has no date, so ages are not known: give reference_date in --mapping."
        ) from None


def _outside_rows(grouped: Any, codes: Any, outside: Any) -> list[tuple[int, str]]:
    found = [
        (row, str(reason)) for reason in sorted(set(outside) - {""}) for row in grouped.rows(codes[outside == reason])
    ]
    return sorted(found)


def _outside_frame(outside: list[tuple[int, str]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(outside, columns=["row", "reason"])


def _outside_notes(records: dict[str, int], outside: list[tuple[int, str]]) -> list[str]:
    """Say how many records have no cell, why, and which (by row number)."""
    total = sum(records.values())
    if not total:
        return ["records outside the population's cells: none"]
    notes = [f"records outside the population's cells, not in the figures: {total:,}"]
    notes += [f"  {number:,}: {reason}" for reason, number in sorted(records.items(), key=lambda item: -item[1])]
    first = ", ".join(f"{row:,}" for row, _ in outside[:_SHOWN_ROWS])
    return [*notes, f"  rows (the header not counted): {first}{', ...' if len(outside) > _SHOWN_ROWS else ''}"]
