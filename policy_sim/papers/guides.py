"""What the model answers to the figures that guides to de-identification print."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from policy_sim.files.paths import data_dir
from policy_sim.files.toml import shipped_files, shipped_table
from policy_sim.papers.printed_figure import Answer, Answers, Ask
from policy_sim.records.classes import RecordSizes
from policy_sim.records.profile import Threshold, prosecutor_risk


@dataclass(frozen=True)
class Guides(Answers):
    """The ten records of IHE's handbook by field, which its figures are about."""

    records: Mapping[str, Sequence[str]]

    @classmethod
    def shipped(cls) -> Guides:
        """Read the records next to the printed figures."""
        return cls(shipped_table(shipped_files("published")["guides"])["records"])

    def _class(self, ask: Ask) -> Answer:
        """Smallest class that meets a threshold."""
        return Answer(float(Threshold.parse(ask["threshold"]).k))

    def _overall(self, ask: Ask) -> Answer:
        return Answer(ask["data"] * ask["context"])

    def _limit(self, ask: Ask) -> Answer:
        """Largest risk in the data that meets a threshold in its context."""
        return Answer(min(ask["threshold"] / ask["context"], 1.0))

    def _attempt(self, ask: Ask) -> Answer:
        """Chance that a recipient tries, by controls, motives and capacity, as a release counts it."""
        table = shipped_table(data_dir() / "release" / "attacks.toml")["attempt"]
        return Answer(table[ask["controls"]][ask["motives"]])

    def _row(self, ask: Ask) -> Answer:
        """Largest risk of a record of one class."""
        sizes, limit = np.array([ask["size"]], dtype=np.int64), Threshold.parse("0.33")
        return Answer(prosecutor_risk(RecordSizes.of(sizes, sizes), limit, limit).maximum)

    def _complete(self, ask: Ask) -> Answer:
        """Share of records that lack a value of at least one variable, where values are missing at random."""
        return Answer(1 - (1 - ask["missing"]) ** ask["variables"])

    def _records(self, ask: Ask) -> Answer:
        """A measure of risk of the ten records, by the classes of some fields."""
        classes = Counter(zip(*(self.records[name] for name in ask["by"]), strict=True))
        sizes = np.array(list(classes.values()), dtype=np.int64)
        limit = Threshold.parse("0.33")
        return Answer(getattr(prosecutor_risk(RecordSizes.of(sizes, sizes), limit, limit), ask["take"]))

    def _moved(self, ask: Ask) -> Answer:
        """Whether a date moved by some days is another."""
        moved = dt.date.fromisoformat(ask["date"]) + dt.timedelta(ask["days"])
        return Answer(float(moved.isoformat() == ask["to"]), f"the date is {moved.isoformat()}")

    def _pool(self, ask: Ask) -> Answer:
        """Product of the shares of groups, as if they were independent; with ``left``, times everyone."""
        share = float(np.prod([people / ask["of"] for people in ask["people"]]))
        return Answer(share * ask["of"] if ask.get("left") else share)
