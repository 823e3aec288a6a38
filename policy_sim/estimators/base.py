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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from policy_sim.errors import InputError, NotEstimableError
from policy_sim.estimators.bootstrap import Bootstrap, Interval, Intervals, class_bootstrap
from policy_sim.estimators.class_table import ClassTable
from policy_sim.groups.size_histogram import SizeHistogram

__all__ = [
    "Answer",
    "Estimate",
    "Estimator",
    "Sample",
    "SizeEstimator",
    "Tell",
    "check_population",
    "histogram_of",
    "quiet",
]

Sample: TypeAlias = SizeHistogram | ClassTable
Tell: TypeAlias = Callable[[str], object]

NO_INTERVALS: Intervals = (None, None)


def quiet(step: str) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Answer:
    """A model's figures for a population; None where the model has no figure.

    Parameters
    ----------
    uniques : People who are alone in their class of the population.
    marketer_risk : Expected share, 0..1, of the sample's records that are matched correctly.
    parameters : What the model fitted, by name.
    notes : What a reader of the numbers should know.
    status : ``"ok"``, or the reason why there is no answer.
    """

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
    """Return the population size as a whole number.

    Raises
    ------
    InputError : not a whole number, or fewer people than the sample has records.
    """
    try:
        people = operator.index(population_size)
    except TypeError:
        raise InputError(f"population_size must be a whole number, not {population_size!r}.") from None
    if people < records:
        raise InputError(
            f"population size {people:,} is smaller than the sample of {records:,} records: "
            "give the number of people that the records were drawn from."
        )
    return people


class Estimator(ABC):
    """Base of all estimators.

    Attributes
    ----------
    name : The estimator's name in tables and options.
    measures : What the model estimates when it has an answer.
    needs_classes : Whether the model needs the values of each class (a :class:`ClassTable`); class sizes are not
        enough.
    """

    name: ClassVar[str]
    measures: ClassVar[tuple[str, ...]] = ("uniqueness", "marketer_risk")
    needs_classes: ClassVar[bool] = False

    @abstractmethod
    def answer(self, sample: Sample, people: int, tell: Tell = quiet) -> Answer:
        """Estimate; a model that cannot returns the reason and no numbers."""

    @abstractmethod
    def answer_with_intervals(
        self, sample: Sample, people: int, bootstrap: Bootstrap, tell: Tell = quiet
    ) -> tuple[Answer, Intervals]:
        """Estimate, with the sampling error of uniqueness and of marketer risk."""

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
        if bootstrap is None:
            answer, intervals = self.answer(sample, people, tell), NO_INTERVALS
        else:
            answer, intervals = self.answer_with_intervals(sample, people, bootstrap, tell)
        return Estimate.of(self.name, self.explained(answer, histogram, people), histogram, people, intervals)


class SizeEstimator(Estimator):
    """An estimator that uses only how many classes of the sample have each size."""

    @abstractmethod
    def _solve(self, sample: SizeHistogram, people: int) -> Answer:
        """Estimate from a sample of at least one record and fewer than ``people``."""

    def answer(self, sample: Sample, people: int, tell: Tell = quiet) -> Answer:  # noqa: ARG002
        """Estimate; a model that cannot returns the reason and no numbers."""
        sizes = histogram_of(sample)
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

    def answer_with_intervals(
        self, sample: Sample, people: int, bootstrap: Bootstrap, tell: Tell = quiet
    ) -> tuple[Answer, Intervals]:
        """Estimate, with intervals from samples of the classes."""
        sizes = histogram_of(sample)
        answer = self.answer(sizes, people)
        if answer.uniques is None and answer.marketer_risk is None:
            return answer, NO_INTERVALS
        return answer, class_bootstrap(
            self.answer, sizes, people, bootstrap, lambda step: tell(f"interval of {self.name}: {step}")
        )


def histogram_of(sample: Sample | Mapping[int, int]) -> SizeHistogram:
    """Return the class sizes of a sample, in whatever form it is given."""
    return sample.sizes if isinstance(sample, ClassTable) else SizeHistogram.of(sample)
