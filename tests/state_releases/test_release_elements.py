"""The vocabulary of elements is closed and without doubles."""

from __future__ import annotations

from policy_sim.state_releases.release_elements import ELEMENT_GROUPS, RELEASE_ELEMENTS


def test_every_element_has_a_group_and_a_title_of_its_own():
    assert {element.group for element in RELEASE_ELEMENTS.values()} == set(ELEMENT_GROUPS)
    titles = [element.title for element in RELEASE_ELEMENTS.values()]
    assert len(set(titles)) == len(titles)


def test_the_model_measures_who_a_person_is_and_not_when_they_came():
    assert RELEASE_ELEMENTS["birth_month"].measured
    assert not RELEASE_ELEMENTS["admission_month"].measured
