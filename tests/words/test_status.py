"""One closed set of statuses, whose values are what the tables have always held."""

from __future__ import annotations

import pytest

from policy_sim.words.errors import UnknownNameError
from policy_sim.words.status import Status


def test_a_status_is_its_text_and_says_what_it_means():
    assert (Status.OK, str(Status.NOT_SOLD), f"{Status.AT_LEAST}") == ("ok", "not_sold", "at_least")
    assert all(status.meaning and not status.meaning.endswith(".") for status in Status)


def test_a_text_that_is_no_status_names_those_that_are():
    with pytest.raises(UnknownNameError, match=r"status 'not-sold' is not known\. Did you mean 'not_sold'"):
        Status("not-sold")


def test_every_list_and_price_status_is_one():
    from policy_sim.attackers import LINKAGE_STATUSES
    from policy_sim.voter_lists.price import PRICE_STATUSES
    from policy_sim.voter_lists.voter_list import LIST_STATUSES

    assert {*LINKAGE_STATUSES, *PRICE_STATUSES, *LIST_STATUSES} <= set(Status)
