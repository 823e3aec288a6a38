"""When an attack begins to pay: the least gain, the highest price, and the smallest file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
import pandas as pd

from policy_sim.attackers.stakes import Stakes
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.formulas.match_levels import MatchLevels, match_levels
from policy_sim.model.cases import Cases
from policy_sim.model.measure import tidy_rows
from policy_sim.model.money.attack_plan import (
    STAKES_COLUMNS,
    AttackPlan,
    attack_plans,
    best_stop,
    restriction_of,
    stakes_of_row,
)
from policy_sim.words.arrays import BoolArray, FloatArray

_SIZES = 13  # files tried first, from 1 record to everyone
_HALVINGS = 10  # of the step between two of them


@dataclass(frozen=True)
class BreakEven:
    """The least gain per correct match at which an attack pays, and what it attacks there.

    Attributes
    ----------
    gain_usd : US dollars for each correct match.
    attacked, matched : Records attacked at that gain, and expected correct matches among them.
    """

    gain_usd: float
    attacked: float
    matched: float


def least_gain(levels: MatchLevels, stakes: Stakes, price_usd: float) -> BreakEven | None:
    """Return the gain at which the best attack just pays for the list, the attempts and the wrong names.

    ``levels``: the records by their chance of a correct match. Returns the least of (price + costs) / matches over
    the stops of the attack: between two of them it is larger than at one end. None where no match is expected.

    Examples
    --------
    One sure record and 75 alike, a list of 50 dollars and 4 an attempt: the sure record alone would cost 54.

    >>> from policy_sim.attackers.stakes import WAN_2015
    >>> least_gain(MatchLevels.of(records=[1.0, 75.0], correct=[1.0, 1.0]), WAN_2015, 50.0)
    BreakEven(gain_usd=54.0, attacked=1.0, matched=1.0)
    """
    attacked, matched = levels.attacked, levels.matched
    if not len(matched) or matched[-1] <= 0:
        return None
    costs = price_usd - stakes.profit(attacked, matched) + stakes.gain_usd * matched
    gains = costs / matched
    place = int(np.argmin(gains))
    return BreakEven(float(gains[place]), float(attacked[place]), float(matched[place]))


def smallest_files(cases: Cases, stakes: Stakes, prices: dict[str, float]) -> dict[tuple[str, str], int | None]:
    """Return the smallest file of which the attack pays, by state and end of the unknown fields.

    One policy and one attacker, who knows who is in the file. ``prices``: of the list in US dollars, by state.

    Returns whole records: the first that pays of 13 sizes from one record to everyone, then the fewest between it and
    the size before, exactly up to about 1,000 records and to 1 part in 500 above. None where no size up to everyone
    pays.
    """
    people = cases.population.people_by_state()
    if not prices:
        return {}
    cases = replace(cases, states=list(prices), in_file=None)
    merged: list[tuple[AnyGroups, Chances]] = []
    one_at_a_time = Lock()

    def stored(groups: AnyGroups, chances: Chances) -> FloatArray:
        with one_at_a_time:  # keys are measured side by side
            place = len(merged)
            merged.append((groups, chances))
        return np.array([[place, unit] for unit in range(groups.units)], dtype=np.float64)

    places = cases.measure(stored)
    units: dict[int, list[tuple[str, int]]] = {}
    for (_, state), (number, unit) in places.items():
        units.setdefault(int(number), []).append((state, int(unit)))
    sizes: dict[tuple[int, str], int | None] = {}
    for number, members in units.items():
        whole = np.array([people[state] for state, _ in members], dtype=np.float64)
        price = np.array([prices[state] for state, _ in members])
        first_sizes = _first_size(*merged[number], [unit for _, unit in members], whole, price, stakes)
        sizes |= {(number, state): size for (state, _), size in zip(members, first_sizes, strict=True)}
    return {
        (case.state, end): sizes[int(places[key, case.state][0]), case.state]
        for case in cases
        for end, key in zip(case.end_names, case.keys, strict=False)
    }


def _first_size(
    groups: AnyGroups,
    chances: Chances,
    rows: Sequence[int],
    people: FloatArray,
    price: FloatArray,
    stakes: Stakes,
) -> list[int | None]:
    """Search all units at once: a grid of sizes, then halvings of the step before the first that pays."""
    # the attacker knows who is in the file
    candidates = Chances(chances.listed, np.ones(groups.units)).candidates(groups)

    def pays(size: FloatArray) -> BoolArray:
        share = np.ones(groups.units)
        share[list(rows)] = np.minimum(size / people, 1.0)
        levels = match_levels(candidates, chances.listed, share)
        left = [best_stop(levels[row], stakes).profit_usd for row in rows]
        better: BoolArray = np.array(left) > price
        return better

    least = np.ones(len(rows))
    low, high = least.copy(), np.full(len(rows), np.nan)
    for step in np.round(np.geomspace(least, people, _SIZES)):
        new = np.isnan(high) & pays(step)
        high[new] = step[new]
        low = np.where(np.isnan(high), step, low)
    has_size = ~np.isnan(high)
    for _ in range(_HALVINGS):
        open_step = has_size & (
            high - low > 1
        )  # whole records lie between one size that does not pay and one that does
        if not open_step.any():
            break
        middle = np.where(open_step, np.clip(np.round(np.sqrt(low * high)), low + 1, high - 1), low)
        good = open_step & pays(middle)
        high = np.where(good, middle, high)
        low = np.where(open_step & ~good, middle, low)
    return [int(size) if is_known else None for size, is_known in zip(high.tolist(), has_size.tolist(), strict=True)]


def break_even_frame(cases: Cases, stakes: Stakes, *, sizes: bool = True) -> pd.DataFrame:
    """Return one row per state, policy and attacker: whether the attack pays, and where it would begin to.

    Returns ``break_even_gain_usd``, ``break_even_price_usd`` (the highest price at which the attack pays; missing
    where it loses money even with a free list), ``break_even_records`` (the smallest file), and ``precision`` at the
    best stop; ``precision_at_break_even`` at the break-even gain. The price is shown with its status, date and source,
    and with who alone may have the list; last the share of the people in the file and the gains and costs assumed.
    """
    plans = attack_plans(cases, stakes)
    files: dict[tuple[str, str, str, str], int | None] = {}
    if sizes:
        files = _files(cases, plans, stakes)
    return tidy_rows((_row(plan, files) for plan in plans), _KINDS)


def _files(cases: Cases, plans: Sequence[AttackPlan], stakes: Stakes) -> dict[tuple[str, str, str, str], int | None]:
    sizes: dict[tuple[str, str, str, str], int | None] = {}
    for policy in cases.policies:
        for attacker in cases.attackers:
            mine = [plan for plan in plans if (plan.case.policy, plan.case.attacker) == (policy, attacker)]
            prices = {plan.case.state: plan.price.usd for plan in mine if plan.price.usd is not None and plan.levels}
            new_sizes = smallest_files(replace(cases, policies=[policy], attackers=[attacker]), stakes, prices)
            sizes |= {(state, policy.name, attacker.name, end): size for (state, end), size in new_sizes.items()}
    return sizes


_TEXT = "string"
_KINDS = {
    **dict.fromkeys(("state", "policy", "attacker", "unknown_fields", "verdict"), _TEXT),
    **dict.fromkeys(("precision", "profit_usd", "break_even_gain_usd", "precision_at_break_even"), "Float64"),
    "break_even_price_usd": "Float64",
    "break_even_records": "Int64",
    "price_usd": "Float64",
    **dict.fromkeys(("price_status", "price_date", "price_source", "restricted_to", "status", "reason"), _TEXT),
    **dict.fromkeys(("in_file", *STAKES_COLUMNS), "Float64"),
}


def _row(plan: AttackPlan, files: dict[tuple[str, str, str, str], int | None]) -> tuple[object, ...]:
    stop, price, case = plan.stop, plan.price.usd, plan.case
    facts = (case.state, case.policy.name, case.attacker.name, plan.end or None, plan.verdict)
    about = (price, plan.price.status, plan.price_date or None, plan.price_source or None, restriction_of(plan))
    tail = (*about, case.linkage.status, plan.reason, plan.in_file, *stakes_of_row(plan))
    if stop is None or plan.levels is None:
        return (*facts, *[None] * 6, *tail)
    even = None if price is None else least_gain(plan.levels, plan.stakes, price)
    gain = (None, None) if even is None else (even.gain_usd, even.matched / even.attacked)
    size = files.get((case.state, case.policy.name, case.attacker.name, plan.end))
    highest = stop.profit_usd if stop.profit_usd > 0 else None
    return (*facts, stop.precision, plan.profit_usd, *gain, highest, size, *tail)
