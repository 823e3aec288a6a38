"""Questions about both sides of a release: what a buyer buys or pairs, and which policy a publisher chooses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from policy_sim.attackers import VOTER, Attacker
from policy_sim.attackers.in_file import InFileLike, without_places
from policy_sim.policies.policy import Policy
from policy_sim.show.theme import fields_title
from policy_sim.study.answers import Answer, BudgetAnswer, GameAnswer
from policy_sim.study.money import COST, GAIN, MOST_USD, stakes_of
from policy_sim.study.provenance import AnswerProvenance
from policy_sim.study.question import DEFAULT_RULES, Attackers, Policies, Question, Setting, States
from policy_sim.words.arguments import number, one_state, several, switch
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities, shows_ethnicity
from policy_sim.words.states import State

if TYPE_CHECKING:
    pass


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

    Parameters
    ----------
    state : Postal code, FIPS code or name.
    policies : Two policies: what the first and the second file show.
    attacker : The attacker that has the list.
    first, second, both : Shares (0..1) of the people in each file, and in both.
    coverage : Share of the people who are on the list.
    rules : As for :meth:`compare`.

    Returns
    -------
    One row per figure: right and wrong pairs of records, and the people whom the list identifies for sure from the
    first file, from the second, and from the pair; expected, and as a share of the people in both files.

    Raises
    ------
    InputError : not two policies; shares that contradict each other.
    NotEstimableError : no list in the state.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> shares = {"first": 0.01, "second": 0.01, "both": 0.005}
    >>> pair = study.pair("DE", ["county", "month-of-birth"], "general", **shares)
    >>> "named" in pair.to_frame()["figure"].tolist()
    True
    """
    from policy_sim.model.money.pair import FileShares, two_releases

    question = Question.of(policies, attacker, one_state(state), None, rules)
    pair_of_policies = study._policies(question)
    if len(pair_of_policies) != 2:
        raise InputError(f"give two policies for two files, not {len(pair_of_policies)}.")
    (place,), holders = question.states or (), study._attackers(question)
    shares = FileShares(first, second, both, coverage)
    left, right = pair_of_policies
    people = study.people_one_by_one(question)
    releases = two_releases(people, left, right, holders[0], place, shares, days_per_year=study.days_per_year)
    parameters = {"first": first, "second": second, "both": both, "listed": coverage}
    remark = fields_title(
        f"shared fields: {releases.shared}; together: {releases.joined}; with the list: {releases.linked}"
    )
    origin = AnswerProvenance((study,), question, "pair", parameters, (remark,))
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
    """Return the lists to buy for a budget, or the cheapest ones that give this many names.

    Parameters
    ----------
    usd, target : The budget in US dollars, or the expected correct claims to reach, above 0. Give one of the two.
    policy : One policy.
    attackers, states, rules, in_file : As for :meth:`compare`.
    any_buyer : Also include lists that the public may not buy. With an adversary in the study, what that buyer can
        have is offered, and this changes nothing.
    released : Count unknown fields of the lists as released.
    usd_per_county : The price of one county's list where only counties sell, if no source gives it.

    Returns
    -------
    One row per list: bought or not, price with date and source, expected claims and correct claims; then the lists
    left out, each with the reason. ``purchase`` has the sums.

    Raises
    ------
    InputError : neither or both of ``usd`` and ``target``; more than one policy.
    NotEstimableError : all lists together give fewer claims than the target.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> study.budget(100, states=["DE", "WI"], rules="paper").purchase.offers[0].name
    'DE'
    """
    from policy_sim.model.money.budget import best_purchase, budget_frame, cheapest_purchase, market
    from policy_sim.voter_lists.price import Price

    if (usd is None) == (target is None):
        raise InputError("give either a budget or a target.")
    any_buyer, released = switch("any_buyer", any_buyer), switch("released", released)
    question = Question.of(policy, attackers, states, None, rules, in_file)
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
    states, rules, in_file : As for :meth:`compare`.
    policies : Among which the publisher picks; the HIPAA rules and twelve policies by county or state by default.
        ``release:newest`` is each state's own newest release.
    attacker : The recipient.
    benefit, loss : What a record in full detail is worth to the publisher, and what each re-identified person costs
        it: US dollars, or the name of an amount in ``data/economics``.
    gain, cost_per_attempt : As for :meth:`attack`.
    penalty, chance_caught : The fine per person re-identified, and the chance of being caught, in the game with a
        penalty. The chance is an assumption: no source gives it.
    frontier : Also let the publisher choose a policy on the state's frontier (:meth:`explore`).
    keep : Fields that a policy must release at least this finely to be picked, as for :meth:`explore`; Safe Harbor
        is compared with in any case.

    Returns
    -------
    One row per state, without and with the penalty: the best policy, the best policy under which no attack pays,
    and the payoff of always releasing Safe Harbor. ``moves`` has every policy.

    Raises
    ------
    InputError : ``frontier`` for several states.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> game = study.game("DE", ["safe-harbor", "state-only"], rules="paper")
    >>> len(game.to_frame())
    2
    """
    from policy_sim.attackers.files import amount_of
    from policy_sim.model.explore.search import Needs
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
    origin = AnswerProvenance((study,), question, "game", amounts, tuple(notes))
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
