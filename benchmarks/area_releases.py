"""Releases of 200,000 made people that show areas, linked person by person, next to what the formulas expect.

python -m benchmarks.area_releases [--results FILE]     # a state that FILE has is not made again
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from policy_sim import Study
from policy_sim.model.simulation.linking import Attack

STATES = ("DC", "WY", "DE", "RI", "HI", "MT")
FIELDS = ("sex+birth=five_years", "sex+birth=decade", "sex+birth=year", "sex+race+birth=five_years")
POLICIES = (
    *(f"{fields}+geography=area:20000 (age<90)" for fields in FIELDS),
    *(f"{fields}+geography=area:100000 (age<90)" for fields in FIELDS[2:]),
)
PEOPLE, RUNS, SEED = 200_000, 20, 50
FAR = 3.0  # standard errors
FEW = 5  # expected over all runs: figures of fewer say nothing
KNOWS = {"file": "who is in the file", "people": "not who is in the file"}


def errors_off(attack: Attack) -> float:
    """Return how many standard errors the mean count is from the formula.

    Few links scatter no more than a Poisson count, which a sample of runs may miss.
    """
    spread = max(attack.spread, math.sqrt(attack.expected) if attack.expected < 100 else 0.0)
    return (attack.mean - attack.expected) / (spread / math.sqrt(len(attack.counts))) if spread else 0.0


def rows_of(state: str, policies: tuple[str, ...] = POLICIES, runs: int = RUNS) -> Iterator[dict[str, Any]]:
    """Make the people of a state ``runs`` times, release some by areas, link them, and yield a row a figure."""
    study = Study("us-2020")
    share = PEOPLE / study.people.in_states([state]).people
    for knows, asked in (("file", {"in_file": PEOPLE}), ("people", {"release": share})):
        answer = study.simulate(state, policies, ["general", "voter"], runs=runs, seed=SEED, **asked)
        for attack in answer.results:
            if attack.expected * runs < FEW:
                continue
            yield {
                "state": state,
                "policy": attack.case.policy.name,
                "attacker": attack.attacker,
                "knows": knows,
                "measure": str(attack.measure),
                "mean": round(attack.mean, 3),
                "formula": round(attack.expected, 3),
                "errors": round(errors_off(attack), 3),
            }


def main(path: Path) -> None:
    """Add the rows of each state that is not in the file, and say how many are far off."""
    rows = list(csv.DictReader(path.open(encoding="utf-8"))) if path.exists() else []
    for state in STATES:
        if any(row["state"] == state for row in rows):
            continue
        made = [{name: str(value) for name, value in row.items()} for row in rows_of(state)]
        rows += made
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(made[0]))
            writer.writeheader()
            writer.writerows(rows)
    for attacker in ("general", "voter"):
        for knows, title in KNOWS.items():
            errors = [abs(float(r["errors"])) for r in rows if r["attacker"] == attacker and r["knows"] == knows]
            far = sum(error > FAR for error in errors)
            text = f"{attacker}, knows {title}: {len(errors)} figures, {far} outside {FAR:g} standard errors"
            sys.stdout.write(f"{text}, the largest {max(errors):.2f}\n")


if __name__ == "__main__":
    main(Path(sys.argv[2]) if sys.argv[1:2] == ["--results"] else Path("area-releases.csv"))
