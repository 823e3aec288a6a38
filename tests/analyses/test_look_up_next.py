import datetime as dt

import pandas as pd
import pytest

from policy_sim import Study
from policy_sim.analyses.look_up_next import look_up_next
from policy_sim.attackers import voter
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.voter_lists.evidence import Conflict, Evidence, Source
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.voter_list import VoterList

DAY = dt.date(2026, 11, 22)
SOURCES = {"law": Source("law", "Law", date="2017"), "form": Source("form", "Form", date="2026-05")}
OLD, NEW = Evidence("high", ("law",)), Evidence("high", ("form",))
# Ten men and five women of one age in one county: by sex and year two can be matched, by year alone one.
PEOPLE = check_cells(
    pd.DataFrame({"state": "OH", "county": "39001", "sex": ["M", "F"], "age": 30, "age_width": 1, "people": [10, 5]}),
    "made",
)
POLICY = Policy("made", "", Granularities(gender="value", birth="year", geography="county"), "")


def rows(conflicts=(), **fields):
    listed = VoterList("OH", "2026", "available", fields=fields, sources=SOURCES, conflicts=conflicts)
    attacker = voter({"OH": listed}, "2026")
    people = Population(PEOPLE, Provenance("made", "", "", "2020-04-01", "", 1.0, 0.0, 0.0))
    return look_up_next(people, POLICY, attacker, DAY)


def test_an_unknown_field_is_worth_the_people_it_tells_apart():
    found = rows(gender=ListField("unknown"), birth=ListField("included", "date", "", NEW))
    row = found.set_index("field").loc["gender"]
    assert (row["why"], row["recorded"], row["people"]) == ("unknown", "unknown", 1.0)


def test_an_old_field_is_worth_what_its_opposite_would_change():
    found = rows(gender=ListField("included", "value", "", OLD), birth=ListField("included", "date", "", NEW))
    row = found.set_index("field").loc["gender"]
    assert (row["why"], row["date"], row["otherwise"], row["people"]) == ("old", "2017", "withheld", 1.0)
    assert "birth" not in set(found["field"])


def test_a_field_that_sources_dispute_is_named_even_when_new():
    conflict = Conflict("fields.gender", "included", "withheld", "", False, ("form",))
    found = rows((conflict,), gender=ListField("included", "value", "", NEW))
    assert found.set_index("field").loc["gender", "why"] == "conflict"


def test_nothing_to_look_up_is_no_row():
    every = {name: ListField("included", grain, "", NEW) for name, grain in _FINEST.items()}
    found = rows(**every)
    assert len(found) == 0
    assert list(found.columns) == ["state", "field", "recorded", "why", "date", "otherwise", "people"]


_FINEST = {"gender": "value", "race": "value", "birth": "date", "geography": "county"}


def test_the_ranking_equals_the_what_if_of_a_study():
    """An old field that is held is worth the risk with it less the risk without it."""
    study = Study("us-2010", 2026)
    ranked = study.look_up_next(states="IN", day="2026-11-22").to_frame().set_index("field")
    effects = study.marginal_effects(states="IN").to_frame()
    for name in ("birth", "geography"):
        changes = effects[effects["field"] == name]["change"].abs()
        assert ranked.loc[name, "people"] == pytest.approx(changes.max())
    assert ranked["people"].is_monotonic_decreasing


def test_a_day_long_ago_makes_nothing_old():
    found = Study("us-2010", 2026).look_up_next(states="IN", day="2005-06-01").to_frame()
    assert "old" not in set(found["why"])
