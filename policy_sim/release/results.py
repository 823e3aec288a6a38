"""What a run of a release and a check of one give back in Python: their figures or checks, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

import pandas as pd

from policy_sim.model.measure import Shown
from policy_sim.release.attack.report import AttackReport, Finding, Verdict

ATTACK = "an attack on the released file"


class ReleaseResult(dict[str, Any], Shown):
    """The figures of a run, as ``release.json`` holds them, and its ``verdict``.

    Examples
    --------
    >>> figures = {"title": "V", "aim": "k", "before": {"uniques": 7}, "after": {"uniques": 0}, "output": {"rows": 93}}
    >>> result = ReleaseResult(figures, Verdict(AttackReport()))
    >>> result.to_frame().to_dict("records")
    [{'figure': 'uniques', 'before': 7, 'after': 0}]
    >>> print(result.verdict)
    NOT TESTED: no attack on the written file was made
    """

    __slots__ = ("verdict",)
    __repr__ = Shown.__repr__

    def __init__(self, figures: Mapping[str, Any], verdict: Verdict) -> None:
        super().__init__(figures)
        self.verdict = verdict

    def to_frame(self) -> pd.DataFrame:
        """Return one row per figure of risk (0..1), before and after; a figure that there is not is ``pd.NA``."""
        rows = [
            (name, *(pd.NA if value is None else value for value in (before, self["after"][name])))
            for name, before in self["before"].items()
        ]
        return pd.DataFrame(rows, columns=["figure", "before", "after"], dtype=object)

    def _headline(self) -> str:
        return f"release of {self['title']}: {self['output']['rows']:,} rows; aim: {self['aim']}; {self.verdict}"


class Rechecked(tuple[dict[str, str], ...], Shown):
    """One row per check: ``check``, ``before``, ``now``, ``holds`` (yes, no or unknown) and ``why``.

    The ``verdict`` is that of an attack on the released file as it is now. A check that does not hold is among what was
    found; where none fails and one is unknown, the release counts as not tested.

    Examples
    --------
    >>> row = {"check": "a", "before": "1", "now": "1", "holds": "yes", "why": ""}
    >>> report = AttackReport(("sex",), {"sex": "sex"}, ("values",))
    >>> print(Rechecked([row], report).verdict)
    MET: 1 of 1 columns attacked
    >>> print(Rechecked([row | {"holds": "no", "why": "overdue"}], report).verdict)
    NOT MET: a: overdue. Run the release again
    """

    __repr__ = Shown.__repr__
    verdict: Verdict

    def __new__(cls, rows: Iterable[dict[str, str]], report: AttackReport) -> Self:
        """Put the checks and the attack together."""
        checked = super().__new__(cls, rows)
        failed = [row for row in checked if row["holds"] == "no" and row["check"] != ATTACK]
        unknown = [row for row in checked if row["holds"] == "unknown" and row["check"] != ATTACK]
        more = (Finding((), f"{row['check']}: {row['why']}", "Run the release again") for row in failed)
        open_rows = tuple((row["check"], row["why"]) for row in unknown)
        broken = report.broken or "; ".join(f"{check} is unknown: {why}" for check, why in open_rows)
        every, aside = (*report.findings, *more), (*report.not_tried, *open_rows)
        checked.verdict = Verdict(replace(report, findings=every, not_tried=aside, broken=broken))
        return checked

    def to_frame(self) -> pd.DataFrame:
        """Return one row per check, all texts."""
        return pd.DataFrame(list(self), columns=["check", "before", "now", "holds", "why"])

    def _headline(self) -> str:
        failed = sum(row["holds"] == "no" for row in self)
        return f"{len(self):,} checks, of which {failed:,} no longer hold; {self.verdict}"
