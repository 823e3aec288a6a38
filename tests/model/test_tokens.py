"""Tokens of the census's people: who is in a stratum, which designs there are, and what the paper's abstract says."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim import Study
from policy_sim.formulas.tokens import token_figures
from policy_sim.model.token_design import TokenDesign, clear_fields, find_design, token_designs
from policy_sim.model.tokens import Roster, TokenPeople, token_sizes
from policy_sim.people.name_classes import FIRST_FORMS, LAST_FORMS, name_classes
from policy_sim.people.zips import PeopleByZip
from policy_sim.words.errors import InputError, UnknownNameError


@pytest.fixture(scope="module")
def delaware() -> PeopleByZip:
    people = Study("us-2020")._counted_by_zip
    assert isinstance(people, PeopleByZip)
    return people.in_states(("DE",))


def _everyone(people: PeopleByZip) -> Roster:
    return Roster(np.ones((len(people.table.people), len(people.table.counties))))


@pytest.mark.parametrize("design", list(token_designs()))
@pytest.mark.parametrize("clear", ["zip3,sex,birth=year", "zip3", "zip3,birth=decade,race"])
def test_strata_lose_nobody(delaware: PeopleByZip, design: str, clear: str) -> None:
    """The expected people of all tokens of all strata are the state's people, and places add up to everyone."""
    shown, made = clear_fields(clear), find_design(design)
    strata = list(TokenPeople.of(delaware, ("DE",), "zip3", _everyone(delaware)).strata(made, shown, 365.0))
    assert sum(stratum.people for stratum in strata) == pytest.approx(989_948)
    assert all(stratum.places.sum() == pytest.approx(1) for stratum in strata)
    assert all(stratum.listed == pytest.approx(1) for stratum in strata)


def test_tokens_take_areas_as_they_are_counted() -> None:
    """With counted areas nobody is lost, and Black residents of DC live in the other areas than by the city's mix."""
    plain, composed = (Study(name)._counted_by_zip.in_states(("DC",)) for name in ("us-2020", "us-2020-zcta"))
    composed = composed.with_ethnicity
    by_mix, counted = (TokenPeople.of(of, ("DC",), "zip5", _everyone(of)) for of in (plain, composed))
    assert counted.people.sum() == pytest.approx(by_mix.people.sum(), rel=1e-12)
    shares = [of.people[(of.kinds["race"] == "black").to_numpy()].sum(axis=0) for of in (by_mix, counted)]
    assert shares[1].max() > 1.5 * shares[0].max()
    assert shares[1].sum() == pytest.approx(shares[0].sum(), rel=1e-12)


@pytest.mark.parametrize(
    ("form", "sex"), [*((form, "") for form in LAST_FORMS), *((form, sex) for form in FIRST_FORMS for sex in "MF")]
)
def test_names_are_everyones(form: str, sex: str) -> None:
    """Listed names and the others together are all people; a coarser form is never rarer."""
    names = name_classes(form, sex)
    assert float(names.share @ names.names) == pytest.approx(1)


def test_forms_of_names_coarsen() -> None:
    """Two people share a Soundex code at least as often as a name, and an initial as often as three letters."""
    assert name_classes("last").same < name_classes("last-soundex").same
    for sex in "MF":
        forms = [name_classes(form, sex).same for form in ("first", "first-3", "first-initial")]
        assert forms == sorted(forms)
        assert name_classes("first", sex).same < name_classes("first-soundex", sex).same


def test_known_shares_of_names() -> None:
    """Smith was the surname of 2,442,977 of 294,979,229 people in 2010, Mary the name of 2.629% of women in 1990."""
    assert name_classes("last").share.max() == pytest.approx(2_442_977 / 294_979_229, rel=0.01)
    assert name_classes("first", "F").share.max() == pytest.approx(0.02629, rel=0.01)


@pytest.fixture(scope="module")
def nation() -> PeopleByZip:
    people = Study("us-2020")._counted_by_zip
    assert isinstance(people, PeopleByZip)
    return people


def test_papers_range(nation: PeopleByZip) -> None:
    """Under 1% of a million people, 10 to 20% of 250 million, as the abstract of Eliazar et al. (2025) says.

    Each token by itself, and the two that a vaccine study gave each record together; of every tenth stratum, which is a
    sex and a year of birth.
    """
    counted = TokenPeople.of(nation, nation.states, "zip3", _everyone(nation))
    named = {}
    for design in ("initial", "soundex"):
        strata = list(counted.strata(find_design(design), clear_fields("zip3,sex,birth=year"), 365.0))[3::10]
        for size in (1e6, 2.5e8):
            rng = np.random.default_rng(0)
            figures = [token_figures(stratum, size / 331_449_281, rng, told=True) for stratum in strata]
            named[design, size] = sum(each.named for each in figures) / sum(each.people for each in figures)
    assert named["initial", 1e6] + named["soundex", 1e6] < 0.01
    assert 0.05 < named["soundex", 2.5e8] < named["initial", 2.5e8] < 0.10
    assert 0.10 < named["initial", 2.5e8] + named["soundex", 2.5e8] < 0.20


def test_who_is_on_the_roster_bounds_who_is_named() -> None:
    """A voter list names fewer than a roster of everyone, and a list without birth dates has no figure."""
    rows = Study("us-2020").tokens(["OH", "NC"], "initial", sizes=1_000_000).to_frame().set_index(["state", "attacker"])
    assert rows.loc[("OH", "voter"), "named_high"] < rows.loc[("OH", "general"), "named_high"]
    assert rows.loc[("OH", "voter"), "with_key"] <= rows.loc[("OH", "voter"), "on_roster"] < 700_000
    assert rows.loc[("NC", "voter"), "status"] == "no_field"
    assert np.isnan(rows.loc[("NC", "voter"), "named_high"])


def test_several_tokens_name_as_many_as_the_best_and_no_more_than_all() -> None:
    rows = Study("us-2020").tokens("RI", ["initial", "soundex"], attackers="general", sizes=1_000_000).to_frame()
    named = rows.set_index("design")[["named_low", "named_high"]]
    assert named.loc["initial + soundex", "named_low"] == named.loc["initial", "named_low"]
    assert named.loc["initial + soundex", "named_high"] == pytest.approx(named["named_low"].iloc[:2].sum())


def test_sizes_are_powers_of_ten_and_everyone() -> None:
    assert token_sizes(331_449_281)[-2:] == [250_000_000, 331_449_281]
    with pytest.raises(InputError, match="more than the 990,000"):
        token_sizes(990_000, [1_000_000])


@pytest.mark.parametrize(
    "fields", ["sex,birth", "last,last-soundex", "first-initial,birth", "first,first-3,sex", "ssn,last"]
)
def test_designs_that_are_not_modeled_are_refused(fields: str) -> None:
    with pytest.raises((InputError, UnknownNameError)):
        TokenDesign.parse(fields)


@pytest.mark.parametrize("clear", ["birth=date", "ethnicity", "tract", "geography=tract"])
def test_clear_fields_that_are_not_modeled_are_refused(clear: str) -> None:
    with pytest.raises((InputError, UnknownNameError)):
        clear_fields(clear)
