"""Published papers answered figure by figure: :func:`reproduce`.

>>> from policy_sim.study.reproduction import reproduce
>>> reproduce("golle-2006").to_frame()["verdict"].iloc[0]  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.model.measure import Shown
from policy_sim.words.arguments import choice, name_of
from policy_sim.words.errors import InputError, PolicySimError

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from matplotlib.figure import Figure

    from policy_sim.files.manifest import RunProvenance
    from policy_sim.papers.printed_figure import Paper
    from policy_sim.people.population import AnyPopulation
    from policy_sim.records.classes import Classes


PAPERS = ("benitez-malin-2010", "golle-2006", "dankar-2010", "dankar-2012", "guides", "field-trials")

_Drawn = Iterator[tuple[str, str, "Figure"]]


@dataclass(frozen=True, repr=False, eq=False)
class Reproduction(Shown):
    """A paper's rows, what they were made from, and how its own figures are drawn (name of the file, caption, figure).

    >>> reproduce("dankar-2010").paper.name
    'dankar-2010'
    """

    paper: Paper
    rows: pd.DataFrame
    notes: Sequence[str]
    inputs: Mapping[str, str] = field(default_factory=dict)
    draw: Callable[[Sequence[str]], _Drawn] = lambda _: iter(())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per printed figure: the paper's, ours in the same unit, the verdict and the reason."""
        return self.rows

    def _headline(self) -> str:
        return f"Reproduction of {self.paper.name}: {len(self.rows):,} printed figures"

    def figures(self) -> _Drawn:
        """Draw the deviations, then the paper's figures."""
        from policy_sim.show.reproduction_text import deviation_figure

        if self.rows["deviation"].notna().any():
            yield (
                "deviation",
                "All figures: relative difference of ours from the printed figure",
                deviation_figure(self.rows, self.paper.name, self.notes),
            )
        yield from self.draw(self.notes)

    @property
    def provenance(self) -> RunProvenance:
        """Where the rows come from: notes, citation and manifest."""
        from policy_sim.files.manifest import RunProvenance
        from policy_sim.files.paths import data_dir

        printed = data_dir() / "published" / f"{self.paper.name}.toml"
        inputs: dict[str, str | Path | None] = {"printed figures": printed, **self.inputs}
        return RunProvenance("reproduce", {"paper": self.paper.name}, inputs, self.notes)


def reproduce(paper: str, data: str | Path | None = None, tell: Callable[[str], None] | None = None) -> Reproduction:
    """Answer every printed figure of a paper, one of :data:`PAPERS`: our figure, a verdict and its reason.

    ``data``: your copy of ``adult.csv``, or the folder it is in; for ``dankar-2010`` alone. ``tell`` is called with
    what is being done, where that takes long.

    >>> answer = reproduce("dankar-2010")
    >>> answer.paper.name, "verdict" in answer.to_frame()
    ('dankar-2010', True)
    """
    from policy_sim.papers.printed_figure import load_paper, reproduction_frame
    from policy_sim.papers.printed_figure import reproduce as answer_figures

    name = choice("paper", paper, PAPERS)
    if tell is not None and not callable(tell):
        raise InputError("tell: give a function that takes what is being done.")
    printed = load_paper(name)
    if data is not None and name != "dankar-2010":
        raise InputError(f"data is for dankar-2010: {name} takes no file.")
    if name == "dankar-2010":
        answer, notes, *more = _dankar_2010(None if data is None else Path(name_of("data", data, "'adult.csv'")))
    elif name == "dankar-2012":
        answer, notes, *more = _dankar_2012(printed, tell)
    else:
        answer, notes, *more = _OF_PEOPLE[name](printed)
    return Reproduction(printed, reproduction_frame(printed, answer_figures(printed, answer)), notes, *more)


def _benitez_malin(paper: Paper) -> tuple[Any, ...]:
    from policy_sim.papers.studies import BenitezMalin
    from policy_sim.policies.files import load_preset
    from policy_sim.study.study import Study

    preset = load_preset(paper.name)
    study = Study(preset.population, preset.lists, preset.days_per_year, coverage=preset.coverage)
    comparison = study.compare(preset.policies, g=preset.g, rules=preset.rules)
    curves = study.curves("OH", preset.policies, rules=preset.rules)
    counties = len(study.people.cells["county"].cat.categories)
    answers = BenitezMalin(comparison, study.cost_of(comparison), curves, counties)

    def draw(notes: Sequence[str]) -> _Drawn:
        return _paper_figures(comparison.to_frame(), curves, notes)

    origin = comparison.provenance
    return answers.answer, origin.notes, origin.inputs, draw


def _paper_figures(profiles: pd.DataFrame, curves: Sequence[Any], notes: Sequence[str]) -> _Drawn:
    """Figures 3 to 7: one state over g, its trust differential, all states, and their ranks."""
    from policy_sim.model.compare import Curve, trust_curve_frame
    from policy_sim.show.curves import curve_figure, trust_curve_figure
    from policy_sim.show.distribution import distribution_figure
    from policy_sim.show.panels import rank_figure

    ohio = Curve.table(curves)
    trust = trust_curve_frame(curves, "limited-dataset-paper", "safe-harbor-paper")
    states = profiles[profiles["state"] != "DC"]
    yield "figure-3", "Figure 3: g-distinct in Ohio", curve_figure(ohio, notes)
    yield "figure-4", "Figure 4: trust differential over g in Ohio", trust_curve_figure(trust, notes)
    yield "figure-5", "Figure 5: g-distinct of all states", distribution_figure(states, notes)
    for number, policy, title in (
        (6, "limited-dataset-paper", "Limited Dataset"),
        (7, "safe-harbor-paper", "Safe Harbor"),
    ):
        part = states[states["policy"] == policy]
        yield f"figure-{number}", f"Figure {number}: ranks under {title}", rank_figure(part, notes)


def _golle(paper: Paper) -> tuple[Any, ...]:
    from policy_sim.papers.studies import Golle
    from policy_sim.people.by_name import load_population

    people = load_population(paper.population)
    others = []
    with suppress(PolicySimError):  # a population of one's own, which few have
        others.append(load_population("us-2010-zip"))
    notes = [f"population: {population.provenance.describe()}" for population in (people, *others)]
    notes.append("options: 365 equally likely birthdays per year; every figure comes from other publications")
    return Golle(people, others).answer, notes


def _field_trials(paper: Paper) -> tuple[Any, ...]:
    from policy_sim.attackers.county_coverage import load_coverage
    from policy_sim.papers.printed_figure import FieldTrials
    from policy_sim.people.by_name import load_population
    from policy_sim.people.names import with_zip3_list
    from policy_sim.people.population import Population
    from policy_sim.people.zips import with_zip_codes
    from policy_sim.policies.files import load_policy

    counted = load_population(paper.population)
    policy = with_zip3_list(load_policy("safe-harbor"), "computed", counted.provenance.date)
    registered = load_coverage("survey", paper.lists)
    assert registered is not None  # only "everyone" has none
    later = load_population("us-2020")

    def county(code: str) -> AnyPopulation:
        cells = later.cells[later.cells["county"] == code].reset_index(drop=True)
        return with_zip_codes(Population(cells, later.provenance))

    answers = FieldTrials(with_zip_codes(counted), policy.conditions, registered, county)
    notes = [f"population: {population.provenance.describe()}" for population in (counted, later)]
    notes.append(f"voter lists: {registered.title}; every adult in a state has the same chance of being on the list")
    notes.append(
        "ZIP codes: computed from the make-up of the county. The assumptions were written down before our "
        "figures were computed."
    )
    return answers.answer, notes


def _guides(paper: Paper) -> tuple[Any, ...]:
    from policy_sim.papers.guides import Guides

    return Guides.shipped().answer, [f"{paper.title}: no population and no list is used"]


_OF_PEOPLE = {
    "benitez-malin-2010": _benitez_malin,
    "golle-2006": _golle,
    "guides": _guides,
    "field-trials": _field_trials,
}


def _dankar_2010(data: Path | None) -> tuple[Any, ...]:
    from policy_sim.papers.studies import Dankar2010

    adult = _adult(data) if data is not None else None
    return Dankar2010(adult).answer, [
        "Adult: your file" if adult else "Adult: no file; pass your copy of adult.csv as data"
    ]


def _adult(data: Path) -> Classes:
    """Read the classes of Adult; its columns may be called as in any of the copies that go round."""
    from policy_sim.papers.studies import ADULT_FIELDS
    from policy_sim.study.record_file import RecordFile

    path = data / "adult.csv" if data.is_dir() else data
    if not path.is_file():
        raise InputError(f"data = {data}: this folder has no adult.csv. Give the file itself.")
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        header = file.readline().lower()
    names = [next((name for name in spellings if name in header), spellings[0]) for spellings in ADULT_FIELDS.values()]
    return RecordFile(path, names).classes()


def _dankar_2012(paper: Paper, tell: Callable[[str], None] | None) -> tuple[Any, ...]:
    from policy_sim.estimators.registry import PITMAN_UP_TO
    from policy_sim.papers.printed_figure import load_class_sizes
    from policy_sim.papers.studies import Dankar2012, median_errors
    from policy_sim.voter_lists.files import load_voter_lists

    prices = {state: listed.price.usd() for state, listed in load_voter_lists(paper.lists).items()}
    files = load_class_sizes()
    if tell is not None:
        tell("drawing samples of the public files")
    answers = Dankar2012(prices, PITMAN_UP_TO, median_errors(files))
    drawn = f"public files, from their class sizes, 50 samples per fraction: {', '.join(files)}"
    return answers.answer, [f"voter lists: vintage {paper.lists}", drawn]
