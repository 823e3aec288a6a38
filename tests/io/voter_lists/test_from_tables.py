from policy_sim.io.voter_lists.from_tables import allowed_of, evidence_of, field_of, names_of, noun_of
from policy_sim.io.voter_lists.schema import FIELD_TABLES, BuyersTable, PriceTable
from policy_sim.voter_lists.buyers import Allowed
from policy_sim.voter_lists.evidence import Evidence
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price

KNOWN = {"sources": {"a": None}}


def test_a_price_goes_over_by_its_names_and_what_is_given_wins():
    raw = {"kind": "flat", "usd": 5, "confidence": "low", "sources": ["a"]}
    table = PriceTable.model_validate(raw, context=KNOWN)
    assert noun_of(Price, table, free_records=0) == Price("flat", base_usd=5, evidence=Evidence("low", ("a",)))
    assert noun_of(Price, table, evidence=Evidence("high")).evidence == Evidence("high")
    assert evidence_of(table) == Evidence("low", ("a",))


def test_who_is_allowed():
    table = BuyersTable.model_validate({"allowed": ["party"], "confidence": "high"})
    assert allowed_of(table) == Allowed(("party",), Evidence("high"))
    assert (names_of(None), names_of([])) == (None, ())


def test_a_field_that_has_no_steps_is_shown_at_its_finest():
    gender = FIELD_TABLES["gender"].model_validate({"availability": "included"})
    assert field_of("gender", gender) == ListField("included", "value")
    birth = FIELD_TABLES["birth"].model_validate({"availability": "included", "granularity": "year"})
    assert field_of("birth", birth) == ListField("included", "year")
