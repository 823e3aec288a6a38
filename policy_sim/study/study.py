"""Every question about states, from Python: :class:`Study`.

>>> from policy_sim import Study
>>> study = Study("us-2010", lists=2026)
>>> comparison = study.compare(states="Ohio", attackers="general", g=5)
>>> round(comparison.profile("OH", "limited-dataset", "general").share("total-risk").low, 3)
0.876
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, overload

from policy_sim.attackers import VOTER
from policy_sim.model.compare import Comparison, compare
from policy_sim.people.places import SPLITS
from policy_sim.people.population import Population
from policy_sim.policies.policy import Policy
from policy_sim.study.answers import CostAnswer
from policy_sim.study.compare import ComparisonAnswer, costs_of, with_provenance
from policy_sim.study.explain import ExplainQuestions
from policy_sim.study.explore import PolicyQuestions
from policy_sim.study.lists import ListQuestions, StateReleaseQuestions
from policy_sim.study.market import MarketQuestions
from policy_sim.study.money import EconomicQuestions
from policy_sim.study.others import CurveQuestions, ExplorerQuestions, SyntheticQuestions
from policy_sim.study.question import (
    ATTACKERS,
    DEFAULT_RULES,
    POLICIES,
    Attackers,
    GroupSizes,
    InFileLike,
    Policies,
    Question,
    States,
)
from policy_sim.words.arguments import choice, name_of, several
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from policy_sim.study.answers import BreakdownAnswer
    from policy_sim.study.studies import Studies

__all__ = ["ATTACKERS", "POLICIES", "Study"]


Populations: TypeAlias = str | Path | Population | Iterable[str | Path | Population]


@dataclass(frozen=True, repr=False)
class Study(
    CurveQuestions,
    EconomicQuestions,
    ExplorerQuestions,
    ListQuestions,
    MarketQuestions,
    PolicyQuestions,
    StateReleaseQuestions,
    ExplainQuestions,
    SyntheticQuestions,
):
    """A population and the voter lists of one vintage, ready for questions.

    Every question takes one value or several: ``states="OH"`` or ``["OH", "Texas"]``, ``policies="safe-harbor"``,
    ``attackers="voter"``, ``g=5``. Every answer has ``to_frame()`` and ``provenance`` and shows itself in a notebook.

    Parameters
    ----------
    population : A name (``us-2020``; the default), a file, or a Population.
    lists : The vintage of the voter lists (``2026`` or ``"2026"``; the default).
    days_per_year : Equally likely birthdays in a year, 1 or more; 365 as Benitez & Malin 2010.
    zip3 : Which three-digit ZIP codes are too small to be shown, for policies that say so: ``computed``
        from the population's census, ``hhs2000`` as printed, or the ``union`` of both.
    adversary : What limits the VOTER attacker: the name of a profile (``academic``), a file, or
        Constraints; nothing by default.
    coverage : Who is on the voter lists: the ``registered`` adults, with the source and date of their number in
        the notes; all ``adults``; or ``everyone``, children too, as the paper.
    spread : Give every figure of a comparison its variance, for intervals.
    database : Take the lists from this database (a URL, or ``own``) and not from the shipped files.
    engine : Leave the population, a Parquet file, where it lies and merge it there: ``duckdb``, ``local``,
        ``spark://…``, ``sc://…``, or an open engine (``docs/cluster.md``). Nothing else changes in
        :meth:`compare`, :meth:`cost` and :meth:`curves`; what needs the cells in memory raises an error.
    as_of : The lists of this day (a date, or ``"2015-06-01"``) in place of one vintage: for each state the newest
        that holds by then.

    Raises
    ------
    UnknownNameError : a vintage, coverage or ZIP rule that is not known. A population or adversary is looked up
        when it is first needed.
    InputError : both ``lists`` and ``as_of``; a value of another kind.

    Examples
    --------
    >>> Study("us-2010", lists=2026).compare("safe-harbor", "general", ["OH", "texas"])
    Comparison in us-2010: 2 states, 1 policy, 1 attacker, 5 measures (.to_frame() has every row)
    ...
    """

    @overload
    def compare(
        self,
        policies: Policies = POLICIES,
        attackers: Attackers = ATTACKERS,
        states: States = None,
        g: GroupSizes | None = None,
        *,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
        population: None = None,
    ) -> ComparisonAnswer: ...
    @overload
    def compare(
        self,
        policies: Policies = POLICIES,
        attackers: Attackers = ATTACKERS,
        states: States = None,
        g: GroupSizes | None = None,
        *,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
        population: Populations,
    ) -> Studies: ...
    def compare(
        self,
        policies: Policies = POLICIES,
        attackers: Attackers = ATTACKERS,
        states: States = None,
        g: GroupSizes | None = None,
        *,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
        population: Populations | None = None,
    ) -> ComparisonAnswer | Studies:
        """Measure every state under every policy and attacker.

        Parameters
        ----------
        policies : Names, files or policies; one or several.
        attackers : ``general``, ``voter``, names of resources (``texas-birth-index``), resource files or attackers.
        states : Postal codes, FIPS codes or names in any case; one, several, or None for all.
        g : Group sizes of g-distinct, 1 or more; 1, 3, 5 and 10 by default.
        rules : ``regulation`` for the HIPAA rules as 45 CFR 164.514 states them, or ``paper`` for the form of
            Benitez & Malin 2010, without ZIP codes.
        in_file : How many are in the file, where the attacker knows that its target is: a share of each state's
            people (0.01) or a number of records (11000), in each state. None: everyone is released.
        population : Several populations (``["us-2000", "us-2020"]``) in place of the study's own. Where one of them
            has no ZIP codes, all are measured without.

        Returns
        -------
        One risk profile per state, policy and attacker: expected people, and shares (0..1) of the state's people. A
        policy measured without its ZIP codes, because the population has none, is named for it
        (``limited-dataset-without-zip``), and ``reason`` says so. With ``population``, the rows of all of them.

        Raises
        ------
        InputError : an argument of another kind, or empty; a name given twice.
        UnknownNameError : a policy, attacker or state that is not known.

        Examples
        --------
        >>> Study("us-2010", 2026).compare("limited-dataset", "voter", "OH", 1).profiles[0].linkage_key
        'birth=date+geography=county_zip5'
        >>> change = Study(lists=2026).compare("county", "general", "WY", 1, population=["us-2010", "us-2020"])
        >>> change.to_frame()["population"].unique().tolist()
        ['us-2010', 'us-2020']
        """
        question = Question.of(policies, attackers, states, g, rules, in_file)
        if population is None:
            return self.answer(question)
        from policy_sim.study.studies import Studies

        people = several("population", population, (str, Path, Population), "'us-2020' or ['us-2000', 'us-2020']")
        return Studies(tuple(replace(self, population=name) for name in people), question)

    def answer(self, question: Question) -> ComparisonAnswer:
        """Return the comparison of a question that is already in one form (:class:`~policy_sim.question.Question`).

        Parameters
        ----------
        question : A question, as ``Question.of`` makes it.

        Returns
        -------
        As :meth:`compare`.

        Raises
        ------
        InputError : not a question.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> from policy_sim import Question
        >>> study.answer(Question.of("county", "general", "DE", 1)).profiles[0].state
        'DE'
        """
        compared = compare(
            self.people_for(question),
            self._policies(question),
            self._attackers(question),
            states=question.states,
            g=question.g,
            days_per_year=self.days_per_year,
            spread=self.spread,
            in_file=question.in_file,
            model_error=self.model_error.relative if self.model_error else None,
        )
        return with_provenance(compared, self._from(question, "compare"))

    def compare_release(
        self,
        release: str = "newest",
        policies: Policies = POLICIES,
        attackers: Attackers = ATTACKERS,
        states: States = None,
        g: GroupSizes | None = None,
        *,
        rules: str = DEFAULT_RULES,
    ) -> ComparisonAnswer:
        """Measure the states' own releases next to the textbook policies.

        Parameters
        ----------
        release : ``newest``, by which each state is measured under its own newest inpatient file; or one file such
            as ``NC:2016``, under which every state is measured.
        policies, attackers, states, g, rules : As for :meth:`compare`.

        Returns
        -------
        As :meth:`compare`; a state without a recorded release has the status ``unknown``, and one of whose file not
        everything is known has two ends.

        Raises
        ------
        InputError, UnknownNameError : as for :meth:`compare`; a release that is not recorded.

        Examples
        --------
        >>> answer = Study("us-2010", 2026).compare_release("newest", "safe-harbor", "general", ["NC", "OH"], 1)
        >>> round(answer.profile("NC", "release:newest", "general").share("total-risk").low, 3)
        0.293
        >>> answer.profile("OH", "release:newest", "general").status.value
        'unknown'
        """
        textbook = several("policies", policies, (str, Path, Policy), "'safe-harbor'")
        chosen = name_of("release", release, "'newest' or 'NC:2016'").removeprefix("release:")
        return self.compare([*textbook, f"release:{chosen}"], attackers, states, g, rules=rules)

    def break_down(
        self,
        by: str,
        policies: Policies = POLICIES,
        attackers: Attackers = ATTACKERS,
        states: States = None,
        g: GroupSizes | None = None,
        *,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
    ) -> BreakdownAnswer:
        """Break every measure down by who bears it.

        Parameters
        ----------
        by : ``race``, ``age``, ``sex``, ``county`` or ``county-size``.
        policies, attackers, states, g, rules, in_file : As for :meth:`compare`.

        Returns
        -------
        One part per value, state, policy, attacker and measure; the parts of a state add up to it.

        Raises
        ------
        UnknownNameError : a breakdown, policy, attacker or state that is not known.
        InputError : as for :meth:`compare`; a population without the column.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> rows = study.break_down("sex", "county", "general", "DE", 1).to_frame()
        >>> sorted(set(rows["value"]))
        ['F', 'M']
        """
        from policy_sim.model.breakdown import break_down
        from policy_sim.study.answers import BreakdownAnswer

        question = Question.of(policies, attackers, states, g, rules, in_file)
        parts = break_down(
            self.people_one_by_one(question),
            self._policies(question),
            self._attackers(question),
            choice("by", by, SPLITS),
            states=question.states,
            g=question.g,
            days_per_year=self.days_per_year,
            in_file=question.in_file,
        )
        return BreakdownAnswer(parts, provenance=self._from(question, "compare", by=by))

    def cost(
        self,
        policies: Policies = POLICIES,
        states: States = None,
        *,
        attackers: Attackers = VOTER,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
    ) -> CostAnswer:
        """Return what each re-identification costs an attacker that holds a list or another file.

        Parameters
        ----------
        policies, states, rules, in_file : As for :meth:`compare`.
        attackers : ``voter`` (the default), names of resources, resource files, or attackers.

        Returns
        -------
        One cost per state, policy and attacker, in US dollars; a list without a price says why.

        Raises
        ------
        InputError, UnknownNameError : as for :meth:`compare`.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> study.cost("limited-dataset", "DE", rules="paper").to_frame()["price_usd"].tolist()
        [25.0]
        """
        return self.cost_of(self.compare(policies, attackers, states, rules=rules, in_file=in_file))

    def cost_of(self, comparison: Comparison) -> CostAnswer:
        """Return the costs of a comparison for every attacker in it that holds a list or another file.

        Parameters
        ----------
        comparison : An answer of :meth:`compare`.

        Returns
        -------
        As :meth:`cost`.

        Raises
        ------
        InputError : not a comparison; no attacker of the comparison holds a list or a file.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
        >>> len(study.cost_of(answer))
        2
        """
        if not isinstance(comparison, Comparison):
            raise InputError("comparison: pass the result of compare().")
        if isinstance(comparison, ComparisonAnswer):
            return costs_of(comparison, self.counted, comparison.provenance)
        return costs_of(comparison, self.counted, self._from(Question.of(), "cost"))
