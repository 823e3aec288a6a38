"""The same question for several populations: their comparisons, and how risk changed between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

from policy_sim.model.measure import Shown
from policy_sim.model.profile import Cost, TrustDifferential
from policy_sim.people.places import as_counted
from policy_sim.study.answers import Answer, BreakdownAnswer, ComparisonAnswer, CostAnswer, CurveAnswer, TrustAnswer
from policy_sim.study.provenance import AnswerProvenance
from policy_sim.study.question import Question
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.model.compare import RiskChange
    from policy_sim.study.study import Study


@dataclass(frozen=True, repr=False)
class Studies(Shown):
    """One question to studies of one or several populations, compared by the places that all of them have.

    ``studies``: one per population, alike in everything else. ``question``: what they are asked.

    >>> from policy_sim import Study
    >>> both = Studies((Study("us-2010", 2026), Study("us-2020", 2026)), Question.of("safe-harbor", "general", "WY", 1))
    >>> len(both.changes()), both.changes()[0].status.value
    (2, 'ok')
    """

    studies: tuple[Study, ...]
    question: Question

    def __post_init__(self) -> None:
        if not self.studies:
            raise InputError("studies: give at least one.")

    @property
    def study(self) -> Study:
        """The first study: what all of them share, such as the lists."""
        return self.studies[0]

    @property
    def only_study(self) -> Study:
        """The study of a question to one population."""
        if len(self.studies) > 1:
            raise InputError("this question takes one population at a time.")
        return self.studies[0]

    def _headline(self) -> str:
        names = ", ".join(study.counted.name for study in self.studies)
        return f"Comparison of {names}: {len(self.to_frame()):,} rows"

    @cached_property
    def comparisons(self) -> tuple[ComparisonAnswer, ...]:
        """Every study's comparison, by the places that all populations have."""
        return tuple(study.answer(self.comparable) for study in self.studies)

    def to_frame(self) -> pd.DataFrame:
        """Return the rows of all comparisons, one population after the other.

        Returns the columns of a comparison; ``population`` tells them apart.
        """
        import pandas as pd

        return pd.concat([comparison.to_frame() for comparison in self.comparisons], ignore_index=True)

    def trust(self) -> TrustAnswer:
        """Return the trust differentials of every later policy over the first, in every population."""
        below, *above = dict.fromkeys(profile.policy for profile in self.comparisons[0])
        ratios = tuple(
            ratio for comparison in self.comparisons for policy in above for ratio in comparison.trust(policy, below)
        )
        return TrustAnswer(TrustDifferential.table, "Trust differentials", ratios, provenance=self.provenance("trust"))

    def costs(self) -> CostAnswer:
        """Return the costs of every attacker that holds a list or a file, in every population."""
        pairs = zip(self.studies, self.comparisons, strict=True) if self.question.has_files else ()
        priced = tuple(cost for study, comparison in pairs for cost in study.cost_of(comparison))
        return CostAnswer(Cost.table, "Costs", priced, provenance=self.provenance("cost"))

    def curves(self, g_max: int, round_sizes: bool = False) -> CurveAnswer:
        """Return the curves of the one state that was asked about."""
        question = self.question
        (state,) = question.states or ()
        form: dict[str, Any] = {"rules": question.rules, "in_file": question.in_file, "round_sizes": round_sizes}
        return self.only_study.curves(state, question.policies, question.attackers, g_max, **form)

    def curve_trust(self, curves: CurveAnswer) -> pd.DataFrame:
        """Return the trust differentials of every later policy over the first, at every g."""
        import pandas as pd

        below, *above = dict.fromkeys(curve.policy for curve in curves)
        # One policy alone has no trust differential: no rows, but the same columns.
        parts = [curves.trust(policy, below) for policy in above] or [curves.trust(below, below).head(0)]
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def comparable(self) -> Question:
        """The question as every population can answer it: without ZIP codes or ethnicity if one of them has none."""
        if len(self.studies) == 1:
            return self.question
        people = [study.people_for(self.question) for study in self.studies]
        policies = (
            requested if (counted := reduce(as_counted, people, policy)) is policy else counted
            for requested, policy in zip(self.question.policies, self.question.loaded, strict=True)
        )
        return replace(self.question, policies=tuple(policies))

    def breakdown(self, by: str, study: Study | None = None) -> BreakdownAnswer:
        """Break every measure of one study down: of the only one by default."""
        if self.study.spread:
            raise InputError("a breakdown has no intervals: use one of the two.")
        return (study or self.only_study).break_down(by, **self.comparable.parts)

    def changes(self) -> Answer[RiskChange]:
        """Return the changes of every later population against the first; none where there is one."""
        from policy_sim.model.compare import RiskChange, changes

        first, *later = self.comparisons
        risk_changes = tuple(change for comparison in later for change in changes(first, comparison))
        return Answer(RiskChange.table, "Changes", risk_changes, provenance=self.provenance())

    def county_changes(self) -> tuple[pd.DataFrame, list[str]]:
        """Return the changes by county of every later population against the first, and what the areas are."""
        import pandas as pd

        from policy_sim.model.breakdown import area_change_frame
        from policy_sim.people.facts import common_areas

        areas, note = common_areas([study.people.provenance.day for study in self.studies])
        first, *later = (self.breakdown("county", study).to_frame() for study in self.studies)
        return pd.concat([area_change_frame(first, rows, areas) for rows in later], ignore_index=True), [note]

    def provenance(self, analysis: str = "compare", remarks: Iterable[str] = (), **options: Any) -> AnswerProvenance:
        """Return where the answers come from: notes, manifest and citation of all studies together."""
        remarks = tuple(remarks)
        if self.comparable is not self.question:
            remarks += ("ZIP codes: left out, because one of the populations has none; the risk is understated",)
        return AnswerProvenance(self.studies, self.comparable, analysis, options, remarks)
