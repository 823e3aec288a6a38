"""What an attack is worth, from dollars or the names of amounts that ship."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from policy_sim.attackers import VOTER
from policy_sim.attackers.adversary import Stakes
from policy_sim.attackers.in_file import InFileLike, without_places
from policy_sim.study.answers import Answer, AttackPlanAnswer, TrendAnswer
from policy_sim.study.provenance import AnswerProvenance
from policy_sim.study.question import DEFAULT_RULES, POLICIES, Attackers, Policies, Question, Setting, States
from policy_sim.words.arguments import number, switch
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    pass


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
    notes += [f"loss per wrong name: assumed: ${loss_per_wrong:,.10g}"] if loss_per_wrong else []
    if fine and chance_caught:
        most = "" if cap is None else f"; all fines together at most ${cap:,.10g}, expected ${chance_caught * cap:,.0f}"
        notes.append(f"fine per person named, with chance {chance_caught:g}: {fine_note}{most}")
    return stakes, tuple(notes)


# Questions about what an attack costs and whether it pays.


_MOST_POINTS = 1_000_000


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

    Parameters
    ----------
    states, policies, attackers, rules, in_file : As for :meth:`compare`; VOTER by default.
    gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught : As for
        :func:`~policy_sim.study.money.stakes_of`.
    sees_list : Assume that the attacker sees the list before it chooses which records to attack.

    Returns
    -------
    One row per state, policy and attacker: records attacked, expected correct matches, precision, profit in US
    dollars and a verdict. ``curves()`` has the whole curve.

    Raises
    ------
    InputError, UnknownNameError : as for :meth:`compare`; an amount that is not known.

    Examples
    --------
    >>> from policy_sim import Study
    >>> Study("us-2010", 2026).attack("DE", "safe-harbor").to_frame()["verdict"].tolist()
    ['pays']
    """
    from policy_sim.model.money.attack_plan import attack_plan_frame, attack_plans

    stakes, notes = stakes_of(gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught)
    question = Question.of(policies, attackers, states, None, rules, in_file)
    plans = attack_plans(study._cases(question), stakes, sees_list=switch("sees_list", sees_list))
    if sees_list:
        notes = (*notes, "order: the attacker has the list and sees how many people on it have a record's values")
    origin = _priced(study, question, "attack", stakes, notes)
    return AttackPlanAnswer(attack_plan_frame, "Attacks", plans, provenance=origin)


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

    Parameters
    ----------
    states, policies, attackers, gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught, rules, in_file :
        As for :meth:`attack`.
    sizes : Also find the smallest file for which an attack pays.

    Returns
    -------
    One row per state, policy and attacker; US dollars with the price's status, date and source.

    Examples
    --------
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
    origin = _priced(study, question, "break-even", stakes, notes)
    return Answer(rows, "When attacks pay", provenance=origin)


def _priced(
    study: Setting, question: Question, analysis: str, stakes: Stakes, notes: tuple[str, ...]
) -> AnswerProvenance:
    """The provenance of an answer about money: its amounts are in the manifest and the notes."""
    return AnswerProvenance((study,), question, analysis, stakes.amounts, notes)


# The question of what changed between years: people, list law, sources, prices.


# Populations and lists of about the same time.
MOMENTS = (("us-2000", "2008"), ("us-2020", "2020"), ("us-2022", "2026"))


def trends(
    moments: Sequence[tuple[str, str]] = MOMENTS,
    policy: str = "limited-dataset",
    states: States = None,
    *,
    gain: str | float = GAIN,
    cost_per_attempt: str | float = COST,
    rules: str = "regulation",
    coverage: str = "registered",
    in_file: InFileLike = None,
    tell: Callable[[str], None] | None = None,
) -> TrendAnswer:
    """Return risk, price and profit of an attack at several dates, and what changed them.

    ``moments``: pairs of a population and a vintage of the voter lists, two or more, in the order of time. ``rules``:
    ``regulation``, or ``paper``, the form without ZIP codes. Where a population of one moment has no ZIP codes, all
    moments are measured without them, as several populations in one comparison are. ``coverage``: who is assumed to be
    on the lists, as for :class:`~policy_sim.study.study.Study`: by default registered adults. Returns one row per
    state and moment. ``changes`` has one row per state and step, with the parts of people, law, sources and price.
    """
    from policy_sim.model.trends import Moment, change_frame, trend_frame
    from policy_sim.study.studies import Studies
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
    question = Studies(studies, Question.of(policy, VOTER, states, None, rules, in_file)).comparable
    points = [
        Moment(f"{population} {lists}", study._cases(question, one_policy=True))
        for study, (population, lists) in zip(studies, moments, strict=True)
    ]
    rows = trend_frame(points, stakes, tell)
    changes = change_frame(points, stakes, recorded=load_list_changes(), tell=tell)
    lists = ", ".join(f"{moment.name}" for moment in points)
    all_notes = (
        *notes,
        f"moments: {lists}; unknown fields of a list count as withheld; dollars are those of each list's year",
        "law: what the state shows or sells changed. source: a later source tells more of the list, or less, and the "
        "list itself need not have changed; a value that was unknown at either time counts here",
    )
    origin = AnswerProvenance(studies, question, "trends", stakes.amounts, all_notes)
    return TrendAnswer(rows, "Trends", provenance=origin, changes=changes)


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
