"""``policy-sim simulate``: the attack carried out on made people, beside the formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import format_option, out_option, study_options

__all__ = ["simulate"]


@click.command()
@study_options()
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="The same seed gives the same people and links.",
)
@click.option("--runs", type=click.IntRange(min=2), default=20, show_default=True, help="How often to attack.")
@click.option(
    "--release",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=1.0,
    show_default=True,
    help="Share of the people who are in the release.",
)
@format_option()
@out_option("Write simulate.csv and manifest.json into this folder.")
def simulate(form: str, out: Path | None, seed: int, runs: int, release: float, **options: Any) -> None:
    """Prove the model by attack: make people, release, link at random among equals, count.

    In each run everyone of one state gets a birthday; the released records are linked to people who
    show the same key, and correct links and unique people are counted. The formula's figure should
    lie in the 99 % interval of the mean.

    \b
    Examples:
      policy-sim simulate --state DE --seed 1
      policy-sim simulate --state WY --policy limited-dataset --release 0.1 --format json
    """
    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.cli.progress import Progress
    from policy_sim.errors import InputError
    from policy_sim.simulation import attack_frame

    asked = ask(**options)
    if len(asked.states) != 1:
        raise InputError("one --state is needed, such as --state DE: its people are made one by one.")
    with Progress() as progress:
        attacks = asked.only_study.simulate(
            asked.states[0],
            asked.policies,
            asked.attackers,
            runs=runs,
            release=release,
            seed=seed,
            tell=lambda run: progress(f"run {run} of {runs}"),
        )
    frame = attack_frame(attacks)
    if out is not None:
        manifest = asked.manifest("simulate")
        manifest["options"] |= {"seed": seed, "runs": runs, "release": release}
        write_frames(out, manifest, simulate=frame)
    print_rows(
        frame, form, [*asked.notes, f"people made {runs} times from seed {seed}; {release:.0%} of them released"]
    )
