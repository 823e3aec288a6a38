"""The brief of one state, a paper of two or three pages for whoever decides, with its annex; and that of the nation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Unpack

from policy_sim.attackers import ATTACKERS, GENERAL, VOTER, holding_of
from policy_sim.attackers.in_file import InFileLike
from policy_sim.briefs.evidence import Brief, BriefOptions, Evidence, Numbers, low_end
from policy_sim.briefs.limited import is_limited, limited_page
from policy_sim.briefs.paper import Proposal, answer_bars, brief_of, first_page, second_page, with_bars
from policy_sim.briefs.sentences import (
    WORDS,
    and_words,
    counted_words,
    list_section,
    of_state,
    policy_words,
    rank_sentence,
    rules_title,
    the_state,
)
from policy_sim.model.measure import CLAIMS, PRECISION, TOTAL_RISK
from policy_sim.model.profile import RiskProfile
from policy_sim.show.document.blocks import Block, Bullets, DocumentTable, Heading, Paragraph, Picture
from policy_sim.show.numbers import Formatter, dollars, interval, people, percent, ranged, whole_people
from policy_sim.show.save import Drawing, drawn, png_bytes
from policy_sim.words.errors import InputError
from policy_sim.words.states import find_state, neighbors
from policy_sim.words.status import Status

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from policy_sim.model.money.attack_plan import AttackPlan
    from policy_sim.study.question import Question
    from policy_sim.study.study import Study


_CURVE_MOST = 1_000  # the largest g that a page's curve has
_CLAIMED = "claims and precision (section 11)"
_ONE_PERSON = "records with exactly one person: {}"


def figures_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Show the figures of the file, and of a release of everyone in the state."""
    parts, of_file = evidence.parts, "The file, with an attacker who knows who is in it"
    answers = {of_file: (evidence.file, evidence.state, "in the file")}
    if len(parts) > 1:
        named = {f"{of_file}: {of_state(part.state)}": part.state for part in parts}
        answers |= {title: (evidence.file, state, f"in the file, {state}") for title, state in named.items()}
    for part in parts:
        title = f"If the records of everyone in {the_state(part.state)} were released"
        answers[title] = (evidence.released, part.state, f"everyone in all of {the_state(part.state)} released")
    tables = []
    for caption, (answer, state, released) in answers.items():
        profiles = [answer.profile(state, *case) for case in _cases(evidence)]
        rows = [
            (rules_title(profile.policy), holding_of(profile.attacker), *_cells(profile, numbers, released))
            for profile in profiles
        ]
        heads = ("rules", "attacker", "named", "share named", "one candidate", "right among these")
        tables.append(DocumentTable(heads, tuple(rows), caption, numbers=frozenset({2, 3, 4, 5})))
    return [Heading("The figures"), *tables, Paragraph(WORDS["texts"]["figures"], "small")]


def _cases(evidence: Evidence) -> list[tuple[str, str]]:
    return [(policy, who) for policy in evidence.policies for who in ATTACKERS]


def _cells(profile: RiskProfile, numbers: Numbers, released: str) -> tuple[str, str, str, str]:
    right, share, claims = profile.people(TOTAL_RISK), profile.share(TOTAL_RISK), profile.people(CLAIMS)
    if right is None or share is None or claims is None:
        return (str(profile.status).replace("_", " "), "–", "–", "–")
    words, held = f"{policy_words(profile.policy)}, {profile.attacker}, {released}", profile.share_range(TOTAL_RISK)
    precision, people = profile.share(PRECISION), profile.people_range(TOTAL_RISK)
    no_share = "few claims" if profile.claims_status is Status.FEW_CLAIMS else "–"
    sure_words = f"share of these claims that are correct: {words}"
    return (
        numbers.ranged(right, people, whole_people, f"matches that are right: {words}", "sections 4 and 10"),
        numbers.ranged(share, held, percent, f"share of them: {words}", "sections 4 and 10"),
        numbers.ranged(claims, profile.people_range(CLAIMS), whole_people, _ONE_PERSON.format(words), _CLAIMED),
        no_share
        if precision is None
        else numbers.ranged(precision, profile.share_range(PRECISION), percent, sure_words, _CLAIMED),
    )


def attack_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Say what the best attack on the file costs, and whether it pays."""
    plans = [plan for plan in evidence.attacks if plan.stop is not None]
    if not plans:
        return []
    heading = f"What an attack costs, and whether it pays{_of_part(evidence)}"
    stakes = plans[0].stakes
    gain = numbers.put(dollars(stakes.gain_usd), "gain per right name", "Wan et al. 2015", "data/economics")
    costs = dollars(stakes.cost_per_attempt_usd)
    attempt = numbers.put(costs, "cost of an attempt", "Wan et al. 2015", "data/economics")
    lines = [
        _attack([plan for plan in plans if plan.case.policy.name == name], numbers)
        for name in dict.fromkeys(plan.case.policy.name for plan in plans)
    ]
    intro = (
        f"Wan et al. (2015) say that a right name is worth {gain} and that an attempt costs {attempt}. Nobody has "
        "measured these sums. With them, a buyer of the voter list who knows who is in the file starts with the "
        "records that are most likely to match, and stops when another attempt would cost more than it earns."
    )
    return [Heading(heading), Paragraph(intro), Bullets(tuple(lines))]


def _of_part(evidence: Evidence) -> str:
    """Return what a heading adds where the file comes from places: of which state a section is."""
    return f": {of_state(evidence.state)}" if evidence.places is not None else ""


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
    profit = f", for an expected profit of {ends(left, dollars, 'profit')}" if left else ""
    perhaps = (
        "" if len(paying) == len(plans) else " Because some facts about the list are unknown, it may be that none pays."
    )
    return f"**Under {words}**, the best attack tries {tries} records and is right for {right}{profit}.{perhaps}"


def place_section(evidence: Evidence, numbers: Numbers, near: Sequence[str]) -> list[Block]:
    """Show the state among the states and next to its neighbors."""
    last = evidence.policies[-1]
    rank, of = evidence.rank(last, VOTER)
    status = evidence.everyone(evidence.state, last, VOTER).status
    cases = _cases(evidence)
    rows = []
    measured = {profile.state for profile in evidence.nation}
    for state in (evidence.state, *(code for code in near if code in measured)):
        profiles = [evidence.everyone(state, *case) for case in cases]
        words = [f"all of {the_state(state)}: {policy_words(policy)}, {holding_of(who)}" for policy, who in cases]
        cells = (
            "–" if profile.share(TOTAL_RISK) is None else numbers.share(profile, what)
            for profile, what in zip(profiles, words, strict=True)
        )
        rows.append((of_state(state), *cells))
    heads = [f"{rules_title(policy)}, {holding_of(who)}" for policy, who in cases]
    table = DocumentTable(
        ("state", *heads),
        tuple(rows),
        "Share of the people matched if everyone's records were released",
        numbers=frozenset(range(1, len(heads) + 1)),
    )
    return [
        Heading(f"{of_state(evidence.state)} among the states"),
        Paragraph(rank_sentence(evidence.state, rank, of, last, status)),
        table,
    ]


def race_section(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Say who bears the risk, by race, and by ethnicity where a policy shows it."""
    under = f"Under {policy_words(evidence.policies[-1])}, everyone in all of {the_state(evidence.state)} released"
    tables = [_parts_table(evidence, numbers, "race", under)]
    if evidence.shows_ethnicity:
        of_any_race = f"{under}; the races above count Hispanic people too"
        tables.append(_parts_table(evidence, numbers, "ethnicity", of_any_race))
    return [
        Heading(f"Who is at risk in all of {the_state(evidence.state)}"),
        Paragraph("People in small groups are matched more often, because fewer people share their values."),
        *tables,
    ]


def _parts_table(evidence: Evidence, numbers: Numbers, by: str, caption: str) -> DocumentTable:
    """Return what share of the people, and of the matches, each race or ethnicity has, and what share is matched."""
    figures = []
    for row in evidence.broken_down(by).to_dict(orient="records"):
        words = WORDS["people"].get(str(row["value"]), str(row["value"]))
        cells = (
            numbers.put(percent(float(row[name])), f"{words} in all of {the_state(evidence.state)}: {what}", formula)
            for name, what, formula in (
                ("member_share", "share of the people", "counted"),
                ("of_total", "share of the matches", "section 4"),
                ("share", "share matched", "section 4"),
            )
        )
        figures.append((words, *cells))
    heads = (by, "of the people", "of the matches", "matched")
    return DocumentTable(heads, tuple(figures), caption, numbers=frozenset({1, 2, 3}))


def state_brief(
    study: Study,
    state: str | None,
    *,
    against: str | None = None,
    in_file: InFileLike = None,
    proposal: Proposal | None = None,
    **options: Unpack[BriefOptions],
) -> Brief:
    """Return the brief of one state on a ``proposal`` to release what the last policy shows, beside the others.

    A file from places in several states has one paper on the whole, with a row for each state, and an annex with all.
    The table of the states compares the neighbors, and the state ``against``. The file has one per cent of the state by
    default.
    """
    evidence = Evidence.of(study, state, in_file, **options)
    numbers, other = Numbers(evidence.source, linked=False), _other(evidence.state, against)
    proposed = proposal or Proposal()
    first = first_page(evidence, numbers, proposed)
    second = second_page(evidence, numbers, is_measured=not proposed.unmeasured)
    third = limited_page(evidence, numbers, proposed) if is_limited(evidence) and not proposed.unmeasured else []
    numbers = numbers.in_annex()
    annex: list[Block] = [
        *figures_section(evidence, numbers),
    ]
    for part in evidence.parts:
        annex += [
            *list_section(part),
            *place_section(part, numbers, tuple(dict.fromkeys([*other, *neighbors(part.state)]))),
            *attack_section(part, numbers),
            *_race(part, numbers),
        ]
    annex += (Picture(drawn(drawing), words, f"{words}.", width=0.9) for words, drawing in _pictures(evidence))
    title = f"Releasing {proposed.what}: {of_state(evidence.state)}"
    paper = (*with_bars(first, drawn(answer_bars(evidence))), *second, *third)
    return brief_of(evidence, title, paper, annex, numbers, pages=3 if third else 2)


def _other(state: str, against: str | None) -> list[str]:
    """Return the state that stands before the neighbors in the table, if one was asked for."""
    if against is None or against.strip().upper() == "US":
        return []
    other = find_state(against).postal
    if other == state:
        raise InputError(f"{state} cannot be compared with itself: name another state, or US.")
    return [other]


def _pictures(evidence: Evidence) -> Iterator[tuple[str, Drawing]]:
    """Return what draws the state among the states and its curve, with what it shows."""
    from policy_sim.show.distribution import place_figure
    from policy_sim.show.maps.figure import total_risk_map

    frame, last = evidence.nation.to_frame(), evidence.policies[-1]
    yield (
        f"Map of the states by share matched with the voter list under {policy_words(last)}",
        partial(total_risk_map, frame, last, VOTER),
    )
    for part in evidence.parts:
        yield (
            f"All of {the_state(part.state)} among the states under each set of rules, for both attackers",
            partial(place_figure, frame, part.state),
        )
    for part in evidence.parts:
        words = f"All of {the_state(part.state)}: people in groups of g or fewer if everyone is released"
        yield words, partial(_curve, part.study, part.question)


def _curve(study: Study, question: Question) -> Figure:
    """Compute and draw the share of people in groups of ``g`` or fewer."""
    from policy_sim.show.curves import curve_figure

    (state,) = question.states or ()
    answer = study.curves(state, question.policies, GENERAL.name, _CURVE_MOST, rules=question.rules)
    return curve_figure(answer.to_frame())


def _race(evidence: Evidence, numbers: Numbers) -> list[Block]:
    """Who is at risk; a population without races, or policies that do not show them, have no such section."""
    try:
        return race_section(evidence, numbers)
    except InputError:
        return []


# The nation: every state under the same rules.


def nation_brief(study: Study, **options: Unpack[BriefOptions]) -> Brief:
    """Return the brief of the nation."""
    evidence = Evidence.of(study, None, **options)
    numbers, maps = Numbers(evidence.source, linked=False), _nation_maps(evidence)
    page = (*_nation_answer(evidence, numbers), *maps[-1:])
    annex = (*_nation_table(evidence, numbers.in_annex()), *maps[:-1])
    return brief_of(evidence, "Releasing health records: the nation", page, annex, numbers)


def _nation_answer(evidence: Evidence, numbers: Numbers) -> list[Block]:
    lines = []
    for policy in evidence.policies:
        profiles = [p for p in evidence.nation if (p.policy, p.attacker) == (policy, GENERAL.name)]
        right = sum(low_end(profile) for profile in profiles)
        whole = sum(profile.inhabitants for profile in profiles)
        words = policy_words(policy)
        right_people = numbers.put(people(right), f"matches that are right, all states: {words}", "section 4")
        share = numbers.put(percent(right / whole), f"their share: {words}", "section 4")
        lines.append(
            f"**Under {words}**, someone who knows everyone would be right for {right_people} of {people(whole)} "
            f"people ({share})."
        )
    listed = [p for p in evidence.nation if (p.policy, p.attacker) == (evidence.policies[-1], VOTER)]
    with_figures = [profile for profile in listed if profile.status in (Status.OK, Status.INTERVAL)]
    without = len(listed) - len(with_figures)
    places = counted_words(str(without), "state", "states")
    note = f"In {places}, there is no statewide list to link with, or no source says what it contains."
    shares = {p.state: own for p in with_figures if (own := p.share(TOTAL_RISK)) is not None}
    top = sorted(shares, key=lambda state: -min(shares[state].low, shares[state].high))[:5]
    last = min(shares[top[-1]].low, shares[top[-1]].high) if top else 1.0
    held = {p.state: own for p in with_figures if (own := p.share_range(TOTAL_RISK)) is not None}
    rivals = [state for state, share in held.items() if state not in top and share.high > last]
    if rivals:
        note += f" The share of {and_words([the_state(state) for state in rivals])} is a range, and may be as large."
    names = and_words([f"{the_state(state)} with {ranged(shares[state], held[state], percent)}" for state in top])
    return [
        Paragraph(f"If the health records of everyone were released, in {len(listed)} states and districts:", "lead"),
        Bullets(tuple(lines)),
        Paragraph(f"Someone with only the voter list would match the largest shares in {names}. {note}"),
    ]


def _nation_maps(evidence: Evidence) -> list[Block]:
    from policy_sim.show.maps.figure import total_risk_map

    frame = evidence.nation.to_frame()
    return [
        Picture(
            png_bytes(total_risk_map(frame, policy, VOTER)),
            f"Map of the states with the voter list under {policy_words(policy)}",
        )
        for policy in evidence.policies
    ]


def _nation_table(evidence: Evidence, numbers: Numbers) -> list[Block]:
    cases = [(policy, who) for policy in evidence.policies for who in ATTACKERS]
    rows = []
    for state in dict.fromkeys(profile.state for profile in evidence.nation):
        cells = (
            numbers.share(evidence.everyone(state, policy, who), f"{state}: {policy_words(policy)}, {who}")
            for policy, who in cases
        )
        rows.append((of_state(state), *cells))
    heads = [
        f"{policy_words(policy).removeprefix('the ')}, {'everyone known' if who == GENERAL.name else 'voter list'}"
        for policy, who in cases
    ]
    table = DocumentTable(("state", *heads), tuple(rows), "Share of the people matched", numbers=frozenset(range(1, 5)))
    return [Heading("Every state"), table]
