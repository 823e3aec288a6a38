"""The publisher moves first, the recipient attacks if that pays: which policy is best for the publisher.

Wan et al. (2015), A game theoretic framework for analyzing re-identification risk, PLoS ONE 10(3): e0120592.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import pandas as pd

from policy_sim.attackers.adversary import Stakes
from policy_sim.attackers.attacker import GENERAL
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.model.cases import Cases
from policy_sim.model.explore.axes import Needs, entropy_bits
from policy_sim.model.measure import tidy_rows
from policy_sim.model.money.attack_plan import AttackPlan, attack_plans
from policy_sim.policies.policy import Policy
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError


@dataclass(frozen=True)
class Publisher:
    """What a release brings its publisher, and what a named person costs it.

    ``benefit_usd``: for each record released in full detail; a coarser release brings its utility's share of it.
    ``loss_usd``: for each record matched correctly.
    """

    benefit_usd: float
    loss_usd: float

    def __post_init__(self) -> None:
        for name in ("benefit_usd", "loss_usd"):
            if not (isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise InputError(f"{name} = {getattr(self, name)} must be a number of dollars of 0 or more.")


@dataclass(frozen=True)
class Move:
    """One policy that a publisher may choose in a state, and what comes of it.

    ``utility``: detail of the release as a share (0..1) of that of the most detailed one. ``attacked``, ``matched``: of
    the best attack, 0 where none pays. They and ``payoff_usd`` are None where they depend on a price that no source
    gives.
    """

    utility: float
    attacked: float | None
    matched: float | None
    payoff_usd: float | None
    plan: AttackPlan

    @property
    def state(self) -> str:
        """Where it is made."""
        return self.plan.case.state

    @property
    def policy(self) -> str:
        """The policy's name."""
        return self.plan.case.policy.name

    @property
    def facts(self) -> dict[str, Any]:
        """What comes of it, as columns; ``verdict`` is that of the attack."""
        names = ("policy", "utility", "attacked", "matched", "precision", "payoff_usd")
        return {name: getattr(self, name) for name in names} | {"verdict": self.plan.verdict}

    @property
    def precision(self) -> float | None:
        """Share of the attacked records that are matched correctly."""
        return self.matched / self.attacked if self.matched is not None and self.attacked else None

    @property
    def deterred(self) -> bool:
        """Whether no attack pays, at the price that the list has or at any."""
        return self.plan.verdict in ("does not pay", "no list")


def moves(cases: Cases, reference: Policy, publisher: Publisher, stakes: Sequence[Stakes]) -> list[tuple[Move, ...]]:
    """Return every policy in every state with the payoff that the recipient's best answer leaves the publisher.

    Returns the moves of each game. Where a field of the list is unknown, the end that is worse for the publisher.
    """
    plans = attack_plans(cases, stakes[0])
    bits = utilities(cases, [*cases.policies, reference])
    utility = {place: min(item / bits[place[0], reference.name], 1.0) if item else 0.0 for place, item in bits.items()}
    return [_game([replace(plan, stakes=item) for plan in plans], utility, publisher) for item in stakes]


def _game(
    plans: Sequence[AttackPlan], utility: Mapping[tuple[str, str], float], publisher: Publisher
) -> tuple[Move, ...]:
    """Return the moves of one game, from the plans and the detail that each policy keeps in each state."""
    moves_by_state: dict[tuple[str, str], Move] = {}
    for plan in plans:
        state, policy = plan.case.state, plan.case.policy.name
        move = _move(plan, utility[state, policy], publisher)
        other = moves_by_state.get((state, policy))
        if other is None or _worse(move, other):
            moves_by_state[state, policy] = move
    return tuple(moves_by_state.values())


def _move(plan: AttackPlan, utility: float, publisher: Publisher) -> Move:
    gained = publisher.benefit_usd * plan.records * utility
    if plan.verdict == "depends on the price":
        return Move(utility, None, None, None, plan)
    stop = plan.stop
    if plan.verdict != "pays" or stop is None:
        return Move(utility, 0.0, 0.0, gained, plan)
    return Move(utility, stop.attacked, stop.matched, gained - publisher.loss_usd * stop.matched, plan)


def _worse(move: Move, other: Move) -> bool:
    """Whether a move is worse for the publisher than another; one that depends on a price is worst."""
    if move.payoff_usd is None or other.payoff_usd is None:
        return move.payoff_usd is None
    return move.payoff_usd < other.payoff_usd


def best_move(choices: Sequence[Move], *, deterred: bool = False) -> Move | None:
    """Return the move with the largest payoff; among equals the one with fewer matches, then the first.

    Returns None where no move has a payoff, or where every one loses money: the publisher then releases nothing.
    """
    solved = [move for move in choices if move.payoff_usd is not None and (move.deterred or not deterred)]
    best = max(solved, key=lambda move: (move.payoff_usd or 0.0, -(move.matched or 0.0)), default=None)
    return best if best is not None and (best.payoff_usd or 0.0) > 0 else None


def utilities(cases: Cases, policies: Sequence[Policy]) -> Mapping[tuple[str, str], float]:
    """Return the bits that each policy tells of a person, by state and policy."""
    unique = list({policy.name: policy for policy in policies}.values())
    cases = replace(cases, policies=unique, attackers=[GENERAL], in_file=None)

    def bits(groups: AnyGroups, chances: Chances) -> FloatArray:  # noqa: ARG001
        return entropy_bits(groups)[:, None]

    measured = cases.measure(bits)
    return {(case.state, case.policy.name): float(measured[case.keys[0], case.state][0]) for case in cases}


NO_NEEDS = Needs()
SAFE_HARBOR = ("safe-harbor", "safe-harbor-paper")
_MOVES = (
    "state penalty policy utility records attacked matched precision payoff_usd verdict price_usd price_status "
    "price_date price_source reason meets_needs"
)
_SOLUTION = (
    "state penalty policy utility payoff_usd attacked matched precision verdict deterred_policy deterred_payoff_usd "
    "deterred_share baseline baseline_payoff_usd baseline_verdict gain_over_baseline_usd records price_usd "
    "price_status price_date price_source reason"
)


def moves_frame(games: Mapping[str, Sequence[Move]], needs: Needs = NO_NEEDS) -> pd.DataFrame:
    """Return one row per state, penalty and policy.

    ``games``: the moves ``with`` and ``without`` a penalty. ``needs``: what the publisher's release must show;
    ``meets_needs`` says which policies do.
    """
    rows = [
        _asked(move, penalty) | move.facts | {"meets_needs": _meets(move, needs)}
        for penalty, every in games.items()
        for move in every
    ]
    return tidy_rows(rows, _MOVES)


def solution_frame(games: Mapping[str, Sequence[Move]], needs: Needs = NO_NEEDS) -> pd.DataFrame:
    """Return one row per state and penalty: the best policy, the best one that no attack answers, and Safe Harbor.

    ``games``: the moves ``with`` and ``without`` a penalty. Returns ``policy`` is missing where the publisher
    releases nothing, or where every choice depends on a price that no source gives (``reason`` says which).
    ``deterred_share`` (0..1) is the payoff of the best policy that no attack answers, as a share of the best payoff.
    ``gain_over_baseline_usd`` compares with always releasing Safe Harbor.
    """
    rows = [
        _solution(penalty, [move for move in every if move.state == state], needs)
        for penalty, every in games.items()
        for state in dict.fromkeys(move.state for move in every)
    ]
    return tidy_rows(rows, _SOLUTION)


def _asked(move: Move, penalty: str) -> dict[str, Any]:
    """Return what both tables say of a game: of which state and file, at what price of the list."""
    plan = move.plan
    row = {"state": move.state, "penalty": penalty, "records": plan.records, "reason": plan.reason}
    return row | plan.price_facts


def _meets(move: Move, needs: Needs) -> bool:
    return not needs.any or needs.met_by(move.plan.case.policy)


def _solution(penalty: str, choices: Sequence[Move], needs: Needs) -> dict[str, Any]:
    eligible = [move for move in choices if _meets(move, needs)]
    best, deterred = best_move(eligible), best_move(eligible, deterred=True)
    baseline = next((move for name in SAFE_HARBOR for move in choices if move.policy == name), None)
    row = _asked(choices[0], penalty) | ({} if best is None else best.facts)
    payoff = None if best is None else best.payoff_usd
    if deterred is not None and deterred.payoff_usd is not None:
        row |= {"deterred_policy": deterred.policy, "deterred_payoff_usd": deterred.payoff_usd}
        row |= {"deterred_share": deterred.payoff_usd / payoff if payoff else None}
    if baseline is not None:
        usual = baseline.payoff_usd
        row |= {"baseline": baseline.policy, "baseline_payoff_usd": usual, "baseline_verdict": baseline.plan.verdict}
        row |= {"gain_over_baseline_usd": None if usual is None or payoff is None else payoff - usual}
    unknown = [move.policy for move in eligible if move.payoff_usd is None]
    if unknown:
        why = f"left out, because their payoff depends on an unknown price: {', '.join(unknown)}"
        row["reason"] = "; ".join(filter(None, (row["reason"], why)))
    return row
