"""One page on a bill: what a change of the law on voter lists would do to the risk of health records."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING

from policy_sim.attackers import VOTER
from policy_sim.briefing.brief_evidence import Evidence
from policy_sim.briefing.framing import footer, framing
from policy_sim.briefing.law_words import law_words
from policy_sim.briefing.numbered import Numbers
from policy_sim.briefing.sentences import first_up, of_state, policy_words, the_state
from policy_sim.questions.question import InFileLike, Policies
from policy_sim.render.document.blocks import Block, Document, DocumentTable, Heading, Paragraph
from policy_sim.render.numbers import interval, people, percent
from policy_sim.results import CLAIMS, CORRECT_CLAIMS, TOTAL_RISK, RiskProfile

if TYPE_CHECKING:
    from policy_sim.study import Study

__all__ = ["bill_brief"]

_AFTER = "after the bill"
_MEASURES = (
    ("right", TOTAL_RISK, "section 10"),
    ("only one fits", CLAIMS, "section 11"),
    ("of these right", CORRECT_CLAIMS, "section 11"),
)


def bill_brief(
    study: Study,
    state: str,
    changes: Mapping[str, str],
    *,
    policies: Policies | None = None,
    in_file: InFileLike = None,
    rules: str = "regulation",
    date: dt.date | None = None,
) -> Document:
    """Return one page on a change of a state's list law, before and after.

    Parameters
    ----------
    study, state, policies, in_file, rules, date : As for :func:`~policy_sim.briefing.state_brief.state_brief`.
    changes : Items of the list and what becomes of them, such as ``{"birth": "year"}``.

    Raises
    ------
    InputError, UnknownNameError : an item or value that is not known, or another argument that is wrong.
    """
    evidence = Evidence.of(study, state, policies, rules, in_file, date or dt.date.today())
    after = study.voter.changed(_AFTER, evidence.state, changes)
    answer = study.compare(
        evidence.question.policies, (VOTER, after), evidence.question.states, 1, rules=rules, in_file=evidence.in_file
    )
    numbers = Numbers()
    source = f"{study.counted.provenance.name}; voter lists of {study.unrestricted_voter.vintage}"
    pairs = [
        (answer.profile(evidence.state, name, VOTER), answer.profile(evidence.state, name, _AFTER))
        for name in evidence.policies
    ]
    rows = [row for old, new in pairs for row in _rows(old, new, numbers, source)]
    table = DocumentTable(
        ("rules", "matches", "before", "after"),
        tuple(rows),
        "A file whose members the attacker knows, and the voter list",
        numbers=frozenset({2, 3}),
    )
    lead = " ".join(_sentence(old, new) for old, new in pairs)
    blocks: list[Block] = [
        Paragraph(f"{_bill_words(evidence.state, changes)} {lead}", "lead"),
        table,
        Heading("What the bill does not change"),
        Paragraph(
            "An attacker who knows a person's birth date from elsewhere, such as a neighbor or a data broker, "
            "does not need "
            "the voter list. Copies of the list that were sold before the bill stay where they are."
        ),
    ]
    title = f"What a bill on the voter list would do: {of_state(evidence.state)}"
    return Document(title, "One page for a hearing", (*blocks, *framing(evidence, numbers, title)), footer(evidence))


def _bill_words(state: str, changes: Mapping[str, str]) -> str:
    return f"After the bill, {law_words(changes)}. This page compares {the_state(state)} before and after it."


def _sentence(old: RiskProfile, new: RiskProfile) -> str:
    before, after = old.share(TOTAL_RISK), new.share(TOTAL_RISK)
    words = policy_words(old.policy)
    if before is None:
        return f"Under {words}, there is no figure before the bill: {old.reason or old.status}."
    start = interval(before.low, before.high, percent)
    if after is None:
        return (
            f"Under {words}, the share matched was {start}; after the bill nobody can link: {new.reason or new.status}."
        )
    end = interval(after.low, after.high, percent)
    if start == end:
        return f"Under {words}, the share matched stays at {start}."
    return f"Under {words}, the share matched goes from {start} to {end}."


def _rows(old: RiskProfile, new: RiskProfile, numbers: Numbers, source: str) -> list[tuple[str, ...]]:
    words = policy_words(old.policy)
    rows = []
    for called, measure, formula in _MEASURES:
        cells = []
        for when, profile in (("before", old), ("after", new)):
            figure, share = profile.people(measure), profile.share(measure)
            if figure is None or share is None:
                cells.append(str(profile.status).replace("_", " "))
                continue
            text = f"{interval(figure.low, figure.high, people)} ({interval(share.low, share.high, percent)})"
            cells.append(numbers.put(text, f"{called} {when} the bill: {words}", formula, source))
        rows.append((first_up(words.removeprefix("the ")), called, *cells))
    return rows
