"""How wrong the recipe of each shipped population is, on states that were held out of it.

    python -m benchmarks.populations --tables ../shared/census           # print the table of docs/population-errors.md
    python -m benchmarks.populations --tables ../shared/census --write   # also write it, and data/model_error.toml

The tables are those that docs/population-details.md lists; they do not come with the project.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.held_out import (
    ESTIMATES_OF,
    ORIGINS_ALONE,
    RACES_ALONE,
    RACES_AND_ORIGINS,
    Refit,
    as_redistricting,
    errors_of_fit,
    like_redistricting,
    misplaced_share,
    notes_of_decennial,
    notes_of_redistricting,
    refit_of,
    refits,
)
from policy_sim.building.ages import carry
from policy_sim.building.fits import AGE_STARTS, Estimates, fit_decennial, fit_estimates, six_of_seven, state_rng
from policy_sim.building.official_tables import read_decennial
from policy_sim.building.rounding import round_rows
from policy_sim.building.tables import JOINT_TABLES, JointTable, joint_of, read_texas
from policy_sim.files.paths import data_dir
from policy_sim.people.merge import AGES
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import SourceError

_DOCS = Path(__file__).parent.parent / "docs"
PAGES = {"errors": _DOCS / "population-errors.md", "errors by ethnicity": _DOCS / "hispanic-origin.md"}
BY = "(python -m benchmarks.populations --write) -->"
HEADER = """\
# How far the recipe of each population moves each measure: fitted / counted - 1, attacker GENERAL, by linkage key.
# Each recipe is applied to a state whose table of county, sex, age and race is counted, without that table, and held
# against it. Texas by single years of age; Kentucky by 23 classes, births equally likely inside a class. A figure of
# less than one counted person is left out. By ZIP code, both sides are placed by the same shares of each county: how
# ZIP codes differ from their county is not in these errors. misplaced: share of the people in a wrong cell of county,
# sex, age and race; misplaced_by_origin: of county, sex, age, race and origin, which Texas alone was counted by;
# misplaced_by_ethnicity: of county, sex, age and origin. Kentucky was counted by origin without race, and has only the
# keys with ethnicity that lack race; us-2010 is fitted to these counts, so its errors by them there test nothing.
# Written by `python -m benchmarks.populations --tables DIR --write`.

"""
_WORDS = {
    "date": "birth date",
    "month": "birth month",
    "year": "birth year",
    "five_years": "five years of birth",
    "county_zip5": "county and ZIP code",
    "zip3": "three-digit ZIP code",
}
_MEASURES = ("total-risk", "1-distinct", "5-distinct")
# The keys with ethnicity, as words of the key and of the page.
_ETHNICITY = {
    "race+ethnicity": "race and ethnicity",
    "race=race_ethnicity": "race or Hispanic",
    "ethnicity": "ethnicity alone",
}


def rows(errors: list[HeldOutError]) -> Iterator[str]:
    """Yield the lines of the table, in Markdown."""
    yield "| recipe of | held out | key | " + " | ".join(_MEASURES) + " |"
    yield "|---|---|---|" + "---:|" * len(_MEASURES)
    for error in errors:
        place = f"{error.held_out.name} {error.held_out.year}{error.how}"
        for key, measures in error.relative.items():
            if "ethnicity" not in key:
                yield f"| {_names(error)} | {place} | {words(key)} | {_figures(measures, _MEASURES)} |"


def rows_by_ethnicity(errors: list[HeldOutError]) -> Iterator[str]:
    """Yield the lines of the table of the keys with ethnicity, by date and year of birth, in Markdown."""
    measures = _MEASURES[:2]
    heads = [f"{kind}: {measure}" for kind in _ETHNICITY.values() for measure in measures]
    yield f"| recipe of | held out | key | {' | '.join(heads)} |"
    yield "|---|---|---|" + "---:|" * len(heads)
    for error in errors:
        place = f"{error.held_out.name} {error.held_out.year}{error.how}"
        first = "gender+ethnicity+birth="
        for key in error.relative:
            if key.startswith((f"{first}date+", f"{first}year+")):
                kinds = [error.relative.get(key.replace("ethnicity", kind), {}) for kind in _ETHNICITY]
                figures = " | ".join(_figures(each, measures) for each in kinds)
                yield f"| {_names(error)} | {place} | {words(key)} | {figures} |"


def _names(error: HeldOutError) -> str:
    return f"`{'`, `'.join(error.populations)}`"


def _figures(relative: Mapping[str, float], measures: Sequence[str]) -> str:
    return " | ".join(f"{round(relative[m], 4) + 0.0:+.2%}" if m in relative else "-" for m in measures)


def words(key: str) -> str:
    """Say a linkage key in words; a key with ethnicity without it and race."""
    parts = dict(part.split("=") for part in key.split("+") if "=" in part)
    birth, place = _WORDS[parts["birth"]], _WORDS.get(parts["geography"], parts["geography"])
    race = "race" in key.split("+") and "ethnicity" not in key
    return ", ".join([place, birth, "sex", *(["race"] if race else [])])


def with_table(page: str, name: str, table: str) -> str:
    """Return the page with the table between the marks of its name."""
    begin, end = f"<!-- {name}: begin {BY}", f"<!-- {name}: end -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SourceError(f"docs: the marks of the table are missing. Write {begin} and {end} where it belongs.")
    return f"{before}{begin}\n{table}\n{end}{after}"


# Texas 2010 made with the recipe of 2022: from three margins of its counts and an older fit, without its joint table.
#
# The older fit is that of the recipe of 2020. In 2022 it is 2.25 years old. Two other fits bracket that age: one that
# is ten years old (Texas 2000), and one of the same day (Texas 2010). Margins in six races are not available for the
# day of that census; they are computed from the counts with the shares below.


_TEXAS = "48"
GAPS = {10: 2000, 0: 2010}  # years from the older fit to the day -> the census of the fit
_DAY = 2010
_OTHER, _MULTIPLE = 5, 6
# Shares of white, black, AIAN, Asian, NHPI and two or more among people of some other race and of two or more in the
# six races, by origin (Hispanic, not Hispanic). An assumption (no table of both is available), and not the recipe's.
_SIX_OF_OTHER = ((0.93, 0.03, 0.02, 0.01, 0.0, 0.01), (0.6, 0.15, 0.05, 0.1, 0.0, 0.1))
_SIX_OF_MULTIPLE = ((0.3, 0.05, 0.05, 0.0, 0.0, 0.6), (0.1, 0.0, 0.0, 0.0, 0.0, 0.9))


def like_estimates(folder: Path, gap: int) -> Estimates:
    """Return the input of the recipe of 2022 for Texas 2010, from a fit that is ``gap`` years old."""
    (of_census,) = [table for table in JOINT_TABLES if (table.state, table.year) == (_TEXAS, GAPS[gap])]
    older = like_redistricting(folder, of_census, ESTIMATES_OF[GAPS[gap]])
    counties, people = read_texas(folder, _DAY)
    by_sex = people.sum(axis=(1, 2, 4))
    by_race = people.sum(axis=4)  # counties, origins, seven races, sexes
    six = np.einsum("cors,orx->csx", by_race, _six())
    seven_then = older.counted.sum(axis=1).astype(np.float64)
    six_then = np.einsum("cor,orx->cx", seven_then, _six())
    patterns = read_decennial(folder, _DAY)[_TEXAS].patterns
    return Estimates(
        _TEXAS,
        tuple(counties),
        ages=_five_years(people.sum(axis=(1, 2))),
        races=round_rows(six + 1e-9, by_sex, np.random.default_rng(_DAY)),
        origins=np.moveaxis(people.sum(axis=(2, 4)), 1, 2),
        pattern=carry(joint_of(older), gap),
        six=six_of_seven(seven_then, six_then),
        open_shares=patterns.open_shares,
    )


def _six() -> FloatArray:
    """Return the share of each census race in each of the six races; shape (2 origins, 7, 6)."""
    share = np.zeros((2, 7, 6))
    for race in range(5):
        share[:, race, race] = 1
    share[:, _OTHER] = _SIX_OF_OTHER
    share[:, _MULTIPLE] = _SIX_OF_MULTIPLE
    return share


def _five_years(people: IntArray) -> IntArray:
    """Add up the last axis, of 103 ages, by five years, with 85 and over as one class."""
    return np.add.reduceat(people, np.searchsorted(AGES, AGE_STARTS), axis=-1)


def as_decennial(folder: Path, held_out: JointTable, rng: np.random.Generator) -> IntArray:
    """Fit a state to the counts of its census."""
    return fit_decennial(read_decennial(folder, held_out.year)[held_out.state], rng)


def refits_from_older(folder: Path) -> Iterator[Refit]:
    """Fit Texas 2010 to margins of its counts from each older fit."""
    (texas,) = [table for table in JOINT_TABLES if (table.name, table.year) == ("Texas", _DAY)]
    for gap in GAPS:
        fitted = fit_estimates(like_estimates(folder, gap), state_rng(f"us-{_DAY}", texas.state))
        yield refit_of(folder, texas, fitted, f", from a fit {gap} years old")


# The recipe of each population applied to states with a counted joint table, without that table.
REFITS: Mapping[str, Callable[[Path], Iterator[Refit]]] = {
    "us-2000": partial(refits, fit=as_decennial, years=(2000,)),
    "us-2010": partial(refits, fit=as_decennial, years=(2010,)),
    "us-2020": partial(refits, fit=as_redistricting, years=(2000, 2010)),
    "us-2022": refits_from_older,
}


# The errors of each recipe: the recipe applied to a state with a counted joint table, without that table.
#
# They go into ``data/model_error.toml`` and decide the default population (docs/populations.md).


_ZIP_YEAR = 2010  # census whose people by part of a county in a ZIP code area are counted


@dataclass(frozen=True)
class HeldOutError:
    """One recipe, applied to one state and census without its joint table.

    ``misplaced``: share of the people in a wrong cell of county, sex, age and race, 0 to 1; ``misplaced_by_origin``: of
    county, sex, age, race and origin, None where these are not counted; ``misplaced_by_ethnicity``: of county, sex, age
    and origin. ``relative``: linkage key -> measure -> fitted over counted, less 1. ``how``: how this measurement
    differs from others of the same recipe, state and census.
    """

    populations: tuple[str, ...]
    held_out: JointTable
    misplaced: float
    relative: Mapping[str, Mapping[str, float]]
    how: str = ""
    misplaced_by_origin: float | None = None
    misplaced_by_ethnicity: float = 0.0

    @property
    def measured(self) -> str:
        """The state and census of the measurement, in words."""
        return f"{self.held_out.name} {self.held_out.year}, fitted without its joint table{self.how}"


def held_out_errors(folder: Path, names: Iterable[str] = tuple(REFITS)) -> Iterator[HeldOutError]:
    """Measure recipes, by default every one, on every state and census that they do not use."""
    for name in names:
        for held_out, counted, fitted, how in REFITS[name](folder):
            placed: tuple[Sequence[str], str] = (), ""
            if held_out.year == _ZIP_YEAR and not how:
                placed = read_decennial(folder, held_out.year)[held_out.state].counties, f"us-{_ZIP_YEAR}"
            relative: dict[str, dict[str, float]] = {}
            for key, measure, error in errors_of_fit(fitted, counted, *placed):
                relative.setdefault(key, {})[measure] = error
            shares = {kinds: misplaced_share(fitted[kinds], table) for kinds, table in counted.items()}
            by_origin = shares.get(RACES_AND_ORIGINS)
            yield HeldOutError((name,), held_out, shares[RACES_ALONE], relative, how, by_origin, shares[ORIGINS_ALONE])


def to_facts(errors: list[HeldOutError]) -> str:
    """Write errors as the blocks of ``data/model_error.toml``."""
    return "\n".join(map(_block, errors))


def _block(error: HeldOutError) -> str:
    names = ", ".join(f'"{name}"' for name in error.populations)
    lines = [
        "[[error]]",
        f"populations = [{names}]",
        f'measured = "{error.measured}"',
        f"misplaced = {error.misplaced:.6f}",
    ]
    if error.misplaced_by_origin is not None:
        lines.append(f"misplaced_by_origin = {error.misplaced_by_origin:.6f}")
    lines.append(f"misplaced_by_ethnicity = {error.misplaced_by_ethnicity:.6f}")
    for key, measures in error.relative.items():
        figures = ", ".join(f'"{measure}" = {relative:.6f}' for measure, relative in measures.items())
        lines.append(f'relative."{key}" = {{ {figures} }}')
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=Path, required=True, help="folder of the official tables")
    parser.add_argument("--write", action="store_true", help="write data/model_error.toml and the tables in docs")
    arguments = parser.parse_args()
    errors = list(held_out_errors(arguments.tables))
    tables = {"errors": "\n".join(rows(errors)), "errors by ethnicity": "\n".join(rows_by_ethnicity(errors))}
    print("\n\n".join(tables.values()))
    print("\nNotes of data/population_recipes.toml:")
    print("\n".join([*notes_of_decennial(arguments.tables), *notes_of_redistricting(arguments.tables)]))
    if arguments.write:
        (data_dir() / "model_error.toml").write_text(HEADER + to_facts(errors), encoding="utf-8")
        for name, table in tables.items():
            page = PAGES[name].read_text(encoding="utf-8")
            PAGES[name].write_text(with_table(page, name, table), encoding="utf-8")


if __name__ == "__main__":
    main()
