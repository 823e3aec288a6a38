"""The page that a limited data set needs besides the two of a paper: what the law asks of it, field by field."""

from __future__ import annotations

from collections.abc import Iterator

from policy_sim.attackers import GENERAL, VOTER
from policy_sim.briefs.evidence import Evidence, Numbers
from policy_sim.briefs.paper import Proposal, named_words, review_by
from policy_sim.briefs.sentences import IN_RACE, WORDS, and_words, shown_of, the_state
from policy_sim.files.toml import shipped_table
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.records.engines.sent_fields import SentField, SentFields
from policy_sim.show.document.blocks import Block, DocumentTable, Heading, Paragraph, as_is
from policy_sim.show.numbers import percent, whole_people

_RULE = "limited-dataset"
_TEXTS = WORDS["limited"]
_BLANK = "_" * 24
_ALONE = "records alone with the key fields and one more column"


def is_limited(evidence: Evidence) -> bool:
    """Whether a limited data set is what is proposed."""
    return evidence.policies[-1].startswith(_RULE)


def limited_page(evidence: Evidence, numbers: Numbers, proposal: Proposal) -> list[Block]:
    """Return which fields are needed, what an agreement must contain, what is in no figure, and words for minutes."""
    agreement = shipped_table("agreements.toml")["data_use_agreement"]
    return [
        Heading("For a limited data set: the minimum necessary", new_page=True),
        Paragraph(_TEXTS["minimum"]),
        _needs(evidence),
        Heading("What the data use agreement must contain"),
        *(Paragraph(f"☐ {item}") for item in agreement["items"]),
        Paragraph(f"{_TEXTS['agreement']} {agreement['citation']}.", "small"),
        Heading("What is sent and is in no figure"),
        *_sent(proposal.sent, numbers, evidence.in_file.records),
        Heading("For the minutes"),
        Paragraph(_minutes(evidence, numbers, proposal)),
    ]


def _needs(evidence: Evidence) -> DocumentTable:
    """Return each field that is shown, with what shows less and room to say what it is needed for."""
    (policy,) = evidence.question.loaded[-1:]
    ends = policy.in_state(evidence.parts[0].state)
    fields, less = shown_of(policy if ends is None else ends[1]), _TEXTS["less"]
    rows = [(name, words, less[name], _BLANK) for name, words in fields if words not in ("not shown", IN_RACE)]
    rows += [(name, "as recorded", words, _BLANK) for name, words in _TEXTS["beside"].items()]
    return DocumentTable(("field", "proposed", "shows less", "needed for"), tuple(rows))


def _sent(sent: SentFields | None, numbers: Numbers, counted: int | None) -> Iterator[Block]:
    """Say what a file sends beside the fields of the figures, and how many records each of them makes unique.

    ``counted``: the records on page one, of those whose place is known; None where people are counted.
    """
    if sent is None:
        yield Paragraph(_TEXTS["no_file"])
        return
    if sent.identifiers:
        yield Paragraph(f"**{_TEXTS['identifiers']}** {and_words([as_is(name) for name in sent.identifiers])}.")
    rows = [_row(field, numbers) for field in (SentField("none", "", sent.alone, sent.without_birth), *sent.fields)]
    key = and_words([as_is(name) for name in sent.key])
    held = numbers.put(whole_people(sent.records), "records of the file", "counted", "the file")
    more_than_counted = 0 if counted is None else sent.records - counted
    among = (
        f", with the {whole_people(more_than_counted)} that page one does not count" if more_than_counted > 0 else ""
    )
    yield Paragraph(
        f"How many of all {held} records of the file{among} are alone: no other record has the same {key} and the "
        "same value in one more column."
    )
    heads = ("column added", "kind", "alone", "alone, birth not used")
    yield DocumentTable(heads, tuple(rows), numbers=frozenset({2, 3}))
    more = f" Not measured: {and_words([as_is(name) for name in sent.left_out])}." if sent.left_out else ""
    yield Paragraph(f"{_TEXTS['profile']}{more}", "small")


def _row(field: SentField, numbers: Numbers) -> tuple[str, ...]:
    shares = ((field.alone, _ALONE), (field.without_birth, f"{_ALONE}, birth not used"))
    cells = (numbers.put(percent(share), f"{what}: {field.column}", "counted", "the file") for share, what in shares)
    return (as_is(field.column), field.kind, *cells)


def _minutes(evidence: Evidence, numbers: Numbers, proposal: Proposal) -> str:
    """Return a paragraph that a committee can put into its minutes; what it must say itself is left blank."""
    who = {
        VOTER: f"someone who has the voter list{'s' * (len(evidence.parts) > 1)} of {the_state(evidence.state)}",
        GENERAL.name: "someone who knows everyone's birth date and home",
    }
    profiles = {name: evidence.file.profile(evidence.state, evidence.policies[-1], name) for name in who}
    named = [
        f"{who[name]} would name {named_words(profile, numbers)}"
        for name, profile in profiles.items()
        if profile.share(TOTAL_RISK) is not None
    ]
    people = numbers.put(whole_people(profiles[VOTER].records), "people", "asked")
    period = f" of {as_is(proposal.period)}" if proposal.period else ""
    recipient = as_is(proposal.recipient) or _BLANK
    return (
        f"The committee considered sending {as_is(proposal.what)}{period} of {people} people to {recipient}, as a "
        f"limited data set (45 CFR 164.514(e)). It noted that {and_words(named)}, if they know who is in the file. It "
        f"found the fields above to be the minimum necessary for {_BLANK}. A data use agreement with every item above "
        f"was signed on {_BLANK}. {review_by(evidence)[0]}."
    )
