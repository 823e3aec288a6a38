"""Every amount has its date and source; what no source gives is unknown and not 0."""

import pytest

from policy_sim.attackers.dollar_amount import AMOUNT_KINDS
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.io.economics_files import amount_of, load_amounts


def test_every_amount_has_date_source_and_kind():
    amounts = load_amounts()
    assert {amount.kind for amount in amounts.values()} == set(AMOUNT_KINDS)
    for amount in amounts.values():
        assert amount.date[:4].isdigit()
        assert amount.source
        assert amount.cite().startswith(amount.name)
        assert amount.usd_low != 0, "an unknown amount has no number"


def test_the_amounts_of_wan_2015():
    assert amount_of("wan-2015", "gains")[0] == 300
    assert amount_of("attempt-wan-2015", "costs")[0] == 4
    assert "PLoS ONE" in amount_of("wan-2015", "gains")[1]


def test_a_number_is_taken_as_it_is():
    assert amount_of(12.5, "gains") == (12.5, "assumed: $12.5")
    assert amount_of("12.5", "gains") == (12.5, "assumed: $12.5")


def test_what_is_refused():
    with pytest.raises(UnknownNameError):
        amount_of("wan-2015", "penalties")
    with pytest.raises(InputError, match="no source gives the amount"):
        amount_of("contract-ca-ab-713", "penalties")
