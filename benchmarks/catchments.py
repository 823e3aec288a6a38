"""Files of several states against people drawn one by one: ``python -m benchmarks.catchments [--only N]``.

For each of twelve catchments over two or three states, synthetic people of each state are drawn, listed, put into the
file with the chance of their county, and linked (:mod:`policy_sim.model.simulation`). Counts are added up over the
states and compared with the figures of the whole file, for two policies and two attackers. The seed, the runs and the
limits were chosen before any count was seen: at most 1 figure in 100 outside three standard errors, none outside 4.5.
A count has the variance of a sum of rare events at most, its expectation, over the runs; half a person is added for
figures of a few.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from policy_sim import Study
from policy_sim.attackers.in_file import Catchment, InFile

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
    """A figure of a whole file: what the model expects, and the mean of what was counted."""

    people: int
    places: str
    policy: str
    attacker: str
    measure: str
    expected: float
    mean: float

    @property
    def errors(self) -> float:
        """How many standard errors the count is off."""
        return (self.mean - self.expected) / ((self.expected / RUNS) ** 0.5 + 0.5 / FAR)


def figures_of(study: Study, people: int, places: str) -> Iterator[Counted]:
    """Yield every figure of a whole file, expected and counted; those of a range or without a list are left out."""
    catchment = Catchment.of(places)
    assert catchment is not None
    file = InFile.of(people, catchment)
    settled = file.settled(study.counted, ())[1]
    assert settled is not None
    whole, sums = study.compare(POLICIES, in_file=file, g=1), {}
    for state, chances in settled.by_state.items():
        number = float(chances.in_file.sum())
        shares = dict(zip(chances.codes, (chances.in_file / number).tolist(), strict=True))
        part = InFile(people=round(number), catchment=Catchment.of(shares))
        rows = study.simulate(state, POLICIES, runs=RUNS, seed=SEED, in_file=part).to_frame()
        for row in rows[rows["measure"].isin(list(MEASURES))].to_dict("records"):
            key = row["policy"], row["attacker"], MEASURES[row["measure"]]
            mean, states = sums.get(key, (0.0, 0))
            sums[key] = mean + float(row["mean"]) * number / round(number), states + 1
    name = "+".join(settled.by_state)
    for (policy, attacker, measure), (mean, states) in sums.items():
        expected = whole.profile(name, policy, attacker).people(measure)
        if states == len(settled.by_state) and expected is not None and expected.low == expected.high:
            yield Counted(people, places, policy, attacker, measure, expected.low, mean)


def main() -> None:
    """Print a line for each figure, and how many are far."""
    chosen = [CATCHMENTS[int(sys.argv[-1]) - 1]] if "--only" in sys.argv else CATCHMENTS
    study, counted = Study("us-2020", 2026), []
    for people, places in chosen:
        for figure in figures_of(study, people, places):
            counted.append(figure)
            words = (f"{figure.policy:16}", f"{figure.attacker:8}", f"{figure.measure:11}", f"{figure.expected:9.2f}")
            print(people, places, *words, f"{figure.mean:9.2f}", f"{figure.errors:+5.2f}", sep=" | ", flush=True)
    far, too_far = (sum(abs(figure.errors) > limit for figure in counted) for limit in (FAR, TOO_FAR))
    print(f"{len(counted)} figures: {far} outside {FAR:g} standard errors, {too_far} outside {TOO_FAR:g}")


if __name__ == "__main__":
    main()
