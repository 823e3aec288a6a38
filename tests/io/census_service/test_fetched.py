"""A whole population from the service: its name, its facts, and nothing half-saved."""

import pytest
from census_service import KEY

from policy_sim.errors import InputError, PolicySimError, SourceError
from policy_sim.io.census_service.editions import find_edition
from policy_sim.io.census_service.fetched import fetch_population, keep_answers, population_name
from policy_sim.states import STATES, find_states


def test_a_name_is_bounded_and_tells_choices_apart():
    assert population_name("sf1-2010", "county", find_states(["OH", "DE"])) == "sf1-2010-de-oh"
    everyone = [state for state in STATES if state != "PR"]
    assert population_name("sf1-2010", "county", find_states(everyone)) == "sf1-2010-us"
    names = {population_name("sf1-2010", "county", find_states(everyone[:-at])) for at in range(1, 30)}
    assert len(names) == 29
    assert max(map(len, names)) < 40


def test_a_population_says_where_it_is_from_and_each_answer_is_told(service, cache, quick, printed):
    steps = []
    options = {"cache": cache, "url": service.url, "patience": quick, "progress": lambda *at: steps.append(at)}
    entry = fetch_population("sf1-2010", KEY, states=["DE", "RI"], **options)
    assert entry.origin["states"] == ["DE", "RI"]
    assert entry.people == sum(printed.people.values())
    done, needed = zip(*steps, strict=True)
    assert done == tuple(range(1, needed[0] + 1))
    assert set(needed) == {len(steps)}


def test_answers_of_another_service_are_not_enough(service, cache, quick, printed):
    fetch_population("sf1-2010", KEY, cache=cache, states=["DE", "RI"], url=service.url, patience=quick)
    with pytest.raises(SourceError):
        keep_answers(
            "sf1-2010-de-ri",
            find_edition("sf1-2010"),
            "county",
            find_states(["DE", "RI"]),
            "https://elsewhere/x",
            cache,
        )


def test_unknown_names_and_no_key_are_refused_before_any_request(service, cache, quick):
    for wrong in ({"edition_name": "sf1-1990"}, {"geography_name": "block"}, {"states": ["Atlantis"]}):
        with pytest.raises(InputError):
            fetch_population(**{"edition_name": "sf1-2010", "key": KEY, "cache": cache, "url": service.url, **wrong})
    with pytest.raises(InputError):
        fetch_population("sf1-2010", "", cache=cache, url=service.url)
    with pytest.raises(PolicySimError):
        fetch_population("sf1-2010", KEY, cache=cache, url="http://elsewhere.invalid")
    assert not service.requests
