"""The sentences of a brief, as functions of what is known; none claims more than its number."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from policy_sim.attackers import VOTER
from policy_sim.briefs.evidence import Evidence, Numbers
from policy_sim.files.area_tables import SHIPPED_SIZES
from policy_sim.files.toml import shipped_table
from policy_sim.model.measure import Extreme
from policy_sim.policies.policy import Policy
from policy_sim.show.document.blocks import Block, DocumentTable, Heading, Notice, Paragraph
from policy_sim.show.numbers import dollars, interval, percent
from policy_sim.voter_lists.facts import Fact, deciding_fact, facts_of
from policy_sim.voter_lists.list_field import LINKED_FIELDS, RACE_AND_ETHNICITY
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.fields import RACE_ALONE, Field, area_name, field_word, is_area
from policy_sim.words.states import STATES, is_whole, state_title
from policy_sim.words.status import Status

OLD_MONTHS = 24
_YEARS_FROM = 36  # months from which an age is given in years
_FIELD_WORDS = {"gender": "sex", "birth": "birth date", "geography": "place", "zip": "ZIP code"}
_RACE_WORDS = {**dict.fromkeys(RACE_ALONE, "Hispanic as an answer"), RACE_AND_ETHNICITY: "with ethnicity"}
_OWN_DATE = "the source's own date"
WORDS = shipped_table("pages/briefs.toml")
_SHOWN: Mapping[str, Mapping[str, str]] = WORDS["shown"]
IN_RACE = "as one answer with race"
_LINE = re.compile(r"(?P<fields>(?:[a-z0-9_=+]|(?<==area):[^+()<>]+?)+?)(?: \((?P<conditions>[^)]*)\))?")


def shown_words(policy: str) -> tuple[str, ...]:
    """Return what a policy of one line shows, thing by thing; nothing where the name is not such a line."""
    match = _LINE.fullmatch(policy)
    if match is None or not {"+", "="} & set(match["fields"]):
        return ()
    conditions = [condition for condition in (match["conditions"] or "").split("+") if condition]
    words = []
    for part in match["fields"].split("+"):
        field, _, granularity = part.partition("=")
        words.append(_field(field, granularity))
        if field == "birth":
            words += [f"ages of {age} and over as one class" for age in _values(conditions, "age<")]
    for condition in conditions:
        place, sign, most = condition.partition(">")
        if sign:
            words.append(
                f"no {(WORDS['places'] | WORDS['small_places']).get(place, place)} of {int(most):,} people or fewer"
            )
    return tuple(words)


def _field(field: str, granularity: str) -> str:
    if field == "geography" and is_area(granularity):
        name = area_name(granularity)
        return f"areas of at least {int(name):,} people" if name in SHIPPED_SIZES else f"areas of {Path(name).name}"
    if field == "geography":
        return str(WORDS["places"].get(granularity, granularity))
    if field == "birth":
        years = WORDS["years"].get(granularity.removesuffix("_years"))
        return f"age in classes of {years} years" if years else f"{granularity} of birth"
    words = WORDS["races"].get(granularity)
    return words or (f"{field_word(field)} in broad classes" if granularity == "broad" else field_word(field))


def _values(conditions: list[str], head: str) -> list[str]:
    return [condition.removeprefix(head) for condition in conditions if condition.startswith(head)]


def shown_of(policy: Policy) -> tuple[tuple[str, str], ...]:
    """Return each field with what a record shows of it, as a table of the paper says it.

    >>> from policy_sim.policies.policy import Conditions
    >>> from policy_sim.words.fields import Granularities
    >>> policy = Policy("p", "t", Granularities(birth="year", geography="zip3"), "", Conditions(90))
    >>> dict(shown_of(policy))["birth"]
    'year; 90 and over together'
    """
    releases, top, small = policy.releases, policy.conditions.top_age, policy.conditions.small_places
    birth, place = releases[Field.BIRTH], releases[Field.GEOGRAPHY]
    born = _SHOWN["birth"].get(birth) or _field("birth", birth).removesuffix(" of birth")
    oldest = f"; {top} and over together" if top is not None and birth != "none" else ""
    where = _SHOWN["place"].get(place) or _field("geography", place)
    hidden = "" if small is None else f" (of more than {small.most:,} people)"
    return (
        ("sex", _SHOWN["value"][releases[Field.GENDER]]),
        ("race", {**_SHOWN["value"], **_SHOWN["race"]}[releases[Field.RACE]]),
        ("ethnicity", IN_RACE if releases[Field.RACE] in RACE_ALONE else _SHOWN["value"][releases[Field.ETHNICITY]]),
        ("birth", f"{born}{oldest}"),
        ("place", f"{where}{hidden}"),
    )


def change_words(policy: Policy, proposed: Policy) -> str:
    """Return what a policy shows otherwise than the proposed one, field by field."""
    pairs = zip(shown_of(policy), shown_of(proposed), strict=True)
    changed = (pair for pair in pairs if pair[0] != pair[1] and pair[1][1] != IN_RACE)
    return "; ".join(f"{field}: {words}" for (field, words), _ in changed)


def policy_words(policy: str) -> str:
    """Return a policy as a sentence names it.

    >>> policy_words("limited-dataset"), policy_words("ours")
    ('the limited data set', 'the policy ours')
    """
    fields = shown_words(policy)
    if fields:
        return f"a policy that shows {and_words(fields)}"
    return str(WORDS["policies"].get(policy, f"the policy {policy}"))


def rules_title(policy: str) -> str:
    """Return a policy as the head of a column or row names it.

    >>> rules_title("limited-dataset"), rules_title("safe-harbor")
    ('Limited data set', 'Safe Harbor')
    """
    return first_up(policy_words(policy).removeprefix("the "))


def of_state(state: str) -> str:
    """Return the name of a state; ``the nation`` for all of them."""
    return state_title(state) if is_whole(state) else STATES[state].name if state in STATES else "the nation"


def the_state(state: str) -> str:
    """Return the name of a state as a sentence has it.

    >>> the_state("OH"), the_state("DC")
    ('Ohio', 'the District of Columbia')
    """
    return f"the {of_state(state)}" if state == "DC" else of_state(state)


def day_words(date: str) -> str:
    """Return a date of a source in words, as exactly as the source gives it.

    >>> [day_words(date) for date in ("2026-07-05", "2026-07", "2026", "undated")]
    ['July 5, 2026', 'July 2026', '2026', 'no date']
    """
    parts = date.split("-")
    if not all(part.isdecimal() for part in parts):
        return "no date"
    year, *rest = (int(part) for part in parts)
    month = f"{dt.date(year, rest[0], 1):%B}" if rest else ""
    return f"{month} {rest[1]}, {year}" if len(rest) > 1 else f"{month} {year}".strip()


def and_words(words: Sequence[str]) -> str:
    """Join words as a sentence does.

    >>> and_words(["sex"]), and_words(["sex", "race", "birth date"])
    ('sex', 'sex, race and birth date')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "nothing"


def first_up(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def counted_words(number: str, singular: str, plural: str) -> str:
    """Return a number with its noun, in the singular for 1.

    >>> counted_words("1", "person", "people"), counted_words("1,442", "person", "people")
    ('1 person', '1,442 people')
    """
    return f"{number} {singular if number == '1' else plural}"


def no_list_sentence(state: str, status: Status, reason: str) -> str:
    """Say why there is no voter list to link with."""
    words = WORDS["no_list"].get(str(status), "There is no voter list of {state} to link with")
    words = first_up(words.format(state=the_state(state)))
    reason = reason.rstrip(".")
    if not reason:
        return f"{words}."
    return f"{words}. {reason}." if reason[0].isupper() else f"{words}: {reason}."


def holds_sentence(state: str, held: Sequence[str], unknown: Sequence[str]) -> str:
    """Say what a state's list gives about each voter, and what no source mentions."""
    fields = and_words(held) if held else "none of the fields that matter here"
    more = f"; no source says whether it gives {and_words(unknown)}" if unknown else ""
    return f"{first_up(the_state(state))}'s voter list gives {fields}{more}."


def price_sentence(status: str, amount: str, reason: str, dated: str = "") -> str:
    """Say what the list costs by the status of its price, or why it has none; ``dated`` is the day of the source."""
    when = f" ({dated})" if dated else ""
    return {
        "ok": f"It costs {amount}{when}.",
        "free": f"It is free{when}.",
        "at_least": f"It costs {amount} or more{when}.",
    }.get(status, f"Its price is not known: {reason.rstrip('.')}." if reason else "Its price is not known.")


def buyers_sentence(buyers: Sequence[str] | None, uses: Sequence[str] | None, dated: str = "") -> str:
    """Say who may get the list, and for which uses; None is what no source says."""
    when = f" (as of {dated})" if dated else ""
    if buyers is None:
        return f"No source says who may get it{when}."
    words = and_words([WORDS["buyers"].get(name, f"{name}s") for name in buyers])
    who = "Anyone may get it" if "public" in buyers else f"Only {words} may get it" if buyers else "Nobody may get it"
    if not buyers or uses is None:
        return f"{who}{'; no source says for which uses' if buyers else ''}{when}."
    allowed = and_words([name.replace("non_", "non").replace("_", "-") for name in uses])
    only = f"{'but' if 'public' in buyers else 'and'} only for {allowed} use"
    return f"{who}, {'for any use' if 'any' in uses else only}{when}."


def extreme_words(extreme: Extreme, *, most: bool) -> str:
    """Say which state has the largest share, or the smallest, and which may have a larger, or a smaller, one.

    >>> from policy_sim.model.measure import Bounds
    >>> extreme_words(Extreme("AL", Bounds(0.684, 0.689), ("KY",)), most=True)
    "at least 68.4% (Alabama; Kentucky's may be higher)"
    """
    name, figure, rivals = extreme
    if not rivals:
        return f"{interval(figure.low, figure.high, percent)} ({the_state(name)})"
    end, may = (min(figure.low, figure.high), "higher") if most else (max(figure.low, figure.high), "lower")
    others = and_words([f"{the_state(rival)}'s" for rival in rivals])
    return f"at {'least' if most else 'most'} {percent(end)} ({the_state(name)}; {others} may be {may})"


def rank_sentence(state: str, rank: tuple[int, int] | None, of: int, policy: str, status: Status = Status.OK) -> str:
    """Say where a state stands among the states by total risk, the largest share first, or why it has no rank.

    ``rank``: the best and the worst place that it may have, as some shares are ranges.
    """
    name, words = the_state(state), policy_words(policy)
    if rank is None:
        return f"With the voter list, {name} has no rank under {words}. {no_list_sentence(state, status, '')}"
    among, (best, last) = f"of {of} states with a figure under {words}", rank
    if best == last and best in (1, of):
        return f"With the voter list, {name} has the {'largest' if best == 1 else 'smallest'} share {among}."
    place = f"number {best}" if best == last else f"between number {best} and number {last}"
    why = "" if best == last else "; some shares are ranges"
    return f"With the voter list, {name} is {place} {among}, the largest share first{why}."


def age_in_months(date: str, year: int, month: int) -> int | None:
    """Return how old a date such as ``2017-07-05``, ``2017-07`` or ``2017`` is; None where it is none.

    A year alone counts from its middle.

    >>> age_in_months("2017-07-05", 2026, 11), age_in_months("2024", 2026, 11), age_in_months("undated", 2026, 11)
    (112, 29, None)
    """
    parts = date.split("-")
    if not parts[0].isdecimal():
        return None
    seen = int(parts[1]) if len(parts) > 1 and parts[1].isdecimal() else 6
    return (year - int(parts[0])) * 12 + month - seen


# What the voter list of a state holds, costs and allows: sentences for the paper, facts and sources for the annex.


def list_doubts(listed: VoterList) -> list[str]:
    """Say in sentences what a list leaves out, how old the fact is that decides, and what no source says."""
    if listed.status != "available":
        return []
    left_out, unknown = _fields_that_are("withheld", listed), _fields_that_are("unknown", listed)
    date = deciding_fact(listed, LINKED_FIELDS).date
    lines = [f"It leaves out {and_words(left_out)}."] if left_out else []
    lines += [f"The oldest source for a field that matters is from {day_words(date)}."] if date else []
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


def fact_name(item: str) -> str:
    """Return the name of a fact of a list as a reader says it.

    >>> fact_name("birth"), fact_name("price")
    ('birth date', 'price')
    """
    return _FIELD_WORDS.get(item, item)


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
            f"the election office of {of_state(evidence.state)} what its list contains today."
        )
    return [Notice("Check this first.", text)]


# What a bill on a voter list sets, in words.


_BILL_WORDS: Mapping[str, Mapping[str, str]] = WORDS["bill"]
_HIDDEN = ("withheld", "none")


def law_words(changes: Mapping[str, str]) -> str:
    """Return what a bill sets, as a clause, by items of the list and what becomes of them."""
    first, *more = _clauses(changes)
    return "; ".join([first, *(clause.replace("the list", "it", 1) for clause in more)])


def _clauses(changes: Mapping[str, str]) -> Iterator[str]:
    if "status" in changes:
        yield _BILL_WORDS["status"].get(changes["status"], f"the status of the list is {changes['status']}")
    fields = list(_fields(changes))
    if fields:
        yield f"the list {and_words(fields)}"
    if "price" in changes:
        price = changes["price"]
        yield _BILL_WORDS["price"].get(price) or (
            f"the list costs {dollars(float(price))}" if float(price) else "the list is free"
        )
    if "buyers" in changes:
        sentence = buyers_sentence(_who(changes["buyers"]), _who(changes.get("uses", "any")))
        sentence = sentence.removesuffix(".").removesuffix(", for any use" if "uses" not in changes else "")
        yield f"{sentence[0].lower()}{sentence[1:]}".replace("get it", "get the list")
    elif "uses" in changes:
        names = _who(changes["uses"])
        yield "the list has no known limit of uses" if names is None else f"the list is for {_uses(names)}"


def _fields(changes: Mapping[str, str]) -> Iterator[str]:
    if "birth" in changes:
        birth = changes["birth"]
        yield _unknown("the birth date", birth) or _BILL_WORDS["birth"].get(birth, f"shows births by {_plain(birth)}")
    if "geography" in changes:
        place = changes["geography"]
        yield _unknown("the place", place) or _BILL_WORDS["geography"].get(place, f"shows the place by {_plain(place)}")
    for item, words in _BILL_WORDS["fields"].items():
        if item in changes:
            fact = f"does not show {words}" if changes[item] in _HIDDEN else f"shows {words}"
            yield _unknown(words, changes[item]) or fact


def _unknown(words: str, value: str) -> str:
    return f"may or may not show {words}" if value == "unknown" else ""


def _plain(value: str) -> str:
    return value.replace("_", " ")


def _who(value: str) -> tuple[str, ...] | None:
    """Return classes of buyers or uses; None where no source says."""
    if value == "unknown":
        return None
    return () if value == "nobody" else tuple(part.strip() for part in value.split(","))


def _uses(names: tuple[str, ...]) -> str:
    words = and_words([name.replace("_", "-") for name in names])
    return "any use" if "any" in names else f"{words} uses only" if names else "no use"
