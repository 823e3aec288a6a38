"""The brief of one state: two to four pages for someone who must decide."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from policy_sim.attackers import VOTER
from policy_sim.briefing.brief_evidence import Evidence
from policy_sim.briefing.changes_section import changes_section
from policy_sim.briefing.custodian_section import custodian_section
from policy_sim.briefing.framing import footer, framing
from policy_sim.briefing.list_section import list_section, old_fact_notice
from policy_sim.briefing.neighbors import neighbors
from policy_sim.briefing.numbered import Numbers
from policy_sim.briefing.sentences import and_words, first_up, of_state, policy_words
from policy_sim.briefing.state_sections import (
    answer_section,
    attack_section,
    everyone_section,
    place_section,
    race_section,
    sureness_notice,
)
from policy_sim.errors import InputError
from policy_sim.questions.question import InFileLike, Policies
from policy_sim.render.document.blocks import Block, Document, Picture
from policy_sim.render.drawers import Drawers
from policy_sim.states import find_state

if TYPE_CHECKING:
    from policy_sim.study import Study

__all__ = ["state_brief"]


def state_brief(
    study: Study,
    state: str,
    *,
    policies: Policies | None = None,
    against: str | None = None,
    in_file: InFileLike = None,
    rules: str = "regulation",
    date: dt.date | None = None,
    drawers: Drawers | None = None,
) -> Document:
    """Return the brief of one state.

    Parameters
    ----------
    study : Population and voter lists.
    state : Postal code, FIPS code or name.
    policies : Two policies or more; the last is the one that the brief explains. By default Safe Harbor and the limited
        data set.
    against : Another state to compare with, next to the neighbors; ``US`` adds none, since every state is compared.
    in_file : People in the file, as a share or a number; one per cent of the state by default.
    rules : ``regulation`` or ``paper``.
    date : Day of the brief; today by default.
    drawers : Processes that draw the pictures while this one computes; none by default.

    Raises
    ------
    InputError, UnknownNameError : an argument that is not what it must be.
    """
    evidence = Evidence.of(study, state, policies, rules, in_file, date or dt.date.today())
    others = _beside(evidence.state, against)
    numbers, pictures = Numbers(), _begun(evidence, drawers or Drawers(helpers=0))
    blocks: list[Block] = [
        *answer_section(evidence, numbers),
        *old_fact_notice(evidence, numbers),
        *sureness_notice(evidence),
        *custodian_section(evidence, numbers),
        *list_section(evidence, numbers),
        *everyone_section(evidence, numbers),
        *place_section(evidence, numbers, others),
    ]
    consequences = [
        *attack_section(evidence, numbers),
        *changes_section(evidence, numbers),
        *_race(evidence, numbers),
    ]
    blocks += [*(Picture(drawn(), words, f"{words}.", width=0.9) for words, drawn in pictures.items()), *consequences]
    title = f"Who could be named in a release of health records: {of_state(evidence.state)}"
    subtitle = f"{first_up(and_words([policy_words(name) for name in evidence.policies]))} compared"
    return Document(title, subtitle, (*blocks, *framing(evidence, numbers, title)), footer(evidence))


def _beside(state: str, against: str | None) -> tuple[str, ...]:
    """The states in the table: the neighbors, and the one that was asked for."""
    if against is None or against.strip().upper() == "US":
        return neighbors(state)
    other = find_state(against).postal
    if other == state:
        raise InputError(f"{state} cannot be compared with itself: name another state, or US.")
    return (other, *(code for code in neighbors(state) if code != other))


def _begun(evidence: Evidence, drawers: Drawers) -> dict[str, Callable[[], bytes]]:
    """Begin to draw the pictures; by what each shows."""
    from policy_sim.render.curves import curve_figure
    from policy_sim.render.maps.comparison_maps import total_risk_map
    from policy_sim.render.place import place_figure

    frame, last = evidence.nation.to_frame(), evidence.policies[-1]
    words, name = policy_words(last), of_state(evidence.state)
    return {
        f"Map of the states by share matched with the voter list under {words}": drawers.begin(
            partial(total_risk_map, frame, last, VOTER)
        ),
        f"{name} among the states under each set of rules, for both attackers": drawers.begin(
            partial(place_figure, frame, evidence.state)
        ),
        f"{name}: people in groups of g or fewer": drawers.begin(partial(curve_figure, evidence.curves)),
    }


def _race(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Who is at risk; a population without races, or policies that do not show them, have no such section."""
    try:
        return race_section(evidence, numbers)
    except InputError:
        return []
