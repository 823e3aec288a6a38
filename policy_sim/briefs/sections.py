"""What the voter list of a state holds, costs and allows: sentences for the paper, facts and sources for the annex."""

from __future__ import annotations

from collections.abc import Iterable

from policy_sim.attackers import VOTER
from policy_sim.briefs.evidence import Evidence, Numbers
from policy_sim.briefs.sentences import (
    age_in_months,
    and_words,
    buyers_sentence,
    day_words,
    holds_sentence,
    no_list_sentence,
    of_state,
    price_sentence,
    the_state,
)
from policy_sim.show.document.blocks import Block, DocumentTable, Heading, Notice, Paragraph
from policy_sim.show.numbers import dollars
from policy_sim.voter_lists.facts import Fact, deciding_fact, facts_of
from policy_sim.voter_lists.list_field import LINKED_FIELDS, RACE_AND_ETHNICITY
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.fields import RACE_ALONE

OLD_MONTHS = 24
_YEARS_FROM = 36  # months from which an age is given in years
_FIELD_WORDS = {"gender": "sex", "birth": "birth date", "geography": "place", "zip": "ZIP code"}
_RACE_WORDS = {**dict.fromkeys(RACE_ALONE, "Hispanic as an answer"), RACE_AND_ETHNICITY: "with ethnicity"}
_OWN_DATE = "the source's own date"


def list_doubts(listed: VoterList) -> list[str]:
    """Say in sentences what a list leaves out, how old the fact is that decides, and what no source says."""
    if listed.status != "available":
        return []
    left_out, unknown = _fields_that_are("withheld", listed), _fields_that_are("unknown", listed)
    date = deciding_fact(listed, LINKED_FIELDS).date
    lines = [f"It leaves out {and_words(left_out)}."] if left_out else []
    lines += [f"The oldest fact that decides is from {day_words(date)}."] if date else []
    return lines + (
        [f"No source says whether it gives {and_words(unknown)}, so some answers are ranges."] if unknown else []
    )


def _fields_that_are(availability: str, listed: VoterList) -> list[str]:
    """Return the fields that an attacker links on and that a list gives, leaves out, or that no source mentions."""
    names = (name for name in LINKED_FIELDS if listed.fields[name].availability == availability)
    return [_FIELD_WORDS.get(name, name) for name in names]


def list_sentences(evidence: Evidence, numbers: Numbers) -> str:
    """Say what the list gives, costs and allows, or why there is none."""
    listed = evidence.listed
    if listed.status != "available":
        status = evidence.file.profile(evidence.state, evidence.policies[0], VOTER).status
        return no_list_sentence(evidence.state, status, listed.reason)
    held = [
        _field_words(name, listed.fields[name].granularity)
        for name in LINKED_FIELDS
        if listed.fields[name].availability == "included"
    ]
    unknown = _fields_that_are("unknown", listed)
    sentences = [holds_sentence(evidence.state, held, unknown), _price(evidence, numbers), _buyers(listed, numbers)]
    return " ".join(filter(None, sentences))


def list_section(evidence: Evidence) -> list[Block]:
    """Return the facts of the list, by which source and how old; nothing where there is none."""
    listed = evidence.listed
    if listed.status != "available":
        return []
    facts = [fact for fact in facts_of(listed) if fact.value and fact.item != "status"]
    table = DocumentTable(
        ("fact", "value", "newest source", "confidence"),
        tuple(
            (_FIELD_WORDS.get(fact.item, fact.item), _value(fact), fact.date or "none", fact.confidence or "–")
            for fact in facts
        ),
        f"The facts of {the_state(evidence.state)}'s list, vintage {listed.vintage}",
    )
    return [Heading("What the voter list contains and costs"), table, *_sources(listed, facts)]


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
            f"The newest source that says whether the list gives {what} is {old} old ({fact.source}, {fact.date}). Ask "
            f"the election office of {of_state(evidence.state)} what its list holds today."
        )
    return [Notice("Check this first.", text)]
