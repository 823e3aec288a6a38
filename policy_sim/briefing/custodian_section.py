"""What the custodian can change: the share matched if the release shows less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from policy_sim.attackers import GENERAL
from policy_sim.briefing.brief_evidence import Evidence
from policy_sim.briefing.numbered import Numbers
from policy_sim.briefing.sentences import policy_words
from policy_sim.granularity import Field, Granularities, is_coarser_or_equal
from policy_sim.policies.policy import Policy
from policy_sim.population.places import without_zip
from policy_sim.render.document.blocks import Block, Bullets, Heading, Paragraph
from policy_sim.render.numbers import percent
from policy_sim.results import TOTAL_RISK

__all__ = ["custodian_section", "shown_less"]


def custodian_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Say what the share matched becomes if the release shows less, for someone who knows everyone."""
    source = evidence.study.counted.provenance.name
    people = evidence.study.people_for(evidence.question)
    loaded = [policy for policy in reversed(evidence.question.loaded) if type(policy) is Policy]
    policies = [without_zip(policy, people) for policy in loaded]
    less = {policy.name: dict(shown_less(policy)) for policy in policies}
    variants = [policy_variant for named in less.values() for policy_variant in named.values()]
    if not variants:
        return []
    answer = evidence.study.compare(
        variants, GENERAL.name, evidence.question.states, 1, rules=evidence.question.rules, in_file=evidence.in_file
    )
    items = []
    for place, policy in enumerate(policies):
        before = evidence.file.profile(evidence.state, policy.name, GENERAL.name).share(TOTAL_RISK)
        if place and before is not None:
            own = numbers.between(
                before, percent, f"share of the file matched: {policy_words(policy.name)}", "section 10", source
            )
            items.append(f"{own} under {policy_words(policy.name)};")
        for words, variant in less[policy.name].items():
            after = answer.profile(evidence.state, variant.name, GENERAL.name).share(TOTAL_RISK)
            if after is None:
                continue
            what = f"{policy_words(policy.name)}, {words}"
            share = numbers.between(after, percent, f"share of the file matched: {what}", "section 10", source)
            items.append(f"{share} under {policy_words(policy.name)} {words};")
    if not items:
        return []
    items[-1] = f"{items[-1].removesuffix(';')}."
    intro = "You choose what the release shows. Someone who knows everyone, and who is in the file, matches:"
    return [Heading("What you can change"), Paragraph(intro), Bullets(tuple(items))]


def shown_less(policy: Policy) -> Iterator[tuple[str, Policy]]:
    """Yield policies that show one field of a policy less finely, and one that shows all of these less.

    Yields
    ------
    What is shown less, in words, and the policy.

    Examples
    --------
    >>> from policy_sim.io.policy_files import load_policy
    >>> [words for words, _ in shown_less(load_policy("safe-harbor-paper"))]
    ['with ages in five-year classes', 'without race', 'with all of these changes']
    """
    steps = list(_steps(policy.releases))
    for place, (words, change) in enumerate(steps):
        yield words, _with(policy, change, place)
    if len(steps) > 1:
        together = {field: value for _, change in steps for field, value in change.items()}
        yield "with all of these changes", _with(policy, together, len(steps))


def _steps(releases: Granularities) -> Iterator[tuple[str, dict[Field, str]]]:
    birth, place = releases[Field.BIRTH], releases[Field.GEOGRAPHY]
    if birth in ("date", "month"):
        yield f"with the year of birth and not the {birth}", {Field.BIRTH: "year"}
    elif birth == "year":
        yield "with ages in five-year classes", {Field.BIRTH: "five_years"}
    if not is_coarser_or_equal(Field.GEOGRAPHY, place, "state"):
        yield "with the state and no smaller place", {Field.GEOGRAPHY: "state"}
    if releases[Field.RACE] != "none":
        yield "without race", {Field.RACE: "none"}


def _with(policy: Policy, change: dict[Field, str], place: int) -> Policy:
    granularities = {field.value: value for field, value in {**dict(policy.releases), **change}.items()}
    return replace(policy, name=f"{policy.name}, less {place + 1}", releases=Granularities(**granularities))
