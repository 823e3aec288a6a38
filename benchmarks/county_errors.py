"""Errors of the recipes of the populations county by county, and how often a left-out county is inside their range.

    python -m benchmarks.county_errors --tables ../shared/census       # prints the tables of docs/population-errors.md

Each recipe is applied to a state with a counted table of county, sex, age and race, without that table, as in
``benchmarks/populations.py``. Here every county is a separate case. The range of a county comes from the errors of
others of its size: of the other counties of its state (leave one out), or of another counted state.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.held_out import CLASS_WIDTHS, RACES_ALONE, Refit
from benchmarks.populations import REFITS
from policy_sim.building.official_tables import read_decennial
from policy_sim.people.merge import AGE_WIDTHS, AGES
from policy_sim.people.zips import zip_parts
from policy_sim.words.arrays import FloatArray, IntArray

SIZES = (0, 10_000, 50_000, 250_000)  # least people of each class of county
KEYS = {  # sex and: race or not, values in a year, by ZIP code area of the county
    "race, birth date": (RACES_ALONE, 365.0, False),
    "birth date": ("", 365.0, False),
    "race, birth year": (RACES_ALONE, 1.0, False),
    "birth year": ("", 1.0, False),
    "race, birth date, ZIP code": (RACES_ALONE, 365.0, True),
    "race, birth year, ZIP code": (RACES_ALONE, 1.0, True),
    "birth year, ZIP code": ("", 1.0, True),
}
LEVEL, LEAST = 0.95, 10.0  # of a range; counted people of a figure that is compared
RECIPES = ("us-2010", "us-2020")


class Counties(NamedTuple):
    """The people of the counties of a state, and relative errors by key and measure; shape (counties,) each.

    An error is NaN where fewer than :data:`LEAST` people are counted.
    """

    name: str
    people: IntArray
    errors: Mapping[tuple[str, str], FloatArray]


def figures(people: IntArray, share: list[FloatArray], values: float) -> FloatArray:
    """Return total risk and the people alone of each county; shape (2, counties).

    ``people``: shape (counties, sexes, ages, kinds); ``share``: of each county's parts.
    """
    width = AGE_WIDTHS if people.shape[2] == len(AGES) else CLASS_WIDTHS
    bins = np.broadcast_to((width * values)[None, :, None], people.shape[1:])
    found = np.zeros((2, len(people)))
    for county, (cells, shares) in enumerate(zip(people, share, strict=True)):
        held = cells > 0
        n, x = cells[held][:, None], np.minimum(shares[None] / bins[held][:, None], 1 - 1e-13)
        nobody_else = np.exp((n - 1) * np.log1p(-x))
        found[0, county] = ((shares / x) * (1 - (1 - x) * nobody_else)).sum()
        found[1, county] = (n * shares * nobody_else).sum()
    return found


def counties_of(refit: Refit, codes: tuple[str, ...], of_county: Mapping[str, FloatArray]) -> Counties:
    """Measure every county of a refit."""
    errors = {}
    for key, (kinds, values, by_zip) in KEYS.items():
        share = [of_county.get(code, np.ones(1)) if by_zip else np.ones(1) for code in codes]
        fitted, counted = (figures(side[kinds], share, values) for side in (refit.fitted, refit.counted))
        relative = np.divide(fitted, counted, out=np.full_like(fitted, np.nan), where=counted >= LEAST) - 1
        errors |= {(key, "total risk"): relative[0], (key, "alone"): relative[1]}
    people = refit.counted[RACES_ALONE].sum(axis=(1, 2, 3))
    return Counties(f"{refit.held_out.name} {refit.held_out.year}", people, errors)


def size_of(people: IntArray) -> IntArray:
    """Return the class of size of each county."""
    return np.searchsorted(SIZES, people, side="right") - 1


def end_of(errors: FloatArray) -> float:
    """Return the end of a range that contains a share :data:`LEVEL` of further cases (a conformal quantile)."""
    held = np.sort(np.abs(errors[~np.isnan(errors)]))
    rank = int(np.ceil(LEVEL * (len(held) + 1)))
    return float(held[rank - 1]) if 0 < rank <= len(held) else float("nan")


def left_out(state: Counties, at: tuple[str, str]) -> tuple[int, int]:
    """Return how many counties are inside the range of the others of their size, and how many have one."""
    size, errors, inside, ranges = size_of(state.people), state.errors[at], 0, 0
    for county in np.flatnonzero(~np.isnan(errors)):
        others = (size == size[county]) & (np.arange(len(size)) != county)
        end = end_of(errors[others])
        if not np.isnan(end):
            ranges += 1
            inside += abs(errors[county]) <= end
    return inside, ranges


def other_state(state: Counties, other: Counties, at: tuple[str, str]) -> tuple[int, int]:
    """Return the same with the ranges of the counties of another state."""
    ends = [end_of(state.errors[at][size_of(state.people) == size]) for size in range(len(SIZES))]
    of_county = np.array(ends)[size_of(other.people)]
    held = ~np.isnan(of_county) & ~np.isnan(other.errors[at])
    return int((np.abs(other.errors[at])[held] <= of_county[held]).sum()), int(held.sum())


def measured(folder: Path) -> Iterator[tuple[str, Counties]]:
    """Yield each recipe with every state that it is applied to."""
    parts = zip_parts("us-2010")
    shares = {
        str(code): (held / held.sum()).to_numpy(np.float64)
        for code, held in parts[parts["people"] > 0].groupby("county", observed=True)["people"]
    }
    for recipe in RECIPES:
        for refit in REFITS[recipe](folder):
            if refit.held_out.year == 2010:
                codes = read_decennial(folder, refit.held_out.year)[refit.held_out.state].counties
                yield recipe, counties_of(refit, tuple(codes), shares)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=Path, required=True, help="folder of the official tables")
    states: dict[str, list[Counties]] = {}
    for recipe, state in measured(parser.parse_args().tables):
        states.setdefault(recipe, []).append(state)
        size = size_of(state.people)
        print(f"{recipe}, {state.name}: {np.bincount(size, minlength=len(SIZES)).tolist()} counties by size")
        for at, errors in state.errors.items():
            cells = []
            for each in range(len(SIZES)):
                of_size = np.abs(errors[(size == each) & ~np.isnan(errors)])
                cells.append(f"{np.median(of_size):.2%} / {end_of(of_size):.2%}" if len(of_size) else "-")
            inside, ranges = left_out(state, at)
            print(f"| {', '.join(at)} | {' | '.join(cells)} | {inside} of {ranges} |", flush=True)
    for recipe, (one, two) in states.items():
        for first, second in ((one, two), (two, one)):
            for at in first.errors:
                inside, ranges = other_state(first, second, at)
                print(f"{recipe}: {at}: {first.name} contains {inside} of {ranges} of {second.name}")


if __name__ == "__main__":
    main()
