"""How far the fit of a population moves each measure, as facts that ship with the project.

:mod:`policy_sim.building.recipes` measures them; a recipe may have been compared with several states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from policy_sim.files.toml import shipped_table
from policy_sim.model.measure import Measure, reach
from policy_sim.people.population import Provenance
from policy_sim.words.fields import Field, Granularities, is_area, race_comparison, shows_ethnicity

# A key is judged by the measured key of its kind: where its own granularity was not measured, by the one whose error
# is at least as large.
_BIRTH = {"date": "date", "month": "month", "year": "year", "five_years": "five_years", "decade": "five_years"}
_RACE = {
    "none": "none",
    "broad": "value",
    "five_races": "value",
    "value": "value",
    "broad_race_ethnicity": "race_ethnicity",
    "hcup": "race_ethnicity",
    "race_ethnicity": "race_ethnicity",
}
_PLACE = {
    "nation": "state",
    "state": "state",
    "county": "county",
    "zip3": "zip3",
    "zip5": "county_zip5",
    "county_zip3": "county_zip3",
    "county_zip5": "county_zip5",
}
DECLARED_PLACES = tuple(dict.fromkeys(_PLACE.values()))
_DRAWN_BY_ZIP, _COMPOSED = "-zip", "-zcta"
# Places whose errors, the larger of them, stand for those by ZIP code where a recipe was not measured there.
_NEAREST = {"county_zip3": ("county", "county_zip5"), "county_zip5": ("county",), "zip3": ("county", "state")}


@dataclass(frozen=True)
class ModelError:
    """Relative error of one measure of some populations on one linkage key, and where it was measured.

    ``relative`` is what the fit gives over what was counted, less 1.
    """

    populations: tuple[str, ...]
    key: str
    measure: str
    relative: float
    measured: str

    @property
    def releases(self) -> Granularities:
        """The linkage key measured."""
        return Granularities.parse(self.key)


@cache
def model_errors() -> tuple[ModelError, ...]:
    """Return every measured error (``data/model_error.toml``)."""
    facts = shipped_table("model_error.toml")
    return tuple(
        ModelError(tuple(error["populations"]), key, measure, relative, error["measured"])
        for error in facts["error"]
        for key, measures in error["relative"].items()
        for measure, relative in measures.items()
    )


@cache
def largest_errors(population: str) -> tuple[ModelError, ...]:
    """Return the error of largest size of each key and measure of one population; none if it was not measured."""
    largest: dict[tuple[str, str], ModelError] = {}
    for error in model_errors():
        name = error.key, error.measure
        if population in error.populations and (
            name not in largest or abs(error.relative) > abs(largest[name].relative)
        ):
            largest[name] = error
    return tuple(largest.values())


@cache
def held_out_coverage(population: str) -> tuple[int, int, int]:
    """Return how often twice the largest error of the other states held out reached a state's error.

    Returns errors inside, errors compared (each measure of each state and key without ethnicity, which not every state
    was counted by), and states held out. None is compared where one state alone was held out.

    >>> held_out_coverage("us-2020"), held_out_coverage("us-2000")
    ((285, 374, 3), (0, 0, 1))
    """
    by_state: dict[str, dict[tuple[str, str], float]] = {}
    for error in model_errors():
        if population in error.populations and not shows_ethnicity(error.releases):
            by_state.setdefault(error.measured, {})[error.key, error.measure] = abs(error.relative)
    inside = compared = 0
    for state, errors in by_state.items():
        others = [other for name, other in by_state.items() if name != state]
        for name, size in errors.items():
            other_errors = [other[name] for other in others if name in other]
            compared += bool(other_errors)
            inside += bool(other_errors) and size <= reach(1.0) * max(other_errors)
    return inside, compared, len(by_state)


def declared_key(key: Granularities) -> Granularities | None:
    """Return the measured key that stands for a linkage key, or None where none does.

    None where the key shows no birth, race or ethnicity (its people are counted), or a place that no key was measured
    by. Areas have the errors of the ZIP codes that they are made of. A key that compares race record by record stands
    between keys; that with Hispanic as an answer stands for it.

    >>> str(declared_key(Granularities(race="value", birth="decade", geography="zip5")))
    'gender+race+birth=five_years+geography=county_zip5'
    >>> str(declared_key(Granularities(race="broad", ethnicity="value", geography="state")))
    'gender+race+ethnicity+birth=five_years+geography=state'
    >>> declared_key(Granularities(gender="value", geography="county")) is None
    True
    """
    shown = key[Field.GEOGRAPHY]
    birth, place = key[Field.BIRTH], _PLACE["zip5"] if is_area(shown) else _PLACE.get(shown)
    comparison = race_comparison(key)
    race = _RACE[key[Field.RACE] if comparison is None else "race_ethnicity"]
    ethnicity = key[Field.ETHNICITY]
    if place is None or {birth, race, ethnicity} == {"none"}:
        return None
    birth = _BIRTH.get(birth, "five_years")
    return Granularities(gender="value", race=race, ethnicity=ethnicity, birth=birth, geography=place)


@dataclass(frozen=True)
class ModelErrors:
    """The measured errors of one population, by linkage key, state and measure.

    ``by_key``: measured key, then measure, to the largest error of the states held out (a share of the figure, >= 0).
    ``counted``: states (postal codes) whose cells are all counted: nothing is modeled there.
    """

    by_key: Mapping[Granularities, Mapping[Measure, float]]
    counted: tuple[str, ...] = ()

    def relative(self, key: Granularities, state: str, measure: Measure) -> float:
        """Return the relative error of a figure, >= 0; 0 where it is counted, or where no error was measured.

        A group size that was not measured has the error of the next smaller that was, or of the smallest.
        """
        declared = None if state in self.counted else declared_key(key)
        errors = self.measured(declared) if declared is not None else {}
        if measure.g is None or measure in errors:
            return errors.get(measure, 0.0)
        sizes = sorted(error.g for error in errors if error.g is not None)
        nearest = max((size for size in sizes if size <= measure.g), default=sizes[0] if sizes else None)
        return 0.0 if nearest is None else errors[Measure.distinct(nearest)]

    def measured(self, key: Granularities) -> Mapping[Measure, float]:
        """Return the errors of a declared key; by ZIP code, where none was measured, the largest of the nearest."""
        if key in self.by_key:
            return self.by_key[key]
        granularities = {field.value: name for field, name in key.items()}
        coarser = [
            Granularities({**granularities, "geography": place}) for place in _NEAREST.get(key[Field.GEOGRAPHY], ())
        ]
        errors_known = [self.by_key[other] for other in coarser if other in self.by_key]
        return {
            measure: max(errors.get(measure, 0.0) for errors in errors_known)
            for measure in {name for e in errors_known for name in e}
        }


@cache
def errors_of(population: Provenance) -> ModelErrors | None:
    """Return the measured errors of a population, or None where none of it is modeled or none was measured."""
    largest = largest_errors(population.name.removesuffix(_DRAWN_BY_ZIP).removesuffix(_COMPOSED))
    if not largest or not population.modeled:
        return None
    by_key: dict[Granularities, dict[Measure, float]] = {}
    for error in largest:
        by_key.setdefault(error.releases, {})[Measure.of(error.measure)] = abs(error.relative)
    return ModelErrors(MappingProxyType(by_key), population.counted_ages)
