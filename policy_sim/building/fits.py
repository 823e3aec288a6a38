"""How each shipped population is fitted to its tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policy_sim.building.ages import YEARS, deal_ages, split_open_age, state_ages, with_origin
from policy_sim.building.official_tables import HISPANIC, AgePatterns, Decennial, StateTables
from policy_sim.building.rounding import Margin, draw_rows, fit_margins, round_rows, settle_columns
from policy_sim.formulas.groups import Groups, total_risk
from policy_sim.people.merge import AGE_WIDTHS, AGES, CLASS_STARTS, class_of_age
from policy_sim.words.arrays import FloatArray, IntArray

_SEED = 20100401  # any number works, but it must not change


def state_rng(name: str, state: str) -> np.random.Generator:
    """Return the random generator of one state (FIPS code) of one population."""
    year = int(name.rpartition("-")[2])
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([_SEED, year, int(state)])))


# Fit the population of a state to redistricting counts, ages by sex, and older ages of each race (2020).
#
# Redistricting counts give the people of each origin and race under 18, and of 18 and over. Population estimates give
# the people of each sex and year of age in the county. Older estimates give the age distribution of each race. The fit
# carries these distributions to the day of the census and adjusts them to the counts and the estimates. No joint cell
# of sex, age and race is a count.


ADULT = 18
# Years of age of the people under 18, and of the others.
HALVES = (slice(0, ADULT), slice(ADULT, YEARS))
# The fit adds this many people of the state's pattern to every county's pattern, so that it can fit a
# group that the county's estimate lacks.
_PRIOR_PEOPLE = 0.5


@dataclass(frozen=True)
class Redistricting(StateTables):
    """The facts about the counties of a state.

    ``counted``: people under 18, and of 18 and over, by origin and race, shape (counties, 2 halves, 2 origins, 7).
    ``ages``: people by sex and year of age, in any unit, shape (counties, 2, 86). ``pattern``: distribution of sex and
    age in each origin and race, in any unit, shape (counties, 2, 7, 2, 86). ``open_shares``: as in ``AgePatterns``.
    """

    counted: IntArray
    ages: FloatArray
    pattern: FloatArray
    open_shares: FloatArray


def expected_people(tables: Redistricting, ages: IntArray) -> FloatArray:
    """Fit the pattern to the counts and to whole ages, in people; shape (counties, 2 origins, 7 races, 2, 86)."""
    of_state = tables.pattern.sum(axis=0)
    prior = _PRIOR_PEOPLE * of_state / of_state.sum(axis=(2, 3), keepdims=True)
    every = slice(None)
    halves = [
        Margin(tables.counted[:, half, ..., None, None], (every, every, every, every, years))
        for half, years in enumerate(HALVES)
    ]
    return fit_margins(tables.pattern + prior, [*halves, Margin(ages[:, None, None])], tolerance=0.05)


def people_by_origin(tables: Redistricting, rng: np.random.Generator) -> IntArray:
    """Draw whole people; shape (counties, 2 origins, 7 races, 2, 86).

    The totals of every county, origin, race and half are exact, and so are those of every county, sex and year of age
    (rounded to fit the counts of both halves).
    """
    ages = whole_ages(tables.ages, tables.counted.sum(axis=(2, 3)), rng)
    expected = expected_people(tables, ages)
    parts = []
    for half, years in enumerate(HALVES):
        cells = np.moveaxis(expected[..., years].reshape(len(expected), 14, -1), 1, -1)
        rows = ages[..., years].reshape(len(expected), -1)
        drawn = draw_rows(cells, rows, rng)
        settled = settle_columns(drawn, cells, tables.counted[:, half].reshape(-1, 14))
        parts.append(np.moveaxis(settled, -1, 1).reshape(*expected.shape[:4], -1))
    return np.concatenate(parts, axis=-1)


def fit_redistricting(tables: Redistricting, rng: np.random.Generator) -> IntArray:
    """Return whole people by origin, county, sex, age and race; shape (2, counties, 2, 103 ages, 7)."""
    by_origin = np.moveaxis(people_by_origin(tables, rng), (1, 2), (0, -1))
    return _with_open_age(by_origin, tables.open_shares, rng)


def _with_open_age(by_origin: IntArray, open_shares: FloatArray, rng: np.random.Generator) -> IntArray:
    """Divide 85 and over into the 18 ages; from shape (2 origins, counties, 2, 86, 7) to (2, counties, 2, 103, 7).

    The ages are drawn with the origins added up, which have one pattern.
    """
    people = split_open_age(by_origin.sum(axis=0), open_shares, rng)
    return with_origin(people, by_origin[HISPANIC], np.arange(YEARS), rng.spawn(1)[0])


def whole_ages(ages: FloatArray, halves: IntArray, rng: np.random.Generator) -> IntArray:
    """Round people by sex and year of age, scaled to the people under 18 and of 18 and over.

    ``ages`` has the shape (counties, 2, 86), ``halves`` the shape (counties, 2).
    """
    parts = [
        round_rows(ages[..., years].reshape(len(ages), -1), halves[:, half], rng).reshape(len(ages), 2, -1)
        for half, years in enumerate(HALVES)
    ]
    return np.concatenate(parts, axis=-1)


# Fit the population of a state to the Bureau's estimates of a later July, from an older joint table (2022).
#
# The estimates give three margins in every county: sex by five-year age, sex by race, and sex by Hispanic origin. Their
# six races have no "some other race". The fit takes the joint distribution from the older table and meets the margins
# in six races. Then it gives every person one of the census's seven races, in the proportions of the older table.


AGE_STARTS = tuple(range(0, 90, 5))
# Races of the estimates: the census's seven without "some other race".
SIX_RACES = ("white", "black", "aian", "asian", "nhpi", "multiple")
_SEVEN_OF_SIX = (0, 1, 2, 3, 4, 6)
_OTHER, _MULTIPLE = 5, 6
_AGES = tuple(slice(start, end) for start, end in zip(AGE_STARTS, (*AGE_STARTS[1:], YEARS), strict=True))
# The races that the estimates give people of "some other race", and of two or more, by origin (Hispanic, not
# Hispanic): shares of white, of two or more, and of the races of the county. The county's own figures adjust them.
_MOVED = {_OTHER: ((0.9, 0.02, 0.08), (0.6, 0.1, 0.3)), _MULTIPLE: ((0.85, 0.1, 0.05), (0.3, 0.6, 0.1))}
_NOT_MOVED = 0.99


@dataclass(frozen=True)
class Estimates(StateTables):
    """The facts about the counties of a state: people by sex and five-year age, race of the estimates, and origin.

    Shapes (counties, 2, 18), (counties, 2, 6) and (counties, 2, 2 origins). ``pattern``: the older joint table, grown
    older, shape (counties, 2 origins, 7 races, 2 sexes, 86). ``six``: share of each race of the estimates among the
    people of each origin and census race, shape (counties, 2, 7, 6). ``open_shares``: as in ``AgePatterns``.
    """

    ages: IntArray
    races: IntArray
    origins: IntArray
    pattern: FloatArray
    six: FloatArray
    open_shares: FloatArray


def six_of_seven(seven: FloatArray, six: FloatArray) -> FloatArray:
    """Return the share of each census race that the estimates put into each of their races; shape (counties, 2, 7, 6).

    ``seven``: people by origin and census race, shape (counties, 2, 7). ``six``: people by race of the estimates at
    about the same date, in any unit, shape (counties, 6).
    """
    shares = (six + _PRIOR_PEOPLE) / (six + _PRIOR_PEOPLE).sum(axis=1, keepdims=True)
    seed = np.zeros((*seven.shape, len(SIX_RACES)))
    for place, race in enumerate(_SEVEN_OF_SIX):
        seed[:, :, race, place] = _NOT_MOVED
        seed[:, :, race, -1] += 1 - _NOT_MOVED
    for race, by_origin in _MOVED.items():
        for origin, (white, multiple, rest) in enumerate(by_origin):
            seed[:, origin, race] = rest * shares
            seed[:, origin, race, 0] += white
            seed[:, origin, race, -1] += multiple
    positive = seven[..., None] + 1e-3
    people = shares * positive.sum(axis=(1, 2))
    fitted = fit_margins(seed * positive, [Margin(people[:, None, None]), Margin(positive)], tolerance=1.0)
    return np.asarray(fitted / fitted.sum(axis=-1, keepdims=True))


def people_in_six_races(tables: Estimates, rng: np.random.Generator) -> IntArray:
    """Draw whole people; shape (counties, 2 sexes, 86, 2 origins, 6 races).

    The totals by county, sex and five-year age, by county, sex and race, and by county, sex and origin are exact.
    """
    expected = _expected(tables)
    counties = len(expected)
    cells = np.moveaxis(expected, (3, 4), (1, 2))  # counties, sexes, ages, origins, races
    by_age = cells.sum(axis=(3, 4))
    rows = np.concatenate(
        [round_rows(by_age[..., part] + 1e-9, tables.ages[..., i], rng) for i, part in enumerate(_AGES)], axis=-1
    )
    columns = _origin_by_race(cells.sum(axis=2), tables, rng)
    cells = cells.reshape(counties * 2, YEARS, -1)
    drawn = draw_rows(cells, rows.reshape(counties * 2, YEARS), rng)
    settled = settle_columns(drawn, cells, columns.reshape(counties * 2, -1))
    return settled.reshape(counties, 2, YEARS, 2, len(SIX_RACES))


def _prior(pattern: FloatArray) -> FloatArray:
    """Add half a person of the state's pattern to every origin and race, so that every combination is possible."""
    of_state = pattern.sum(axis=0) + 1e-6
    return np.asarray(pattern + _PRIOR_PEOPLE * of_state / of_state.sum(axis=(2, 3), keepdims=True))


def _expected(tables: Estimates) -> FloatArray:
    """Fit the older table to the margins; shape (counties, 2 origins, 6 races, 2 sexes, 86)."""
    pattern = np.einsum("corsa,corx->coxsa", _prior(tables.pattern), tables.six)
    every = slice(None)
    ages = [
        Margin(tables.ages[:, None, None, :, i, None], (every, every, every, every, part))
        for i, part in enumerate(_AGES)
    ]
    races = Margin(np.moveaxis(tables.races, 1, 2)[:, None, :, :, None])
    origins = Margin(np.moveaxis(tables.origins, 1, 2)[:, :, None, :, None])
    return fit_margins(pattern, [races, origins, *ages], tolerance=0.05)


def _origin_by_race(expected: FloatArray, tables: Estimates, rng: np.random.Generator) -> IntArray:
    """Round origin by race in each county and sex, with both margins exact; shape (counties, 2 sexes, 2, 6)."""
    cells = np.moveaxis(expected, 2, 3).reshape(-1, len(SIX_RACES), 2) + 1e-9
    rounded = round_rows(cells, tables.races.reshape(-1, len(SIX_RACES)), rng)
    settled = settle_columns(rounded, cells, tables.origins.reshape(-1, 2))
    return np.moveaxis(settled.reshape(*tables.races.shape, 2), 3, 2)


def fit_estimates(tables: Estimates, rng: np.random.Generator) -> IntArray:
    """Return whole people by origin, county, sex, age and race; shape (2, counties, 2, 103 ages, 7)."""
    six = people_in_six_races(tables, rng)
    pattern = np.moveaxis(_prior(tables.pattern), (3, 4), (1, 2))  # counties, sexes, ages, origins, seven races
    people = np.zeros((*six.shape[:4], 7), dtype=np.int64)
    for place in range(len(SIX_RACES)):
        odds = pattern * tables.six[:, None, None, ..., place] + 1e-12
        people += draw_rows(odds, six[..., place], rng)
    return _with_open_age(np.moveaxis(people, 3, 0), tables.open_shares, rng)


# Fit the population of a state to the counts of a census (2000 or 2010).
#
# The census counts White alone and Black alone by county, sex and 23 age classes. The fit divides the rest of each cell
# among the other five races by iterative proportional fitting. It starts from the state's age pattern of each race and
# meets all other counts (origin by age, race by origin). Then it draws whole people, and then single years of age.


# The fit adds this many people of the national pattern to a state's own, so that a small group gets the nation's.
_DECENNIAL_PRIOR_PEOPLE = 20.0
# Number of draws, of which the fit returns the median; odd.
_DRAWS = 25
_WHITE, _BLACK = 0, 1


def pattern_by_class(patterns: AgePatterns) -> FloatArray:
    """Return the age distribution of a state by origin and race, in people; shape (2 origins, 7, 2, 23).

    The state's coarser ages are divided into the 23 classes as in the nation. Hispanics of each race have the coarser
    ages of the state's Hispanics, and inside these the ages of the nation's Hispanics of that race. The estimates
    lack "some other race" that is not Hispanic; it gets the ages of two or more races.
    """
    state = np.stack([np.repeat(patterns.classes[:1], 7, axis=0), patterns.classes[1:]])
    state[1, _OTHER] = state[1, _MULTIPLE]
    classes = patterns.nation @ np.eye(len(CLASS_STARTS))[class_of_age(np.arange(86))]
    coarse_of_class = class_of_age(CLASS_STARTS, patterns.class_starts)
    coarse = classes @ np.eye(len(patterns.class_starts))[coarse_of_class]
    prior = _DECENNIAL_PRIOR_PEOPLE * coarse / coarse.sum(axis=(2, 3), keepdims=True)
    return np.asarray((state + prior)[..., coarse_of_class] * classes / coarse[..., coarse_of_class])


def expected_small_races(census: Decennial) -> FloatArray:
    """Divide those neither White nor Black alone by race, in people; shape (counties, 2, 23, 5 races)."""
    not_white = pattern_by_class(census.patterns)[None, :, 1:].repeat(len(census.counties), axis=0)
    hispanic = census.hispanic - (census.white - census.white_not_hispanic)
    others = census.everyone - census.hispanic - census.white_not_hispanic
    rest = census.everyone - census.white - census.black
    every = slice(None)
    fitted = fit_margins(
        not_white,
        [
            Margin(census.race_origin[:, :, 1:, None, None]),
            Margin(np.stack([hispanic, others], axis=1)[:, :, None]),
            Margin(census.black[:, None, None], (every, every, slice(0, 1))),
            Margin(rest[:, None, None], (every, every, slice(1, None))),
        ],
    )
    return np.moveaxis(fitted[:, :, 1:].sum(axis=1), 1, -1)


def people_by_class(census: Decennial, rng: np.random.Generator, expected: FloatArray | None = None) -> IntArray:
    """Return whole people by county, sex, age class and race; shape (counties, 2, 23, 7).

    The totals of everyone, White and Black by county, sex and class are exact, and so are those of each race by
    county. The other people are drawn person by person: rounding would leave too few small cells empty, and so too
    many people alone in their cells. ``expected`` is the result of :func:`expected_small_races`, if it is already
    computed.
    """
    rest = census.everyone - census.white - census.black
    small_races = expected_small_races(census) if expected is None else expected
    expected = small_races.reshape(len(census.counties), -1, 5)
    drawn = draw_rows(expected, rest.reshape(len(expected), -1), rng)
    small = settle_columns(drawn, expected, census.race_origin.sum(axis=1)[:, 2:])
    return np.concatenate([census.white[..., None], census.black[..., None], small.reshape(*rest.shape, 5)], axis=-1)


def fit_decennial(census: Decennial, rng: np.random.Generator) -> IntArray:
    """Return whole people by origin, county, sex, age and race; shape (2, counties, 2, 103 ages, 7).

    The function draws them without origin several times, and divides the median draw between the origins: the median
    by the number of people that a match on sex, race and year of birth in the state would identify. That figure
    depends on the few people of the oldest ages in small races, and varies by up to 1% between draws.
    """
    expected, drawn = expected_small_races(census), []
    for _ in range(_DRAWS):
        people = people_by_class(census, rng, expected)
        drawn.append((people, _ages_of(census, people, rng)))
    people, ages = sorted(drawn, key=lambda draw: _occupied_years(draw[1]))[_DRAWS // 2]
    return by_origin_of_census(census, people, deal_ages(people, ages, rng), rng)


def with_ages(census: Decennial, people: IntArray, rng: np.random.Generator) -> IntArray:
    """Divide people by age class, drawn or counted, into origins and single ages; shape (2, counties, 2, 103, 7).

    A table by origin and the 103 ages stays as it is.
    """
    if people.shape[-2] == len(AGES):
        return people
    aged = deal_ages(people, _ages_of(census, people, rng), rng)
    return by_origin_of_census(census, people, aged, rng)


def _ages_of(census: Decennial, people: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw single ages for the state's people by age class; shape (2, 103, 7)."""
    patterns = census.patterns
    return state_ages(people.sum(axis=0), patterns.years, patterns.nation.sum(axis=0), patterns.open_shares, rng)


def by_origin_of_census(census: Decennial, people: IntArray, aged: IntArray, rng: np.random.Generator) -> IntArray:
    """Divide people by single age between the origins; shape (2 origins, ...).

    ``people``, ``aged``: the same people by the 23 classes and by the 103 ages.
    """
    own = rng.spawn(1)[0]
    return with_origin(aged, hispanics_by_class(census, people, own), CLASS_STARTS, own)


# Added to the expected Hispanics of every cell with people, so that a Hispanic is possible there.
_LEAST = 1e-6


def hispanics_by_class(census: Decennial, people: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw how many people of each cell of county, sex, age class and race are Hispanic; shape of ``people``.

    The cells stay as they are. Tables P12A and P12I count the White. For the others, the Hispanics of every race of the
    county are exact (P8 of 2000, P5 of 2010), and those of every county, sex and class (P12H) as far as the races that
    were drawn there allow: of 50 million Hispanics of 2010, 1,330 are in another class.

    ``people``: shape (counties, 2, 23, 7), with the people of each class and the races of each county as counted.
    """
    white = census.white - census.white_not_hispanic
    others, of_class = people[..., 1:], census.hispanic - white
    expected = _expected_hispanics(census, others, of_class)
    many = len(people), -1, others.shape[-1]
    cells = others.reshape(many)
    hopes = np.where(cells > 0, expected.reshape(many) + _LEAST, 0.0)
    odds = np.stack([hopes, np.where(cells > 0, cells - expected.reshape(many) + _LEAST, 0.0)], axis=-1)
    both = np.stack([of_class, others.sum(axis=-1) - of_class], axis=-1)
    in_class = settle_columns(
        draw_rows(odds, cells, rng).reshape(-1, *odds.shape[2:]), odds.reshape(-1, *odds.shape[2:]), both.reshape(-1, 2)
    )
    drawn = in_class[..., HISPANIC].reshape(many)
    settled = settle_columns(drawn, hopes, census.race_origin[:, HISPANIC, 1:], cells, keep_rows=False)
    return np.concatenate([white[..., None], settled.reshape(others.shape)], axis=-1)


def _expected_hispanics(census: Decennial, people: IntArray, of_class: IntArray) -> FloatArray:
    """Return the expected Hispanics of each cell of those who are not White; shape of ``people``.

    ``people``: shape (counties, 2, 23, 6 races). ``of_class``: their Hispanics, shape (counties, 2, 23).
    """
    fitted = fit_margins(
        pattern_by_class(census.patterns)[None, :, 1:].repeat(len(people), axis=0),
        [
            Margin(census.race_origin[:, :, 1:, None, None]),
            Margin(np.stack([of_class, people.sum(axis=-1) - of_class], axis=1)[:, :, None]),
            Margin(np.moveaxis(people, -1, 1)[:, None]),
        ],
    )
    return np.moveaxis(fitted[:, HISPANIC], 1, -1)


def _occupied_years(of_state: IntArray) -> float:
    """Return the expected number of years of birth with somebody of each sex and race in a state; shape (2, 103, 7)."""
    widths = np.broadcast_to(AGE_WIDTHS[:, None], of_state.shape)
    return float(total_risk(Groups.of(of_state.ravel(), widths.ravel()))[0])
