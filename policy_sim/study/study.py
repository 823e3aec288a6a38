"""Every question about states, from Python: :class:`Study`.

>>> from policy_sim import Study
>>> study = Study("us-2010", lists=2026)
>>> comparison = study.compare(states="Ohio", attackers="general", g=5)
>>> round(comparison.profile("OH", "limited-dataset", "general").share("total-risk").low, 3)
0.88
"""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.study.compare import CompareVerbs
from policy_sim.study.explain import CheckVerbs
from policy_sim.study.explore import PolicyVerbs
from policy_sim.study.lists import ListVerbs
from policy_sim.study.money import MoneyVerbs
from policy_sim.study.question import Setting


@dataclass(frozen=True, repr=False)
class Study(Setting, CompareVerbs, MoneyVerbs, ListVerbs, PolicyVerbs, CheckVerbs):
    """A population and the voter lists of one vintage, ready for questions.

    Every question takes one value or several: ``states="OH"`` or ``["OH", "Texas"]``, ``policies="safe-harbor"``,
    ``attackers="voter"``, ``g=5``. :class:`~policy_sim.study.question.Question` says what each may be, and its default.
    Every answer has ``to_frame()`` and ``provenance`` and shows itself in a notebook. What cannot be asked raises an
    InputError, and a name that is not known an UnknownNameError; both say in one line what to give.

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

    Examples
    --------
    >>> Study("us-2010", lists=2026).compare("safe-harbor", "general", ["OH", "texas"])
    Comparison in us-2010: 2 states, 1 policy, 1 attacker, 5 measures (.to_frame() has every row)
    ...
    """

    def explorer(self) -> str:
        """Return one HTML file that contains the people and computes every figure in the browser, without a network.

        The people are those of the study, the lists those of its vintage. The page has under three megabytes: people
        that do not fit are refused, and so is a population without counties, sex or race.

        >>> page = Study("us-2020").explorer()  # doctest: +SKIP
        """
        from policy_sim.explorer.page import explorer_page
        from policy_sim.study.explorer import explorer_content

        return explorer_page(explorer_content(self))
