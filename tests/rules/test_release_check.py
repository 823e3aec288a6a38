"""Release checks: points by hand, cells and people by enumeration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_people import population_of

from policy_sim.formulas.bins import bins_of_size
from policy_sim.policies.policy import Conditions, Policy, SmallPlaces
from policy_sim.rules.release_check import Scoring, check_release, list_release_checks, load_release_check
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Granularities

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


# The rules on small cells that ship, and a name that does not.


def test_an_unknown_name_lists_those_that_exist():
    with pytest.raises(UnknownNameError) as caught:
        load_release_check("no-such-rule")
    assert all(name in str(caught.value) for name in list_release_checks())
