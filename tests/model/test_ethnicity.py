"""Ethnicity in a release and on a list: twelve people by hand, and every record compared with every list row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_people import list_of, population_of

from policy_sim.attackers import GENERAL, Coverage, covered, voter
from policy_sim.formulas.groups import g_distinct, total_risk
from policy_sim.model.breakdown import break_down
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.model.explanation import explain_groups
from policy_sim.model.explore.axes import Needs
from policy_sim.model.explore.search import explore, lattice_of
from policy_sim.model.measure import TOTAL_RISK, Measure
from policy_sim.model.profile import TrustDifferential
from policy_sim.model.sensitivity import by_year_of_birth
from policy_sim.model.simulation.linking import simulate
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.merging import merge
from policy_sim.people.population import ETHNICITIES, RACES, Population
from policy_sim.people.zips import PeopleByZip, ZipShares
from policy_sim.policies.policy import NO_CONDITIONS, policy_from_text
from policy_sim.records.census_groups import FileCells, people_of_groups
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field, Granularities

COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "ethnicity", "people"]
# Of one county and age: 4 White of whom 1 is Hispanic, 3 Black of whom 1 is, 2 of another race, both Hispanic, 3 Asian.
TWELVE = [
    ("white", "hispanic", 1),
    ("white", "not_hispanic", 3),
    ("black", "hispanic", 1),
    ("black", "not_hispanic", 2),
    ("other", "hispanic", 2),
    ("asian", "not_hispanic", 3),
]


KINDS = [(race, ethnicity) for race in RACES for ethnicity in ETHNICITIES]


def population(rows):
    return population_of(rows, COLUMNS, "2020-04-01", "twelve")


def on_demand(people):
    """The same people as a shipped population has them: added up over ethnicity, with the Hispanics beside."""
    keys = [name for name in people.cells if name not in ("ethnicity", "people")]
    both = people.cells.assign(hispanic=people.cells["people"].where(people.cells["ethnicity"] == "hispanic", 0))
    cells = both.groupby(keys, observed=True, sort=True)[["people", "hispanic"]].sum().reset_index()
    hispanic = cells.pop("hispanic").to_numpy(np.int64)
    return Population(cells, people.provenance, lambda: hispanic)


def without_ethnicity(people):
    columns = [name for name in COLUMNS if name not in ("ethnicity", "people")]
    return Population(people.cells.groupby(columns, observed=True)["people"].sum().reset_index(), people.provenance)


PEOPLE = population([("OH", "39001", "F", 30, 1, race, ethnicity, n) for race, ethnicity, n in TWELVE])
PEOPLES = pytest.mark.parametrize("people", [PEOPLE, on_demand(PEOPLE)], ids=["cells", "on demand"])


def listed(race, **others):
    shown = {"gender": "value", "birth": "year", "geography": "county", **others}
    return replace(voter({"OH": list_of(rest="withheld", race=race, **shown)}), name=race)


def shown(view, race, ethnicity):
    """What a view tells of a person besides sex, age and place; by hand."""
    broad = race if race in ("white", "black") else "other"
    combined = {"broad_race_ethnicity": broad, "race_ethnicity": race}
    alone = {"none": "", "broad": broad, "value": race}
    name = view[Field.RACE]
    told = alone[name] if name in alone else "hispanic" if ethnicity == "hispanic" else combined[name]
    return told, ethnicity if view[Field.ETHNICITY] == "value" else ""


def forced(rows, record, row):
    """Compare each record with each row of the list: correct matches at random among those who may be the person."""
    people = [(kind[2:], kind[0], kind[1]) for *kind, n in rows for _ in range(n)]
    correct = 0.0
    for others, race, ethnicity in people:
        alike = {
            shown(row, *kind) for kind in KINDS if shown(record, *kind) == shown(record, race, ethnicity)
        }  # whoever has the values of the record, whether there is such a person or not
        correct += 1 / sum(o == others and shown(row, r, e) in alike for o, r, e in people)
    return correct


@PEOPLES
@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("race", [2, 3, 3, 4]),
        ("ethnicity", [4, 8]),
        ("race_ethnicity", [2, 3, 3, 4]),
        ("race+ethnicity", [1, 1, 2, 2, 3, 3]),
        ("race=broad", [3, 4, 5]),
        ("race=broad_race_ethnicity", [2, 3, 3, 4]),
        ("race=broad+ethnicity", [1, 1, 2, 2, 3, 3]),
    ],
)
def test_twelve_people_by_hand(people, text, groups):
    key = Granularities.parse(f"sex+{text}+birth=year+geography=county")
    merged = merge(people, key)
    assert sorted(merged.people.tolist()) == groups
    assert total_risk(merged).tolist() == [len(groups)]
    assert g_distinct(merged, [1]).tolist() == [[groups.count(1)]]


TOLD = [
    Granularities.parse(text)
    for text in ("race", "race=broad", "ethnicity", "race_ethnicity", "race=broad_race_ethnicity", "race+ethnicity", "")
]
ROWS = st.lists(
    st.tuples(
        st.sampled_from(RACES),
        st.sampled_from(ETHNICITIES),
        st.sampled_from(["M", "F"]),
        st.sampled_from([30, 31]),
        st.integers(1, 4),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda row: row[:4],
)


@pytest.mark.slow
@settings(deadline=None)
@given(ROWS, st.sampled_from(TOLD), st.sampled_from(TOLD))
def test_each_record_compared_with_each_row(rows, record, row):
    people = population([("OH", "39001", sex, age, 1, race, origin, n) for race, origin, sex, age, n in rows])
    key = record.compared(row).replace(gender="value", birth="year", geography="state")
    assert total_risk(merge(people, key)).item() == pytest.approx(forced(rows, record, row), rel=1e-12)


@PEOPLES
@pytest.mark.parametrize(
    ("policy", "granularity", "race", "right"),
    [
        # Hispanic 4, white 3, black 2, asian 3
        ("race+ethnicity", "race_ethnicity", "race=race_ethnicity", 4),
        ("race_ethnicity", "race_and_ethnicity", "race=race_ethnicity", 4),
        ("ethnicity", "race_ethnicity", "ethnicity", 2),
        ("race+ethnicity", "value", "race", 4),
        # 8 records of a race alone: 3 of 4 White, 2 of 3 Black, 3 of 3 Asian people; 4 Hispanics may be any of the 12
        ("race_ethnicity", "value", "race=race_ethnicity_to_race", 3 / 4 + 2 / 3 + 1 + 4 / 12),
        ("race=broad_race_ethnicity", "value", "race=broad_race_ethnicity_to_broad", 3 / 4 + 2 / 3 + 3 / 5 + 4 / 12),
        # 4 records of White people may be 3 or 4 listed as Hispanic, and so on
        ("race", "race_ethnicity", "race=race_to_race_ethnicity", 4 / 7 + 3 / 6 + 2 / 4 + 3 / 7),
        ("race=broad", "race_ethnicity", "race=broad_to_broad_race_ethnicity", 4 / 7 + 3 / 6 + 5 / 7),
    ],
)
def test_a_list_that_asks_race_in_another_way(people, policy, granularity, race, right):
    policy = policy_from_text(f"sex+{policy}+birth=year+geography=county")
    (profile,) = compare(Cases(people, [policy], [listed(granularity)], g=[1]))
    bounds = profile.people(TOTAL_RISK)
    assert profile.linkage_key == f"gender+{race}+birth=year+geography=county"
    assert (bounds.low, bounds.high, profile.status) == (pytest.approx(right), bounds.low, "ok")
    row = Granularities.parse({"value": "race", "race_and_ethnicity": "race+ethnicity"}.get(granularity, granularity))
    assert forced([(*kind, "F", 30, n) for *kind, n in TWELVE], policy.releases, row) == pytest.approx(right)


def test_a_ratio_goes_over_the_same_lists_whether_race_decides_or_not():
    """Birth is unknown, and race is asked in another way: the policy without race feels the first alone."""
    rows = [("OH", "39001", "F", 30, 1, race, origin, n) for race, origin, n in TWELVE]
    rows.append(("OH", "39001", "F", 31, 1, "white", "not_hispanic", 1))
    unsure = listed("race_ethnicity", birth="unknown")
    policies = [policy_from_text(f"sex+{race}birth=year+geography=county") for race in ("race+", "")]

    def ratios(people):
        answer = compare(Cases(people, policies, [unsure], g=[1]))
        above, below = (next(p for p in answer if p.policy == policy.name) for policy in policies)
        assert above.status == below.status == "interval"
        ratio = TrustDifferential(above, below, TOTAL_RISK).ratio
        turned = TrustDifferential(below, above, TOTAL_RISK).ratio
        assert (turned.low, turned.high) == pytest.approx((1 / ratio.high, 1 / ratio.low))
        return ratio.low, ratio.high

    # without birth 5 of 8 White, 3 of 6 Black, 2 of 4 others and 3 of 7 Asian people; with it who is 31 is alone
    with_race, without = (5 / 8 + 3 / 6 + 2 / 4 + 3 / 7, 2 + 1), (1, 2)
    exact = sorted(a / b for a, b in zip(with_race, without, strict=True))
    assert ratios(population(rows)) == pytest.approx(tuple(exact))
    # 1, 2, 4 and 5 groups with race, 1, 2, 1 and 2 without
    assert ratios(without_ethnicity(population(rows))) == pytest.approx((1, 4))


def test_a_list_without_race_has_no_ethnicity():
    policy = policy_from_text("sex+race_ethnicity+birth=year+geography=county")
    (profile,) = compare(Cases(PEOPLE, [policy], [listed("withheld")], g=[1]))
    assert profile.linkage_key == "gender+birth=year+geography=county"


def test_a_list_of_which_race_is_unknown_may_have_both():
    policy = policy_from_text("sex+race+ethnicity+birth=year+geography=county")
    (profile,) = compare(Cases(PEOPLE, [policy], [listed("unknown")], g=[1]))
    assert profile.linkage_key == "gender+birth=year+geography=county[+race][+ethnicity]"
    assert (profile.people(TOTAL_RISK).low, profile.people(TOTAL_RISK).high) == (1, 6)
    assert profile.reason.endswith("unknown whether the list has race, ethnicity")


@PEOPLES
@pytest.mark.parametrize(
    ("policy", "by", "expected"),
    [
        # 1 of 4 White, 1 of 3 Black and both others are Hispanic
        ("race", "ethnicity", {"hispanic": 1 / 4 + 1 / 3 + 1, "not_hispanic": 3 / 4 + 2 / 3 + 1}),
        # Hispanics are one group: 1 White, 1 Black and 2 of another race
        ("race_ethnicity", "ethnicity", {"hispanic": 1, "not_hispanic": 3}),
        ("race_ethnicity", "race", {"white": 1 + 1 / 4, "black": 1 + 1 / 4, "other": 2 / 4, "asian": 1}),
    ],
)
def test_the_parts_of_a_breakdown_by_hand(people, policy, by, expected):
    policy = policy_from_text(f"sex+{policy}+birth=year+geography=county")
    parts = break_down(Cases(people, [policy], [GENERAL], g=[1]), by)
    total = [part for part in parts if part.measure == TOTAL_RISK]
    assert {part.value: part.people.low for part in total} == pytest.approx(expected)
    if by == "ethnicity":
        assert {part.value: part.members for part in total} == {"hispanic": 4, "not_hispanic": 8}


def test_a_population_without_ethnicity_says_so():
    bare = without_ethnicity(PEOPLE)
    says = r"^population twelve has no ethnicity, which the linkage key race=race_ethnicity\+geography=county needs"
    with pytest.raises(InputError, match=says):
        merge(bare, Granularities.parse("race_ethnicity+geography=county"))
    (profile,) = compare(
        Cases(bare, [policy_from_text("sex+race+geography=county")], [listed("race_ethnicity")], g=[1])
    )
    assert (profile.people(TOTAL_RISK).low, profile.people(TOTAL_RISK).high) == (1, 4), "both ends need race alone"
    assert "population twelve has no ethnicity" in profile.reason


@PEOPLES
def test_every_policy_with_ethnicity_is_measured_as_alone(people):
    plain, with_ethnicity = lattice_of(people), lattice_of(people, ethnicity=True)
    assert len(with_ethnicity) == len(plain) * 7 // 3  # three ways of race alone, four with ethnicity
    found = explore(people, ["OH"], lattice=with_ethnicity, g=[1])
    assert "gender+race=race_ethnicity+birth=year+geography=county" in found.policies
    for name, policy in list(found.policies.items())[::97]:
        alone = total_risk(merge(people, policy.releases, ["OH"], conditions=policy.conditions)).item()
        (row,) = found.rows[found.rows["policy"] == name].itertuples()
        assert row.total_risk == pytest.approx(alone, rel=1e-12), name
    met = found.meeting(Needs.of(["race_ethnicity"])).policies.values()
    assert {policy.releases[Field.RACE] for policy in met} == {"race_ethnicity", "value"}
    assert all(policy.releases[Field.ETHNICITY] == "value" for policy in met if policy.releases[Field.RACE] == "value")


@PEOPLES
def test_a_group_is_explained_with_its_ethnicity(people):
    key = Granularities.parse("sex+race_ethnicity+birth=year+geography=county"), NO_CONDITIONS, None
    counts, worked = explain_groups(people, "OH", key, 1.0)
    assert (counts.groups, counts.people) == (4, 12)
    assert worked.values["race"] in {"hispanic", "Hispanic", "white", "asian"}
    both = Granularities.parse("race+ethnicity+geography=county"), NO_CONDITIONS, None
    _, worked = explain_groups(people, "OH", both, 1.0)
    assert worked.values["ethnicity"] in {"Hispanic", "not Hispanic"}


@PEOPLES
def test_people_made_one_by_one_show_their_ethnicity(people):
    """Each group is one match a run with the list of everyone, whoever is drawn."""
    policies = [
        policy_from_text(f"sex+{text}+birth=year+geography=county") for text in ("race_ethnicity", "race+ethnicity")
    ]
    attacks = [
        attack
        for attack in simulate(Cases(people, policies, [GENERAL], ["OH"]), runs=20)
        if attack.measure == TOTAL_RISK
    ]
    assert [attack.expected for attack in attacks] == [4, 6]
    assert all(attack.interval.low <= attack.expected <= attack.interval.high for attack in attacks)


@PEOPLES
def test_years_of_birth_with_ethnicity(people):
    key = Granularities.parse("race_ethnicity+birth=year+geography=county")
    found = by_year_of_birth(people, key, "OH", 0.25, [1])
    # four groups of 4, 3, 2 and 3 people, each in one of two years with the chances 1/4 and 3/4
    occupied = sum(2 - 0.75**n - 0.25**n for n in (4, 3, 2, 3))
    assert found[0] == pytest.approx(occupied)


def test_zip_codes_of_a_county_with_ethnicity():
    """Half of the county lives in each of two ZIP code areas: of n people, both are occupied but with chance 2/2^n."""
    zips = ZipShares(np.array([0, 0]), np.array(["43001", "43002"]), np.array([0.5, 0.5]), np.array([1e9]), {})
    key = Granularities.parse("sex+race_ethnicity+birth=year+geography=county_zip5")
    for people in (PEOPLE, on_demand(PEOPLE)):
        groups = merge(PeopleByZip(people, zips), key, ["OH"])
        expected = sum(2 * (1 - 0.5**n) for n in (4, 3, 2, 3))
        assert total_risk(groups).item() == pytest.approx(expected, rel=1e-6)


class Known(Coverage):
    """A list that holds people of two counties and ages with four chances, and records of people who left."""

    def listing(self, population):
        chance = np.zeros((2, YEARS_OF_AGE))
        chance[:, [30, 31]] = [[0.9, 0.5], [0.4, 0.7]]
        return Listing(("39001", "39003"), chance, np.array([0.2, 0.4]))


@pytest.mark.parametrize(("policy", "granularity"), [("race", "race_ethnicity"), ("race_ethnicity", "value")])
@pytest.mark.parametrize("geography", ["county", "state"])
def test_people_linked_one_by_one_on_a_list_by_county_and_age(policy, granularity, geography):
    """Two years of age, and the counties of a state, are listed with chances of their own."""
    rows = [
        ("OH", county, sex, age, 1, *kind, 20 + 40 * (kind[0] == "white") + age % 2)
        for county in ("39001", "39003")
        for sex in ("M", "F")
        for age in (30, 31)
        for kind in KINDS
    ]
    policy = policy_from_text(f"sex+{policy}+birth=date+geography={geography}")
    attacker = covered(listed(granularity, birth="date"), Known("registered", "known"))
    cases = Cases(population(rows), [policy], [attacker], ["OH"])
    attacks = simulate(cases, runs=60)
    assert len(attacks) > 2
    assert all(attack.agrees for attack in attacks)
    parts = break_down(replace(cases, g=[1]), "race")
    whole = compare(replace(cases, g=[1])).profiles[0]
    for measure in (TOTAL_RISK, Measure("g-distinct", 1)):
        summed = sum(part.people.low for part in parts if part.measure == measure)
        assert summed == pytest.approx(whole.people(measure).low, rel=1e-9)


@pytest.mark.parametrize(("policy", "granularity"), [("race", "race_ethnicity"), ("race_ethnicity", "value")])
def test_people_linked_one_by_one_where_race_is_asked_in_two_ways(policy, granularity):
    """Forty people of every kind and sex, with birthdays; everyone is on the list."""
    rows = [("OH", "39001", sex, 30, 1, *kind, 40) for sex in ("M", "F") for kind in KINDS]
    policy = policy_from_text(f"sex+{policy}+birth=date+geography=county")
    attacker = listed(granularity, birth="date")
    attacks = simulate(Cases(population(rows), [policy], [attacker], ["OH"]), runs=40)
    assert [attack.measure.name for attack in attacks[:2]] == ["total-risk", "g-distinct"]
    assert all(attack.agrees for attack in attacks)
    (profile,) = compare(Cases(population(rows), [policy], [attacker], g=[1]), spread=True)
    for attack in attacks[:2]:
        assert attack.spread**2 < profile.figures[attack.measure].variance.low


@pytest.mark.parametrize(("file", "asked"), [("race", "race_ethnicity"), ("race_ethnicity", "race")])
def test_a_file_of_everybody_compared_with_a_list_that_asks_race_in_another_way(file, asked):
    fields = "+sex+birth=year+geography=county"
    key = Granularities.parse(file + fields).compared(Granularities.parse(asked + fields))
    combined = PEOPLE.cells["race"].astype(str).where(PEOPLE.cells["ethnicity"] != "hispanic", "hispanic")
    rows = PEOPLE.cells[["state", "county", "sex", "age", "people"]].astype(
        {"age": object, "state": str, "county": str}
    )
    rows = rows.assign(**{file: combined if file == "race_ethnicity" else PEOPLE.cells["race"].astype(str)})
    file = FileCells(rows.rename(columns={"people": "records"}), np.full(len(rows), "", dtype=object))
    known = Known("registered", "known").listing(PEOPLE)
    for listing in (None, known, replace(known, stale=np.zeros(2))):
        groups, expected = people_of_groups(file, PEOPLE, key, listing=listing), merge(PEOPLE, key, listing=listing)
        assert rows["people"].to_numpy() @ groups.chance == pytest.approx(total_risk(expected).item())
