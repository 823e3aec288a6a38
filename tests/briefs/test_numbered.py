"""One row per number and meaning, and a link to it."""

from policy_sim.briefs.evidence import Numbers
from policy_sim.model.measure import Bounds
from policy_sim.show.numbers import percent


def test_the_same_number_with_the_same_meaning_has_one_row():
    numbers = Numbers()
    one = numbers.put("5", "people", "f", "s")
    assert numbers.put("5", "people", "f", "s") == one
    assert numbers.put("5", "matches", "f", "s") == "[[n2|5]]"
    assert numbers.appendix().keys == ("n1", "n2")


def test_two_ends_are_written_as_both():
    numbers = Numbers()
    assert numbers.between(Bounds(0.25, 0.5), percent, "w", "f", "s") == "[[n1|25–50%]]"
    assert numbers.between(Bounds(0.25, 0.25), percent, "w", "f", "s") == "[[n2|25%]]"
