"""Single years of age of counted ZIP code areas: by hand, every person kept, and against counted single years."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from census_service import KEY, CensusService
from click.testing import CliRunner
from small_people import population_of

from policy_sim import InputError, Study
from policy_sim.cli.main import cli
from policy_sim.people.by_name import load_kept, load_population
from policy_sim.people.census.fetch import fetch_population
from policy_sim.people.census.single_years import build_by_zip, with_single_years
from policy_sim.people.census.tables import AGE_CLASSES, SexByAge
from policy_sim.people.facts import Published, published
from policy_sim.people.store import PopulationCache

COLUMNS = ["state", "county", "sex", "race", "age", "age_width", "people"]
BASE = [
    ("DE", "10001", "M", "white", 30, 1, 100),  # nobody of the county is 31 to 34
    ("DE", "10003", "M", "white", 33, 1, 50),
    ("DE", "10003", "F", "black", 31, 1, 75),
    ("DE", "10003", "F", "black", 34, 1, 25),
    ("DE", "10001", "F", "white", 85, 1, 10),
    ("DE", "10001", "F", "white", 110, 1, 10),
]


@pytest.fixture(scope="module")
def base():
    return population_of(BASE, COLUMNS, "2020-04-01", "base")


def cells(*rows):
    names = ["state", "county", "zip5", "sex", "race", "age", "age_width", "people"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.astype(dict.fromkeys(names[:5], "category"))


def test_by_hand_each_class_has_the_years_of_its_county_then_of_the_state(base):
    counted = cells(
        ("DE", "10001", "19901", "M", "white", 30, 5, 7),  # all are 30, as in their county
        ("DE", "10001", "19901", "F", "black", 30, 5, 8000),  # nobody of them in the county: 3 of 4 are 31
        ("DE", "10003", "19702", "M", "asian", 30, 5, 2500),  # nobody in the state: as all men and women of the state
        ("DE", "10003", "19702", "M", "white", 40, 5, 9),  # nobody of that age at all: the class stays whole
        ("DE", "10001", "19901", "F", "white", 85, 15, 1000),  # the open class has those of 110, too
    )
    made = with_single_years(counted, base)
    people = made.set_index(["zip5", "sex", "race", "age", "age_width"])["people"]
    assert people["19901", "M", "white", 30, 1] == 7
    assert people["19702", "M", "white", 40, 5] == 9
    for place, many, share in (
        (("19901", "F", "black", 31, 1), 8000, 0.75),
        (("19702", "M", "asian", 30, 1), 2500, 100 / 250),
        (("19901", "F", "white", 110, 1), 1000, 0.5),
    ):
        assert abs(people[place] - many * share) < 4.5 * np.sqrt(many * share * (1 - share))
    assert made["people"].sum() == counted["people"].sum()
    pd.testing.assert_frame_equal(made, with_single_years(counted, base))  # the same seed
    assert not made["people"].equals(with_single_years(counted, base, seed=1)["people"])


def test_every_person_of_delaware_is_kept_by_all_but_age():
    """Classes of us-2020 itself: by county, sex, race and class nobody is lost, and the ages are near those it has."""
    delaware = load_population("us-2020").in_states(["DE"])
    starts = np.array([low for low, _ in AGE_CLASSES.ages])
    own = delaware.cells.assign(low=starts[np.searchsorted(starts, delaware.cells["age"], side="right") - 1])
    who = ["state", "county", "sex", "race"]
    counted = own.groupby([*who, "low"], observed=True, as_index=False)["people"].sum()
    counted = counted.rename(columns={"low": "age"}).assign(zip5="19901")
    counted["age_width"] = counted["age"].map(dict(AGE_CLASSES.ages))
    made = with_single_years(counted, delaware)
    low = starts[np.searchsorted(starts, made["age"], side="right") - 1]
    again = made.assign(low=low).groupby([*who, "low"], observed=True)["people"].sum()
    assert again.to_dict() == counted.rename(columns={"age": "low"}).set_index([*who, "low"])["people"].to_dict()
    drawn, true = (each.groupby("age")["people"].sum() for each in (made, delaware.cells))
    assert (abs(drawn - true) < 4.5 * np.sqrt(true) + 1).all()


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Two parts of Delaware, fetched from a service on loopback."""
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path))
    places = pd.DataFrame({"state": "DE", "county": ["10001", "10003"], "zip5": ["19734", "19711"]})
    counts = {letter: np.zeros((2, AGE_CLASSES.columns), dtype=np.int64) for letter in ("", *"ABCDEFG")}
    column = AGE_CLASSES.ages_of(0).start + [low for low, _ in AGE_CLASSES.ages].index(30)
    counts["A"][:, [0, AGE_CLASSES.sex_totals[0], column]] = np.array([[700], [3000]])
    counts[""] += counts["A"]
    facts = Published(2020, {"DE": 3700}, published(2020).counties)
    monkeypatch.setattr("policy_sim.people.census.keep.published", lambda year: facts)
    cache = PopulationCache()
    with CensusService(SexByAge(AGE_CLASSES, places, counts), year=2020, dataset="dec/dhc").running() as service:
        return fetch_population(
            "dhc-2020", KEY, cache=cache, url=service.url, states=["DE"], geography_name="zcta-county"
        ).name


def test_fetched_parts_get_single_years_and_answer_by_themselves(kept):
    said = CliRunner().invoke(cli, ["dev", "build-population", "us-2020", "--zip", kept], prog_name="policy-sim")
    assert said.exit_code == 0, said.output
    assert f"Use it with: --population {kept}-years" in said.output
    assert KEY not in said.output
    cache = PopulationCache()
    made = load_kept(f"{kept}-years", cache)
    assert made.people == 3700
    assert set(made.cells["age"]) == {30, 31, 32, 33, 34}
    assert made.cells.groupby("zip5", observed=True)["people"].sum().to_dict() == {"19711": 3000, "19734": 700}
    study = Study(made)
    (profile,) = study.compare("gender+race+birth=year+geography=zip5", "general", "DE", 1).profiles
    assert profile.share("total-risk").low == pytest.approx(10 / 3700)  # two areas of five years
    damaged = cache.folder / cache.entry(f"{kept}-years").file
    damaged.write_bytes(b"no table")
    assert load_kept(f"{kept}-years", cache).cells.equals(made.cells)  # made again


@pytest.mark.parametrize(
    ("base", "words"),
    [("us-2010", "take the population of its census"), ("us-2020", "fetch the geography zcta-county")],
)
def test_what_does_not_fit_together_is_refused(kept, base, words):
    cache = PopulationCache()
    name = kept if base == "us-2010" else build_by_zip(load_population(base), load_kept(kept, cache), cache).name
    if base == "us-2020":
        cells = load_kept(name, cache).cells.drop(columns="zip5")
        cache.put(replace(cache.entry(name), name="by-county"), cells)
        name = "by-county"
    with pytest.raises(InputError, match=words):
        build_by_zip(load_population(base), load_kept(name, cache), cache)


@pytest.mark.parametrize("words", [[], ["--from", ".", "--zip", "x"], ["--zip", "x", "--out", "y"]])
def test_options_that_cannot_be_followed_are_refused(words):
    said = CliRunner().invoke(cli, ["dev", "build-population", "us-2020", *words], prog_name="policy-sim")
    assert said.exit_code == 2
    assert said.output.count("\n") == 1


def test_single_years_of_cook_county_are_near_those_that_were_counted(shared):
    """Sex by 23 classes by ZIP code area of 2020, divided as us-2020 is, against the counted single years.

    Stated before looking: by sex, year of birth and ZIP code, total risk within 5% and people alone within 15%; even
    spread over the classes is further off in both.
    """
    rows = pd.read_parquet(shared / "census" / "zcta_2010_2020_cook_il_sex_age.parquet")
    rows = rows[(rows["year"] == 2020) & (rows["population_in_cook"] > 0)]
    rows = rows.rename(columns={"zcta": "zip5", "population_in_cook": "people"})
    rows["sex"] = rows["sex"].str[:1].str.upper()
    rows = rows.assign(state="IL", county="17031").astype({"age": int, "age_width": int})
    names = ["state", "county", "zip5", "sex", "age", "age_width", "people"]
    classes, years = (rows.loc[rows["table"] == table, names].copy() for table in ("P12", "PCT12"))
    classes["age_width"] = classes["age"].map(dict(AGE_CLASSES.ages))
    years.loc[years["age"] == 110, "age_width"] = 1
    figures = {}
    for name, cells in (
        ("counted", years),
        ("drawn", with_single_years(classes, load_population("us-2020"))),
        ("even", classes),
    ):
        people = population_of(list(cells.itertuples(index=False, name=None)), names, "2020-04-01", name)
        (profile,) = Study(people).compare("gender+birth=year+geography=zip5", "general", "IL", 1).profiles
        figures[name] = [profile.people(measure).low for measure in profile.measures]
    for place, limit in ((0, 0.05), (1, 0.15)):
        off = {name: abs(figures[name][place] / figures["counted"][place] - 1) for name in ("drawn", "even")}
        assert off["drawn"] < limit
        assert off["drawn"] < off["even"]
