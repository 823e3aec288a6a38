"""The page in a real browser: its figures are Python's, and it talks to nobody."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from exact_lists import MixedGroups
from pinned import pinned

from policy_sim.attackers import ADULTS, GENERAL, Coverage, covered, voter
from policy_sim.attackers.county_coverage import load_coverage
from policy_sim.attackers.coverage import list_records
from policy_sim.attackers.files import resource_holder
from policy_sim.explorer import page as module
from policy_sim.model.measure import TOTAL_RISK, Measure
from policy_sim.model.profile import TrustDifferential
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import Conditions, Policy
from policy_sim.study.study import Study, as_released, explorer_files, explorer_policies
from policy_sim.voter_lists.list_field import ListField
from policy_sim.words.errors import OutputError
from policy_sim.words.fields import GRANULARITIES, Field, Granularities, is_area

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SETTINGS = pinned(30, 500)
FILES = explorer_files()
TOLERANCE = 1e-9  # relative; of a person where a figure is less than one
LISTED = 1e-7  # of who is on a list by county and age: the mean share of a guess, by recursion there
LISTED_BY_ZIP = 2e-3  # there the figures of stale records in ZIP codes take shortcuts, which the page does not
EVERYONE = {"who": "everyone", "coverage": "everyone", "inFile": None, "g": 1, "price": None, "list": {}}
EVALUATE = """questions => questions.map(([state, policy, setting]) => {
  const result = explorer.evaluate(state, policy, setting);
  const price = setting.who !== "everyone" ? explorer.price(state, setting) : null;
  const {status, low, high, records} = result;
  return {status, low, high, records, price: price && price.usd};
})"""


def evaluated(page, state, policy, setting):
    return page.evaluate(
        "([state, policy, setting]) => explorer.evaluate(state, policy, setting)", [state, policy, setting]
    )


def _random_policy(rng) -> tuple[str, Policy]:
    """Return a shipped policy or one of the reader's own, as the page writes it."""
    shipped = explorer_policies()
    if rng.random() < 0.5:
        policy = shipped[rng.integers(len(shipped))]
        return policy.name, policy
    shown = {
        "gender": rng.choice(["none", "value"]),
        "race": rng.choice(["none", "broad", "value"]),
        "birth": rng.choice(
            ["none", "fifteen_years", "decade", "five_years", "two_years", "year", "quarter", "month", "date"]
        ),
        "geography": rng.choice(["state", "county", "zip3", "county_zip5", "area:20000", "area:100000"]),
    }
    top = int(rng.choice([80, 85, 90, 103])) if rng.random() < 0.5 else None
    text = ",".join(f"{field}={name}" for field, name in shown.items()) + (f",top={top}" if top else "")
    return text, _policy_of(text)


def _policy_of(text: str) -> Policy:
    """Return the reader's own policy of a text."""
    shown = dict(part.split("=") for part in text.split(","))
    top = shown.pop("top", None)
    return Policy(text, text, Granularities(shown), "", Conditions(int(top) if top else None))


def _random_changes(rng) -> dict[str, str]:
    """Return changes of the list fields."""
    changes = {}
    for name, held in (("gender", "value"), ("race", "value"), ("birth", "date"), ("geography", "county")):
        if rng.random() < 0.3:
            changes[name] = "withheld" if rng.random() < 0.5 else held
    return changes


def _holder(study, state, coverage, changes, adults):
    """Return who holds the changed lists, on which are whom the page means by the coverage; ``adults`` of the state."""
    lists = study.unrestricted_voter.voter_lists
    fields = {
        name: ListField("withheld") if word == "withheld" else ListField("included", word)
        for name, word in changes.items()
    }
    edited = {code: replace(each, fields={**each.fields, **fields}) for code, each in lists.lists.items()}
    holder = voter(edited, study.unrestricted_voter.vintage)
    if coverage == "everyone":
        return holder
    if coverage in ("registered", "survey"):
        return covered(holder, load_coverage(coverage, lists.newest_vintage))
    share = coverage != "adults" and Coverage("share", "a share", {state: round(coverage * adults)})
    return covered(holder, share or ADULTS)


def _random_question(rng, study, adults):
    """Return the question for the page, and the same for Python."""
    state = str(rng.choice(study.people.states))
    text, policy = _random_policy(rng)
    in_file = float(10 ** rng.uniform(-4, 0)) if rng.random() < 0.5 else None
    g = int(rng.integers(1, 51))
    setting = EVERYONE | {"inFile": in_file, "g": g}
    attacker = GENERAL
    who = rng.random()
    if who < 0.2:
        file = FILES[rng.integers(len(FILES))]
        share = round(float(rng.random()), 3) if rng.random() < 0.4 else None
        state = str(rng.choice(file.states or study.people.states))
        setting |= {"who": file.name, "share": share}
        attacker = resource_holder(file if share is None else file.changed(state, {"share": str(share)}))
    elif who < 0.7:
        coverage = str(rng.choice(["everyone", "adults", "registered", "survey", "share"]))
        if coverage == "share":
            coverage = int(rng.integers(1, adults[state] + 1)) / adults[state]
        changes = _random_changes(rng)
        attacker = _holder(study, state, coverage, changes, adults[state])
        setting |= {"who": "list", "coverage": coverage, "list": changes}
    return [state, text, setting], SimpleNamespace(state=state, policy=policy, attacker=attacker, in_file=in_file, g=g)


@pytest.fixture(scope="module")
def questions(study):
    rng = np.random.default_rng(14)
    adults = {state: int(people) for state, people in list_records(study.people, ADULTS).items()}
    return [_random_question(rng, study, adults) for _ in range(SETTINGS)]


@pytest.fixture(scope="module")
def python_answers(study, questions):
    """Profile of each question, and the price of its list; a state alone is merged faster than within the nation."""
    states = {each.state: Study(study.people.in_states([each.state])) for _, each in questions}
    answers = []
    for _, each in questions:
        found = states[each.state].compare(
            [each.policy], [each.attacker], each.state, [1, each.g] if each.g > 1 else 1, in_file=each.in_file
        )
        (profile,) = found.profiles
        price = states[each.state].cost_of(found)[0].price_usd if each.attacker.holds_file else None
        answers.append((profile, price))
    return answers


def test_figures_are_pythons_and_nothing_is_requested(first, questions, python_answers):
    page = first
    answers = page.evaluate(EVALUATE, [question for question, _ in questions])
    measures = {"risk": "total-risk", "alone": "1-distinct", "claims": "claims", "correct": "correct-claims"}
    compared = 0
    for answer, (asked, each), (profile, price) in zip(answers, questions, python_answers, strict=True):
        place = str(each.policy.releases[Field.GEOGRAPHY])
        by_zip = ("zip" in place or is_area(place)) and each.in_file is None
        rel = (LISTED_BY_ZIP if by_zip else LISTED) if asked[2]["coverage"] == "registered" else TOLERANCE
        assert answer["status"] == profile.status, each
        if answer["low"] is None:
            assert profile.people("total-risk") is None
            continue
        for name, measure in [*measures.items(), ("distinct", f"{each.g}-distinct")]:
            bounds = profile.people(measure)
            for ours, theirs in ((answer["low"], bounds.low), (answer["high"], bounds.high)):
                assert ours[name] == pytest.approx(theirs, rel=rel, abs=TOLERANCE), (each, name)
                compared += 1
        assert answer["records"] == pytest.approx(profile.records, rel=TOLERANCE)
        if price is None:
            assert answer["price"] is None
        else:
            assert answer["price"] == pytest.approx(price, rel=TOLERANCE)
    assert compared > 5 * SETTINGS
    assert {setting["who"] for _, _, setting in (question for question, _ in questions)} > {file.name for file in FILES}
    assert [url for url in page.requests if not url.startswith(("file:", "blob:"))] == []  # blob: its own workers
    assert len([url for url in page.requests if url.startswith("file:")]) == 1
    assert page.errors == []


def test_the_people_are_unpacked_as_they_were(first, study):
    cells = study.people.cells
    ours = first.evaluate(
        "explorer.app.model.facts.counties.code.map((code) => [code, explorer.people(code).reduce((a, b) => a + b)])"
    )
    assert dict(ours) == cells.groupby("county", observed=False)["people"].sum().to_dict()


REGISTERED = EVERYONE | {"who": "list", "coverage": "registered"}
LISTED_ADULTS = EVERYONE | {"who": "list", "coverage": "adults"}
PAPER = ("safe-harbor-paper", "limited-dataset-paper")


def _curve(page, state, policy, setting, most):
    ask = "([c, p, s, most]) => explorer.curve(c, p, s, most).map(c => Array.from(c))"
    (curve,) = page.evaluate(ask, [state, policy, setting, most])
    return np.array(curve)


@pytest.mark.parametrize("policy", PAPER)
@pytest.mark.parametrize(
    ("state", "setting", "rel"), [("DE", EVERYONE, TOLERANCE), ("NC", REGISTERED, LISTED), ("SC", REGISTERED, LISTED)]
)
def test_counties_are_those_of_the_breakdown(first, study, policy, state, setting, rel):
    """Also of a key without the county, where each bears the part of the state's groups that its people are."""
    codes = first.evaluate("explorer.app.model.facts.counties.code")
    parts = first.evaluate("([c, p, s]) => explorer.counties(c, p, s)", [state, policy, setting | {"g": 5}])
    who = "general" if setting is EVERYONE else "voter"
    frame = study.break_down("county", policy, who, state, 5, rules="paper").to_frame()
    for name, measure in (("risk", "total-risk"), ("distinct", "g-distinct")):
        people = frame[frame["measure"] == measure].set_index("value")["people"]
        assert {codes[part["county"]]: part[name] for part in parts} == pytest.approx(people.to_dict(), rel=rel)


@pytest.mark.parametrize("policy", PAPER)
def test_counties_add_up_to_their_state(first, policy):
    setting = EVERYONE | {"inFile": 0.05, "g": 4}
    whole = evaluated(first, "VT", policy, setting)["low"]
    parts = first.evaluate("([p, s]) => explorer.counties('VT', p, s)", [policy, setting])
    for name in ("risk", "alone", "distinct"):
        assert sum(part[name] for part in parts) == pytest.approx(whole[name], rel=TOLERANCE)


@pytest.mark.parametrize("policy", PAPER)
@pytest.mark.parametrize(
    ("state", "setting", "most", "rel"),
    [("WY", EVERYONE, 5000, TOLERANCE), ("NC", REGISTERED, 2000, LISTED), ("SC", REGISTERED, 32, LISTED)],
)
def test_the_curve_is_that_of_python(first, study, policy, state, setting, most, rel):
    ours = _curve(first, state, policy, setting, most)
    (theirs,) = study.curves(state, policy, "general" if setting is EVERYONE else "voter", most, rules="paper")
    exact = most if setting is EVERYONE else 32  # larger sizes are of plain groups nearly alike, in Python on a grid
    np.testing.assert_allclose(ours[1 : exact + 1], theirs.low[:exact], rtol=rel, atol=1e-12)
    np.testing.assert_allclose(ours[exact + 1 :], theirs.low[exact:], rtol=5e-3, atol=1e-12)


@pytest.mark.parametrize(
    ("state", "policy", "setting"),
    [
        *(("HI", policy, EVERYONE) for policy in ("limited-dataset", "safe-harbor")),
        *(("SC", policy, LISTED_ADULTS) for policy in ("limited-dataset-race-alone", "safe-harbor-race-alone")),
    ],
)
def test_the_curve_by_zip_code_is_that_of_python(first, study, state, policy, setting):
    """Also of race asked in two ways."""
    ours = _curve(first, state, policy, setting, 50)
    attacker = GENERAL if setting is EVERYONE else covered(study.unrestricted_voter, ADULTS)
    (profile,) = study.compare(policy, [attacker], state, [1, 2, 7, 50]).profiles
    for g in (1, 2, 7, 50):
        assert ours[g] == pytest.approx(profile.share(f"{g}-distinct").low, rel=1e-7, abs=1e-12), g


# Who is on a list by county and age, and records of people who left.


def test_who_is_listed_is_told_as_python_counts_it(first, study):
    """Among them counties where everyone of an age is listed, and where all are; no age under 18."""
    registered = load_coverage("registered", study.unrestricted_voter.voter_lists.newest_vintage)
    listing, codes = registered.listing(study.people), first.evaluate("explorer.app.model.facts.counties.code")
    ours = first.evaluate(
        """() => {
          const {listing, facts} = explorer.app.model;
          return facts.counties.code.map((_, i) => [Array.from(listing.chance(i)).slice(0, 100), listing.stale(i)]);
        }"""
    )
    assert tuple(codes) == listing.county
    np.testing.assert_allclose([chance for chance, _ in ours], listing.chance[:, :100], rtol=1e-12)
    np.testing.assert_allclose([stale for _, stale in ours], listing.stale, rtol=1e-12)
    assert max(max(chance) for chance, _ in ours) == 1
    records = first.evaluate(
        """() => Object.fromEntries(explorer.app.model.states.map(({code, counties}) => {
          const {listed, stale} = explorer.app.model.listing.records(counties);
          return [code, listed + stale];
        }))"""
    )
    assert records == registered.records(study.people)


FIGURES = "({risk, alone, claims, distinct}) => [risk, alone, claims, distinct]"


@pytest.mark.parametrize("bins", [1, 12, 365])
@pytest.mark.parametrize(
    ("people", "listed", "gone"),
    [*(([n], [0.8], [0.3]) for n in (1, 2, 3, 7, 300)), ([1, 30], [1.0, 0.1], [0.2, 0.5])],
)
def test_whole_counties_with_stale_records_are_the_exact_group(first, people, listed, gone, bins):
    """As a place: with all of a county's people in it nothing is left to chance; one also by series or one by one.

    Of two counties one lists everyone: with one bin its people are surely there.
    """
    place, part = first.evaluate(
        f"""([people, listed, gone, bins]) => {{
          const figures = {FIGURES};
          const pieces = people.map((n, i) => ({{p: 1, n: [n], chance: listed[i], gone: gone[i]}}));
          const place = {{bins, many: 1, full: null, pieces}};
          const kind = {{bins, n: people, w: [1], chance: listed[0], gone: gone[0]}};
          const part = {{kind: "parts", counties: [{{shares: [1], alike: [new AlikeCells(kind)]}}]}};
          const places = {{kind: "placed", whole: new Collected().groups(), mixed: [place]}};
          return [places, part].map((groups) => figures(measured(groups, 1, null, 4)));
        }}""",
        [people, listed, gone, bins],
    )
    left = sum(n * chance * share for n, chance, share in zip(people, listed, gone, strict=True))
    exact = MixedGroups.of(people, listed, bins, expected_stale=left)
    expected = [exact.total_risk().item(), exact.correct_claims().item(), exact.claims().item()]
    for figures in (place, part)[: 3 - len(people)]:
        assert figures[:3] == pytest.approx(expected, rel=1e-10, abs=1e-14)
    if len(people) == 1:
        assert part[3] == pytest.approx(place[3], rel=1e-10)


def test_parts_of_counties_are_alike_by_series_one_by_one_and_as_places(first):
    """The parts of Delaware's counties on a list with dates of birth: the same figures in three ways."""
    by_series, one_by_one, as_places = first.evaluate(
        f"""() => {{
          const figures = {FIGURES};
          const {{model}} = explorer.app;
          const state = model.byCode.get("DE");
          const seen = {{gender: "value", race: "value", ethnicity: "none", birth: "date"}};
          const key = {{...seen, geography: "county_zip5", top: null, small: null}};
          const plan = model.planFor(key, [18, null]);
          const groups = () => zipGroups(model.people, state.counties, plan, key, model.zipParts, model.listing);
          const found = [measured(groups(), 1, null, 3)];
          const endOf = AlikeCells.prototype.endOf;
          AlikeCells.prototype.endOf = () => 0;
          found.push(measured(groups(), 1, null, 3));
          AlikeCells.prototype.endOf = endOf;
          const {{counties}} = groups();
          const parts = counties.flatMap((county) => county.shares.map((share) => [{{...county, share}}]));
          found.push(measured(listedPlaces(parts, plan, model.listing), 1, null, 3));
          return found.map(figures);
        }}"""
    )
    assert one_by_one == pytest.approx(by_series, rel=1e-12)
    assert as_places == pytest.approx(by_series, rel=1e-10)


def test_the_page_is_written_whole(page_file):
    assert page_file.stat().st_size < 4_000_000
    assert page_file.read_text(encoding="utf-8").rstrip().endswith("</html>")


def test_a_page_that_is_too_large_is_refused(study, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    with pytest.raises(OutputError, match="more than 1,000"):
        Study(study.people.in_states(["DE"])).explorer()


@pytest.mark.parametrize("policy", ["safe-harbor-without-zip", "limited-dataset", "safe-harbor"])
def test_measured_errors_are_those_of_python(first, policy):
    study = Study("us-2020", spread=True)

    def error(*asked):
        return first.evaluate("([s, p, x, m]) => explorer.modelError(s, p, x, m)", asked)

    for state in ("OH", "TX"):
        (key,) = evaluated(first, state, policy, EVERYONE)["keys"]
        releases = Granularities(**{field: key[field] for field in ("gender", "race", "birth", "geography")})
        for measure in ("total-risk", "1-distinct"):
            theirs = study.model_error.relative(releases, state, Measure.of(measure))
            assert error(state, policy, EVERYONE, measure) == theirs
    (listed,) = study.unrestricted_voter.voter_lists.held("FL").views
    key = load_policy(policy).releases.compared(listed)
    ours = error("FL", policy, LISTED_ADULTS, "total-risk")
    assert ours == study.model_error.relative(key, "FL", TOTAL_RISK) > 0


@pytest.mark.parametrize(
    ("state", "policy", "setting"),
    [
        ("NH", "safe-harbor", EVERYONE),
        ("NH", "safe-harbor", EVERYONE | {"inFile": 0.3}),
        ("RI", "limited-dataset", EVERYONE),
        ("SC", "safe-harbor-race-alone", LISTED_ADULTS | {"inFile": 0.5}),
    ],
)
def test_group_sizes_known_ahead_are_those_asked_for(first, state, policy, setting):
    before, steps, after = first.evaluate(
        """([code, name, setting]) => {
          const {model} = explorer.app;
          const [state, policy] = [model.byCode.get(code), model.policies.get(name)];
          const figures = () => [2, 7, 20, 50].map((g) => explorer.evaluate(code, name, {...setting, g}).low);
          const steps = () => [...model.lookAhead(state, policy, setting, 50)].length;
          return [figures(), [steps(), steps()], figures()];
        }""",
        [state, policy, setting],
    )
    assert steps[1] == 0  # known already
    assert steps[0] or state != "NH"
    for ours, theirs in zip(after, before, strict=True):
        assert ours == pytest.approx(theirs, rel=TOLERANCE)


def test_files_whose_fields_are_known_may_be_held_and_policies_by_zip_code_need_its_parts():
    names = {file.name for file in FILES}
    assert "texas-birth-index" in names
    assert "death-master-file" not in names  # nobody counted is in it
    assert "florida-driver-data" not in names  # no source says what it shows besides the date of birth
    without = explorer_policies(by_zip=False)
    assert {policy.releases[Field.GEOGRAPHY] for policy in without} <= {"state", "county"}
    assert load_policy("limited-dataset-paper") in without
    assert load_policy("limited-dataset") in explorer_policies()


@pytest.mark.parametrize("state", ["AL", "FL", "IL", "OH"])
@pytest.mark.parametrize(
    ("above", "below"),
    [("limited-dataset", "safe-harbor"), ("limited-dataset", "zip3-without-race"), ("zip3-without-race", "zip3")],
)
def test_the_trust_differential_is_that_of_python(first, study, state, above, below):
    """Also where what is unknown of the list matters to one of the two policies alone."""
    alone = Study(study.people.in_states([state]))
    ours = first.evaluate(
        "([c, a, b, s]) => explorer.ratio(explorer.evaluate(c, a, s), explorer.evaluate(c, b, s), 'risk')",
        [state, above, below, LISTED_ADULTS],
    )
    answer = alone.compare([above, below], [covered(alone.unrestricted_voter, ADULTS)], state, 1)
    ratio = TrustDifferential(*answer.profiles, TOTAL_RISK).ratio
    assert ours == pytest.approx([ratio.low, ratio.high], rel=TOLERANCE)


TOLD = [
    Granularities(race=race, ethnicity=ethnicity, birth="year", geography="county")
    for race in GRANULARITIES[Field.RACE]
    for ethnicity in GRANULARITIES[Field.ETHNICITY]
]


RANGES = """([state, policies, setting]) => {
  const {app, evaluate, rangeOf, ratioRange} = explorer;
  const atOnce = (steps) => { for (;;) { const {done, value} = steps.next(); if (done) return value; } };
  const [above, below] = policies.map((policy) => {
    const others = atOnce(app.answers.others(app.model.byCode.get(state), policy, setting, setting.g));
    return {...evaluate(state, policy, setting), others};
  });
  const names = ["risk", "alone", "distinct", "claims", "correct"];
  const people = Object.fromEntries(
    names.map((name) => [name, rangeOf(above, name)?.map((share) => share * above.records)]));
  return {others: above.others.map(({name}) => name), ...people, precision: rangeOf(above, "precision"),
          ratio: ratioRange(above, below, "risk")};
}"""
# the figure alone; the election before gives the least; an unknown field; ZIP codes; nobody counted other records
RANGED = [("OH", "county"), ("NV", "county"), ("IL", "county"), ("DE", "limited-dataset"), ("ND", "county")]


@pytest.mark.parametrize(("state", "policy"), RANGED)
def test_ranges_over_what_is_assumed_of_a_list_are_those_of_compare(first, study, state, policy):
    setting = EVERYONE | {"who": "list", "coverage": "registered", "g": 5}
    found = first.evaluate(RANGES, [state, [policy, "safe-harbor"], setting])
    (of_state,) = (Study(study.people.in_states([state])),)
    answer = of_state.compare([policy, "safe-harbor"], "voter", g=(1, 5))
    profile = answer.profile(state, policy, "voter")
    (ratio,) = (each for each in answer.trust(policy, "safe-harbor") if each.measure == TOTAL_RISK)
    if state == "ND":
        assert found["others"] == []
        assert found["risk"] is None
        assert profile.people_range(TOTAL_RISK) == profile.people(TOTAL_RISK)
        return
    rel = LISTED_BY_ZIP if policy == "limited-dataset" else LISTED
    rows = {"risk": "total-risk", "alone": "1-distinct", "distinct": "5-distinct", "claims": "claims"}
    for name, measure in [*rows.items(), ("correct", "correct-claims")]:
        held, figure = profile.people_range(measure), profile.people(measure)
        assert found[name] == pytest.approx([held.low, held.high], rel=rel, abs=TOLERANCE), name
        assert held.low < figure.low or figure.high < held.high
    held = profile.share_range("precision")
    assert found["precision"] == pytest.approx([held.low, held.high], rel=rel)
    assert found["ratio"] == pytest.approx([ratio.range.low, ratio.range.high], rel=LISTED_BY_ZIP)
    if state == "NV":
        assert profile.people_range(TOTAL_RISK).low < profile.people(TOTAL_RISK).low


def test_what_race_and_ethnicity_share_is_that_of_python(first):
    for record, row in itertools.product(TOLD, repeat=2):
        views = [{field.value: name for field, name in view.items()} for view in (record, row)]
        found = first.evaluate("([a, b]) => explorer.app.model.compared(a, b)", views)
        assert found == {field.value: name for field, name in record.compared(row).items()}


def test_hispanics_of_every_county_are_those_of_the_population(first, study):
    people = study.people.with_ethnicity.cells
    ours = first.evaluate(
        """() => {
          const {byEthnicity, facts} = explorer.app.model;
          const isHispanic = (cell) => Math.floor(cell / facts.ages.length) % 2 === 0;
          const of = (county) => byEthnicity.county(county).reduce((sum, n, i) => sum + (isHispanic(i) ? n : 0), 0);
          return facts.counties.code.map((code, county) => [code, of(county)]);
        }"""
    )
    theirs = people[people["ethnicity"] == "hispanic"].groupby("county", observed=False)["people"].sum()
    assert len(ours) == len(theirs) == 3_143
    assert dict(ours) == theirs.to_dict()


BY_RACE = "gender=value,race=value,birth=year,geography=county"
BY_ORIGIN = "race=race_ethnicity,birth=year,geography=zip3"
LISTED_BY_RACE = {"race": "value"}


@pytest.mark.parametrize(
    ("state", "policy", "changed"),
    [
        ("FL", "limited-dataset-race-alone", {}),
        ("FL", "safe-harbor-race-alone", {}),
        ("GA", "safe-harbor", {}),
        ("DE", "safe-harbor", LISTED_BY_RACE),
        ("DE", "race=race_ethnicity,geography=county", LISTED_BY_RACE),
        ("AL", "gender=value,race=broad,birth=month,geography=zip3", {}),
        ("LA", "gender=value,race=value,birth=five_years,geography=county_zip5,top=85", {}),
        ("SC", "gender=value,race=broad,birth=decade,geography=state", {}),
        ("SC", BY_RACE, {}),
        ("SC", BY_ORIGIN, {}),
        ("SC", BY_ORIGIN, LISTED_BY_RACE),
        ("LA", "race=broad_race_ethnicity,birth=date,geography=county", LISTED_BY_RACE),
        ("FL", "release:newest", LISTED_BY_RACE),
        ("GA", "race=hcup,birth=year,geography=county", LISTED_BY_RACE),
        *((state, "release:newest", {}) for state in ("NC", "SC", "VT", "ME", "AZ", "AL")),
    ],
)
@pytest.mark.parametrize(
    ("coverage", "in_file", "g"),
    [("adults", None, 5), ("registered", None, 5), (0.6, 0.03, 3), ("everyone", 0.02, 3)],
)
def test_race_asked_in_two_ways_and_what_states_release_are_measured_as_in_python(
    first, study, state, policy, changed, coverage, in_file, g
):
    alone = Study(study.people.in_states([state]))
    adults = list_records(alone.people, ADULTS)[state]
    share = coverage if isinstance(coverage, str) else round(coverage * adults) / adults
    setting = EVERYONE | {"inFile": in_file, "g": g}
    attacker = GENERAL
    if coverage != "everyone":
        setting |= {"who": "list", "coverage": share, "list": changed}
        attacker = _holder(alone, state, share, changed, adults)
    found = evaluated(first, state, policy, setting)
    shipped = {each.name: each for each in explorer_policies()} | {"release:newest": as_released()}
    releases = shipped.get(policy) or _policy_of(policy)
    (profile,) = alone.compare([releases], [attacker], state, [1, g], in_file=in_file).profiles
    assert found["status"] == profile.status
    if profile.people("total-risk") is None:
        assert found["each"] == []
        return
    by_zip = any("zip" in key["geography"] for key in found["keys"]) and in_file is None
    rel = (LISTED_BY_ZIP if by_zip else LISTED) if coverage == "registered" else TOLERANCE
    measures = {"risk": "total-risk", "alone": "1-distinct", "claims": "claims", "distinct": f"{g}-distinct"}
    for name, measure in measures.items():
        bounds = profile.people(measure)
        figures = (found["low"][name], found["high"][name])
        assert figures == pytest.approx((bounds.low, bounds.high), rel=rel, abs=TOLERANCE), name


def test_florida_has_the_one_figure_that_the_manual_gives(first):
    """docs/model-places-and-races.md, "Race asked in two ways": registered voters by county and age."""
    for policy, people in (("limited-dataset-race-alone", 11_974_906), ("safe-harbor-race-alone", 7_579)):
        found = evaluated(first, "FL", policy, REGISTERED)
        assert (found["status"], len(found["keys"])) == ("ok", 1)
        assert round(found["low"]["risk"]) == people


# A file that comes from some counties (docs/model.md).

SEVERAL = """([n, share, inFile, listed, bins, g]) => {
  const held = n.map((people) => ({whoIn: (_, c) => [people, people * c], plan: {released: null}, listing: null}));
  const place = n.map((_, i) => ({i, share: share[i]}));
  const groups = {held, plan: {size: 1, bins: [bins]}, places: [place]};
  return [measuredSeveral(groups, listed, inFile, g), Array.from(sizesOfSeveral(groups, listed, inFile, g))];
}"""


def test_two_parts_of_a_group_are_those_of_the_model(first):
    figures, _ = first.evaluate(SEVERAL, [[500, 900], [1, 1], [0.2, 0.01], 1, 365, 1])
    assert [round(figures[name], 2) for name in ("risk", "alone", "claims")] == [94.25, 80.89, 80.89]


@pytest.mark.parametrize(
    ("people", "share", "in_file", "listed", "bins"),
    [
        ((2, 2), (1, 1), (0.5, 0.2), 1.0, 2),
        ((2, 2), (1, 1), (0.5, 0.2), 0.6, 2),
        ((1, 2), (1, 1), (1.0, 0.3), 0.7, 1),
        ((2, 1), (0.4, 1), (0.8, 0.5), 0.6, 3),
        ((1, 1, 2), (0.9, 0.5, 0.2), (0.9, 0.6, 0.3), 0.5, 1),
    ],
)
def test_a_group_of_several_counties_is_every_way_counted(first, people, share, in_file, listed, bins):
    """Each person: not a record of the place, or one in a bin, listed or not; every way with its chance."""
    chances = [p * h for n, p, h in zip(people, share, in_file, strict=True) for _ in range(n)]
    sums = dict.fromkeys(("risk", "alone", "claims", "correct", "distinct"), 0.0)
    ways = [None, *itertools.product(range(bins), (True, False))]
    for way in itertools.product(ways, repeat=len(chances)):
        chance = 1.0
        for x, each in zip(chances, way, strict=True):
            chance *= 1 - x if each is None else x / bins * (listed if each[1] else 1 - listed)
        records = [each for each in way if each is not None]
        for place, on_list in records:
            fits = records.count((place, True))
            sums["claims"] += chance * (fits == 1)
            if on_list:
                sums["risk"] += chance / fits
                sums["alone"] += chance * (fits == 1)
                sums["distinct"] += chance * (fits <= 2)
    sums["correct"] = sums["alone"]
    figures, sizes = first.evaluate(SEVERAL, [people, share, in_file, listed, bins, 2])
    # a guess about each county's people: of all of them together it is exact
    assert figures == pytest.approx(sums, rel=1e-9, abs=1e-12)
    assert sum(sizes) == pytest.approx(sums["distinct"], rel=1e-9)


@pytest.mark.parametrize("who", ["everyone", "list"])
@pytest.mark.parametrize(
    ("policy", "tolerance"),
    [
        ("gender=value,race=value,birth=year,geography=state", TOLERANCE),
        ("limited-dataset-paper", TOLERANCE),
        # a few large parts of counties hold fewer pairs than the binomials say
        ("safe-harbor", 2e-3),
        ("limited-dataset", 2e-3),
    ],
)
def test_a_file_from_every_county_alike_is_one_of_the_whole_state(first, policy, tolerance, who):
    setting = EVERYONE | {"who": who, "coverage": 0.6, "inFile": 0.02, "g": 3, "share": None}
    whole, several = first.evaluate(
        """([policy, setting]) => {
          const state = explorer.app.model.byCode.get("DE");
          const {counties} = state;
          const from = {counties, chances: counties.map(() => setting.inFile), records: setting.inFile * state.people};
          return [setting, {...setting, from}].map((each) => explorer.evaluate("DE", policy, each).low);
        }""",
        [policy, setting],
    )
    assert several == pytest.approx(whole, rel=tolerance, abs=tolerance)
    assert whole["risk"] > 0
