"""What the model answers to the figures of Dankar & El Emam 2010."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import factorial

from policy_sim.analyses.reproduction.printed_figure import Answer, Ask
from policy_sim.groups import Groups, total_risk
from policy_sim.records.classes import Classes

__all__ = ["ADULT_FIELDS", "Dankar2010"]

# What the paper calls the key fields of Adult, and what columns may be called.
ADULT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "age": ("age",),
    "education": ("education",),
    "race": ("race",),
    "gender": ("sex", "gender"),
}


@dataclass(frozen=True)
class Dankar2010:
    """Marketer risk: worked examples, and the data set Adult where the user has the file.

    Parameters
    ----------
    adult : Its classes by the fields of :data:`ADULT_FIELDS`, in that order; none: not available.
    """

    adult: Classes | None = None

    def answer(self, ask: Ask) -> Answer:
        """Answer one question."""
        methods: dict[str, Callable[[Ask], Answer]] = {
            "one-to-one": _one_to_one,
            "example": _marketer_over_journalist,
            "file": self._file,
        }
        return methods[ask["kind"]](ask)

    def _file(self, ask: Ask) -> Answer:
        if ask["file"] != "adult":
            return Answer(None, "The file is not public, or not in the form the paper used.")
        if self.adult is None:
            return Answer(None, "Needs the file adult.csv, which does not come with the program. Give its location.")
        figures: dict[str, float] = {
            "records": self.adult.records,
            "values": dict(zip(ADULT_FIELDS, self.adult.values, strict=True)).get(ask.get("field", ""), 0),
            "marketer": self.adult.number / self.adult.records,
        }
        return Answer(figures[ask["take"]])


def _one_to_one(ask: Ask) -> Answer:
    """Expected correct matches of one class in a random one-to-one matching (their section 2.3)."""
    n = ask["people"]
    chances = [sum((-1) ** v / factorial(v) for v in range(n - r + 1)) / factorial(r) for r in range(n + 1)]
    return Answer(sum(r * chance for r, chance in enumerate(chances)))


def _marketer_over_journalist(ask: Ask) -> Answer:
    """Marketer risk (their equation 1) over journalist risk, one over the smallest class."""
    people, released = ask["people"], ask["released"]
    marketer = float(total_risk(Groups.of(people, released=released))[0]) / sum(released)
    return Answer(marketer * min(people))
