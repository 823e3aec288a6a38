"""``policy-sim simulate``: an attack on synthetic people, compared with the formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import format_option, out_option, study_options

__all__ = ["simulate"]


@click.command()
@click.argument("state")
@study_options(without="states")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="The same seed gives the same people and links.",
)
@click.option(
    "--runs",
    type=click.IntRange(min=2, max=100_000),
    default=20,
    show_default=True,
    help="Number of simulated attacks.",
)
@click.option(
    "--release",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=1.0,
    show_default=True,
    help="Share of the people in the release.",
)
@format_option()
@out_option("Write simulate.csv and manifest.json into this folder.")
def simulate(state: str, form: str, out: Path | None, seed: int, runs: int, release: float, **options: Any) -> None:
    """Check the formulas by simulation: create synthetic people, link them at random, count.

    In each run everyone in one state gets a birthday and a home in a ZIP code area of their county, and the released
    records are linked at random within groups of people with the same key. The command counts correct links and
    unique people. The formula's figure should be within the 99% interval of the mean.

    \b
    Examples:
      policy-sim simulate DE --seed 1
      policy-sim simulate WY --policy limited-dataset --release 0.1 --format json
      policy-sim simulate DE --attacker voter+births.toml --policy limited-dataset
    """
    from policy_sim.analyses.attack import without_list
    from policy_sim.attackers.settled import ASSUMED_PEOPLE
    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.cli.progress import Progress

    studies = ask(**options, states=(state,))
    question = studies.question
    (place,) = question.states or ()
    with Progress() as progress:
        attacks = studies.only_study.simulate(
            place,
            question.policies,
            question.attackers,
            rules=question.rules,
            in_file=question.in_file,
            runs=runs,
            release=release,
            seed=seed,
            tell=lambda run: progress(f"run {run} of {runs}"),
        )
    frame, origin = attacks.to_frame(), studies.provenance("simulate")
    if out is not None:
        write_frames(out, origin.manifest(seed=seed, runs=runs, release=release), simulate=frame)
    assumed = [ASSUMED_PEOPLE] if frame["assumed_people"].notna().any() else []
    left_out = without_list([studies.study.voter], place) if studies.question.has_lists else []
    print_rows(
        frame,
        form,
        [
            *origin.notes,
            *assumed,
            *left_out,
            f"{runs} simulated populations from seed {seed}; {release:.0%} of the people are released",
        ],
    )
