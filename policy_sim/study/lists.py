"""Questions about the voter lists of a study: changes of a list, and lists bought by county."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path

from policy_sim.attackers import GENERAL, VOTER, Attacker
from policy_sim.model.compare import compare
from policy_sim.model.profile import RiskProfile
from policy_sim.policies.policy import Policy
from policy_sim.study.answers import RowsAnswer
from policy_sim.study.question import DEFAULT_RULES, POLICIES, GroupSizes, Policies, Question, States
from policy_sim.study.setting import Setting
from policy_sim.voter_lists.facts import MAX_AGE_MONTHS
from policy_sim.voter_lists.price import Price
from policy_sim.words.arguments import day as a_day
from policy_sim.words.arguments import one_state, whole_number
from policy_sim.words.errors import InputError
from policy_sim.words.states import State

__all__ = ["ListQuestions", "StateReleaseQuestions"]


_MOST_MONTHS = 10**12


class ListQuestions(Setting):
    """Questions about the content and cost of voter lists."""

    def what_if(
        self,
        state: str | State,
        changes: Mapping[str, str],
        policies: Policies = POLICIES,
        g: GroupSizes | None = None,
        *,
        attacker: str | Path | Attacker = VOTER,
        rules: str = DEFAULT_RULES,
    ) -> RowsAnswer:
        """Return every measure before and after a change of one state's list, or of another resource.

        The study's adversary is applied again after the change: a list may come within its reach or leave it.

        Parameters
        ----------
        state : Postal code, FIPS code or name.
        changes : The items and their new values, such as ``{"birth": "date"}``.
        policies, g, rules : As for :meth:`compare`.
        attacker : Whose resource changes: ``voter``, the name of a resource, a resource file, or an attacker. Of
            a file besides voter lists the ``share`` of people that it holds can change too.

        Returns
        -------
        One row per policy and measure: people ``before`` and ``after``, and the ``change``.

        Raises
        ------
        InputError : no changes, or changes that are not a mapping of texts; GENERAL, which has no list to change.
        UnknownNameError : a state, item or value that is not known.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> rows = study.what_if("OH", {"birth": "withheld"}, "county", 1).to_frame()
        >>> rows["measure"].tolist()[:2]
        ['total-risk', 'g-distinct']
        """
        from policy_sim.model.what_if import what_if

        if not isinstance(changes, Mapping) or not changes or not _all_texts(changes):
            raise InputError("changes: give the items of the list and their new values, such as {'birth': 'date'}.")
        question = Question.of(policies, attacker, one_state(state), g, rules)
        (place,) = question.states or ()
        (holder,) = question.holders or (GENERAL if GENERAL.name in question.attackers else self.unrestricted_voter,)
        rows = what_if(
            self.people_for(question),
            self._policies(question),
            holder,
            place,
            changes,
            g=question.g,
            days_per_year=self.days_per_year,
            reach=self._within_reach,
        )
        return RowsAnswer(
            rows, f"What if in {place}", provenance=self._from(question, "what-if", changes=dict(changes))
        )

    def marginal_effects(
        self,
        policy: str | Path | Policy = "limited-dataset",
        states: States = None,
        *,
        rules: str = DEFAULT_RULES,
    ) -> RowsAnswer:
        """Rank how much total risk would change if each state's list gained or lost one field.

        Parameters
        ----------
        policy : One policy.
        states, rules : As for :meth:`compare`.

        Returns
        -------
        One row per state and change of a field, the largest effect first; expected people.

        Raises
        ------
        InputError : more than one policy.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> study.marginal_effects("county", "DE").to_frame()["state"].unique().tolist()
        ['DE']
        """
        from policy_sim.model.what_if import marginal_effects

        question = Question.of(policy, VOTER, states, rules=rules)
        rows = marginal_effects(
            self.people_for(question),
            self._one_policy(question),
            self.voter,
            states=question.states,
            days_per_year=self.days_per_year,
        )
        return RowsAnswer(rows, "Effects of single fields", provenance=self._from(question, "what-if"))

    def look_up_next(
        self,
        policy: str | Path | Policy = "limited-dataset",
        states: States = None,
        *,
        day: dt.date | str | None = None,
        months: int = MAX_AGE_MONTHS,
        rules: str = DEFAULT_RULES,
    ) -> RowsAnswer:
        """Rank the unknown, disputed and old facts of the lists by the number of people whose risk depends on them.

        Parameters
        ----------
        policy : One policy; the limited data set by default.
        states, rules : As for :meth:`compare`.
        day : Count age to this date; today by default.
        months : A fact is old when its newest source is older than this.

        Returns
        -------
        One row per state and field, the most people first
        (:func:`~policy_sim.model.what_if.look_up_next`).

        Raises
        ------
        InputError, UnknownNameError : as for :meth:`compare`; a day or number of months of another kind.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> rows = study.look_up_next("county", "OH", day="2026-12-01").to_frame()
        >>> "people" in rows
        True
        """
        from policy_sim.model.what_if import look_up_next

        question = Question.of(policy, VOTER, states, rules=rules)
        rows = look_up_next(
            self.people_for(question),
            self._one_policy(question),
            self.unrestricted_voter,
            dt.datetime.now(dt.UTC).date() if day is None else a_day("day", day),
            months=whole_number("months", months, 0, _MOST_MONTHS),
            states=question.states,
            days_per_year=self.days_per_year,
        )
        return RowsAnswer(rows, "What to look up next", provenance=self._from(question, "look-up-next"))

    def county_costs(
        self,
        state: str | State,
        policy: str | Path | Policy = "limited-dataset",
        county_price: Price | None = None,
    ) -> RowsAnswer:
        """Return the risk, price and cost of each county's list, for states where only counties sell.

        Parameters
        ----------
        state : Postal code, FIPS code or name.
        policy : One policy.
        county_price : The price of one county's list; by default from the list's file.

        Returns
        -------
        One row per county, the cheapest re-identifications first; US dollars.

        Raises
        ------
        InputError : a price of another kind; more than one policy; a population without counties.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> price = Price("schedule", usd_per_county=50)
        >>> len(study.county_costs("DE", "county", price).to_frame())
        3
        """
        from policy_sim.model.what_if import county_costs

        if county_price is not None and not isinstance(county_price, Price):
            raise InputError("county_price: give a Price, such as Price('schedule', usd_per_county=50).")
        question = Question.of(policy, VOTER, one_state(state))
        (place,) = question.states or ()
        rows = county_costs(
            self.people_one_by_one(question),
            self._one_policy(question),
            self.voter.voter_list(place),
            county_price,
            days_per_year=self.days_per_year,
            coverage=self.voter.coverage,
        )
        return RowsAnswer(rows, f"Counties of {place}", provenance=self._from(question, "counties"))


def _all_texts(changes: Mapping[str, str]) -> bool:
    return all(isinstance(text, str) for pair in changes.items() for text in pair)


# Questions about what a state itself releases.


class StateReleaseQuestions(Setting):
    """Questions about the files that each state releases."""

    def own_release(self, state: str | State, g: GroupSizes | None = None) -> tuple[Policy, RiskProfile]:
        """Return what a state's own newest file shows, and its risk for an attacker who knows everyone.

        Parameters
        ----------
        state : Postal code, FIPS code or name.
        g : Group sizes of g-distinct, 1 or more; 1, 3, 5 and 10 by default.

        Returns
        -------
        The policy, with its terms as remarks, and the profile: expected people, and shares (0..1) of the state's
        people. The profile of a state without a recorded release has the status ``unknown`` and no figure.

        Raises
        ------
        UnknownNameError : a state that is not known.
        InputError : the population cannot answer for a place that the file shows.

        Examples
        --------
        >>> from policy_sim import Study
        >>> policy, profile = Study("us-2010").own_release("NC", 1)
        >>> policy.title, round(profile.share("total-risk").low, 3)
        ('North Carolina, inpatient file of 2020', 0.293)
        """
        question = Question.of("release:newest", GENERAL.name, one_state(state), g)
        policies = self._policies(question)
        compared = compare(
            self.people_for(question),
            policies,
            [GENERAL],
            states=question.states,
            g=question.g,
            days_per_year=self.days_per_year,
        )
        (profile,) = compared.profiles
        ends = policies[0].in_state(profile.state)
        return (policies[0] if ends is None else ends[1]), profile
