"""What would change the answer of a brief: each a comparison of its own, in words."""

from __future__ import annotations

from policy_sim.attackers import GENERAL, VOTER
from policy_sim.briefing.brief_evidence import Evidence
from policy_sim.briefing.numbered import Numbers
from policy_sim.briefing.sentences import policy_words
from policy_sim.render.document.blocks import Block, Bullets, Heading, Paragraph
from policy_sim.render.numbers import interval, percent
from policy_sim.results import TOTAL_RISK, Bounds
from policy_sim.voter_lists.list_field import ListField

__all__ = ["changes_section"]

# Changes of list law that a legislature can make.
_YEAR, _NONE = {"birth": "year"}, {"birth": "withheld"}
_LEAST = 0.02  # a change by less than a fiftieth is none that a reader acts on


def changes_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Say by how much the share matched moves when the file, the attacker or the list is another."""
    policy = evidence.policies[-1]
    before = evidence.file.profile(evidence.state, policy, GENERAL.name).share(TOTAL_RISK)
    assert before is not None
    source = evidence.study.counted.provenance.name
    range_text = numbers.between(
        before, percent, f"share of the file matched: {policy_words(policy)}", "section 10", source
    )
    lines = [
        f"Under {policy_words(policy)}, an attacker would match {range_text} of the people in the file. That "
        f"share would be:"
    ]
    everyone = evidence.everyone(evidence.state, policy, GENERAL.name).share(TOTAL_RISK)
    items = []
    if everyone is not None and _moves(before, everyone):
        items.append(
            f"{_put(numbers, everyone, 'everyone released', source)} if everyone in the state were in the file;"
        )
    items += _with_the_list(evidence, numbers, source)
    if not items:
        return []
    items[-1] = items[-1].rstrip(";") + "."
    return [Heading("What would change this answer"), Paragraph(" ".join(lines)), Bullets(tuple(items))]


def _with_the_list(evidence: Evidence, numbers: Numbers, source: str) -> list[str]:
    policy = evidence.policies[-1]
    voter = evidence.study.voter
    now = evidence.file.profile(evidence.state, policy, VOTER).share(TOTAL_RISK)
    if now is None or evidence.listed.status != "available":
        return []
    items = [f"{_put(numbers, now, 'with the voter list alone', source)} for someone who has the voter list alone;"]
    laws = _laws(evidence.listed.fields["birth"])
    others = {words: voter.changed(f"after {place}", evidence.state, law) for place, (law, words) in enumerate(laws)}
    answer = evidence.study.compare(
        evidence.question.policies[-1:],
        tuple(others.values()),
        evidence.question.states,
        1,
        rules=evidence.question.rules,
        in_file=evidence.in_file,
    )
    for words, attacker in others.items():
        after = answer.profile(evidence.state, policy, attacker.name).share(TOTAL_RISK)
        if after is not None and _moves(now, after):
            items.append(f"{_put(numbers, after, f'if the list {words}', source)} for that person if the list {words};")
    return items


def _laws(birth: ListField) -> list[tuple[dict[str, str], str]]:
    """Return the changes of list law that change what the list shows of births, and their words."""
    if birth.availability == "withheld":
        return [(_YEAR, "gave the year of birth too")]
    if birth.availability == "unknown":
        return [(_YEAR, "gave the year of birth"), (_NONE, "gave no birth date or year")]
    none = (_NONE, "gave no birth date or year")
    if birth.granularity not in ("date", "month"):
        return [none]
    return [(_YEAR, f"gave the year of birth and not the {birth.granularity}"), none]


def _moves(before: Bounds, after: Bounds) -> bool:
    return abs(after.high - before.high) > _LEAST * max(before.high, after.high)


def _put(numbers: Numbers, share: Bounds, what: str, source: str) -> str:
    return numbers.put(
        interval(share.low, share.high, percent), f"share of the file matched: {what}", "section 10", source
    )
