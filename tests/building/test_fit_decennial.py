import numpy as np

from policy_sim.building.fit_decennial import (
    expected_small_races,
    fit_decennial,
    pattern_by_class,
    people_by_class,
    with_ages,
)
from policy_sim.building.state_tables import AgePatterns, Decennial
from policy_sim.groups import Groups, total_risk
from policy_sim.population.ages import AGE_WIDTHS, CLASS_STARTS, class_of_age

COARSE = np.array([0, 5, 10, 15, 20, 25, 30, 35, 45, 55, 65, 75, 85])


def made(seed=0, counties=4):
    """A state whose joint table we know: counts by county, origin, race, sex and class."""
    rng = np.random.default_rng(seed)
    size = np.array([400, 60, 3, 5, 1, 8, 6])[None, None, :, None, None] * np.array([0.2, 1])[None, :, None, None, None]
    joint = rng.poisson(size * rng.uniform(0.3, 2, (counties, 2, 7, 2, 23)))
    races = joint.sum(axis=1)
    of_year = class_of_age(np.arange(86))
    nation = joint.sum(axis=0)[..., of_year] + 1.0
    groups = np.concatenate([joint[:, 0].sum(axis=1, keepdims=True), joint[:, 1]], axis=1).sum(axis=0)
    patterns = AgePatterns(
        years=nation.sum(axis=(0, 1)),
        classes=groups @ np.eye(len(COARSE))[class_of_age(CLASS_STARTS, COARSE)],
        class_starts=COARSE,
        nation=nation,
        open_shares=np.full((2, 7, 18), 1 / 18),
    )
    census = Decennial(
        "99",
        tuple(f"9900{i}" for i in range(counties)),
        everyone=races.sum(axis=1),
        white=races[:, 0],
        black=races[:, 1],
        hispanic=joint[:, 0].sum(axis=1),
        white_not_hispanic=joint[:, 1, 0],
        race_origin=joint.sum(axis=(3, 4)),
        patterns=patterns,
    )
    return census, races


def rng(seed=3):
    return np.random.Generator(np.random.PCG64(seed))


def test_every_counted_margin_stays_exact():
    census, _ = made()
    people = people_by_class(census, rng())
    assert (people.sum(axis=3) == census.everyone).all()
    assert (people[..., 0] == census.white).all()
    assert (people[..., 1] == census.black).all()
    assert (people.sum(axis=(1, 2)) == census.race_origin.sum(axis=1)).all()
    assert (people >= 0).all()


def test_expected_people_of_small_races_add_up():
    census, races = made()
    expected = expected_small_races(census)
    np.testing.assert_allclose(expected.sum(axis=3), census.everyone - census.white - census.black, atol=1e-6)
    # the fit stops within 0.01 people of each origin by race
    np.testing.assert_allclose(expected.sum(axis=(1, 2)), races[:, 2:].sum(axis=(2, 3)), atol=0.1)


def test_single_ages_keep_race_and_county():
    census, _ = made()
    people = fit_decennial(census, rng())
    assert people.shape == (4, 2, 103, 7)
    assert (people.sum(axis=(1, 2)) == census.race_origin.sum(axis=1)).all()


def test_same_seed_same_people():
    census, _ = made()
    assert (fit_decennial(census, rng()) == fit_decennial(census, rng())).all()


def test_a_group_without_people_in_its_state_runs_as_in_the_nation():
    census, _ = made()
    patterns = census.patterns
    empty = patterns.classes.copy()
    empty[5] = 0  # Pacific Islanders who are not Hispanic
    lonely = AgePatterns(patterns.years, empty, patterns.class_starts, patterns.nation, patterns.open_shares)
    found = pattern_by_class(lonely)[1, 4]
    nation = patterns.nation[1, 4] @ np.eye(23)[class_of_age(np.arange(86))]
    np.testing.assert_allclose(found / found.sum(), nation / nation.sum())


def test_the_draw_returned_is_in_the_middle_of_what_chance_gives():
    """Occupied years by sex and race spread less over seeds than those of single draws."""
    census, _ = made()

    def occupied(people):
        of_state = people.sum(axis=0)
        widths = np.broadcast_to(AGE_WIDTHS[:, None], of_state.shape)
        return total_risk(Groups.of(of_state.ravel(), widths.ravel()))[0]

    middle = [occupied(fit_decennial(census, rng(seed))) for seed in range(6)]
    single = [occupied(with_ages(census, people_by_class(census, rng(seed)), rng(seed))) for seed in range(24)]
    assert np.std(middle) < np.std(single) / 2
    assert abs(np.mean(middle) - np.mean(single)) < np.std(single)


def test_single_ages_that_are_counted_stay():
    census, _ = made()
    counted = np.arange(4 * 2 * 103 * 7).reshape(4, 2, 103, 7)
    assert with_ages(census, counted, rng()) is counted
