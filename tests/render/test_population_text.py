from __future__ import annotations

from policy_sim.io.populations.population_facts import facts_of_population, populations_frame
from policy_sim.render.population_text import population_text, populations_text


def test_every_population_has_one_line_with_its_people():
    frame, text = populations_frame(), populations_text(populations_frame())
    for name, people in zip(frame["population"], frame["people"], strict=True):
        (line,) = [line for line in text.splitlines() if line.split()[:1] == [name]]
        assert f"{people:,}" in line
        assert ("not yet counted" in line) == name.endswith("-zip")


def test_one_in_full_says_every_note_and_source():
    facts = facts_of_population("us-2010")
    flat = " ".join(population_text("us-2010", facts).split())
    lists = (facts["notes"], facts["sources"], facts["made_with"])
    for words in (facts["title"], facts["how"], facts["sha256"], *(word for some in lists for word in some)):
        assert " ".join(words.split()) in flat
    assert "people: 308,745,538" in flat
    assert "counted by state: " in flat


def test_without_shares_by_state_there_is_no_line_of_them():
    assert "counted by state" not in population_text("us-2010-zip", facts_of_population("us-2010-zip"))
