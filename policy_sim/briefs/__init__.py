"""Briefs: what a study answers about a state or the nation, in sentences for people who make or follow rules."""

from policy_sim.briefs.bill_brief import bill_brief
from policy_sim.briefs.change_brief import nation_vintage_brief, vintage_brief
from policy_sim.briefs.evidence import Brief
from policy_sim.briefs.paper import Proposal
from policy_sim.briefs.state_brief import nation_brief, state_brief

__all__ = ["Brief", "Proposal", "bill_brief", "nation_brief", "nation_vintage_brief", "state_brief", "vintage_brief"]
