"""Every question about states, from Python: :class:`Study`.

>>> from policy_sim import Study
>>> study = Study("us-2010", lists=2026)
>>> comparison = study.compare(states="Ohio", attackers="general", g=5)
>>> round(comparison.profile("OH", "limited-dataset", "general").share("total-risk").low, 3)
0.88
"""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.study.compare import answer, break_down, compare, compare_release, cost, cost_of, curves
from policy_sim.study.explain import explain, sensitivity
from policy_sim.study.explore import check_release, explore
from policy_sim.study.lists import (
    county_costs,
    list_changes,
    listed_by,
    listed_by_age,
    look_up_next,
    marginal_effects,
    own_release,
    what_if,
)
from policy_sim.study.money import attack, break_even, budget, game, pair
from policy_sim.study.question import Setting
from policy_sim.study.simulate import simulate, synthesize


@dataclass(frozen=True, repr=False)
class Study(Setting):
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
    coverage : Who is on the voter lists: the ``registered`` adults by county and age, beside records of people who
        left; as many of a state as say in a ``survey`` that they are registered; all ``adults``; or ``everyone``,
        children too, as the paper.
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

    compare = compare
    answer = answer
    compare_release = compare_release
    break_down = break_down
    cost = cost
    cost_of = cost_of
    curves = curves

    attack = attack
    break_even = break_even
    budget = budget
    game = game
    pair = pair

    list_changes = list_changes
    what_if = what_if
    marginal_effects = marginal_effects
    look_up_next = look_up_next
    county_costs = county_costs
    listed_by_age = listed_by_age
    listed_by = listed_by
    own_release = own_release

    explore = explore
    check_release = check_release
    sensitivity = sensitivity
    explain = explain
    simulate = simulate
    synthesize = synthesize

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
        from policy_sim.study.explorer import explorer_content

        return explorer_page(explorer_content(self))
