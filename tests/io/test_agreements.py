"""Clauses and wording that every dossier may carry."""

from policy_sim.io.agreements import load_agreements


def test_the_data_use_agreement_has_each_item_of_the_rule():
    items = load_agreements()["data_use_agreement"].items
    assert [item.split(" ")[0] for item in items] == [
        "(A)", "(B)", "(C)(1)", "(C)(2)", "(C)(3)", "(C)(4)", "(C)(5)",
    ]  # fmt: skip


def test_every_list_has_a_source():
    agreements = load_agreements()
    assert set(agreements) == {"clauses", "terms_of_use", "data_use_agreement", "expert_determination"}
    assert all(each.citation and each.items for each in agreements.values())
    assert len(agreements["clauses"].items) == 4
    assert "164.514(b)(1)" in agreements["expert_determination"].citation
