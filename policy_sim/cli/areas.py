"""Commands about areas of at least N people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import policy_sim
from policy_sim.cli.commands import group
from policy_sim.cli.inputs import INPUT
from policy_sim.cli.options import FOLDER, format_option, in_file_option, option
from policy_sim.cli.output import Progress, meaning, print_rows
from policy_sim.words.states import STATES, find_state

if TYPE_CHECKING:
    from policy_sim.attackers.in_file import InFile


@group()
def areas() -> None:
    """Make areas of at least N people from ZIP codes, and see what a release that shows them risks.

    \b
    Examples:
      policy-sim areas make OH --at-least 20000 --out ohio-areas
      policy-sim areas make RI CT --format csv
      policy-sim areas compare OH --out places
    """


@areas.command("make")
@click.argument("states", nargs=-1, required=True, metavar="STATE...|US")
@option("--at-least", type=click.IntRange(1_000, 1_000_000), default=20_000, help="People that each area has at least.")
@option(
    "--lines",
    type=("county", "none"),
    default="county",
    help="county: a county of fewer than twice as many people is not cut, and only a whole county with too few people "
    "joins another. none: county lines do not count.",
)
@option("--compact", is_flag=True, help="Prefer compact areas to many.")
@option(
    "--counts",
    type=("2020", "fewest"),
    default="2020",
    help="People of 2020, or the fewest of 2010, 2020 and 2022 of each ZIP code, so that areas hold in all three.",
)
@option(
    "--keep",
    type=INPUT,
    metavar="CSV",
    help="No area crosses the borders of the districts in this file, which has the columns zip and district.",
)
@option("--out", type=FOLDER, metavar="FOLDER", help="Write tables, maps, shapes and a page into this folder.")
@format_option
@meaning(
    "Areas are groups of neighboring ZIP code areas of one state. They are not Safe Harbor: a release that shows them "
    "needs an expert's determination, or is a limited data set with an agreement."
)
def make(
    states: tuple[str, ...],
    at_least: int,
    lines: str,
    compact: bool,
    counts: str,
    keep: Path | None,
    out: Path | None,
    form: str,
) -> None:
    """Make as many areas of at least N people as possible.

    Each is a union of whole ZIP code areas.

    With --out, the folder has areas.csv (which ZIP code is in which area), counties.csv (counties that are whole),
    maps, shapes for other programs, and for each state a page that says what the areas are, what they are not, and what
    a release that shows them risks next to three-digit ZIP codes, counties and ZIP codes.

    \b
    Examples:
      policy-sim areas make OH --at-least 20000 --out ohio-areas
      policy-sim areas make OH MI --lines none --out two
      policy-sim areas make US --at-least 100000 --format csv
    """
    with Progress("making areas") as progress:
        study, named = policy_sim.Study("us-2020"), _states(states)
        made = study.areas(named, at_least, lines=lines, compact=compact, counts=counts, keep=_districts(keep))
        if out is not None:
            from policy_sim.areas.written import write_areas
            from policy_sim.files.output_folder import output_folder

            progress("measuring what they risk")
            risk, by_race = study.area_risk(made), study.area_risk_by_race(made)
            options: dict[str, Any] = {"at_least": at_least, "lines": lines, "compact": compact, "counts": counts}
            options["states"] = named
            with output_folder(out, {"command": "areas make", "options": options, "vintage": made.vintage}) as folder:
                write_areas(made, folder, risk, by_race, _sources(), study.people_without_area(made), progress)
    notes = [*_sources(), *(line for state in made.by_state.values() for line in _said(state))]
    if form == "text":
        from policy_sim.show.text_table import text_table

        print_rows(_summary(made), form, notes, text_table)
    else:
        print_rows(made.to_frame(), form, notes)
    if out is not None:
        pages = f"{made.states[0]}.html" if len(made.states) == 1 else f"{made.states[0]}.html and so on"
        click.echo(f"Written to {out}: areas.csv, maps, shapes. {pages} says what a release of them risks.")


@areas.command("compare")
@click.argument("state", metavar="STATE")
@in_file_option
@option("--out", type=FOLDER, metavar="FOLDER", help="Write the table and a chart for each attacker into this folder.")
@format_option
@meaning(
    "The share of people whom someone who knows everyone matches, by kind of place, at the same fields. Three-digit "
    "ZIP codes with the year of birth are what Safe Harbor allows; areas are not Safe Harbor."
)
def compare(state: str, in_file: InFile | None, out: Path | None, form: str) -> None:
    """Compare kinds of places in one state at the same fields.

    They are three-digit ZIP codes, counties, areas of at least 5,000 to 100,000 people, and ZIP codes. A row says how
    much the place says of where someone lives (bits), whom someone who knows everyone matches, whom someone with the
    voter list, and how many people are in groups of ten or fewer. With --out there is a table by race, too.

    \b
    Examples:
      policy-sim areas compare OH --out places
      policy-sim areas compare MT --in-file 11000 --format csv
    """
    with Progress("making areas of five sizes and measuring them") as progress:
        frame = policy_sim.Study("us-2020").compare_places(state, in_file=in_file)
        if out is not None:
            from policy_sim.areas.chart import places_chart
            from policy_sim.attackers import GENERAL, VOTER
            from policy_sim.files.output_folder import output_folder
            from policy_sim.show.save import save_figure

            options = {"state": state, "in_file": str(in_file or "everyone")}
            with output_folder(out, {"command": "areas compare", "options": options}) as folder:
                progress("drawing")
                frame.to_csv(folder / "places.csv", index=False)
                by_race = policy_sim.Study("us-2020").compare_places_by_race(state)
                by_race.to_csv(folder / "places-by-race.csv", index=False)
                released = "A file of some people" if in_file else "Everyone in the state"
                for attacker, words in ((GENERAL.name, "knows everyone"), (VOTER, "has the voter list")):
                    if frame.loc[frame["attacker"] == attacker, "share"].notna().any():
                        save_figure(
                            places_chart(frame, attacker, words, _sources(), released=released),
                            folder / f"places-{attacker}",
                        )
    print_rows(frame if form != "text" else _by_place(frame), form, [*_limited_lines(frame), *_sources()])
    if out is not None:
        click.echo(f"Written to {out}: places.csv, places-by-race.csv and a chart for each attacker.")


def _limited_lines(frame: Any) -> list[str]:
    """Say what a limited data set risks: its date of birth has no row of places to compare with."""
    from policy_sim.areas.risk import LIMITED, LIMITED_FIELDS
    from policy_sim.attackers import GENERAL
    from policy_sim.show.numbers import percent

    rows = frame[(frame["place"] == LIMITED) & (frame["attacker"] == GENERAL.name) & frame["share"].notna()]
    return [f"{LIMITED} ({LIMITED_FIELDS}, ZIP code): {percent(float(share))} matched" for share in rows["share"]]


def _by_place(frame: Any) -> Any:
    """Return one row a kind of place, with the shares of fields without and with race in percent."""
    from policy_sim.areas.risk import LIMITED
    from policy_sim.attackers import GENERAL
    from policy_sim.show.numbers import percent

    general = frame[(frame["attacker"] == GENERAL.name) & (frame["place"] != LIMITED)]
    rows = []
    for place, held in general.groupby("place", sort=False):
        shares = dict(zip(held["fields"], held["share"], strict=True))
        row = {"place": place, "number": held["places"].iloc[0], "bits": round(float(held["bits"].iloc[0]), 2)}
        columns = {"ages_10": "sex, ten-year ages", "ages_5": "sex, five-year ages", "year": "sex, year of birth"}
        columns |= {"race_5": "sex, race, five-year ages", "race_year": "sex, race, year of birth"}
        rows.append(row | {name: percent(float(shares[fields])) for name, fields in columns.items()})
    import pandas as pd

    return pd.DataFrame(rows)


@areas.command("overlap")
@click.argument("file", type=INPUT, metavar="AREAS.csv")
@option("--next-to", type=INPUT, multiple=True, metavar="CSV", help="Another file of areas that is out or will be.")
@option(
    "--fewer-than", type=click.IntRange(min=1), default=20_000, help="Show intersections of fewer people than this."
)
@format_option
@meaning(
    "People who are in an area and in another place as well, the fewest first. Whoever shows or has shown both places "
    "says that a person is one of them."
)
def overlap(file: Path, next_to: tuple[Path, ...], fewer_than: int, form: str) -> None:
    """Count the people in an area and in another place at once.

    The other places are states, counties and three-digit ZIP codes, and the areas of the files that --next-to names. A
    file has the columns zip and area, as areas.csv. With county lines an area may still cross them, because a ZIP code
    belongs to the county of most of its people. The exit status is 1 where an intersection is shown.

    \b
    Examples:
      policy-sim areas overlap ohio-areas/areas.csv
      policy-sim areas overlap ohio-areas/areas.csv --next-to before/areas.csv --fewer-than 1000
    """
    from policy_sim.areas.overlap import overlaps, without_people
    from policy_sim.files.area_tables import read_zip_column

    others, own = {str(path): read_zip_column(path, "area") for path in next_to}, read_zip_column(file, "area")
    rows = overlaps(own, others)
    few = rows[rows["people"] < fewer_than].reset_index(drop=True)
    notes = [
        *_sources()[:1],
        f"tried, one at a time: states, counties, three-digit ZIP codes{''.join(f', {name}' for name in others)}",
    ]
    for name, table in {str(file): own, **others}.items():
        if lost := without_people(table):
            notes.append(f"not tried: {lost:,} of {len(table):,} ZIP codes of {name}, which have no people in 2020")
    kinds = [
        f"{len(held):,} with {kind} (the fewest people: {held['people'].min():,})"
        for kind, held in few.groupby("next_to")
    ]
    verdict = (
        f"Of fewer than {fewer_than:,} people: {'; '.join(kinds)}." if kinds else f"None has fewer than {fewer_than:,}."
    )
    shown = few.head(20) if form == "text" else few
    if len(shown) < len(few):
        notes.append(f"the first 20 of {len(few):,}; --format csv has all")
    print_rows(shown, form, notes, verdict=verdict)
    if len(few):
        raise SystemExit(1)


def _states(names: tuple[str, ...]) -> list[str]:
    if any(name.strip().upper() == "US" for name in names):
        return [code for code in STATES if code != "PR"]
    return [find_state(name).postal for name in names]


def _districts(path: Path | None) -> dict[str, str] | None:
    """Read the district of each ZIP code."""
    from policy_sim.files.area_tables import read_zip_column

    return None if path is None else read_zip_column(path, "district")


def _summary(made: Any) -> Any:
    import pandas as pd

    rows = []
    for state in made.by_state.values():
        people = made.people[made.zips.loc[made.zips["state"] == state.state, "area"].unique()]
        row = {"state": state.state, "areas": state.number, "at_most": state.bound, "proved": state.proved}
        row |= {"people_least": int(people.min()), "people_middle": float(people.median())}
        rows.append(row | {"people_most": int(people.max()), "km_from_center": round(state.spread, 1)})
    return pd.DataFrame(rows)


def _said(state: Any) -> list[str]:
    pairs = ", ".join(f"{one} and {other}" for one, other in state.by_water)
    return [f"{state.state}: joined by water: {pairs}"] if pairs else []


def _sources() -> tuple[str, ...]:
    return (
        "people: Census 2020, counts of ZIP code areas by county (U.S. Census Bureau)",
        "neighbors and maps: internal points of the Bureau's gazetteer of 2020, clipped by county shapes of 2010; "
        "approximate shapes, not the borders of ZIP codes",
        "risk: population us-2020, ZIP codes made up like their county; voter lists of vintage 2026",
    )
