"""Disclosure rules: both ends of each number, printed sums, ids and mistakes; checks of a policy by enumeration."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_people import population_of

from policy_sim.files.evidence import CONFIDENCES
from policy_sim.files.toml import shipped_table
from policy_sim.formulas.bins import bins_of_size
from policy_sim.policies.policy import Conditions, Policy, SmallPlaces
from policy_sim.rules.files import find_rule, list_rules, read_rule_file, rules_named
from policy_sim.rules.release_check import Scoring, check_release, list_release_checks, load_release_check
from policy_sim.rules.rule import MOST_POINTS, score, scored_variables
from policy_sim.words.errors import InputError, SchemaError, UnknownNameError
from policy_sim.words.fields import Granularities

SHARED = Path(__file__).resolve().parents[3] / "shared/rules/disclosure_rules.csv"
RULES = list_rules()
WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def test_every_rule_is_sourced_and_says_how_sure_it_is():
    assert len(RULES) == 76
    for rule in RULES.values():
        assert rule.sources, rule.id
        assert rule.confidence in CONFIDENCES, rule.id
        assert len(rule.quote.split()) <= 25, rule.id


def test_what_is_from_memory_or_not_established_is_not_sure():
    assert RULES["mmwr-week"].confidence == "low"
    assert {rule.id for rule in RULES.values() if not rule.established} == {"co-cohid", "mo-std", "nces-10"}
    assert not any(rule.judges_counts for rule in RULES.values() if not rule.established)


@pytest.mark.skipif(not SHARED.exists(), reason="the list of rules is not on this machine")
def test_the_register_has_the_ids_of_the_list_and_is_no_surer_than_it():
    sure = {"V": "high", "P": "medium", "M": "low", "n": "low"}
    with SHARED.open(encoding="utf-8") as file:
        listed = {row["id"]: sure[row["evidence"][0]] for row in csv.DictReader(file)}
    later = {"all-of-us-20", "all-of-us-009"}
    assert {rule.id: rule.confidence for rule in RULES.values() if rule.id not in later} == listed


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule.judges_counts and not rule.needs_population])
def test_eleven_is_not_ten(rule):
    assert rule.why_hidden(rule.largest)
    assert not rule.why_hidden(rule.largest + 1)
    assert bool(rule.why_hidden(0)) == (rule.zeros in ("hidden", "in_class"))


def _largest_of(quote: str) -> int | None:
    """The largest hidden count that the quoted words themselves print, if they print a number with 'less than'."""
    number = rf"(\d+|{'|'.join(WORDS)})"
    match = re.search(rf"(?:less than|fewer than|below) {number}\b", quote)
    if match:
        return (int(match[1]) if match[1].isdigit() else WORDS.index(match[1]) + 1) - 1
    match = re.search(rf"(?:<= ?|1 through |up to ){number}", quote)
    return int(match[1]) if match else None


_PRINTED = {
    rule.id: _largest_of(rule.quote)
    for rule in RULES.values()
    if rule.judges_counts and rule.largest is not None and rule.population is None
}


@pytest.mark.parametrize("name", [name for name, largest in _PRINTED.items() if largest is not None])
def test_the_number_is_that_of_the_operative_words(name):
    assert RULES[name].largest == _PRINTED[name]


@pytest.mark.parametrize(
    ("name", "count", "population", "hidden"),
    [
        ("oh-odh-10", 91, 100, True),
        ("oh-odh-10", 90, 100, False),
        ("oh-odh-10", 100, 100, True),
        ("nchs-confidential-5", 98, 100, True),
        ("nchs-confidential-5", 100, 100, False),
        ("nchs-confidential-5", 95, 100, False),
        ("ephtn-6", 5, 99_999, True),
        ("ephtn-6", 5, 100_000, False),
        ("cdph-oa", 4, 49_999, True),
        ("cdph-oa", 5, 49_999, False),
        ("ut-ibis-pre2009", 4, 30, False),
        ("ia-5", 50, 99, True),
        ("ia-5", 50, 100, False),
        ("ia-5", 5, 100, True),
    ],
)
def test_populations_and_differences_by_hand(name, count, population, hidden):
    assert bool(RULES[name].why_hidden(count, population)) == hidden


def test_a_rule_that_needs_people_does_not_guess_without_them():
    with pytest.raises(InputError, match="needs the population"):
        RULES["oh-odh-10"].why_hidden(98)
    with pytest.raises(InputError, match="a count of 101"):
        RULES["oh-odh-10"].why_hidden(101, 100)
    with pytest.raises(InputError, match="does not decide by a count"):
        RULES["mmwr-week"].why_hidden(3)


def test_the_beginning_of_an_id_names_the_rules_of_one_body():
    assert [rule.id for rule in rules_named("cms")] == ["cms-11"]
    assert find_rule("wa").id == "wa-doh-10"
    assert len(rules_named("calhhs")) == 7
    with pytest.raises(InputError, match="several bodies"):
        rules_named("n")
    with pytest.raises(InputError, match="several rules"):
        find_rule("calhhs")
    with pytest.raises(UnknownNameError, match="cms-11"):
        rules_named("cms-12")


def test_the_sums_that_the_guidelines_print():
    sums = shipped_table("disclosure_rules/scores/calhhs-ddg2.toml")["printed"]
    assert len(sums) == 23
    printed = [(line.pop("of"), line.pop("sum"))[1] for line in sums]
    assert [score(values) for values in sums] == printed
    assert sum(points > MOST_POINTS for points in printed) == 11


def test_points_end_where_the_guidelines_say():
    variables = scored_variables()
    assert sum(len(variable.steps) + len(variable.named) for variable in variables.values()) == 88
    assert [variables["residence-geography"].points(n) for n in (4_000, 4_001, 20_000, 20_001)] == [7, 5, 5, 4]
    with pytest.raises(InputError, match="no points"):
        score({"immigration-status": "finer: a high-risk population, section 5.6.2"})
    with pytest.raises(UnknownNameError):
        score({"weather": 1})


def test_a_mistake_in_a_file_names_its_place(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text(
        'body = "us"\nlevel = "state"\n[[rule]]\nid = "us-1"\ndocument = "d"\ndate = "2026"\nkind = "counts"\n'
        'hides = "x"\nlargest = "10"\nzeros = "maybe"\nsources = ["nobody"]\nconfidence = "high"\n'
    )
    with pytest.raises(SchemaError) as caught:
        read_rule_file(path)
    text = str(caught.value)
    assert all(part in text for part in ("largest", "zeros = 'maybe'", "nobody"))


def test_the_page_has_the_line_of_every_rule(root):
    """After a change of a rule, its line in docs/disclosure-rules.md is what this test expects."""
    page = (root / "docs" / "disclosure-rules.md").read_text(encoding="utf-8")
    for rule in RULES.values():
        largest = "-" if rule.largest is None else rule.largest
        assert f"| `{rule.id}` | {largest} | {rule.zeros} | {rule.hides} | {rule.confidence} |\n" in page
    assert f"The register has {len(RULES)} rules" in page


# Release checks: points by hand, cells and people by enumeration.


PEOPLE = population_of(
    [
        ("OH", "39001", "M", 30, 1, "white", 10),
        ("OH", "39001", "F", 30, 1, "white", 11),
        ("OH", "39001", "F", 31, 1, "black", 1),
        ("OH", "39003", "F", 31, 1, "white", 2_100_000),
        ("WY", "56001", "F", 31, 1, "white", 300),
    ]
)
CMS, DDG = load_release_check("cms-cell-size"), load_release_check("calhhs-ddg")


def policy(small: SmallPlaces | None = None, **releases: str) -> Policy:
    return Policy("p", "p", Granularities(releases), "c", Conditions(small_places=small))


def test_two_checks_ship_with_their_source():
    assert list(list_release_checks()) == [DDG.name, CMS.name] == ["calhhs-ddg", "cms-cell-size"]
    assert hash(CMS) == hash(load_release_check("cms-cell-size"))
    assert CMS.citation
    assert "Edition 2.0" in DDG.citation


def test_cell_size_of_eleven_by_hand():
    ohio, wyoming = check_release(PEOPLE, policy(gender="value", birth="year", geography="county"), CMS)
    # cells of Ohio: 10, 11, 1 and 2,100,000
    assert (ohio.cells, ohio.cells_withheld, ohio.people, ohio.people_withheld) == (4, 2, 2_100_022, 11)
    assert (wyoming.cells, wyoming.cells_withheld, wyoming.people_withheld) == (1, 0, 0)
    assert (ohio.passes, wyoming.passes) == (False, True)


def test_people_by_date_fall_into_cells_as_the_binomial_says():
    [wyoming] = check_release(PEOPLE, policy(birth="date", geography="state"), CMS, ["WY"])
    sizes = np.arange(1, 301)
    cells = bins_of_size(300, 365, sizes)
    assert wyoming.cells == pytest.approx(cells.sum(), rel=1e-12)
    assert wyoming.cells_withheld == pytest.approx(cells[:10].sum(), rel=1e-12)
    assert wyoming.people_withheld == pytest.approx((sizes * cells)[:10].sum(), rel=1e-12)


@pytest.mark.parametrize(
    ("releases", "points"),
    [
        ({}, 0),
        ({"gender": "value"}, 1 + 1),  # sex, one variable
        ({"race": "broad"}, 2 + 1),
        ({"race": "value", "gender": "value"}, 3 + 1 + 2),
        ({"birth": "year"}, 7 + 1),
        ({"birth": "date"}, 7 + 1),
        ({"birth": "two_years"}, 7 + 1),
        ({"birth": "five_years"}, 5 + 1),
        ({"birth": "decade"}, 3 + 1),
        ({"birth": "twenty_years"}, 2 + 1),
        ({"gender": "value", "race": "value", "birth": "year"}, 1 + 3 + 7 + 4),
    ],
)
def test_points_of_what_a_policy_shows(releases, points):
    assert isinstance(DDG, Scoring)
    assert DDG.points(Granularities({"geography": "state", **releases})) == points


def test_scoring_by_hand():
    """Sex by county. Sex 1, one variable 1; the large county -5, the small ones (22 and 300 people) 7.

    Small county: 9 and the cell's points: 10 people 7 (16), 11 and 12 people 5 (14), 300 people 3 (12).
    A total of 12 passes; more than 12 is withheld.
    """
    ohio, wyoming = check_release(PEOPLE, policy(gender="value", geography="county"), DDG)
    # cells of Ohio: men 10; women 11 + 1 = 12; women of the large county
    assert (ohio.cells, ohio.cells_withheld, ohio.people_withheld) == (3, 2, 22)
    assert (wyoming.cells_withheld, wyoming.passes) == (0, True)


def test_only_events_time_and_place_score_less():
    """County alone: 22 people score 7 for the place, 5 for the events, -5 for the smallest cell: 7."""
    ohio, _ = check_release(PEOPLE, policy(geography="county"), DDG)
    assert (ohio.cells, ohio.cells_withheld) == (2, 0)


def test_a_cell_of_more_than_20_000_people_is_not_scored():
    rows = [("OH", "39001", "M", age, 1, "white", people) for age, people in ((1, 20_000), (2, 20_001))]
    people = population_of(rows)
    [ohio] = check_release(people, policy(birth="year", geography="state"), replace(DDG, most_points=-100))
    assert (ohio.cells_withheld, ohio.people_withheld) == (1, 20_000)


def test_small_places_are_judged_by_all_their_people_together():
    """Hidden places share one value: of 22 people in Ohio, and nobody's own county there."""
    hidden = policy(SmallPlaces("county", 1000), gender="value", geography="county")
    ohio, wyoming = check_release(PEOPLE, hidden, DDG)
    assert (ohio.cells_withheld, ohio.people_withheld) == (2, 22)
    assert wyoming.cells_withheld == 0


def test_nobody_is_lost_whatever_the_policy():
    for place in ("state", "county"):
        for check in (CMS, DDG):
            shown = policy(gender="value", race="value", birth="decade", geography=place)
            assert [found.people for found in check_release(PEOPLE, shown, check)] == [2_100_022, 300]


def test_a_policy_without_the_state_cannot_be_checked_by_state():
    with pytest.raises(InputError, match="does not show the state"):
        check_release(PEOPLE, policy(gender="value"), CMS)


def test_an_unknown_name_lists_those_that_exist():
    with pytest.raises(UnknownNameError) as caught:
        load_release_check("no-such-rule")
    assert all(name in str(caught.value) for name in list_release_checks())
