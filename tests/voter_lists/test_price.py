import pytest
from said import numbers

from policy_sim.voter_lists.price import PRICE_KINDS, PRICE_STATUSES, Price
from policy_sim.words.errors import InputError

WISCONSIN = Price("schedule", base_usd=25, usd_per_record=0.005, max_usd=12_500, quoted_usd=12_500)
TEXAS = Price("schedule", base_usd=328.13, usd_per_record=0.0000625, free_records=1_000_000, quoted_usd=1_279)


@pytest.mark.parametrize(("records", "usd"), [(0, 25), (1_000, 30), (2_495_000, 12_500), (5_000_000, 12_500)])
def test_a_fee_a_record_stops_at_the_highest(records, usd):
    assert WISCONSIN.usd(records=records).usd == pytest.approx(usd, rel=1e-12)


def test_the_first_million_voters_cost_nothing_extra():
    assert TEXAS.usd(records=1_000_000).usd == pytest.approx(328.13)
    assert TEXAS.usd(records=17_000_000).usd == pytest.approx(328.13 + 16 * 62.5)


def test_without_a_number_of_records_the_quoted_amount_stands():
    assert TEXAS.usd().usd == 1_279
    unquoted = Price("schedule", usd_per_record=0.01)
    assert (unquoted.usd().usd, unquoted.usd().status) == (None, "unknown")
    assert "records" in unquoted.usd().reason


def test_counties_towns_and_the_least_amount():
    price = Price("schedule", base_usd=10, usd_per_county=20, usd_per_town=1, min_usd=50)
    assert price.usd(counties=67, towns=5).usd == 10 + 67 * 20 + 5
    assert price.usd(counties=1, towns=0).usd == 50
    assert price.usd(counties=67).status == "unknown"
    assert "towns" in price.usd(counties=67).reason


def test_the_kinds_give_different_answers():
    answers = {kind: Price(kind, base_usd=28_000 if kind in ("flat", "at_least") else 0).usd() for kind in PRICE_KINDS}
    assert {kind: (a.usd, a.status) for kind, a in answers.items()} == {
        "flat": (28_000, "ok"),
        "free": (0, "free"),
        "schedule": (0, "free"),
        "at_least": (28_000, "at_least"),
        "not_sold": (None, "not_sold"),
        "unknown": (None, "unknown"),
    }
    assert all(answer.status in PRICE_STATUSES for answer in answers.values())
    assert all(answer.reason for answer in answers.values() if answer.usd is None)


def test_a_buyer_class_may_pay_another_price():
    price = Price("flat", base_usd=100, usd_by_buyer={"commercial": 900, "scholar": 0})
    assert [price.usd(buyer=b).usd for b in (None, "party", "commercial", "scholar")] == [100, 100, 900, 0]
    assert price.usd(buyer="scholar").status == "free"


@pytest.mark.parametrize(
    ("records", "quoted"),
    [
        (3_700_000, []),
        (5_024_279, ["5,024,279", "37,000.00"]),
    ],
)
def test_a_quote_is_said_where_the_schedule_comes_to_something_else(records, quoted):
    asked = Price("schedule", usd_per_record=0.01, quoted_usd=37_000)
    amount = asked.usd(records=records)
    assert (amount.usd, amount.status) == (pytest.approx(records / 100), "ok")
    assert numbers(amount.reason) == quoted
    assert asked.usd().reason == ""


@pytest.mark.parametrize("amount", [-1, float("nan"), float("inf")])
def test_an_amount_is_a_number_of_dollars(amount):
    with pytest.raises(InputError, match=r"^usd_per_county .*: give a number from 0"):
        Price("schedule", usd_per_county=amount)


def test_an_unknown_kind_is_refused():
    with pytest.raises(InputError, match="'fixed' is not one of flat, free"):
        Price("fixed")


def test_prices_are_said_in_words():
    assert WISCONSIN.describe().split(", ") == ["25.00 USD + 0.005 USD a record", "at most 12,500.00 USD"]
    assert TEXAS.describe().startswith("328.13 USD + 0.0000625 USD a record")
    assert numbers(TEXAS.describe())[2:] == ["1,000,000"]
    assert Price("not_sold").describe() == "not sold"
    assert Price("at_least", base_usd=28_000).describe() == "at least 28,000.00 USD"
