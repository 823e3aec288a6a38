"""Every policy at once: which release more detail at no more risk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from policy_sim.attackers import GENERAL
from policy_sim.attackers.in_file import InFileLike
from policy_sim.model.measure import Measure, Shown, with_place
from policy_sim.people.names import small_prefixes
from policy_sim.people.places import as_counted, has_place
from policy_sim.policies.files import RULES, in_rules, load_policy
from policy_sim.policies.policy import AREA_RULE, Conditions, Policy
from policy_sim.show.numbers import given
from policy_sim.study.provenance import AnswerProvenance, placed_notes
from policy_sim.study.question import DEFAULT_RULES, GroupSizes, Question, Setting, States
from policy_sim.words.arguments import name_of, several, short, switch
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities, fields_title, shows_ethnicity
from policy_sim.words.states import unknown_state

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from policy_sim.model.explore.axes import FieldWeights, Needs
    from policy_sim.model.explore.search import Exploration
    from policy_sim.policies.policy import Lattice
    from policy_sim.rules.release_check import Checked
    from policy_sim.study.answers import Answer


_NO_MORE = ", and nobody with a voter list names more people, at either end of a range"
_PLACES = "places: the search shows states and counties; ZIP codes only in the policy to do better than"


@dataclass(frozen=True)
class ExplorationProvenance(AnswerProvenance):
    """What a search of the lattice was made from.

    ``policies``: how many policies were measured in each state.
    """

    policies: int = 0

    @property
    def notes(self) -> list[str]:
        """Which people, policies and options: one line each."""
        from policy_sim.people.names import ZIP3_LISTS

        people, lines = self.study.people, self._made_of
        if self.options["keep"]:
            oldest = "; people aged 90 and over may be in one class" if "birth" in self.options["keep"] else ""
            lines.append(f"kept: policies that release at least {fields_title(self.options['keep'])}{oldest}")
        if self.options["age_classes"]:
            lines.append(
                "age classes: any division of ages, with single years by quarter, month or date if that helps; the "
                "best division for each choice of sex, race and place"
            )
        if days := " and ".join(map(str, self.options["shifts"])):
            lines.append(
                f"shifted dates: also dates of birth moved by up to {days} days, a different number for each person; "
                "an attacker who knows a second date of the person undoes that"
            )
        if "zip3" in people.cells or "zip5" in people.cells:
            lines.append(f"ZIP codes: 000 replaces {ZIP3_LISTS[self.study.zip3]}")
        if "zip5" in people.cells:
            lines.append(f"areas: those that ship, of 20,000 and 100,000 people; {AREA_RULE}")
        if any(study.places_by_county(self.question) for study in self.studies):
            lines += [
                _PLACES,
                f"ZIP codes: 000 replaces {ZIP3_LISTS[self.study.zip3]}",
                *placed_notes(self.studies, self.question),
            ]
        return lines

    @property
    def short_notes(self) -> list[str]:
        """Of :attr:`notes`, for below a table: which places are searched, and last what made the figures."""
        return [*(note for note in self.notes if note == _PLACES), "; ".join(self._made_of)]

    @property
    def _made_of(self) -> list[str]:
        return [
            f"population: {self.study.people.provenance.describe(self.question.states or ())}",
            f"search: {self.policies:,} policies per state; the attacker knows everyone (GENERAL)"
            f"{_NO_MORE if self.options['risk'] == 'total_risk' else ''}; "
            f"{given(self.study.days_per_year)} equally likely birthdays a year",
            self._utility,
            f"rules: {RULES[self.question.rules]}",
            *self._file,
        ]

    @property
    def _utility(self) -> str:
        if self.options["weights"] is None:
            return "utility: entropy of the released values, as a share of the finest policy's"
        return (
            f"utility: weighted sum ({self.options['weights']}) of the bits in each field, as a share of the finest "
            f"policy's"
        )

    @property
    def inputs(self) -> dict[str, str]:
        """The sha256 of the people: no list is used, and the policies are those of the lattice."""
        return self.study.people.provenance.checksums(ethnicity=self.reads_ethnicity)

    def _parameters(self, **options: Any) -> dict[str, Any]:
        return {
            "population": self.study.people.name,
            "states": list(self.question.states or ()) or "all",
            "than": self.options["than"],
            "rules": self.question.rules,
            "zip3": self.study.zip3,
            "risk": self.options["risk"],
            "keep": self.options["keep"],
            "weights": self.options["weights"],
            "age_classes": self.options["age_classes"],
            **({"shifts": list(self.options["shifts"])} if self.options["shifts"] else {}),
            "in_file": None if self.question.in_file is None else self.question.in_file.value,
            "risk_between": None,
            "days_per_year": self.study.days_per_year,
            **options,
            "seed": None,
        }

    @property
    def reads_ethnicity(self) -> bool:
        """Whether the policy to do better than shows ethnicity, or the policies that are searched must."""
        keep = self.options["keep"]
        return super().reads_ethnicity or (keep is not None and shows_ethnicity(Granularities.parse(keep)))


@dataclass(frozen=True, repr=False)
class ExplorationAnswer(Shown):
    """Every policy of the lattice, judged by one column of risk against the policy ``than``.

    ``rows`` has the columns ``frontier`` (no policy of the state keeps more at no more risk) and ``better`` (keeps more
    than ``than``, at no more risk). ``baseline`` has one row per state for ``than``.

    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> study.explore("DE").than
    'safe-harbor'
    """

    rows: pd.DataFrame
    baseline: pd.DataFrame
    than: str
    risk: str
    baseline_policy: Policy = field(kw_only=True)
    all_rows: pd.DataFrame = field(kw_only=True, compare=False)
    provenance: AnswerProvenance = field(kw_only=True, compare=False)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per state and policy; utility in bits, risk in people and as shares (0..1)."""
        return with_place(self.rows.copy())

    def within(self, low: float, high: float) -> Self:
        """Return the part whose risk, as a share (0..1) of the state's people, lies from ``low`` to ``high``.

        The frontier is still that of all policies.
        """
        from policy_sim.model.explore.search import between

        return replace(self, rows=self.rows[between(self.rows, low, high, self.risk)])

    def best(self) -> pd.DataFrame:
        """Return one row per state: of the better policies that of most utility, then least risk, then simplest.

        A state without a better policy has none (missing columns) and ``status`` ``none better``.
        """
        from policy_sim.model.explore.search import best_of

        return best_of(self.rows, self.baseline, self.risk)

    @property
    def marks(self) -> pd.DataFrame:
        """What figures mark: the policy ``than`` and the limited data set, as the lattice shows it, by state."""
        written = load_policy(in_rules("limited-dataset", self.provenance.question.rules))
        limited = as_counted(written, self.provenance.study.people)
        drawn = self.all_rows[self.all_rows["policy"] == str(limited.releases)].assign(policy=limited.name)
        return pd.concat([self.baseline, drawn], ignore_index=True)

    def plot(self, state: str | None = None) -> Figure:
        """Draw risk against utility in one state, with the frontier.

        ``state``: postal code, FIPS code or name; the first of the answer by default.
        """
        from policy_sim.show.frontier_figure import frontier_figure
        from policy_sim.words.arguments import one_state

        states = list(dict.fromkeys(self.rows["state"]))
        code = states[0] if state is None and states else one_state(state)
        if code not in states:
            raise unknown_state("state of this answer", code, states)
        rows, marks = (frame[frame["state"] == code] for frame in (self.rows, self.marks))
        return frontier_figure(rows, marks, self.risk, self.provenance.figure_notes)

    def map(self) -> Figure:
        """Draw the best policy of every state."""
        from policy_sim.show.frontier_figure import best_policy_map

        return best_policy_map(self.best(), self.than, self.risk, self.provenance.figure_notes)


def explore(
    study: Setting,
    states: States = None,
    than: str | Path | Policy = "safe-harbor",
    risk: str | Measure = "total_risk",
    g: GroupSizes | None = None,
    *,
    rules: str = DEFAULT_RULES,
    keep: str | Iterable[str] = (),
    weights: FieldWeights | str | Path | None = None,
    age_classes: bool = False,
    shift: int | Sequence[int] = (),
    in_file: InFileLike = None,
) -> ExplorationAnswer:
    """Measure every policy and compare it with one.

    Parameters
    ----------
    than : The policy to beat: more detail at no more risk. A population without ZIP codes of its own answers for those
        of ``than`` by the make-up of its counties; its lattice shows states and counties.
    risk : ``total_risk``, ``distinct_<g>``, or a Measure.
    keep : Fields that a policy must release at least this finely: ``"sex"``, ``"race=broad"``,
        ``"geography=county"``; policies that do not are left out.
    weights : The weight of a bit of information in each field, as weights or a TOML file; by default utility is the
        entropy of the release.
    age_classes : Also consider every division of ages, and finer dates of birth where many people live: for each
        choice of sex, race and place, find the best way to show ages, if it is better than ``than``.
    shift : Also search dates of birth that are shifted by up to this many days (1 to 182), or by each of several.

    Returns
    -------
    One row per state and policy; ``baseline`` has the policy ``than``, and ``baseline_policy`` is it.

    Examples
    --------
    >>> from policy_sim import Study
    >>> Study("us-2010", 2026).explore("DE").baseline["state"].tolist()
    ['DE']
    """
    from policy_sim.model.explore.age_classes import free_age_rows
    from policy_sim.model.explore.axes import FieldWeights, Needs
    from policy_sim.model.explore.search import measured_alone
    from policy_sim.records.mapping import load_field_weights

    if switch("age_classes", age_classes) and in_file is not None:
        raise InputError("free age classes need a release of everyone: leave out age classes, or the file.")
    needs = Needs.of(() if isinstance(keep, list | tuple) and not keep else several("keep", keep, str, "'sex'"))
    shifts = _shifts(shift)
    worth = weights
    if worth is not None and not isinstance(worth, FieldWeights):
        worth = load_field_weights(Path(name_of("weights", worth, "'weights.toml'")))
    question = Question.of(than, GENERAL.name, states, g, rules, in_file)
    baseline, measure = study._one_policy(question), _risk_measure(risk)
    sizes = question.g if measure.g is None or measure.g in question.g else (*question.g, measure.g)
    column = "total_risk" if measure.g is None else f"distinct_{measure.g}"
    lattice, searched = searched_ways(study, replace(question, g=sizes), baseline, needs, shifts=shifts)
    shared: dict[str, Any] = {"g": sizes, "days_per_year": study.days_per_year, "in_file": question.in_file}
    named = list(dict.fromkeys(searched.rows["state"]))
    beside = study.people_one_by_one(question)
    alone = measured_alone(beside, baseline, named, **shared)
    if worth is not None:
        searched = searched.weighted(study.people, worth, study.days_per_year)
        alone["utility_bits"] = worth.bits_of(beside, [baseline], named, study.days_per_year)[0]
    searched = searched.meeting(needs)
    many = len(searched.policies)
    if not many:
        fields, of_zips = fields_title(str(needs.releases)), f" ZIP codes need {ask('population', 'us-2020-zip')}."
        more = of_zips if "zip" in str(needs.releases) else ""
        raise InputError(f"{ask('keep')}: no policy of this search releases {fields}.{more}")
    if age_classes:
        free_age = free_age_rows(
            study.people,
            lattice,
            alone,
            risk=column,
            g=sizes,
            needs=needs,
            weights=worth,
            days_per_year=study.days_per_year,
        )
        searched = searched.with_rows(free_age)
    rows, below = searched.judged(alone, column)
    options = {
        "risk": column,
        "than": baseline.name,
        "keep": str(needs.releases) if needs.any else None,
        "weights": None if worth is None else str(worth),
        "age_classes": age_classes,
        "shifts": shifts,
    }
    origin = ExplorationProvenance((study,), question, "explore", options, (), many)
    verdict = rows, below, baseline.name, column
    return ExplorationAnswer(*verdict, baseline_policy=baseline, all_rows=rows, provenance=origin)


def _shifts(shift: int | Sequence[int]) -> tuple[int, ...]:
    """Return the days of each shift, checked."""
    if isinstance(shift, tuple | list) and not shift:
        return ()
    days = several("shift", shift, int, "30")
    for each in days:
        if isinstance(each, bool):
            raise InputError(f"shift = {short(shift)}: give a number of days, such as 30.")
        Conditions(shift_days=each)
    return days


def searched_ways(
    study: Setting,
    question: Question,
    proposed: Policy,
    needs: Needs,
    *,
    only_total: bool = False,
    shifts: Sequence[int] = (),
) -> tuple[Lattice, Exploration]:
    """Measure what may meet the needs of the lattice, by ethnicity where they or the ``proposed`` policy show it.

    ``only_total``: total risk alone. ``shifts``: days by which dates of birth are also searched shifted.
    """
    from policy_sim.model.explore.search import explore, lattice_of

    small = small_prefixes(study.zip3, study.people.provenance.date) if has_place(study.people, "zip3") else None
    ethnicity = any(map(shows_ethnicity, (needs.releases, proposed.releases)))
    lattice = lattice_of(study.people, small, ethnicity=ethnicity, shifts=shifts)
    g = () if only_total else question.g
    options: dict[str, Any] = {"g": g, "days_per_year": study.days_per_year, "in_file": question.in_file}
    return lattice, explore(study.people, question.states, lattice=needs.within(lattice), **options)


def check_release(study: Setting, policy: str | Path | Policy, states: States = None) -> Answer[Checked]:
    """Return which cells and people every release check would withhold under a policy that shows the state or less.

    Returns one result per state and check; expected cells and people.

    >>> from policy_sim import Study
    >>> Study("us-2010", 2026).check_release("county", "DE").to_frame()["state"].unique().tolist()
    ['DE']
    """
    from policy_sim.rules.release_check import check_release, checked_frame, list_release_checks, load_release_check
    from policy_sim.study.answers import Answer

    question = Question.of(policy, GENERAL.name, states)
    chosen = study._one_policy(question)
    checks = [
        checked
        for name in list_release_checks()
        for checked in check_release(
            study.people, chosen, load_release_check(name), question.states, days_per_year=study.days_per_year
        )
    ]
    return Answer(checked_frame, "Release checks", tuple(checks), provenance=study._from(question, "policy check"))


def _risk_measure(risk: str | Measure) -> Measure:
    """Return the measure of a column of risk."""
    if isinstance(risk, str) and risk.startswith("distinct_"):
        return Measure.of(f"{risk.removeprefix('distinct_')}-distinct")
    return Measure.of("total-risk" if isinstance(risk, str) and risk == "total_risk" else risk)


class PolicyVerbs:
    """What a study says about policies."""

    explore = explore
    check_release = check_release
