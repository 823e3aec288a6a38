"""What every brief says besides its answer: methods, responsible use and how to cite it."""

from __future__ import annotations

from importlib.metadata import version

from policy_sim.briefing.brief_evidence import Evidence
from policy_sim.briefing.numbered import Numbers
from policy_sim.render.document.blocks import Block, Bullets, Heading, Paragraph

__all__ = ["footer", "framing"]


def framing(evidence: Evidence, numbers: Numbers, address: str) -> list[Block]:
    """Return the last sections of a brief.

    Parameters
    ----------
    address : What the brief is called in a citation.
    """
    people = evidence.study.counted.provenance
    modeled = (
        "The census does not publish counts by all of these at once everywhere, so part of the population is modeled: "
        f"{people.describe(evidence.question.states or ())}."
    )
    rules = (
        "The brief uses the rules as 45 CFR 164.514 states them."
        if evidence.question.rules == "regulation"
        else "The brief uses the rules as Benitez and Malin (2010) simplify them, without ZIP codes."
    )
    notes = evidence.file.provenance.notes
    return [
        Heading("How this was computed", key="methods"),
        Paragraph(
            "People who share all values that the attacker can see form a group. The attacker guesses within the "
            "group at "
            f"random (Golle 2006; Benitez and Malin 2010). {rules} {modeled}"
        ),
        Bullets(tuple(f"{note[0].upper()}{note[1:]}." if not note.endswith(".") else note for note in notes)),
        Heading("Use it responsibly"),
        Paragraph(
            "This brief measures what an attacker could do, so that custodians can prevent it. It names nobody and "
            "uses no voter records. It is not legal advice and not an Expert Determination under 45 CFR 164.514(b)(1)."
        ),
        Heading("How to cite"),
        Paragraph(
            f"policy_sim {version('policy-sim')}. {address}. {evidence.date:%B} {evidence.date.day}, "
            f"{evidence.date.year}. "
            f"Population {people.name} ({people.publisher}); voter lists of "
            f"{evidence.study.unrestricted_voter.vintage}."
        ),
        Heading("Every number"),
        numbers.appendix(),
    ]


def footer(evidence: Evidence) -> str:
    """Return the line at the foot of every page."""
    people = evidence.study.counted.provenance
    lists = evidence.study.unrestricted_voter.vintage
    return f"policy_sim {version('policy-sim')} · {people.name} · voter lists of {lists} · {evidence.date}"
