"""The lists that describe a year, and their published tables: made once for all tests of the data set."""

import pytest

from policy_sim.voter_lists.files import described_lists
from policy_sim.voter_lists.publication import published_tables


@pytest.fixture(scope="session")
def lists():
    return described_lists()


@pytest.fixture(scope="session")
def tables(lists):
    return {table.name: table for table in published_tables(lists)}
