"""The paper of a state's brief: two pages about one release, for the people who decide on it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from policy_sim.attackers import ATTACKERS, GENERAL, VOTER
from policy_sim.attackers.in_file import InFile
from policy_sim.briefs.evidence import (
    NEARLY,
    NOT_A_DETERMINATION,
    Brief,
    Evidence,
    Numbers,
    footer,
    framing,
    goals,
    thresholds,
)
from policy_sim.briefs.sentences import (
    IN_RACE,
    OLD_MONTHS,
    WORDS,
    age_in_months,
    and_words,
    change_words,
    first_up,
    list_doubts,
    list_sentences,
    no_list_sentence,
    of_state,
    old_fact_notice,
    policy_words,
    shown_of,
    the_state,
)
from policy_sim.model.measure import PRECISION, TOTAL_RISK
from policy_sim.model.profile import RiskProfile
from policy_sim.people.file_chances import FilePlaces
from policy_sim.policies.policy import Policy
from policy_sim.records.engines.sent_fields import SentFields
from policy_sim.show.document.blocks import Block, Bullets, Document, DocumentTable, Heading, Paragraph, Picture, as_is
from policy_sim.show.numbers import percent, ranged, whole_people
from policy_sim.show.save import Drawing
from policy_sim.voter_lists.facts import deciding_fact
from policy_sim.voter_lists.list_field import LINKED_FIELDS
from policy_sim.words.fields import Field

_NOTHING, _NOT_SENT = "not shown", "not sent"
_TOO_HIGH = "{} would allow {} too. The figures are of everything that it allows, so they are too high for this file."
_OTHER_MEAN = (
    "The shares below count people of the census with the same values; the mean risk in the dossier counts those of "
    "the file."
)
_ASK = "not provided: ask before you decide"
_GUESS = "expected correct matches, guessing within equal groups (sections 4 and 10)"
_ONE = 0.5  # fewer expected people than this are nobody


@dataclass(frozen=True)
class Proposal:
    """What would be released, for which period and to whom, in the words of whoever asks; what is empty is asked for.

    ``patients`` says where the people of the file come from; ``counted``, what a file of records says of itself, and
    ``sent``, what it holds that is in no figure. ``columns`` are the names of those that are sent. ``unmeasured`` says
    what the release is made to where that is no rule of the paper, such as ``a class size, k=11``: its rules are then
    for comparison, and none is proposed. ``not_sent`` are rows of the table of fields that the proposed rule allows and
    no column shows.
    """

    what: str = "health records"
    period: str = ""
    recipient: str = ""
    patients: str = ""
    counted: str = ""
    sent: SentFields | None = None
    columns: tuple[str, ...] = ()
    unmeasured: str = ""
    not_sent: tuple[str, ...] = ()


def first_page(evidence: Evidence, numbers: Numbers, proposal: Proposal) -> list[Block]:
    """Say what is proposed, how many could be named, what the law asks, what others allow, and how sure it is."""
    return [
        *_not_measured(proposal),
        *(notice for part in evidence.parts for notice in old_fact_notice(part, numbers)),
        *_proposed(evidence, numbers, proposal),
        *board_answer(evidence, numbers),
        *by_state(evidence, numbers),
        Heading("What the law asks of this release"),
        Bullets(tuple(_law(evidence, proposal))),
        *limits_in_use(evidence),
        *how_sure(evidence, numbers, proposal, new_page=len(evidence.parts) > 1),
    ]


def _not_measured(proposal: Proposal) -> list[Block]:
    """Say first that the pages have no figure of the release itself, where its aim is none of their rules."""
    if not proposal.unmeasured:
        return []
    return [
        Paragraph(
            f"**No figure on these pages is of the proposed release: it is made to {as_is(proposal.unmeasured)}.** The "
            "rules below are for comparison, and none of them is proposed. The dossier of the release has its figures."
        )
    ]


def how_sure(evidence: Evidence, numbers: Numbers, proposal: Proposal, *, new_page: bool) -> list[Block]:
    """Say how sure the figures are; a file of several states has no room for it on page one."""
    return [Heading("How sure this is", new_page=new_page), Bullets(tuple(doubts(evidence, numbers, proposal)))]


def with_bars(page: Sequence[Block], bars: bytes) -> list[Block]:
    """Put the picture of :func:`answer_bars` below the answer of a first page."""
    below = 1 + next(at for at, block in enumerate(page) if isinstance(block, Paragraph) and block.kind == "lead")
    words = "Share of the people of the file who would be named, under each rule"
    return [*page[:below], Picture(bars, words, width=0.95), *page[below:]]


def second_page(evidence: Evidence, numbers: Numbers, *, is_measured: bool = True) -> list[Block]:
    """Say what would lower the figure of a release that ``is_measured``, what the list costs and what is assumed."""
    new_page = len(evidence.parts) == 1
    ways = [Heading("What would lower it", new_page=new_page), *_ways(evidence, numbers)] if is_measured else []
    return [
        *ways,
        Heading("The voter list and its price", new_page=new_page and not is_measured),
        *(Paragraph(list_sentences(part, numbers)) for part in evidence.parts),
        Heading("What these pages assume"),
        Bullets(tuple(_assumed(evidence))),
    ]


def brief_of(
    evidence: Evidence, title: str, paper: Sequence[Block], annex: Sequence[Block], numbers: Numbers, pages: int = 1
) -> Brief:
    """Return the paper, which fills ``pages``, says when to review it and has lines to sign, and its annex."""
    last, why = review_by(evidence)
    day, foot = f"{evidence.date:%B} {evidence.date.day}, {evidence.date.year}", footer(evidence)
    subtitle = f"Background for a decision, not a determination under 45 CFR 164.514(b)(1). {day}. {last}."
    end = framing(evidence, numbers.in_annex(), title)
    return Brief(
        Document(title, subtitle, (*paper, *_closing(last, why)), foot, pages),
        Document(f"Annex: {title}", subtitle, (*annex, *end), foot),
    )


def _closing(last: str, why: str) -> list[Block]:
    """Say when to review a paper, and leave lines to sign below what a signature means."""
    return [
        Heading("When to review this"),
        Paragraph(f"**{last}.** {why}"),
        Heading("Who considered it"),
        Paragraph(
            f"{NOT_A_DETERMINATION} It does not conclude that the risk is very small: that is for an expert to find. "
            "A signature means only that the signer reviewed these pages before deciding."
        ),
        *(Paragraph(f"{role}: {'_' * 26}   Position: {'_' * 16}   Date: {'_' * 10}") for role in _ROLES),
    ]


_ROLES = ("Prepared by", "Reviewed by", "Decided by")


def _assumed(evidence: Evidence) -> Iterator[str]:
    """Say what the pages assume, of one attacker or of two."""
    who = "Both attackers know" if _is_linked(evidence) else "The attacker knows"
    yield f"{who} who is in the file, and may be its recipient."
    yield from WORDS["assumed"]


def called(evidence: Evidence, policy: str) -> str:
    """Return what the paper calls a policy: its title, or its place where its name is a line of fields."""
    words = policy_words(policy)
    if not words.startswith("a policy that shows"):
        return words
    return "the proposed fields" if policy == evidence.policies[-1] else "the other fields"


def _both(evidence: Evidence) -> list[str]:
    """Return the policies, the proposed one first."""
    return list(reversed(evidence.policies))


def _proposed(evidence: Evidence, numbers: Numbers, proposal: Proposal) -> list[Block]:
    held = numbers.put(whole_people(_profile(evidence, evidence.policies[-1], GENERAL.name).records), "people", "asked")
    places = evidence.places
    where = (
        f"all of {the_state(evidence.state)} (assumed)"
        if places is None
        else f"{_places_words(places)} ({'counted' if proposal.counted else _said(evidence.in_file)})"
    )
    counted = "size assumed" if evidence.size_is_assumed else evidence.in_file.counting.partition(":")[0]
    facts = {
        "file": f"{as_is(proposal.what)} of {held} people{f' ({counted})' if counted else ''}",
        "period": as_is(proposal.period) or _ASK,
        "recipient and use": as_is(proposal.recipient) or _ASK,
        "where the patients come from": as_is(proposal.patients) or where,
    }
    columns = [shown_of(_in_state(policy, evidence.parts[0].state)) for policy in reversed(evidence.question.loaded)]
    heads = _heads(evidence)
    allowed = [field for field, words in columns[0] if field in proposal.not_sent and words not in (_NOTHING, IN_RACE)]
    rows = [
        (field, _NOT_SENT if field in allowed else words, *(dict(other)[field] for other in columns[1:]))
        for field, words in columns[0]
        if field != "ethnicity" or any(dict(column)[field] not in ("not shown", IN_RACE) for column in columns)
    ]
    rows.append(
        (
            "not in the figures",
            "dates of care, diagnoses, facility, payer, free text",
            *("the same",) * (len(heads) - 1),
        )
    )
    first = f"{heads[0]} (to compare)" if proposal.unmeasured else f"{heads[0]} (proposed)"
    names, number = and_words([as_is(name) for name in proposal.columns]), len(proposal.columns)
    return [
        Heading("What is proposed"),
        DocumentTable(tuple(facts), (tuple(facts.values()),)),
        DocumentTable(
            ("what each record shows", first, *(f"{head} (to compare)" for head in heads[1:])),
            tuple(rows),
        ),
        *([Paragraph(f"Columns that are sent, {number:,}: {names}.", "small")] if number else []),
        *([Paragraph(_OTHER_MEAN, "small")] if number else []),
        *([Paragraph(_TOO_HIGH.format(heads[0], and_words(allowed)), "small")] if allowed else []),
    ]


def _heads(evidence: Evidence) -> list[str]:
    """Return the titles of the policies, the proposed one first."""
    return [first_up(called(evidence, name).removeprefix("the ")) for name in _both(evidence)]


def _in_state(policy: Policy, state: str) -> Policy:
    """Return the most that a policy may show in a state."""
    ends = policy.in_state(state)
    return policy if ends is None else ends[1]


def _profile(evidence: Evidence, policy: str, attacker: str) -> RiskProfile:
    return evidence.file.profile(evidence.state, policy, attacker)


def _is_linked(evidence: Evidence) -> bool:
    """Return whether there is a voter list with which the file can be linked."""
    return _profile(evidence, evidence.policies[-1], VOTER).share(TOTAL_RISK) is not None


def named_words(profile: RiskProfile, numbers: Numbers, what: str = "named") -> str:
    """Write what share of a file is matched, with its range, as a number of the paper; nobody and all in words."""
    share, held, people = (of(TOTAL_RISK) for of in (profile.share, profile.share_range, profile.people_range))
    if share is None or held is None or people is None:
        return "unknown"
    words = ranged(share, held, percent)
    if people.high < _ONE or held.low >= NEARLY:
        words = "fewer than one person" if people.high < _ONE else "nearly all"
    return numbers.put(words, f"{what}: {policy_words(profile.policy)}, {profile.attacker}", _GUESS)


def board_answer(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Give the answer in a sentence that a member of a board can repeat, and what a match is worth."""
    profiles = [_profile(evidence, name, VOTER) for name in _both(evidence)]
    neighbors = [_profile(evidence, name, GENERAL.name) for name in _both(evidence)]
    listed = _is_linked(evidence)
    who = f"has {_list_words(evidence)} and knows who is in the file" if listed else _KNOWS
    answer = _each(evidence, profiles if listed else neighbors, numbers)
    file = f"the people in this file{_assumed_size(evidence, neighbors[0], numbers)}"
    lead = f"Of {file}, someone who {who} would name {answer}."
    blocks: list[Block] = [Heading("The answer"), Paragraph(lead, "lead")]
    if not listed:
        without = ((part.state, part.file.profile(part.state, _both(part)[0], VOTER).status) for part in evidence.parts)
        lacking = (no_list_sentence(state, status, "") for state, status in without if not status.has_figure)
        return [*blocks, Paragraph(" ".join(lacking))]
    rest = f"Someone who {_KNOWS} would name {_each(evidence, neighbors, numbers)}."
    return [*blocks, Paragraph(" ".join([rest, *_worth(evidence, profiles, numbers)]))]


def _assumed_size(evidence: Evidence, profile: RiskProfile, numbers: Numbers) -> str:
    """Say that the size of the file is assumed, where nobody gave it."""
    if not evidence.size_is_assumed:
        return ""
    people = numbers.put(whole_people(profile.records), "people", "asked")
    return f" (assumed size: {people} people, {percent(evidence.in_file.share or 0.0)} of {the_state(evidence.state)})"


_KNOWS = "knows everyone's birth date and home, such as a data broker, and knows who is in the file"


def _list_words(evidence: Evidence) -> str:
    if len(evidence.parts) > 1:
        return f"the voter lists of {the_state(evidence.state)}"
    free = "free " if evidence.attacks and evidence.attacks[0].price.status == "free" else ""
    return f"{the_state(evidence.state)}'s {free}voter list"


def by_state(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Show the states of a file beside the whole, and name the worst off; nothing for a file of one state."""
    if len(evidence.parts) == 1:
        return []
    cases = [(name, who) for who in (VOTER, GENERAL.name) for name in _both(evidence)]
    heads = [f"{head}, {words}" for words in ("voter list", "knows everyone") for head in _heads(evidence)]
    rows = []
    for state in (*(part.state for part in evidence.parts), evidence.state):
        profiles = [evidence.file.profile(state, *case) for case in cases]
        title = "the whole file" if state == evidence.state else of_state(state)
        held = numbers.put(whole_people(profiles[0].records), f"people of the file: {title}", "asked")
        named = (named_words(profile, numbers, f"named: {title}") for profile in profiles)
        rows.append((title, held, *named))
    caption = "Share of the people of the file who would be named"
    table = DocumentTable(("state", "people", *heads), tuple(rows), caption, numbers=frozenset({1}))
    worst, linked = evidence.worst_off.state, _is_linked(evidence)
    profiles = [evidence.file.profile(worst, name, VOTER if linked else GENERAL.name) for name in _both(evidence)]
    who = "with its voter list who knows who is in the file" if linked else f"who {_KNOWS}"
    words = f"Someone {who} would name {_each(evidence, profiles, numbers, f'named: {of_state(worst)}')}."
    return [table, Paragraph(f"**Worst off: the people of {the_state(worst)}.** {words}")]


def _each(evidence: Evidence, profiles: list[RiskProfile], numbers: Numbers, what: str = "named") -> str:
    words = ((named_words(profile, numbers, what), called(evidence, profile.policy)) for profile in profiles)
    return and_words([f"{named} under {policy}" for named, policy in words])


def _worth(evidence: Evidence, profiles: list[RiskProfile], numbers: Numbers) -> Iterator[str]:
    """Say how often a match is right where only one voter fits; nothing where there are too few."""
    parts = []
    for profile in profiles:
        right = profile.share(PRECISION)
        if right is not None:
            what = f"of the matches with only one voter, correct: {policy_words(profile.policy)}"
            words = numbers.ranged(right, profile.share_range(PRECISION), percent, what, "section 11")
            parts.append(f"{words} of the time under {called(evidence, profile.policy)}")
    if parts:
        yield f"When only one voter matches a record, that match is correct {and_words(parts)}."
    yield "All other matches are guesses."


def answer_bars(evidence: Evidence) -> Drawing:
    """Return what draws the answer."""
    from policy_sim.show.panels import share_bars

    groups = {}
    for title, name in zip(_heads(evidence), _both(evidence), strict=True):
        groups[title] = [
            (words, share, held)
            for words, who in (("has the voter list", VOTER), ("knows everyone", GENERAL.name))
            if (share := (profile := _profile(evidence, name, who)).share(TOTAL_RISK)) is not None
            and (held := profile.share_range(TOTAL_RISK)) is not None
        ]
    return partial(share_bars, groups)


def _law(evidence: Evidence, proposal: Proposal) -> Iterator[str]:
    """Say what 45 CFR 164.514 asks of each kind of release, first of the proposed one."""
    if proposal.unmeasured:
        yield f"**Any release to other rules, as is proposed.** {WORDS['expert']}"
    for place, (title, name) in enumerate(zip(_heads(evidence), _both(evidence), strict=True)):
        law = next((words for head, words in WORDS["laws"].items() if name.startswith(head)), None)
        if law is not None:
            role = " (proposed)" if place == 0 and not proposal.unmeasured else ""
            yield f"**{title}{role}.** {law}"
    if not proposal.unmeasured:
        yield f"**Any other release.** {WORDS['expert']}"


def limits_in_use(evidence: Evidence) -> list[Block]:
    """Set the figure of someone who knows everyone beside limits in use elsewhere."""
    profiles = [_profile(evidence, name, GENERAL.name) for name in _both(evidence)]
    rows = [
        (limit.who, limit.limit, limit.counts, *(limit.stand(profile) for profile in profiles))
        for limit in thresholds()
    ]
    sources = "; ".join(limit.citation for limit in thresholds())
    return [
        Heading("How the figure compares with limits in use"),
        DocumentTable(("who", "limit", "what it counts", *_heads(evidence)), tuple(rows)),
        Paragraph(
            "HIPAA sets no limit in numbers. The comparison assumes the worst case: someone who knows everyone, and "
            "who is in the file. "
            f"Sources: {sources}.",
            "small",
        ),
    ]


def doubts(evidence: Evidence, numbers: Numbers, proposal: Proposal) -> Iterator[str]:
    """Say what could make the figures wrong, and which way."""
    if not proposal.patients or evidence.places is not None:
        yield _where_from(evidence, numbers, proposal)
    names = _both(evidence)
    profiles = [evidence.outsider(name) for name in names]
    where = ""
    if None in profiles and len(evidence.parts) == 1:  # places that are no counties
        profiles = [evidence.everyone(evidence.state, name, VOTER) for name in names]
        where = f", if everyone in all of {the_state(evidence.state)} were in it"
    held = [profile for profile in profiles if profile is not None and profile.share(TOTAL_RISK) is not None]
    if held and len(held) == len(names):
        words = _each(evidence, held, numbers, "named by someone who does not know who is in the file")
        lists = "list" if len(evidence.parts) == 1 else "lists"
        who = f"Someone with the {lists} who does not know who is in the file{where}"
        yield f"**Who is in the file.** {who} would name {words}."
    if interval := evidence.interval:
        words = numbers.between(interval, percent, "interval of the same", "docs/uncertainty.md")
        yield (
            f"**The people.** They are modeled from the census of {evidence.study.counted.provenance.date[:4]}. With "
            f"chance and the error of the model, someone who knows everyone could name {words} under "
            f"{called(evidence, names[-1])}."
        )
    for part in evidence.parts:
        if lines := list_doubts(part.listed):
            head = "The list" if len(evidence.parts) == 1 else f"{first_up(the_state(part.state))}'s list"
            yield " ".join([f"**{head}.**", *lines])


def _where_from(evidence: Evidence, numbers: Numbers, proposal: Proposal) -> str:
    """Say where the people of the file come from, who said so, and what the answer would be from elsewhere."""
    other, state = evidence.elsewhere, the_state(evidence.state)
    answer = ""
    if len(evidence.parts) > 1:
        state = f"{state}, in equal numbers"
    if other is not None:
        from_there = [other[1].profile(evidence.state, name, GENERAL.name) for name in _both(evidence)]
        answer = f"someone who knows everyone would name {_each(evidence, from_there, numbers)}"
    if evidence.places is not None:
        source = f". {as_is(proposal.counted)}" if proposal.counted else ", as you said."
        return (
            f"**Your patients.** They come from {evidence.places.places_title}{source} All figures of the file use "
            f"these places. If they came from all of {state}, {answer}."
        )
    lead = f"**Your patients.** We do not know where they come from, so we spread them over all of {state}."
    if other is None:
        return f"{lead} If they come from a few counties, a file that shows no county often names several times fewer."
    return (
        f"{lead} That fits a statewide file. If they all come from one three-digit ZIP code, such as {other[0]}, "
        f"{answer}. That is closer to the file of one hospital."
    )


_FEW_PLACES = 5  # each is named with its share


def _places_words(places: FilePlaces) -> str:
    return places.title if places.number() <= _FEW_PLACES else places.places_title


def _said(file: InFile) -> str:
    """Return what of the places somebody said: two or more without a share have that of their people."""
    shares = [] if file.catchment is None else [share for _, share in file.catchment.places]
    return "stated; shares by population" if shares.count(None) > 1 else "stated"


# Goals: the ways to show less, of those that the search measured, that lose the least detail.


def _ways(evidence: Evidence, numbers: Numbers) -> list[Block]:
    proposed = evidence.question.loaded[-1]
    risk = _profile(evidence, evidence.policies[-1], GENERAL.name).share(TOTAL_RISK)
    if type(proposed) is not Policy or risk is None:
        return [Paragraph("The proposed fields differ by state, so no search over other ways to show them was made.")]
    by_goal = {goal: ways_below(evidence, proposed, goal) for goal in goals() if goal < risk.high}
    if not by_goal:
        return [Paragraph("The mean risk is below every such limit on page one, for someone who knows everyone.")]
    ways = {policy.name: policy for policies in by_goal.values() for policy in policies}
    state, ways_found = evidence.state, list(ways.values()) or [proposed]
    attackers = ATTACKERS if _is_linked(evidence) else (GENERAL.name,)
    states = evidence.question.states
    measured = evidence.study.compare(ways_found, attackers, states, 1, in_file=evidence.in_file)
    looked = (
        f" We searched in {the_state(evidence.worst_known.state)}, where that risk is highest; the figures are for the "
        "whole file."
    )
    heads, rows = ("goal", "show instead", "knows everyone", "has the voter list"), []
    for goal, policies in by_goal.items():
        head = f"below {percent(goal)}"
        for policy in policies:
            shares = (_percent(measured.profile(state, policy.name, who), numbers, goal) for who in attackers)
            rows.append((head, change_words(policy, proposed), *shares))
            head = "or"
        if not policies:
            rows.append((head, "no way was found that shows sex", *("–" for _ in attackers)))
    return [
        Paragraph(
            "To get below a limit on page one, the file can show less. Each row names only what changes. For each "
            f"goal, the first row loses the least detail of the {len(evidence.searched.policies):,} ways that we "
            f"measured. A second row keeps race.{looked if len(evidence.parts) > 1 else ''}"
        ),
        DocumentTable(heads[: 2 + len(attackers)], tuple(rows)),
        Paragraph(WORDS["texts"]["goal"], "small"),
    ]


def _percent(profile: RiskProfile, numbers: Numbers, goal: float) -> str:
    share = profile.share(TOTAL_RISK)
    if share is None:
        return "unknown"

    def write(figure: float) -> str:
        """Write a share that is below the goal so that it does not read as the goal."""
        text = percent(figure)
        return f"<{percent(goal)}" if figure < goal and float(text.strip("<%")) >= 100 * goal else text

    words = f"{policy_words(profile.policy)}, {profile.attacker}"
    return numbers.ranged(share, profile.share_range(TOTAL_RISK), write, words, _GUESS)


def ways_below(evidence: Evidence, proposed: Policy, goal: float) -> list[Policy]:
    """Return the ways to show no more than is proposed that get below a goal: the least loss, and that with race."""
    rows = evidence.searched.rows
    rows = rows[rows["total_risk_share"] < goal].sort_values("utility", ascending=False, kind="stable")
    ways = (evidence.searched.policies[name] for name in rows["policy"])
    less = (policy for policy in ways if _shows_no_more(policy, proposed))
    first = next(less, None)
    if first is None:
        return []
    race = proposed.releases[Field.RACE]
    same = next((policy for policy in chain((first,), less) if policy.releases[Field.RACE] == race), first)
    return list(dict.fromkeys((first, same)))


def _shows_no_more(policy: Policy, proposed: Policy) -> bool:
    top, most = policy.conditions.top_age, proposed.conditions.top_age
    ages = most is None or policy.releases[Field.BIRTH] == "none" or (top is not None and top <= most)
    return ages and policy.releases.is_coarser_or_equal(proposed.releases)


# When to review a paper: the fact of the list that decides, and the census.

_CENSUS_MONTHS = 120


def review_by(evidence: Evidence) -> tuple[str, str]:
    """Return by when to review the figures, as a sentence without its period, and why.

    A list is taken to hold two years from the newest source on the fact that decides, a census until the next one.
    """
    dates = {"census": (evidence.study.counted.provenance.date, _CENSUS_MONTHS)}
    if not evidence.state:
        dates["voter lists"] = (evidence.study.unrestricted_voter.vintage, OLD_MONTHS)
    for part in evidence.parts if evidence.state else ():
        if part.listed.status == "available":
            of_list = "voter list" if len(evidence.parts) == 1 else f"voter list of {the_state(part.state)}"
            dates[of_list] = (deciding_fact(part.listed, LINKED_FIELDS).date, OLD_MONTHS)
    today = evidence.date
    ages = {what: age_in_months(date, today.year, today.month) for what, (date, _) in dates.items()}
    left = {what: dates[what][1] - age for what, age in ages.items() if age is not None}
    unknown = [what for what, age in ages.items() if age is None]
    rule = WORDS["texts"]["until"]
    if unknown:
        return "Review when a newer source is found", f"The source of the {unknown[0]} has no date. {rule}"
    first = min(left, key=left.__getitem__)
    month = today.year * 12 + today.month - 1 + left[first]
    day = f"{dt.date(month // 12, month % 12 + 1, 1):%B %Y}"
    if left[first] < 0:
        return (
            f"Review was due in {day}",
            f"The date comes from the age of the {first}. Look up what it gives today. {rule}",
        )
    return f"Review by {day}", f"The date comes from the age of the {first}. {rule}"
