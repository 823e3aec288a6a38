from policy_sim import Study
from policy_sim.caveats import coverage_notes, decided_fields, freshness_notes, noise_notes
from policy_sim.io.policy_files import load_policy
from policy_sim.io.populations.by_name import load_population
from policy_sim.io.registered_voters import load_coverage


def test_the_fields_that_decide_are_those_released():
    assert decided_fields([load_policy("limited-dataset-paper")]) == ["gender", "race", "birth", "geography"]
    assert decided_fields([load_policy("safe-harbor-paper")]) == ["gender", "race", "birth"]
    assert "zip" in decided_fields([load_policy("zip5")])


def test_every_answer_with_lists_tells_how_old_its_facts_are():
    study = Study("us-2010", 2026)
    for answer in (study.compare(states="IN"), study.cost(states="IN"), study.what_if("IN", {"birth": "year"})):
        (line,) = [note for note in answer.provenance.notes if note.startswith("age of facts: ")]
        assert line.startswith("age of facts: IN, oldest fact used: ")
        assert "2005" in line
        assert "OLD: more than 24 months" in line
    general = study.compare(attackers="general", states="IN")
    assert not [note for note in general.provenance.notes if note.startswith("age of facts")]


def test_lists_that_nobody_has_give_no_note():
    lists = Study("us-2010", 2026).voter.voter_lists.lists
    assert freshness_notes(lists, [load_policy("limited-dataset-paper")], ["HI"]) == []


def test_noise_is_told_once_per_population():
    notes = noise_notes(load_population(name).provenance for name in ("us-2010", "us-2020"))
    assert len(notes) == 1
    assert notes[0].startswith("noise of us-2020: ")


def test_the_share_counted_stands_in_the_manifest():
    manifest = Study("us-2000", 2026).compare(states="TX").provenance.manifest()
    assert round(manifest["options"]["counted"][0], 3) == 0.888
    assert "100.0% in TX" in manifest["notes"][0]


def test_voters_of_today_beside_people_of_a_decade_ago_are_noted():
    """Nevada's registered voters of 2024 are nearly its adults of 2000: precision then looks like certainty."""
    registered = load_coverage("registered", "2026")
    people = {name: load_population(name).provenance for name in ("us-2000", "us-2010", "us-2020", "us-2022")}
    noted = {name for name, each in people.items() if coverage_notes([each], registered)}
    assert noted == {"us-2000", "us-2010"}
    assert not coverage_notes([people["us-2010"]], load_coverage("registered", "2008"))
    (later,) = coverage_notes([people["us-2010"]], registered)
    assert "the share is too large" in later
    (earlier,) = coverage_notes([people["us-2020"]], load_coverage("registered", "2008"))
    assert "the share is too small" in earlier
    assert not coverage_notes(people.values(), load_coverage("adults", "2026"))
    assert not coverage_notes(people.values(), None)
    notes = Study("us-2000", 2026).compare("limited-dataset", "voter", "NV").provenance.notes
    assert any("those of 2024, as a share of the adults of 2000 (us-2000)" in note for note in notes)
