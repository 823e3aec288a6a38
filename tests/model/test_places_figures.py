"""What someone who does not know who is in a file names of it: the counties' own figures, not the mean of the state."""

from __future__ import annotations

import datetime as dt

import pytest
from pinned import pinned

from policy_sim import Study
from policy_sim.attackers.in_file import InFile
from policy_sim.briefs.evidence import Evidence
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.people.names import county_names

COUNTIES = sorted(county_names("OH"))


@pytest.fixture(scope="module")
def study() -> Study:
    return Study("us-2020", 2026)


@pytest.fixture(scope="module")
def by_county(study):
    rows = study.break_down("county", attackers="voter", states="OH", g=1).to_frame()
    rows = rows[rows["measure"] == "total-risk"]
    return rows.set_index(["policy", "value"])["share"].astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("county", pinned(["39111", "39049"], COUNTIES))
def test_a_county_has_its_own_figures(study, by_county, county):
    """Who does not know the members: ``compare --by county``. Who does: ``compare --in-file N --from COUNTY``."""
    file = InFile.of(500, county)
    evidence = Evidence.of(study, "OH", file, date=dt.date(2026, 11, 28))
    measured = study.compare(states="OH", in_file=file, g=1)
    for policy in evidence.policies:
        outsider = evidence.outsider(policy)
        assert outsider.records == pytest.approx(500)
        assert outsider.share(TOTAL_RISK).low == pytest.approx(by_county[policy, county], rel=1e-12)
        for who in ("general", "voter"):
            mine = evidence.file.profile("OH", policy, who)
            assert mine.people(TOTAL_RISK) == measured.profile("OH", policy, who).people(TOTAL_RISK)


@pytest.mark.slow
def test_a_file_of_two_states_has_the_weighted_mean_of_its_counties(study):
    evidence = Evidence.of(study, None, InFile.of(1000, "OH: Lucas=60%; MI: Monroe"), date=dt.date(2026, 11, 28))
    for policy in evidence.policies:
        ohio, michigan = (part.outsider(policy).share(TOTAL_RISK).low for part in evidence.parts)
        assert evidence.outsider(policy).share(TOTAL_RISK).low == pytest.approx(0.6 * ohio + 0.4 * michigan, rel=1e-9)
    assert evidence.state == "OH+MI"
    assert evidence.worst_off.state == "MI"


@pytest.mark.slow
def test_ways_below_a_limit_are_sought_where_someone_who_knows_everyone_names_most(study):
    """The limits of a brief are for that person; the holder of the voter list names most in the other state."""
    file = InFile.of(376, "DE: New Castle=70%; RI: Providence")
    evidence = Evidence.of(study, None, file, date=dt.date(2026, 11, 28))
    shares = {
        part.state: part.file.profile(part.state, evidence.policies[-1], "general").share(TOTAL_RISK).high
        for part in evidence.parts
    }
    assert evidence.worst_known.state == max(shares, key=shares.__getitem__) == "RI"
    assert evidence.worst_off.state == "DE"
