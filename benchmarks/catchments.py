"""Files of several states against people drawn one by one: ``python -m benchmarks.catchments --results FILE``.

For each of twelve catchments over two or three states, synthetic people of each state are drawn, listed, put into the
file with the chance of their county, and linked (:mod:`policy_sim.model.simulation`). Counts are added up over the
states and compared with the figures of the whole file, for two policies and two attackers. The seed, the runs and the
limits were chosen before any count was seen: at most 1 figure in 100 outside three standard errors, none outside 4.5.
A count has the variance of a sum of rare events at most, its expectation, over the runs; claims may scatter more,
since several records can be claimed for one person, so that they have the variance that was counted where that is
larger. Half a person is added for figures of a few.

``--results FILE`` appends what each catchment gives and skips those that FILE has; ``--only 2`` counts one, ``--table``
prints what FILE has by measure.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

from policy_sim import Study
from policy_sim.attackers.in_file import Catchment, InFile
from policy_sim.model.simulation import linking

SEED, RUNS, FAR, TOO_FAR = 44, 4, 3.0, 4.5
POLICIES = ("safe-harbor", "limited-dataset")
CATCHMENTS = (
    (3000, "NH: Grafton=60%, Sullivan; VT: Windsor"),
    (1500, "NH: Cheshire; VT: Windham=30%"),
    (6000, "NH: Rockingham, Strafford; ME: York=45%"),
    (800, "VT: Essex, Orleans, Caledonia; NH: Coos=50%"),
    (2500, "NH: Grafton; VT: Orange; ME: Oxford=25%"),
    (4000, "MT: Yellowstone=70%, Carbon; WY: Park, Big Horn"),
    (2000, "MT: Gallatin; WY: Teton=20%, Park"),
    (5000, "DE: New Castle=75%, Kent; RI: Washington"),
    (3500, "DE: Sussex; DC: District of Columbia=40%"),
    (1200, "WY: Sheridan, Campbell; MT: Big Horn=15%, Rosebud"),
    (7000, "RI: Providence=50%, Kent; NH: Hillsborough"),
    (2400, "DE: Kent; RI: Kent; WY: Laramie=30%"),
)
MEASURES = {"total-risk": "total-risk", "g-distinct": "1-distinct", "claims": "claims"}


@dataclass(frozen=True)
class Counted:
    """A figure of a whole file: what the model expects, the mean of what was counted, and the variance of a count."""

    people: int
    places: str
    policy: str
    attacker: str
    measure: str
    expected: float
    mean: float
    variance: float

    @property
    def errors(self) -> float:
        """How many standard errors the count is off."""
        variance = max(self.expected, self.variance) if self.measure == "claims" else self.expected
        return (self.mean - self.expected) / ((variance / RUNS) ** 0.5 + 0.5 / FAR)


def figures_of(study: Study, people: int, places: str) -> Iterator[Counted]:
    """Yield every figure of a whole file, expected and counted; those of a range or without a list are left out."""
    catchment = Catchment.of(places)
    assert catchment is not None
    file = InFile.of(people, catchment)
    settled = file.settled(study.counted, ())[1]
    assert settled is not None
    whole, sums = study.compare(POLICIES, in_file=file, g=1), {}
    linking.FEW = 1  # the few claims of one state are added to those of the others
    states_with: dict[tuple[str, str], int] = {}
    for state, chances in settled.by_state.items():
        number = float(chances.in_file.sum())
        shares = dict(zip(chances.codes, (chances.in_file / number).tolist(), strict=True))
        part = InFile(people=round(number), catchment=Catchment.of(shares))
        rows = study.simulate(state, POLICIES, runs=RUNS, seed=SEED, in_file=part).to_frame()
        for row in rows[rows["measure"].isin(list(MEASURES))].to_dict("records"):
            case = row["policy"], row["attacker"]
            states_with[case] = states_with.get(case, 0) + (row["measure"] == "total-risk")
            mean, variance = sums.get((*case, MEASURES[row["measure"]]), (0.0, 0.0))
            mean += float(row["mean"]) * number / round(number)
            sums[(*case, MEASURES[row["measure"]])] = mean, variance + float(row["spread"]) ** 2
    name = "+".join(settled.by_state)
    for (policy, attacker, measure), (mean, variance) in sums.items():
        expected = whole.profile(name, policy, attacker).people(measure)
        every_state = states_with[policy, attacker] == len(settled.by_state)
        if every_state and expected is not None and expected.low == expected.high:
            yield Counted(people, places, policy, attacker, measure, expected.low, mean, variance)


def saved(results: Path) -> list[Counted]:
    """Return the figures that an earlier run wrote."""
    if not results.exists():
        return []
    with results.open(newline="", encoding="utf-8") as file:
        return [
            Counted(int(a), b, c, d, e, float(f), float(g), float(h)) for a, b, c, d, e, f, g, h in csv.reader(file)
        ]


def print_table(counted: list[Counted]) -> None:
    """Print, for each policy, attacker and measure, how many figures there are and how far the farthest is off."""
    heads = "policy", "attacker", "measure", "figures", "expected", "counted", "farthest, standard errors"
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for key in dict.fromkeys((each.policy, each.attacker, each.measure) for each in counted):
        own = [each for each in counted if (each.policy, each.attacker, each.measure) == key]
        sums = (f"{sum(getattr(each, name) for each in own):,.0f}" for name in ("expected", "mean"))
        farthest = max((each.errors for each in own), key=abs)
        print(f"| {' | '.join([*key, str(len(own)), *sums, f'{farthest:+.2f}'])} |")


def main() -> None:
    """Print a line for each figure, and how many are far."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", type=Path)
    parser.add_argument("--only", type=int, choices=range(1, len(CATCHMENTS) + 1))
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    counted = saved(options.results) if options.results else []
    done = {(each.people, each.places) for each in counted}
    chosen = [CATCHMENTS[options.only - 1]] if options.only else CATCHMENTS
    study = Study("us-2020", 2026)
    for people, places in () if options.table else chosen:
        own = [] if (people, places) in done else list(figures_of(study, people, places))
        for figure in own:
            words = (f"{figure.policy:16}", f"{figure.attacker:8}", f"{figure.measure:11}", f"{figure.expected:9.2f}")
            print(people, places, *words, f"{figure.mean:9.2f}", f"{figure.errors:+5.2f}", sep=" | ", flush=True)
        if options.results and own:
            with options.results.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(astuple(figure) for figure in own)
        counted += own
    if options.table:
        print_table(counted)
    far, too_far = (sum(abs(figure.errors) > limit for figure in counted) for limit in (FAR, TOO_FAR))
    print(f"{len(counted)} figures: {far} outside {FAR:g} standard errors, {too_far} outside {TOO_FAR:g}")


if __name__ == "__main__":
    main()
