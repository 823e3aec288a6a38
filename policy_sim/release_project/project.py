"""A release project: the file, its variables, every answer, and what the release aims at."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from policy_sim.deidentify.treatments import UNDECIDED, Variable
from policy_sim.deidentify.user_analyses import UserAnalysis
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.release_project.assessment import Assessment
from policy_sim.release_project.context_risk import attacks_on
from policy_sim.release_project.questionnaire import Answer, Edition, Step

__all__ = [
    "NOT_RUN",
    "FileSettings",
    "Look",
    "PopulationSettings",
    "Project",
    "ReleaseSettings",
    "StepState",
    "TargetSettings",
]

NOT_RUN = "the release has not been run"
AIMS = {
    "threshold": "the threshold of step 3 over the context of step 5",
    "policy": "conform to a policy, such as Safe Harbor",
    "risk": "your own measure and threshold, such as k=11 or the marketer risk",
}
SOURCES = {
    "none": "no population: risk is measured among the records of the file",
    "census": "a census of this program, or your own file of it",
    "file": "a file of people with the same key fields",
}


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
class TargetSettings:
    """What the release aims at: one of ``threshold``, ``policy`` or ``risk``, and its details."""

    aim: str = "threshold"
    policy: str = ""
    measure: str = "maximum"
    threshold: str = ""
    cutoff: str = ""
    sizes: str = "file"

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
    name: str = "us-2020"
    states: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise UnknownNameError("source of the population", self.source, SOURCES)


@dataclass(frozen=True)
class ReleaseSettings:
    """How the search may go: see :class:`policy_sim.deidentify.deidentified.Treatment`."""

    limit: float = 0.05
    loss: str = "geometric"
    local: bool = False
    shift_days: int = 180
    sample: float = 1.0
    seed: int = 0
    key_file: str = ""


@dataclass(frozen=True)
class Look:
    """What a column looks like, and the role that may be accepted as a guess; empty where there is none."""

    text: str = ""
    guess: str = ""


@dataclass(frozen=True)
class StepState:
    """Where a step stands: whether it is done, and what is missing."""

    step: Step
    is_done: bool
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Project:
    """A release project, as its file says.

    Parameters
    ----------
    title : What the release is called.
    edition : The guidelines that are followed.
    file : The file.
    variables : Every column that is classified.
    undecided : Columns that are not; a release leaves them out.
    answers : What has been answered, by question.
    target, population, settings : What the release aims at, the population that people are compared with, how the
        search may go.
    analyses : The analyses that are run before and after.
    classified : For each variable who classified it and when.
    results : What the last run wrote.
    looks : What each column looks like.
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
    classified: Mapping[str, str] = field(default_factory=dict)
    results: Mapping[str, object] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)

    def role_of(self, column: str) -> str:
        """Return the role of a column; ``undecided`` where nobody has given it one."""
        return next((variable.role for variable in self.variables if variable.name == column), UNDECIDED)

    def value(self, question: str) -> str:
        """Return an answer, the usual one where none is given, or nothing."""
        return self.edition.value(self.answers, question)

    @property
    def states(self) -> tuple[StepState, ...]:
        """Where every step stands."""
        return tuple(self._state(step) for step in self.edition.steps)

    def _state(self, step: Step) -> StepState:
        missing = [question.id for question in self.edition.open(self.answers, step.id)]
        if not missing:  # a question may wait for the answer to another step's
            missing += [name for name in self.edition.waits_for(self.answers, step.id) if name not in missing]
        missing += [f"evidence for {name}" for name in self._without_evidence(step.id)]
        if step.does == "variables":
            missing += [f"role of {name}" for name in self.undecided]
            missing += [] if self.variables else ["no variable is classified"]
        if step.does == "measure" and not missing:
            missing += [f"answer to {name}" for name in self._open_for_assessment()]
        if step.does == "run" and not self.results:
            missing += [NOT_RUN]
        return StepState(step, not missing, tuple(missing))

    def _without_evidence(self, step: str) -> list[str]:
        """Answers that must name a source with its date, and name none."""
        questions = self.edition.asked(self.answers, step)
        return [
            q.id for q in questions if q.sourced and q.id in self.answers and not self.answers[q.id].evidence.strip()
        ]

    def _open_for_assessment(self) -> list[str]:
        names = ("release-model", "attacker-knows", "invasion", "cutoff", "controls", "motives", "prevalence", "breach")
        open_now = {question.id for question in self.edition.open(self.answers)}
        return [name for name in names if name in open_now]

    @property
    def missing_for_run(self) -> tuple[str, ...]:
        """What a run still needs: a column; for a threshold the answers about risk, for a policy the day of ages."""
        missing = [] if any(v.treatment != "drop" for v in self.variables) else ["the role of a column to release"]
        if self.target.aim == "threshold":
            missing += [f"answer to {name}" for name in self._open_for_assessment()]
        if self.target.aim == "policy" and self.file.day is None:
            missing += ["day in the table file: the date on which ages are computed, such as day = 2026-06-30"]
        return tuple(missing)

    def check_ready(self) -> None:
        """Refuse to run before what a run needs is given: :attr:`missing_for_run`.

        Raises
        ------
        InputError : what is missing, by name.
        """
        missing = self.missing_for_run
        if missing:
            raise InputError(f"{self.title}: not ready to run; missing: {', '.join(missing)}.")

    @property
    def assessment(self) -> Assessment:
        """The threshold, the attacks and the target that the answers give.

        Raises
        ------
        InputError : an answer is missing.
        """
        missing = self._open_for_assessment()
        if missing:
            raise InputError(f"{self.title}: no verdict yet; missing: answer to {', '.join(missing)}.")
        model = self.value("release-model")
        attacks = attacks_on(
            model,
            controls=self.value("controls"),
            motives=self.value("motives"),
            prevalence=float(self.value("prevalence") or 0),
            acquaintances=float(self.value("acquaintances") or 150),
            one_sex=self.value("one-sex") == "yes",
            breach=float(self.value("breach") or 0),
        )
        sizes = "population" if self.value("attacker-knows") == "no" else "file"
        return Assessment(model, self.value("invasion"), attacks, self.value("cutoff") or "0.33", sizes)
