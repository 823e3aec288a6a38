"""Questions about what an attack costs and whether it pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from policy_sim.arguments import number
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.stakes import Stakes
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.provenance import AnswerProvenance
from policy_sim.questions.question import (
    DEFAULT_RULES,
    POLICIES,
    Attackers,
    InFileLike,
    Policies,
    Question,
    States,
)
from policy_sim.questions.setting import Setting
from policy_sim.questions.study_answers import RowsAnswer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from policy_sim.analyses.economics.attack_plan import AttackPlans
    from policy_sim.analyses.economics.budget import Purchase

__all__ = [
    "COST",
    "GAIN",
    "GAME_POLICIES",
    "AttackPlanAnswer",
    "BudgetAnswer",
    "EconomicQuestions",
    "GameAnswer",
    "stakes_of",
]

GAIN, COST = "wan-2015", "attempt-wan-2015"  # of data/economics
BENEFIT, LOSS, PENALTY = "benefit-wan-2015", "loss-wan-2015", "hipaa-neglect-2026"
GAME_POLICIES = (
    *("safe-harbor", "limited-dataset", "county", "month-of-birth", "five-year-age", "decade-of-birth"),
    *("safe-harbor-without-race", "limited-dataset-without-race", "county-without-race", "month-of-birth-without-race"),
    *("five-year-age-without-race", "decade-of-birth-without-race", "state-only-with-race", "state-only"),
)
_MOST_USD = 1e12


@dataclass(frozen=True, repr=False, eq=False)
class AttackPlanAnswer(RowsAnswer):
    """Attacks of a rational buyer: one row per attack, and their curves."""

    plans: AttackPlans = field(kw_only=True)

    def curves(self, points: int = 200) -> pd.DataFrame:
        """Return the yield, precision and profit of each attack over the number of records attacked."""
        from policy_sim.analyses.economics.attack_tables import attack_curve_frame

        return attack_curve_frame(self.plans, points)

    def plot(self) -> Figure:
        """Draw the curves of every attack."""
        from policy_sim.render.attack_figure import attack_figure

        stakes = self.plans[0].stakes if self.plans else Stakes(0)
        words = f"A match gains ${stakes.gain_usd:,.10g}, an attempt costs ${stakes.cost_per_attempt_usd:,.10g}"
        return attack_figure(self.curves(), words, self.provenance.figure_notes)


@dataclass(frozen=True, repr=False, eq=False)
class GameAnswer(RowsAnswer):
    """The publisher's game: one row per state and penalty. ``moves`` has every policy."""

    moves: pd.DataFrame = field(kw_only=True)

    def map(self) -> Figure:
        """Draw the best policy of every state, without a penalty."""
        from policy_sim.render.game_figure import game_map

        return game_map(self.to_frame(), self.provenance.figure_notes)


@dataclass(frozen=True, repr=False, eq=False)
class BudgetAnswer(RowsAnswer):
    """Lists to buy: one row per list, and what is bought together."""

    purchase: Purchase = field(kw_only=True)


def stakes_of(
    gain: str | float = GAIN,
    cost_per_attempt: str | float = COST,
    loss_per_wrong: float = 0.0,
    penalty: str | float = 0.0,
    chance_caught: float = 0.0,
) -> tuple[Stakes, tuple[str, ...]]:
    """Return stakes from amounts or their names in ``data/economics``, and a note on where each amount comes from.

    Parameters
    ----------
    gain, cost_per_attempt, penalty : US dollars, or the name of an amount (``broker-2023``). A named penalty takes
        its lower end, the least for one violation, and its cap.
    loss_per_wrong : US dollars lost with each wrong name.
    chance_caught : Chance (0..1) of being caught and fined.

    Raises
    ------
    UnknownNameError : no amount has the name.
    InputError : an amount that is not known, or outside its range.

    Examples
    --------
    >>> stakes_of("broker-2023", 0)[0].gain_usd
    0.32
    """
    from policy_sim.io.economics_files import amount_of, load_amounts

    gains, gain_note = amount_of(gain, "gains")
    costs, cost_note = amount_of(cost_per_attempt, "costs")
    fine, fine_note = amount_of(penalty, "penalties")
    named = load_amounts().get(str(penalty))
    cap = named.cap_usd if named is not None else None
    fine = named.usd_low if named is not None and named.usd_low is not None else fine
    stakes = Stakes(
        number("gain", gains, 0, _MOST_USD),
        number("cost_per_attempt", costs, 0, _MOST_USD),
        number("loss_per_wrong", loss_per_wrong, 0, _MOST_USD),
        number("penalty", fine, 0, _MOST_USD),
        cap,
        number("chance_caught", chance_caught, 0, 1),
    )
    notes = [f"gain per correct match: {gain_note}", f"cost per attempt: {cost_note}"]
    notes += [f"loss per wrong name: assumed: ${loss_per_wrong:,.10g}"] if loss_per_wrong else []
    notes += [f"fine per person named, with chance {chance_caught:g}: {fine_note}"] if fine and chance_caught else []
    return stakes, tuple(notes)


def _buyers(attackers: Sequence[Attacker]) -> list[Attacker]:
    """Return those who buy something; of the same lists with and without a coverage, those with it."""
    holders = [attacker for attacker in attackers if attacker.holds_file]
    names = {attacker.name.split("-")[0] for attacker in holders if attacker.coverage is not None}
    return [attacker for attacker in holders if attacker.coverage is not None or attacker.name not in names]


class EconomicQuestions(Setting):
    """What an attack yields, costs and pays."""

    def attack(
        self,
        states: States = None,
        policies: Policies = POLICIES,
        attackers: Attackers = "voter",
        *,
        gain: str | float = GAIN,
        cost_per_attempt: str | float = COST,
        loss_per_wrong: float = 0.0,
        penalty: str | float = 0.0,
        chance_caught: float = 0.0,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
    ) -> AttackPlanAnswer:
        """Return the attack of a rational buyer: which records it attacks, and what that leaves it.

        Parameters
        ----------
        states, policies, attackers, rules, in_file : As for :meth:`compare`; VOTER by default.
        gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught : As for
            :func:`~policy_sim.questions.economic_questions.stakes_of`.

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
        from policy_sim.analyses.economics.attack_plan import attack_plans
        from policy_sim.analyses.economics.attack_tables import attack_plan_frame

        stakes, notes = stakes_of(gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught)
        question = Question.of(policies, attackers, states, None, rules, in_file)
        plans = attack_plans(
            self._people_for(question),
            self._policies(question),
            self._attackers(question),
            stakes,
            states=question.states,
            in_file=question.in_file,
            days_per_year=self.days_per_year,
        )
        origin = self._priced(question, "attack", stakes, notes)
        return AttackPlanAnswer(attack_plan_frame(plans), "Attacks", provenance=origin, plans=plans)

    def break_even(
        self,
        states: States = None,
        policies: Policies = POLICIES,
        attackers: Attackers = "voter",
        *,
        gain: str | float = GAIN,
        cost_per_attempt: str | float = COST,
        loss_per_wrong: float = 0.0,
        penalty: str | float = 0.0,
        chance_caught: float = 0.0,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
        sizes: bool = True,
    ) -> RowsAnswer:
        """Return whether an attack pays in each state, and the gain, price and size of file at which it begins to.

        Parameters
        ----------
        states, policies, attackers, gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught, rules, in_file :
            As for :meth:`attack`.
        sizes : Also search the smallest file of which an attack pays.

        Returns
        -------
        One row per state, policy and attacker; US dollars with the price's status, date and source.
        """
        from policy_sim.analyses.economics.break_even import break_even_frame

        stakes, notes = stakes_of(gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught)
        question = Question.of(policies, attackers, states, None, rules, in_file)
        rows = break_even_frame(
            self._people_for(question),
            self._policies(question),
            self._attackers(question),
            stakes,
            states=question.states,
            in_file=question.in_file,
            days_per_year=self.days_per_year,
            sizes=sizes,
        )
        origin = self._priced(question, "break-even", stakes, notes)
        return RowsAnswer(rows, "Where attacks begin to pay", provenance=origin)

    def budget(
        self,
        usd: float | None = None,
        target: float | None = None,
        policy: Policies = "limited-dataset",
        attackers: Attackers = "voter",
        states: States = None,
        *,
        any_buyer: bool = False,
        released: bool = False,
        usd_per_county: float | None = None,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
    ) -> BudgetAnswer:
        """Return the lists to buy for so much money, or the cheapest ones that give so many names.

        Parameters
        ----------
        usd : The budget in US dollars; or ``target``: expected correct claims. One of the two.
        policy : One policy.
        attackers, states, rules, in_file : As for :meth:`compare`.
        any_buyer : Also buy lists that are not for the public. With an adversary in the study, what that buyer can
            have is offered, and this changes nothing.
        released : Count unknown fields of the lists as released.
        usd_per_county : What one county asks where only counties sell, if no source says.

        Returns
        -------
        One row per list: bought or not, price with date and source, expected claims and correct claims; then those
        left out, each with the reason. ``purchase`` has the sums.

        Raises
        ------
        InputError : neither or both of ``usd`` and ``target``; more than one policy.
        NotEstimableError : the target is more than all lists give.
        """
        from policy_sim.analyses.economics.budget import best_purchase, cheapest_purchase
        from policy_sim.analyses.economics.budget_tables import budget_frame
        from policy_sim.analyses.economics.offers import market
        from policy_sim.voter_lists.price import Price

        if (usd is None) == (target is None):
            raise InputError("a purchase needs a budget or a target: give one of the two.")
        question = Question.of(policy, attackers, states, None, rules, in_file)
        offered = market(
            self._people_for(question),
            self._one_policy(question),
            _buyers(self._attackers(question)),
            states=question.states,
            in_file=question.in_file,
            any_buyer=any_buyer or self.adversary is not None,
            released=released,
            county_price=None if usd_per_county is None else Price("schedule", usd_per_county=usd_per_county),
            days_per_year=self.days_per_year,
        )
        if usd is not None:
            bought = best_purchase(offered.offers, number("usd", usd, 0, _MOST_USD))
        else:
            assert target is not None
            bought = cheapest_purchase(offered.offers, number("target", target, 0, _MOST_USD, above=True))
        asked = {"usd": usd, "target": target, "any_buyer": any_buyer, "released": released}
        origin = self._from(question, "budget", **asked, usd_per_county=usd_per_county)
        return BudgetAnswer(budget_frame(offered, bought), "Lists to buy", provenance=origin, purchase=bought)

    def game(
        self,
        states: States = None,
        policies: Policies = GAME_POLICIES,
        attacker: str | Attacker = "voter",
        *,
        benefit: str | float = BENEFIT,
        loss: str | float = LOSS,
        gain: str | float = GAIN,
        cost_per_attempt: str | float = COST,
        penalty: str | float = PENALTY,
        chance_caught: float = 0.01,
        frontier: bool = False,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
    ) -> GameAnswer:
        """Solve the publisher's game in each state: it picks a policy, the recipient attacks if that pays.

        Parameters
        ----------
        states, rules, in_file : As for :meth:`compare`.
        policies : Among which the publisher picks; Safe Harbor and other policies without ZIP codes by default.
            ``release:newest`` is each state's own newest release.
        attacker : The recipient.
        benefit, loss : What a record in full detail brings the publisher, and what a named person costs it: US
            dollars, or the name of an amount in ``data/economics``.
        gain, cost_per_attempt : As for :meth:`attack`.
        penalty, chance_caught : The fine per person named, and the chance of being caught, of the game with a
            penalty. The chance is an assumption: no source gives it.
        frontier : Also pick among the policies of :meth:`explore` on the frontier of the one state.

        Returns
        -------
        One row per state, without and with the penalty: the best policy, the best one that no attack answers, and
        what always releasing Safe Harbor would bring. ``moves`` has every policy.

        Raises
        ------
        InputError : ``frontier`` for several states.
        """
        from policy_sim.analyses.economics.game_tables import moves_frame, solution_frame
        from policy_sim.analyses.economics.publisher_game import Publisher, moves
        from policy_sim.io.economics_files import amount_of

        first = Question.of(policies, attacker, states, None, rules, in_file)
        given = [*first.policies, *(self._frontier(first) if frontier else ())]
        question = Question.of(given, attacker, first.states, None, rules, in_file)
        (brings, brings_note), (costs, costs_note) = amount_of(benefit, "publisher"), amount_of(loss, "publisher")
        publisher = Publisher(brings, costs)
        games, notes = {}, [f"benefit per record in full detail: {brings_note}", f"loss per person named: {costs_note}"]
        (recipient,) = _buyers(self._attackers(question)) or self._attackers(question)
        for name, fine, chance in (("without", 0.0, 0.0), ("with", penalty, chance_caught)):
            stakes, told = stakes_of(gain, cost_per_attempt, 0.0, fine, chance)
            games[name] = moves(
                self._people_for(question),
                self._policies(question),
                self._most_detailed(question),
                recipient,
                publisher,
                stakes,
                states=question.states,
                in_file=question.in_file,
                days_per_year=self.days_per_year,
            )
        notes += [*told, "utility: entropy of the release, as a share of that of sex, race, date of birth and place"]
        amounts = {"benefit_usd": brings, "loss_usd": costs} | asdict(stakes)
        origin = AnswerProvenance((self,), question, "game", amounts, tuple(notes))
        return GameAnswer(solution_frame(games), "The publisher's game", provenance=origin, moves=moves_frame(games))

    def _frontier(self, question: Question) -> list[str]:
        """The policies of the lattice on the frontier of one state, as lines."""
        from policy_sim.questions.policy_questions import PolicyQuestions

        if question.states is None or len(question.states) != 1:
            raise InputError("the frontier of policies is searched in one state: name it.")
        assert isinstance(self, PolicyQuestions)
        rows = self.explore(question.states).to_frame()
        return [str(line) for line in rows.loc[rows["frontier"].astype(bool), "policy"]]

    def _most_detailed(self, question: Question) -> Policy:
        """Sex, race, date of birth and the finest place that any policy of the question shows."""
        by_zip = self.places_by_county(question)
        place = "county_zip5" if by_zip else "county"
        shown = Granularities(gender="value", race="value", birth="date", geography=place)
        return Policy("most-detailed", f"sex, race, date of birth and {place}", shown, "")

    def _priced(self, question: Question, analysis: str, stakes: Stakes, notes: tuple[str, ...]) -> AnswerProvenance:
        """Where an answer about money comes from: its amounts are options of the manifest and notes."""
        amounts = {name: amount for name, amount in asdict(stakes).items() if name != "source"}
        return AnswerProvenance((self,), question, analysis, amounts, notes)
