"""Who is on the attacker's lists, drawn person by person, and what its lists and a release both show of each.

Nothing here shares code with the formulas. Of several lists, each is drawn for itself and linked with the others by
name: the people who are on every list remain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import gammaincinv, stdtrit

from policy_sim.attackers.attacker import Attacker, Joined, settlements
from policy_sim.attackers.coverage import Coverage, listed_shares
from policy_sim.attackers.linkage import FIELD_ENDS
from policy_sim.attackers.resource import Resource
from policy_sim.model.cases import Case, Cases
from policy_sim.model.compare import compare
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, PRECISION, TOTAL_RISK, Bounds, Measure, Row, ends_of_figure
from policy_sim.model.simulation.people import People, born, chances_by_person, make_people, shown_key
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.zips import PeopleByZip
from policy_sim.policies.policy import Policy, same_in_every_state
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError, NotEstimableError
from policy_sim.words.fields import RACE_ALONE, Granularities, race_comparison
from policy_sim.words.status import Status


@dataclass(frozen=True, eq=False)
class Listed:
    """Of each of the people: whether they could be on every list of the attacker, and whether they are.

    A list may hold people of some ages only. The attacker knows that, and leaves the records of others alone. ``left``
    are the entries of the list for people who moved away or died, who have no record; None where there are none.
    """

    possible: BoolArray
    listed: BoolArray
    left: People | None = None


def draw_lists(people: People, attacker: Attacker, state: str, rng: np.random.Generator) -> Listed | None:
    """Draw who is on every list of an attacker; None where it has everyone.

    A list that is known by county and age holds each person with their own chance, and records of people who left.
    Any other holds its share of the people of its ages. How far the people of several lists are the same is the
    ``overlap`` of the resource: each list drawn for itself (``independent``); the same people first (``most``); or
    whoever one list misses is on the others (``least``).

    ``state``: postal code.
    """
    coverage = attacker.resource.coverage_in(state)
    if coverage is None:
        return None
    parts = [held for part in _parts(attacker.resource, state) if (held := part.coverage_in(state)) is not None]
    every = np.logical_and.reduce([_may_hold(people, held) for held in parts])
    chances = np.array([_chances(people, held, state) for held in parts])
    overlap = attacker.resource.overlap if isinstance(attacker.resource, Joined) else ""
    listed = every & _on_every_list(chances, overlap, rng)
    listing = coverage.listing(people.population)
    return Listed(every, listed, None if listing is None else _who_left(people, every, listing, rng))


def _may_hold(people: People, coverage: Coverage) -> BoolArray:
    """Tell who is of an age that a list may hold."""
    least, most = coverage.ages_in(people.population)
    age = people.population.cells["age"].to_numpy()[people.cell]
    return np.asarray((age >= least) & (age <= (np.inf if most is None else most)))


def _chances(people: People, coverage: Coverage, state: str) -> FloatArray:
    """Return the chance of each person to be on a list: that of their county and age, or one share for all."""
    listing = coverage.listing(people.population)
    if listing is not None:
        return _by_county_and_age(people, listing)[1]
    share = listed_shares(people.population, coverage, [state])[0]
    return np.full(len(people), share)


def _by_county_and_age(people: People, listing: Listing) -> tuple[IntArray, FloatArray]:
    """Return the row of each person's county in a listing, -1 of any other, and their chance to be listed."""
    counties = people.population.cells["county"].cat
    row = {code: number for number, code in enumerate(listing.county)}
    place = np.array([row.get(str(code), -1) for code in counties.categories])[counties.codes.to_numpy()][people.cell]
    return place, np.where(place >= 0, listing.chance[place, np.minimum(people.age, YEARS_OF_AGE - 1)], 0.0)


def _who_left(people: People, possible: BoolArray, listing: Listing, rng: np.random.Generator) -> People | None:
    """Draw the records of people who left each county.

    A stale record is of the cell of a resident, the likelier to be listed the likelier to be taken, and has the home of
    any resident; its age in the cell and its birthday are its own.
    """
    place, chance = _by_county_and_age(people, listing)
    chance = np.where(possible, chance, 0.0)
    order = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[order], np.arange(len(listing.county) + 1))
    sums = np.concatenate([[0.0], np.cumsum(chance[order])])[ends]
    many = np.round(listing.stale * np.diff(sums)).astype(np.int64)
    if not many.any():
        return None
    county = np.repeat(np.arange(len(listing.county)), many)
    at = sums[county] + rng.random(len(county)) * np.diff(sums)[county]
    like = order[np.minimum(np.searchsorted(np.cumsum(chance[order]), at, side="right"), len(people) - 1)]
    neighbor = order[ends[county] + (rng.random(len(county)) * np.diff(ends)[county]).astype(np.int64)]
    left = born(people.population, people.cell[like], rng, people.days_per_year)
    homes = people.homes and replace(people.homes, part=people.homes.part[neighbor])
    return replace(left, homes=homes)


def _on_every_list(chances: FloatArray, overlap: str, rng: np.random.Generator) -> BoolArray:
    """Draw for each person whether all lists hold them; ``chances``: of each to be on each, shape (lists, people)."""
    if len(chances) == 1 or overlap == "independent":
        return np.asarray((rng.random(chances.shape) < chances).all(axis=0))
    # A person's place on a circle: each list misses an arc of it. Arcs from one point overlap as far as they can;
    # arcs one after the other overlap only where together they are longer than the circle.
    place, arcs = rng.random(chances.shape[1]), 1 - chances
    starts = np.zeros_like(arcs) if overlap == "most" else np.cumsum(arcs, axis=0) - arcs
    return ~np.asarray(((place - starts) % 1.0 < arcs).any(axis=0))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Some records and whom each may be: those of the ``candidates`` with the same ``key``.

    One number and two truths per person. Comparisons of one release have different ``records``: of everyone, but where
    race is asked in two ways, those of each race.
    """

    key: IntArray
    records: BoolArray
    candidates: BoolArray


def joined_keys(
    people: People, policy: Policy, attacker: Attacker, state: str, *, released: bool
) -> tuple[Comparison, ...]:
    """Return what the release and any of the attacker's lists both show of each person.

    Each list is compared with the release by itself; two people have the same number exactly if no list tells them
    apart.
    """
    everyone = np.ones(len(people), dtype=np.bool_)
    joined = [Comparison(np.zeros(len(people), dtype=np.int64), everyone, everyone)]
    for part in _parts(attacker.resource, state):
        linkage = part.linkage(policy.releases, state)
        view = linkage.high if released else linkage.low
        assert view is not None  # the part is held
        classes = [(everyone, everyone)]
        if race_comparison(view) is not None:
            classes, view = list(_by_race(people, view)), view.replace(race="none")
        values = shown_key(people, view, policy.conditions.on(view, listed=part.is_file))
        _, code = np.unique(values, return_inverse=True)
        joined = [
            Comparison(_numbered(before.key, code), before.records & mine, before.candidates & whose)
            for before in joined
            for mine, whose in classes
        ]
    return tuple(joined)


def _by_race(people: People, key: Granularities) -> Iterator[tuple[BoolArray, BoolArray]]:
    """For each class of the release's race, tell whose records are in it and whom the list may show as one of them."""
    comparison = race_comparison(key)
    assert comparison is not None  # race is asked in two ways
    cells = people.population.cells
    if "ethnicity" not in cells:
        raise InputError(f"population {people.population.name} has no ethnicity, which the linkage key {key} needs.")
    race, hispanic = (cells[name].astype(str).to_numpy()[people.cell] for name in ("race", "ethnicity"))
    hispanic, of_class = hispanic == "hispanic", comparison.views[0].class_of(np.unique(race))
    of_release = np.array([of_class.get(name, -1) for name in race])
    combined = comparison.released in RACE_ALONE
    for value in np.unique(of_release):
        same = of_release == value
        yield (same & ~hispanic, same) if combined else (same, (same & ~hispanic) | hispanic)
    if combined:
        yield hispanic, np.ones_like(hispanic)


def _numbered(numbers: IntArray, code: IntArray) -> IntArray:
    _, both = np.unique(numbers * (int(code.max(initial=0)) + 1) + code, return_inverse=True)
    numbered: IntArray = both.reshape(-1)
    return numbered


def _parts(resource: Resource, state: str) -> list[Resource]:
    return resource.held_in(state) if isinstance(resource, Joined) else [resource]


# Links of the records of a release with people on a list, drawn at random among those who show the same key.
#
# Nothing here shares code with the formulas.


@dataclass(frozen=True, eq=False)
class Sides:
    """The two sides that are linked, as places among the people: records of the release, people on the list."""

    records: IntArray
    people: IntArray

    def among(self, comparison: Comparison) -> Sides:
        """Return the records of a comparison, and of the people on the list those whom they may be."""
        return Sides(self.records[comparison.records[self.records]], self.people[comparison.candidates[self.people]])


def sides_of(lists: Listed | None, released: IntArray, everyone: int, *, is_file: bool) -> Sides:
    """Return whose records are linked and with whom.

    ``lists``: who can be on the attacker's lists, and who is; None: everyone. The entries of people who left come
    after everyone.
    """
    if lists is None:
        return Sides(released, released if is_file else np.arange(everyone))
    records = released[lists.possible[released]]
    if is_file:  # nobody who left is in it
        return Sides(records, records[lists.listed[records]])
    left = 0 if lists.left is None else len(lists.left)
    return Sides(records, np.concatenate([np.flatnonzero(lists.listed), everyone + np.arange(left)]))


def link(key: IntArray, sides: Sides, rng: np.random.Generator) -> tuple[int, int, int]:
    """Link every record to a random person on the list who shows the same key, and count."""
    _, bin_of = np.unique(key, return_inverse=True)
    listed = bin_of[sides.people]
    by_bin = sides.people[np.argsort(listed, kind="stable")]
    size = np.bincount(listed, minlength=int(bin_of.max(initial=0)) + 1)
    first = np.cumsum(size) - size
    mine = bin_of[sides.records]
    many = size[mine]
    place = first[mine] + rng.integers(0, np.maximum(many, 1))
    correct = (many > 0) & (by_bin[np.minimum(place, len(by_bin) - 1)] == sides.records) if len(by_bin) else many > 0
    claimed = many == 1
    return int(correct.sum()), int(claimed.sum()), int((correct & claimed).sum())


# The attack itself, run many times, next to the formulas.
#
# A release is a random sample of the people, and the attacker's list is drawn too; each released record is linked to
# one of the list's entries that show the same key, drawn at random among equals. What is counted: correct links (total
# risk), listed people whom no other entry resembles (1-distinct), and, of a list that holds some of the people, the
# records that exactly one entry resembles (claims) and how many of these are right.


UNIQUE = Measure("g-distinct", 1)
CONFIDENCE = 0.99
# Below this many people counted in all runs together, t says nothing: runs may even count alike by luck.
FEW = 30


@dataclass(frozen=True, repr=False)
class Attack(Row):
    """What was counted over runs of one attack by one measure, and what the formula expects.

    ``counts`` has one count of people a run; of precision, the share of the run's claims that are right. ``end`` tells
    the keys of an unknown field apart, ``assumption`` what is taken to hold of the people on the attacker's lists.
    """

    columns = (
        "state policy attacker measure g unknown_fields assumed_people runs mean spread low_99 high_99 formula agrees"
    )
    case: Case
    attacker: str
    assumption: str
    end: str
    measure: Measure
    counts: FloatArray
    expected: float

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return one row: what was counted, people, and what the formula expects."""
        row: dict[str, Any] = {"state": self.case.state, "policy": self.case.policy.name, "attacker": self.attacker}
        row |= self.measure.columns | {"runs": len(self.counts)}
        row |= {"unknown_fields": self.end or None, "assumed_people": self.assumption or None}
        row |= {"mean": self.mean, "spread": self.spread, "formula": self.expected, "agrees": self.agrees}
        yield row | ends_of_figure("", self.interval, "low_99", "high_99")

    @property
    def mean(self) -> float:
        """Mean count over the runs."""
        return float(self.counts.mean())

    @property
    def spread(self) -> float:
        """Standard deviation of one run's count."""
        return float(self.counts.std(ddof=1))

    @property
    def interval(self) -> Bounds:
        """99 % interval of the mean: Student's t, runs - 1 degrees of freedom.

        Where fewer than ``FEW`` people were counted in all, the exact one of a Poisson count (Garwood
        1936). Links and unique people scatter no more than that, so that it is wide enough.
        """
        runs, count = len(self.counts), float(self.counts.sum())
        tail = (1 - CONFIDENCE) / 2
        if count < FEW and self.measure != PRECISION:
            low = float(gammaincinv(count, tail)) if count else 0.0
            return Bounds(low / runs, float(gammaincinv(count + 1, 1 - tail)) / runs)
        half = float(stdtrit(runs - 1, 1 - tail)) * self.spread / np.sqrt(runs)
        return Bounds(self.mean - half, self.mean + half)

    @property
    def agrees(self) -> bool:
        """Whether the formula's figure lies in the interval (to rounding, where every run counts alike)."""
        slack = 1e-9 * max(1.0, abs(self.expected))
        return self.interval.low - slack <= self.expected <= self.interval.high + slack


def simulate(
    cases: Cases, *, runs: int = 20, release: float = 1.0, seed: int = 1, tell: Callable[[int], None] | None = None
) -> tuple[Attack, ...]:
    """Attack a state's people, created again in each run, and count.

    People by ZIP code are assigned to the ZIP code areas of their counties again in each run. ``release``: share of the
    people who are in the release, above 0 to 1; not together with a file whose people the attacker knows. Returns
    one attack for each policy, attacker, key and measure; none for an attacker without a list (:func:`without_list`
    says why). Where it is not known how many people a resource holds, or how far several resources hold the same
    people, one for each assumption (:func:`~policy_sim.attackers.attacker.settlements`).
    """
    if runs < 2:
        raise InputError(f"runs = {runs} must be 2 or more, because one run has no variance.")
    if not 0 < release <= 1:
        raise InputError(f"release = {release} must be a share above 0 and up to 1.")
    population, attackers, in_file = cases.measured_population, cases.attackers, cases.in_file
    days_per_year = cases.days_per_year
    (state,) = cases.states or ()
    policies = [same_in_every_state(policy) for policy in cases.policies]
    if in_file is not None and release < 1:
        raise InputError("release and in_file both choose who is in the file: use one of them.")
    residents = cases.counted.in_states([state])
    measured = population.in_states([state]) if isinstance(population, PeopleByZip) else residents
    zips = measured.zips if isinstance(measured, PeopleByZip) else None
    if zips is not None and zips.composition is not None:
        residents = residents.with_ethnicity
    settled = [(attacker.name, settlement) for attacker in attackers for settlement in settlements(attacker, state)]
    assumed = [settlement.attacker for _, settlement in settled]
    answered = Cases(measured, policies, assumed, [state], [1], days_per_year, in_file)
    study = compare(answered)
    share = release if in_file is None else in_file.share_of(residents.people, state)
    questions = [
        (case, name, settlement.assumption, end)
        for policy in policies
        for name, settlement in settled
        for case in [Case(state, policy, settlement.attacker, settlement.attacker.linkage(policy.releases, state))]
        for end in {"interval": FIELD_ENDS, "ok": ("",)}.get(case.linkage.status, ())
    ]
    if not questions:
        raise NotEstimableError(f"nothing to simulate: {'; '.join(without_list(attackers, state))}.")
    counts = np.zeros((len(questions), 3, runs))
    for run, rng in enumerate(np.random.default_rng(seed).spawn(runs)):
        people = make_people(residents, rng, days_per_year, zips)
        chance = share if answered.chances is None else chances_by_person(people, answered.chances)
        released = np.flatnonzero(rng.random(len(people)) < chance) if share < 1 else np.arange(len(people))
        for row, (case, _, _, end) in enumerate(questions):
            lists = draw_lists(people, case.attacker, state, rng)
            sides = sides_of(lists, released, len(people), is_file=in_file is not None)
            entries = people if lists is None or lists.left is None else people.with_others(lists.left)
            keys = joined_keys(entries, case.policy, case.attacker, state, released=end == FIELD_ENDS[1])
            counts[row, :, run] = sum(np.array(link(key.key, sides.among(key), rng)) for key in keys)
        if tell is not None:
            tell(run + 1)
    attacks = []
    for row, (case, name, assumption, end) in enumerate(questions):
        profile = study.profile(state, case.policy.name, case.attacker.name)
        for measure, counted in _counted(case, *counts[row]):
            bounds = profile.share(measure) if measure == PRECISION else profile.people(measure)
            if bounds is None:  # too few claims are expected for a share of them
                continue
            expected = bounds.high if end == FIELD_ENDS[1] else bounds.low
            expected *= 1 if measure == PRECISION else release
            attacks.append(Attack(case, name, assumption, end, measure, counted, expected))
    return tuple(attacks)


def _counted(
    case: Case, right: FloatArray, claimed: FloatArray, claimed_rightly: FloatArray
) -> Iterator[tuple[Measure, FloatArray]]:
    """What was counted in each run.

    Claims only where a list holds some of the people (else all of them are right), and enough to have an interval:
    several records may be claimed for the same person, so that claims scatter more than a Poisson count.
    """
    yield TOTAL_RISK, right
    yield UNIQUE, claimed_rightly
    if case.attacker.coverage is not None and claimed.sum() >= FEW:
        yield CLAIMS, claimed
        yield CORRECT_CLAIMS, claimed_rightly
        if claimed.min() >= FEW:
            yield PRECISION, claimed_rightly / claimed


def without_list(attackers: Sequence[Attacker], state: str) -> list[str]:
    """Say of each attacker who has no list in the state that there is none, and why."""
    reasons = []
    for attacker in attackers:
        linkage = attacker.linkage(Granularities(), state)
        if linkage.low is None:
            why = linkage.reason or Status(linkage.status).meaning
            reasons.append(f"{attacker.name} has no list to link with in {state} ({linkage.status}: {why.rstrip('.')})")
    return reasons
