"""What every estimator shares: its question, its answer, and the reason if it has no answer.

An estimator is a frozen dataclass whose fields are its options. :meth:`Estimator.estimate` takes a sample and the
size of its population, and returns an :class:`Estimate`. A model without an answer gives the reason in ``status``,
and its numbers are ``None``.

To add an estimator, write one module with a subclass of :class:`SizeEstimator` (or of :class:`Estimator`, if the
model needs the values of each class) and list it in :mod:`policy_sim.estimators.registry`.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, NotEstimableError

# From here on the series below reaches full precision in 40 terms whatever the probability: term i is
# at most 1 / C(40 + i, i).
_SERIES_FROM = 40
_NODES, _WEIGHTS = np.polynomial.laguerre.laggauss(48)


def _constant_rate_series(size: FloatArray, probability: float) -> FloatArray:
    term = np.full_like(size, probability) / size
    total = term.copy()
    for i in range(1, 41):
        term = term * (1 - probability) * i / (size + i)
        total += term
    return total


def constant_rate_inverse(size: IntArray, probability: float) -> FloatArray:
    r"""Expected 1/F if each member is sampled with the same ``probability``.

    F given f is negative binomial: f successes, so that
    ``E = integral of u**(f-1) p / (p + q u)`` over u in (0, 1), with ``q = 1 - p``. It obeys
    ``e(f) + (q/p) e(f+1) = 1/f``, applied upward from ``e(1) = p ln(1/p) / q`` where ``q >= p`` and downward
    otherwise, which never magnifies rounding errors (the alternating sum in the literature loses every digit from f
    near 20).

    Parameters
    ----------
    size : f, >= 1; shape (m,).
    probability : p, 0 < p <= 1.

    Returns
    -------
    Shape (m,), each in (0, 1/f].

    Examples
    --------
    >>> constant_rate_inverse(np.array([1, 2]), 0.5).round(6).tolist()
    [0.693147, 0.306853]

    References
    ----------
    Benedetti and Franconi (1998), NTTS; Dankar and El Emam (2010), section 2.4.1.
    """
    if probability >= 1:
        return 1 / np.asarray(size, dtype=np.float64)
    small = np.empty(_SERIES_FROM + 1)
    odds = probability / (1 - probability)
    if probability <= 0.5:
        small[1] = -odds * np.log(probability)
        for f in range(1, _SERIES_FROM):
            small[f + 1] = odds * (1 / f - small[f])
    else:
        small[_SERIES_FROM] = _constant_rate_series(np.array([float(_SERIES_FROM)]), probability)[0]
        for f in range(_SERIES_FROM - 1, 0, -1):
            small[f] = 1 / f - small[f + 1] / odds
    large = _constant_rate_series(np.maximum(size, _SERIES_FROM).astype(np.float64), probability)
    return np.where(size < _SERIES_FROM, small[np.minimum(size, _SERIES_FROM)], large)


def gamma_rate_inverse(size: IntArray, probability: float, shape: float) -> FloatArray:
    r"""Expected 1/F if class rates follow a gamma distribution with this ``shape``.

    ``E = (p/f) 2F1(1 - shape, 1; f + 1; 1 - p)``; shape 0 is :func:`constant_rate_inverse`.

    Parameters
    ----------
    size : f, >= 1; shape (m,).
    probability : p of the negative binomial distribution of F - f, 0 < p <= 1.
    shape : Shape of the gamma distribution, >= 0.

    References
    ----------
    Bethlehem, Keller and Pannekoek (1990), JASA 85:38-45; Rinott (2003), ECE/Eurostat.
    """
    if shape == 0:
        return constant_rate_inverse(size, probability)
    f = np.asarray(size, dtype=np.float64)
    value = special.hyp2f1(1 - shape, 1.0, f + 1, 1 - probability)
    # scipy returns nan for a shape next to a whole number with a large class, where the Laguerre
    # form is at its best: the exponent changes little over its nodes.
    bad = ~np.isfinite(value)
    if np.any(bad):
        base = probability + (1 - probability) * np.exp(-_NODES[None, :] / f[bad, None])
        value[bad] = base ** (shape - 1) @ _WEIGHTS
    result: FloatArray = probability / f * value
    return result


def poisson_inverse(size: IntArray, mean: FloatArray) -> FloatArray:
    r"""Expected 1/F if F - f is Poisson with this ``mean``: ``1F1(1; f + 1; -mean) / f``.

    Examples
    --------
    With mean 0 the class has exactly f members. With f = 1 the value is ``(1 - exp(-m)) / m``.

    >>> poisson_inverse(np.array([4, 1]), np.array([0.0, 2.0])).round(6).tolist()
    [0.25, 0.432332]

    References
    ----------
    Skinner and Shlomo (2008), JASA 103:989-1001; Dankar and El Emam (2010), section 2.4.2.
    """
    f = np.asarray(size, dtype=np.float64)
    result: FloatArray = special.hyp1f1(1.0, f + 1, -np.asarray(mean, dtype=np.float64)) / f
    return result


def poisson_inverse_slopes(size: int, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
    """First and second derivative of :func:`poisson_inverse` in ``mean``, for one class size."""
    f = float(size)
    first = -special.hyp1f1(2.0, f + 2, -mean) / (f * (f + 1))
    second = 2 * special.hyp1f1(3.0, f + 3, -mean) / (f * (f + 1) * (f + 2))
    return first, second


# Bootstrap intervals for estimates made from class sizes.
#
# A bootstrap cannot draw records with replacement: a record drawn twice is no longer unique. So this bootstrap draws
# classes with replacement, each with all its records, and scales the population to the records drawn, so that the
# sampling fraction stays the same. It treats the classes as independent draws from a superpopulation, as the models
# do. The interval does not cover the error of the model, so the true value is often outside it.


Interval: TypeAlias = tuple[float, float]
# Of uniqueness and of marketer risk.
Intervals: TypeAlias = tuple[Interval | None, Interval | None]

# If most replicates fail, an interval from the others describes only the easy ones.
_LARGEST_SHARE_FAILED = 0.1


@dataclass(frozen=True)
class Bootstrap:
    """How to measure the sampling error of an estimate.

    Parameters
    ----------
    replicates : Samples to draw, >= 20.
    level : Share of the replicates between the ends of the interval, 0..1. The interval shows sampling error only,
        not the error of the model.
    seed : Seed of the draws; the same seed gives the same interval.
    """

    replicates: int = 200
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.replicates < 20:
            raise InputError(f"replicates must be 20 or more, not {self.replicates}.")
        if not 0 < self.level < 1:
            raise InputError(f"level must lie between 0 and 1, not {self.level}.")
        if self.seed < 0:
            raise InputError(f"seed must be 0 or more, not {self.seed}.")


def percentile_interval(values: Sequence[float | None], level: float) -> Interval | None:
    """Return the middle ``level`` of the values, or None when more than a tenth of them are missing."""
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values) * (1 - _LARGEST_SHARE_FAILED):
        return None
    low, high = np.quantile(numbers, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def class_bootstrap(
    answer: Callable[[SizeHistogram, int], Answer],
    sample: SizeHistogram,
    people: int,
    bootstrap: Bootstrap,
    tell: Callable[[str], object] = lambda _: None,
) -> Intervals:
    """Return percentile intervals of the uniqueness and the marketer risk that an estimator answers."""
    rng = np.random.default_rng(bootstrap.seed)
    drawn = rng.multinomial(sample.number, sample.classes / sample.number, size=bootstrap.replicates)
    uniqueness: list[float | None] = []
    marketer: list[float | None] = []
    for replicate, classes in enumerate(drawn, start=1):
        tell(f"replicate {replicate} of {bootstrap.replicates}")
        seen = classes > 0
        again = SizeHistogram(sample.size[seen], classes[seen])
        scaled = max(round(again.records * people / sample.records), again.records)
        estimate = answer(again, scaled)
        uniqueness.append(None if estimate.uniques is None else estimate.uniques / scaled)
        marketer.append(estimate.marketer_risk)
    return percentile_interval(uniqueness, bootstrap.level), percentile_interval(marketer, bootstrap.level)


# The classes of a sample and their values: what a log-linear model reads.


@dataclass(frozen=True, eq=False)
class ClassTable:
    """One row per class: the code of its value in each key field, and its size.

    Parameters
    ----------
    codes : Shape (classes, fields), >= 0; a code is a value's place in its field's list of values.
    size : Records in each class, >= 0; shape (classes,). A class of the population that the sample missed is empty.
    """

    codes: IntArray
    size: IntArray
    fields: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.codes.shape != (self.size.size, len(self.fields)):
            raise InputError(
                f"codes have shape {self.codes.shape}; {self.size.size} classes of {len(self.fields)} fields "
                f"need {(self.size.size, len(self.fields))}."
            )
        if not self.fields:
            raise InputError("a class table needs at least one field.")
        if self.size.size and (self.codes.min() < 0 or self.size.min() < 0):
            raise InputError("codes and class sizes must not be negative.")

    @classmethod
    def from_records(cls, codes: npt.ArrayLike, fields: tuple[str, ...] | None = None) -> ClassTable:
        """Gather records (rows of codes, one column per field) into classes.

        >>> table = ClassTable.from_records([[0, 1], [0, 1], [1, 0]], ("sex", "race"))
        >>> table.size.tolist(), table.sizes.to_dict()
        ([2, 1], {1: 1, 2: 1})
        """
        records = np.asarray(codes)
        if records.ndim != 2 or records.shape[1] == 0 or records.dtype.kind not in "iu":
            raise InputError("codes must be whole numbers, one row per record and one column per field.")
        names = fields or tuple(f"field {i + 1}" for i in range(records.shape[1]))
        rows, size = np.unique(records.astype(np.int64), axis=0, return_counts=True)
        return cls(rows, size.astype(np.int64), names)

    @cached_property
    def sizes(self) -> SizeHistogram:
        """The class sizes alone, without empty classes."""
        return SizeHistogram.from_classes(self.size)

    def with_sizes(self, size: IntArray) -> ClassTable:
        """Return the same classes with other sizes."""
        return ClassTable(self.codes, size, self.fields)

    @cached_property
    def _compact(self) -> tuple[tuple[int, ...], tuple[IntArray, ...], IntArray]:
        """The values that occur in each field, and the classes' codes among them, without empty classes."""
        seen = self.size > 0
        columns, levels = [], []
        for column in self.codes[seen].T:
            values, place = np.unique(column, return_inverse=True)
            levels.append(int(values.size))
            columns.append(place.astype(np.int64))
        return tuple(levels), tuple(columns), self.size[seen]

    @property
    def cells(self) -> int:
        """Number of cells in the cross product of the values that occur in each field, occupied or not."""
        return prod(self._compact[0])

    def dense(self) -> npt.NDArray[np.float64]:
        """Return the counts of every cell of the cross product; one axis per field."""
        levels, columns, size = self._compact
        counts = np.zeros(levels)
        np.add.at(counts, columns, size)
        return counts


Sample: TypeAlias = SizeHistogram | ClassTable
Tell: TypeAlias = Callable[[str], object]

NO_INTERVALS: Intervals = (None, None)


def quiet(step: str) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Answer:
    """A model's figures for a population, as in :class:`Estimate`; None where the model has no figure."""

    uniques: float | None = None
    marketer_risk: float | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    status: str = "ok"


@dataclass(frozen=True)
class Estimate:
    """One estimator's estimate; if every number is None, ``status`` gives the reason.

    Parameters
    ----------
    model : Name of the estimator.
    status : ``"ok"``, or the reason why there is no answer.
    uniques : People who are alone in their class of the population.
    uniqueness : Their share of the population, lambda 3, 0..1.
    lambda1 : Share of the sample's uniques that are unique in the population, 0..1.
    lambda2 : Share of the sample's records that are unique in both, 0..1.
    marketer_risk : Expected share of the sample's records that are matched correctly, 0..1.
    interval, marketer_interval : Range, (low, high), of ``uniqueness`` and of ``marketer_risk``; both hold their
        figure.
    range_of : What the ranges are: ``"sampling error"`` of one model, which leaves out the error of the model; for the
        estimate that is read first see :func:`~policy_sim.estimators.first_estimate`. Empty without a range.
    notes : What a reader of the numbers should know.
    parameters : What the model fitted, by name.
    """

    model: str
    status: str
    uniques: float | None = None
    uniqueness: float | None = None
    lambda1: float | None = None
    lambda2: float | None = None
    marketer_risk: float | None = None
    interval: Interval | None = None
    marketer_interval: Interval | None = None
    range_of: str = ""
    notes: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, model: str, answer: Answer, sample: SizeHistogram, people: int, intervals: Intervals = NO_INTERVALS
    ) -> Estimate:
        """Return the estimate: an answer with the shares that follow from it."""
        uniqueness = lambda1 = None
        if answer.uniques is not None:
            uniqueness = answer.uniques / people
            # A share above 1 is impossible, so the model has no answer.
            in_sample = answer.uniques * sample.records / people
            if sample.uniques and in_sample <= sample.uniques * (1 + 1e-12):
                lambda1 = min(in_sample / sample.uniques, 1.0)
        return cls(
            model=model,
            status=answer.status,
            uniques=answer.uniques,
            uniqueness=uniqueness,
            lambda1=lambda1,
            # The sample holds a population unique with chance n/N, so in expectation lambda 2 is lambda 3
            # (Dankar et al. 2012, figure 2).
            lambda2=uniqueness,
            marketer_risk=answer.marketer_risk,
            interval=_holding(uniqueness, intervals[0]),
            marketer_interval=_holding(answer.marketer_risk, intervals[1]),
            range_of="sampling error" if any(intervals) else "",
            notes=answer.notes,
            parameters=answer.parameters,
        )


def _holding(figure: float | None, interval: Interval | None) -> Interval | None:
    """Return the interval, widened to the figure: a biased model can lie outside of what its own bootstrap gives."""
    if figure is None or interval is None:
        return interval
    return min(interval[0], figure), max(interval[1], figure)


def check_population(records: int, population_size: int) -> int:
    """Return the population size as a whole number; it is not smaller than the sample."""
    try:
        people = operator.index(population_size)
    except TypeError:
        raise InputError(f"population_size must be a whole number, not {population_size!r}.") from None
    if people < records:
        raise InputError(
            f"{ask('population_size', str(people))} is smaller than the sample of {records:,} records: "
            "give the number of people that the records were drawn from."
        )
    return people


class Estimator(ABC):
    """Base of all estimators, each with its name in tables and options, and the measures of which it has estimates.

    A model that ``needs_classes`` needs the values of each class (a :class:`ClassTable`).
    """

    name: ClassVar[str]
    measures: ClassVar[tuple[str, ...]] = ("uniqueness", "marketer_risk")
    needs_classes: ClassVar[bool] = False

    @abstractmethod
    def answered(
        self, sample: Sample, people: int, bootstrap: Bootstrap | None = None, tell: Tell = quiet
    ) -> tuple[Answer, Intervals]:
        """Estimate, with the sampling error of uniqueness and of marketer risk where a bootstrap is given.

        A model that cannot estimate returns the reason and no numbers.
        """

    def answer(self, sample: Sample, people: int) -> Answer:
        """Estimate without the sampling error."""
        return self.answered(sample, people)[0]

    def explained(self, answer: Answer, sample: SizeHistogram, people: int) -> Answer:  # noqa: ARG002
        """Return an answer with notes that take long to compute; a simulation leaves them out."""
        return answer

    def estimate(
        self,
        sizes: Sample | Mapping[int, int],
        population_size: int,
        *,
        bootstrap: Bootstrap | None = None,
        tell: Tell = quiet,
    ) -> Estimate:
        """Estimate a population from a sample of it.

        Parameters
        ----------
        sizes : The sample: {class size: number of classes}, a :class:`SizeHistogram`, or a :class:`ClassTable`.
        population_size : People that the sample was drawn from, N >= n.
        bootstrap : How to measure the sampling error; None leaves the intervals out.
        tell : Called with each step of long work.

        Returns
        -------
        The estimate. A model that needs a class table and has none says so in ``status``.

        Raises
        ------
        InputError : class sizes that are not whole and positive, or a population smaller than the sample.

        Examples
        --------
        >>> from policy_sim.estimators import Zayatz
        >>> round(Zayatz().estimate({1: 2, 2: 1}, 8).uniqueness, 4)
        0.3182
        """
        sample = sizes if isinstance(sizes, ClassTable) else SizeHistogram.of(sizes)
        histogram = histogram_of(sample)
        people = check_population(histogram.records, population_size)
        if self.needs_classes and not isinstance(sample, ClassTable):
            return Estimate(self.name, "needs the values of each class, not only class sizes")
        answer, intervals = self.answered(sample, people, bootstrap, tell)
        return Estimate.of(self.name, self.explained(answer, histogram, people), histogram, people, intervals)


class SizeEstimator(Estimator):
    """An estimator that uses only how many classes of the sample have each size."""

    @abstractmethod
    def _solve(self, sample: SizeHistogram, people: int) -> Answer:
        """Estimate from a sample of at least one record and fewer than ``people``."""

    def answered(
        self, sample: Sample, people: int, bootstrap: Bootstrap | None = None, tell: Tell = quiet
    ) -> tuple[Answer, Intervals]:
        """Estimate, with the sampling error from samples of the classes; who has the whole population counts."""
        sizes = histogram_of(sample)
        answer = self._of_sizes(sizes, people)
        if bootstrap is None or (answer.uniques is None and answer.marketer_risk is None):
            return answer, NO_INTERVALS
        return answer, class_bootstrap(
            self._of_sizes, sizes, people, bootstrap, lambda step: tell(f"interval of {self.name}: {step}")
        )

    def _of_sizes(self, sizes: SizeHistogram, people: int) -> Answer:
        if sizes.records == 0:
            return Answer(status="the sample has no records")
        if sizes.records == people:
            return Answer(
                uniques=float(sizes.uniques),
                marketer_risk=sizes.number / people,
                notes=("the sample is the whole population: counted, not estimated",),
            )
        try:
            return self._solve(sizes, people)
        except NotEstimableError as reason:
            return Answer(status=str(reason))


def histogram_of(sample: Sample | Mapping[int, int]) -> SizeHistogram:
    """Return the class sizes of a sample, in whatever form it is given."""
    return sample.sizes if isinstance(sample, ClassTable) else SizeHistogram.of(sample)
