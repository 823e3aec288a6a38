"""The facts in the page are those of the lists and policies, and JSON can hold them."""

from __future__ import annotations

import json

import pytest

from policy_sim.attackers.files import load_resource
from policy_sim.explorer.page import ExplorerFile, explorer_facts, file_facts, model_error_facts
from policy_sim.model.model_error import errors_of
from policy_sim.people.population import Population
from policy_sim.study.study import explorer_content, hispanics_of


@pytest.fixture(scope="module")
def facts(study):
    return json.loads(json.dumps(explorer_facts(explorer_content(study)), allow_nan=False)), study


def test_people_of_states_are_those_of_the_population(facts):
    found, study = facts
    assert {state["code"]: state["people"] for state in found["states"]} == study.people.people_by_state()


def test_every_list_has_its_fields_and_each_fact_its_sources(facts):
    found, study = facts
    lists = study.unrestricted_voter.voter_lists.lists
    assert set(found["lists"]) == {state["code"] for state in found["states"]} & set(lists)
    for code, each in found["lists"].items():
        listed = lists[code]
        assert each["fields"] == {name: [f.availability, f.granularity] for name, f in listed.fields.items()}
        assert each["price"]["kind"] == listed.price.kind
        for _, _, _, _, sources, _ in each["facts"]:
            assert all(0 <= number < len(found["sources"]) for number in sources)
    ohio = {fact[0]: fact for fact in found["lists"]["OH"]["facts"]}
    titles = {found["sources"][number][0] for number in ohio["birth"][4]}
    evidence = lists["OH"].fields["birth"].evidence
    assert titles == {lists["OH"].sources[key].title for key in evidence.sources}


def test_conditions_of_policies_and_each_area_of_the_map_are_there(facts):
    found, _ = facts
    assert set(found["counties"]["drawn"].values()) <= set(found["counties"]["code"])
    tops = {policy["name"]: policy["top"] for policy in found["policies"]}
    assert tops["safe-harbor-without-zip"] == 90
    assert tops["safe-harbor-paper"] is None


def test_files_have_their_fields_ages_and_sources(facts):
    found, _ = facts
    texas = next(file for file in found["files"] if file["name"] == "texas-birth-index")
    assert texas["states"] == ["TX"]
    assert texas["fields"]["birth"] == ["included", "date"]
    assert texas["ages"] == [10, 116]  # born in 1903 to 2010, on the day of the census of 2020
    assert (texas["shares"][0], texas["shares"][-1], len(texas["shares"])) == (0.0, 1.0, 14)
    assert texas["listed"] == {"TX": 15_000_000}
    assert any("181.23" in source for *_, source, _ in texas["facts"])


def test_measured_errors_are_there_and_counted_states_have_none(facts):
    found, study = facts
    errors = found["modelErrors"]
    assert set(errors["counted"]) <= set(study.people.states)
    assert 0 < errors["byKey"]["gender+race+birth=date+geography=county"]["total-risk"] < 0.1


# Files that an attacker may hold, as the page knows them.


def test_a_known_share_is_one_and_one_between_two_ends_is_tried_from_the_least_to_the_greatest():
    file = load_resource("texas-birth-index").changed("TX", {"share": "0.4"})
    facts = file_facts(ExplorerFile(file, (10, 116)))
    assert facts["shares"] == [0.4]
    assert facts["listed"] is None
    facts = file_facts(ExplorerFile(load_resource("denton-county-tax-roll"), (0, None)))
    assert facts["shares"] == sorted(facts["shares"])
    assert (facts["shares"][0], facts["shares"][-1]) == (0.0, 0.0312)
    assert facts["price"]["kind"] == "free"


def test_errors_are_by_the_words_of_a_key(study):
    errors = errors_of(study.people.provenance)
    by_key = model_error_facts(errors)["byKey"]
    measured = [sizes for key, sizes in by_key.items() if "county_zip3" not in key]  # those are the larger of two
    assert model_error_facts(None) == {"counted": [], "byKey": {}}
    assert sum(map(len, measured)) == sum(map(len, errors.by_key.values()))


def test_hispanics_are_those_of_a_population_that_tells(study):
    florida = study.people.in_states(["FL"])
    assert hispanics_of(Population(florida.cells, florida.provenance)) is None
    in_columns, on_demand = map(hispanics_of, (florida.with_ethnicity, florida))
    assert in_columns.people.sum() == on_demand.people.sum() == 5_697_240
    assert (in_columns.people == on_demand.people).all()
