"""A release project: what its guidelines ask, its answers and settings, the attacks, and what the data have to meet."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from policy_sim.files.paths import UNNAMED_IN_PROJECTS, data_dir
from policy_sim.files.toml import damaged_if_wrong, shipped_files, shipped_table
from policy_sim.records.dates import ISO
from policy_sim.records.profile import Threshold
from policy_sim.release.conditions import ClassCondition
from policy_sim.release.targets import ReleaseRisk, RiskTarget
from policy_sim.release.treatments import UNDECIDED, Variable
from policy_sim.release.use import UserAnalysis
from policy_sim.show.numbers import bare
from policy_sim.words.errors import InputError, UnknownNameError


@dataclass(frozen=True)
class Answer:
    """What somebody answered, when, and on what evidence: a source with its date, a document, a reason.

    ``earlier`` are the answers that it replaced, the oldest first, each with who gave it and when.
    """

    value: str
    by: str = ""
    on: dt.date | None = None
    evidence: str = ""
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReleaseQuestion:
    """One question of a step.

    ``choices`` have their meanings, ``consider`` is what a careful answer looks at, and ``least`` and ``most`` bound a
    number. ``usual`` counts where no answer is given; empty where one must be given. An answer that is ``sourced`` must
    name its evidence. ``when`` holds the answers to other questions that make this one asked.
    """

    id: str
    step: str
    asks: str
    kind: str
    citation: str
    choices: Mapping[str, str] = field(default_factory=dict)
    consider: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    usual: str = ""
    sourced: bool = False
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def is_asked(self, answers: Mapping[str, Answer]) -> bool:
        """Tell whether the answers given so far make this question one that is asked."""
        return all(other in answers and answers[other].value in values for other, values in self.when.items())

    def check(self, value: str) -> str:
        """Return an answer as it is kept."""
        value = value.strip()
        if not value:
            raise InputError(f"{self.id}: the answer is empty.")
        if self.kind == "choice" and value not in self.choices:
            raise UnknownNameError(f"answer to {self.id}", value, self.choices)
        if self.kind in ("share", "number"):
            self._check_number(value)
        if self.kind == "date":
            try:
                dt.date.fromisoformat(value)
            except ValueError:
                raise InputError(f"{self.id} = {value!r} is not a date. Write it as 2027-06-30.") from None
        return value

    def _check_number(self, value: str) -> None:
        least, most = (0.0, 1.0) if self.kind == "share" else (self.least, self.most)
        try:
            number = float(value)
        except ValueError:
            raise InputError(f"{self.id} = {value!r} is not a number, such as 0.27.") from None
        if not (least is None or number >= least) or not (most is None or number <= most):  # NaN is in no range
            raise InputError(f"{self.id} = {value} is not in the range from {least:g} to {most:g}.")


@dataclass(frozen=True)
class Step:
    """One step of an edition: ``does`` says what completes it: ``answers``, ``variables``, ``measure`` or ``run``."""

    id: str
    title: str
    does: str
    citation: str


@dataclass(frozen=True)
class Edition:
    """An edition of the guidelines.

    ``read`` is how much of its text this program's authors read, ``also`` are other sources of its questions.
    ``uniform`` cites where it asks for one set of classes of a field, without overlap, over all records; ``thresholds``
    are its largest acceptable risks by invasion of privacy, for public and for other data, where it has its own.
    ``levels`` are those of identifiability, from identified to anonymous, where it has any.
    """

    name: str
    title: str
    citation: str
    read: str
    also: tuple[str, ...]
    steps: tuple[Step, ...]
    questions: tuple[ReleaseQuestion, ...]
    uniform: str = ""
    thresholds: Mapping[str, Sequence[str]] = field(default_factory=dict)
    levels: tuple[str, ...] = ()

    def question(self, name: str) -> ReleaseQuestion:
        """Return a question by its id."""
        by_id = {question.id: question for question in self.questions}
        if name not in by_id:
            raise UnknownNameError("question", name, by_id)
        return by_id[name]

    def asked(self, answers: Mapping[str, Answer], step: str = "") -> tuple[ReleaseQuestion, ...]:
        """Return the questions that the answers given so far make asked, of one step or of all."""
        return tuple(q for q in self.questions if (not step or q.step == step) and q.is_asked(answers))

    def open(self, answers: Mapping[str, Answer], step: str = "") -> tuple[ReleaseQuestion, ...]:
        """Return those of them that have no answer and need one."""
        return tuple(q for q in self.asked(answers, step) if q.id not in answers and not q.usual)

    def waits_for(self, answers: Mapping[str, Answer], step: str) -> tuple[str, ...]:
        """Return the open questions that decide whether those of a step are asked."""
        names = [other for q in self.questions if q.step == step for other in q.when if other not in answers]
        return tuple(dict.fromkeys(names))

    def value(self, answers: Mapping[str, Answer], name: str) -> str:
        """Return an answer, the usual one where none is given; empty where the question is open or not asked."""
        question = self.question(name)
        if not question.is_asked(answers):
            return ""
        return answers[name].value if name in answers else question.usual


def list_editions() -> dict[str, Path]:
    """Return the shipped editions: name to file.

    >>> sorted(list_editions())
    ['ihe-2026-draft', 'ipc-2016', 'ipc-2025']
    """
    return shipped_files("release_questions")


def load_edition(name: str) -> Edition:
    """Return an edition by name."""
    shipped = list_editions()
    if name not in shipped:
        raise UnknownNameError("edition of the guidelines", name, shipped)
    with damaged_if_wrong(shipped[name]):
        table = shipped_table(shipped[name])
        steps = tuple(Step(**entry) for entry in table.pop("steps"))
        questions = tuple(_question(entry) for entry in table.pop("questions"))
        lists = {name: tuple(table.get(name, ())) for name in ("also", "levels")}
        return Edition(**{**table, **lists}, steps=steps, questions=questions)


def _question(table: dict[str, Any]) -> ReleaseQuestion:
    table["consider"] = tuple(table.get("consider", ()))
    table["when"] = {key: tuple(values) for key, values in table.get("when", {}).items()}
    return ReleaseQuestion(**table)


@cache
def _attacks() -> Mapping[str, Any]:
    """Return thresholds, probabilities of an attempt, and attacks, with their sources."""
    path = data_dir() / "release" / "attacks.toml"
    with damaged_if_wrong(path):
        return MappingProxyType(shipped_table(path))


@dataclass(frozen=True)
class Attack:
    """One attack, ``T1`` to ``T4``, and the probability (0..1) that somebody tries it."""

    name: str
    title: str
    probability: float
    why: str
    citation: str


def acquaintance_chance(prevalence: float, acquaintances: float, *, one_sex: bool = False) -> float:
    """Return the chance that somebody knows a person of the data: ``1 - (1 - p)^m``.

    ``prevalence`` is the share (0..1) of the population that has the condition; of a condition of one sex, half of
    one's acquaintances count.

    References
    ----------
    El Emam and Arbuckle (2013), chapter 2, attack T2.
    """
    return float(1 - (1 - prevalence) ** (acquaintances / 2 if one_sex else acquaintances))


def attacks_on(
    model: str,
    *,
    controls: str = "",
    motives: str = "",
    prevalence: float = 0.0,
    acquaintances: float = 150,
    one_sex: bool = False,
    breach: float = 0.0,
) -> tuple[Attack, ...]:
    """Return the attacks on a release, each with its probability; the largest counts.

    Controls and motives are ``low``, ``medium`` or ``high``; a semi-public release has low controls and high motives,
    whatever is given. ``breach`` is the share of organizations like the recipient with a breach in a year.
    """
    if model == "public":
        return (Attack("T4", probability=1.0, **_attacks()["T4"]),)
    if model == "semi-public":
        controls, motives = "low", "high"
    chances = {
        "T1": _attacks()["attempt"][controls][motives],
        "T2": acquaintance_chance(prevalence, acquaintances, one_sex=one_sex),
        "T3": breach,
    }
    half = ", half of them for a condition of one sex" if one_sex else ""
    facts = {"controls": controls, "motives": motives, "prevalence": prevalence, "acquaintances": acquaintances}
    return tuple(
        Attack(name, table["title"], chance, table["why"].format(**facts, half=half, breach=breach), table["citation"])
        for name, chance in chances.items()
        for table in (_attacks()[name],)
    )


@dataclass(frozen=True)
class Assessment:
    """What a release has to meet, by its model, its invasion of privacy and its attacks.

    ``thresholds`` are those of an edition that has its own. The strict average of a non-public release has a
    ``cutoff``. ``sizes`` is what people hide among: the ``file`` (prosecutor) or the ``population`` (journalist).
    """

    model: str
    invasion: str
    attacks: Sequence[Attack]
    cutoff: str = "0.33"
    sizes: str = "file"
    thresholds: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def threshold(self) -> Threshold:
        """The largest acceptable overall risk."""
        limits = self.thresholds or _attacks()["thresholds"]
        return Threshold.parse(limits[self.invasion][0 if self.model == "public" else 1])

    @property
    def context(self) -> float:
        """The largest probability of an attack."""
        return max(attack.probability for attack in self.attacks)

    @property
    def measure(self) -> str:
        """The measure of risk in the data that the release model asks for."""
        return "maximum" if self.model in ("public", "semi-public") else "strict-average"

    @property
    def target(self) -> RiskTarget:
        """What the data have to meet, so that data times context is not above the threshold."""
        context, threshold = Fraction(repr(self.context)), Fraction(self.threshold.text)  # 0.3 as three tenths
        if self.measure == "maximum":
            least = self.threshold.k if context == 1 else max(math.ceil(context / threshold), 1)
            return RiskTarget("maximum", Threshold.parse(f"k={least}"), sizes=self.sizes)
        most = min(threshold / context, Fraction(1)) if context else Fraction(1)
        limit = Threshold(f"{bare(float(most))}", float(most), math.ceil(1 / most))
        return RiskTarget("strict-average", limit, Threshold.parse(self.cutoff), self.sizes)

    def verdict(self, risk: ReleaseRisk, known: str = "") -> dict[str, Any]:
        """Return whether a file ``passes`` as it stands, and ``why``, by the rows that are ``known`` of a person.

        The risk of the data times that of the context is the ``overall`` one; None for a file without records.
        ``smallest`` and ``needed`` count records, or people, of a class.
        """
        target = replace(self.target, known=known)
        data = risk.risk(target)
        size = target.size_of(risk.sizes, risk.people)
        passes, why = risk.meets(target), "no record is left"
        if data is not None:
            sign = "meets" if passes else "does not meet"
            why = (
                f"risk in the data {bare(data, 4)} times context {bare(self.context, 4)} is "
                f"{bare(data * self.context, 4)}, with {int(size.min()):,} in the smallest class; that {sign} the "
                f"threshold {self.threshold.text}, which requires {target.describe()}"
            )
        return {
            "data_risk": data,
            "context_risk": self.context,
            "overall": None if data is None else data * self.context,
            "smallest": int(size.min()) if len(size) else None,
            "needed": target.least,
            "passes": passes,
            "why": why,
        }


NOT_RUN = "the release has not been run"
AIMS = ("threshold", "policy", "risk")
SOURCES = ("none", "census", "file")


@dataclass(frozen=True)
class FileSettings:
    """Which file, and how it is read; ``day`` is the day on which ages are taken."""

    location: str
    missing: tuple[str, ...] = ("",)
    separator: str = ""
    person: str = ""
    day: dt.date | None = None
    sheet: str = ""


@dataclass(frozen=True)
class AboutSettings:
    """What is released, to whom, under which agreement, and of which period, in the words of the person who decides."""

    what: str = ""
    recipient: str = ""
    agreement: str = ""
    period: str = ""
    state: str = ""  # where the people live, if no column says it


@dataclass(frozen=True)
class TargetSettings:
    """What the release aims at: one of ``threshold``, ``policy`` or ``risk``, and its details.

    ``known`` is how many rows of a person an attacker knows, one of :data:`~policy_sim.formulas.known_rows.KNOWN`; by
    default all of them where the release lets rows be joined.
    """

    aim: str = "threshold"
    policy: str = ""
    measure: str = "maximum"
    threshold: str = ""
    cutoff: str = ""
    sizes: str = "file"
    known: str = ""

    def __post_init__(self) -> None:
        if self.aim not in AIMS:
            raise UnknownNameError("aim of a target", self.aim, AIMS)
        if self.aim == "policy" and not self.policy:
            raise InputError("a target of aim policy names a policy, such as safe-harbor.")
        if self.aim == "risk" and not self.threshold:
            raise InputError("a target of aim risk gives a threshold, such as k=11 or 0.09.")


@dataclass(frozen=True)
class PopulationSettings:
    """The people who could be confused with those of the file by someone who does not know who is in it."""

    source: str = "none"
    name: str = UNNAMED_IN_PROJECTS
    states: tuple[str, ...] = ()
    counts: str = ""  # the column of a file with the people of each row; a table of counts needs no name

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise UnknownNameError("source of the population", self.source, SOURCES)


def raised_from(edition: Edition, answers: Mapping[str, Answer]) -> str | None:
    """Return the lowest threshold that earlier answers to ``invasion`` asked for, if the present one is higher."""
    answer = answers.get("invasion")
    if answer is None:
        return None
    model = edition.value(answers, "release-model")

    def limit(invasion: str) -> Threshold:
        return Assessment(model, invasion, (), thresholds=edition.thresholds).threshold

    now, known = limit(answer.value), edition.question("invasion").choices
    before = [limit(word) for word in map(first_word, answer.earlier) if word in known]
    lowest = min(before, key=lambda threshold: threshold.risk, default=now)
    return lowest.text if lowest.risk < now.risk else None


def with_raised(edition: Edition, answers: Mapping[str, Answer]) -> dict[str, Answer]:
    """Return the answers, with the one that the threshold was raised where the history says so and nobody else does."""
    asks = any(question.id == "raised" for question in edition.questions)
    before = raised_from(edition, answers) if asks and "raised" not in answers else None
    if before is None:
        return dict(answers)
    return {**answers, "raised": Answer("yes", evidence=f"an earlier answer to invasion asked for {before}")}


def first_word(earlier: str) -> str:
    """Return the answer in the words of one that was replaced, if it is one word.

    >>> first_word("high (A. Officer, 2026-05-04): minutes 7"), first_word("low: minutes 7"), first_word("low")
    ('high', 'low', 'low')
    """
    return earlier.split(" ")[0].rstrip(":")


SHIFT_ENDS = ("keep", "cut")


@dataclass(frozen=True)
class ReleaseSettings:
    """How the search may go.

    The share ``limit`` of the records may be suppressed. ``loss`` is what the search minimizes, one of
    :data:`~policy_sim.release.search.LOSSES`, or the name of an analysis whose change it minimizes among the nodes of
    the least geometric loss; the loss of a key field in ``keep`` counts so many times, and that of others once. With
    ``local``, single cells are suppressed in place of records where that is enough. The share ``sample`` of the people
    is drawn. The sample and the order of the released rows follow from the ``seed``; each run draws one where the
    project gives none. Dates that are shifted by up to ``shift_days`` near the ends of a column may be left blank
    (``shift_ends`` is ``cut``). With ``keep_order`` the rows stay in the order of the file. The released file is in the
    ``format`` ``csv``, ``xlsx`` or ``parquet``; where it is empty, as the file of records (Parquet or else CSV). Where
    areas are shown, none of them, and no overlap with a place that this release or one ``next_to`` it shows, may have
    fewer than ``least_people`` people: a kind of place, a file of areas, or the folder of a release.
    """

    limit: float = 0.05
    loss: str = "geometric"
    keep: Mapping[str, float] = field(default_factory=dict)
    recoding: str = ""  # the usual one for the target
    local: bool = False
    shift_days: int = 180
    shift_ends: str = "keep"
    sample: float = 1.0
    seed: int | None = None
    keep_order: bool = False
    format: str = ""
    key_file: str = ""
    next_to: tuple[str, ...] = ()
    least_people: int = 20_000


@dataclass(frozen=True)
class Look:
    """What a column looks like, and the role that may be accepted as a guess; empty where there is none.

    ``group`` is that of the columns with which it is asked about, once nothing spoke against it; ``doubt`` is what did.
    ``kind`` is what it is read as, decided or not, in dates of this ``format``, with what its ``codes`` mean.
    """

    text: str = ""
    guess: str = ""
    group: str = ""
    doubt: str = ""
    kind: str = "category"
    format: str = ISO
    codes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class StepState:
    """Where a step stands: whether it is done, and what is missing."""

    step: Step
    is_done: bool
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Project:
    """A release project, as its file says.

    ``variables`` are the classified columns; a release leaves those that are ``undecided`` out. By name of a column,
    ``classified`` holds who decided on it and when, and ``looks`` what it looks like. ``results`` is what the last run
    wrote. Names of files are relative to the ``folder``; ``records`` is the file of records, where it lies elsewhere.
    """

    title: str
    edition: Edition
    file: FileSettings
    variables: tuple[Variable, ...]
    undecided: tuple[str, ...] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    target: TargetSettings = TargetSettings()
    population: PopulationSettings = PopulationSettings()
    settings: ReleaseSettings = ReleaseSettings()
    analyses: tuple[UserAnalysis, ...] = ()
    conditions: tuple[ClassCondition, ...] = ()
    classified: Mapping[str, str] = field(default_factory=dict)
    results: Mapping[str, object] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)
    folder: Path = Path()
    records: Path | None = None
    about: AboutSettings = AboutSettings()

    @property
    def path(self) -> Path:
        """The file of records."""
        return self.records or self.folder / self.file.location

    def role_of(self, column: str) -> str:
        """Return the role of a column; ``undecided`` where nobody has given it one."""
        return next((variable.role for variable in self.variables if variable.name == column), UNDECIDED)

    def value(self, question: str) -> str:
        """Return an answer, the usual one where none is given, or nothing."""
        return self.edition.value(self.answers, question)

    @property
    def raised_from(self) -> str | None:
        """The lowest threshold that an earlier answer asked for, where the present one is higher; else None."""
        return raised_from(self.edition, self.answers)

    @property
    def states(self) -> tuple[StepState, ...]:
        """Where every step stands."""
        return tuple(self._state(step) for step in self.edition.steps)

    def _state(self, step: Step) -> StepState:
        missing = [question.id for question in self.edition.open(self.answers, step.id)]
        if not missing:  # a question may wait for the answer to another step's
            missing += [name for name in self.edition.waits_for(self.answers, step.id) if name not in missing]
        sourced = [q.id for q in self.edition.asked(self.answers, step.id) if q.sourced and q.id in self.answers]
        missing += [f"evidence for {name}" for name in sourced if not self.answers[name].evidence.strip()]
        if step.does == "variables":
            missing += [f"role of {name}" for name in self.undecided]
            missing += [] if self.variables else ["no variable is classified"]
        if step.does == "measure" and not missing:
            missing += [f"answer to {name}" for name in self.open_for_assessment()]
        if step.does == "run" and not self.results:
            missing += [NOT_RUN]
        return StepState(step, not missing, tuple(missing))

    def open_for_assessment(self) -> list[str]:
        """Return the questions without an answer that the threshold and the attacks follow from."""
        names = ("release-model", "attacker-knows", "invasion", "cutoff", "controls", "motives", "prevalence", "breach")
        open_now = {question.id for question in self.edition.open(self.answers)}
        return [name for name in names if name in open_now]

    @property
    def nothing_to_release(self) -> bool:
        """Whether no column has a role with which it would leave; a guess of yes and no leaves under a policy alone."""
        by_rule = self.target.aim == "policy"
        return all(v.treatment == "drop" or (v.accepted and v.kind == "flag" and not by_rule) for v in self.variables)

    @property
    def missing_for_run(self) -> tuple[str, ...]:
        """What a run still needs: a column; for a threshold the answers about risk, for a policy the day of ages."""
        missing = ["the role of a column to release"] if self.nothing_to_release else []
        if self.target.aim == "threshold":
            missing += [f"answer to {name}" for name in self.open_for_assessment()]
        if self.target.aim == "policy" and self.conditions:
            missing += ["a target of risk for the conditions on classes: a policy sets the levels"]
        if self.target.aim == "policy" and self.file.day is None:
            missing += ["day in the table file: the date on which ages are computed, such as day = 2026-06-30"]
        return tuple(missing)

    def check_ready(self) -> None:
        """Refuse to run before what a run needs is given: :attr:`missing_for_run`."""
        if missing := self.missing_for_run:
            raise InputError(
                f"{self.title}: not ready to run; missing: {', '.join(missing)}. "
                "'policy-sim release status PROJECT' says what to type next."
            )

    @property
    def risk_target(self) -> RiskTarget | None:
        """What the data have to meet; None for a release that conforms to a policy."""
        aim = self.target
        if aim.aim == "policy":
            return None
        target = self.assessment.target if aim.aim == "threshold" else None
        target = target or RiskTarget.parse(aim.measure, aim.threshold, aim.cutoff or None, aim.sizes)
        return replace(target, conditions=self.conditions)

    @property
    def assessment(self) -> Assessment:
        """The threshold, the attacks and the target that the answers give."""
        if missing := self.open_for_assessment():
            raise InputError(f"{self.title}: no verdict yet; missing: answer to {', '.join(missing)}.")
        attacks = attacks_on(
            model := self.value("release-model"),
            controls=self.value("controls"),
            motives=self.value("motives"),
            prevalence=float(self.value("prevalence") or 0),
            acquaintances=float(self.value("acquaintances") or 150),
            one_sex=self.value("one-sex") == "yes",
            breach=float(self.value("breach") or 0),
        )
        sizes = "population" if self.value("attacker-knows") == "no" else "file"
        invasion, cutoff = self.value("invasion"), self.value("cutoff") or "0.33"
        return Assessment(model, invasion, attacks, cutoff, sizes, self.edition.thresholds)
