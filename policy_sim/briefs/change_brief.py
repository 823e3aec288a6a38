"""What another list does to the risk: a page on a bill or on two vintages, and the section of a state's brief."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from policy_sim.attackers import GENERAL, VOTER, Attacker
from policy_sim.attackers.stakes import InFileLike
from policy_sim.briefs.evidence import Evidence, Numbers, footer, framing
from policy_sim.briefs.sections import share_of_file
from policy_sim.briefs.sentences import and_words, buyers_sentence, first_up, of_state, policy_words, the_state
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, TOTAL_RISK, Bounds
from policy_sim.model.profile import RiskProfile
from policy_sim.show.document.blocks import Block, Bullets, Document, DocumentTable, Heading, Paragraph
from policy_sim.show.numbers import dollars, interval, people, percent
from policy_sim.study.question import Policies
from policy_sim.voter_lists.list_field import ListField
from policy_sim.words.fields import field_word

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.study.study import Study


_FIELDS = {"gender": "sex", "race": "race", "zip": "the ZIP code", "party": "the party", "address": "the address"}
_BIRTHS = {
    "date": "shows the date of birth",
    "included": "shows the date of birth",
    "month": "shows the month and year of birth and not the day",
    "year": "shows only the year of birth",
    "withheld": "shows no birth date or year",
    "none": "shows no birth date or year",
}
_PLACES = {
    "withheld": "shows no place",
    "nation": "shows no place",
    "state": "shows no place smaller than the state",
    "county": "shows the county",
    "zip5": "shows the ZIP code",
    "zip3": "shows three digits of the ZIP code",
    "county_zip3": "shows the county and three digits of the ZIP code",
    "county_zip5": "shows the county and the ZIP code",
}
_STATUSES = {
    "available": "the state sells a list",
    "not_sold": "nobody may have the list",
    "county_only": "only counties or towns sell their lists",
}
_PRICES = {"not_sold": "the list is not sold", "unknown": "the price of the list is unknown"}
_HIDDEN = ("withheld", "none")


def law_words(changes: Mapping[str, str]) -> str:
    """Return what a bill sets, as a clause, by items of the list and what becomes of them."""
    first, *more = _clauses(changes)
    return "; ".join([first, *(clause.replace("the list", "it", 1) for clause in more)])


def _clauses(changes: Mapping[str, str]) -> Iterator[str]:
    if "status" in changes:
        yield _STATUSES.get(changes["status"], f"the status of the list is {changes['status']}")
    fields = list(_fields(changes))
    if fields:
        yield f"the list {and_words(fields)}"
    if "price" in changes:
        price = changes["price"]
        yield _PRICES.get(price) or (f"the list costs {dollars(float(price))}" if float(price) else "the list is free")
    if "buyers" in changes:
        sentence = buyers_sentence(_names(changes["buyers"]), _names(changes.get("uses", "any")))
        sentence = sentence.removesuffix(".").removesuffix(", for any use" if "uses" not in changes else "")
        yield f"{sentence[0].lower()}{sentence[1:]}".replace("have it", "have the list")
    elif "uses" in changes:
        names = _names(changes["uses"])
        yield "the list has no known limit of uses" if names is None else f"the list is for {_uses(names)}"


def _fields(changes: Mapping[str, str]) -> Iterator[str]:
    if "birth" in changes:
        birth = changes["birth"]
        yield _unknown("the birth date", birth) or _BIRTHS.get(birth, f"shows births by {_plain(birth)}")
    if "geography" in changes:
        place = changes["geography"]
        yield _unknown("the place", place) or _PLACES.get(place, f"shows the place by {_plain(place)}")
    for item, words in _FIELDS.items():
        if item in changes:
            fact = f"does not show {words}" if changes[item] in _HIDDEN else f"shows {words}"
            yield _unknown(words, changes[item]) or fact


def _unknown(words: str, value: str) -> str:
    return f"may or may not show {words}" if value == "unknown" else ""


def _plain(value: str) -> str:
    return value.replace("_", " ")


def _names(value: str) -> tuple[str, ...] | None:
    """Return classes of buyers or uses; None where no source says."""
    if value == "unknown":
        return None
    return () if value == "nobody" else tuple(part.strip() for part in value.split(","))


def _uses(names: tuple[str, ...]) -> str:
    words = and_words([name.replace("_", "-") for name in names])
    return "any use" if "any" in names else f"{words} uses only" if names else "no use"


@dataclass(frozen=True)
class Turn:
    """When the two lists of a page hold, as a sentence says it; what the first figures are from, if not as the rest."""

    before: str
    after: str
    source: str | None = None


_BILL = Turn("before the bill", "after the bill")
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
    """Return one page on a change of a state's list law, such as ``{"birth": "year"}``, before and after."""
    evidence = Evidence.of(study, state, policies, rules, in_file, date or dt.date.today())
    after = study.voter.changed(_BILL.after, evidence.state, changes)
    law = f"After the bill, {law_words(changes)}. This page compares {the_state(evidence.state)} before and after it."
    numbers = Numbers(evidence.source)
    blocks: list[Block] = [
        *_compared(evidence, numbers, law, (study.voter, after), _BILL),
        Heading("What the bill does not change"),
        Paragraph(
            "An attacker who knows a person's birth date from elsewhere, such as a neighbor or a data broker, does not "
            "need the voter list. Copies of the list that were sold before the bill stay where they are."
        ),
    ]
    title = f"What a bill on the voter list would do: {of_state(evidence.state)}"
    return Document(title, "One page for a hearing", (*blocks, *framing(evidence, numbers, title)), footer(evidence))


def vintage_brief(
    study: Study,
    state: str,
    before: str,
    *,
    policies: Policies | None = None,
    in_file: InFileLike = None,
    rules: str = "regulation",
    date: dt.date | None = None,
) -> Document:
    """Return one page on a state under an earlier list and under the study's: a vintage or scenario each."""
    evidence = Evidence.of(study, state, policies, rules, in_file, date or dt.date.today())
    numbers = Numbers(evidence.source)
    earlier, later = before, study.unrestricted_voter.vintage
    differences = study.list_changes(before, evidence.state).to_frame()
    lead = (
        f"This page compares the risk in {the_state(evidence.state)} under its voter list of {earlier} and under that "
        f"of {later}. The people are the same, so that only the list changes. {_differs(differences)}"
    )
    source = f"{evidence.people_source}; voter lists of {earlier}"
    turn = Turn(f"with the list of {earlier}", f"with the list of {later}", source)
    blocks: list[Block] = [
        *_compared(evidence, numbers, lead, (study.voter_of(before), study.voter), turn),
        *differences_table(differences, earlier, later),
        Heading("What this page does not compare"),
        Paragraph(
            "How many people lived in the state and how many of them registered is that of one time. Copies of the "
            "earlier list that were sold stay where they are."
        ),
    ]
    title = f"The voter list of {earlier} and of {later}: {of_state(evidence.state)}"
    return Document(title, "Before and after", (*blocks, *framing(evidence, numbers, title)), footer(evidence))


def _differs(differences: pd.DataFrame) -> str:
    """Say whether the list itself is known to have changed."""
    if not len(differences):
        return "Nothing that is recorded of the two lists differs."
    if not (differences["cause"] == "law").any():
        return "The sources tell more or less of one than of the other; nobody knows whether the list itself changed."
    names = and_words([field_word(item) for item in differences.loc[differences["cause"] == "law", "item"]])
    return f"The state itself changed: {names}."


_CAUSES = {"law": "law, rule or practice", "source": "what sources tell"}


def differences_table(differences: pd.DataFrame, before: str, after: str) -> list[Block]:
    """Return what differs between two vintages of a state's list, and why where that is recorded."""
    if not len(differences):
        return []
    rows = differences.to_dict("records")
    table = DocumentTable(
        ("fact", before, after, "what changed"),
        tuple((field_word(row["item"]), row["before"], row["after"], _CAUSES[row["cause"]]) for row in rows),
    )
    whys = tuple(f"{first_up(field_word(row['item']))}: {row['why']}" for row in rows if row["why"])
    return [Heading("What differs between the lists"), table, *([Bullets(whys)] if whys else [])]


def _compared(
    evidence: Evidence, numbers: Numbers, lead: str, holders: tuple[Attacker, Attacker], turn: Turn
) -> list[Block]:
    """Return the sentences and the table of a file under each policy, with one list and with another."""
    question = evidence.question
    answer = evidence.study.compare(
        question.policies, holders, question.states, 1, rules=question.rules, in_file=evidence.in_file
    )
    first, second = (holder.name for holder in holders)
    pairs = [
        (answer.profile(evidence.state, name, first), answer.profile(evidence.state, name, second))
        for name in evidence.policies
    ]
    rows = [row for old, new in pairs for row in _rows(old, new, numbers, turn)]
    table = DocumentTable(
        ("rules", "matches", turn.before, turn.after),
        tuple(rows),
        "A file whose members the attacker knows, and the voter list",
        numbers=frozenset({2, 3}),
    )
    return [Paragraph(" ".join([lead, *(_sentence(old, new, turn) for old, new in pairs)]), "lead"), table]


def _sentence(old: RiskProfile, new: RiskProfile, turn: Turn = _BILL) -> str:
    before, after = old.share(TOTAL_RISK), new.share(TOTAL_RISK)
    words = policy_words(old.policy)
    end = None if after is None else interval(after.low, after.high, percent)
    if before is None:
        then = "" if end is None else f" {first_up(turn.after)}, the share matched is {end}."
        return f"Under {words}, there is no figure {turn.before}: {old.reason or old.status}.{then}"
    start = interval(before.low, before.high, percent)
    if end is None:
        why = new.reason or new.status
        return f"Under {words}, the share matched was {start}; {turn.after} nobody can link: {why}."
    if start == end:
        return f"Under {words}, the share matched stays at {start}."
    return f"Under {words}, the share matched goes from {start} to {end}."


def _rows(old: RiskProfile, new: RiskProfile, numbers: Numbers, turn: Turn) -> list[tuple[str, ...]]:
    words = policy_words(old.policy)
    rows = []
    for called, measure, formula in _MEASURES:
        cells = []
        for when, profile, source in ((turn.before, old, turn.source), (turn.after, new, None)):
            figure, share = profile.people(measure), profile.share(measure)
            if figure is None or share is None:
                cells.append(str(profile.status).replace("_", " "))
                continue
            text = f"{interval(figure.low, figure.high, people)} ({interval(share.low, share.high, percent)})"
            cells.append(numbers.put(text, f"{called} {when}: {words}", formula, source))
        rows.append((first_up(words.removeprefix("the ")), called, *cells))
    return rows


# Changes of list law that a legislature can make.
_YEAR, _NONE = {"birth": "year"}, {"birth": "withheld"}
_LEAST = 0.02  # a change by less than a fiftieth is none that a reader acts on


def changes_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Say by how much the share matched moves when the file, the attacker or the list is another."""
    policy = evidence.policies[-1]
    before = evidence.file.profile(evidence.state, policy, GENERAL.name).share(TOTAL_RISK)
    assert before is not None
    words = policy_words(policy)
    share = share_of_file(evidence, numbers, before, words)
    intro = f"Under {words}, an attacker would match {share} of the people in the file. That share would be:"
    everyone = evidence.everyone(evidence.state, policy, GENERAL.name).share(TOTAL_RISK)
    items = []
    if everyone is not None and _moves(before, everyone):
        share = share_of_file(evidence, numbers, everyone, "everyone released")
        items.append(f"{share} if everyone in the state were in the file;")
    items += _with_the_list(evidence, numbers)
    if not items:
        return []
    items[-1] = items[-1].rstrip(";") + "."
    return [Heading("What would change this answer"), Paragraph(intro), Bullets(tuple(items))]


def _with_the_list(evidence: Evidence, numbers: Numbers) -> list[str]:
    policy = evidence.policies[-1]
    voter = evidence.study.voter
    now = evidence.file.profile(evidence.state, policy, VOTER).share(TOTAL_RISK)
    if now is None or evidence.listed.status != "available":
        return []
    share = share_of_file(evidence, numbers, now, "with the voter list alone")
    items = [f"{share} for someone who has the voter list alone;"]
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
            share = share_of_file(evidence, numbers, after, f"if the list {words}")
            items.append(f"{share} for that person if the list {words};")
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
