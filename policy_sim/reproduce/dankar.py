"""What the model answers to the figures of Dankar & El Emam 2010 and of Dankar et al. 2012."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import factorial, prod

from policy_sim.attackers.price import Amount
from policy_sim.groups import Groups, total_risk
from policy_sim.microdata.classes import Classes
from policy_sim.reproduce.figure import Answer, Ask

__all__ = ["ADULT_FIELDS", "Dankar2010", "Dankar2012"]

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
    adult : Its classes by the fields of :data:`ADULT_FIELDS`, in that order; none: not at hand.
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
            return Answer(None, "Needs the file adult.csv: give it with --data.")
        found: dict[str, float] = {
            "records": self.adult.records,
            "values": dict(zip(ADULT_FIELDS, self.adult.values, strict=True)).get(ask.get("field", ""), 0),
            "marketer": self.adult.number / self.adult.records,
        }
        return Answer(found[ask["take"]])


@dataclass(frozen=True)
class Dankar2012:
    """Uniqueness: worked examples, the decision rule, and the prices quoted from Benitez & Malin 2010.

    Parameters
    ----------
    prices : Price of each state's list of 2008.
    pitman_up_to : Largest sampling fraction at which the decision rule takes Pitman's estimator.
    """

    prices: Mapping[str, Amount]
    pitman_up_to: float

    def answer(self, ask: Ask) -> Answer:
        """Answer one question."""
        methods: dict[str, Callable[[Ask], Answer]] = {
            "example": _uniqueness,
            "relative-bias": lambda a: Answer(a["bias"] / a["at"]),
            "product": lambda a: Answer(float(prod(a["of"]))),
            "rule": lambda _: Answer(self.pitman_up_to),
            "price": self._price,
            "file": lambda a: Answer(None, f"Needs the file: {a['file']}."),
            "adult": lambda _: Answer(
                None, "The key fields that the paper chose stand in a table that is not at hand."
            ),
        }
        return methods[ask["kind"]](ask)

    def _price(self, ask: Ask) -> Answer:
        amount = self.prices[ask["state"]]
        return Answer(amount.usd, amount.reason)


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


def _uniqueness(ask: Ask) -> Answer:
    """Shares of unique records (their equations 1 to 3)."""
    of = ask.get("of", 0)
    ratios = {
        "sample-uniqueness": (ask["sample_uniques"], ask["sample"]),
        "share": (of, ask["sample"]),
        "lambda1": (ask["both"], ask["sample_uniques"]),
        "lambda2": (ask["both"], ask["sample"]),
        "lambda3": (ask["population_uniques"], ask["population"]),
    }
    above, below = ratios[ask["take"]]
    return Answer(above / below)
