"""``policy-sim break-even``."""

import json

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


@pytest.mark.slow
def test_the_smallest_file_is_there_unless_left_out():
    words = ["break-even", "--state", "WI", "--policy", "limited-dataset", "--format", "json"]
    with_size, without = (
        json.loads(CliRunner().invoke(cli, [*words, *more]).stdout)[0] for more in ((), ("--no-sizes",))
    )
    assert with_size["break_even_records"] > 2
    assert without["break_even_records"] is None
    assert with_size["price_usd"] == 12_500
    assert with_size["price_source"]
