"""The question, as a call.

>>> from policy_sim import Study
>>> study = Study(population="us-2020", lists="2026")  # doctest: +SKIP
>>> study.compare(states=["OH"]).to_frame()            # doctest: +SKIP
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from policy_sim.attackers import Attacker
from policy_sim.attackers.price import Price
from policy_sim.errors import InputError
from policy_sim.policies.policy import Policy
from policy_sim.population.places import has_place
from policy_sim.profile import Cost, Curve
from policy_sim.setting import ATTACKERS, Setting
from policy_sim.sources.zip_lists import small_prefixes
from policy_sim.states import find_state, find_states
from policy_sim.study import DEFAULT_G, Comparison, compare, costs, curves

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.breakdown import Part
    from policy_sim.explore import Judged
    from policy_sim.policies.release_checks import Checked
    from policy_sim.sensitivity import Swing
    from policy_sim.simulation import Attack

__all__ = ["ATTACKERS", "POLICIES", "REGULATION_POPULATION", "Study"]

POLICIES = ("safe-harbor", "limited-dataset")
# By ZIP code: what the HIPAA rules as written need.
REGULATION_POPULATION = "us-2010-zip"


@dataclass(frozen=True)
class Study(Setting):
    """A population and the voter lists of one vintage, ready to be asked.

    Parameters
    ----------
    population : A name (``us-2020``; the newest by default), a file, or a Population.
    lists : The vintage of the voter lists (``2026``; the newest by default).
    days_per_year : Equally likely birthdays in a year; 365 as Benitez & Malin 2010.
    adversary : What holds the VOTER attacker back: the name of a profile (``academic``), a file, or
        Constraints; nothing by default.
    coverage : Whom the lists hold: ``everyone`` as the paper; ``adults`` or ``registered`` set a second
        attacker, such as ``voter-adults``, beside VOTER.
    as_of : The lists of this day instead of one vintage: for each state the newest begun by then.
    database : Take the lists from this database (a URL, or ``own``) and not from the shipped files.
    zip3 : Which three-digit ZIP codes are too small to be shown, for policies that say so: ``computed``
        from the population's census, ``hhs2000`` as printed, or the ``union`` of both.
    spread : Give every figure of a comparison its variance, for intervals.
    engine : Leave the population, a Parquet file, where it lies and merge it there: ``duckdb``, ``local``,
        ``spark://…``, ``sc://…``, or an open engine (``docs/cluster.md``). Nothing else changes in
        :meth:`compare`, :meth:`cost` and :meth:`curves`; what needs the cells says so.

    Raises
    ------
    UnknownNameError : no such population or vintage.
    InputError : both ``lists`` and ``as_of``.
    """

    def compare(
        self,
        policies: Sequence[str | Policy] = POLICIES,
        attackers: Sequence[str | Attacker] = ATTACKERS,
        states: Sequence[str] | None = None,
        g: Sequence[int] = DEFAULT_G,
    ) -> Comparison:
        """Return a risk profile for each state, policy and attacker; ``.to_frame()`` gives tidy rows."""
        return compare(
            self.counted,
            self._policies(policies),
            self._attackers(attackers),
            states=_postal(states),
            g=g,
            days_per_year=self.days_per_year,
            spread=self.spread,
        )

    def break_down(
        self,
        by: str,
        policies: Sequence[str | Policy] = POLICIES,
        attackers: Sequence[str | Attacker] = ATTACKERS,
        states: Sequence[str] | None = None,
        g: Sequence[int] = DEFAULT_G,
    ) -> tuple[Part, ...]:
        """Part every measure by race, age, sex, county or county-size; ``breakdown_frame`` gives tidy rows."""
        from policy_sim.breakdown import break_down

        return break_down(
            self.people,
            self._policies(policies),
            self._attackers(attackers),
            by,
            states=_postal(states),
            g=g,
            days_per_year=self.days_per_year,
        )

    def cost(
        self, policies: Sequence[str | Policy] = POLICIES, states: Sequence[str] | None = None
    ) -> tuple[Cost, ...]:
        """Return what each re-identification costs the VOTER attacker, by state and policy."""
        return self.cost_of(self.compare(policies, ("voter",), states))

    def cost_of(self, comparison: Comparison) -> tuple[Cost, ...]:
        """Return the costs of the VOTER profiles of a comparison already made."""
        return tuple(cost for each in self.voters for cost in costs(comparison, self.counted, each))

    def what_if(
        self,
        state: str,
        changes: Mapping[str, str],
        policies: Sequence[str | Policy] = POLICIES,
        g: Sequence[int] = DEFAULT_G,
    ) -> pd.DataFrame:
        """Return every measure before and after a change of one state's list, such as ``{"birth": "date"}``.

        The study's adversary is asked anew after the change: a list may come within his reach or leave it.
        """
        from policy_sim.what_if import what_if

        return what_if(
            self.people,
            self._policies(policies),
            self.anyone,
            find_state(state).postal,
            changes,
            g=g,
            days_per_year=self.days_per_year,
            reach=self._within_reach,
        )

    def marginal_effects(
        self, policy: str | Policy = "limited-dataset", states: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Rank what adding or removing each single field of each state's list would do to total risk."""
        from policy_sim.what_if import marginal_effects

        (found,) = self._policies([policy])
        return marginal_effects(
            self.people, found, self.voter, states=_postal(states), days_per_year=self.days_per_year
        )

    def county_costs(
        self, state: str, policy: str | Policy = "limited-dataset", county_price: Price | None = None
    ) -> pd.DataFrame:
        """Return the risk, price and cost of each county's list, for states where only counties sell."""
        from policy_sim.county_lists import county_costs

        (found,) = self._policies([policy])
        listed = self.voter.voter_list(find_state(state).postal)
        return county_costs(self.people, found, listed, county_price, days_per_year=self.days_per_year)

    def curves(
        self,
        state: str,
        policies: Sequence[str | Policy] = POLICIES,
        attackers: Sequence[str | Attacker] = ATTACKERS,
        g_max: int = 20_000,
    ) -> tuple[Curve, ...]:
        """Return the share g-distinct for g = 1 to ``g_max`` in one state."""
        return curves(
            self.counted,
            self._policies(policies),
            self._attackers(attackers),
            states=_postal([state]),
            g_max=g_max,
            days_per_year=self.days_per_year,
        )

    def simulate(
        self,
        state: str,
        policies: Sequence[str | Policy] = POLICIES,
        attackers: Sequence[str | Attacker] = ATTACKERS,
        *,
        runs: int = 20,
        release: float = 1.0,
        seed: int = 1,
        tell: Callable[[int], None] | None = None,
    ) -> tuple[Attack, ...]:
        """Attack made people of one state and count, beside the formulas."""
        from policy_sim.simulation import simulate

        return simulate(
            self.people,
            self._policies(policies),
            self._attackers(attackers),
            find_state(state).postal,
            runs=runs,
            release=release,
            seed=seed,
            days_per_year=self.days_per_year,
            tell=tell,
        )

    def synthesize(
        self, state: str, *, people: int | None = None, seed: int = 1, census_day: dt.date | None = None
    ) -> pd.DataFrame:
        """Return synthetic people of one state, everyone or so many drawn at random.

        Everyone has their census age on ``census_day``, by default that of the population.

        Raises
        ------
        InputError : the population does not say its day, and none is given.
        """
        import numpy as np

        from policy_sim.simulation import make_people, synthetic_table

        day = census_day or self.people.provenance.day
        if day is None:
            raise InputError(f"population {self.people.name} does not say its census day: give one, as 2020-04-01.")
        rng = np.random.default_rng(seed)
        made = make_people(self.people.in_states([find_state(state).postal]), rng, self.days_per_year)
        return synthetic_table(made, rng, day).head(len(made) if people is None else people)

    def explore(
        self,
        states: Sequence[str] | None = None,
        than: str | Policy = "safe-harbor",
        risk: str = "total_risk",
        g: Sequence[int] = DEFAULT_G,
    ) -> tuple[Judged, Policy]:
        """Return every policy of the lattice, judged against one by its name or file; and that one.

        ``.rows`` are tidy, one a state and policy; ``risk`` is ``total_risk`` or ``distinct_<g>``.
        """
        from policy_sim.explore import explore, judged, lattice_of

        [baseline] = self._policies([than])
        small = small_prefixes(self.zip3, self.people.provenance.date) if has_place(self.people, "zip3") else None
        lattice = lattice_of(self.people, small)
        found = explore(self.people, _postal(states), g=g, lattice=lattice, days_per_year=self.days_per_year)
        return judged(found, self.people, baseline, risk=risk, days_per_year=self.days_per_year), baseline

    def check_release(self, policy: str | Policy, states: Sequence[str] | None = None) -> list[Checked]:
        """Return which cells and people every release check would withhold under a policy, by state."""
        from policy_sim.policies.release_checks import check_release
        from policy_sim.sources.release_checks import list_release_checks, load_release_check

        [chosen] = self._policies([policy])
        return [
            found
            for name in list_release_checks()
            for found in check_release(
                self.people, chosen, load_release_check(name), _postal(states), days_per_year=self.days_per_year
            )
        ]

    def sensitivity(
        self,
        state: str,
        policies: Sequence[str | Policy] = POLICIES,
        attackers: Sequence[str | Attacker] = ATTACKERS,
        g: Sequence[int] = DEFAULT_G,
    ) -> tuple[Swing, ...]:
        """Change one assumption at a time in one state, and rank what that does to each figure."""
        from policy_sim.sensitivity import sensitivity
        from policy_sim.sources.assumptions import load_assumptions

        who = self._attackers(attackers)
        return sensitivity(
            self.people,
            self._policies(policies),
            who,
            find_state(state).postal,
            load_assumptions(self.people, who),
            g=g,
            days_per_year=self.days_per_year,
        )


def _postal(states: Sequence[str] | None) -> list[str] | None:
    return [state.postal for state in find_states(states)] if states else None
