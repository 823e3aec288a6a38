"""From a linkage key to figures, in named steps: people, list, file, groups, figures.

Merge first, then bin (docs/architecture.md). The formulas that the last step ends in are ``policy_sim/formulas/``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from policy_sim.attackers.coverage import Coverage, listed_shares
from policy_sim.attackers.in_file import InFile, shares_in_file
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.people.county_tables import Listing
from policy_sim.people.file_chances import FileChances
from policy_sim.people.merge import MergeKey, OtherList
from policy_sim.people.merging import merge, merge_parted
from policy_sim.people.places import Split, by_ethnicity, is_by_zip, judged_on_everyone, split_people
from policy_sim.people.population import AnyPopulation, Population, in_memory
from policy_sim.people.zips import PeopleByZip
from policy_sim.policies.policy import Conditions
from policy_sim.words.arrays import FloatArray
from policy_sim.words.fields import Field, Granularities

# What is merged: the view that both sides share, the policy's conditions as far as it feels them, and
# who is on the attacker's lists.
Key: TypeAlias = tuple[Granularities, Conditions, Coverage | None]
# Groups and the chances of being listed and in the file, to one row of figures a unit.
Figures: TypeAlias = Callable[[AnyGroups, Chances], FloatArray]
At: TypeAlias = tuple[Key, str]  # a key and a state


class Job(NamedTuple):
    """What is merged together: a key, the states that need it, and where the people of the file come from."""

    key: Key
    states: tuple[str, ...]
    file: FileChances | None
    others: tuple[tuple[Key, tuple[str, ...]], ...] = ()  # the same people on other lists, in some of the states
    is_other: bool = False  # whether the key itself is for such a list

    @property
    def at(self) -> list[At]:
        """The keys and states of the rows of figures."""
        return [(key, state) for key, states in ((self.key, self.states), *self.others) for state in states]

    @property
    def apart(self) -> list[Job]:
        """Each list by itself."""
        others = (Job(key, states, self.file, is_other=True) for key, states in self.others)
        return [self._replace(others=()), *others]


@dataclass(frozen=True, eq=False)
class Asked:
    """What a step knows of a job and hands to the next.

    Attributes
    ----------
    people : Those among whom a record's person is looked for.
    split : The parts of the people that have figures of their own; None where there are none.
    conditions : The policy's conditions, judged on everyone where ``people`` are some of them.
    listing : Who is on the list, where that differs by person.
    listed, in_file : Share of the people of each state who are listed, and in the file, as far as ``listing`` does not
        say it; no share in the file where everyone is released.
    """

    job: Job
    people: AnyPopulation
    split: Split | None
    conditions: Conditions
    listing: Listing | None
    listed: FloatArray
    in_file: FloatArray | None


@dataclass(frozen=True, eq=False)
class Measuring:
    """The steps from a key to its figures; :meth:`rows` takes them.

    Attributes
    ----------
    population : The people of the question.
    figures : What is measured of the groups.
    by : Which parts of the people have figures of their own; empty for none.
    compared : States of each key that compares race record by record.
    in_file : How many are in the file; None: everyone is released.
    """

    population: AnyPopulation
    figures: Figures
    by: str
    days_per_year: float
    in_file: InFile | None
    compared: Mapping[Key, Iterable[str]] = field(default_factory=dict)

    def rows(self, job: Job) -> dict[At, FloatArray]:
        """Return the figures of each state of a job."""
        asked = self.told_of_file(self.on_list(self.asked_people(job)))
        table = self.measured(asked, self.groups(asked))
        return dict(zip(job.at, table, strict=True))

    def asked_people(self, job: Job) -> Asked:
        """Step 1, people: everyone, or those who live where the file comes from, and their parts."""
        people, split = self._people_and_parts(job.file, job.key in self.compared)
        _, conditions, coverage = job.key
        if coverage is not None or job.key in self.compared or job.file is not None:
            conditions = judged_on_everyone(conditions, self.population)
        return Asked(job, people, split, conditions, None, _all_of(job.at), None)

    def on_list(self, asked: Asked) -> Asked:
        """Step 2, list: of the people those of an age to be listed, and who of them is; a listing says it by itself."""
        coverage, states = asked.job.key[2], asked.job.states
        if coverage is None:
            return asked
        ages, listing = coverage.ages_in(self.population), coverage.listing(self.population)
        listed = listed_shares(self.population, None if listing else coverage, states)
        return replace(
            asked,
            people=asked.people.of_age(*ages),
            split=None if asked.split is None else self._of_ages(asked, asked.split, *ages),
            listing=listing,
            listed=np.append(listed, np.ones(len(asked.job.at) - len(states))),
        )

    def told_of_file(self, asked: Asked) -> Asked:
        """Step 3, file: who of the people is in it, by state, or by place where it comes from some."""
        (view, _, coverage), states, file = asked.job[:3]
        if file is None:
            of_rows = [state for _, state in asked.job.at]
            return replace(asked, in_file=shares_in_file(self.in_file, self._inhabitants, of_rows))
        listing, listed = asked.listing, asked.listed
        if listing is None and len(file.states) > 1:
            shares = listed_shares(self.population, coverage, file.states)
            listing = file.listing(dict(zip(file.states, shares.tolist(), strict=True)))
            listed = _all_of(states)
        people, listing, chance = file.by_key(asked.people, view, listing, float(listed[0]))
        if chance is None:  # the listing has it, place by place
            return replace(asked, people=people, listing=listing, listed=_all_of(states), in_file=_all_of(states))
        return replace(asked, people=people, listing=listing, listed=listed, in_file=chance * _all_of(states))

    def groups(self, asked: Asked) -> AnyGroups:
        """Step 4, groups: the people merged by the key; with parts of the people, each state once per part."""
        view, states, people, split = asked.job.key[0], asked.job.states, asked.people, asked.split
        if split is not None and isinstance(people, PeopleByZip):
            if is_by_zip(view[Field.GEOGRAPHY]):
                key = MergeKey(view, states, self.days_per_year, asked.conditions, asked.listing)
                return merge_parted(people, key, split)
            people = people.county_population
        return merge(
            people,
            view,
            states,
            days_per_year=self.days_per_year,
            conditions=asked.conditions,
            by=split,
            listing=asked.listing,
            others=tuple(self._other_lists(asked.job)),
        )

    def _other_lists(self, job: Job) -> Iterator[OtherList]:
        """Yield the lists of other keys of a job, with their states."""
        for (_, _, coverage), states in job.others:
            listing = coverage.listing(self.population) if coverage else None
            assert listing is not None  # it is measured apart else
            yield OtherList(listing, states)

    def measured(self, asked: Asked, groups: AnyGroups) -> FloatArray:
        """Step 5, figures: one row a state; the parts of each state are folded into its row."""
        job = asked.job
        chances = Chances(asked.listed, asked.in_file)
        if job.others or job.is_other:
            chances = replace(chances, asked=np.arange(len(job.at)) < (0 if job.is_other else len(job.states)))
        if asked.split is None:
            return self.figures(groups, chances)
        many = len(asked.split.names)
        table = self.figures(groups, chances.repeated(many))
        return table.reshape(-1, many, *table.shape[1:])

    @cached_property
    def _inhabitants(self) -> dict[str, int]:
        return self.population.people_by_state() if self.in_file else {}

    @cached_property
    def _people_and_parts(self) -> Callable[[FileChances | None, bool], tuple[AnyPopulation, Split | None]]:
        """The people of a file or all, and their parts, by whether race is compared; found once."""

        @cache
        def found(file: FileChances | None, compared: bool) -> tuple[AnyPopulation, Split | None]:
            everyone = self._everyone(compared)
            people = everyone if file is None else file.living_there(everyone)
            return people, split_people(counted_in(everyone), self.by) if self.by else None

        return found

    def _everyone(self, compared: bool) -> AnyPopulation:
        return self._by_origin if compared else self.population

    def _of_ages(self, asked: Asked, split: Split, least_age: int, most_age: int | None) -> Split:
        """The same parts, made of everyone, for the cells that ``of_age`` keeps."""
        age = counted_in(self._everyone(asked.job.key in self.compared)).cells["age"].to_numpy()
        kept = (age >= least_age) & (age <= (age.max() if most_age is None else most_age))
        return replace(split, codes=split.codes[kept])

    @cached_property
    def _by_origin(self) -> AnyPopulation:
        """The people of the states that compared keys ask for, by ethnicity; of all where a key lacks the state."""
        if any(view[Field.GEOGRAPHY] == "nation" for view, _, _ in self.compared):
            return by_ethnicity(self.population)
        states = list(dict.fromkeys(state for states in self.compared.values() for state in states))
        return by_ethnicity(part_of(self.population, states))


def part_of(population: AnyPopulation, states: Sequence[str]) -> AnyPopulation:
    """Return the people of some states; all, where an engine has them."""
    return population.in_states(states) if isinstance(population, Population | PeopleByZip) else population


def counted_in(population: AnyPopulation) -> Population:
    """Return the people by county, whose cells are available."""
    return population.county_population if isinstance(population, PeopleByZip) else in_memory(population)


def _all_of(states: Sequence[object]) -> FloatArray:
    return np.ones(len(states))
