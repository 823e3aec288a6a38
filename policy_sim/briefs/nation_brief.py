"""The brief of the nation: every state under the same rules."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from policy_sim.attackers import ATTACKERS, GENERAL, VOTER
from policy_sim.briefs.evidence import Evidence, Numbers, footer, framing
from policy_sim.briefs.sentences import and_words, counted_words, of_state, policy_words
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.model.profile import RiskProfile
from policy_sim.show.document.blocks import Block, Bullets, Document, DocumentTable, Heading, Paragraph, Picture
from policy_sim.show.numbers import people, percent
from policy_sim.show.save import png_bytes
from policy_sim.study.question import Policies
from policy_sim.words.status import Status

if TYPE_CHECKING:
    from policy_sim.study.study import Study


def nation_brief(
    study: Study, *, policies: Policies | None = None, rules: str = "regulation", date: dt.date | None = None
) -> Document:
    """Return the brief of the nation."""
    evidence = Evidence.of(study, None, policies, rules, None, date or dt.date.today())
    numbers = Numbers(evidence.source)
    blocks: list[Block] = [*_answer(evidence, numbers), *_maps(evidence), *_table(evidence, numbers)]
    title = "Who could be named in a release of health records: the nation"
    subtitle = f"{evidence.policies_words} in every state"
    return Document(title, subtitle, (*blocks, *framing(evidence, numbers, title)), footer(evidence))


def _answer(evidence: Evidence, numbers: Numbers) -> list[Block]:
    lines = []
    for policy in evidence.policies:
        profiles = [p for p in evidence.nation if (p.policy, p.attacker) == (policy, GENERAL.name)]
        right = sum(_low(profile) for profile in profiles)
        whole = sum(profile.inhabitants for profile in profiles)
        words = policy_words(policy)
        right_people = numbers.put(people(right), f"matches that are right, all states: {words}", "section 4")
        share = numbers.put(percent(right / whole), f"their share: {words}", "section 4")
        lines.append(
            f"**Under {words}**, someone who knows everyone would be right for {right_people} of {people(whole)} "
            f"people ({share})."
        )
    listed = [p for p in evidence.nation if (p.policy, p.attacker) == (evidence.policies[-1], VOTER)]
    with_figures = [profile for profile in listed if profile.status in (Status.OK, Status.INTERVAL)]
    without = len(listed) - len(with_figures)
    places = counted_words(str(without), "state", "states")
    note = f"In {places}, there is no statewide list to link with, or no source says what it contains."
    top = sorted((p for p in with_figures if p.status is Status.OK), key=lambda profile: -_share(profile))[:5]
    ranges = sum(profile.status is Status.INTERVAL for profile in with_figures)
    if ranges:
        note += (
            f" In {counted_words(str(ranges), 'state', 'states')} the share is a range and has no place in the order."
        )
    names = and_words([of_state(profile.state) for profile in top])
    return [
        Paragraph(f"If the health records of everyone were released, in {len(listed)} states and districts:", "lead"),
        Bullets(tuple(lines)),
        Paragraph(f"With the voter list alone, the share matched is largest in {names}. {note}"),
    ]


def _low(profile: RiskProfile) -> float:
    figure = profile.people(TOTAL_RISK)
    assert figure is not None
    return figure.low


def _share(profile: RiskProfile) -> float:
    share = profile.share(TOTAL_RISK)
    return 0.0 if share is None else share.low


def _maps(evidence: Evidence) -> list[Block]:
    from policy_sim.show.maps.state_map import total_risk_map

    frame = evidence.nation.to_frame()
    return [
        Picture(
            png_bytes(total_risk_map(frame, policy, VOTER)),
            f"Map of the states with the voter list under {policy_words(policy)}",
        )
        for policy in evidence.policies
    ]


def _table(evidence: Evidence, numbers: Numbers) -> list[Block]:
    cases = [(policy, who) for policy in evidence.policies for who in ATTACKERS]
    rows = []
    for state in dict.fromkeys(profile.state for profile in evidence.nation):
        cells = []
        for policy, who in cases:
            profile = evidence.everyone(state, policy, who)
            share, what = profile.share(TOTAL_RISK), f"{state}: {policy_words(policy)}, {who}"
            cells.append(
                str(profile.status).replace("_", " ")
                if share is None
                else numbers.between(share, percent, what, "section 4")
            )
        rows.append((of_state(state), *cells))
    heads = [
        f"{policy_words(policy).removeprefix('the ')}, {'everyone known' if who == GENERAL.name else 'voter list'}"
        for policy, who in cases
    ]
    table = DocumentTable(("state", *heads), tuple(rows), "Share of the people matched", numbers=frozenset(range(1, 5)))
    return [Heading("Every state"), table]
