"""What a risk profile holds: the figures of every group, side by side, and how sure each is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.attackers.in_file import SMALL_FILE, InFile
from policy_sim.formulas.bins import occupied_bins, occupied_uneven_bins, people_g_distinct, people_g_distinct_uneven
from policy_sim.formulas.compared_groups import ComparedGroups
from policy_sim.formulas.groups import (
    AnyGroups,
    Chances,
    Groups,
    MeasuredGroups,
    g_distinct,
    g_distinct_variance,
    total_risk,
    total_risk_variance,
)
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.model.cases import Case, Cases, Key, Measured, ends_of
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, TOTAL_RISK, Bounds, Measure
from policy_sim.model.profile import RiskProfile
from policy_sim.words.arrays import FloatArray
from policy_sim.words.fields import Granularities

if TYPE_CHECKING:
    from policy_sim.formulas.placed_groups import CountyPartGroups, PlacedGroups

# How sure a figure is: its variance over unseen birthdays and the attacker's guesses, and uneven birthdays.


_TOLD_APART = 10  # people in a bin, up to whom each size is told apart


def variances(groups: MeasuredGroups, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of total risk and of g-distinct for each g.

    Both are over how people fall into the bins that the census does not show, total risk also over which of
    the equals the attacker picks for each record; the cells, the key and the list are taken as they are.
    Groups of between one and two bins, of which two at a time have no meaning, are taken with two. Of people placed
    in ZIP codes by chance the variances are upper bounds (:func:`_bounds_of_placed`), and so are those of groups that
    overlap.

    ``g``: group sizes, each >= 1. Returns people squared, shape (units, 1 + len(g)).
    """
    if isinstance(groups, ComparedGroups):
        # however two classes depend on each other, a sum scatters by no more than all of them together
        deviations = [np.sqrt(variances(of_class, g, coverage)) for of_class in groups.by_class]
        added: FloatArray = np.sum(deviations, axis=0) ** 2
        return added
    if not isinstance(groups, Groups | ListedGroups):
        from policy_sim.formulas.placed_groups import PartedGroups
        from policy_sim.formulas.released_groups import (
            ReleasedByPart,
            ReleasedInParts,
            ReleasedInPlaces,
            bounds_of_released,
        )

        assert not isinstance(groups, PartedGroups | ReleasedByPart)  # variances are of whole units
        if isinstance(groups, ReleasedInParts | ReleasedInPlaces):
            return bounds_of_released(groups, g, coverage)
        return _bounds_of_placed(groups, g, coverage)
    if bool(((groups.bins > 1) & (groups.bins < 2)).any()):
        groups = replace(groups, bins=np.where(groups.bins > 1, np.maximum(groups.bins, 2.0), groups.bins))
    columns = [total_risk_variance(groups, coverage), *(g_distinct_variance(groups, size, coverage) for size in g)]
    return np.column_stack(columns)


def _bounds_of_placed(groups: CountyPartGroups | PlacedGroups, g: Sequence[int], coverage: ArrayLike) -> FloatArray:
    """Return upper bounds of the variances, from expected figures alone.

    That each person is in one bin only makes the numbers in two bins move against each other, so that the variance of a
    sum over bins of what grows with the number in each is at most that of independent bins. Of occupied bins it is
    ``sum q (1 - q)``; where everyone is listed they are also everyone less ``i - 1`` in each bin of ``i``, and
    the lesser of both bounds holds. A bin of ``i`` people adds ``1 - 1/i`` for the guess. People in bins of ``g`` or
    fewer scatter as those in larger ones, where everyone is listed: of each bin at most the mean square, ``i^2``, of
    either.
    """
    from policy_sim.formulas.placed_groups import independent_occupied_variance, squared_bin_sizes

    sizes = np.arange(1, max(_TOLD_APART, *g) + 1)
    risk, people = total_risk(groups, coverage), g_distinct(groups, sizes.tolist(), coverage)
    squares = np.cumsum(np.diff(people, axis=1, prepend=0.0) * sizes, axis=1)
    bins = np.diff(people, axis=1, prepend=0.0) / sizes
    occupied = independent_occupied_variance(groups, coverage)
    # a list by county and age is not of everyone, whatever share of its people is in the file
    holds_everyone = np.asarray(coverage, dtype=np.float64) == 1 if groups.listed is None else False
    everyone = np.broadcast_to(holds_everyone, groups.units)
    whole, listed = squared_bin_sizes(groups, coverage), np.zeros(groups.units)
    np.add.at(listed, groups.unit, groups.people.sum(axis=1))
    crowded = np.maximum(whole - 2 * listed + risk, 0.0)
    filled = np.where(everyone, np.minimum(occupied, crowded), occupied)
    # of the bins beyond those told apart, each guess adds at most 1
    guess = bins @ (1 - 1 / sizes) + np.maximum(risk - bins.sum(axis=1), 0.0)
    large = np.where(everyone[:, None], np.maximum(whole[:, None] - squares, 0.0), np.inf)
    distinct = np.minimum(squares, large)
    return np.column_stack([filled + guess, *(distinct[:, int(size) - 1] for size in g)])


def with_uneven_birthdays(groups: Groups, shares: FloatArray, g: Sequence[int], per_year: float = 365.0) -> FloatArray:
    """Return total risk and g-distinct where birthdays are as likely as ``shares`` says.

    Groups that hide ``per_year`` bins in each of one or more years of age get those of ``shares`` in each;
    other groups, in which the key shows no birthday, stay as they are.

    ``groups``: who can be distinguished, and how, merged with ``per_year`` equally likely values in a year of age.
    ``g``: group sizes, each >= 1.
    """
    sizes = groups.distinct()
    years = sizes.bins / per_year
    hidden = (years >= 1) & (years == np.round(years))
    table = np.empty((len(sizes.people), 1 + len(g)))
    even = ~hidden
    n, b = sizes.people[even].astype(np.float64), sizes.bins[even]
    table[even, 0] = occupied_bins(n, b)
    for column, size in enumerate(g, 1):
        table[even, column] = people_g_distinct(n, b, size)
    for many in np.unique(years[hidden]):
        of_width = hidden & (years == many)
        spread = np.tile(shares / many, int(many))
        kinds, place = np.unique(sizes.people[of_width], return_inverse=True)
        figures = [occupied_uneven_bins(kinds, spread)]
        figures += [people_g_distinct_uneven(kinds, spread, size) for size in g]
        table[of_width] = np.column_stack(figures)[place]
    sums = np.zeros((groups.units, 1 + len(g)))
    np.add.at(sums, sizes.unit, table * sizes.weight[:, None])
    return sums


# What a risk profile holds: the figures of every group, side by side, and what each column is.


# Linkage key, state and measure, to the relative error (>= 0) of a figure of a modeled population.
RelativeError: TypeAlias = Callable[[Granularities, str, Measure], float]
_SMALL = SMALL_FILE.share_of(1)


@dataclass(frozen=True)
class ProfileFigures:
    """The columns of a profile: total risk, g-distinct, claims, a small file, and variances where asked for.

    ``g``: group sizes of g-distinct. ``spread``: give total risk and g-distinct their variances too. ``model_error``:
    relative error of the population's fit, which enters the variances as one standard error; None: the population is
    taken as it is.
    """

    g: tuple[int, ...]
    spread: bool = False
    model_error: RelativeError | None = None

    @cached_property
    def risks(self) -> tuple[Measure, ...]:
        """Total risk, then g-distinct for each g: what is compared, and has variances."""
        return TOTAL_RISK, *(Measure("g-distinct", size) for size in self.g)

    @cached_property
    def counts(self) -> tuple[Measure, ...]:
        """Everything that counts people."""
        return *self.risks, CLAIMS, CORRECT_CLAIMS

    def __call__(self, groups: AnyGroups, chances: Chances) -> FloatArray:
        """Return one row of figures per unit: :attr:`counts`, the small file, variances."""
        columns = [chances.total_risk(groups), chances.g_distinct(groups, self.g), chances.claims(groups)]
        units = len(chances.listed)
        small = replace(chances, in_file=np.full(units, _SMALL))
        # a file that was asked for has its share in the other columns
        columns.append(small.total_risk(groups) if chances.in_file is None else np.zeros(units))
        return np.column_stack(
            [*columns, variances(chances.candidates(groups), self.g, chances.linkable)] if self.spread else columns
        )

    def profiles(self, cases: Cases, measured: Measured) -> tuple[RiskProfile, ...]:
        """Return the profile of each case from the measured rows, as shares of the people or of the file."""
        inhabitants = cases.population.people_by_state()
        return tuple(
            self._profile(
                case,
                measured,
                case.combinations if cases.has_ratios or case.listed_unknown else (),
                cases.population.name,
                inhabitants,
                cases.in_file,
            )
            for case in cases
        )

    def _profile(
        self,
        case: Case,
        measured: Measured,
        combined: Sequence[Key],
        population: str,
        inhabitants: dict[str, int],
        in_file: InFile | None,
    ) -> RiskProfile:
        everyone = inhabitants[case.state]
        share = in_file.share_of(everyone, case.state) if in_file else 1.0
        ends = ends_of(case, measured)
        bare = RiskProfile(**case.facts, population=population, inhabitants=everyone, in_file=share)
        if ends is None:
            return bare
        pairs = [Bounds(float(low), float(high)) for low, high in zip(*ends, strict=True)]
        combinations = list(zip(*(measured[key, case.state].tolist() for key in combined), strict=True))
        many, scattered = len(self.counts), len(self.counts) + 1
        values = dict(zip(self.counts, pairs[:many], strict=True))
        together = dict(zip(self.counts, combinations[:many], strict=False))
        spread = dict(zip(self.risks, pairs[scattered:], strict=False))
        spread_together = dict(zip(self.risks, combinations[scattered:], strict=False))
        for measure in spread:
            low, high = (self._added(case, view[0], measure) for view in (case.keys[0], case.keys[-1]))
            at, chance = values[measure], spread[measure]
            spread[measure] = Bounds(chance.low + (low * at.low) ** 2, chance.high + (high * at.high) ** 2)
        for measure, chances in spread_together.items():
            spread_together[measure] = tuple(
                chance + (self._added(case, key[0], measure) * people) ** 2
                for chance, people, key in zip(chances, together[measure], combined, strict=True)
            )
        return replace(
            bare,
            values=values,
            small_file_share=None if in_file else pairs[many].per(everyone * _SMALL),
            variances=spread,
            combinations=together,
            combination_variances=spread_together,
        )

    def _added(self, case: Case, key: Granularities, measure: Measure) -> float:
        """Return the relative error of a figure by a key, 0 where none is asked for."""
        return 0.0 if self.model_error is None else self.model_error(key, case.state, measure)
