"""Fit how people of each age and group are spread over the ZIP code areas of a county.

A fit of the factors of :mod:`policy_sim.people.composition`, for all counties of a census at once:

1. Everybody starts with the part's share of the county's people, times the factor of the age: what a survey counted in
   the area over what the mix of its counties would give, both drawn toward each other by a prior of 20 people after the
   survey's count was divided by its design effect of 15. No later step changes it.
2. Where minors are not counted by group (2020), they start like the adults of their group.
3. Again and again: adults of each group, and minors, of each area; everybody of each part; and every class of each
   county, last and exactly. An area in several counties fits as a whole. Two tables of one census may contradict each
   other (people outside every area; noise): an area's count is then fitted relative to those of its counties' others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.files.manifest import update_manifest
from policy_sim.files.parquet import read_frame
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import shipped_table
from policy_sim.files.writing import replace_file, sha256_of
from policy_sim.people.composition import (
    ADULT_AGES,
    AGE_STARTS,
    BYTE_COLUMNS,
    CLASSES,
    GROUPS,
    Composition,
    as_bytes,
    as_weights,
    class_of,
)
from policy_sim.people.population import Population
from policy_sim.people.store import load_shipped
from policy_sim.people.zips import zip_parts
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import SourceError

ROUNDS = 60
_ROUNDS_OF_WEIGHTS = 20
DESIGN_EFFECT = 15.0  # of the survey's counts of an area's ages
PRIOR = 20.0  # people whose ages are those of the area's counties
_FEW = 3.0  # people added on both sides where minors start like the adults
_OTHERS = GROUPS.index("other")  # in 2010 minors of this group and of the last are one number
COUNTS = {2010: "zcta_2010_sf1_race_origin_18plus.parquet", 2020: "zcta_2020_dhc_race_origin_18plus.parquet"}
AGES = "zcta_2018_acs5_age11.parquet"
_ACS = [
    *("age_0_4", "age_5_14", "age_15_17", "age_18_19", "age_20_24", "age_25_44", "age_45_49", "age_50_54"),
    *("age_55_59", "age_60_64", "age_65_over"),
]


@dataclass(frozen=True, eq=False)
class AreaCounts:
    """Counts of ZIP code areas (five-digit codes, sorted).

    ``adults``: by group, shape (areas, 7). ``minors``: by group, the last two groups together, shape (areas, 6), or all
    together, shape (areas, 1). ``ages``: of a survey, shape (areas, 11); 0 for an area that it does not have.
    """

    zip5: IntArray
    adults: FloatArray
    minors: FloatArray
    ages: FloatArray

    @classmethod
    def read(cls, folder: Path, year: int) -> AreaCounts:
        """Read the counts of a census from the folder of the Bureau's figures."""
        held, survey = _read(folder / COUNTS[year]), _read(folder / AGES)
        adults = held[[f"{group}_18plus" for group in GROUPS]].to_numpy(np.float64)
        if year == 2010:
            everyone = held[[f"{group}_all" for group in (*GROUPS[:_OTHERS], "other_or_two")]].to_numpy(np.float64)
            minors = everyone - _together(adults)
        else:
            minors = held["people_all"].to_numpy(np.float64)[:, None] - adults.sum(axis=1, keepdims=True)
        if (minors < 0).any():
            raise SourceError(f"{COUNTS[year]}: more adults than people in an area.")
        ages = survey[_ACS].reindex(held.index).fillna(0.0).to_numpy(np.float64)
        return cls(held.index.to_numpy(), adults, minors, ages)


def _read(path: Path) -> pd.DataFrame:
    try:
        return read_frame(path).set_index("zcta").sort_index()
    except (OSError, ValueError, KeyError) as error:
        raise SourceError(f"{path}: cannot be read ({error}); give the folder of the Bureau's figures.") from error


def _together(groups: FloatArray) -> FloatArray:
    """Return the last two groups as one."""
    return np.column_stack([groups[:, :_OTHERS], groups[:, _OTHERS:].sum(axis=1)])


def people_by_class(population: Population) -> tuple[pd.Index[str], FloatArray]:
    """Return the counties of a population and their people by class; shape (counties, 77)."""
    table = population.laid_out_by_origin
    assert table is not None  # shipped populations have Hispanic origin
    people = np.zeros((CLASSES, table.people.shape[1]))
    np.add.at(people, class_of(table.kinds.cells), table.people)
    return table.counties, people.T


@dataclass(frozen=True, eq=False)
class CompositionFit:
    """The parts of all counties, sorted by county, and what they are fitted to.

    Attributes
    ----------
    people : People of each class of each county; shape (counties, 77).
    county, area : County of each part, and its area among those of ``counts``; shape (parts,).
    residents : Counted people of each part, > 0.
    """

    people: FloatArray
    county: IntArray
    area: IntArray
    residents: FloatArray
    counts: AreaCounts

    @classmethod
    def of(cls, population: Population, parts: pd.DataFrame, counts: AreaCounts) -> tuple[CompositionFit, pd.DataFrame]:
        """Return the fit of a population's parts (``county``, ``zip5``, ``people``), and the parts in its order."""
        names, people = people_by_class(population)
        parts = parts[parts["people"] > 0].sort_values(["county", "zip5"], ignore_index=True)
        county = names.get_indexer(pd.Index(parts["county"].astype(str)))
        area = pd.Index(counts.zip5).get_indexer(pd.Index(parts["zip5"].astype(str)))
        if (county < 0).any() or (area < 0).any():
            raise SourceError("a part of a ZIP code area is in no county of the population, or its area has no counts.")
        order = np.argsort(county, kind="stable")
        parts = parts.iloc[order].reset_index(drop=True)
        fit = cls(people, county[order], area[order], parts["people"].to_numpy(np.float64), counts)
        return fit, parts

    def factors(self, rounds: int = ROUNDS) -> Composition:
        """Return the fitted factors of each part."""
        ones = np.ones((len(self.counts.zip5), len(GROUPS)))
        adults, minors, weight = ones, ones, np.ones(len(self.residents))
        by_part = Composition(self._of_ages[self.area], ones[self.area], ones[self.area], weight)
        counted = self.counts.minors.shape[1] > 1
        if not counted:
            of_adults = self._by_area(self._grouped(by_part)[0])
            minors = (self.counts.adults + _FEW) / (of_adults + _FEW)
        for _ in range(rounds):
            by_part = replace(by_part, adults=adults[self.area], minors=minors[self.area], weight=weight)
            of_adults, of_minors = self._grouped(by_part)
            adults = adults * self._toward(self.counts.adults, of_adults)
            if counted:
                minors = minors * _apart(self._toward(self.counts.minors, _together(of_minors)))
            else:
                minors = minors * self._toward(self.counts.minors, of_minors.sum(axis=1, keepdims=True))
            by_part = replace(by_part, adults=adults[self.area], minors=minors[self.area])
            living = sum(of.sum(axis=1) for of in self._grouped(by_part))
            weight = weight * _ratio(self._fitted_residents, np.asarray(living))
        return replace(by_part, weight=weight)

    def stored(self, factors: Composition) -> pd.DataFrame:
        """Return factors as the columns of a file, with weights that are fitted to the others as stored."""
        codes = as_bytes(np.hstack([factors.ages, factors.adults, factors.minors]))
        weight = factors.weight
        for _ in range(_ROUNDS_OF_WEIGHTS):
            stored = replace(Composition.of_bytes(codes, as_weights(weight)), weight=weight)
            weight = weight * _ratio(self._fitted_residents, self.living(stored).sum(axis=1))
        return pd.DataFrame(codes, columns=BYTE_COLUMNS).assign(weight=as_weights(weight))

    def living(self, factors: Composition) -> FloatArray:
        """Return the people of each class of each part; shape (parts, 77)."""
        living: FloatArray = self.people[self.county] * factors.chances(self.county, self._share)
        return living

    def _grouped(self, factors: Composition) -> tuple[FloatArray, FloatArray]:
        """Return the adults and the minors of each part by group; shape (parts, 7) each."""
        living = self.living(factors).reshape(-1, len(AGE_STARTS), len(GROUPS))
        return living[:, ADULT_AGES:].sum(axis=1), living[:, :ADULT_AGES].sum(axis=1)

    def _toward(self, counted: FloatArray, living: FloatArray) -> FloatArray:
        """Return by what to multiply those living in the parts of each area to come nearer to its count.

        ``counted``: shape (areas, columns); ``living``: shape (parts, columns). The counts of the areas of a county
        are first scaled, as one, to the county's people, which are kept.
        """
        ratio = _ratio(counted, self._by_area(living))[self.area]
        own, here = self._by_county(ratio * living), self._by_county(living)
        scale = np.where(here > 0, own / np.where(here > 0, here, 1.0), 1.0)
        return _ratio(counted, self._by_area(living * scale[self.county]))

    @cached_property
    def _of_ages(self) -> FloatArray:
        """Factor of each age of each area, from the survey; shape (areas, 11)."""
        survey = self.counts.ages
        part_of_area = (self.residents / self._by_area(self.residents[:, None])[self.area, 0])[:, None]
        mix = self._by_county(survey[self.area] * part_of_area)
        mix /= np.maximum(mix.sum(axis=1, keepdims=True), 1.0)
        expected = self._by_area(mix[self.county] * part_of_area)
        expected /= np.where(expected.sum(axis=1, keepdims=True) > 0, expected.sum(axis=1, keepdims=True), 1.0)
        expected *= survey.sum(axis=1, keepdims=True)
        of_ages: FloatArray = (survey / DESIGN_EFFECT + PRIOR) / (expected / DESIGN_EFFECT + PRIOR)
        return of_ages

    @cached_property
    def _share(self) -> FloatArray:
        """The share of each part of the counted people of its county."""
        share: FloatArray = self.residents / self._by_county(self.residents[:, None])[self.county, 0]
        return share

    @cached_property
    def _fitted_residents(self) -> FloatArray:
        """People of each part, those of the county who live in no area included."""
        residents: FloatArray = self._share * self.people.sum(axis=1)[self.county]
        return residents

    def _by_area(self, of_parts: FloatArray) -> FloatArray:
        return _summed(of_parts, self.area, len(self.counts.zip5))

    def _by_county(self, of_parts: FloatArray) -> FloatArray:
        return _summed(of_parts, self.county, len(self.people))


def _summed(values: FloatArray, place: IntArray, many: int) -> FloatArray:
    columns = [np.bincount(place, weights=column, minlength=many) for column in values.T]
    return np.stack(columns, axis=1)


def _ratio(counted: FloatArray, living: FloatArray) -> FloatArray:
    """Return counted over living; 0 where nobody lives."""
    ratio: FloatArray = np.divide(counted, living, out=np.zeros_like(living), where=living > 0)
    return ratio


def _apart(groups: FloatArray) -> FloatArray:
    """Return the value of the last group twice."""
    return np.column_stack([groups, groups[:, -1]])


def make_composition(tables: Path, folder: Path | None = None) -> list[Path]:
    """Write the factors of both censuses and their entries in the manifest; return the paths."""
    home, paths = folder or data_dir(), []
    for year, name in COUNTS.items():
        population, parts = load_shipped(f"us-{year}"), zip_parts(f"us-{year}")
        fit, parts = CompositionFit.of(population, parts, AreaCounts.read(tables, year))
        table = pd.concat([parts[["county", "zip5", "people"]], fit.stored(fit.factors())], axis=1)
        # the largest part of an area first: a place that the census did not have takes its factors
        table = table.sort_values(["zip5", "people"], ascending=[True, False], kind="stable", ignore_index=True)
        path = home / "zip" / f"zcta_composition_{year}.parquet"
        replace_file(path, table.drop(columns="people").to_parquet(index=False, **_WRITER))
        _describe(path, year, [tables / name, tables / AGES])
        paths.append(path)
    return paths


_WRITER: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 19,
    "use_dictionary": ["county"],
    "column_encoding": {"zip5": "DELTA_BYTE_ARRAY"},
}


def _describe(path: Path, year: int, sources: list[Path]) -> None:
    facts = {
        "title": f"How people of each age and group live in the parts of ZIP code areas in a county, Census {year}",
        "publisher": "U.S. Census Bureau (counts); policy_sim (fit)",
        "file": f"zip/{path.name}",
        **shipped_table("population_recipes.toml")["zip_composition"][str(year)],
        "sha256": sha256_of(path),
        "sources": [f"{source.name} (sha256 {sha256_of(source)})" for source in sources],
    }
    update_manifest(path.parents[1], "zip", path.stem, facts)
