"""Sections of a state's brief: what the custodian can change, and what the voter list holds, costs and allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from policy_sim.attackers import GENERAL, VOTER
from policy_sim.briefs.evidence import Evidence, Numbers
from policy_sim.briefs.sentences import (
    age_in_months,
    buyers_sentence,
    day_words,
    holds_sentence,
    no_list_sentence,
    of_state,
    policy_words,
    price_sentence,
    the_state,
)
from policy_sim.model.measure import TOTAL_RISK, Bounds
from policy_sim.people.places import without_zip
from policy_sim.policies.policy import Policy
from policy_sim.show.document.blocks import Block, Bullets, DocumentTable, Heading, Notice, Paragraph
from policy_sim.show.numbers import dollars, percent
from policy_sim.voter_lists.facts import Fact, deciding_fact, facts_of
from policy_sim.voter_lists.list_field import LINKED_FIELDS, RACE_AND_ETHNICITY
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.fields import RACE_ALONE, Field, Granularities, is_coarser_or_equal


def share_of_file(evidence: Evidence, numbers: Numbers, share: Bounds, what: str) -> str:
    """Write the share of the file that an attacker matches, as a number of the brief."""
    return numbers.between(share, percent, f"share of the file matched: {what}", "section 10", evidence.people_source)


def custodian_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Say what the share matched becomes if the release shows less, for someone who knows everyone."""
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
        called = policy_words(policy.name)
        before = evidence.file.profile(evidence.state, policy.name, GENERAL.name).share(TOTAL_RISK)
        if place and before is not None:
            items.append(f"{share_of_file(evidence, numbers, before, called)} under {called};")
        for words, variant in less[policy.name].items():
            after = answer.profile(evidence.state, variant.name, GENERAL.name).share(TOTAL_RISK)
            if after is not None:
                share = share_of_file(evidence, numbers, after, f"{called}, {words}")
                items.append(f"{share} under {called} {words};")
    if not items:
        return []
    items[-1] = f"{items[-1].removesuffix(';')}."
    intro = "You choose what the release shows. Someone who knows everyone, and who is in the file, matches:"
    return [Heading("What you can change"), Paragraph(intro), Bullets(tuple(items))]


def shown_less(policy: Policy) -> Iterator[tuple[str, Policy]]:
    """Yield policies that show one field of a policy less finely, and one that shows all of these less."""
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
    race = releases[Field.RACE]
    if race in RACE_ALONE:
        yield "if race does not tell who is Hispanic", {Field.RACE: RACE_ALONE[race]}
        yield "without race and ethnicity", {Field.RACE: "none"}
        return
    if releases[Field.ETHNICITY] != "none":
        yield "without ethnicity", {Field.ETHNICITY: "none"}
    if race != "none":
        yield "without race", {Field.RACE: "none"}


def _with(policy: Policy, change: dict[Field, str], place: int) -> Policy:
    granularities = {field.value: value for field, value in {**dict(policy.releases), **change}.items()}
    return replace(policy, name=f"{policy.name}, less {place + 1}", releases=Granularities(**granularities))


OLD_MONTHS = 24
_YEARS_FROM = 36  # months from which an age is given in years
_FIELD_WORDS = {"gender": "sex", "birth": "birth", "geography": "place", "zip": "ZIP code"}
_RACE_WORDS = {**dict.fromkeys(RACE_ALONE, "Hispanic as an answer"), RACE_AND_ETHNICITY: "with ethnicity"}
_OWN_DATE = "the source's own date"


def list_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Say what the list gives, costs and allows, by which source and how old."""
    listed = evidence.listed
    head = Heading("What the voter list contains and costs")
    if listed.status != "available":
        status = evidence.file.profile(evidence.state, evidence.policies[0], VOTER).status
        return [head, Paragraph(no_list_sentence(evidence.state, status, listed.reason))]
    facts = [fact for fact in facts_of(listed) if fact.value and fact.item != "status"]
    held = [
        _field_words(name, listed.fields[name].granularity)
        for name in LINKED_FIELDS
        if listed.fields[name].availability == "included"
    ]
    unknown = [_FIELD_WORDS.get(name, name) for name in LINKED_FIELDS if listed.fields[name].availability == "unknown"]
    sentences = [holds_sentence(evidence.state, held, unknown), _price(evidence, numbers), _buyers(listed, numbers)]
    table = DocumentTable(
        ("fact", "value", "newest source", "confidence"),
        tuple(
            (_FIELD_WORDS.get(fact.item, fact.item), _value(fact), fact.date or "none", fact.confidence or "–")
            for fact in facts
        ),
        f"The facts of {the_state(evidence.state)}'s list, vintage {listed.vintage}",
    )
    return [head, Paragraph(" ".join(filter(None, sentences))), table, *_sources(listed, facts)]


def _price(evidence: Evidence, numbers: Numbers) -> str:
    """Say what the list costs, by the attack on the file, which prices it."""
    if not evidence.attacks:
        return ""
    plan = evidence.attacks[0]
    amount = dated = ""
    if plan.price.usd is not None:
        amount = numbers.put(dollars(plan.price.usd), "price of the voter list", plan.price_source, plan.price_date)
        if plan.price_date:
            dated = numbers.put(
                day_words(plan.price_date), "date of the source on the price", _OWN_DATE, plan.price_source
            )
    return price_sentence(plan.price.status, amount, plan.price.reason, dated)


def _buyers(listed: VoterList, numbers: Numbers) -> str:
    fact = next(fact for fact in facts_of(listed) if fact.item == "buyers")
    dated = ""
    if fact.date:
        titles = "; ".join(listed.sources[name].title for name in fact.sources)
        what = "date of the newest source on who may have the list"
        dated = numbers.put(day_words(fact.date), what, _OWN_DATE, titles)
    return buyers_sentence(listed.buyers.names, listed.uses.names, dated)


def _value(fact: Fact) -> str:
    """Return the value of a fact as a reader says it."""
    value = {"public": "anyone", "non_commercial": "non-commercial only"}.get(fact.value, fact.value)
    for granularity, words in _RACE_WORDS.items():
        value = value.replace(f"({granularity})", f"({words})")
    return value.replace("_", " ").replace(" a record", " per record")


def _sources(listed: VoterList, facts: Iterable[Fact]) -> list[Block]:
    """Name each source once, with the facts that it gives."""
    fields_by_source: dict[str, list[str]] = {}
    for fact in facts:
        for name in fact.sources:
            fields_by_source.setdefault(name, []).append(_FIELD_WORDS.get(fact.item, fact.item))
    texts = [
        f"{listed.sources[name].title} ({day_words(listed.sources[name].date)}): {', '.join(items)}"
        for name, items in fields_by_source.items()
    ]
    return [Paragraph(f"Sources. {'; '.join(texts)}.", "small")] if texts else []


def _field_words(name: str, granularity: str) -> str:
    if name == "birth":
        return {"date": "birth date", "month": "birth month", "year": "birth year or age"}.get(
            granularity, "a birth class"
        )
    if name == "race":
        words = "race with Hispanic as an answer" if granularity in RACE_ALONE else "race"
        return "race and ethnicity" if granularity == RACE_AND_ETHNICITY else words
    return {"gender": "sex", "geography": granularity or "place", "zip": "ZIP code"}.get(name, name)


def old_fact_notice(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Warn on page one where the fact that decides the answer is old or has no date."""
    if evidence.listed.status != "available":
        return []
    fact = deciding_fact(evidence.listed, LINKED_FIELDS)
    months = age_in_months(fact.date, evidence.date.year, evidence.date.month)
    if not fact.item or (months is not None and months <= OLD_MONTHS):
        return []
    what = _FIELD_WORDS.get(fact.item, fact.item)
    if months is None:
        text = f"The source for the list's {what} has no date: {fact.source}."
    else:
        age = f"{months} months" if months < _YEARS_FROM else f"{months // 12} years"
        old = numbers.put(age, f"age of the newest source on the list's {what}", f"from {fact.date}", fact.source)
        text = (
            f"The newest source on what the list gives of {what} is {old} old ({fact.source}, {fact.date}). Ask the "
            f"election office of {of_state(evidence.state)} what its list holds today."
        )
    return [Notice("Check this first.", text)]
