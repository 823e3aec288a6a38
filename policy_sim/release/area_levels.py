"""Areas as a level of a release: codes without one, and few people whom an area and another place have together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.areas.overlap import overlaps, people_of_areas
from policy_sim.files.area_tables import SHIPPED_SIZES, AreaTable, area_table, located
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import AREAS_IN_TEXT, Policy
from policy_sim.records.formats import CodedTable, read_coded
from policy_sim.release.ladders import AREAS, codes_with_area
from policy_sim.release.project import Project
from policy_sim.release.treatments import Variable
from policy_sim.release.written import AREAS_FILE, ReleaseFolder, postal_codes, read_figures
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, PolicySimError
from policy_sim.words.fields import Field, area_name, is_area
from policy_sim.words.states import STATES

PLACES = ("state", "county", "zip3")  # that a release next to this one may show
_NAMED = 3  # overlaps that a refusal spells out
_KINDS = {"county": "county", "zip3": "zip3", "state": "state", "zip": "zip3"}  # of columns: the place that they tell
_TITLES = {"state": "state", "county": "county", "zip3": "three-digit ZIP code"}


def policy_in(text: str, folder: Path) -> Policy:
    """Return the policy that a project names; a file of areas lies relative to the folder of the project."""
    policy = load_policy(text)
    place = policy.releases[Field.GEOGRAPHY]
    if not is_area(place):
        return policy
    return replace(policy, releases=policy.releases.replace(geography=f"area:{located(area_name(place), folder)}"))


def place_from(name: str, folder: Path) -> str:
    """Return what is next to a release as its project names it: a kind of place, or a path from its folder."""
    if not name.isprintable():
        raise InputError("next_to: give a kind of place, a file of areas, or the folder of a release.")
    return name if name in PLACES or name in SHIPPED_SIZES else place_in(Path(name), folder)


def with_areas_from(policy: str, folder: Path) -> str:
    """Return a policy's text with its file of areas as seen from the folder of the project."""
    match = AREAS_IN_TEXT.search(policy)
    if match is None or policy.endswith(".toml"):
        return policy
    area_table(match[0].removeprefix("="))  # a missing or wrong file is an error here
    name = place_from(area_name(match[0]), folder)
    return f"{policy[: match.start()]}=area:{name}{policy[match.end() :]}"


def place_in(file: Path, folder: Path) -> str:
    """Return a file's place as seen from a folder where it lies inside it, and its whole place elsewhere."""
    with suppress(ValueError):
        return file.resolve().relative_to(folder.resolve()).as_posix()
    return file.resolve().as_posix()


def shown_areas(variables: Sequence[Variable]) -> AreaTable | None:
    """Return the areas that a release may show; None where it shows none."""
    names = {v.areas for v in variables if v.areas and v.treatment != "drop" and (not v.levels or AREAS in v.levels)}
    if len(names) > 1:
        raise InputError(
            "the columns show areas of several files, and where these overlap few people live. Name one file for all."
        )
    return area_table(f"area:{names.pop()}") if names else None


def with_areas_only(table: CodedTable, variables: Sequence[Variable]) -> tuple[CodedTable, tuple[str, ...]]:
    """Leave ZIP codes blank that are in no area, and say how many; refuse counties that are cut."""
    changed, notes = {}, []
    for variable in variables:
        if not variable.areas or variable.treatment == "drop":
            continue
        column, areas = table[variable.name], area_table(f"area:{variable.areas}")
        placed = [area is not None for _, area in codes_with_area(column.values, areas, variable.kind)]
        lost = np.array([False, *(not is_placed for is_placed in placed)])[column.codes]
        values, records = placed.count(False), int(lost.sum())
        if not values:
            continue
        if variable.kind == "county":
            raise InputError(
                f"{variable.name}: {records:,} of {int((column.codes > 0).sum()):,} records live in {values:,} "
                f"count{'y' if values == 1 else 'ies'} that {areas.title} cut into several areas, or do not have, so "
                "the county does not tell the area. Release a column of ZIP codes, or use areas of which every county "
                "is whole, or a policy by county."
            )
        if 2 * records > int((column.codes > 0).sum()):
            raise InputError(
                f"{variable.name}: {records:,} of {int((column.codes > 0).sum()):,} records have a ZIP code without an "
                f"area in {areas.title}. Use the areas of their states."
            )
        plural = "s" if values > 1 else ""
        notes.append(
            f"{variable.name}: {values:,} ZIP code{plural} ({records:,} record{'s' if records > 1 else ''}) "
            f"{'are' if values > 1 else 'is'} in no area, as those of post office boxes, and "
            f"{'are' if values > 1 else 'is'} left blank; a row for each in the table of areas, with the area of its "
            "town, would keep them"
        )
        changed[variable.name] = column.relabeled(["", *np.where(placed, column.values, "").tolist()])
    return table.with_columns(changed), tuple(notes)


def refuse_overlaps(project: Project, variables: Sequence[Variable], table: CodedTable) -> tuple[str, ...]:
    """Refuse areas of too few people, alone or together with another place that this or another release shows.

    Return notes of what was compared. Only areas that the file has are compared.
    """
    areas = shown_areas(variables)
    if areas is None:
        if project.settings.next_to:
            raise InputError(
                f"{ask('next_to')} is for a release that shows areas, and this one shows none. Leave it out."
            )
        return ()
    least, used = project.settings.least_people, areas_of_file(table, variables, areas)
    few = _few(people_of_areas(areas.of_zip), least, used)
    if len(few):
        named = "; ".join(f"{row.area} ({row.people:,})" for row in few.head(_NAMED).itertuples())
        raise InputError(
            f"{areas.title}: {_areas(len(few))} of fewer than {least:,} people by Census 2020, the fewest first: "
            f"{named}. Make areas with areas make, or set least_people in the table settings."
        )
    shown, told = _others(project, variables, table)
    for title, kind, others, occurring in shown:
        rows = overlaps(areas.of_zip, others)
        rows = rows[rows["next_to"] == kind]
        if occurring is not None:
            rows = rows[rows["other"].isin(occurring)]
        few = _few(rows, least, used)
        if len(few):
            raise InputError(_few_text(areas, title, few, least))
    beside = f"so has each overlap with {', '.join(told)}" if told else "no other place is shown next to it"
    return (f"{areas.title}: every area in the file has at least {least:,} people by Census 2020; {beside}",)


def _areas(number: int) -> str:
    return "1 area that the file has is" if number == 1 else f"{number:,} areas that the file has are"


def _few(rows: pd.DataFrame, least: int, used: frozenset[str]) -> pd.DataFrame:
    return rows[(rows["people"] < least) & rows["area"].isin(used)].sort_values(["people", "area"])


def _few_text(areas: AreaTable, title: str, few: pd.DataFrame, least: int) -> str:
    named = "; ".join(
        f"area {row.area} with {_TITLES.get(str(row.next_to), 'area')} {row.other} ({row.people:,} people)"
        for row in few.head(_NAMED).itertuples()
    )
    more = f"; and {len(few) - _NAMED:,} more" if len(few) > _NAMED else ""
    return (
        f"{areas.title} and {title} together show {len(few):,} overlap{'s' if len(few) > 1 else ''} of fewer than "
        f"{least:,} people, {int(few['people'].sum()):,} people in all: {named}{more}. Leave out one of the two, make "
        "areas that keep to the other's borders, or set least_people in the table settings."
    )


def areas_of_file(table: CodedTable, variables: Sequence[Variable], areas: AreaTable) -> frozenset[str]:
    """Return the areas that records of the file have."""
    used: set[str] = set()
    for variable in variables:
        if variable.areas and variable.treatment != "drop":
            values = list(table[variable.name].rows_of_values())
            used |= {area for _, area in codes_with_area(values, areas, variable.kind) if area is not None}
    return frozenset(used)


# Who shows it, which kind of place or table, the table, and the places that occur (None: all).
_Shown = tuple[str, str, dict[str, dict[str, str]], frozenset[str] | None]


def _others(project: Project, variables: Sequence[Variable], table: CodedTable) -> tuple[list[_Shown], list[str]]:
    """Return what else is shown of places, in this release and next to it, and its names."""
    shown: list[_Shown] = []
    told: list[str] = []
    for variable in variables:
        kind = _KINDS.get(variable.kind)
        if variable.treatment == "drop" or variable.areas or kind is None:
            continue
        occurring = frozenset(code for code in postal_codes(variable, table) if code) if kind == "state" else None
        shown.append((f"the column {variable.name}", kind, {}, occurring))
        told.append(f"the column {variable.name}")
    for name in project.settings.next_to:
        shown += _next_to(name, project.folder)
        told.append(name)
    return shown, told


def _next_to(name: str, folder: Path) -> list[_Shown]:
    """Return what a kind of place, a file of areas or the folder of a release shows."""
    if name in PLACES:
        return [(name, name, {}, None)]
    path = Path(located(name, folder))
    if name not in SHIPPED_SIZES and not path.exists():
        raise InputError(
            f"next_to {name}: there is no such file or folder. Give {', '.join(PLACES)}, {' or '.join(SHIPPED_SIZES)} "
            "for the shipped areas, a file of areas, or the folder of a release."
        )
    return _of_release(name, path) if path.is_dir() else [_of_areas(name, area_table(f"area:{path}"))]


def _of_areas(name: str, areas: AreaTable) -> _Shown:
    return name, name, {name: dict(areas.of_zip)}, None


def _of_release(name: str, path: Path) -> list[_Shown]:
    """Return what a release shows of places: of states those that its file has."""
    figures, folder, shown = read_figures(path), ReleaseFolder.find(path), list[_Shown]()
    areas = figures.get("areas")
    for variable in figures["variables"]:
        kind = _KINDS.get(variable["kind"])
        is_shown = variable["standing"] != "left out" and variable["done"] != "dropped"
        if kind is not None and is_shown and not (areas and variable["kind"] in ("zip", "county")):
            states = _states_of(folder.send / figures["output"]["name"], variable["name"]) if kind == "state" else None
            shown.append((name, kind, {}, states))
    if areas:
        table = area_table(f"area:{areas['name'] if areas['shipped'] else folder.keep / AREAS_FILE}")
        if areas["shipped"] and figures["sources"].get(table.path.name) != table.checksum:
            raise InputError(
                f"{name}: was made with the shipped areas of another version of the program, which differ. Name a "
                "table of its areas in place of the folder."
            )
        shown.append(_of_areas(name, table))
    return shown


def _states_of(path: Path, column: str) -> frozenset[str] | None:
    """Return the states that a released file has; None where it is not there, or says them otherwise."""
    with suppress(PolicySimError, KeyError):
        values = frozenset(read_coded(path)[column].values)
        return values if values <= set(STATES) else None
    return None
