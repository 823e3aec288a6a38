"""How many people an attacker names who has tokens, what is shown next to them, and a roster, but not the key.

The attack is that of Eliazar et al. (JAMIA 2025): tokens that several people share show a pattern of ZIP codes, which
the roster has too. The formula is in :mod:`policy_sim.formulas.tokens`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd

from policy_sim.attackers.attacker import Attacker
from policy_sim.formulas.histogram import different, number_combinations
from policy_sim.formulas.tokens import TokenFigures, TokenStratum, token_figures
from policy_sim.model.token_design import TokenDesign
from policy_sim.people.composition import class_of
from policy_sim.people.county_tables import YEARS_OF_AGE
from policy_sim.people.name_classes import NameClasses
from policy_sim.people.zips import PeopleByZip
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import YEARS_IN_A_CLASS, Field, Granularities

NATION: Final = "US"
LEAST_SIZE: Final = 10_000
PAPER_SIZE: Final = 250_000_000  # the largest file of which the paper's abstract gives a figure
_SEED: Final = 0  # of the patterns over which means are taken


@dataclass(frozen=True, eq=False)
class Roster:
    """Whom an attacker's roster has: the chance of each kind of person in each county, shape (kinds, counties).

    ``status``, ``reason``: why there is none, or what is not known of it.
    """

    chance: FloatArray | None
    status: str = "ok"
    reason: str = ""


@dataclass(frozen=True)
class TokenRow:
    """What tokens risk at one size of the file, by one attacker.

    ``design``: the design, or several joined with ``+``, which each record has. ``told``: figures of an attacker who
    knows who is in the file; ``untold``: of one who does not. Both are None where there is no roster; ``status`` and
    ``reason`` say why. ``most``: the same for several designs, of whose people some may be named by more than one.
    """

    state: str
    design: str
    fields: str
    clear: str
    attacker: str
    people: int
    status: str
    reason: str = ""
    told: TokenFigures | None = None
    untold: TokenFigures | None = None
    most: tuple[TokenFigures, TokenFigures] | None = None

    def row(self) -> dict[str, Any]:
        """Return the row of the table: expected people; shares are 0..1 of those in the file."""
        said = ("state", "attacker", "design", "fields", "clear", "people", "status", "reason")
        row: dict[str, Any] = {name: getattr(self, name) for name in said}
        told, untold = self.told, self.untold
        most = (told, untold) if self.most is None else self.most
        figures = {
            "named_low": told and told.named,
            "named_high": most[0] and most[0].named,
            "untold_low": untold and untold.named,
            "untold_high": most[1] and most[1].named,
            "sure": told and told.sure,
            "repeated": told and told.repeated,
            "clear_only": told and told.clear,
            "with_key": told and told.with_key,
            "unique": told and told.unique,
            "on_roster": told and told.on_roster,
        }
        ranges = ("named_low", "named_high", "untold_low", "untold_high")
        shares = {
            f"{name}_share": figure and figure / self.people for name, figure in figures.items() if name in ranges
        }
        return {**row, **figures, **shares}


def together(rows: Sequence[TokenRow]) -> TokenRow:
    """Return the row of a file whose records have the tokens of several designs.

    An attacker who reads each by itself names at least the people of the best, and at most those of all: some are named
    by more than one.
    """
    names = " + ".join(row.design for row in rows)
    first, fields = rows[0], " + ".join(row.fields for row in rows)
    told, untold = ([figures for row in rows if (figures := getattr(row, name))] for name in ("told", "untold"))
    if not told:
        return replace(first, design=names, fields=fields)
    best = [max(all_of, key=lambda figures: figures.named) for all_of in (told, untold)]
    most = [
        replace(some, named=min(sum(each.named for each in all_of), some.on_roster))
        for some, all_of in zip(best, (told, untold), strict=True)
    ]
    widest = replace(
        best[0], repeated=max(each.repeated for each in told), with_key=max(each.with_key for each in told)
    )
    return replace(first, design=names, fields=fields, told=widest, untold=best[1], most=(most[0], most[1]))


def token_sizes(people: int, sizes: Sequence[int] = ()) -> list[int]:
    """Return the sizes of a file: those asked for, or powers of ten from 10,000 and everyone.

    >>> token_sizes(11_799_448)
    [10000, 100000, 1000000, 10000000, 11799448]
    """
    for size in sizes:
        if size > people:
            raise InputError(f"{size:,} people in the file are more than the {people:,} who live there.")
    if sizes:
        return sorted(set(sizes))
    powers = [10**power for power in range(4, 12) if 10**power < people]
    return sorted({*powers, *([PAPER_SIZE] if people > PAPER_SIZE else []), people})


def roster_of(attacker: Attacker, design: TokenDesign, people: PeopleByZip, states: Sequence[str]) -> Roster:
    """Return whom an attacker's resource lists of some states, with what a token is made of.

    A list of the nation has the states whose lists have the birth date; where no source says whether they have it, the
    state is left out.
    """
    table, chance, reasons = people.table, np.zeros((len(people.table.people), len(people.table.counties))), []
    needed = design.needs()
    status = "ok"
    for state in states:
        linkage = attacker.linkage(needed, state)
        counties = np.flatnonzero(table.units([state]) >= 0)
        if linkage.low is None or not needed.is_coarser_or_equal(linkage.low):
            lacks = linkage.low is not None
            unknown = lacks and linkage.high is not None and needed.is_coarser_or_equal(linkage.high)
            status = "unknown" if unknown else "no_field" if lacks else str(linkage.status)
            fact = "no source says whether the list has a birth date" if unknown else "the list has no birth date"
            reasons.append((state, fact if lacks else linkage.reason))
            continue
        chance[:, counties] = _listed(attacker, people, state, counties)
    if len(reasons) == len(states):
        return Roster(
            None, status if len(states) == 1 else "no_field", reasons[0][1] if len(states) == 1 else _left(reasons)
        )
    return Roster(chance, "ok", _left(reasons) if reasons else "")


def _left(reasons: Sequence[tuple[str, str]]) -> str:
    return f"without the lists of {', '.join(state for state, _ in reasons)}, which lack a birth date or are not sold"


def _listed(attacker: Attacker, people: PeopleByZip, state: str, counties: IntArray) -> FloatArray:
    """Return the chance that people of each kind in some counties of a state are on the attacker's list."""
    coverage, kinds = attacker.resource.coverage_in(state), people.table.kinds.cells
    if coverage is None:
        return np.ones((len(kinds), len(counties)))
    age = kinds["age"].to_numpy()
    least, most = coverage.ages_in(people.county_population)
    of_age = (age >= least) & (age <= (YEARS_OF_AGE if most is None else most))
    listing = coverage.listing(people.county_population)
    if listing is None:
        share = float(coverage.shares(people.county_population, [state])[0])
        return np.repeat((of_age * share)[:, None], len(counties), axis=1)
    chance, code, _ = listing.of_kinds(kinds, people.table.names(counties))
    listed: FloatArray = np.where(of_age[:, None], chance[code], 0.0)
    return listed


@dataclass(frozen=True, eq=False)
class TokenPeople:
    """The people of some states by kind and by place in the clear: shape (kinds, places); and who is on the roster."""

    kinds: pd.DataFrame
    people: FloatArray
    listed: FloatArray

    @classmethod
    def of(cls, people: PeopleByZip, states: Sequence[str], geography: str, roster: Roster) -> TokenPeople:
        """Count the people of each kind in each place; those of a county and class live in its ZIP codes alike."""
        table = people.table
        unit = table.units(states)
        counties = np.flatnonzero(unit >= 0)
        of_kind: IntArray | None = None
        if geography in ("zip3", "zip5"):
            county, place, share = people.zips.places(geography, None)
            if people.zips.composition is not None:
                share, of_kind = people.zips.chances(geography, None)[2], class_of(table.kinds.cells)
            held = unit[county] >= 0
            county, place, share = county[held], different(place[held])[1], share[held]
        else:
            place = {"nation": np.zeros(len(counties), dtype=np.int64), "state": unit[counties]}.get(
                geography, np.arange(len(counties))
            )
            county, share = counties, np.ones(len(counties))
        assert roster.chance is not None
        shape = (len(table.people), int(place.max(initial=0)) + 1)
        lived, listed = np.zeros(shape), np.zeros(shape)
        for number in range(len(county)):
            residents = table.people[:, county[number]] * (share[number] if of_kind is None else share[number, of_kind])
            lived[:, place[number]] += residents
            listed[:, place[number]] += residents * roster.chance[:, county[number]]
        return cls(table.kinds.cells, lived, listed)

    def strata(self, design: TokenDesign, clear: Granularities, days: float) -> Iterator[TokenStratum]:
        """Yield the people by what they show in the clear and their token decides."""
        codes = self._codes(design, clear)
        stratum, group, cell = (number_combinations(code) for code in codes)
        years = self._years(design)
        for each in np.unique(stratum[self.people.ravel() > 0]):
            rows = np.flatnonzero((stratum == each) & (self.people.ravel() > 0))
            yield self._stratum(rows, group[rows], cell[rows], design, days, years)

    def _codes(
        self, design: TokenDesign, clear: Granularities
    ) -> tuple[list[IntArray], list[IntArray], list[IntArray]]:
        """Return codes of strata, of people whose tokens have one rate, and of what else they show, for each entry."""
        shape = self.people.shape
        age = self.kinds["age"].to_numpy(np.int64)
        sex = self.kinds["sex"].cat.codes.to_numpy(np.int64)
        years = YEARS_IN_A_CLASS.get(clear[Field.BIRTH], 0)
        place = np.broadcast_to(np.arange(shape[1]), shape).ravel()
        stratum, group, cell = ([np.zeros(self.people.size, dtype=np.int64)] for _ in range(3))
        shows = [
            (clear[Field.GENDER] != "none", design.decides_sex, sex, sex),
            (years > 0, bool(design.birth), age // max(years, 1), age),
        ]
        for shown, decided, seen, whole in shows:
            if shown:
                (stratum if decided else cell).append(np.repeat(seen, shape[1]))
            if decided:
                group.append(np.repeat(whole, shape[1]))
        if clear[Field.RACE] != "none":
            cell.append(np.repeat(self.kinds["race"].cat.codes.to_numpy(np.int64), shape[1]))
        (stratum if design.zip3 else cell).append(place)
        if design.zip3:
            group.append(place)
        return stratum, group, cell

    def _years(self, design: TokenDesign) -> FloatArray:
        """Return how many years of birth each entry has."""
        width = np.maximum(self.kinds["age_width"].to_numpy(np.float64), 1.0)
        return np.repeat(width if design.birth else np.ones(len(width)), self.people.shape[1])

    def _stratum(
        self, rows: IntArray, group: IntArray, cell: IntArray, design: TokenDesign, days: float, years: FloatArray
    ) -> TokenStratum:
        people, listed = self.people.ravel()[rows], self.listed.ravel()[rows]
        rates, tokens = [], []
        for each in np.unique(group):
            held = group == each
            sex = str(self.kinds["sex"].iloc[rows[held][0] // self.people.shape[1]])
            names = design.names(sex)
            values = {"date": days, "year": 1.0}.get(design.birth, 1.0) * float(years[rows[held][0]])
            rates.append(names.share * people[held].sum() / values)
            tokens.append(names.names * values)
        rate, many = np.concatenate(rates), np.concatenate(tokens)
        if len(rates) > 1:
            merged = NameClasses(rate, many).grouped()
            rate, many = merged.share, merged.names
        _, code = different(cell)
        there, on_list = np.bincount(code, people), np.bincount(code, listed)
        return TokenStratum(rate, many, there / there.sum(), on_list / there)


@dataclass(frozen=True)
class TokenQuestion:
    """Whose people, and what is asked of their tokens.

    ``state``: what rows call the ``states``. ``sizes``: of the file, a random part of their people; powers of ten
    without any.
    """

    people: PeopleByZip
    states: tuple[str, ...]
    state: str
    designs: tuple[TokenDesign, ...]
    clear: Granularities
    attackers: tuple[Attacker, ...]
    days: float
    sizes: tuple[int, ...] = ()

    def rows(self, tell: Callable[[int], None] | None = None, before: int = 0) -> list[TokenRow]:
        """Return a row for each attacker, design and size, and one for all designs together if there are several.

        ``tell``: called with the number of rows made so far, ``before`` those of other places.
        """
        rows: list[TokenRow] = []
        for attacker in self.attackers:
            apart: list[TokenRow] = []
            for design in self.designs:
                for row in self._of_design(design, attacker):
                    apart.append(row)
                    if tell is not None:
                        tell(before + len(rows) + len(apart))
            rows += apart
            if len(self.designs) > 1:
                rows += [together([row for row in apart if row.people == size]) for size in self._all_sizes]
        return rows

    @property
    def living(self) -> int:
        """How many people live there."""
        return sum(number for name, number in self.people.people_by_state().items() if name in self.states)

    @property
    def _all_sizes(self) -> list[int]:
        return token_sizes(self.living, self.sizes)

    def _of_design(self, design: TokenDesign, attacker: Attacker) -> Iterator[TokenRow]:
        place = self.clear[Field.GEOGRAPHY]
        if design.zip3 and place not in ("zip3", "nation"):
            raise InputError(f"token {design.name} has a three-digit ZIP code: show zip3 in the clear, or no place.")
        roster = roster_of(attacker, design, self.people, self.states)
        strata: tuple[TokenStratum, ...] = ()
        if roster.chance is not None:
            counted = TokenPeople.of(self.people, self.states, "zip3" if design.zip3 else place, roster)
            strata = tuple(counted.strata(design, self.clear, self.days))
        for size in self._all_sizes:
            told, untold = (_figures(strata, size / self.living, told=told) for told in (True, False))
            who = self.state, design.name, design.fields, str(self.clear), attacker.name, size
            yield TokenRow(*who, roster.status, roster.reason, told, untold)


def _figures(strata: Sequence[TokenStratum], in_file: float, *, told: bool) -> TokenFigures | None:
    """Return the sums over strata, with patterns from the same seed whatever else is asked."""
    if not strata:
        return None
    rng = np.random.default_rng(_SEED)
    total = TokenFigures()
    for stratum in strata:
        total += token_figures(stratum, in_file, rng, told=told)
    return total
