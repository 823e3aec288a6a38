"""The best classes of ages there are: any cuts between ages, and years shown more finely where many live.

With sex, race and place shown in one way, risk and information are sums over the classes of ages. So the best way to
show the ages up to one follows from the best ways to show those below it (Bellman): of all ways that end there, only
those matter that no other beats in risk and information (the Pareto front). What cannot reach the best way known,
whatever is done with the ages to come, is left out as well; a Lagrangian bound says so. Nothing else is: the answer is
the best of all ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.groups import Groups, g_distinct, total_risk
from policy_sim.model.cases import DEFAULT_G
from policy_sim.model.explore.axes import AgeClass, FieldWeights, Needs, entropy_bits, written
from policy_sim.model.explore.search import StateTables, merge_down, risk_columns
from policy_sim.people.merge import values_in_a_year
from policy_sim.people.population import Population
from policy_sim.policies.policy import BirthView, Lattice, PlaceView, Policy, policy_columns, policy_of, shown_together
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field

WITHIN_A_YEAR = ("quarter", "month", "date")
_HALVINGS = 40  # of the search for the price of risk in information
_SLACK = 1e-12  # of the information: what rounding may take from a bound
_AT_ONCE = 4_000_000  # groups times classes, which bounds the memory


@dataclass(frozen=True, eq=False)
class Choices:
    """Every class of ages that may be used, with what it adds; aligned arrays, sorted by ``end``.

    ``ages``: how many ages there are. ``first``, ``end``: places of the first age and of the one after the last.
    ``risk``: people at risk in the class, >= 0. ``information``: what the class adds to the information: the sum of ``n
    log2(b/n)`` over its groups. ``granularity``: how the ages are shown, as :class:`AgeClass` says.
    """

    ages: int
    first: IntArray
    end: IntArray
    risk: FloatArray
    information: FloatArray
    granularity: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class AgeClasses:
    """A way to show the ages, with its people at risk and its information."""

    classes: tuple[AgeClass, ...]
    risk: float
    information: float


def choices_of(
    people: IntArray,
    width: IntArray,
    *,
    g: int | None = None,
    within: Sequence[str] = WITHIN_A_YEAR,
    information_of: IntArray | None = None,
    allowed: BoolArray | None = None,
    days_per_year: float = 365.0,
) -> Choices:
    """Measure every class of ages.

    ``people``: people of each group (by sex, race and place) and age; shape (groups, ages). ``width``: years that each
    age holds; shape (ages,). ``g``: measure risk by the people in bins of ``g`` or fewer; total risk by default.
    ``information_of``: the groups whose information counts, as ``people``; those of ``people`` by default. ``allowed``:
    which runs of ages may be one class; shape (ages, ages + 1). All by default.

    Two groups; nobody of the second is of the first age.

    >>> found = choices_of(np.array([[1, 3], [0, 2]]), np.ones(2, dtype=int), within=())
    >>> found.first.tolist(), found.end.tolist(), found.risk.tolist(), found.information.round(2).tolist()
    ([0, 0, 1], [1, 2, 2], [1.0, 2.0, 2.0], [0.0, -10.0, -6.75])
    """
    ages = people.shape[1]
    end, first = (array + 1 - place for place, array in enumerate(np.tril_indices(ages)))
    word_code = np.full(len(first), 0)
    words = ["class", "year", *within]
    single, kinds = np.arange(ages), [(first, end, word_code)]
    for place, word in enumerate(words[1:], 1):
        ages_of_word = single[width > 1] if word == "year" else single
        kinds.append((ages_of_word, ages_of_word + 1, np.full(len(ages_of_word), place)))
    first, end, word_code = (np.concatenate(arrays) for arrays in zip(*kinds, strict=True))
    order = np.lexsort((word_code, first, end))
    if allowed is not None:
        order = order[allowed[first[order], end[order]]]
    first, end, word_code = first[order], end[order], word_code[order]
    years = np.array([0.0, 1.0, *(values_in_a_year(word, days_per_year) for word in within)])
    bins = np.maximum(years[word_code] * width[first], 1.0)
    risk, information = _measured(people, first, end, bins, g)
    if information_of is not None:
        information = _measured(information_of, first, end, bins, g)[1]
    return Choices(ages, first, end, risk, information, tuple(words[place] for place in word_code.tolist()))


def _measured(
    people: IntArray, first: IntArray, end: IntArray, bins: FloatArray, g: int | None
) -> tuple[FloatArray, FloatArray]:
    """Return people at risk and information of each class."""
    upto = np.zeros((len(people), people.shape[1] + 1), dtype=np.int64)
    np.cumsum(people, axis=1, out=upto[:, 1:])
    risk, information = np.zeros(len(first)), np.zeros(len(first))
    step = max(_AT_ONCE // max(len(people), 1), 1)
    for low in range(0, len(first), step):
        part = slice(low, low + step)
        n, b = upto[:, end[part]] - upto[:, first[part]], np.broadcast_to(bins[part], (len(people), len(first[part])))
        at_risk = np.where(n > 0, 1.0, 0.0) if g is None else np.where(n <= g, n, 0.0)
        several = (b > 1) & (n > 0)
        finer = occupied_bins(n[several], b[several]) if g is None else people_g_distinct(n[several], b[several], g)
        at_risk[several] = finer
        risk[part] = at_risk.sum(axis=0)
        information[part] = (n * (np.log2(b) - np.log2(np.maximum(n, 1)))).sum(axis=0)
    return risk, information


def best_classes(choices: Choices, most: float, least: float = -np.inf) -> AgeClasses | None:
    """Return the way to show all ages that tells most with no more people at risk than ``most``; of equals the safest.

    None where every way has more at risk, or where none can tell more than ``least``.

    Two ages of 4 people each: by themselves they have 2 people at risk and tell 8 bits less than everything.

    >>> choices = choices_of(np.array([[4, 4]]), np.ones(2, dtype=int), within=())
    >>> [len(best_classes(choices, most).classes) for most in (1, 2)], best_classes(choices, 0.5)
    ([1, 2], None)
    """
    prices, values, bound = _bounds(choices, most)
    if bound is None or (values[:, 0] + prices * most).min() <= least:
        return None
    fronts = _fronts(choices, most, prices, values, bound)
    risk, information, _, _ = fronts[-1]
    return _followed(choices, fronts, len(risk) - 1) if len(risk) and information[-1] > least else None


_Front = tuple[FloatArray, FloatArray, IntArray, IntArray]  # risk, information, choice, place in the front before


def _fronts(choices: Choices, most: float, prices: FloatArray, values: FloatArray, bound: float) -> list[_Front]:
    """Return the front of the ways to show the ages up to each: no way in it is beaten by another."""
    nothing = np.zeros(1, dtype=np.int64)
    fronts: list[_Front] = [(np.zeros(1), np.zeros(1), nothing, nothing)]
    starts = np.searchsorted(choices.end, np.arange(choices.ages + 2))
    for end in range(1, choices.ages + 1):
        risks, informations, chosen, places = [], [], [], []
        for choice in range(starts[end], starts[end + 1]):
            before = fronts[choices.first[choice]]
            risk, information = before[0] + choices.risk[choice], before[1] + choices.information[choice]
            room = most - risk
            reach = information + (values[:, end, None] + prices[:, None] * room).min(axis=0)
            survivors = np.flatnonzero((room >= 0) & (reach >= bound))
            risks.append(risk[survivors])
            informations.append(information[survivors])
            chosen.append(np.full(len(survivors), choice))
            places.append(survivors)
        empty = [np.zeros(0)], [np.zeros(0, dtype=np.int64)]
        risk, information = np.concatenate(risks or empty[0]), np.concatenate(informations or empty[0])
        order = np.lexsort((-information, risk))
        best = np.maximum.accumulate(information[order]) if len(order) else information
        front = order[information[order] > np.concatenate([[-np.inf], best[:-1]])] if len(order) else order
        whose, where = np.concatenate(chosen or empty[1]), np.concatenate(places or empty[1])
        fronts.append((risk[front], information[front], whose[front], where[front]))
    return fronts


def _followed(choices: Choices, fronts: list[_Front], place: int) -> AgeClasses:
    """Follow the choices back from the last age."""
    end, classes = choices.ages, []
    risk, information = float(fronts[-1][0][place]), float(fronts[-1][1][place])
    while end:
        _, _, chosen, places = fronts[end]
        choice, place = int(chosen[place]), int(places[place])
        first = int(choices.first[choice])
        classes.append(AgeClass(first, end, choices.granularity[choice]))
        end = first
    return AgeClasses(tuple(reversed(classes)), risk, information)


def _bounds(choices: Choices, most: float) -> tuple[FloatArray, FloatArray, float | None]:
    """Return prices of risk, what the ages to come are worth at most at each, and the information of a way known.

    At a price ``l`` the ages from ``j`` on are worth ``V_j(l)``, the most of information minus ``l`` times risk. A way
    with ``r`` at risk so far can therefore add at most ``V_j(l) + l (most - r)``, at every price. Halving the range of
    prices finds the one at which the best way just fits.
    """
    low, high = 0.0, 1.0
    prices, values, bound = [], [], -np.inf
    least = _priced(choices, np.inf)
    if least[1] > most:
        return np.zeros(0), np.zeros((0, choices.ages + 1)), None
    while _priced(choices, high)[1] > most:
        high *= 4
    for price in (0.0, high, *(None,) * _HALVINGS):
        at = (low + high) / 2 if price is None else price
        value, risk, information = _priced(choices, at)
        prices.append(at)
        values.append(value)
        if risk <= most:
            bound, high = max(bound, information), at
        else:
            low = at
    return np.array(prices), np.array(values), bound - _SLACK * abs(bound)


def _priced(choices: Choices, price: float) -> tuple[FloatArray, float, float]:
    """Return what the ages from each on are worth at a price of risk, and risk and information of the best way.

    An infinite price counts risk alone.
    """
    worth = -choices.risk if np.isinf(price) else choices.information - price * choices.risk
    value, risk, information = (np.zeros(choices.ages + 1) for _ in range(3))
    order = np.argsort(choices.first, kind="stable")
    starts = np.searchsorted(choices.first[order], np.arange(choices.ages + 1))
    for first in range(choices.ages - 1, -1, -1):
        members = order[starts[first] : starts[first + 1]]
        if not len(members):
            value[first], risk[first] = -np.inf, np.inf
            continue
        best = members[np.argmax(worth[members] + value[choices.end[members]])]
        after = choices.end[best]
        value[first] = worth[best] + value[after]
        risk[first], information[first] = (
            choices.risk[best] + risk[after],
            choices.information[best] + information[after],
        )
    return value, float(risk[0]), float(information[0])


# Policies with free age classes: for each way to show sex, race and place the best way to show ages.
#
# The lattice shows ages in equal classes. Here they are cut anywhere, so that no policy of the lattice that shows birth
# by whole years, and sex, race and place in the same way, tells more at no more risk.


FREE = "age_classes"  # what the column ``birth`` says of a policy with free age classes


def free_age_rows(
    population: Population,
    lattice: Lattice,
    baseline: pd.DataFrame,
    *,
    risk: str = "total_risk",
    g: Sequence[int] = DEFAULT_G,
    needs: Needs | None = None,
    weights: FieldWeights | None = None,
    days_per_year: float = 365.0,
) -> pd.DataFrame:
    """Return rows as those of an exploration: policies with free age classes that do better than a policy.

    ``baseline``: one row per state, with ``utility_bits`` and the column ``risk`` (``total_risk`` or ``distinct_<g>``):
    no more risk, and more utility. ``needs``: what must be released; nothing by default. ``weights``: what a bit of
    each field is worth; the entropy of the release by default. Returns for each state and each way to show sex, race
    and place, the policy of most utility, if one is better than the baseline. Beside the columns of an exploration,
    ``age_classes`` writes the classes.
    """
    tables = StateTables(population, lattice, days_per_year)
    if (tables.lower[1:] < (tables.lower + tables.years)[:-1]).any():
        raise InputError(
            f"ages of population {population.name} overlap. Free age classes need ages that do not overlap."
        )
    search = _Search(tables, risk, tuple(g), needs or Needs(), weights)
    limits = baseline[["state", risk, "utility_bits"]].itertuples(index=False)
    return pd.DataFrame(
        row for state, most, least in limits for row in search.of_state(state, float(most), float(least))
    )


@dataclass(frozen=True, eq=False)
class _Search:
    """What the search in every state shares; as :func:`free_age_rows` has them."""

    tables: StateTables
    risk: str
    g: tuple[int, ...]
    needs: Needs
    weights: FieldWeights | None

    def of_state(self, state: str, most: float, least: float) -> Iterator[dict[str, Any]]:
        """Yield the rows of policies that have no more at risk than ``most`` and tell more bits than ``least``."""
        tables, weights = self.tables, self.weights
        finest, axes = tables.of(state)
        inhabitants, by_age = int(finest.sum()), finest.reshape(-1, finest.shape[-1]).sum(axis=0)
        options: dict[str, Any] = {
            "g": None if self.risk == "total_risk" else int(self.risk.removeprefix("distinct_")),
            "information_of": None if weights is None else by_age[None],
            "allowed": self.needs.classes(tables.lower, tables.years),
            "days_per_year": tables.days_per_year,
        }
        for node, table in merge_down(finest, axes):
            simplest = self._simplest([axis.views[at] for axis, at in zip(axes, node, strict=True)])
            if simplest is None:
                continue
            people = table.reshape(-1, table.shape[-1])
            # what is released besides the ages does not depend on how they are cut
            besides, worth = np.log2(inhabitants), 1.0
            if weights is not None:
                worth = weights.worth[Field.BIRTH]
                other_bits = weights.bits_of(tables.population, [simplest], [state], tables.days_per_year).item()
                besides = other_bits + worth * np.log2(inhabitants)
            floor = (least - besides) * inhabitants / worth if worth else np.inf
            classes = best_classes(choices_of(people, tables.years, **options), most, floor)
            if classes is not None:
                row = {"state": state, **policy_columns(simplest), "policy": _name(simplest), "birth": FREE}
                row |= self._measured(classes, people, inhabitants)
                if weights is not None:
                    row["utility_bits"] = besides + worth * classes.information / inhabitants
                words = written(classes.classes, tables.lower.tolist(), tables.years.tolist())
                yield row | {"age_classes": words}

    def _simplest(self, views: Sequence[Sequence[Any]]) -> Policy | None:
        """Return the simplest of the ways that show the same and meet the needs, or None where no way does.

        ``views``: those of each axis of people, and of the place as the last.
        """
        birth = BirthView(self.needs.releases[Field.BIRTH])
        ways = [policy_of(shown_together(people), birth, place) for *people, place in product(*views)]
        met = [policy for policy in ways if self.needs.met_by(policy)]
        if not met:
            return None
        simplest = min(met, key=lambda policy: len(policy.name))
        place = PlaceView(simplest.releases[Field.GEOGRAPHY], simplest.conditions.small_places)
        return policy_of(simplest.releases, BirthView("none"), place)

    def _measured(self, ages: AgeClasses, people: IntArray, inhabitants: int) -> dict[str, Any]:
        """Measure the policy found, class by class."""
        counts, bins = [], []
        for age_class in ages.classes:
            n = people[:, age_class.first : age_class.end].sum(axis=1)
            years = {"class": 0.0, "year": 1.0}.get(age_class.granularity)
            within = values_in_a_year(age_class.granularity, self.tables.days_per_year) if years is None else years
            counts.append(n)
            bins.append(np.full(len(n), max(within * float(self.tables.years[age_class.first]), 1.0)))
        groups = Groups.of(np.concatenate(counts), np.concatenate(bins))
        figures = np.concatenate([total_risk(groups), g_distinct(groups, self.g)[0]])
        columns = {name: figure.item() for name, figure in risk_columns(figures[None], self.g, inhabitants).items()}
        return columns | {"utility_bits": float(entropy_bits(groups)[0])}


def _name(policy: Policy) -> str:
    """Return the name of a policy that shows ages in free classes beside what is shown without birth."""
    text = str(policy.releases).split("+")
    before = [part for part in text if not part.startswith("geography")]
    after = [part for part in text if part.startswith("geography")]
    conditions = f" ({policy.conditions})" if str(policy.conditions) else ""
    return "+".join([*before, f"birth={FREE}", *after]) + conditions
