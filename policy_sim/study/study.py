"""Every question about states, from Python: :class:`Study`.

>>> from policy_sim import Study
>>> study = Study("us-2010", lists=2026)
>>> comparison = study.compare(states="Ohio", attackers="general", g=5)
>>> round(comparison.profile("OH", "limited-dataset", "general").share("total-risk").low, 3)
0.88
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from policy_sim.attackers.county_coverage import RegisteredCoverage, load_coverage
from policy_sim.people.composed import factors_of_parts
from policy_sim.people.names import ZIP3_LISTS, with_zip3_list
from policy_sim.people.places import as_counted
from policy_sim.people.population import ETHNICITIES, Population
from policy_sim.people.zips import PeopleByZip, parts_of, zip_note
from policy_sim.policies.files import list_policies, load_policy
from policy_sim.policies.policy import Policy
from policy_sim.show.numbers import given
from policy_sim.study.areas import AreaVerbs
from policy_sim.study.compare import CompareVerbs
from policy_sim.study.explain import CheckVerbs
from policy_sim.study.explore import PolicyVerbs
from policy_sim.study.lists import ListVerbs
from policy_sim.study.money import MoneyVerbs
from policy_sim.study.provenance import PLACED_BY_CHANCE, PLACED_BY_CLASS
from policy_sim.study.question import Setting
from policy_sim.study.tokens import TokenVerbs
from policy_sim.words.arguments import names_its_arguments
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field

if TYPE_CHECKING:
    from policy_sim.attackers.resource import IdentifiedFile
    from policy_sim.explorer.page import ExplorerContent
    from policy_sim.people.county_tables import PeopleTable


@names_its_arguments
@dataclass(frozen=True, repr=False)
class Study(Setting, CompareVerbs, MoneyVerbs, ListVerbs, PolicyVerbs, CheckVerbs, AreaVerbs, TokenVerbs):
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

        return explorer_page(explorer_content(self))


# What the explorer's page holds: the people, the lists and the policies of a study.


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
    from policy_sim.policies.states.files import release_policy
    from policy_sim.policies.states.state_release import NEWEST

    return release_policy(NEWEST)


def explorer_files() -> tuple[IdentifiedFile, ...]:
    """Return the shipped files, besides voter lists, of which the page can show figures.

    Left out are files that nobody can have or that list the dead, and those of which no source says whether they hold
    a field that links: their figures would lie between almost nothing and almost everything.
    """
    from policy_sim.attackers.files import list_resources, load_resource

    files = (load_resource(name) for name in list_resources())
    return tuple(file for file in files if len(file.held((file.states or ("OH",))[0]).views) == 1)


def hispanics_of(people: Population) -> PeopleTable | None:
    """Return the Hispanics of a population; None where it does not tell."""
    from policy_sim.people.county_tables import PeopleTable

    if "ethnicity" not in people.columns:
        return None
    cells = people.cells
    if people.hispanic is None:
        of_cell = cells["people"].where(cells["ethnicity"] == ETHNICITIES[0], 0).to_numpy()
    else:
        of_cell = people.hispanic()
    return PeopleTable.of(people, of_cell)


def _states_by_range_end(registered: RegisteredCoverage, people: Population) -> dict[RegisteredCoverage, list[str]]:
    """Return the states in which each other assumption about the records of the lists is an end of a range."""
    ends = {state: registered.alternatives(people, state) for state in people.states}
    return {end: [state for state, own in ends.items() if end in own] for end in registered.range_ends}


def explorer_content(study: Setting) -> ExplorerContent:
    """Return what the page holds: the people, the lists, the policies and the files that it computes with."""
    from policy_sim.explorer.page import ExplorerContent, ExplorerFile, RangeEnd
    from policy_sim.model.model_error import errors_of
    from policy_sim.people.county_tables import PeopleTable

    people, lists = study.people, study.unrestricted_voter.voter_lists
    registered = load_coverage("registered", lists.newest_vintage)
    assert isinstance(registered, RegisteredCoverage)
    listed = registered.of(people)
    if listed is None:
        raise InputError(f"population {people.name} has no county: the page counts people by county.")
    facts = people.provenance
    lines = [
        f"policy_sim {version('policy-sim')}: explorer of the risk of re-identification by state.",
        f"Population {facts.name}: {facts.title}. {facts.publisher}, {facts.date}.",
        f"Voter lists: {lists.describe()}; the source of each fact is on the card of its state.",
    ]
    hispanics = hispanics_of(people)
    by_zip = isinstance(study._counted_by_zip, PeopleByZip)
    parts = parts_of(people) if by_zip else None
    factors = factors_of_parts(people, parts)
    policies = [
        with_zip3_list(as_counted(policy, people if by_zip is False else study._counted_by_zip), study.zip3, facts.date)
        for policy in explorer_policies(by_zip=by_zip)
    ]
    notes = (
        f"{given(study.days_per_year)} equally likely birthdays per year; the year of birth is computed from the age",
        (PLACED_BY_CLASS if factors else PLACED_BY_CHANCE)
        if by_zip
        else "ZIP codes: this population has no counts by ZIP code area, so policies that release ZIP codes are "
        "left out",
        *(() if hispanics else (f"ethnicity: population {facts.name} does not tell it; race is shown alone",)),
        *((f"ZIP codes: 000 replaces {ZIP3_LISTS[study.zip3]}",) if by_zip else ()),
        *((zip_note(facts.name),) if zip_note(facts.name) else ()),
    )
    return ExplorerContent(
        PeopleTable.of(people),
        hispanics,
        parts,
        factors,
        facts,
        (*policies, *((as_released(),) if by_zip else ())),
        lists,
        listed,
        registered,
        tuple(
            RangeEnd(end.name, None if end.assumed else end.of(people), tuple(states))
            for end, states in _states_by_range_end(registered, people).items()
        ),
        tuple(
            ExplorerFile(file, (0, None) if file.coverage is None else file.coverage.ages_in(people))
            for file in explorer_files()
        ),
        errors_of(facts),
        study.days_per_year,
        notes,
        "\n".join(lines),
    )
