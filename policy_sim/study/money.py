"""Questions about money: what an attack is worth, what a buyer buys or pairs, which policy a publisher chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from policy_sim.attackers import VOTER, Attacker
from policy_sim.attackers.adversary import Stakes
from policy_sim.attackers.in_file import InFileLike, without_places
from policy_sim.people.places import has_place
from policy_sim.policies.policy import Policy
from policy_sim.show.numbers import given, given_amount, rounded
from policy_sim.study.answers import Answer, AttackPlanAnswer, BudgetAnswer, GameAnswer, TrendAnswer
from policy_sim.study.provenance import AnswerProvenance
from policy_sim.study.question import DEFAULT_RULES, POLICIES, Attackers, Policies, Question, Setting, States
from policy_sim.words.arguments import number, one_state, several, switch
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities, fields_title, shows_ethnicity
from policy_sim.words.states import State

if TYPE_CHECKING:
    from policy_sim.study.study import Study

GAIN, COST = "wan-2015", "attempt-wan-2015"  # of data/economics
MOST_USD = 1e12


def stakes_of(
    gain: str | float = GAIN,
    cost_per_attempt: str | float = COST,
    loss_per_wrong: float = 0.0,
    penalty: str | float = 0.0,
    chance_caught: float = 0.0,
) -> tuple[Stakes, tuple[str, ...]]:
    """Return stakes from amounts or their names in ``data/economics``, and a note on where each amount comes from.

    ``gain``, ``cost_per_attempt``, ``penalty``: US dollars, or the name of an amount (``broker-2023``). A named penalty
    takes its lower end, the least for one violation, and its cap. ``loss_per_wrong``: US dollars lost with each wrong
    name. ``chance_caught``: chance (0..1) of being caught and fined.
    """
    from policy_sim.attackers.files import amount_of, load_amounts

    gains, gain_note = amount_of(gain, "gains")
    costs, cost_note = amount_of(cost_per_attempt, "costs")
    fine, fine_note = amount_of(penalty, "penalties")
    named = load_amounts().get(str(penalty))
    cap = named.cap_usd if named is not None else None
    fine = named.usd_low if named is not None and named.usd_low is not None else fine
    stakes = Stakes(
        number("gain", gains, 0, MOST_USD),
        number("cost_per_attempt", costs, 0, MOST_USD),
        number("loss_per_wrong", loss_per_wrong, 0, MOST_USD),
        number("penalty", fine, 0, MOST_USD),
        cap,
        number("chance_caught", chance_caught, 0, 1),
    )
    notes = [f"gain per correct match: {gain_note}", f"cost per attempt: {cost_note}"]
    notes += [f"loss per wrong name: assumed: {given_amount(loss_per_wrong)}"] if loss_per_wrong else []
    if fine and chance_caught:
        most = (
            ""
            if cap is None
            else f"; all fines together at most {given_amount(cap)}, expected ${rounded(chance_caught * cap)}"
        )
        notes.append(f"fine per person named, with chance {given(chance_caught)}: {fine_note}{most}")
    return stakes, tuple(notes)


# Questions about what an attack costs and whether it pays.


def attack(
    study: Setting,
    states: States = None,
    policies: Policies = POLICIES,
    attackers: Attackers = VOTER,
    *,
    gain: str | float = GAIN,
    cost_per_attempt: str | float = COST,
    loss_per_wrong: float = 0.0,
    penalty: str | float = 0.0,
    chance_caught: float = 0.0,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
    sees_list: bool = False,
) -> AttackPlanAnswer:
    """Return the attack of a rational buyer: which records it attacks, and its profit.

    ``gain`` and the other amounts are those of :func:`stakes_of`. ``sees_list``: the attacker sees the list before it
    chooses which records to attack. Returns one row per state, policy and attacker: records attacked, expected correct
    matches, precision, profit in US dollars and a verdict; ``curves()`` has the whole curve.

    >>> from policy_sim import Study
    >>> Study("us-2010", 2026).attack("DE", "safe-harbor").to_frame()["verdict"].tolist()
    ['pays']
    """
    from policy_sim.model.money.attack_plan import AttackPlan, attack_plans
    from policy_sim.model.money.whole_attack import with_whole_attacks

    stakes, notes = stakes_of(gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught)
    question = Question.of(policies, attackers, states, None, rules, in_file)
    cases = study._cases(question)
    plans: tuple[Any, ...] = attack_plans(cases, stakes, sees_list=switch("sees_list", sees_list))
    if cases.places is not None:
        plans = with_whole_attacks(plans)
    if sees_list:
        notes = (*notes, "order: the attacker has the list and sees how many people on it have a record's values")
    origin = study._from(question, "attack", notes, **stakes.amounts)
    return AttackPlanAnswer(AttackPlan.table, "Attacks", plans, provenance=origin)


def break_even(
    study: Setting,
    states: States = None,
    policies: Policies = POLICIES,
    attackers: Attackers = VOTER,
    *,
    gain: str | float = GAIN,
    cost_per_attempt: str | float = COST,
    loss_per_wrong: float = 0.0,
    penalty: str | float = 0.0,
    chance_caught: float = 0.0,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
    sizes: bool = True,
) -> Answer[Any]:
    """Return whether an attack pays in each state, and from which gain, price and file size.

    The amounts are those of :func:`stakes_of`. ``sizes``: also find the smallest file for which an attack pays. Returns
    one row per state, policy and attacker; US dollars with the price's status, date and source.

    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> study.break_even("DE", "safe-harbor", rules="paper", sizes=False).to_frame()["state"].tolist()
    ['DE']
    """
    from policy_sim.model.money.attack_plan import break_even_frame

    stakes, notes = stakes_of(gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught)
    question = Question.of(policies, attackers, states, None, rules, in_file)
    without_places(question.in_file, "break-even")
    rows = break_even_frame(study._cases(question), stakes, sizes=switch("sizes", sizes))
    return Answer(rows, "When attacks pay", provenance=study._from(question, "break-even", notes, **stakes.amounts))


# The question of what changed between years: people, list law, sources, prices.


# Populations and lists of about the same time; all of these people have ZIP codes.
MOMENTS = (("us-2010", "2008"), ("us-2020", "2020"), ("us-2022", "2026"))


def trends(
    moments: Sequence[tuple[str, str]] = MOMENTS,
    policy: str = "limited-dataset",
    states: States = None,
    *,
    gain: str | float = GAIN,
    cost_per_attempt: str | float = COST,
    rules: str | None = None,
    coverage: str = "registered",
    in_file: InFileLike = None,
    tell: Callable[[str], None] | None = None,
) -> TrendAnswer:
    """Return risk, price and profit of an attack at several dates, and what changed them.

    ``moments``: pairs of a population and a vintage of the voter lists, two or more, in the order of time. ``rules``:
    as in a comparison. Without it, all moments are measured without ZIP codes where a population of one has none, as
    several populations in one comparison are; ``"regulation"`` is refused then. ``coverage``: who is assumed to be on
    the lists, as for a study. Returns one row per state and moment; ``changes`` has one row per state and step, with
    the parts of people, law, sources and price.
    """
    from policy_sim.model.trends import Moment, change_frame, trend_frame
    from policy_sim.study.compare import Studies
    from policy_sim.study.study import Study
    from policy_sim.voter_lists.files import load_list_changes

    moments = _pairs(moments)
    if tell is not None and not callable(tell):
        raise InputError("tell: give a function that takes what is being computed.")
    if len(moments) < 2:
        raise InputError(
            f"a trend needs two or more moments, each a population and a vintage of lists; {len(moments)} given."
        )
    stakes, notes = stakes_of(gain, cost_per_attempt)
    studies = tuple(Study(population, lists, coverage=coverage) for population, lists in moments)
    requested = Question.of(policy, VOTER, states, None, DEFAULT_RULES if rules is None else rules, in_file)
    question = Studies(studies, requested).comparable
    if isinstance(rules, str) and rules == DEFAULT_RULES:
        _refuse_coarser(studies, requested, question)
    points = [
        Moment(f"{population} {lists}", study._cases(question, one_policy=True))
        for study, (population, lists) in zip(studies, moments, strict=True)
    ]
    rows = trend_frame(points, stakes, tell)
    changes = change_frame(points, stakes, recorded=load_list_changes(), tell=tell)
    lists = ", ".join(f"{moment.name}" for moment in points)
    all_notes = (
        f"moments: {lists}; unknown fields of a list count as withheld; dollars are those of each list's year",
        "law: what the state shows or sells changed. source: a later source says more about the list, or less; the "
        "list itself may not have changed. A value that was unknown at either time counts here",
        *notes,
    )
    origin = AnswerProvenance(studies, question, "trends", stakes.amounts, all_notes)
    return TrendAnswer(rows, "Trends", provenance=origin, changes=changes)


def _refuse_coarser(studies: Sequence[Study], requested: Question, question: Question) -> None:
    """Refuse rules that somebody named and that the people of a moment cannot show."""
    if question.policies == requested.policies:
        return
    without = [study.counted.name for study in studies if not has_place(study.people_for(requested), "zip3")]
    if without:
        raise InputError(
            f"{' and '.join(dict.fromkeys(without))}: no ZIP codes are known of these people, so "
            f"{ask('rules', DEFAULT_RULES)} cannot be followed. Leave out that date, or use {ask('rules', 'paper')}."
        )


def _pairs(moments: object) -> list[tuple[str, str]]:
    """Return pairs of the names of a population and a vintage."""
    items: list[Any] = list(moments) if isinstance(moments, list | tuple) else [None]
    for pair in items:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise InputError(
                "moments: give pairs of a population and a vintage of the lists, such as [('us-2000', '2008'), "
                "('us-2020', '2026')]."
            )
    return [(population, lists) for population, lists in items]


# Both sides of a release: what a buyer buys or pairs, and which policy a publisher chooses.


BENEFIT, LOSS, PENALTY = "benefit-wan-2015", "loss-wan-2015", "hipaa-neglect-2026"
GAME_POLICIES = (
    *("safe-harbor", "limited-dataset", "county", "month-of-birth", "five-year-age", "decade-of-birth"),
    *(
        "safe-harbor-paper-without-race",
        "limited-dataset-paper-without-race",
        "county-without-race",
        "month-of-birth-without-race",
    ),
    *("five-year-age-without-race", "decade-of-birth-without-race", "state-only-with-race", "state-only"),
)


def _buyers(attackers: Sequence[Attacker]) -> list[Attacker]:
    """Return those who buy something; of the same lists with and without a coverage, those with it."""
    holders = [attacker for attacker in attackers if attacker.holds_file]
    names = {attacker.name.split("-")[0] for attacker in holders if attacker.coverage is not None}
    return [attacker for attacker in holders if attacker.coverage is not None or attacker.name not in names]


def pair(
    study: Setting,
    state: str | State,
    policies: Policies,
    attacker: str | Attacker = VOTER,
    *,
    first: float,
    second: float,
    both: float,
    coverage: float = 1.0,
    rules: str = DEFAULT_RULES,
) -> Answer[Any]:
    """Return what an attacker learns from two files about the same people, linked by the fields they share.

    ``policies``: what the first and the second file show. ``first``, ``second``, ``both``: shares (0..1) of the people
    in each file, and in both. ``coverage``: share of the people who are on the list. Returns one row per figure: right
    and wrong pairs of records, and the people whom the list identifies for sure from the first file, from the second,
    and from the pair; expected, and as a share of the people in both files.

    >>> from policy_sim import Study
    >>> shares = {"first": 0.01, "second": 0.01, "both": 0.005}
    >>> pair = Study("us-2010", 2026).pair("DE", ["county", "month-of-birth"], "general", **shares)
    >>> "named" in pair.to_frame()["figure"].tolist()
    True
    """
    from policy_sim.model.money.pair import FileShares, two_releases

    question = Question.of(policies, attacker, one_state(state), None, rules)
    pair_of_policies = study._policies(question)
    if len(pair_of_policies) != 2:
        raise InputError(f"give two policies for two files, not {len(pair_of_policies)}.")
    (place,), holders = question.states or (), study.attackers_of(question)
    shares = FileShares(first, second, both, coverage)
    left, right = pair_of_policies
    people = study.people_one_by_one(question)
    releases = two_releases(people, left, right, holders[0], place, shares, days_per_year=study.days_per_year)
    remark = fields_title(
        f"shared fields: {releases.shared}; together: {releases.joined}; with the list: {releases.linked}"
    )
    origin = study._from(question, "pair", [remark], first=first, second=second, both=both, listed=coverage)
    return Answer(releases.to_frame(), f"Two files in {place}", provenance=origin)


def budget(
    study: Setting,
    usd: float | None = None,
    target: float | None = None,
    policy: Policies = "limited-dataset",
    attackers: Attackers = VOTER,
    states: States = None,
    *,
    any_buyer: bool = False,
    released: bool = False,
    usd_per_county: float | None = None,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
) -> BudgetAnswer:
    """Return the lists to buy for a budget, or the cheapest ones that give this many names, under one policy.

    Parameters
    ----------
    usd, target : The budget in US dollars, or the expected correct claims to reach, above 0. Give one of the two.
    any_buyer : Also include lists that the public may not buy. With an adversary in the study, what that buyer can
        have is offered, and this changes nothing.
    released : Count unknown fields of the lists as released.
    usd_per_county : The price of one county's list where only counties sell, if no source gives it.

    Returns
    -------
    One row per list: bought or not, price with date and source, expected claims and correct claims; then the lists
    left out, each with the reason. ``purchase`` has the sums.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> study.budget(100, states=["DE", "WI"], rules="paper").purchase.offers[0].name
    'DE'
    """
    from policy_sim.model.money.budget import best_purchase, budget_frame, cheapest_purchase, market
    from policy_sim.voter_lists.price import Price

    question = Question.of(policy, attackers, states, None, rules, in_file)
    if (usd is None) == (target is None):
        raise InputError(f"give either {ask('usd', '1000')} or {ask('target', '50000')}.")
    any_buyer, released = switch("any_buyer", any_buyer), switch("released", released)
    cases = study._cases(question, one_policy=True)
    offered = market(
        replace(cases, attackers=_buyers(cases.attackers)),
        any_buyer=any_buyer or study.adversary is not None,
        released=released,
        county_price=None if usd_per_county is None else Price("schedule", usd_per_county=usd_per_county),
    )
    if usd is not None:
        bought = best_purchase(offered.offers, number("usd", usd, 0, MOST_USD))
    else:
        assert target is not None
        bought = cheapest_purchase(offered.offers, number("target", target, 0, MOST_USD, above=True))
    parameters = {"usd": usd, "target": target, "any_buyer": any_buyer, "released": released}
    origin = study._from(question, "budget", **parameters, usd_per_county=usd_per_county)
    return BudgetAnswer(budget_frame(offered, bought), "Lists to buy", provenance=origin, purchase=bought)


def game(
    study: Setting,
    states: States = None,
    policies: Policies = GAME_POLICIES,
    attacker: str | Attacker = VOTER,
    *,
    benefit: str | float = BENEFIT,
    loss: str | float = LOSS,
    gain: str | float = GAIN,
    cost_per_attempt: str | float = COST,
    penalty: str | float = PENALTY,
    chance_caught: float = 0.01,
    frontier: bool = False,
    keep: str | Iterable[str] = (),
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
) -> GameAnswer:
    """Solve the publisher's game in each state: it chooses a policy, and the recipient attacks if that pays.

    Parameters
    ----------
    policies : Among which the publisher picks; the HIPAA rules and twelve policies by county or state by default.
        ``release:newest`` is each state's own newest release.
    benefit, loss : What a record in full detail is worth to the publisher, and what each re-identified person costs
        it: US dollars, or the name of an amount in ``data/economics``.
    gain, cost_per_attempt, penalty, chance_caught : As for :func:`stakes_of`; the game is solved without the penalty
        and with it. The chance is an assumption: no source gives it.
    frontier : Also let the publisher choose a policy on the frontier of :meth:`explore`, in one state.
    keep : Fields that a policy must release at least this finely to be picked, as for :meth:`explore`; Safe Harbor
        is compared with in any case.

    Returns
    -------
    One row per state, without and with the penalty: the best policy, the best policy under which no attack pays,
    and the payoff of always releasing Safe Harbor. ``moves`` has every policy.

    Examples
    --------
    >>> from policy_sim import Study
    >>> len(Study("us-2010", 2026).game("DE", ["safe-harbor", "state-only"], rules="paper").to_frame())
    2
    """
    from policy_sim.attackers.files import amount_of
    from policy_sim.model.explore.axes import Needs
    from policy_sim.model.money.game import Publisher, moves, moves_frame, solution_frame

    first = Question.of(policies, attacker, states, None, rules, in_file)
    without_places(first.in_file, "the game")
    kept_fields = () if isinstance(keep, list | tuple) and not keep else several("keep", keep, str, "'sex'")
    needs = Needs.of(kept_fields)
    all_policies = [*first.policies, *(_frontier(study, first, kept_fields) if switch("frontier", frontier) else ())]
    question = Question.of(all_policies, attacker, first.states, None, rules, in_file)
    (brings, brings_note), (costs, costs_note) = amount_of(benefit, "publisher"), amount_of(loss, "publisher")
    publisher = Publisher(brings, costs)
    notes = [f"benefit per record in full detail: {brings_note}", f"loss per person named: {costs_note}"]
    cases = study._cases(question)
    recipients = _buyers(cases.attackers) or cases.attackers
    if len(recipients) != 1:
        raise InputError("the game has one recipient: give one attacker.")
    stakes, _ = stakes_of(gain, cost_per_attempt)
    fined, stakes_notes = stakes_of(gain, cost_per_attempt, 0.0, penalty, chance_caught)
    cases = replace(cases, attackers=recipients)
    without, with_penalty = moves(cases, _most_detailed(study, question, cases.policies), publisher, [stakes, fined])
    games = {"without": without, "with": with_penalty}
    notes += [
        *stakes_notes,
        "utility: entropy of the released values, as a share of that of sex, race, date of birth and place",
    ]
    if needs.any:
        notes.append(f"the release must show at least {needs.releases}: a policy that shows less is not chosen")
    amounts = {"benefit_usd": brings, "loss_usd": costs, "keep": list(kept_fields)} | fined.amounts
    origin = study._from(question, "game", notes, **amounts)
    solved, every_move = solution_frame(games, needs), moves_frame(games, needs)
    return GameAnswer(solved, "The publisher's game", provenance=origin, moves=every_move)


def _frontier(study: Setting, question: Question, keep: Sequence[str]) -> list[str]:
    """The policies of the lattice on the frontier of one state, as lines."""
    from policy_sim.study.explore import explore

    if question.states is None or len(question.states) != 1:
        raise InputError("the frontier of policies needs one state. Name it.")
    rows = explore(study, question.states, keep=list(keep)).to_frame()
    return [str(line) for line in rows.loc[rows["frontier"].astype(bool), "policy"]]


def _most_detailed(study: Setting, question: Question, policies: Sequence[Policy]) -> Policy:
    """Sex, race, date of birth and the finest place that any policy of the question shows; ethnicity where one does."""
    by_zip = study.places_by_county(question)
    place = "county_zip5" if by_zip else "county"
    ethnicity = "value" if any(shows_ethnicity(policy.releases) for policy in policies) else "none"
    most = Granularities(gender="value", race="value", ethnicity=ethnicity, birth="date", geography=place)
    return Policy("most-detailed", f"sex, race, date of birth and {place}", most, "")


class MoneyVerbs:
    """What a study says about money. A new question is a function, and a line here."""

    attack = attack
    break_even = break_even
    budget = budget
    game = game
    pair = pair
