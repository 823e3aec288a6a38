"""``policy-sim dataset``: the risk of a file of records."""

from __future__ import annotations

import click

from policy_sim.cli.dataset_check_command import check
from policy_sim.cli.dataset_estimate_command import estimate
from policy_sim.cli.dataset_profile_command import profile
from policy_sim.cli.dataset_score_command import score
from policy_sim.cli.dataset_simulate_command import simulate

__all__ = ["dataset"]


@click.group()
def dataset() -> None:
    """Measure the risk of a file of records: by itself, against the census, or estimated from the file alone.

    \b
    Examples:
      policy-sim dataset check visits.csv
      policy-sim dataset profile visits.csv --fields age,sex,race,county
      policy-sim dataset score visits.csv --fields age,sex,race,county --population us-2010 --state OH
      policy-sim dataset estimate visits.csv --fields age,sex,race --population-size 11799448
    """


for command in (check, profile, score, estimate, simulate):
    dataset.add_command(command)
