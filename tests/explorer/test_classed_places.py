"""The page where people live in ZIP code areas by age and race: figures of Python, and of one bin counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from policy_sim.attackers import ADULTS, GENERAL, covered, voter
from policy_sim.attackers.county_coverage import load_coverage
from policy_sim.explorer.packing import packed_factors
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.people.composed import factors_of_parts
from policy_sim.people.composition import BYTE_COLUMNS, Composition
from policy_sim.people.zips import PeopleByZip, parts_of
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import Conditions, Policy
from policy_sim.study.study import Study
from policy_sim.voter_lists.list_field import ListField
from policy_sim.words.fields import Granularities

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CLOSE = 1e-6  # relative: factors are the same bytes, and what the page leaves out of its sums is below this
STATES = ("DC", "DE", "VT")
EVERYONE = {"who": "everyone", "coverage": "everyone", "inFile": None, "g": 5, "price": None, "list": {}}
REGISTERED = EVERYONE | {"who": "list", "coverage": "registered"}
SURVEYED = EVERYONE | {"who": "list", "coverage": "adults"}


@pytest.fixture(scope="module")
def composed() -> Study:
    return Study(Study("us-2020-zcta").people.in_states(STATES))


@pytest.fixture(scope="module")
def opened(browser, composed, tmp_path_factory):
    path = tmp_path_factory.mktemp("classed") / "explorer.html"
    path.write_text(composed.explorer(), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri() + "#s=DE&s2=VT")
    page.wait_for_selector("html[data-ready]", timeout=180_000)
    yield page
    page.close()


def test_chances_of_every_part_are_those_of_the_population(opened, composed):
    assert isinstance(composed._counted_by_zip, PeopleByZip)
    zips = composed._counted_by_zip.zips
    ours = opened.evaluate(
        """() => {
          const {composition, facts} = explorer.app.model;
          return facts.counties.code.map((_, county) => Array.from(composition.chances(county)));
        }"""
    )
    assert zips.composition is not None
    assert len(ours) == zips.county.max() + 1
    for county, found in enumerate(ours):
        np.testing.assert_allclose(
            np.reshape(found, (-1, zips.composition.shape[1])), zips.composition[zips.county == county], rtol=1e-12
        )


def test_factors_are_read_back(composed):
    parts = parts_of(composed.people)
    factors = factors_of_parts(composed.people, parts)
    assert factors is not None
    counties = sorted(set(parts["county"].astype(str)))[::40]
    held = parts[parts["people"] > 0].assign(row=lambda each: each.index).sort_values(["county", "zip5"])
    held = held[held["county"].isin(counties)]
    zips = sorted(set(held["zip5"]))
    packed = np.frombuffer(packed_factors(counties, parts, factors), dtype=np.uint8)
    codes = packed[: len(zips) * len(BYTE_COLUMNS)].reshape(len(BYTE_COLUMNS), -1).T
    low, high = packed[codes.size :].reshape(2, -1).astype(int)
    folded = low + 256 * high
    assert (codes[np.searchsorted(zips, held["zip5"])] == factors.codes[held["row"]]).all()
    assert (np.where(folded % 2, -(folded + 1) // 2, folded // 2) + 32768 == factors.weights[held["row"]]).all()
    assert packed_factors(counties, parts, None) == packed_factors(counties, None, None) == b""


def _policy(text: str) -> Policy:
    if "=" not in text:
        return load_policy(text)
    shown = dict(part.split("=") for part in text.split(","))
    top = shown.pop("top", None)
    return Policy(text, text, Granularities(shown), "", Conditions(int(top) if top else None))


@pytest.mark.parametrize(
    ("state", "policy", "setting"),
    [
        ("DE", "limited-dataset", EVERYONE),
        ("DE", "limited-dataset", REGISTERED),
        ("DE", "safe-harbor", REGISTERED),
        ("DE", "limited-dataset", SURVEYED | {"list": {"race": "value"}}),
        ("DE", "limited-dataset-race-alone", SURVEYED | {"list": {"race": "value"}}),
        ("VT", "zip3", EVERYONE | {"inFile": 0.3}),
        ("DC", "safe-harbor", EVERYONE),
        ("DE", "gender=value,birth=five_years,geography=area:20000", EVERYONE),
        ("DE", "gender=value,race=value,birth=year,geography=county_zip5,top=85", SURVEYED),
        ("VT", "gender=value,birth=none,geography=county_zip5", REGISTERED),
        ("VT", "gender=none,geography=zip3", EVERYONE),
    ],
)
def test_figures_are_those_of_compare(opened, composed, state, policy, setting):
    alone = Study(composed.people.in_states([state]))
    attacker = GENERAL
    if setting["who"] == "list":
        unrestricted = alone.unrestricted_voter
        newest = unrestricted.voter_lists.newest_vintage
        coverage = load_coverage("registered", newest) if setting["coverage"] == "registered" else ADULTS
        attacker = covered(_with_fields(unrestricted, setting["list"]), coverage)
    (profile,) = alone.compare([_policy(policy)], [attacker], state, [1, 5], in_file=setting["inFile"]).profiles
    found = opened.evaluate("([c, p, s]) => explorer.evaluate(c, p, s)", [state, policy, setting])
    assert found["status"] == profile.status
    rows = {"risk": "total-risk", "alone": "1-distinct", "distinct": "5-distinct", "claims": "claims"}
    for name, measure in [*rows.items(), ("correct", "correct-claims")]:
        held = profile.people(measure)
        ours = [found["low"][name], found["high"][name]]
        assert ours == pytest.approx([held.low, held.high], rel=CLOSE, abs=1e-9), name
    assert found["low"]["risk"] > 0


def _with_fields(holder, changes):
    fields = {name: ListField("included", word) for name, word in changes.items()}
    lists = holder.voter_lists.lists
    edited = {code: replace(each, fields={**each.fields, **fields}) for code, each in lists.items()}
    return voter(edited, holder.vintage)


def test_ends_of_ranges_and_the_ratio_are_those_of_compare(opened, composed):
    policies = ["limited-dataset", "safe-harbor"]
    found = opened.evaluate(
        """([policies, setting]) => {
          const {app, evaluate, rangeOf, ratioRange} = explorer;
          const {answers, model} = app;
          const of = (policy) => {
            const others = atOnce(answers.others(model.byCode.get("DE"), policy, setting, 5));
            return {...evaluate("DE", policy, setting), others};
          };
          const [above, below] = policies.map(of);
          return {ends: [above, below].map((each) => rangeOf(each, "risk")), ratio: ratioRange(above, below, "risk")};
        }""",
        [policies, REGISTERED],
    )
    answer = Study(composed.people.in_states(["DE"])).compare(policies, "voter", g=1)
    for policy, ends in zip(policies, found["ends"], strict=True):
        held = answer.profile("DE", policy, "voter").share_range(TOTAL_RISK)
        assert ends == pytest.approx([held.low, held.high], rel=CLOSE)
        assert held.low < held.high
    (ratio,) = (each for each in answer.trust(*policies) if each.measure == TOTAL_RISK)
    assert found["ratio"] == pytest.approx([ratio.range.low, ratio.range.high], rel=CLOSE)


def test_counties_add_up_sizes_are_a_curve_and_a_file_from_every_county_is_one_of_the_state(opened):
    setting = EVERYONE | {"inFile": 0.05}
    whole, parts, curve, several = opened.evaluate(
        """(setting) => {
          const {evaluate, counties, curve, app} = explorer;
          const {byCode} = app.model;
          const state = byCode.get("VT");
          const chances = state.counties.map(() => setting.inFile);
          const from = {counties: state.counties, chances, records: setting.inFile * state.people};
          const policy = "limited-dataset";
          const whole = evaluate("VT", policy, setting);
          return [whole, counties("VT", policy, setting), Array.from(curve("VT", policy, setting, 5)[0]),
                  evaluate("VT", policy, {...setting, from})];
        }""",
        setting,
    )
    for name in ("risk", "alone", "distinct"):
        assert sum(part[name] for part in parts) == pytest.approx(whole["low"][name], rel=CLOSE)
        assert several["low"][name] == pytest.approx(whole["low"][name], rel=CLOSE)
    assert curve[5] * whole["records"] == pytest.approx(whole["low"]["distinct"], rel=CLOSE)


# One bin, counted by hand.


def _by_hand(people, chances, listed, gone, bins, most):
    """Return correct links, wrong claims, and listed people by the entries of their bin, person by person."""
    x = [q * c / bins for n, q, c in zip(people, chances, listed, strict=True) for _ in range(n)]
    missed = [q * (1 - c) / bins for n, q, c in zip(people, chances, listed, strict=True) for _ in range(n)]
    stale = gone * sum(x)
    poisson = [np.exp(-stale)]
    for k in range(1, 40):
        poisson.append(poisson[-1] * stale / k)

    def entries(of):
        sums = np.ones(1)
        for chance in of:
            sums = np.convolve(sums, [1 - chance, chance])
        return sums

    risk, sizes = 0.0, np.zeros(most + 1)
    for own, chance in enumerate(entries(x)):
        for others, by in enumerate(poisson):
            if own:
                risk += chance * by * own / (own + others)
                if own + others <= most:
                    sizes[own + others] += chance * by * own
    wrong = 0.0
    for i, left in enumerate(missed):
        rest = np.append(entries(x[:i] + x[i + 1 :]), 0.0)
        wrong += left * (rest[1] * poisson[0] + rest[0] * poisson[1])
    return [bins * risk, bins * wrong, *(bins * sizes[1:])]


IN_A_BIN = """([people, chances, listed, gone, bins, most]) => {
  const held = {bins: [bins], w: [1], first: [0, people.length], kind: people.map((_, i) => i), n: people,
                chance: Float64Array.from(listed), gone, own: null};
  const q = Float64Array.from(chances);
  const ways = {
    thick: (sum, sizes) => addThick(sum, sizes, [{held, q}], 0, 1, 1, true),
    thin: (sum, sizes) => addThin(sum, sizes, [{held, q}], 0, 1, 1, true),
    few: (sum, sizes) => addFew(sum, sizes, held, new PowerSums([q]), 0, 1, 1, true),
  };
  return Object.fromEntries(Object.entries(ways).map(([name, add]) => {
    const [sum, sizes] = [{risk: 0, wrong: 0}, new Float64Array(most + 1)];
    const added = add(sum, sizes);
    return [name, added === false ? null : [sum.risk, sum.wrong, ...sizes.slice(1)]];
  }));
}"""


@pytest.mark.parametrize(
    ("people", "chances", "listed", "gone", "bins"),
    [
        ((3, 2), (0.3, 0.1), (0.8, 0.8), 0.0, 365),
        ((3, 2), (0.3, 0.1), (0.8, 0.8), 0.3, 365),
        ((40,), (0.7,), (0.6,), 0.2, 365),
        ((5, 1, 9), (0.3, 0.9, 0.2), (0.8, 0.5, 1.0), 0.0, 1),
        ((5, 1, 9), (0.01, 0.02, 0.004), (0.8, 0.8, 0.8), 0.0, 1),
        ((1, 4), (0.005, 0.01), (0.7, 0.7), 0.1, 1),
        ((2, 6), (1.0, 0.6), (1.0, 0.9), 0.0, 1),
        ((1, 6), (1.0, 0.02), (1.0, 0.9), 0.0, 1),
        ((30, 30), (0.8, 0.9), (1.0, 1.0), 0.0, 12),
    ],
)
def test_a_bin_is_that_of_each_person_by_hand(opened, people, chances, listed, gone, bins):
    found = opened.evaluate(IN_A_BIN, [people, chances, listed, gone, bins, 4])
    by_hand = _by_hand(people, chances, listed, gone, bins, 4)
    # with stale records people of unlike chances count as alike ones (docs/model.md): right to 3e-6 of the links
    rel = [3e-6 if gone else 1e-9, *[1e-9] * (len(by_hand) - 1)]
    for ours, theirs, each in zip(found["thick"], by_hand, rel, strict=True):
        assert ours == pytest.approx(theirs, rel=each, abs=1e-10)
    if bins >= 100:  # three powers of a chance: of a person at most 1e-8 is left out
        assert found["thin"] == pytest.approx(by_hand, rel=CLOSE, abs=1e-8 * sum(people))
    is_few = len(people) < 3 and sum(n * q * c for n, q, c in zip(people, chances, listed, strict=True)) < 0.1 * bins
    assert (found["few"] is not None) == (is_few and len(set(listed)) == 1)
    if found["few"]:
        assert found["few"] == pytest.approx(by_hand, rel=CLOSE, abs=1e-8 * sum(people))


def test_chances_add_up_in_a_county_and_follow_the_factors():
    """Two parts: half of the people each; adults of one group live twice as often in the first."""
    codes = np.full((2, len(BYTE_COLUMNS)), 128, dtype=np.uint8)
    codes[0, BYTE_COLUMNS.index("adult_black")] = 128 + round(32 * np.log(2))
    chance = Composition.of_bytes(codes, np.full(2, 32768, dtype=np.uint16)).chances(np.zeros(2, int), np.full(2, 0.5))
    assert chance.sum(axis=0) == pytest.approx(1.0)
    assert chance[0, -5] == pytest.approx(2 / 3, rel=2e-3)  # 65 and over, Black
    assert chance[0, 2] == pytest.approx(0.5)  # a child
