"""What every estimator shares: how it is asked, how it answers, how it says that it cannot.

An estimator is told its options when it is made, sees the sample when it is fitted, and then holds
its answer in attributes that end in ``_``, as scikit-learn's do. A model that has no answer says why
in ``status_`` and leaves its numbers ``None``.
"""

from __future__ import annotations

import inspect
import operator
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from policy_sim.errors import InputError, NotEstimableError, UnknownNameError
from policy_sim.estimators.interval import Interval, class_bootstrap
from policy_sim.sizes import SizeHistogram

__all__ = ["Answer", "Estimate", "Estimator", "SizeEstimator", "check_population"]


@dataclass(frozen=True)
class Answer:
    """What a model says of a population: None where the model is silent.

    ``uniques`` counts people alone in their class of the population; ``marketer_risk`` is the expected
    share, 0..1, of the sample's records that are matched correctly.
    """

    uniques: float | None = None
    marketer_risk: float | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    status: str = "ok"


@dataclass(frozen=True)
class Estimate:
    """One row of a comparison of estimators; every number is None where ``status`` gives the reason.

    ``uniqueness`` is lambda 3, ``lambda2`` the share of the sample's records that are unique in sample
    and population, ``lambda1`` the share of the sample's uniques that are unique in the population.
    ``interval`` is for ``uniqueness``.
    """

    model: str
    status: str
    uniques: float | None
    uniqueness: float | None
    lambda1: float | None
    lambda2: float | None
    marketer_risk: float | None
    interval: Interval | None = None
    marketer_interval: Interval | None = None
    notes: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)


def check_population(records: int, population_size: int) -> int:
    """Return the population size as a whole number, or say that no sample of this size fits in it."""
    try:
        people = operator.index(population_size)
    except TypeError:
        raise InputError(f"population size must be a whole number, not {population_size!r}.") from None
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
    status_ : ``"ok"``, or the reason why there is no answer.
    uniques_ : People who are alone in their class of the population; None if not estimated.
    uniqueness_ : Their share of the population, lambda 3, 0..1.
    marketer_risk_ : Expected share of the sample's records matched correctly, 0..1; None where the
        model does not say.
    lambda1_, lambda2_ : Population uniques in the sample, over the sample's uniques and over its
        records.
    interval_, marketer_interval_ : Interval of ``uniqueness_`` and ``marketer_risk_``, computed when
        first asked for.
    parameters_, notes_ : What was fitted, and what a reader ought to know about it.
    """

    name: ClassVar[str]
    # what the model speaks of when it has an answer
    measures: ClassVar[tuple[str, ...]] = ("uniqueness", "marketer_risk")

    status_: str
    uniques_: float | None
    uniqueness_: float | None
    lambda1_: float | None
    lambda2_: float | None
    marketer_risk_: float | None
    parameters_: Mapping[str, Any]
    notes_: tuple[str, ...]
    sizes_: SizeHistogram
    population_size_: int

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002  scikit-learn's signature
        """Return the options this estimator was made with."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Change options; the estimator must be fitted again.

        Raises
        ------
        UnknownNameError : there is no such option.
        """
        for name in params:
            if name not in self._parameter_names():
                raise UnknownNameError(f"option of {type(self).__name__}", name, self._parameter_names())
        self.__init__(**{**self.get_params(), **params})  # type: ignore[misc]
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name].default]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _take(self, sizes: SizeHistogram, people: int, answer: Answer) -> Self:
        """Keep an answer, with the shares that follow from it."""
        self.__dict__.pop("_intervals", None)
        self.sizes_, self.population_size_ = sizes, people
        self.status_, self.notes_, self.parameters_ = answer.status, answer.notes, answer.parameters
        self.uniques_, self.marketer_risk_ = answer.uniques, answer.marketer_risk
        self.uniqueness_ = self.lambda1_ = self.lambda2_ = None
        if self.uniques_ is not None:
            self.uniqueness_ = self.uniques_ / people
            # A population unique is sampled with chance n/N, so in expectation lambda 2 is lambda 3
            # (Dankar et al. 2012, figure 2). A share above 1 is a contradiction, not an estimate.
            self.lambda2_ = self.uniqueness_
            in_sample = self.uniques_ * sizes.records / people
            if sizes.uniques and in_sample <= sizes.uniques * (1 + 1e-12):
                self.lambda1_ = min(in_sample / sizes.uniques, 1.0)
        return self

    @abstractmethod
    def _replicated(self) -> tuple[Interval | None, Interval | None]:
        """Return the intervals of uniqueness and of marketer risk."""

    def _intervals_once(self) -> tuple[Interval | None, Interval | None]:
        if "_intervals" not in self.__dict__:
            known = self.uniqueness_ is not None or self.marketer_risk_ is not None
            self._intervals = self._replicated() if known else (None, None)
        return self._intervals

    @property
    def interval_(self) -> Interval | None:
        """Interval of ``uniqueness_``: (low, high), or None."""
        return self._intervals_once()[0]

    @property
    def marketer_interval_(self) -> Interval | None:
        """Interval of ``marketer_risk_``: (low, high), or None."""
        return self._intervals_once()[1]

    def estimate(self, intervals: bool = False) -> Estimate:
        """Return the answer as one row."""
        return Estimate(
            model=self.name,
            status=self.status_,
            uniques=self.uniques_,
            uniqueness=self.uniqueness_,
            lambda1=self.lambda1_,
            lambda2=self.lambda2_,
            marketer_risk=self.marketer_risk_,
            interval=self.interval_ if intervals else None,
            marketer_interval=self.marketer_interval_ if intervals else None,
            notes=self.notes_,
            parameters=self.parameters_,
        )


class SizeEstimator(Estimator):
    """An estimator that sees of the sample only how many classes have each size.

    Parameters
    ----------
    replicates : Bootstrap samples for the intervals, >= 20.
    level : Coverage aimed at, 0..1.
    seed : Seed of the bootstrap; the same seed gives the same interval.
    """

    def __init__(self, *, replicates: int = 200, level: float = 0.95, seed: int = 0) -> None:
        self.replicates, self.level, self.seed = replicates, level, seed

    @abstractmethod
    def _solve(self, sample: SizeHistogram, people: int) -> Answer:
        """Estimate from a sample of at least one record and fewer than ``people``."""

    def answer(self, sample: SizeHistogram, people: int) -> Answer:
        """Estimate; a model that cannot gives an answer without numbers and with the reason."""
        if sample.records == 0:
            return Answer(status="the sample has no records")
        if sample.records == people:
            return Answer(
                uniques=float(sample.uniques),
                marketer_risk=sample.number / people,
                notes=("the sample is the whole population: counted, not estimated",),
            )
        try:
            return self._solve(sample, people)
        except NotEstimableError as reason:
            return Answer(status=str(reason))

    def fit(self, sizes: SizeHistogram | Mapping[int, int], *, population_size: int) -> Self:
        """Estimate from the class sizes of a sample.

        Parameters
        ----------
        sizes : {class size: number of the sample's classes}, or a :class:`SizeHistogram`.
        population_size : People the sample was drawn from, N >= n.

        Raises
        ------
        InputError : class sizes that are not whole and positive, or a population below the sample.
        """
        sample = SizeHistogram.of(sizes)
        people = check_population(sample.records, population_size)
        return self._take(sample, people, self.answer(sample, people))

    def _replicated(self) -> tuple[Interval | None, Interval | None]:
        return class_bootstrap(
            self.answer,
            self.sizes_,
            self.population_size_,
            replicates=self.replicates,
            level=self.level,
            seed=self.seed,
        )
