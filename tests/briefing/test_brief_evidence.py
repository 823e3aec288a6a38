"""What a brief asks: ranks by hand, and a question about one state."""

import pytest

from policy_sim.briefing.brief_evidence import Evidence
from policy_sim.errors import InputError
from policy_sim.results import TOTAL_RISK


def test_ranks_are_those_of_sorted_shares(evidence):
    policy = evidence.policies[-1]
    shares = {
        p.state: p.share(TOTAL_RISK).low for p in evidence.nation if (p.policy, p.attacker) == (policy, "general")
    }
    rank, of = evidence.rank(policy, "general")
    assert of == 3
    assert sorted(shares, key=shares.get, reverse=True)[rank - 1] == "DE"


def test_two_states_are_no_brief(small_study, evidence):
    with pytest.raises(InputError, match="name one state"):
        Evidence.of(small_study, ["DE", "RI"], None, "regulation", None, evidence.date)


def test_a_file_of_one_per_cent_by_default(small_study, evidence):
    assert Evidence.of(small_study, "DE", None, "regulation", None, evidence.date).in_file == 0.01
