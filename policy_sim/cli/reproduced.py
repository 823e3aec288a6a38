"""What a reproduction needs of each paper: the study that answers it, and the figures in its form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.errors import InputError, PolicySimError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from policy_sim.microdata.classes import Classes
    from policy_sim.population.cells import Population
    from policy_sim.reproduce.figure import Paper, Row

__all__ = ["Reproduced", "reproduced"]

_Drawn = Iterator[tuple[str, str, "Figure"]]


@dataclass(frozen=True)
class Reproduced:
    """A paper's rows, what they were made from, and how its own figures are drawn.

    ``draw`` gives the name of the file, the caption and the figure of each.
    """

    paper: Paper
    rows: pd.DataFrame
    notes: Sequence[str]
    inputs: Mapping[str, str] = field(default_factory=dict)
    draw: Callable[[Sequence[str]], _Drawn] = lambda _: iter(())

    def figures(self) -> _Drawn:
        """Draw the deviations, then the paper's figures."""
        from policy_sim.render.reproduction import deviation_figure

        if self.rows["deviation"].notna().any():
            yield (
                "deviation",
                "All figures: how far ours is off",
                deviation_figure(self.rows, self.paper.name, self.notes),
            )
        yield from self.draw(self.notes)

    def manifest(self) -> dict[str, Any]:
        """What a run manifest says."""
        from policy_sim.cli.output import run_manifest, sha256_of
        from policy_sim.sources.paths import data_dir

        printed = data_dir() / "published" / f"{self.paper.name}.toml"
        inputs = {"printed figures": sha256_of(printed)} | dict(self.inputs)
        return run_manifest("reproduce", {"paper": self.paper.name}, inputs) | {"notes": list(self.notes)}


def reproduced(name: str, data: Path | None = None) -> Reproduced:
    """Answer every printed figure of a paper.

    Raises
    ------
    UnknownNameError : no such paper.
    InputError : ``data`` for a paper that takes none, or without the file.
    """
    from policy_sim.sources.published import load_paper

    paper = load_paper(name)
    if data is not None and name != "dankar-2010":
        raise InputError(f"--data is for dankar-2010: {name} takes no file.")
    if name == "benitez-malin-2010":
        return _benitez_malin(paper)
    if name == "golle-2006":
        return _golle(paper)
    return _dankar_2010(paper, data) if name == "dankar-2010" else _dankar_2012(paper)


def _made(paper: Paper, rows: Sequence[Row], notes: Sequence[str], **more: Any) -> Reproduced:
    from policy_sim.reproduce.frame import reproduction_frame

    return Reproduced(paper, reproduction_frame(paper, rows), notes, **more)


def _benitez_malin(paper: Paper) -> Reproduced:
    from policy_sim.cli.asked import ask
    from policy_sim.reproduce.benitez_malin import BenitezMalin
    from policy_sim.reproduce.figure import reproduce

    asked = ask(preset=paper.name)
    study, (comparison,) = asked.study, asked.comparisons
    curves = study.curves("OH")
    counties = len(study.people.cells["county"].cat.categories)
    answers = BenitezMalin(comparison, study.cost_of(comparison), curves, counties)

    def draw(notes: Sequence[str]) -> _Drawn:
        return _paper_figures(comparison.to_frame(), curves, notes)

    inputs = asked.manifest("reproduce")["inputs"]
    return _made(paper, reproduce(paper, answers.answer), asked.notes, inputs=inputs, draw=draw)


def _paper_figures(profiles: pd.DataFrame, curves: Sequence[Any], notes: Sequence[str]) -> _Drawn:
    """Figures 3 to 7: one state over g, its trust differential, all states, and their ranks."""
    from policy_sim.frames import curve_frame, trust_curve_frame
    from policy_sim.render.curves import curve_figure, trust_curve_figure
    from policy_sim.render.distribution import distribution_figure
    from policy_sim.render.ranks import rank_figure

    ohio = curve_frame(curves)
    trust = trust_curve_frame(ohio, "limited-dataset", "safe-harbor")
    states = profiles[profiles["state"] != "DC"]
    yield "figure-3", "Figure 3: g-distinct in Ohio", curve_figure(ohio, notes)
    yield "figure-4", "Figure 4: trust differential over g in Ohio", trust_curve_figure(trust, notes)
    yield "figure-5", "Figure 5: g-distinct of all states", distribution_figure(states, notes)
    for number, policy, title in ((6, "limited-dataset", "Limited Dataset"), (7, "safe-harbor", "Safe Harbor")):
        part = states[states["policy"] == policy]
        yield f"figure-{number}", f"Figure {number}: ranks under {title}", rank_figure(part, notes)


def _golle(paper: Paper) -> Reproduced:
    from policy_sim.api import REGULATION_POPULATION
    from policy_sim.reproduce.figure import reproduce
    from policy_sim.reproduce.golle import Golle
    from policy_sim.sources.populations import load_population

    people = load_population(paper.population)
    others = [other for other in [_if_there(REGULATION_POPULATION)] if other is not None]
    notes = [f"population: {each.provenance.describe()}" for each in (people, *others)]
    notes.append("options: 365 equally likely birthdays a year; every figure is known from other works only")
    return _made(paper, reproduce(paper, Golle(people, others).answer), notes)


def _if_there(name: str) -> Population | None:
    from policy_sim.sources.populations import load_population

    try:
        return load_population(name)
    except PolicySimError:
        return None


def _dankar_2010(paper: Paper, data: Path | None) -> Reproduced:
    from policy_sim.reproduce.dankar import Dankar2010
    from policy_sim.reproduce.figure import reproduce

    adult = _adult(data) if data is not None else None
    note = "Adult: your file" if adult else "Adult: no file was given; --data adult.csv"
    return _made(paper, reproduce(paper, Dankar2010(adult).answer), [note])


def _adult(data: Path) -> Classes:
    """Read the classes of Adult; its columns may be called as in any of the copies that go round."""
    from policy_sim.cli.dataset_options import ask_file
    from policy_sim.reproduce.dankar import ADULT_FIELDS

    path = data / "adult.csv" if data.is_dir() else data
    if not path.is_file():
        raise InputError(f"--data {data}: there is no adult.csv in this folder; give the file itself.")
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        header = file.readline().lower()
    names = [next((name for name in known if name in header), known[0]) for known in ADULT_FIELDS.values()]
    return ask_file(str(path), ",".join(names), None, None, ()).classes()


def _dankar_2012(paper: Paper) -> Reproduced:
    from policy_sim.estimators.decision_rule import PITMAN_UP_TO
    from policy_sim.reproduce.dankar import Dankar2012
    from policy_sim.reproduce.figure import reproduce
    from policy_sim.sources.voter_lists import load_voter_lists

    lists = load_voter_lists(paper.lists)
    prices = {state: listed.price.usd() for state, listed in lists.items()}
    answers = Dankar2012(prices, PITMAN_UP_TO)
    return _made(paper, reproduce(paper, answers.answer), [f"voter lists: vintage {paper.lists}"])
