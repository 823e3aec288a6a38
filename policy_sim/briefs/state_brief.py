"""The brief of one state: two to four pages for someone who must decide. Each section returns blocks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from policy_sim.attackers import ATTACKERS, GENERAL, VOTER, holding_of
from policy_sim.attackers.stakes import InFileLike
from policy_sim.briefs.change_brief import changes_section
from policy_sim.briefs.evidence import Evidence, Numbers, footer, framing
from policy_sim.briefs.sections import custodian_section, list_section, old_fact_notice
from policy_sim.briefs.sentences import (
    first_up,
    match_sentence,
    no_list_sentence,
    of_state,
    policy_words,
    rank_sentence,
    the_state,
)
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, PRECISION, TOTAL_RISK
from policy_sim.model.profile import RiskProfile
from policy_sim.show.document.blocks import Block, Bullets, Document, DocumentTable, Heading, Notice, Paragraph, Picture
from policy_sim.show.numbers import Formatter, dollars, interval, percent, whole_people
from policy_sim.show.save import Drawers
from policy_sim.study.question import Policies
from policy_sim.words.errors import InputError
from policy_sim.words.states import find_state
from policy_sim.words.status import Status

if TYPE_CHECKING:
    from policy_sim.model.money.attack_plan import AttackPlan
    from policy_sim.study.study import Study


_KINDS_OF_PEOPLE = {
    "hispanic": "Hispanic, of any race",
    "not_hispanic": "not Hispanic",
    "white": "White",
    "black": "Black or African American",
    "aian": "American Indian or Alaska Native",
    "asian": "Asian",
    "nhpi": "Native Hawaiian or other Pacific Islander",
    "other": "some other race",
    "multiple": "two or more races",
}
_RIGHT = "expected correct matches, guessing within equal groups (sections 4 and 10)"
_SURE = "people alone with their values in the file (sections 3 and 10)"
_CLAIMED = "claims and precision (section 11)"
_ONE = 0.5  # fewer expected people than this round to nobody


def answer_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Answer first: a file of the reader's size, and an attacker who knows who is in it."""
    profiles = [evidence.file.profile(evidence.state, policy, GENERAL.name) for policy in evidence.policies]
    held = numbers.put(whole_people(profiles[0].records), "people in the file", "as asked for")
    race = "race, ethnicity" if evidence.shows_ethnicity else "race"
    lines: list[Block] = [
        Paragraph(
            f"Someone knows that a person is in a file of {held} people of {the_state(evidence.state)}, and knows the "
            f"person's sex, {race}, birth date and home. It guesses among the records that fit.",
            "lead",
        ),
        Bullets(tuple(_match(profile, numbers) for profile in profiles)),
        Paragraph(
            "A match is certain where nobody else in the file has the same values. The other matches are right by "
            "luck: the attacker does not know which of its guesses are right."
        ),
    ]
    return [*lines, *_voter_answer(evidence, numbers)]


def sureness_notice(evidence: Evidence) -> list[Block]:
    """Say on page one what is counted and what is assumed, and how to measure a file of one's own."""
    people = evidence.study.counted.provenance
    counted = dict(people.counted_by_state).get(evidence.state, people.counted)
    who = "The census counted the people" if counted == 1 else "The people are modeled from census tables"
    return [
        Notice(
            "How sure this is.",
            f"These are expected numbers, not a count of your file. {who}. The file is taken to be drawn at random "
            f"from all of {the_state(evidence.state)}; a file from a few towns, or of old people, differs. Measure "
            "your own with policy-sim dataset score.",
        )
    ]


def _match(profile: RiskProfile, numbers: Numbers) -> str:
    right, share = profile.people(TOTAL_RISK), profile.share(TOTAL_RISK)
    assert right is not None
    assert share is not None
    words = f"{policy_words(profile.policy)}, {profile.attacker}"
    same = f"the same as a share of {whole_people(profile.records)}: {words}"
    return match_sentence(
        profile.policy,
        numbers.between(right, whole_people, f"matches that are right: {words}", _RIGHT),
        numbers.between(share, percent, same, "ratio"),
        nobody=right.high < _ONE,
        **_surest(profile, numbers, words),
    )


def _surest(profile: RiskProfile, numbers: Numbers, words: str) -> dict[str, str]:
    """What the surest matches are worth: certain only for an attacker whose list misses nobody."""
    claims, certain, precision = profile.people(CLAIMS), profile.people(CORRECT_CLAIMS), profile.share(PRECISION)
    assert claims is not None
    assert certain is not None
    if profile.attacker == GENERAL.name:
        return {"certain": numbers.between(certain, whole_people, f"matches that are certain: {words}", _SURE)}
    if precision is None:
        return {}
    return {
        "claims": numbers.between(claims, whole_people, f"records with exactly one listed person: {words}", _CLAIMED),
        "precision": numbers.between(precision, percent, f"share of them that is right: {words}", _CLAIMED),
    }


def _voter_answer(evidence: Evidence, numbers: Numbers) -> list[Block]:
    profiles = [evidence.file.profile(evidence.state, policy, VOTER) for policy in evidence.policies]
    if profiles[0].people(TOTAL_RISK) is None:
        return [Paragraph(no_list_sentence(evidence.state, profiles[0].status, profiles[0].reason))]
    intro = "A stranger who has only the state's voter list, and knows who is in the file, gets fewer:"
    return [Paragraph(intro), Bullets(tuple(_match(profile, numbers) for profile in profiles))]


def everyone_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Show what stands behind the answer: a release of everyone in the state."""
    rows = []
    for policy in evidence.policies:
        for attacker in evidence.question.attacker_names:
            profile = evidence.everyone(evidence.state, policy, attacker)
            rows.append((_title(policy_words(policy)), holding_of(attacker), *_cells(profile, numbers)))
    table = DocumentTable(
        ("rules", "attacker", "right", "of the people", "only one fits", "of these right", "in a file of 1%"),
        tuple(rows),
        f"If the records of everyone in {the_state(evidence.state)} were released",
        numbers=frozenset({2, 3, 4, 5, 6}),
    )
    note = (
        "Only one fits: records for which the attacker finds exactly one person. Someone who knows everyone is always "
        "right there; a voter list misses people, so the one person on it may be somebody else. In the last column the "
        "attacker knows who is in a file of one person in a hundred: the smaller the file, the fewer people in it "
        "share the same values. Few claims: fewer than ten are expected, and no share of so few is given."
    )
    return [Heading("A release of everyone"), table, Paragraph(note, "small")]


def _cells(profile: RiskProfile, numbers: Numbers) -> tuple[str, str, str, str, str]:
    right, share, claims = profile.people(TOTAL_RISK), profile.share(TOTAL_RISK), profile.people(CLAIMS)
    if right is None or share is None or claims is None:
        return (str(profile.status).replace("_", " "), "–", "–", "–", "–")
    words = f"{policy_words(profile.policy)}, {profile.attacker}, everyone released"
    small, precision = profile.small_file_share, profile.share(PRECISION)
    no_share = "few claims" if profile.claims_status is Status.FEW_CLAIMS else "–"
    small_words, sure_words = f"share of a file of 1% matched: {words}", f"share of these claims that is right: {words}"
    return (
        numbers.between(right, whole_people, f"matches that are right: {words}", "section 4"),
        numbers.between(share, percent, f"share of all people: {words}", "section 4"),
        numbers.between(claims, whole_people, f"records with exactly one person: {words}", _CLAIMED),
        no_share if precision is None else numbers.between(precision, percent, sure_words, _CLAIMED),
        "–" if small is None else numbers.between(small, percent, small_words, "section 10"),
    )


def attack_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Say what the best attack on the file costs, and whether it pays."""
    plans = [plan for plan in evidence.attacks if plan.stop is not None]
    if not plans:
        return []
    stakes = plans[0].stakes
    gain = numbers.put(dollars(stakes.gain_usd), "gain per right name", "Wan et al. 2015", "data/economics")
    costs = dollars(stakes.cost_per_attempt_usd)
    attempt = numbers.put(costs, "cost of an attempt", "Wan et al. 2015", "data/economics")
    lines = [
        _attack([plan for plan in plans if plan.case.policy.name == name], numbers)
        for name in dict.fromkeys(plan.case.policy.name for plan in plans)
    ]
    intro = (
        f"Assume that a right name is worth {gain} and an attempt costs {attempt}, as in Wan et al. 2015, and that the "
        "buyer of the voter list knows who is in the file. It starts with the records that it is most likely to match "
        "and stops when another attempt no longer pays."
    )
    return [Heading("What an attack costs, and whether it pays"), Paragraph(intro), Bullets(tuple(lines))]


def _attack(plans: Sequence[AttackPlan], numbers: Numbers) -> str:
    """Say what the best attack under one policy does; two plans are the ends of what is not known of the list."""
    words = policy_words(plans[0].case.policy.name)
    paying = [plan for plan in plans if plan.verdict != "does not pay"]
    if not paying:
        return f"**Under {words}**, no attack pays with these assumptions."
    stops = [plan.stop for plan in paying if plan.stop is not None]
    left = [plan.profit_usd for plan in paying if plan.profit_usd is not None]

    def ends(values: Sequence[float], write: Formatter, what: str) -> str:
        return numbers.put(interval(min(values), max(values), write), f"{what}: {words}", "section 14")

    tries = ends([stop.attacked for stop in stops], whole_people, "records worth attacking")
    right = ends([stop.matched for stop in stops], whole_people, "right among them")
    profit = f", which leaves {ends(left, dollars, 'profit')}" if left else ""
    perhaps = "" if len(paying) == len(plans) else " By what is not known of the list, it may also be that none pays."
    return f"**Under {words}**, the best attack tries {tries} records and is right for {right}{profit}.{perhaps}"


def place_section(evidence: Evidence, numbers: Numbers, neighbors: Sequence[str]) -> list[Block]:
    """Show the state among the states and next to its neighbors."""
    last = evidence.policies[-1]
    rank, of = evidence.rank(last, VOTER)
    figure = evidence.everyone(evidence.state, last, VOTER).people(TOTAL_RISK)
    cases = [(policy, who) for policy in evidence.policies for who in ATTACKERS]
    rows = []
    measured = {profile.state for profile in evidence.nation}
    for state in (evidence.state, *(code for code in neighbors if code in measured)):
        shares = [evidence.everyone(state, *case).share(TOTAL_RISK) for case in cases]
        words = [f"{of_state(state)}: {policy_words(policy)}, {holding_of(who)}" for policy, who in cases]
        cells = (
            "–" if share is None else numbers.between(share, percent, what, "section 4")
            for share, what in zip(shares, words, strict=True)
        )
        rows.append((of_state(state), *cells))
    heads = [f"{_title(policy_words(policy))}, {holding_of(who)}" for policy in evidence.policies for who in ATTACKERS]
    table = DocumentTable(
        ("state", *heads),
        tuple(rows),
        "Share of the people matched if everyone's records were released",
        numbers=frozenset(range(1, len(heads) + 1)),
    )
    return [
        Heading(f"{of_state(evidence.state)} among the states"),
        Paragraph(rank_sentence(evidence.state, rank, of, last, measured=figure is not None)),
        table,
    ]


def race_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Say who bears the risk, by race, and by ethnicity where a policy shows it."""
    under = f"Under {policy_words(evidence.policies[-1])}, everyone released"
    tables = [_parts_table(evidence, numbers, "race", under)]
    if evidence.shows_ethnicity:
        of_any_race = f"{under}; the races above count Hispanic people too"
        tables.append(_parts_table(evidence, numbers, "ethnicity", of_any_race))
    return [
        Heading("Who is at risk"),
        Paragraph("People in small groups are matched more often, because fewer people share their values."),
        *tables,
    ]


def _parts_table(evidence: Evidence, numbers: Numbers, by: str, caption: str) -> DocumentTable:
    """Return what share of the people, and of the matches, each race or ethnicity has, and what share is matched."""
    figures = []
    for row in evidence.broken_down(by).to_dict(orient="records"):
        words = _KINDS_OF_PEOPLE.get(str(row["value"]), str(row["value"]))
        people, matches, matched = (percent(float(row[name])) for name in ("member_share", "of_total", "share"))
        figures.append(
            (
                words,
                numbers.put(people, f"{words}: share of the people", "counted"),
                numbers.put(matches, f"{words}: share of the matches", "section 4"),
                numbers.put(matched, f"{words}: share matched", "section 4"),
            )
        )
    heads = (by, "of the people", "of the matches", "matched")
    return DocumentTable(heads, tuple(figures), caption, numbers=frozenset({1, 2, 3}))


def _title(words: str) -> str:
    return first_up(words.removeprefix("the "))


_NEAR = 0.002  # of the state's width: simplified borders leave gaps


@cache
def neighbors(state: str) -> tuple[str, ...]:
    """Return the postal codes of the states that border a state, in alphabetical order."""
    from policy_sim.files.boundaries import load_boundaries

    shapes = load_boundaries("state")
    if state not in shapes.index:
        return ()
    geometry: dict[Any, Any] = shapes["geometry"].to_dict()
    own = geometry[state]
    width = max(own.bounds[2] - own.bounds[0], own.bounds[3] - own.bounds[1])
    near = own.buffer(_NEAR * width)
    return tuple(sorted(code for code, other in geometry.items() if code != state and near.intersects(other)))


def state_brief(
    study: Study,
    state: str,
    *,
    policies: Policies | None = None,
    against: str | None = None,
    in_file: InFileLike = None,
    rules: str = "regulation",
    date: dt.date | None = None,
    drawers: Drawers | None = None,
) -> Document:
    """Return the brief of one state, which explains the last of its policies: Safe Harbor and the limited data set.

    The table of the states compares the neighbors, and the state ``against``. The file has one per cent of the state by
    default. ``drawers`` are processes that draw the pictures while this one computes; none by default.
    """
    evidence = Evidence.of(study, state, policies, rules, in_file, date or dt.date.today())
    others = _beside(evidence.state, against)
    numbers, pictures = Numbers(evidence.source), _begun(evidence, drawers or Drawers(helpers=0))
    blocks: list[Block] = [
        *answer_section(evidence, numbers),
        *old_fact_notice(evidence, numbers),
        *sureness_notice(evidence),
        *custodian_section(evidence, numbers),
        *list_section(evidence, numbers),
        *everyone_section(evidence, numbers),
        *place_section(evidence, numbers, others),
    ]
    consequences = [
        *attack_section(evidence, numbers),
        *changes_section(evidence, numbers),
        *_race(evidence, numbers),
    ]
    blocks += [*(Picture(drawn(), words, f"{words}.", width=0.9) for words, drawn in pictures.items()), *consequences]
    title = f"Who could be named in a release of health records: {of_state(evidence.state)}"
    subtitle = f"{evidence.policies_words} compared"
    return Document(title, subtitle, (*blocks, *framing(evidence, numbers, title)), footer(evidence))


def _beside(state: str, against: str | None) -> tuple[str, ...]:
    """Return the states in the table: the neighbors, and the one that was asked for."""
    if against is None or against.strip().upper() == "US":
        return neighbors(state)
    other = find_state(against).postal
    if other == state:
        raise InputError(f"{state} cannot be compared with itself: name another state, or US.")
    return (other, *(code for code in neighbors(state) if code != other))


def _begun(evidence: Evidence, drawers: Drawers) -> dict[str, Callable[[], bytes]]:
    """Begin to draw the pictures; by what each shows."""
    from policy_sim.show.curves import curve_figure
    from policy_sim.show.distribution import place_figure
    from policy_sim.show.maps.state_map import total_risk_map

    frame, last = evidence.nation.to_frame(), evidence.policies[-1]
    words, name = policy_words(last), of_state(evidence.state)
    return {
        f"Map of the states by share matched with the voter list under {words}": drawers.begin(
            partial(total_risk_map, frame, last, VOTER)
        ),
        f"{name} among the states under each set of rules, for both attackers": drawers.begin(
            partial(place_figure, frame, evidence.state)
        ),
        f"{name}: people in groups of g or fewer": drawers.begin(partial(curve_figure, evidence.curves)),
    }


def _race(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Who is at risk; a population without races, or policies that do not show them, have no such section."""
    try:
        return race_section(evidence, numbers)
    except InputError:
        return []
