"""Compare states, policies and attackers, of one population or several; costs, who bears it, every group size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast, overload

from policy_sim.attackers import GENERAL, VOTER
from policy_sim.attackers.attacker import ATTACKERS
from policy_sim.attackers.in_file import Catchment, InFile, InFileLike, without_places
from policy_sim.model import compare as model
from policy_sim.model.compare import Curve
from policy_sim.model.measure import TOTAL_RISK, Shown
from policy_sim.model.money.group_cost import priced_curves
from policy_sim.model.profile import Cost, TrustDifferential
from policy_sim.model.whole import whole_curve, whole_profile, with_whole
from policy_sim.people.file_chances import middle_zip3
from policy_sim.people.places import SPLITS, as_counted
from policy_sim.people.population import Population
from policy_sim.policies.policy import Policy
from policy_sim.show.numbers import interval, percent
from policy_sim.show.theme import policy_phrase
from policy_sim.study.answers import (
    Answer,
    BreakdownAnswer,
    ComparisonAnswer,
    CostAnswer,
    CurveAnswer,
    TrustAnswer,
    costs_of,
)
from policy_sim.study.provenance import AnswerProvenance
from policy_sim.study.question import (
    DEFAULT_RULES,
    POLICIES,
    Attackers,
    GroupSizes,
    Policies,
    Question,
    Setting,
    States,
)
from policy_sim.words.arguments import choice, name_of, several, switch, whole_number
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.study.study import Study


Populations: TypeAlias = str | Path | Population | Iterable[str | Path | Population]
_MOST_CURVE = 10_000_000


@overload
def compare(
    study: Setting,
    policies: Policies = POLICIES,
    attackers: Attackers = ATTACKERS,
    states: States = None,
    g: GroupSizes | None = None,
    *,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
    population: None = None,
) -> ComparisonAnswer: ...
@overload
def compare(
    study: Setting,
    policies: Policies = POLICIES,
    attackers: Attackers = ATTACKERS,
    states: States = None,
    g: GroupSizes | None = None,
    *,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
    population: Populations,
) -> Studies: ...
def compare(
    study: Setting,
    policies: Policies = POLICIES,
    attackers: Attackers = ATTACKERS,
    states: States = None,
    g: GroupSizes | None = None,
    *,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
    population: Populations | None = None,
) -> ComparisonAnswer | Studies:
    """Measure every state under every policy and attacker; the parts of the question are those of :class:`Question`.

    ``population``: several (``["us-2000", "us-2020"]``) in place of the study's own; where one of them has no ZIP
    codes, all are measured without. Returns one risk profile per state, policy and attacker: expected people, and
    shares (0..1) of the state's people. A policy measured without its ZIP codes, because the population has none, is
    named for it (``limited-dataset-without-zip``), and ``reason`` says so. With ``population``, the rows of all of
    them.

    >>> from policy_sim import Study
    >>> Study("us-2010", 2026).compare("limited-dataset", "voter", "OH", 1).profiles[0].linkage_key
    'birth=date+geography=county_zip5'
    >>> change = Study(lists=2026).compare("county", "general", "WY", 1, population=["us-2010", "us-2020"])
    >>> change.to_frame()["population"].unique().tolist()
    ['us-2010', 'us-2020']
    """
    question = Question.of(policies, attackers, states, g, rules, in_file)
    if population is None:
        return answer(study, question)
    people = several("population", population, (str, Path, Population), "'us-2020' or ['us-2000', 'us-2020']")
    return Studies(tuple(replace(cast("Study", study), population=name) for name in people), question)


def answer(study: Setting, question: Question) -> ComparisonAnswer:
    """Return the comparison of a question that is already in one form, as ``Question.of`` makes it."""
    return _answer(study, question, only_total=False, ranges=True)


def total_risk(study: Setting, question: Question, *, ranges: bool = False) -> ComparisonAnswer:
    """Return the same of total risk alone, which takes half the time; ``ranges``: also both ends of voter lists."""
    return _answer(study, question, only_total=True, ranges=ranges)


def _answer(study: Setting, question: Question, *, only_total: bool, ranges: bool) -> ComparisonAnswer:
    error = study.model_error.relative if study.model_error else None
    compared = model.compare(
        study._cases(question), spread=study.spread, model_error=error, only_total=only_total, ranges=ranges
    )
    held = {part.name: getattr(compared, part.name) for part in fields(compared)}
    if _several(question):
        held["profiles"] = with_whole(compared.profiles, whole_profile)
    return ComparisonAnswer(**held, provenance=study._from(question, "compare"))


def _several(question: Question) -> bool:
    """Tell whether a file comes from places in several states, so that it has figures as a whole."""
    file = question.in_file
    return file is not None and file.catchment is not None and len(question.states or ()) > 1


def from_one_zip3(study: Setting, question: Question) -> tuple[str, Question] | None:
    """Return a three-digit ZIP code of the state, and the question of a file of as many people from there alone.

    The code is the one in which, by size, the middle person of the state lives. None where the file comes from some
    places already, is of half of the state or more, or of several states; and where no ZIP codes are known.
    """
    file, states = question.in_file, question.states
    if file is None or file.catchment is not None or states is None or len(states) != 1:
        return None
    everyone = study.counted.people_by_state().get(states[0], 0)
    people = round(file.share_of(everyone, states[0]) * everyone)
    code = middle_zip3(study._counted_by_zip, states[0], people) if 1 < people < everyone / 2 else None
    if code is None:
        return None
    return code, replace(question, in_file=InFile(people=people, catchment=Catchment.of(code)))


def one_zip3_sentence(study: Setting, question: Question) -> str:
    """Say what the first figure is if the people of the file come from one three-digit ZIP code; empty without one."""
    alone = from_one_zip3(study, replace(question, attackers=(GENERAL.name,), g=(1,)))
    if alone is None:
        return ""
    code, ways = alone[0], (question, alone[1])
    both = [answer(study, replace(way, attackers=(GENERAL.name,), g=(1,))).profiles[0] for way in ways]
    shares = [share for profile in both if (share := profile.share(TOTAL_RISK)) is not None]
    if len(shares) < len(both):
        return ""
    spread, near = (interval(share.low, share.high, percent) for share in shares)
    return (
        f"where the people come from: all over {both[0].state}, as for a statewide file; if all come from one "
        f"three-digit ZIP code, as for most of one hospital ({code}, of the middle size), someone who knows everyone "
        f"is right for {near} under {policy_phrase(both[0].policy)}, not {spread}"
    )


def compare_release(
    study: Setting,
    release: str = "newest",
    policies: Policies = POLICIES,
    attackers: Attackers = ATTACKERS,
    states: States = None,
    g: GroupSizes | None = None,
    *,
    rules: str = DEFAULT_RULES,
) -> ComparisonAnswer:
    """Measure the states' own releases next to the textbook policies.

    ``release``: ``newest``, by which each state is measured under its own newest inpatient file; or one file such as
    ``NC:2016``, under which every state is. Returns a comparison; a state without a recorded release has the status
    ``unknown``, and one of whose file not everything is known has two ends.

    >>> from policy_sim import Study
    >>> answer = Study("us-2010", 2026).compare_release("newest", "safe-harbor", "general", ["NC", "OH"], 1)
    >>> round(answer.profile("NC", "release:newest", "general").share("total-risk").low, 3)
    0.316
    >>> answer.profile("OH", "release:newest", "general").status.value
    'unknown'
    """
    textbook = several("policies", policies, (str, Path, Policy), "'safe-harbor'")
    chosen = name_of("release", release, "'newest' or 'NC:2016'").removeprefix("release:")
    return compare(study, [*textbook, f"release:{chosen}"], attackers, states, g, rules=rules)


def break_down(
    study: Setting,
    by: str,
    policies: Policies = POLICIES,
    attackers: Attackers = ATTACKERS,
    states: States = None,
    g: GroupSizes | None = None,
    *,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
) -> BreakdownAnswer:
    """Break every measure down by who bears it: by race, ethnicity, age, sex, county or ``county-size``.

    Returns one part per value, state, policy, attacker and measure; the parts of a state add up to it.

    >>> from policy_sim import Study
    >>> rows = Study("us-2010", 2026).break_down("sex", "county", "general", "DE", 1).to_frame()
    >>> sorted(set(rows["value"]))
    ['F', 'M']
    """
    return broken_down(study, by, Question.of(policies, attackers, states, g, rules, in_file))


def broken_down(study: Setting, by: str, question: Question, *, distinct: bool = True) -> BreakdownAnswer:
    """Return the breakdown of a question that is already in one form; ``distinct``: with g-distinct."""
    from policy_sim.model import breakdown

    without_places(question.in_file, "a breakdown")
    cases = study._cases(question, one_by_one=True)
    parts = breakdown.break_down(cases, choice("by", by, SPLITS), distinct=distinct)
    return BreakdownAnswer(breakdown.Part.table, "Breakdown", parts, provenance=study._from(question, "compare", by=by))


def total_risk_by(study: Setting, by: str, question: Question) -> pd.DataFrame:
    """Return the rows of total risk that :func:`break_down` has of a question, without those of its other measures."""
    from policy_sim.model import breakdown

    return breakdown.Part.table(breakdown.break_down(study._cases(question, one_by_one=True), by, only_total=True))


def cost(
    study: Setting,
    policies: Policies = POLICIES,
    states: States = None,
    g: GroupSizes | None = None,
    *,
    attackers: Attackers = VOTER,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
) -> CostAnswer:
    """Return what each re-identification costs an attacker that holds a list or another file, VOTER by default.

    ``g``: the group sizes that :meth:`~policy_sim.study.answers.CostAnswer.per_distinct` may be asked for.
    Returns one cost per state, policy and attacker, in US dollars; a list without a price says why.

    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> study.cost("limited-dataset", "DE", rules="paper").to_frame()["price_usd"].tolist()
    [25.0]
    """
    return cost_of(study, compare(study, policies, attackers, states, g, rules=rules, in_file=in_file))


def cost_of(study: Setting, comparison: model.Comparison) -> CostAnswer:
    """Return the costs of a comparison for every attacker in it that holds a list or another file."""
    if not isinstance(comparison, model.Comparison):
        raise InputError("comparison: pass the result of compare().")
    origin = getattr(comparison, "provenance", None) or study._from(Question.of(), "cost")
    return costs_of(comparison, study.counted, origin)


def curves(
    study: Setting,
    state: States = None,
    policies: Policies = POLICIES,
    attackers: Attackers = ATTACKERS,
    g_max: int = 20_000,
    *,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
    round_sizes: bool = False,
) -> CurveAnswer:
    """Return the share g-distinct (0..1 of the state's people) for g = 1 to ``g_max`` in one state.

    A file from several states has a curve of each of them and one as a whole; its places name them.
    ``round_sizes``: give 1, 2, 5, 10, 20, ... and ``g_max`` alone.
    Returns one curve per policy and attacker; for an attacker with a list, also its price over the people.

    >>> from policy_sim import Study
    >>> len(Study("us-2010", 2026).curves("DE", "county", "general", 100).to_frame())
    100
    """
    question = Question.of(policies, attackers, state, rules=rules, in_file=in_file)
    if len(question.states or ()) != 1 and not _several(question):
        raise InputError("a curve covers one state: name it, such as OH, or give a file from places in several.")
    most = whole_number("g_max", g_max, 1, _MOST_CURVE)
    figures = model.CurveFigures(model.round_sizes(most) if switch("round_sizes", round_sizes) else range(1, most + 1))
    cases = study._cases(question)
    swept = priced_curves(model.curves(cases, figures), study.counted, cases.attackers)
    if _several(question):
        swept = with_whole(swept, whole_curve)
    return CurveAnswer(Curve.table, "Curves", swept, provenance=study._from(question, "curve"))


# The same question for several populations.


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
        form: dict[str, Any] = {"rules": question.rules, "in_file": question.in_file, "round_sizes": round_sizes}
        return self.only_study.curves(question.states, question.policies, question.attackers, g_max, **form)

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

    def breakdown(self, by: str, study: Study | None = None, *, distinct: bool = True) -> BreakdownAnswer:
        """Break every measure of one study down: of the only one by default; ``distinct``: g-distinct too."""
        if self.study.spread:
            raise InputError("a breakdown has no intervals: use one of the two.")
        return broken_down(study or self.only_study, by, self.comparable, distinct=distinct)

    def changes(self) -> Answer[model.RiskChange]:
        """Return the changes of every later population against the first; none where there is one."""
        first, *later = self.comparisons
        risk_changes = tuple(change for comparison in later for change in model.changes(first, comparison))
        return Answer(model.RiskChange.table, "Changes", risk_changes, provenance=self.provenance())

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


class CompareVerbs:
    """What a study compares."""

    compare = compare
    answer = answer
    compare_release = compare_release
    break_down = break_down
    cost = cost
    cost_of = cost_of
    curves = curves
