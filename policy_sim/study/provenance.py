"""What every answer says next to its figures: noise of the census, and how old the facts of the lists are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.attackers import VOTER
from policy_sim.attackers.attacker import parts_of
from policy_sim.attackers.county_coverage import RegisteredCoverage
from policy_sim.attackers.resource import StateVoterLists
from policy_sim.files.area_tables import AreaTable, area_table
from policy_sim.files.manifest import program_citation
from policy_sim.files.writing import sha256_of
from policy_sim.people.places import as_counted, as_counted_note, shown_note
from policy_sim.people.population import Population, Provenance
from policy_sim.policies.files import RULES, list_policies
from policy_sim.policies.policy import AREA_RULE, Policy
from policy_sim.show.numbers import cents, given
from policy_sim.voter_lists.facts import freshness_lines, price_lines
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.arguments import text
from policy_sim.words.fields import GRANULARITIES, RACE_ALONE, Field, is_area, shows_ethnicity

if TYPE_CHECKING:
    from policy_sim.study.question import Question, Setting


# How ZIP codes are answered where a population counts people by county.
PLACED_BY_CHANCE = (
    "ZIP codes: expected values. People of every age, sex and race are assumed to live in a county's ZIP code areas in "
    "the same shares. A ZIP code area is not exactly a ZIP code, and towns are not modeled"
)
PLACED_BY_CLASS = (
    "ZIP codes: expected values. People of each age, and of each race or Hispanic origin, live in a county's ZIP code "
    "areas as the census and a survey counted them there. A ZIP code area is not exactly a ZIP code, and towns are not "
    "modeled"
)


def placed_notes(studies: Iterable[Setting], question: Question) -> list[str]:
    """Say how ZIP codes are answered by the populations of a question that count people by county."""
    from policy_sim.people.zips import COMPOSED

    composed = [study.counted.name.endswith(COMPOSED) for study in studies if study.places_by_county(question)]
    return [*([PLACED_BY_CHANCE] if not all(composed) else []), *([PLACED_BY_CLASS] if any(composed) else [])]


_BELOW_COUNTY = ("zip3", "zip5", "county_zip3", "county_zip5")
_FAR_APART = 5  # years between a count of voters and the people it is divided by


def decided_fields(policies: Iterable[Policy]) -> list[str]:
    """Return the recorded fields of a list that decide who is linked: those that any of the policies releases."""
    return list(dict.fromkeys(name for policy in policies for name in _released(policy)))


def _released(policy: Policy) -> Iterator[str]:
    for released, granularity in policy.releases.items():
        coarsest = next(iter(GRANULARITIES[released]))
        if granularity != coarsest and not (released is Field.GEOGRAPHY and granularity == "state"):
            yield released.value
        if released is Field.GEOGRAPHY and (granularity in _BELOW_COUNTY or is_area(granularity)):
            yield "zip"


# Where the figures of an answer come from: notes, the facts of the lists, a manifest and a citation.


# What the paper's form leaves out.
_OTHER_FORM = (
    ". The regulation also allows three-digit ZIP codes under Safe Harbor and ZIP codes in a limited data set, which "
    "gives more risk"
)


_ONE_LIST = {"curve": "curves", "score": "records"}  # what has no ranges, by its question
_RANGES_ELSEWHERE = "`compare` measures the whole on three and gives the range"
_JOINED = (
    "registered voters: by county and age in another file too; assumed: records of people who left are in that file as "
    "surely as listed residents are"
)


@dataclass(frozen=True)
class AnswerProvenance:
    """What an answer was made from. Every answer of a :class:`~policy_sim.study.study.Study` has one.

    ``studies`` share everything but the population, and over time the lists. ``analysis``: the question's kind, such as
    ``compare``; the command of the same name. ``options``: what else was asked, by name, for the manifest. ``remarks``:
    notes of this analysis alone, after the others.

    >>> from policy_sim import Study
    >>> answer = Study("us-2010", 2026).compare("safe-harbor", "voter", "OH")
    >>> answer.provenance.notes[1]
    'voter lists: vintage 2026'
    """

    studies: tuple[Setting, ...]
    question: Question
    analysis: str
    options: Mapping[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def study(self) -> Setting:
        """The first study: what all of them share, such as the coverage."""
        return self.studies[0]

    @property
    def _lists(self) -> dict[str, StateVoterLists]:
        """The voter lists by vintage, in the order of the studies; empty where no list is used."""
        if not self.question.has_lists:
            return {}
        return {study.voter.vintage: study.voter.voter_lists for study in self.studies}

    @property
    def notes(self) -> list[str]:
        """Which people, lists and options, one line each, as every command prints them below its table."""
        lines = [*self._people(), *self._held()]
        lines.append(
            f"options: {self._listed()}; {given(self.study.days_per_year)} equally likely birthdays per year; the year "
            f"of birth is computed from the age"
        )
        lines += [*self._registered(), *self._without_ranges()]
        lines += self._intervals()
        lines += self._regions()
        return [*lines, *self._rules(), *self.caveats, *self._left_out(), *self._terms(), *self.remarks]

    @property
    def short_notes(self) -> list[str]:
        """Of :attr:`notes`, for below a table: what could mislead, what was assumed, and last what made the figures."""
        warned = [*self._intervals(), *self._left_out(), *self._race_lines, *self._doubtful_facts()]
        warned += self._regions() if self.question.states else []
        warned += [*self._area_notes(), *self._without_ranges()]
        return [*filter(None, ["; ".join(warned)]), *self.remarks, "; ".join(self._made_of)]

    @property
    def _made_of(self) -> list[str]:
        listed = [self._listed()] if self.question.has_lists or self.question.resources else []
        people = self._people()
        if len(people) > 1:
            people = [f"populations: {', '.join(study.counted.name for study in self.studies)}"]
        return [*people, *self._held(), *listed, self._rule_line()]

    def _doubtful_facts(self) -> list[str]:
        """Say which facts of the lists decide the answer and are old, or known to no source."""
        return freshness_lines(self._newest_lists, self._states(), decided_fields(self.question.loaded), doubtful=True)

    @property
    def _newest_lists(self) -> Mapping[str, VoterList]:
        newest = max(self._lists.values(), key=lambda held: held.newest_vintage, default=None)
        return {} if newest is None else newest.lists

    def _rule_line(self) -> str:
        return "; ".join([self._rule(), *self._file, *self._chosen()])

    def _chosen(self) -> list[str]:
        """What was chosen of the days of a year and of the small three-digit ZIP codes, where it is not the default."""
        study = self.study
        chosen = (
            ("days_per_year", f"{given(study.days_per_year)} equally likely birthdays"),
            ("zip3", f"small three-digit ZIP codes: {study.zip3}"),
        )
        return [words for name, words in chosen if getattr(study, name) != getattr(type(study), name)]

    def _people(self) -> list[str]:
        states = self.question.states or ()
        return [f"population: {study.counted.provenance.describe(states)}" for study in self.studies]

    def _regions(self) -> list[str]:
        """Say where a policy that shows the county meets the planning regions of Connecticut."""
        from policy_sim.people.zips import regions_note

        in_reach = not self.question.states or "CT" in self.question.states
        by_county = any(policy.releases[Field.GEOGRAPHY] == "county" for policy in self.question.loaded)
        notes = [regions_note(study.counted.name) for study in self.studies] if in_reach and by_county else []
        return [note for note in notes if note]

    def _intervals(self) -> list[str]:
        if not self.study.spread:
            return []
        return [f"intervals: {self._varied()}; the numerator and denominator of a ratio are treated as independent"]

    @property
    def list_notes(self) -> list[str]:
        """Which lists and other files the attackers hold, and who is on the lists."""
        listed = [f"options: {self._listed()}"] if self.question.has_lists else []
        return [*self._held(), *listed, *self._registered(), *self._without_ranges()]

    def _held(self) -> list[str]:
        source = f", from {self.study.database_name}" if self.study.database_name else ""
        lists = [f"voter lists: {lists.describe()}{source}" for lists in self._lists.values()]
        return [*lists, *(f"{holder.name}: {holder.resource.describe()}" for holder in self.question.holders)]

    @property
    def figure_notes(self) -> list[str]:
        """The foot of a figure: sources and rules, people, lists, what is particular to it. The manifest has all."""
        publishers = dict.fromkeys(study.counted.provenance.publisher for study in self.studies)
        parts = [*publishers, *self._in_force(), f"policy_sim {version('policy-sim')}", self._rule_line()]
        held, *others = self._held() or [""]
        lines = [*self._people(), "; ".join(filter(None, [held, self._listed()])), *others]
        sources = f"source: {'; '.join(filter(None, parts))}"
        return [sources, *lines, *self._intervals(), *self._left_out(), *self.remarks]

    @property
    def citation(self) -> str:
        """How to cite the answer: the program, its model, the population and every source of the lists, one line each.

        The lists are those of the states that were asked for; each source has its title, date and address.
        """
        lines = program_citation()
        for study in self.studies:
            people = study.counted.provenance
            lines.append(f"Population {people.name}: {people.title}. {people.publisher}, {people.date}.")
            lines += [f"  {source}" for source in people.sources]
        return "\n".join([*lines, *self.list_facts])

    @property
    def list_facts(self) -> list[str]:
        """What each state's voter list, and each other file, holds and costs, and on which sources that rests."""
        files = []
        for holder in self.question.holders:
            from policy_sim.attackers.files import resource_citation

            files += resource_citation(holder.resource)
        if not self.question.has_lists:
            return files
        return [*(line for state in self._states() for line in self._facts_of(state)), *files]

    @property
    def bibtex(self) -> str:
        """The program, its model, the populations, and every source of lists and files as BibTeX: each key once."""
        from policy_sim.attackers import IdentifiedFile
        from policy_sim.files.evidence import Source
        from policy_sim.voter_lists.publication import bibtex, model_entries

        people = [study.counted.provenance for study in self.studies]
        sources = [Source(item.name, item.title, "", item.date, item.publisher) for item in people]
        if self.question.has_lists:
            listed = (self.study.voter.voter_list(state) for state in self._states())
            sources += [source for voter_list in listed for source in voter_list.sources.values()]
        files = (holder.resource for holder in self.question.holders)
        sources += [item for file in files if isinstance(file, IdentifiedFile) for item in file.sources.values()]
        return f"{model_entries(version('policy-sim'))}\n{bibtex(sources)}"

    @property
    def restricted_states(self) -> list[str]:
        """The states whose list only some buyers can get, as the lists record it."""
        lists = self.study.voter.voter_lists.lists if self.question.has_lists else {}
        return sorted(state for state, listed in lists.items() if "public" not in (listed.buyers.names or ("public",)))

    @property
    def inputs(self) -> dict[str, str]:
        """The sha256 of every file that the figures come from, and of what the lists say."""
        inputs: dict[str, str] = {}
        for study in self.studies:
            inputs |= study.counted.provenance.checksums(ethnicity=self.reads_ethnicity)
        inputs |= dict(self._policy_files())
        inputs |= {table.path.name: table.checksum for table in self._area_tables()}
        inputs |= {name: sha256_of(path) for name, path in self.question.resource_files.items()}
        if not self.question.has_lists:
            return inputs
        from policy_sim.attackers.files import list_adversaries
        from policy_sim.files.paths import data_dir
        from policy_sim.voter_lists.schema import lists_digest

        for study in self.studies:
            name = "voter lists" if len(self._lists) == 1 else f"voter lists {study.voter.vintage}"
            inputs[name] = lists_digest(study.unrestricted_voter.voter_lists.lists.values())
        if isinstance(who := self.study.adversary, str):
            inputs[f"adversary {Path(who).stem}"] = sha256_of(list_adversaries().get(who, Path(who)))
        for study in self.studies:
            coverage = study.voter.coverage
            for name in () if coverage is None else coverage.files(study.counted, self._states()):
                inputs[Path(name).name] = sha256_of(data_dir() / name)
        return inputs

    def manifest(self, command: str = "", **options: Any) -> dict[str, Any]:
        """Return what ``manifest.json`` holds: question, options, versions, checksums and notes.

        It has no clock and no path of this machine, so that the same question gives the same manifest.
        """
        from policy_sim.files.manifest import run_manifest

        command = text("command", command) or self.analysis
        return run_manifest(command, self._parameters(**options), self.inputs) | {"notes": self.notes}

    def _parameters(self, **options: Any) -> dict[str, Any]:
        study, question, who = self.study, self.question, self.study.adversary
        return {
            "population": [member.counted.name for member in self.studies],
            "counted": [member.counted.provenance.counted for member in self.studies],
            "engine": None if study.engine is None else str(study.engine),
            "lists": (next(iter(self._lists)) if len(self._lists) == 1 else list(self._lists)) or None,
            "policies": list(question.names),
            "rules": question.rules,
            "in_file": None if question.in_file is None else question.in_file.value,
            "zip3": study.zip3,
            "attackers": list(question.attacker_names),
            "adversary": Path(who).stem if isinstance(who, str) else None,
            "coverage": study.coverage,
            "states": list(question.states or ()) or "all",
            "g": list(question.g),
            "days_per_year": study.days_per_year,
            "interval": 0.95 if study.spread else None,
            "seed": None,
            **self.options,
            **options,
        }

    def _policy_files(self) -> Iterator[tuple[str, str]]:
        shipped = list_policies()
        for name, policy in zip(self.question.names, self.question.policies, strict=True):
            if isinstance(policy, str) and (
                policy in shipped or policy.endswith(".toml")
            ):  # a policy in a line is its name
                yield f"policy {name}", sha256_of(shipped.get(policy, Path(policy)))
        if any(name.startswith("release:") for name in self.question.names):
            from policy_sim.policies.states.files import RELEASE_FOLDER

            yield "releases", RELEASE_FOLDER.digest()

    def _states(self) -> tuple[str, ...]:
        return self.question.states or self.study.counted.states

    def _facts_of(self, state: str) -> Iterator[str]:
        listed = self.study.voter.voter_list(state)
        held = [
            f"{name} ({fact.granularity})" if fact.granularity not in ("", "value") else name
            for name, fact in listed.fields.items()
            if fact.availability == "included"
        ]
        amount = listed.amount()
        price = amount.status if amount.usd is None else f"${cents(amount.usd)}"
        facts = f"{listed.status}; holds {', '.join(held) or '-'}; {price}"
        yield f"Voter list of {state}, vintage {listed.vintage}: {facts}."
        for source in listed.sources.values():
            yield f"  {source.title} ({source.date}){f', {source.url}' if source.url else ''}"

    def _varied(self) -> str:
        """What intervals are over: chance, and the measured error of what is modeled."""
        chance = "the chance of birthdays and of the attacker's random picks"
        modeled = [study.counted.name for study in self.studies if study.model_error]
        if not modeled:
            return f"95%, over {chance} alone"
        counted = sorted({state for study in self.studies if study.model_error for state in study.model_error.counted})
        but = f", except {', '.join(counted)} (counted)" if counted else ""
        return (
            f"95% over {chance}; widened{but} by twice the largest error that was measured in states held out of the "
            f"modeled {', '.join(modeled)}, so the level is not 95%: {'; '.join(map(_held_out_words, modeled))} "
            "(docs/uncertainty.md)"
        )

    def _rule(self) -> str:
        return f"rules: {RULES[self.question.rules]}{_OTHER_FORM if self.question.rules == 'paper' else ''}"

    def _rules(self) -> list[str]:
        """Which form of the HIPAA rules, and how ZIP codes are answered."""
        from policy_sim.people.names import ZIP3_LISTS
        from policy_sim.people.zips import zip_note

        lines = [self._rule(), *self._file]
        people = [study.people_for(self.question) for study in self.studies]
        policies = [as_counted(policy, population) for policy in self.question.loaded for population in people]
        small = [policy.conditions.small_places for policy in policies]
        if any(places is not None and places.place == "zip3" for places in small):
            lines.append(f"ZIP codes: 000 replaces {ZIP3_LISTS[self.study.zip3]}")
        if any(study.places_by_county(self.question) for study in self.studies):
            lines += placed_notes(self.studies, self.question)
            notes = [zip_note(study.counted.name, self.question.states or ()) for study in self.studies]
            lines += [note for note in notes if note]
        return lines

    @property
    def reads_ethnicity(self) -> bool:
        """Whether a policy shows ethnicity, a list compares by it, or results are broken down by it."""
        is_released = any(shows_ethnicity(policy.releases) for policy in self.question.loaded)
        return is_released or self.options.get("by") == Field.ETHNICITY or bool(self._race_lines)

    @property
    def _race_lines(self) -> list[str]:
        """Which lists ask race with Hispanic as one of the answers, where a policy releases race alone."""
        lists, views = self._newest_lists, [policy.releases for policy in self.question.loaded]
        alone = [view for view in views if view[Field.RACE] not in ("none", *RACE_ALONE) and not shows_ethnicity(view)]
        states = [state for state in self._states() if state in lists]
        asking = [state for state in states if lists[state].fields["race"].granularity in RACE_ALONE]
        if not alone or not asking:
            return []
        return [
            f"race: {', '.join(asking)} count Hispanic as a race on their voter lists, a release of race alone does "
            "not. A record is compared with the listed people of its race and all listed Hispanics. If your file "
            "counts Hispanic as a race, take safe-harbor and limited-dataset"
        ]

    @property
    def caveats(self) -> list[str]:
        """How sure ethnicity is where it is shown, the noise of the census, and how old the facts are that decide."""
        lists, states = self._newest_lists, self._states()
        facts = freshness_lines(lists, states, decided_fields(self.question.loaded))
        facts += price_lines(lists, states) if self.analysis == "cost" else []
        return [*self._ethnicity(), *self._noise(), *self._race_lines, *(f"age of facts: {line}" for line in facts)]

    def _noise(self) -> list[str]:
        """What the census's own noise does to the figures: of each population that carries it."""
        from policy_sim.people.facts import noise_of

        populations = [study.counted.provenance for study in self.studies]
        return [f"noise of {people.name}: {note}" for people in populations if (note := noise_of(people))]

    def _ethnicity(self) -> list[str]:
        """Say how sure the ethnicity of each population is, where it is shown."""
        from policy_sim.people.facts import ethnicity_note

        if not self.reads_ethnicity:
            return []
        return [note for study in self.studies if (note := ethnicity_note(study.counted.name))]

    @property
    def _file(self) -> list[str]:
        """How many are in the file, where the attacker knows who."""
        file = self.question.in_file
        if file is None:
            return []
        settled, chances = file.settled(self.study.counted, self._states())
        people = file.title if chances is None else f"{settled.people:,} people from {chances.title}"
        counted = f" ({file.counting})" if file.counting else ""
        return [f"in the file: {people}{counted}; the attacker knows who is in it; shares are shares of the file"]

    def _left_out(self) -> list[str]:
        """What a population cannot show of a policy, and which states' counties were meant by names alone."""
        catchment = None if self.question.in_file is None else self.question.in_file.catchment
        shared = "" if catchment is None else catchment.shared_names(self.question.states)
        counted = [study.people_for(self.question) for study in self.studies]
        notes = [
            as_counted_note(policy, people) or (shown_note(policy, people) if isinstance(people, Population) else "")
            for people in counted
            for policy in self.question.loaded
        ]
        named = f"county names without a state: {shared}" if shared else ""
        return list(dict.fromkeys(filter(None, [named, *notes])))

    def _terms(self) -> list[str]:
        """Under which agreement, and at what price, a release is available."""
        terms = [f"release: {text}" for policy in self.question.loaded for text in policy.remarks]
        return list(dict.fromkeys([*terms, *self._area_notes()]))

    def _area_notes(self) -> list[str]:
        """Say which areas the policies show, and which rule such a release is under."""
        titles = [table.title for table in self._area_tables()]
        return [f"{' and '.join(titles)}: {AREA_RULE}"] if titles else []

    def _area_tables(self) -> list[AreaTable]:
        places = dict.fromkeys(policy.releases[Field.GEOGRAPHY] for policy in self.question.loaded)
        return [area_table(place) for place in places if is_area(place)]

    def _listed(self) -> str:
        """Who is on the lists, and what holds the attacker back."""
        if not self.question.has_lists:
            return f"the attacker links {'the people in its file' if self.question.resources else 'everyone'}"
        coverages = [study.voter.coverage for study in self.studies]
        titles = list(dict.fromkeys(coverage.title for coverage in coverages if coverage))
        listed = f"the voter lists hold {' or '.join(titles)}" if titles else "everyone is on the voter list"
        return f"{listed}; voter: {self.study.voter.title}" if self.study.adversary else listed

    def _registered(self) -> list[str]:
        """What to know of who is on the lists: of every study, each line once."""
        lines: list[str] = []
        for study in self.studies if self.question.has_lists else ():
            coverage = study.voter.coverage
            if coverage is not None:
                remarks = coverage.remarks(study.counted, self._states())
                lines += [f"registered voters: {line}" for line in remarks]
                lines += _counted_far_apart(study.counted.provenance, coverage.year)
                if self._joins_lists and coverage.listing(study.counted) is not None:
                    lines.append(_JOINED)
        return list(dict.fromkeys(lines))

    def _without_ranges(self) -> list[str]:
        """Say of parts, curves and files that figures with a voter list have no ranges there, and why."""
        whose = "parts" if self.options.get("by") else _ONE_LIST.get(self.analysis)
        has_list = self.question.has_lists and any(
            isinstance(study.voter.coverage, RegisteredCoverage) for study in self.studies
        )
        return [f"no ranges: {whose} are measured on one list; {_RANGES_ELSEWHERE}"] if whose and has_list else []

    @property
    def _joins_lists(self) -> bool:
        """Whether an attacker links through a voter list and another file at once."""
        parts = [parts_of(name) for name in self.question.attacker_names]
        return any(VOTER in names and len(names) > 1 for names in parts)

    def _in_force(self) -> list[str]:
        """From when the voter lists hold; nothing where no list is used."""
        lists = [listed for held in self._lists.values() for listed in held.lists.values()]
        days = {listed.valid_from for listed in lists if listed.vintage.isdigit()}
        if not days:
            return []
        first, last = (f"{day:%B} {day.day}, {day.year}" for day in (min(days), max(days)))
        return [f"voter lists in force from {first}" + (f" to {last}" if first != last else "")]


def _counted_far_apart(people: Provenance, year: int | None) -> Iterator[str]:
    """Say where the registered voters were counted long before or after the people they are divided by."""
    of_year = people.date[:4]
    if year is None or not of_year.isdecimal() or abs(int(of_year) - year) <= _FAR_APART:
        return
    if year > int(of_year):
        where = "where a state has grown since, the share is too large, and claims look surer than they are"
    else:
        where = "where a state had grown by then, the share is too small, and claims look less sure than they are"
    yield f"registered voters: those of {year}, as a share of the adults of {of_year} ({people.name}): {where}"


def _held_out_words(population: str) -> str:
    """Say how often that held the error of a state that was not among those it was taken from."""
    from policy_sim.model.model_error import held_out_coverage

    inside, compared, tables = held_out_coverage(population.removesuffix("-zip"))
    if not compared:
        return f"{population} has one state to measure on"
    return f"of {population} it held {inside} of {compared} errors of a state left out ({tables} tables of states)"
