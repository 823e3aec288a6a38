import re
from dataclasses import replace

import pytest

from policy_sim import Study
from policy_sim.attackers import GENERAL
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import shipped_table
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.model.measure import TOTAL_RISK, Measure, reach
from policy_sim.model.model_error import declared_key, errors_of, largest_errors, model_errors
from policy_sim.people.by_name import load_population
from policy_sim.people.store import list_populations
from policy_sim.policies.policy import Policy
from policy_sim.words.fields import Granularities, shows_ethnicity

_WORDS = {
    "county and ZIP code": "county_zip5",
    "three-digit ZIP code": "zip3",
    "birth date": "date",
    "birth month": "month",
    "birth year": "year",
    "five years of birth": "five_years",
}
_MEASURES = ("total-risk", "1-distinct", "5-distinct")


def _key(words: str) -> str:
    place, birth, *rest = words.split(", ")
    race = "race+" if "race" in rest else ""
    return f"gender+{race}birth={_WORDS[birth]}+geography={_WORDS.get(place, place)}"


PLACES = ("county_zip5", "county", "zip3", "state")


def test_the_table_of_the_page_is_the_shipped_errors():
    shown = {}
    table = table_of_page("errors")
    for line in table.strip().splitlines()[2:]:
        names, place, key, *figures = [cell.strip() for cell in line.strip("|").split("|")]
        for measure, figure in zip(_MEASURES, figures, strict=True):
            if figure != "-":
                shown[names.strip("`"), place, _key(key), measure] = float(figure.rstrip("%"))
    shipped = {
        (", ".join(e.populations), e.measured.replace(", fitted without its joint table", ""), e.key, e.measure): e
        for e in model_errors()
        if e.measure in _MEASURES and not shows_ethnicity(e.releases)
    }
    assert shown.keys() == shipped.keys()
    for name, figure in shown.items():
        assert figure == pytest.approx(100 * shipped[name].relative, abs=0.0051)


def text_of_page():
    docs = data_dir().parent / "docs"
    if not docs.exists():
        pytest.skip("docs are not installed with the package")
    return "".join((docs / name).read_text("utf-8") for name in ("population-errors.md", "hispanic-origin.md"))


def table_of_page(name):
    (table,) = re.findall(f"<!-- {name}: begin.*?-->(.*?)<!-- {name}: end -->", text_of_page(), re.DOTALL)
    return table


def test_the_table_by_ethnicity_is_the_shipped_errors():
    figures = {(", ".join(e.populations), e.measured, e.key, e.measure): e.relative for e in model_errors()}
    lines = table_of_page("errors by ethnicity").strip().splitlines()[2:]
    words = ("race+ethnicity", "race=race_ethnicity", "ethnicity")
    kinds = [(kind, measure) for kind in words for measure in _MEASURES[:2]]
    for line in lines:
        names, place, key, *shown = [cell.strip() for cell in line.strip("|").split("|")]
        for (kind, measure), figure in zip(kinds, shown, strict=True):
            state, _, how = place.partition(",")
            measured = f"{state}, fitted without its joint table{',' + how if how else ''}"
            name = names.strip("`"), measured, _key(key).replace("gender+", f"gender+{kind}+"), measure
            if figure == "-":
                assert name not in figures
            else:
                assert float(figure.rstrip("%")) == pytest.approx(100 * figures[name], abs=0.0051)
    by_date = [e for e in model_errors() if "gender+ethnicity+birth=date" in e.key and e.measure == "total-risk"]
    assert len(lines) == 2 * len(by_date)  # date and year


def test_the_shares_in_a_wrong_cell_on_the_page_are_those_shipped():
    page = text_of_page()
    errors = shipped_table("model_error.toml")["error"]
    assert sum("misplaced_by_origin" in error for error in errors) == 6
    for error in errors:
        place = error["measured"].replace(", fitted without its joint table", "")
        by_origin = f"{error['misplaced_by_origin']:.1%}" if "misplaced_by_origin" in error else "not counted"
        shares = f"{error['misplaced']:.1%} | {by_origin} | {error['misplaced_by_ethnicity']:.1%}"
        assert f"| `{error['populations'][0]}` | {place} | {shares} |" in page


@pytest.mark.parametrize(
    ("key", "declared"),
    [
        ("gender+race+birth=date+geography=county", "gender+race+birth=date+geography=county"),
        ("birth=year+geography=county", "gender+birth=year+geography=county"),
        ("race+geography=state", "gender+race+birth=five_years+geography=state"),
        ("ethnicity+geography=county", "gender+ethnicity+birth=five_years+geography=county"),
        ("race=broad+ethnicity+birth=year", "gender+race+ethnicity+birth=year+geography=state"),
        ("race=broad_race_ethnicity+birth=date", "gender+race=race_ethnicity+birth=date+geography=state"),
        ("gender+race+birth=date+geography=zip5", "gender+race+birth=date+geography=county_zip5"),
    ],
)
def test_a_key_is_judged_by_the_measured_key_of_its_kind(key, declared):
    assert declared_key(Granularities.parse(key)) == Granularities.parse(declared)


@pytest.mark.slow
def test_every_shipped_population_has_errors_for_every_kind_of_key():
    for name in list_populations():
        errors = errors_of(load_population(name).provenance)
        assert errors is not None
        for birth in ("date", "month", "year", "five_years", "decade"):
            for place in ("state", "county"):
                key = Granularities(gender="value", race="value", birth=birth, geography=place)
                assert errors.relative(key, "OH", TOTAL_RISK) > 0


def test_year_of_birth_keys_of_2020_are_declared():
    assert {e.key for e in largest_errors("us-2020") if "birth=year" in e.key} == {
        f"gender+{race}birth=year+geography={place}"
        for race in ("race+", "", "race+ethnicity+", "race=race_ethnicity+", "ethnicity+")
        for place in ("county", "state", "county_zip5", "zip3")
    }


def test_the_largest_error_of_a_measure_stands_for_the_next_larger_groups():
    errors = errors_of(load_population("us-2020").provenance)
    assert errors is not None
    key = Granularities.parse("gender+race+birth=date+geography=county")
    of = {g: errors.relative(key, "OH", Measure.distinct(g)) for g in (3, 4, 10, 500)}
    assert of[4] == of[3] > 0
    assert of[500] == of[10] > 0


@pytest.mark.slow
def test_counted_texas_has_no_error_and_kentucky_has_that_of_its_single_years():
    errors = errors_of(load_population("us-2010").provenance)
    assert errors is not None
    key = Granularities.parse("gender+race+birth=date+geography=county")
    assert errors.relative(key, "TX", TOTAL_RISK) == 0
    assert errors.relative(key, "KY", TOTAL_RISK) > 0


def test_a_population_that_is_counted_or_the_users_own_has_none():
    own = replace(load_population("us-2020").provenance, name="mine", modeled=0.0)
    assert errors_of(own) is None


@pytest.mark.slow
@pytest.mark.parametrize(("population", "state"), [("us-2020", "OH"), ("us-2000", "OH"), ("us-2000", "TX")])
def test_an_interval_takes_the_error_in(population, state):
    """Half of it: 1.96 times the root of the variance of chance and the squared error of the fit."""
    policy = Policy("by-year", "", Granularities.parse("gender+race+birth=year+geography=county"), "")
    study = Study(population, spread=True)
    (profile,) = study.compare(policy, "general", state, 1)
    (taken_as_is,) = compare(Cases(study.people, [policy], [GENERAL], states=[state], g=(1,)), spread=True)
    errors = errors_of(study.people.provenance)
    assert errors is not None
    for measure in (TOTAL_RISK, Measure.distinct(1)):
        value, chance = profile.figures[measure].people.low, taken_as_is.figures[measure].variance.low
        error = errors.relative(Granularities.parse(profile.linkage_key), state, measure)
        assert (error > 0) == (state == "OH")
        assert profile.figures[measure].variance.low == pytest.approx(chance + (error * value) ** 2)
        interval = profile.interval(measure)
        assert interval is not None
        assert interval.high - value == pytest.approx(reach(chance + (error * value) ** 2))


def test_by_zip_code_the_error_by_county_stands_where_none_was_measured():
    """The recipe of 2022 was measured by county and state alone; an interval by ZIP code must not leave it out."""
    errors = errors_of(load_population("us-2022").provenance)
    keys = {place: Granularities(gender="value", race="value", birth="date", geography=place) for place in PLACES}
    error = {place: errors.relative(key, "OH", TOTAL_RISK) for place, key in keys.items()}
    assert error["county_zip5"] == error["county"] > 0
    assert error["zip3"] == max(error["county"], error["state"])
