"""The explorer of a study: the people, the lists and the policies in one page."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING

from policy_sim.attackers.files import load_coverage
from policy_sim.attackers.resource import IdentifiedFile
from policy_sim.attackers.resource_files import list_resources, load_resource
from policy_sim.model.compare import curves
from policy_sim.model.measure import MOST_G
from policy_sim.model.model_error import errors_of
from policy_sim.people.names import ZIP3_LISTS, with_zip3_list
from policy_sim.people.population import PeopleTable
from policy_sim.people.zips import PeopleByZip, parts_of, zip_note
from policy_sim.policies.files import list_policies, load_policy
from policy_sim.policies.policy import Policy
from policy_sim.policies.states.files import release_policy
from policy_sim.policies.states.policy import NEWEST
from policy_sim.study.answers import CurveAnswer
from policy_sim.study.question import ATTACKERS, DEFAULT_RULES, POLICIES, Attackers, InFileLike, Policies, Question
from policy_sim.study.setting import Setting
from policy_sim.words.arguments import day, number, one_state, whole_number
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field
from policy_sim.words.states import State

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.explorer.page import ExplorerContent
    from policy_sim.study.answers import AttackAnswer

__all__ = [
    "CurveQuestions",
    "ExplorerQuestions",
    "SyntheticQuestions",
    "as_released",
    "explorer_files",
    "explorer_policies",
]


_PLACES = ("state", "county")
_BY_ZIP = ("zip3", "county_zip3", "county_zip5")
_FIRST = (
    "limited-dataset",
    "safe-harbor",
    "limited-dataset-paper",
    "safe-harbor-paper",
    "safe-harbor-without-zip",
)


def explorer_policies(*, by_zip: bool = True) -> tuple[Policy, ...]:
    """Return the policies that the page can compute, with the most common ones first.

    Five-digit ZIP codes without the county have too many parts for a page that must answer immediately.

    ``by_zip``: whether the parts of the counties by ZIP code area are known.
    """
    shipped = [load_policy(name) for name in list_policies()]
    places = _PLACES + (_BY_ZIP if by_zip else ())
    eligible = [policy for policy in shipped if policy.releases[Field.GEOGRAPHY] in places]
    order = {name: place for place, name in enumerate(_FIRST)}
    return tuple(sorted(eligible, key=lambda policy: (order.get(policy.name, len(order)), policy.name)))


def as_released() -> Policy:
    """Return what each state's own newest file of hospital records shows."""
    return release_policy(NEWEST)


def explorer_files() -> tuple[IdentifiedFile, ...]:
    """Return the shipped files, besides voter lists, of which the page can show figures.

    Left out are files that nobody can have or that list the dead, and those of which no source says whether they hold
    a field that links: their figures would lie between almost nothing and almost everything.
    """
    files = (load_resource(name) for name in list_resources())
    return tuple(file for file in files if len(file.held((file.states or ("OH",))[0]).views) == 1)


class ExplorerQuestions(Setting):
    """The questions that make the page for the reader's browser."""

    def explorer(self) -> str:
        """Return one HTML file that contains the people and computes every figure in the browser, without a network.

        Returns
        -------
        The page as text, under three megabytes. The people are those of the study, the lists those of its vintage.

        Raises
        ------
        InputError : a population without counties, sex or race.
        OutputError : people that do not fit into three megabytes.

        Examples
        --------
        >>> from pathlib import Path
        >>> from policy_sim import Study
        >>> page = Study("us-2020").explorer()  # doctest: +SKIP
        >>> Path("explorer.html").write_text(page, encoding="utf-8")  # doctest: +SKIP
        """
        from policy_sim.explorer.page import explorer_page

        return explorer_page(self._explorer_content())

    def _explorer_content(self) -> ExplorerContent:
        from policy_sim.explorer.page import ExplorerContent, ExplorerFile

        people, lists = self.people, self.unrestricted_voter.voter_lists
        registered = load_coverage("registered", lists.newest_vintage)
        assert registered is not None
        facts = people.provenance
        lines = [
            f"policy_sim {version('policy-sim')}: explorer of the risk of re-identification by state.",
            f"Population {facts.name}: {facts.title}. {facts.publisher}, {facts.date}.",
            f"Voter lists: {lists.describe()}; the source of each fact is on the card of its state.",
        ]
        by_zip = isinstance(self._counted_by_zip, PeopleByZip)
        policies = [with_zip3_list(policy, self.zip3, facts.date) for policy in explorer_policies(by_zip=by_zip)]
        notes = (
            f"{self.days_per_year:g} equally likely birthdays per year; the year of birth is computed from the age",
            "ZIP codes: expected values. People of every age, sex and race are assumed to live in a county's ZIP code "
            "areas in the same shares. A ZIP code area is not exactly a ZIP code, and towns are not modeled"
            if by_zip
            else "ZIP codes: this population has no counts by ZIP code area, so policies that release ZIP codes are "
            "left out",
            *((f"ZIP codes: 000 replaces {ZIP3_LISTS[self.zip3]}",) if by_zip else ()),
            *((zip_note(facts.name),) if zip_note(facts.name) else ()),
        )
        return ExplorerContent(
            PeopleTable.of(people),
            parts_of(people) if by_zip else None,
            facts,
            (*policies, *((as_released(),) if by_zip else ())),
            lists,
            registered,
            tuple(
                ExplorerFile(file, (0, None) if file.coverage is None else file.coverage.ages_in(people))
                for file in explorer_files()
            ),
            errors_of(facts),
            self.days_per_year,
            notes,
            "\n".join(lines),
        )


# Questions that need people one by one: the simulated attack, and synthetic people.


_MOST_RUNS = 100_000
_MOST_SEED = 2**63 - 1
_OLDEST_AGE = 125  # nobody is made older than this; dates begin with the year 1


class SyntheticQuestions(Setting):
    """Questions that use synthetic people."""

    def simulate(
        self,
        state: str | State,
        policies: Policies = POLICIES,
        attackers: Attackers = ATTACKERS,
        *,
        runs: int = 20,
        release: float = 1.0,
        seed: int = 1,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
        tell: Callable[[int], None] | None = None,
    ) -> AttackAnswer:
        """Check the formulas by simulation in one state.

        Creates synthetic people, links them at random within matching groups, and counts correct links.

        Parameters
        ----------
        state : Postal code, FIPS code or name.
        policies, attackers, rules, in_file : As for :meth:`compare`.
        runs : The number of simulated attacks, 2 or more.
        release : Share of the people who are in the release, above 0 and up to 1.
        seed : The same seed gives the same people and links; 0 or more.
        tell : Called after each run with its number.

        Returns
        -------
        One attack per policy, attacker, key and measure.

        Raises
        ------
        InputError : a number outside its range.
        NotEstimableError : no attacker has a list in this state.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> study.simulate("DE", "county", "general", runs=2).to_frame()["state"].unique().tolist()
        ['DE']
        """
        from policy_sim.model.simulation.linking import simulate
        from policy_sim.study.answers import AttackAnswer

        question = Question.of(policies, attackers, one_state(state), rules=rules, in_file=in_file)
        (place,) = question.states or ()
        chosen = {
            "runs": whole_number("runs", runs, 2, _MOST_RUNS),
            "release": number("release", release, 0, 1, above=True),
            "seed": whole_number("seed", seed, 0, _MOST_SEED),
        }
        if tell is not None and not callable(tell):
            raise InputError("tell: give a function that takes the number of a run.")
        attacks = simulate(
            self.people_one_by_one(question),
            self._policies(question),
            self._attackers(question),
            place,
            runs=int(chosen["runs"]),
            release=float(chosen["release"]),
            seed=int(chosen["seed"]),
            in_file=question.in_file,
            days_per_year=self.days_per_year,
            tell=tell,
        )
        return AttackAnswer(attacks, provenance=self._from(question, "simulate", **chosen))

    def synthesize(
        self,
        state: str | State,
        *,
        people: int | None = None,
        seed: int = 1,
        census_day: dt.date | str | None = None,
    ) -> pd.DataFrame:
        """Return synthetic people of one state.

        Everyone has their census age on ``census_day``, by default that of the population.

        Parameters
        ----------
        state : Postal code, FIPS code or name.
        people : How many, drawn at random; everyone by default.
        seed : The same seed gives the same people; 0 or more.
        census_day : A date or a text such as ``"2020-04-01"``.

        Returns
        -------
        One row per person.

        Raises
        ------
        InputError : the population has no stated day, and none is given; fewer than one person, or more
            than the state has; a day too early for the oldest to be born.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> len(study.synthesize("DE", people=5, seed=1))
        5
        """
        import numpy as np

        from policy_sim.model.simulation.people import synthesize

        place = one_state(state)
        many = None if people is None else whole_number("people", people, 1, MOST_G)
        rng = np.random.default_rng(whole_number("seed", seed, 0, _MOST_SEED))
        moment = self.people.provenance.day if census_day is None else day("census_day", census_day)
        if moment is None:
            raise InputError(f"population {self.people.name} has no census date. Give one, such as 2020-04-01.")
        if moment.year <= _OLDEST_AGE:
            raise InputError(
                f"census day {moment}: the oldest people would be born before the year 1; give a later day."
            )
        population = self.people.in_states([place])
        return synthesize(population, rng, moment, people=many, days_per_year=self.days_per_year)


# The question of every group size at once.


_MOST_CURVE = 10_000_000


class CurveQuestions(Setting):
    """How risk grows with the size of a group."""

    def curves(
        self,
        state: str | State,
        policies: Policies = POLICIES,
        attackers: Attackers = ATTACKERS,
        g_max: int = 20_000,
        *,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
    ) -> CurveAnswer:
        """Return the share g-distinct for g = 1 to ``g_max`` in one state.

        Parameters
        ----------
        state : Postal code, FIPS code or name.
        policies, attackers, rules, in_file : As for :meth:`compare`.
        g_max : Largest group size, 1 or more.

        Returns
        -------
        One curve per policy and attacker: shares (0..1) of the state's people.

        Raises
        ------
        InputError, UnknownNameError : as for :meth:`compare`.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> len(study.curves("DE", "county", "general", 100).to_frame())
        100
        """
        question = Question.of(policies, attackers, one_state(state), rules=rules, in_file=in_file)
        swept = curves(
            self.people_for(question),
            self._policies(question),
            self._attackers(question),
            states=question.states,
            g_max=whole_number("g_max", g_max, 1, _MOST_CURVE),
            days_per_year=self.days_per_year,
            in_file=question.in_file,
        )
        return CurveAnswer(swept, provenance=self._from(question, "curve"))
