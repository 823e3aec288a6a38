"""Figures as papers printed them, read from their files and made by the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from policy_sim.attackers.coverage import VOTING_AGE, Coverage, listed_shares
from policy_sim.files.schema import noun_of, read_tables, table_of, word
from policy_sim.files.toml import shipped_files, shipped_table
from policy_sim.formulas.groups import Groups, claims, g_distinct, total_risk
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.formulas.placed_groups import CountyGroups
from policy_sim.formulas.shifts import window
from policy_sim.formulas.tokens import token_figures
from policy_sim.model.measure import tidy_rows
from policy_sim.model.profile import Cost, RiskProfile
from policy_sim.people.merge import DAYS_PER_YEAR
from policy_sim.people.merging import merge
from policy_sim.people.population import AnyPopulation
from policy_sim.policies.policy import Conditions
from policy_sim.words.errors import SchemaError, UnknownNameError
from policy_sim.words.fields import Granularities
from policy_sim.words.status import Status

_RELATIONS = "<>≈"


def list_papers() -> tuple[str, ...]:
    """Names of the papers whose figures are recorded."""
    return tuple(shipped_files("published"))


def load_paper(name: str) -> Paper:
    """Return a paper's figures."""
    if name not in list_papers():
        raise UnknownNameError("paper", name, list_papers())
    table = shipped_table(shipped_files("published")[name])
    tolerances = {key: Tolerance(key, fact["share"], fact["why"]) for key, fact in table["tolerance"].items()}
    question, maybe = dict[str, Any], (float | None, None)
    kinds: dict[str, Any] = {"unit": word(UNITS), "tolerance": word(tolerances), "basis": (word([*Basis]), ...)}
    kinds |= {"ask": question, "read_as": question, "value": maybe, "rounded_to": maybe}
    model, problems = table_of(PrintedFigure, ("relation", "step"), **kinds), list[str]()
    ids = [str(raw.get("id")) for raw in table["figure"]]
    problems += [f"figure {key} appears twice" for key in sorted({key for key in ids if ids.count(key) > 1})]
    figures = tuple(_figure(row, problems) for row, _ in read_tables(model, table, "figure", problems))
    if problems:
        raise SchemaError(f"data/published/{name}.toml", problems)
    return Paper(name, table["title"], figures, tolerances, table.get("population", ""), table.get("lists", ""))


def load_class_sizes() -> dict[str, SizeHistogram]:
    """Class sizes of the public files that papers draw their samples from, by name (``data/published/classes``)."""
    histograms = {}
    for path in shipped_files("published/classes").values():
        table = shipped_table(path)
        histograms[path.stem] = SizeHistogram.of(dict(table["sizes"]))
        if histograms[path.stem].records != table["records"]:
            raise SchemaError(
                f"data/published/classes/{path.name}", ["the sizes do not add up to the number of records"]
            )
    return histograms


def _figure(row: Any, problems: list[str]) -> PrintedFigure:
    """Return a figure of what its file says of it."""
    relation = row.printed[:1] if row.printed[:1] in [*_RELATIONS] else "="
    value, step = _number(row.printed.lstrip(_RELATIONS + " "))
    value = 1.0 if row.unit == STATEMENT else value if row.value is None else row.value
    if value is None:
        problems.append(f"figure {row.id}: printed is not a number; add its value")
    derived = {"value": float(value or 0.0), "relation": relation, "basis": Basis(row.basis)}
    return noun_of(PrintedFigure, row, step=step if row.rounded_to is None else row.rounded_to, **derived)


def _number(text: str) -> tuple[float | None, float]:
    """Return a printed number, and one unit of its last digit."""
    try:
        number = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None, 0.0
    exponent = number.as_tuple().exponent
    return float(number), 10.0 ** (exponent if isinstance(exponent, int) else 0)


Ask = Mapping[str, Any]
# How many of a unit make 1.
UNITS: Mapping[str, float] = {
    **dict.fromkeys(("share", "people", "ratio", "usd", "rank", "count", "statement"), 1.0),
    "percent": 0.01,
    "millions": 1e6,
}
STATEMENT = "statement"  # words, not a number: 1 where they hold, 0 where they do not

CUT_OFF = ("people", "millions")  # Benitez & Malin print 221 for 222.0 people, and 3.1 million for 3,159,764


class Verdict(StrEnum):
    """What comes of a printed figure and ours."""

    AGREES = "agrees"
    WITHIN = "within tolerance"
    DIFFERS = "differs"
    CONTRADICTS = "the paper contradicts itself"
    MISSING = "not computed"


class Basis(StrEnum):
    """What an agreement with a printed figure is worth.

    An independent figure comes from data and facts that are not in the paper. One of the same figure rests on
    a list or a price that was read off this figure, or off another of the paper. Arithmetic repeats a calculation
    from numbers that the paper gives.
    """

    INDEPENDENT = "independent"
    SAME_FIGURE = "same figure"
    ARITHMETIC = "arithmetic"


@dataclass(frozen=True)
class Tolerance:
    """How far ours may be from a printed figure, as a share of it, and why."""

    name: str
    share: float
    why: str


@dataclass(frozen=True)
class PrintedFigure:
    """One figure as a paper prints it (``printed``, at ``where``), and the question ``ask`` whose answer is ours.

    ``value`` is what is printed as a number in its ``unit``, 1 for a statement; ``relation`` (``=``, ``<``, ``>``,
    ``≈``) is how it is meant, and ``step`` one unit of its last digit. ``read_as`` changes the question where the
    paper's label is wrong, and ``erratum`` says why the paper contradicts itself. ``secondary``: the figure is known
    from other works only. ``assumed``: what ours takes for granted, written down before it is computed. ``cut_off``:
    its digits are cut off and not rounded, as those of people always may be.
    """

    id: str
    where: str
    what: str
    printed: str
    unit: str
    value: float
    relation: str
    step: float
    tolerance: str
    ask: Ask
    basis: Basis = Basis.INDEPENDENT
    read_as: Ask = field(default_factory=dict)
    erratum: str = ""
    note: str = ""
    secondary: bool = False
    cut_off: bool = False
    assumed: str = ""


@dataclass(frozen=True)
class Paper:
    """A paper's figures, and the tolerances stated for them."""

    name: str
    title: str
    figures: tuple[PrintedFigure, ...]
    tolerances: Mapping[str, Tolerance]
    population: str = ""
    lists: str = ""


@dataclass(frozen=True)
class Answer:
    """Ours, in natural units (a share is 0 to 1); ``value`` is None where it cannot be computed, and why."""

    value: float | None
    reason: str = ""


@dataclass(frozen=True)
class Row:
    """A printed figure next to ours. ``ours`` is in the figure's unit, ``deviation`` relative to the printed."""

    figure: PrintedFigure
    ours: float | None
    deviation: float | None
    verdict: Verdict
    reason: str

    @property
    def basis(self) -> Basis | None:
        """What the agreement is worth; None where there is none."""
        return self.figure.basis if self.verdict in (Verdict.AGREES, Verdict.WITHIN) else None


class Answers:
    """Answers the questions of a paper, each by the method that its ``kind`` names."""

    key: ClassVar[str] = "kind"

    def answer(self, ask: Ask) -> Answer:
        """Answer one question."""
        method: Callable[[Ask], Answer] = getattr(self, f"_{ask[self.key]}".replace("-", "_"))
        return method(ask)


def reproduce(paper: Paper, answer: Callable[[Ask], Answer]) -> tuple[Row, ...]:
    """Ask every question of a paper and judge each answer, in the paper's order."""
    return tuple(
        judged(figure, answer({**figure.ask, **figure.read_as}), paper.tolerances[figure.tolerance])
        for figure in paper.figures
    )


def judged(figure: PrintedFigure, answer: Answer, tolerance: Tolerance) -> Row:
    """Return the row of a figure and its answer."""
    if answer.value is None:
        if figure.erratum:
            return Row(figure, None, None, Verdict.CONTRADICTS, _joined(figure.erratum, answer.reason))
        return Row(figure, None, None, Verdict.MISSING, _joined(answer.reason, figure.note))
    ours = answer.value / UNITS[figure.unit]
    deviation = (ours - figure.value) / figure.value if figure.value and figure.unit != STATEMENT else None
    verdict = _verdict(figure, ours, tolerance.share)
    if figure.erratum:
        outcome = {Verdict.AGREES: "agrees", Verdict.WITHIN: "is within tolerance"}.get(verdict, "differs too")
        read = f"Read as {', '.join(map(str, figure.read_as.values()))}, ours {outcome}." if figure.read_as else ""
        return Row(figure, ours, deviation, Verdict.CONTRADICTS, _joined(figure.erratum, read, answer.reason))
    if answer.reason and (verdict is not Verdict.AGREES or figure.unit == STATEMENT):
        return Row(figure, ours, deviation, verdict, _joined(answer.reason, figure.note))
    reasons = {
        Verdict.AGREES: ("the bound holds" if figure.relation in "<>" else "to the printed digits")
        + (f": {figure.note}" if figure.cut_off else ""),
        Verdict.WITHIN: f"within {tolerance.share:.1%} of the figure ({tolerance.name})",
        Verdict.DIFFERS: figure.note or f"differs by more than {tolerance.share:.1%} ({tolerance.name})",
    }
    return Row(figure, ours, deviation, verdict, reasons[verdict])


def _verdict(figure: PrintedFigure, ours: float, share: float) -> Verdict:
    """Agrees: rounds to the printed digits; people may also be cut off to them. Bounds must hold."""
    printed, slack = figure.value, 1e-9 * max(abs(figure.value), 1e-300)
    room = share * abs(printed)
    if figure.relation == ">":
        return Verdict.AGREES if ours > printed else _near(printed - ours, room)
    if figure.relation == "<":
        return Verdict.AGREES if ours < printed else _near(ours - printed, room)
    rounds = abs(ours - printed) <= figure.step / 2 + slack
    cut_off = -slack <= ours - printed < figure.step
    counted = (figure.cut_off or figure.unit in CUT_OFF) and figure.relation == "="
    return Verdict.AGREES if rounds or (counted and cut_off) else _near(abs(ours - printed), room)


def _near(miss: float, room: float) -> Verdict:
    return Verdict.WITHIN if miss <= room else Verdict.DIFFERS


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def reproduction_frame(paper: Paper, rows: Iterable[Row]) -> pd.DataFrame:
    """Return one row per printed figure.

    ``basis`` says what an agreement is worth and is missing where there is none. ``ours`` is in the figure's unit and
    missing where it cannot be computed; ``deviation`` is relative to the printed figure, missing also where that is
    0; ``tolerance`` is the share that is allowed.
    """
    of_figure = ("id", "where", "what", "printed", "unit", "secondary", "assumed")
    records = []
    for row in rows:
        record = {name: getattr(row.figure, name) for name in of_figure}
        record |= {name: getattr(row, name) for name in ("ours", "deviation", "verdict", "basis", "reason")}
        records.append(record | {"paper": paper.name, "tolerance": paper.tolerances[row.figure.tolerance].share})
    columns = "paper id where what printed unit ours deviation verdict basis reason tolerance secondary assumed"
    return tidy_rows(records, columns)


# What the model says of attacks that were carried out and published.


@dataclass(frozen=True)
class FieldTrials(Answers):
    """The people and lists that the published attacks are compared with.

    ``people``: everyone of 2010, by ZIP code. ``conditions``: what Safe Harbor says of small ZIP areas and of the
    oldest, for these people. ``registered``: who is on the voter lists of 2010. ``county`` gives the people of one
    county of 2020 by ZIP code, from its code.
    """

    people: AnyPopulation
    conditions: Conditions
    registered: Coverage
    county: Callable[[str], AnyPopulation]

    @cached_property
    def _claimed(self) -> tuple[float, float, float]:
        """Adults, claims and correct claims, where every state's list shows sex, date of birth and ZIP code."""
        adults = self.people.of_age(VOTING_AGE)
        states = [state for state in adults.states if self.registered.knows(state)]
        key = Granularities(gender="value", birth="date", geography="zip5")
        groups = merge(adults, key, states)
        listed = listed_shares(adults, self.registered, states)
        people = adults.people_by_state()
        return (
            float(sum(people[state] for state in states)),
            float(claims(groups, listed).sum()),
            float(g_distinct(groups, [1], listed).sum()),
        )

    def _claims(self, ask: Ask) -> Answer:
        adults, claimed, correct = self._claimed
        return Answer(correct / claimed if ask["take"] == "precision" else claimed / adults)

    def _guess(self, ask: Ask) -> Answer:
        """Correct guesses per record, where a share of every group is in the file and on the list."""
        key = _key(ask)
        groups = merge(self.people, key, conditions=self.conditions.on(key, listed=False))
        share = float(ask["share"])
        return Answer(float(total_risk(groups, share).sum()) / (share * self._everyone))

    def _in_file(self, ask: Ask) -> Answer:
        """Records alone with their values among those in the file."""
        state, share = str(ask["state"]), float(ask["in_file"])
        days = float(ask.get("values_in_a_year", DAYS_PER_YEAR))
        groups = merge(self.people, _key(ask), [state], days_per_year=days)
        assert isinstance(groups, Groups | CountyGroups)  # a paper's key has no race
        # another fact distinguishes as many equally likely values
        bins = np.asarray(groups.bins) * float(ask.get("times", 1))
        alone = g_distinct(replace(groups, bins=bins), [1], share).sum()
        return Answer(float(alone) / (share * self.people.people_by_state()[state]))

    def _listed_county(self, ask: Ask) -> Answer:
        """Chance of a correct match of a listed person's record."""
        adults = self.county(str(ask["county"])).of_age(VOTING_AGE)
        people = sum(adults.people_by_state().values())
        listed = float(ask["listed"]) / people
        return Answer(float(total_risk(merge(adults, _key(ask)), listed).sum()) / (listed * people))

    def _alone(self, ask: Ask) -> Answer:
        return Answer(float(g_distinct(merge(self.people, _key(ask)), [1]).sum()) / self._everyone)

    def _tokens(self, ask: Ask) -> Answer:
        """Share of the people of a file named by linkage tokens without the key: of every tenth sex and year of birth.

        Of several designs the sum: an attacker who reads each by itself.
        """
        from policy_sim.model.token_design import clear_fields, find_design
        from policy_sim.model.tokens import Roster, TokenPeople
        from policy_sim.people.zips import PeopleByZip

        assert isinstance(self.people, PeopleByZip)
        everyone = Roster(np.ones((len(self.people.table.people), len(self.people.table.counties))))
        counted = TokenPeople.of(self.people, self.people.states, "zip3", everyone)
        named = 0.0
        for design in ask["designs"]:
            strata = list(counted.strata(find_design(design), clear_fields(ask["clear"]), DAYS_PER_YEAR))[3::10]
            rng = np.random.default_rng(0)
            figures = [token_figures(each, ask["size"] / self._everyone, rng, told=True) for each in strata]
            named += sum(each.named for each in figures) / sum(each.people for each in figures)
        return Answer(named)

    def _shift(self, ask: Ask) -> Answer:
        """Share of the released dates, ends cut off, that fewer days than the shift allows can be behind."""
        days, shift = int(ask["days"]), int(ask["shift"])
        kept = np.arange(1 + shift, days - shift + 1)
        behind = np.minimum(days, kept + shift) - np.maximum(1, kept - shift) + 1
        return Answer(float(np.mean(behind < window(shift))))

    def _silent(self, ask: Ask) -> Answer:
        return Answer(None, f"The model does not cover this: {ask['why']}")

    @cached_property
    def _everyone(self) -> float:
        return float(sum(self.people.people_by_state().values()))


def _key(ask: Ask) -> Granularities:
    return Granularities(gender="value", birth=ask["birth"], geography=ask["geography"])


# What Benitez & Malin 2010 state about the voter lists of 2008, in words or by what their tables leave out.
#
# A statement holds (1), does not hold (0), or cannot be decided because a list or its price is not known. The
# figures that their tables print are questions of :mod:`policy_sim.papers.studies`.


@dataclass(frozen=True)
class ListStatements(Answers):
    """The statements, decided by what the study's VOTER links with.

    ``profiles``: by state: the limited data set, linked with the state's list. Its linkage key is what the list shows
    of the fields that the policy releases. ``trusts``: trust differentials of VOTER that are one number, by state.
    ``costs``: one per state.

    >>> where = ("limited-dataset-paper", "voter", "us-2000", "2008")
    >>> ohio = RiskProfile("OH", *where, "birth=year+geography=county", Status.OK, "", 11_353_140)
    >>> statements = ListStatements({"OH": ohio}, {}, ())
    >>> statements.answer({"says": "shows", "state": "OH", "key": "birth=year+geography=county"})
    Answer(value=1.0, reason='the list shows birth=year+geography=county')
    """

    key: ClassVar[str] = "says"
    profiles: Mapping[str, RiskProfile]
    trusts: Mapping[str, float]
    costs: Sequence[Cost]

    def _shows(self, ask: Ask) -> Answer:
        """Whether the list shows exactly these fields of what the policy releases."""
        return self._by_key(ask, lambda key: key == ask["key"])

    def _shows_any(self, ask: Ask) -> Answer:
        """Whether the list shows one of these fields at least."""
        return self._by_key(ask, lambda key: any(part.split("=")[0] in ask["fields"] for part in key.split("+")))

    def _by_key(self, ask: Ask, holds: Callable[[str], bool]) -> Answer:
        profile = self.profiles[ask["state"]]
        if profile.status is not Status.OK:
            return Answer(None, f"{ask['state']}: {profile.reason or profile.status}.")
        return _decided(holds(profile.linkage_key), f"the list shows {profile.linkage_key}")

    def _status(self, ask: Ask) -> Answer:
        profile = self.profiles[ask["state"]]
        return _decided(profile.status == ask["status"], profile.reason or profile.status)

    def _none_above(self, ask: Ask) -> Answer:
        """Whether no state has a larger trust differential than the one named ``than``."""
        limit = self.trusts[ask["than"]]
        above = [state for state in ask["states"] if self.trusts.get(state, 0.0) > limit]
        unknown = [state for state in ask["states"] if state not in self.trusts]
        return _none(above, unknown, f"above {ask['than']}")

    def _none_free(self, ask: Ask) -> Answer:
        prices = {cost.profile.state: cost.price_status for cost in self.costs}
        free = [state for state in ask["states"] if prices[state] is Status.FREE]
        unknown = [state for state in ask["states"] if prices[state] is Status.UNKNOWN]
        return _none(free, unknown, "free")


def _none(matches: Sequence[str], unknown: Sequence[str], what: str) -> Answer:
    """None of the states: decided where one is there, or where all are known."""
    if unknown and not matches:
        return Answer(None, f"No list that is known is {what}; not known: {', '.join(unknown)}.")
    return _decided(not matches, f"{what}: {', '.join(matches) or 'none'}")


def _decided(holds: bool, reason: str) -> Answer:
    return Answer(float(holds), reason)
