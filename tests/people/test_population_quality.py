"""The shipped populations against what was counted and printed: independent formulas, plain numpy.

The limits of the method and of the paper's figures were set before any was computed; the others are exact, or derived
where they stand. The second half needs nothing but the small official tables that ship with the tests: counts that the
fit promises to meet are exact, and so is Texas in 2000 and 2010, whose joint table ships. The limits for Texas in 2020,
whose ages by race went into no population, are the measured errors rounded up: they keep them from growing.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest
from official_tables import FOLDER, official
from pinned import made_again
from scipy.stats import binom

from benchmarks.held_out import (
    as_redistricting,
    kentucky_errors,
    like_ages_of,
    notes_of_decennial,
    notes_of_redistricting,
)
from policy_sim.building.fits import people_by_class, state_rng
from policy_sim.building.official_tables import read_decennial, read_race_origin
from policy_sim.building.recipes import fit_states
from policy_sim.building.tables import JOINT_TABLES, joint_of_year, read_counted, read_margins
from policy_sim.people.by_name import load_population
from policy_sim.people.census.tables import NOISE_NOTE
from policy_sim.people.county_tables import county_table
from policy_sim.people.facts import published
from policy_sim.people.merge import AGE_WIDTHS, AGES, CLASS_STARTS, class_of_age
from policy_sim.people.population import RACES, SEXES
from policy_sim.people.store import list_populations, population_facts
from policy_sim.words.states import STATES

POSTAL = {state.fips: state.postal for state in STATES.values()}
WIDTHS = AGE_WIDTHS[:, None]

YEARS_OF_CLASS = np.append(np.diff(CLASS_STARTS), 15)


@cache
def people_of(name):
    """Counties (sorted), and people by county, sex, age and race."""
    cells = load_population(name).cells
    return in_counties(cells, cells["people"])


@cache
def hispanics_of(name):
    """Counties (sorted), and Hispanics by county, sex, age and race."""
    cells = load_population(name).with_ethnicity.cells
    return in_counties(cells, cells["people"].where(cells["ethnicity"] == "hispanic", 0))


def in_counties(cells, values):
    counties = sorted(cells["county"].cat.categories)
    axes = [
        cells["county"].cat.set_categories(counties).cat.codes.to_numpy(np.int64),
        cells["sex"].cat.set_categories(SEXES).cat.codes.to_numpy(np.int64),
        np.searchsorted(AGES, cells["age"].to_numpy()),
        cells["race"].cat.set_categories(RACES).cat.codes.to_numpy(np.int64),
    ]
    people = np.zeros((len(counties), 2, 103, 7), dtype=np.int64)
    np.add.at(people, tuple(axes), values.to_numpy())
    return counties, people


def state_people(year, fips, of=people_of):
    """Counties of a state (sorted), and its people by county, sex, age and race."""
    counties, people = of(f"us-{year}")
    held = [county.startswith(fips) for county in counties]
    return [county for county, is_held in zip(counties, held, strict=True) if is_held], people[held]


def state_part(name, fips):
    return state_people(name[-4:], fips)[1]


def by_class(people):
    return np.einsum("csar,ak->cskr", people, np.eye(23, dtype=np.int64)[class_of_age(AGES)])


def total_risk(people: np.ndarray, bins: np.ndarray | int, cells: np.ndarray | int = 1) -> float:
    """MODEL.md section 4: b (1 - (1 - 1/b)^n), over groups that occur ``cells`` times."""
    bins = np.broadcast_to(bins, people.shape).astype(float)
    filled = bins * -np.expm1(people * np.log1p(-1 / np.maximum(bins, 2)))
    return float((cells * np.where(bins == 1, people > 0, filled)).sum())


def g_distinct(people, bins, g=1, cells=1):
    """MODEL.md section 3: n BinomCDF(g - 1; n - 1, 1/b), over groups that occur ``cells`` times."""
    return float((cells * people * binom.cdf(g - 1, np.maximum(people - 1, 0), 1 / np.asarray(bins))).sum())


# --- the method, on Kentucky, whose joint table is known


@pytest.fixture(scope="module")
def kentucky(shared):
    census = read_decennial(shared / "census", 2010)["21"]
    counted = joint_of_year(shared / "census", 2010)["21"]
    return people_by_class(census, state_rng("us-2010", "21")), counted


@pytest.mark.slow
def test_kentucky_has_at_most_half_a_percent_in_a_wrong_cell(kentucky):
    fitted, counted = kentucky
    assert counted.sum() == fitted.sum() == 4_339_367
    assert np.abs(fitted - counted).sum() / 2 / counted.sum() <= 0.005


@pytest.mark.parametrize(("bins_a_year", "limit"), [(365, 0.001), (1, 0.025)], ids=["date", "year"])
def test_kentucky_has_the_risk_of_the_real_table(kentucky, bins_a_year, limit):
    # Birth dates (years) are equally likely inside a class on both sides: 365 (1) bins a year of age.
    fitted, counted = kentucky
    bins = (YEARS_OF_CLASS * bins_a_year)[:, None]
    for measure in (total_risk, g_distinct, lambda n, b: g_distinct(n, b, 5)):
        assert measure(fitted, bins) == pytest.approx(measure(counted, bins), rel=limit)


@pytest.mark.slow
def test_closeness_that_the_manifest_prints_is_this_one(kentucky, shared):
    fitted, counted = kentucky
    misplaced, errors = kentucky_errors(shared / "census")
    unique = errors["gender+race+birth=date+geography=county", "1-distinct"]
    bins = (YEARS_OF_CLASS * 365)[:, None]
    assert misplaced == pytest.approx(np.abs(fitted - counted).sum() / 2 / counted.sum())
    assert unique == pytest.approx(g_distinct(fitted, bins, 1) / g_distinct(counted, bins, 1) - 1, abs=1e-9)
    notes = {name: facts["notes"] for name, facts in population_facts().items()}
    measured = [*notes_of_decennial(shared / "census")]
    assert f"{misplaced:.2%}" in measured[0]
    assert notes["us-2000"][-3:] == notes["us-2010"][-3:] == measured
    assert notes["us-2020"][-2:] == [*notes_of_redistricting(shared / "census")]


def fewest_and_most(people, hispanics, bins, both):
    """Ends of a cell's bins with somebody over every choice of so many Hispanics among the people of its races.

    ``both``: Hispanics of each race are a group of their own; otherwise one group, which is left out.
    """
    ends = np.full((2, hispanics + 1), [[np.inf], [-np.inf]])
    ends[:, 0] = 0
    for n in people:
        taken = np.arange(min(n, hispanics) + 1)
        occupied = bins * (1 - (1 - 1 / bins) ** (n - taken)) + both * bins * (1 - (1 - 1 / bins) ** taken)
        before, ends = ends, np.full((2, hispanics + 1), [[np.inf], [-np.inf]])
        for k in taken:
            reached = before[:, : hispanics + 1 - k] + occupied[k]
            ends[0, k:] = np.minimum(ends[0, k:], reached[0])
            ends[1, k:] = np.maximum(ends[1, k:], reached[1])
    return ends[:, hispanics]


@made_again
@pytest.mark.slow
def test_the_origins_of_kentucky_of_2010_as_far_as_they_are_counted(shared):
    """The recipe of 2020: the White by origin, and total risk by county, birth date and sex between two ends."""
    census, (table,) = read_decennial(shared / "census", 2010)["21"], [t for t in JOINT_TABLES if t.name == "Kentucky"]
    fitted = like_ages_of(
        census.everyone[..., None], as_redistricting(shared / "census", table, state_rng("us-2010", "21"))
    )
    white = np.stack([census.white - census.white_not_hispanic, census.white_not_hispanic])
    others = np.stack([census.hispanic, census.everyone - census.hispanic]) - white
    wrong = np.abs(fitted[..., 0] - white).sum() + np.abs(fitted[..., 1:].sum(axis=-1) - others).sum()
    assert wrong / 2 / fitted.sum() == pytest.approx(0.0182, abs=5e-5)
    races, bins = table.counted(shared / "census")[..., 1:], YEARS_OF_CLASS * 365
    hispanic = fitted[0].sum(axis=-1, keepdims=True)
    for both, kinds, counted, ends in (
        (True, [*fitted], white, (-0.0054, 0.0015)),
        (False, [hispanic, fitted[1]], np.stack([census.hispanic, white[1]]), (-0.0060, 0.0014)),
    ):
        parts = [fewest_and_most(races[at], others[0][at], bins[at[2]], both) for at in np.ndindex(others[0].shape)]
        low, high = np.sum(parts, axis=0) + total_risk(counted, bins)
        ours = total_risk(np.concatenate(kinds, axis=-1), bins[:, None])
        assert (ours / high - 1, ours / low - 1) == pytest.approx(ends, abs=5e-5)


# --- the shipped files against published counts


def test_people_of_every_race_are_those_published():
    # Census 2000 table P7, Census 2010 table P3, Census 2020 table P1: nation, 50 states and DC
    of_2020 = [204_277_273, 41_104_200, 3_727_135, 19_886_049, 689_966, 27_915_715, 33_848_943]
    for year in (2000, 2010, 2020):
        found = people_of(f"us-{year}")[1].sum(axis=(0, 1, 2)).tolist()
        assert found == (list(published(year).races.values()) or of_2020)


@pytest.mark.slow
@pytest.mark.parametrize(("year", "moved"), [(2000, 1573), (2010, 1330)])
def test_every_counted_cell_race_and_origin_of_a_county_is_exact(year, moved, shared):
    """``moved``: Hispanics of another class than counted, of 35.3 and 50.5 million (measured)."""
    (counties, people), (names, hispanics) = (of(f"us-{year}") for of in (people_of, hispanics_of))
    found, latin = by_class(people), by_class(hispanics)
    tables = read_decennial(shared / "census", year).values()
    assert sum((census.counties for census in tables), ()) == tuple(counties) == tuple(names)

    def counted(field):
        return np.concatenate([getattr(census, field) for census in tables])

    for field, part in (("everyone", slice(None)), ("white", slice(0, 1)), ("black", slice(1, 2))):
        assert (found[..., part].sum(axis=3) == counted(field)).all()
    assert (latin[..., 0] == counted("white") - counted("white_not_hispanic")).all()
    assert np.abs(latin.sum(axis=3) - counted("hispanic")).sum() / 2 == moved
    race_origin = read_race_origin(shared / "census", year)[1]
    assert (people.sum(axis=(1, 2)) == race_origin.sum(axis=1)).all()
    assert (hispanics.sum(axis=(1, 2)) == race_origin[:, 0]).all()


@pytest.mark.slow
def test_every_county_race_origin_and_half_of_2020_is_exact(shared):
    counties, counted = read_counted(shared / "census")
    (names, people), (others, hispanics) = people_of("us-2020"), hispanics_of("us-2020")
    assert names == others == counties
    for half, ages in enumerate((slice(0, 18), slice(18, None))):
        assert (people[:, :, ages].sum(axis=(1, 2)) == counted[:, half].sum(axis=1)).all()
        assert (hispanics[:, :, ages].sum(axis=(1, 2)) == counted[:, half, 0]).all()


@pytest.mark.slow
def test_every_county_sex_age_and_origin_of_2022_is_that_of_the_estimates(shared):
    counties, ages, _, origins = read_margins(shared / "census", 2022)
    (names, people), (others, hispanics) = people_of("us-2022"), hispanics_of("us-2022")
    assert names == others == counties
    assert len(names) == 3144
    assert people.sum() == 333_287_557
    assert (np.add.reduceat(people.sum(axis=3), np.arange(0, 90, 5), axis=2) == ages).all()
    assert (hispanics.sum(axis=(2, 3)) == origins[..., 0]).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", list_populations())
def test_shares_are_computed_from_the_cells(name):
    facts, people = population_facts()[name], people_of(name)[1]
    assert facts["people"] == people.sum()
    assert facts["cells"] == (people > 0).sum()
    assert facts["counted"] + facts["estimated"] + facts["modeled"] == pytest.approx(1)
    if name in ("us-2000", "us-2010"):
        by_state = dict(load_population(name).provenance.counted_by_state)
        whole = {"TX"} if name == "us-2000" else {"KY", "TX"}
        assert {state for state, share in by_state.items() if share == 1} == whole
        assert by_state["OH"] == state_part(name, "39")[..., :2].sum() / state_part(name, "39").sum()
        sizes = load_population(name).people_by_state()
        assert facts["counted"] == pytest.approx(sum(by_state[s] * n for s, n in sizes.items()) / people.sum())


@pytest.mark.parametrize("table", JOINT_TABLES, ids=lambda table: f"{table.name} {table.year}")
def test_counted_joint_tables_are_what_ships(table, shared):
    counted, by_origin = table.counted(shared / "census"), table.by_origin(shared / "census")
    found = state_part(f"us-{table.year}", table.state)
    if by_origin is None:
        found = by_class(found)
    else:
        assert (state_people(table.year, table.state, hispanics_of)[1] == by_origin[0]).all()
    assert (found == counted).all()


# --- Census 2000 against Benitez & Malin (2010), Table 1: Limited Dataset and GENERAL, total risk in
# per cent; Texas is counted, the others are fitted. Alaska (62.51 printed) differs by 3.6 % and is not explained.

DATE = 365 * WIDTHS


# Other states and Ohio's distinct people are judged in tests/papers.
def test_limited_dataset_of_south_carolina_and_of_virginia_without_race():
    people = state_part("us-2000", "45")
    assert 100 * total_risk(people, DATE) / people.sum() == pytest.approx(55.63, rel=0.005)
    people = state_part("us-2000", "51")
    assert 100 * total_risk(people.sum(axis=3), DATE[:, 0]) / people.sum() == pytest.approx(44.64, rel=0.005)


def test_counted_texas_gives_the_figures_of_the_paper():
    # Table 1: 36.90%, 5,171 (trust differential), and so 1,488 people under Safe Harbor.
    people = state_part("us-2000", "48")
    limited, safe = total_risk(people, DATE), total_risk(people.sum(axis=0), WIDTHS)
    assert f"{100 * limited / people.sum():.2f}" == "36.90"
    assert round(safe) == 1488
    assert int(limited / safe) == 5171


# Largest distance from the printed figure: that of the population whose oldest ages were alike in every race.
@pytest.mark.parametrize(
    ("fips", "printed", "limit"),
    [
        ("10", 1286, 6),
        ("44", 1344, 7),
        ("02", 1320, 7),
        ("36", 1500, 32),
        ("06", 1522, 14),
        ("37", 1431, 27),
        ("45", 1386, 17),
    ],
)
def test_safe_harbor_of_the_paper(fips, printed, limit):
    # people: occupied years of birth by sex and race in the state
    assert total_risk(state_part("us-2000", fips).sum(axis=0), WIDTHS) == pytest.approx(printed, abs=limit)


# --- building again


@made_again
@pytest.mark.slow
def test_a_build_without_joint_tables_fits_the_states_that_are_counted(shared):
    modeled = fit_states("us-2010", shared / "census", ["21"], with_joint=False)
    whole = fit_states("us-2010", shared / "census", ["21"])
    assert modeled.cells["people"].sum() == whole.cells["people"].sum() == 4_339_367
    by_race = state_part("us-2010", "21").sum(axis=(0, 1, 2))
    assert whole.counted == {"KY": (4_339_367, by_race[0])}
    assert modeled.counted["KY"] == (by_race[:2].sum(), by_race[0])
    keys = ["county", "sex", "age", "race"]
    both = modeled.cells.merge(whole.cells, on=keys, how="outer", suffixes=("", "_whole")).fillna(
        {"people": 0, "people_whole": 0}
    )
    assert (both["people"] != both["people_whole"]).any()


# --- against the official tables that ship with the tests


# ``moved``: Hispanics of another class than counted, where the races drawn in a small county leave no room (measured).
@pytest.mark.slow
@pytest.mark.parametrize(
    ("year", "fips", "moved"),
    [(2000, "10", 0), (2000, "44", 0), (2000, "56", 6), (2010, "10", 0), (2010, "44", 0), (2010, "56", 31)],
)
def test_people_of_every_sex_and_class_are_those_counted(year, fips, moved):
    counties, people = state_people(year, fips)
    found, hispanics = by_class(people), by_class(state_people(year, fips, hispanics_of)[1])
    table = official("classes")
    table = table[table["year"] == year].set_index(["table", "county_fips", "sex"])[[str(age) for age in CLASS_STARTS]]

    def counted(name):
        return np.stack([table.loc[name].xs(sex, level="sex").loc[counties].to_numpy() for sex in SEXES], axis=1)

    for name, part in (("P12", slice(None)), ("P12A", slice(0, 1)), ("P12B", slice(1, 2))):
        assert (found[..., part].sum(axis=3) == counted(name)).all()
    assert (hispanics[..., 0] == counted("P12A") - counted("P12I")).all()
    assert np.abs(hispanics.sum(axis=3) - counted("P12H")).sum() / 2 == moved


@pytest.mark.slow
@pytest.mark.parametrize("fips", ["10", "44", "48", "56"])
@pytest.mark.parametrize(
    ("name", "of", "year", "first"),
    [
        *(("races", people_of, year, 0) for year in (2000, 2010)),
        *(("races-2020", people_of, 2020, first) for first in (0, 18)),
        *(("hispanics", hispanics_of, year, 0) for year in (2000, 2010, 2020)),
        ("hispanics", hispanics_of, 2020, 18),
    ],
)
def test_people_of_every_race_of_a_county_are_those_counted(name, of, year, first, fips):
    counties, people = state_people(year, fips, of)
    table = official(name)
    for column, value in (("year", year), ("age", "18+" if first else "all")):
        table = table[table[column] == value] if column in table else table
    wanted = table.set_index("county_fips").loc[counties, list(RACES)].to_numpy()
    assert (people[:, :, first:].sum(axis=(1, 2)) == wanted).all()


@pytest.mark.slow
def test_single_years_of_the_states_are_those_counted_in_2010():
    counted = official("single-years-2010").set_index(["state_fips", "sex"])
    cells = load_population("us-2010").cells
    cells = cells[cells["age"] < 85]
    found = cells.groupby(["state", "sex", "age"], observed=True)["people"].sum()
    assert len(counted) == 51 * 2
    for (fips, sex), row in counted.iterrows():
        assert found.loc[POSTAL[fips], sex].tolist() == row.tolist(), (fips, sex)


@pytest.mark.slow
@pytest.mark.parametrize("year", [2000, 2010, 2020])
def test_every_county_has_its_people_and_its_adults(year):
    cells = load_population(f"us-{year}").cells
    counted = official("counties").set_index("county_fips")
    for column, part in ((f"population-{year}", cells), (f"over-{year}", cells[cells["age"] >= 18])):
        found = part.groupby(part["county"].astype(str))["people"].sum()
        wanted = counted[column].drop([code for code in counted.index if code[:2] == "72"]).dropna()
        assert found.sort_index().to_dict() == wanted.sort_index().astype(int).to_dict()


def test_single_years_of_a_county_are_near_those_counted():
    # Cook County 2010, tables PCT12H to O: 0.60% measured; the limit keeps it from growing.
    counties, people = state_people(2010, "17")
    found = people[counties.index("17031")].sum(axis=2)
    wanted = official("cook-2010").groupby("sex").sum().loc[list(SEXES), [str(age) for age in AGES]].to_numpy()
    assert found.sum() == wanted.sum() == 5_194_675
    assert np.abs(found - wanted).sum() / 2 / wanted.sum() <= 0.01


# --- Hispanics: every margin by origin that was counted


@pytest.mark.slow
@pytest.mark.parametrize("name", list_populations())
def test_hispanics_are_people_of_their_cells_and_add_up_to_what_the_manifest_says(name):
    population = load_population(name)
    hispanic = population.hispanic()
    assert len(hispanic) == len(population.cells)
    assert hispanic.min() >= 0
    assert (hispanic <= population.cells["people"]).all()
    assert population_facts()[name]["ethnicity"]["hispanic"] == hispanic.sum()
    # Tables P8 of 2000, P5 of 2010 and P2 of 2020; estimates of vintage 2022
    published_hispanics = {"us-2000": 35_305_818, "us-2010": 50_477_594, "us-2020": 62_080_044, "us-2022": 63_664_346}
    assert hispanic.sum() == published_hispanics[name]


@pytest.mark.slow
@pytest.mark.parametrize("fips", ["10", "44", "48", "56"])
def test_hispanics_of_every_county_and_sex_of_2022_are_those_of_the_estimates(fips):
    counties, hispanics = state_people(2022, fips, hispanics_of)
    wanted = official("hispanics-2022").set_index("county_fips").loc[counties, list(SEXES)].to_numpy()
    assert (hispanics.sum(axis=(2, 3)) == wanted).all()


# --- Texas, whose table of county, sex, age and race is counted: it ships in 2000 and 2010, not in 2020


@cache
def texas(year: int) -> np.ndarray:
    """People counted by sex, age and race."""
    table = official("texas")
    table = table[table["year"] == year].set_index(["sex", "age"])
    parts = [table.loc[sex].reindex(AGES, fill_value=0)[list(RACES)].to_numpy() for sex in SEXES]
    return np.stack(parts)


@pytest.mark.parametrize(("year", "limit"), [(2000, 0), (2010, 0), (2020, 0.017)])
def test_texans_of_a_wrong_sex_age_or_race_are_few(year, limit):
    found, counted = state_people(year, "48")[1].sum(axis=0), texas(year)
    assert found.sum() == counted.sum() == published(year).people["TX"]
    assert np.abs(found - counted).sum() / 2 / counted.sum() <= limit
    assert total_risk(found, WIDTHS) == pytest.approx(total_risk(counted, WIDTHS), rel=0.005 if limit else 1e-12)


@pytest.mark.parametrize("year", [2000, 2010])
@pytest.mark.parametrize("days", [365, 1])
def test_counties_of_texas_have_the_risk_of_the_counts(year, days):
    people = state_people(year, "48")[1]
    sizes = official("texas-cell-sizes")
    size, width, cells = sizes.loc[sizes["year"] == year, ["population", "width", "cells"]].to_numpy().T
    assert (size * cells).sum() == people.sum()
    for measure in (total_risk, lambda n, b, cells=1: g_distinct(n, b, 1, cells)):
        assert measure(people, WIDTHS * days) == pytest.approx(measure(size, width * days, cells), rel=1e-9)


def test_the_note_on_noise_tells_the_cells_of_one_person_that_texas_counted():
    sizes = official("texas-cell-sizes")
    alone = sizes[sizes["population"] == 1].groupby("year")["cells"].sum()
    assert alone.to_dict() == {2000: 37_435, 2010: 37_728, 2020: 20_139}
    for text in (NOISE_NOTE, " ".join(population_facts()["us-2020"]["notes"])):
        assert "37,728" in text
        assert "20,139" in text


# --- the tables themselves


@pytest.mark.slow
def test_the_tables_are_made_from_the_large_ones(shared):
    spec = spec_from_file_location("make", FOLDER / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make = module_from_spec(spec)
    spec.loader.exec_module(make)
    assert {f"{name}.csv.gz" for name in make.TABLES} == {path.name for path in FOLDER.glob("*.gz")}
    for name in make.TABLES:
        text = gzip.decompress((FOLDER / f"{name}.csv.gz").read_bytes()).decode()
        assert text == make.content(name, shared / "census"), name


def test_the_tables_are_small_and_described():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    files = sorted(FOLDER.glob("*.gz"))
    assert sum(path.stat().st_size for path in files) < 1_000_000
    assert all(f"`{path.name}`" in text for path in files)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["us-2000", "us-2010", "us-2020", "us-2022"])
def test_a_small_state_by_ethnicity_is_laid_out_by_county(name):
    """ZIP codes are placed by this table: a state with few cells has as many places in it as the nation."""
    wyoming = load_population(name).in_states(["WY"]).with_ethnicity
    table = county_table(wyoming)
    assert table is not None
    assert table.people.sum() == wyoming.people
