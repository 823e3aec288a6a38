"""The page on a bill: what a change of a state's list law would do, for whoever writes it or votes on it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from policy_sim.attackers.files import load_resource
from policy_sim.attackers.in_file import InFileLike
from policy_sim.briefs.change_brief import Turn, file_scope, file_table, pairs_of, rows_of, sentence_of
from policy_sim.briefs.evidence import NAMES_NOBODY, Brief, BriefOptions, Evidence, Numbers, framing
from policy_sim.briefs.sentences import (
    OLD_MONTHS,
    WORDS,
    age_in_months,
    and_words,
    counted_words,
    day_words,
    fact_name,
    first_up,
    law_words,
    list_section,
    of_state,
    policy_words,
    the_state,
)
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.model.profile import RiskProfile
from policy_sim.show.document.blocks import Block, Bullets, Document, DocumentTable, Heading, Paragraph
from policy_sim.show.numbers import interval, percent, whole_people
from policy_sim.voter_lists.changes import RecordedCause, changed_facts
from policy_sim.voter_lists.facts import Fact, facts_of
from policy_sim.voter_lists.files import load_list_changes
from policy_sim.voter_lists.list_field import LINKED_FIELDS, LIST_FIELDS, ListField
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.fields import Field, is_coarser_or_equal

if TYPE_CHECKING:
    from policy_sim.study.study import Study

BILL = Turn("before the bill", "after the bill")
_ROLL = "federal-roll"


def bill_brief(
    study: Study, state: str, changes: Mapping[str, str], *, in_file: InFileLike = None, **options: Unpack[BriefOptions]
) -> Brief:
    """Return one page on a change of a state's list law, such as ``{"birth": "year"}``, before and after.

    The whole state comes first, then a file. The page is no paper on a release: nobody signs it, and it has no end.
    """
    evidence = Evidence.of(study, state, in_file, **options)
    holders = (study.voter, study.voter.changed(BILL.after, evidence.state, changes))
    numbers = Numbers(evidence.source, linked=False)
    everyone, file = pairs_of(evidence, holders, None), pairs_of(evidence, holders, evidence.in_file)
    scope = file_scope(evidence, numbers, file)
    page: list[Block] = [
        *_whole_state(evidence, numbers, everyone, changes),
        Heading("In one file"),
        Paragraph(" ".join([scope, *(sentence_of(old, new, BILL) for old, new in file)])),
        file_table(file, numbers, BILL),
        *_elsewhere(evidence, changes),
        Heading("What the bill does not change"),
        Bullets((WORDS["texts"]["bill"], *roll_sentence(evidence.state))),
        Heading("Check before you quote"),
        Bullets(tuple(_to_check(evidence, changes))),
    ]
    title = f"What a bill on the voter list would do: {of_state(evidence.state)}"
    subtitle = f"Background for a bill. {day_words(str(evidence.date))}."
    foot = f"{evidence.footer_facts} · {evidence.date}"
    annex = (*list_section(evidence), *framing(evidence, numbers.in_annex(), title, NAMES_NOBODY))
    return Brief(
        Document(title, subtitle, tuple(page), foot, 1), Document(f"Annex: {title}", subtitle, tuple(annex), foot)
    )


def _whole_state(
    evidence: Evidence,
    numbers: Numbers,
    pairs: Sequence[tuple[RiskProfile, RiskProfile]],
    changes: Mapping[str, str],
) -> list[Block]:
    """Say what the bill does if the health records of everyone in the state were out."""
    who = the_state(evidence.state)
    held = numbers.put(whole_people(pairs[-1][0].inhabitants), "people of the state", "counted")
    lead = (
        f"After the bill, {law_words(changes)}. Suppose the records of everyone in {who} ({held} people) were released."
    )
    rows = tuple(row for old, new in pairs for row in rows_of(old, new, numbers, BILL, ", everyone released"))
    table = DocumentTable(
        ("rules", "people of the state", BILL.before, BILL.after),
        rows,
        "Everyone in the state, for someone who has the voter list. The first row includes lucky guesses",
        numbers=frozenset({2, 3}),
    )
    sentences = [_people_sentence(old, new, numbers) for old, new in reversed(pairs)]
    return [Paragraph(" ".join([lead, *sentences]), "lead"), table]


def _people_sentence(old: RiskProfile, new: RiskProfile, numbers: Numbers) -> str:
    """Say how many people are named before and after, or why there is no figure."""
    before, after = old.people(TOTAL_RISK), new.people(TOTAL_RISK)
    if before is None or after is None:
        return sentence_of(old, new, BILL)
    words, ends = policy_words(old.policy), []
    for when, profile, figure in ((BILL.before, old, before), (BILL.after, new, after)):
        share = profile.share(TOTAL_RISK)
        assert share is not None  # there are people
        text = f"{interval(figure.low, figure.high, whole_people)} ({interval(share.low, share.high, percent)})"
        ends.append(numbers.put(text, f"named {when}, everyone released: {words}", "section 4"))
    if before == after:
        return f"Under {words}, {ends[0]} would be named before the bill and after it."
    return f"Under {words}, {ends[0]} would be named today, and {ends[1]} after the bill."


# Which states have the law already.


@dataclass(frozen=True)
class _Done:
    """A state whose list already is as the bill would have it, and since when.

    ``since``: when the state changed it, where that is recorded. Else the list is so in the evidence of ``year``,
    after one of ``before`` that was otherwise, or with no sure source on earlier years.
    """

    state: str
    year: str
    before: str = ""
    since: str = ""

    @property
    def group(self) -> tuple[int, str, str]:
        """The line of the page on which the state stands, in order: its place, its year, and its words."""
        if self.since:
            return 0, "", "Taken off by the state"
        if self.before:
            return 1, self.year, f"Between {self.before} and {self.year}"
        return 2, self.year, f"In {self.year} or before"

    @property
    def words(self) -> str:
        """The state, with the day of the change where it is recorded."""
        return f"{the_state(self.state)} since {self.since}" if self.since else the_state(self.state)


def _elsewhere(evidence: Evidence, changes: Mapping[str, str]) -> list[Block]:
    """Say which states' lists already are as the bill sets, and since when; nothing where a bill sets no field."""
    fields = changed_facts(evidence.listed.fields, changes).get("fields", {})
    in_bill = {name: fields[name] for name in changes if name in LIST_FIELDS}
    if not in_bill or any(fact.availability == "unknown" for fact in in_bill.values()):
        return []
    alike = _done(evidence, in_bill)
    groups = {group: [entry.words for entry in alike if entry.group == group] for group in {e.group for e in alike}}
    less = all(_fits(name, fact, evidence.listed.fields[name], less=True) for name, fact in in_bill.items())
    same = f"already show {'no more' if less else 'as much'}"
    lines = [f"**{group[-1]}**: {and_words(groups[group])}." for group in sorted(groups)]
    if not alike:
        return [
            Heading("Who does it already"),
            Paragraph("We know of no other state whose list is already as the bill would make it."),
        ]
    newest = evidence.study.unrestricted_voter.voter_lists.newest_vintage
    lists = counted_words(str(len(alike)), "other state's list", "other states' lists")
    lead = f"As of {newest}, {lists} {same}. Since when:"
    return [Heading("Who does it already"), Paragraph(lead), Bullets(tuple(lines))]


def _done(evidence: Evidence, in_bill: Mapping[str, ListField]) -> list[_Done]:
    own = evidence.listed
    less = all(_fits(name, fact, own.fields[name], less=True) for name, fact in in_bill.items())
    years = _lists_by_year(evidence)
    alike = []
    for state, listed in sorted(years[max(years)].items()):
        if state != own.state and listed.status == "available" and _meets(listed, in_bill, less=less):
            alike.append(_since(state, years, in_bill, less=less))
    return sorted(alike, key=lambda entry: (entry.since.split()[-1:], entry.state))


def _lists_by_year(evidence: Evidence) -> dict[str, Mapping[str, VoterList]]:
    """Return the lists of every year of evidence up to the study's, scenarios left out."""
    from policy_sim.voter_lists.files import list_vintages

    held = evidence.study.unrestricted_voter.voter_lists
    earlier = (year for year in list_vintages() if year.isdecimal() and year < held.newest_vintage[:4])
    lists = {year: evidence.study.voter_of(year).voter_lists.lists for year in earlier}
    return {**lists, held.newest_vintage[:4]: held.lists}


def _since(
    state: str, years: Mapping[str, Mapping[str, VoterList]], in_bill: Mapping[str, ListField], *, less: bool
) -> _Done:
    """Return since when a state's list is as in the bill: the earliest year of evidence without a gap."""
    first, *older = sorted(years, reverse=True)
    for year in older:
        listed = years[year].get(state)
        if listed is None or any(listed.fields[name].availability == "unknown" for name in in_bill):
            break
        if not _meets(listed, in_bill, less=less):
            change = _recorded(state, year, first, in_bill)
            if change is not None and change.cause == "source":
                break  # the earlier fact is in doubt
            return _Done(state, first, year, "" if change is None else change.since)
        first = year
    return _Done(state, first)


def _recorded(state: str, before: str, after: str, in_bill: Collection[str]) -> RecordedCause | None:
    """Return what is recorded of why a field of a state's list differs between two years."""
    at = (state, before, after)
    causes = (entry for entry in load_list_changes() if (entry.state, entry.before, entry.after) == at)
    return next((entry for entry in causes if set(in_bill) & set(entry.fields)), None)


def _meets(listed: VoterList, in_bill: Mapping[str, ListField], *, less: bool) -> bool:
    return all(_fits(name, listed.fields[name], fact, less=less) for name, fact in in_bill.items())


def _fits(name: str, fact: ListField, in_bill: ListField, *, less: bool) -> bool:
    """Whether a field of a list shows no more than in the bill, or no less; never where nothing is known of it."""
    small, large = (fact, in_bill) if less else (in_bill, fact)
    if "unknown" in (small.availability, large.availability):
        return False
    if "withheld" in (small.availability, large.availability):
        return small.availability == "withheld"
    if name not in set(Field):
        return True
    return is_coarser_or_equal(Field(name), small.granularity, large.granularity)


# What is old or unsure, and what else holds the list.


def roll_sentence(state: str) -> Iterator[str]:
    """Say, with its date, what a state did about the demand of its full roll by the US Department of Justice."""
    roll = load_resource(_ROLL)
    own = roll.by_state.get(state)
    if own is not None:
        titles = and_words([roll.sources[name].title for name in own.evidence.sources])
        what = own.reason.partition(";")[0] if own.status == "available" else own.reason
        yield f"{WORDS['texts']['rolls']} {first_up(the_state(state))}: {what} ({titles}, {day_words(own.date)})."


def _to_check(evidence: Evidence, changes: Mapping[str, str]) -> Iterator[str]:
    """Name the facts of the list that are old, undated, unsure or disputed, and what the people are."""
    disputes = {
        entry.about.removeprefix("fields."): entry.why for entry in evidence.listed.conflicts if not entry.resolved
    }
    for fact in facts_of(evidence.listed):
        if fact.item not in {*changes, *LINKED_FIELDS} or fact.item == "status":
            continue
        if fact.value == "unknown":
            yield f"No source says whether the list has {fact_name(fact.item)}."
            continue
        reasons = [_unsure(fact, evidence)]
        if fact.item in disputes:
            reasons.append(f"Sources disagree: {disputes[fact.item]}")
        if any(reasons):
            yield " ".join([f"**{first_up(fact_name(fact.item))}: {fact.value}.**", *filter(None, reasons)])
    people = evidence.study.counted.provenance
    day = day_words(people.date)
    yield f"**The people.** They are those of {day} ({people.name}); age, sex and race together are modeled."


def _unsure(fact: Fact, evidence: Evidence) -> str:
    """Say why a fact is to be checked; empty where it is recent, dated and sure."""
    months = age_in_months(fact.date, evidence.date.year, evidence.date.month)
    if months is None:
        return "Its source has no date."
    if months > OLD_MONTHS:
        return f"Its newest source is from {day_words(fact.date)}."
    return f"Low confidence, from a source dated {day_words(fact.date)}." if fact.confidence == "low" else ""
