"""Whole rates in tables: how many are found by their numbers, and how many columns of counts are taken for one.

    python -m benchmarks.table_rates found --each 40
    python -m benchmarks.table_rates counts --each 300

``found`` draws counts with people or with a whole that they are a part of, and a rate of them at several scales, to the
nearest, up and down. ``counts`` draws tables of 17 kinds without a rate.
"""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable

import numpy as np

from policy_sim.tables.derived import derived_columns

SCALES = (
    (100_000, 1),
    (100_000, 10),
    (10_000, 1),
    (1_000, 1),
    (547.3, 1),
    (500, 1),
    (100, 1),
    (100, 5),
    (20, 1),
    (5, 1),
)
SIZES = (5, 7, 10, 20, 60)
RNG = np.random.default_rng(5)
Columns = dict[str, np.ndarray]


def rounded(number: np.ndarray, step: float, way: str) -> np.ndarray:
    """Return numbers in steps, to the nearest, up or down."""
    return step * {"nearest": np.round, "up": np.ceil, "down": np.floor}[way](number / step)


def table_with_rate(rows: int, scale: float, step: float, way: str, of_people: bool) -> Columns:
    """Return counts, what they are of, and the rate."""
    counts = np.where(RNG.random(rows) < 0.4, RNG.integers(1, 11, rows), RNG.integers(11, 90, rows)).astype(float)
    people = np.floor(RNG.lognormal(8.3, 0.8, rows)) if scale >= 1000 else counts + RNG.integers(50, 300, rows)
    whole = people if of_people else counts + RNG.integers(5, 90, rows)
    return {"counts": counts, "whole": whole, "rate": rounded(scale * counts / whole, step, way)}


def found(each: int) -> None:
    """Print of how many tables in each 100 the rate is found."""
    print("| per | in steps of | " + " | ".join(f"{rows} rows" for rows in SIZES) + " |")
    for scale, step in SCALES:
        shares = []
        for rows in SIZES:
            hits = [
                "rate" in derived_columns(table, set(table), np.zeros(rows, dtype=bool))
                for way in ("nearest", "up", "down")
                for of_people in (True, False)
                for _ in range(each)
                for table in [table_with_rate(rows, scale, step, way, of_people)]
            ]
            shares.append(100 * sum(hits) / len(hits))
        print(f"| {scale:,} | {step} | " + " | ".join(f"{share:.0f}" for share in shares) + " |", flush=True)


class Kinds:
    """Tables of counts without a rate."""

    @staticmethod
    def _small(n: int) -> np.ndarray:
        return np.where(RNG.random(n) < 0.4, RNG.integers(0, 11, n), RNG.integers(11, 140, n)).astype(float)

    @staticmethod
    def _people(n: int) -> np.ndarray:
        return np.floor(RNG.lognormal(9, 1, n))

    @classmethod
    def independent(cls, n: int) -> Columns:
        """Return counts of no common cause."""
        return {f"c{i}": cls._small(n) for i in range(RNG.integers(3, 9))}

    @classmethod
    def of_people(cls, n: int) -> Columns:
        """Return rare counts in proportion to people."""
        people = cls._people(n)
        return {"people": people} | {f"c{i}": RNG.poisson(people * RNG.lognormal(-5, 1.5)) * 1.0 for i in range(4)}

    @classmethod
    def frequent(cls, n: int) -> Columns:
        """Return frequent counts in proportion to people."""
        people = cls._people(n) * 20
        return {"people": people} | {f"c{i}": RNG.poisson(people * RNG.lognormal(-2, 1)) * 1.0 for i in range(4)}

    @classmethod
    def years_of_people(cls, n: int) -> Columns:
        """Return the people of four years."""
        columns, people = Columns(), cls._people(n)
        for year in range(4):
            columns[f"y{year}"] = people
            people = np.round(people * (1 + RNG.normal(0.005, 0.01, n)))
        return columns

    @classmethod
    def nested(cls, n: int) -> Columns:
        """Return eligible people and doses of nearly all of them."""
        first = cls._people(n) // 100 + 5
        second = RNG.binomial(first.astype(int), 0.93)
        third = RNG.binomial(second, 0.9)
        return {"a": first, "b": second * 1.0, "c": third * 1.0, "d": RNG.binomial(third, 0.97) * 1.0}

    @classmethod
    def nearly_equal(cls, n: int) -> Columns:
        """Return reported, confirmed and late cases, which differ by a few."""
        reported = cls._small(n) + 10
        confirmed = reported - RNG.poisson(0.7, n)
        late = np.maximum(confirmed - RNG.poisson(0.5, n), 0)
        return {"a": reported, "b": confirmed, "c": late, "d": cls._small(n)}

    @classmethod
    def sex_and_age(cls, n: int) -> Columns:
        """Return a total with its parts by sex and by age."""
        cases = RNG.poisson(cls._people(n) * 0.004)
        male, young = RNG.binomial(cases, 0.5), RNG.binomial(cases, 0.2)
        return {
            name: of * 1.0 for name, of in zip("tmfyo", (cases, male, cases - male, young, cases - young), strict=True)
        }

    @classmethod
    def growing(cls, n: int) -> Columns:
        """Return counts of five years that grow."""
        years = [cls._small(n)]
        for _ in range(4):
            years.append(years[-1] + RNG.integers(0, 10, n))
        return {f"y{at}": of for at, of in enumerate(years)}

    @classmethod
    def ranks(cls, n: int) -> Columns:
        """Return sorted counts with their rank."""
        counts = np.sort(cls._small(n))[::-1]
        return {"rank": np.arange(1.0, n + 1), "c": counts, "d": RNG.poisson(counts + 0.1) * 1.0}

    @classmethod
    def days(cls, n: int) -> Columns:
        """Return counts next to days and beds."""
        return {"c": cls._small(n), "days": RNG.integers(2, 15, n) * 1.0, "beds": RNG.integers(10, 60, n) * 1.0}

    @classmethod
    def tiny(cls, n: int) -> Columns:
        """Return counts of 0 to 5."""
        return {f"c{i}": RNG.integers(0, 6, n) * 1.0 for i in range(RNG.integers(3, 7))}

    @classmethod
    def steps(cls, n: int) -> Columns:
        """Return counts next to places in steps of 5 and money in steps of 100."""
        money, places = RNG.integers(1, 40, n) * 100.0, RNG.integers(1, 20, n) * 5.0
        return {"c": cls._small(n), "places": places, "money": money, "people": cls._people(n)}

    @classmethod
    def ages(cls, n: int) -> Columns:
        """Return people of some ages and rare counts."""
        people = cls._people(n)
        parts = {name: RNG.binomial(people.astype(int), share) * 1.0 for name, share in (("u18", 0.22), ("o65", 0.17))}
        return {"people": people, **parts, "c": RNG.poisson(people * 0.003) * 1.0}

    @classmethod
    def alike_wholes(cls, n: int) -> Columns:
        """Return counts next to numbers that hardly vary: 7 days, 28 to 31 days."""
        counts = RNG.poisson(60, n) * 1.0
        parts = {"t": RNG.poisson(counts * 4) * 1.0, "p": RNG.poisson(counts * 0.3) * 1.0}
        return {"c": counts, **parts, "week": np.full(n, 7.0), "month": RNG.integers(28, 32, n) * 1.0}

    @classmethod
    def fives(cls, n: int) -> Columns:
        """Return counts in proportion to people, all rounded to 5."""
        people = cls._people(n)
        counts = {f"c{i}": rounded(RNG.poisson(people * RNG.lognormal(-4, 1)) * 1.0, 5, "nearest") for i in range(3)}
        return {"people": rounded(people, 5, "nearest"), **counts}

    @classmethod
    def hundreds(cls, n: int) -> Columns:
        """Return people in hundreds, counts in hundreds and tens, and a density."""
        people = cls._people(n) * 10
        some = rounded(RNG.poisson(people * 0.2) * 1.0, 100, "nearest")
        few = rounded(RNG.poisson(people * 0.01) * 1.0, 10, "nearest")
        density = np.floor(people / RNG.lognormal(5, 1, n))
        return {"people": rounded(people, 100, "nearest"), "a": some, "b": few, "density": density}

    @classmethod
    def fives_of_alike(cls, n: int) -> Columns:
        """Return counts in steps of 5 that follow one another, next to numbers that hardly vary."""
        counts = rounded(RNG.poisson(90, n) * 1.0, 5, "nearest")
        more = rounded(RNG.poisson(counts * 4) * 1.0, 5, "nearest")
        return {"c": counts, "t": more, "p": RNG.poisson(counts * 0.3) * 1.0, "month": RNG.integers(28, 32, n) * 1.0}


def counts(each: int) -> None:
    """Print how many tables of counts have a column that is taken for a rate."""
    kinds: list[tuple[str, Callable[[int], Columns]]] = [
        (name, of) for name, of in inspect.getmembers(Kinds, inspect.ismethod) if not name.startswith("_")
    ]
    wrong = many = 0
    for name, draw in kinds:
        for rows in (5, 8, 15, 40):
            tables = [draw(rows) for _ in range(each)]
            own = sum(bool(derived_columns(table, set(table), np.zeros(rows, dtype=bool))) for table in tables)
            wrong, many = wrong + own, many + each
            print(f"{name}, {rows} rows: {own} of {each}", flush=True)
    print(f"{wrong} of {many:,} tables")


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("found", "counts"))
    parser.add_argument("--each", type=int, default=40)
    options = parser.parse_args()
    {"found": found, "counts": counts}[options.what](options.each)


if __name__ == "__main__":
    main()
