"""Files that an attacker may hold, as the page knows them."""

from __future__ import annotations

from policy_sim.io.populations.model_error import errors_of
from policy_sim.io.resource_files import load_resource
from policy_sim.render.explorer.file_facts import ExplorerFile, file_facts, model_error_facts
from policy_sim.study import Study


def test_a_share_that_is_known_is_one():
    file = load_resource("texas-birth-index").changed("TX", {"share": "0.4"})
    facts = file_facts(ExplorerFile(file, (10, 116)))
    assert facts["shares"] == [0.4]
    assert facts["listed"] is None


def test_a_share_between_two_ends_is_tried_from_the_least_to_the_greatest():
    facts = file_facts(ExplorerFile(load_resource("denton-county-tax-roll"), (0, None)))
    assert facts["shares"] == sorted(facts["shares"])
    assert (facts["shares"][0], facts["shares"][-1]) == (0.0, 0.0312)
    assert facts["price"]["kind"] == "free"


def test_without_measured_errors_there_are_none():
    assert model_error_facts(None) == {"counted": [], "byKey": {}}


def test_errors_are_by_the_words_of_a_key():
    errors = errors_of(Study("us-2020").people.provenance)
    found = model_error_facts(errors)
    measured = [
        sizes for key, sizes in found["byKey"].items() if "county_zip3" not in key
    ]  # those are the larger of two
    assert sum(map(len, measured)) == sum(map(len, errors.by_key.values()))
