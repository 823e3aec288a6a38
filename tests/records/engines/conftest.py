"""One engine for the tests of a module."""

import pytest

from policy_sim.records.engines.expressions import quietly
from policy_sim.records.engines.readable_file import open_engine


@pytest.fixture(scope="module")
def engine():
    with open_engine(memory="500MB", threads=2) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _quiet():
    """What an engine's libraries say of each other's versions is no fault, as in :meth:`Engine.plainly`."""
    with quietly():
        yield
