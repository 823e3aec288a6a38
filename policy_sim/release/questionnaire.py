"""An edition of the guidelines: its steps, and what each of them asks. The questions are data, with citations."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from policy_sim.files.toml import damaged_if_wrong, shipped_files, shipped_table
from policy_sim.words.errors import InputError, UnknownNameError

KINDS = ("choice", "text", "share", "number", "date")
DOES = {
    "answers": "questions are answered",
    "variables": "every column is classified",
    "measure": "the file is measured",
    "run": "the release is made and measured",
}


@dataclass(frozen=True)
class Answer:
    """What somebody answered, when, and on what evidence: a source with its date, a document, a reason."""

    value: str
    by: str = ""
    on: dt.date | None = None
    evidence: str = ""


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
    """One step of an edition: ``does`` says what completes it, one of :data:`DOES`."""

    id: str
    title: str
    does: str
    citation: str


@dataclass(frozen=True)
class Edition:
    """An edition of the guidelines.

    ``read`` is how much of its text this program's authors read, ``also`` are other sources of its questions.
    """

    name: str
    title: str
    citation: str
    read: str
    also: tuple[str, ...]
    steps: tuple[Step, ...]
    questions: tuple[ReleaseQuestion, ...]

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
    ['ipc-2016', 'ipc-2025']
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
        return Edition(**{**table, "also": tuple(table["also"])}, steps=steps, questions=questions)


def _question(table: dict[str, Any]) -> ReleaseQuestion:
    table["consider"] = tuple(table.get("consider", ()))
    table["when"] = {key: tuple(values) for key, values in table.get("when", {}).items()}
    return ReleaseQuestion(**table)
