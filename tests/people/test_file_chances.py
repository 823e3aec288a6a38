"""Where the people of a file come from: shares and chances by hand, and synthetic files from some counties, counted."""

import numpy as np
import pytest
from pinned import pinned

from policy_sim import Study
from policy_sim.attackers.in_file import InFile
from policy_sim.formulas.groups import Chances
from policy_sim.formulas.listed_groups import GroupsInFile, sums_in_file
from policy_sim.people.file_chances import file_chances
from policy_sim.words.errors import InputError, PolicySimError

LIMA = "Allen,Auglaize,Putnam,Van Wert"


@pytest.fixture(scope="module")
def study() -> Study:
    return Study("us-2020", 2026)


def groups_of(parts, bins, listed=1.0):
    """One group of parts of so many people, each in the file with its chance."""
    people, chance = np.array(parts, dtype=np.float64).T
    held = np.full(len(people), listed)
    sums = [np.array([column @ people]) for column in sums_in_file(held, chance, np.full(len(people), bins)).T]
    return GroupsInFile.of(np.zeros(1, dtype=int), np.full(1, bins), np.array([people.sum()]), sums, sums, 1)


def test_two_parts_by_hand():
    groups = groups_of([(500, 0.2), (900, 0.01)], 365.0)
    empty = (1 - 0.2 / 365) ** 500 * (1 - 0.01 / 365) ** 900
    alone = empty * (500 * 0.2 / (1 - 0.2 / 365) + 900 * 0.01 / (1 - 0.01 / 365))
    assert groups.total_risk().item() == pytest.approx(365 * (1 - empty), rel=1e-9)
    assert groups.g_distinct([1]).item() == pytest.approx(alone, rel=1e-9)
    # docs/model.md prints both
    assert (round(groups.total_risk().item(), 2), round(groups.g_distinct([1]).item(), 2)) == (94.25, 80.89)


@pytest.mark.parametrize("listed", [1.0, 0.6])
@pytest.mark.parametrize("bins", [1, 2])
def test_small_parts_by_many_draws(bins, listed):
    chance, rng, draws = np.repeat([0.5, 1.0, 0.25], [2, 1, 2]), np.random.default_rng(1), 200_000
    in_file = rng.random((draws, 5)) < chance
    on_list = in_file & (rng.random((draws, 5)) < listed)
    in_bin = rng.integers(0, bins, (draws, 5))
    entries, records = (
        np.stack([(who & (in_bin == b)).sum(axis=1) for b in range(bins)]) for who in (on_list, in_file)
    )
    groups = groups_of([(2, 0.5), (1, 1.0), (2, 0.25)], float(bins), listed)
    # more than four standard errors each
    assert groups.total_risk().item() == pytest.approx((entries > 0).sum() / draws, abs=0.012)
    assert groups.g_distinct([1]).item() == pytest.approx((entries == 1).sum() / draws, abs=0.012)
    assert groups.claims().item() == pytest.approx((records * (entries == 1)).sum() / draws, abs=0.02)


def test_one_chance_for_all_is_a_file_spread_over_the_people():
    groups = groups_of([(300, 0.1), (200, 0.1)], 365.0)
    plain = groups_of([(500, 0.1)], 365.0)
    for g in (1, 3, 10):
        assert groups.g_distinct([g]).item() == pytest.approx(plain.g_distinct([g]).item(), rel=1e-12)
    everyone = Chances(np.ones(1), np.ones(1))
    assert everyone.total_risk(groups).item() == pytest.approx(plain.total_risk().item(), rel=1e-12)


def test_shares_are_of_the_file_and_the_rest_is_dealt_by_people(study):
    chances = file_chances(study.people, "OH", [("Lucas", 0.4), ("39003", None), ("Putnam County", None)], 10_000)
    rest = chances.people[1:] / chances.people[1:].sum()
    np.testing.assert_allclose(chances.in_file, [4000, *(6000 * rest)])
    assert chances.codes == ("39095", "39003", "39137")
    assert chances.names == ("Lucas", "Allen", "Putnam")
    assert chances.one_chance is None
    assert file_chances(study.people, "OH", [("Allen", None), ("Lucas", None)], 10_000).one_chance is not None


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ("Alen", "Did you mean 'Allen'"),
        ("Allen,458", "not both"),
        ("Allen=0.6,Lucas=0.6", "120%"),
        ("Allen=0.1", "add up to 10%"),
        ("Allen=1,Lucas", "nothing is left for Lucas"),
        ("Allen=much", "give a share such as 0.4 or 40%"),
        ("39004", "39004 is not a county of Ohio"),
        ("OH: 26115", "26115 is Monroe, Michigan, not a county of Ohio"),
        ("999", "is not known"),
        ("Allen,39003", "named twice"),
        ("Allen,allen", "named twice"),
        (",", "name counties"),
        ("Van Wert=90%,Allen", "more than the 28,931 people who live there"),
    ],
)
def test_every_wrong_place_is_one_line(study, places, message):
    with pytest.raises(PolicySimError, match=message) as error:
        study.compare("safe-harbor", "general", "OH", 1, in_file=InFile.of(58_000, places))
    assert "\n" not in str(error.value)


def test_places_are_of_one_state_and_need_a_number(study):
    for states, message in ((None, "name the state"), (["OH", "IN"], "Allen is a county of Ohio and Indiana")):
        with pytest.raises(InputError, match=message):
            study.compare("safe-harbor", "general", states, 1, in_file=InFile.of(100, "Allen"))
    with pytest.raises(InputError, match="how many people"):
        InFile.of(None, "Allen")


def shares_right(study, policy, places, who="general"):
    """Return the share right and the share alone of a file of 18,000 people."""
    (profile,) = study.compare(policy, who, "OH", 1, in_file=InFile.of(18_000, places))
    return profile.share("total-risk").low, profile.share("1-distinct").low


def test_four_counties_around_lima(study):
    assert shares_right(study, "safe-harbor-race-alone", LIMA)[0] == pytest.approx(0.0430, abs=0.00005)
    assert shares_right(study, "safe-harbor-race-alone", None)[0] == pytest.approx(0.399, abs=0.0005)


@pytest.mark.slow
def test_a_file_from_every_county_is_one_from_the_state(study):
    everywhere = sorted({str(code) for code in study.people.in_states(["OH"]).cells["county"]})
    spread = ",".join(everywhere)
    for policy in ("safe-harbor", "limited-dataset"):
        for who in ("general", "voter"):
            there, state = (shares_right(study, policy, places, who) for places in (spread, None))
            np.testing.assert_allclose(there, state, rtol=1e-9)


@pytest.mark.slow
def test_nearly_equal_chances_are_nearly_one_chance(study):
    """Chances of their own take another way through the program than one chance of all."""
    four = file_chances(study.people, "OH", [(name, None) for name in LIMA.split(",")], 18_000)
    shares = four.in_file / four.in_file.sum() * (1 + 1e-7 * np.arange(4))
    nearly = dict(zip(four.codes, shares.tolist(), strict=True))
    for policy in ("safe-harbor", "limited-dataset", "state-only", "month-of-birth", "zip5"):
        for who in ("general", "voter"):
            one, own = (shares_right(study, policy, places, who) for places in (LIMA, nearly))
            np.testing.assert_allclose(own, one, rtol=2e-3, err_msg=f"{policy} {who}")


@pytest.mark.slow
@pytest.mark.parametrize("places", [LIMA, "Allen=0.4,Auglaize=0.3,Putnam,Van Wert", "458=0.8,457"])
def test_the_search_has_the_figures_of_the_comparison(study, places):
    file = InFile.of(18_000, places)
    rows = study.explore("OH", "safe-harbor", g=(1, 3), in_file=file, keep=("sex",)).all_rows
    for _, row in rows.sample(pinned(4, 8), random_state=3).iterrows():
        (profile,) = study.compare(row["policy"], "general", "OH", (1, 3), in_file=file)
        for column, measure in (
            ("total_risk", "total-risk"),
            ("distinct_1", "1-distinct"),
            ("distinct_3", "3-distinct"),
        ):
            assert row[column] == pytest.approx(profile.people(measure).low, rel=1e-9), row["policy"]


SMALL = [("DE", 3_000, "Kent=0.7,Sussex"), ("DE", 3_000, "198=0.8,199")]
OHIO = ["Franklin", "Lucas=0.7,Wood", "Allen=0.5,Auglaize=0.2,Putnam,Van Wert", "458=0.8,457"]
CATCHMENTS = pinned(SMALL, [*SMALL, *(("OH", 18_000, places) for places in OHIO)])


@pytest.mark.slow
@pytest.mark.parametrize(("state", "people", "places"), CATCHMENTS)
def test_synthetic_files_from_some_places(study, state, people, places):
    """Make the people of a state, lists and files of them; right, alone and claimed are as expected."""
    policies = ["safe-harbor-race-alone", "state-only-with-race", "limited-dataset"]
    rows = study.simulate(state, policies, in_file=InFile.of(people, places), runs=4, seed=4).to_frame()
    counted = rows[rows["measure"].isin(["total-risk", "g-distinct"])]
    three_errors = 3 * (counted["formula"] / 4) ** 0.5 + 0.5  # of a count that scatters as one of rare events
    far = counted[(counted["mean"] - counted["formula"]).abs() > three_errors]
    assert len(counted) == 12
    assert far.empty, far[["policy", "attacker", "measure", "mean", "formula"]].to_string()
    assert rows["agrees"].mean() >= 0.9
