from policy_sim.files.evidence import Conflict, Evidence, Source
from policy_sim.voter_lists.facts import conflicts_frame, diff_frame, lists_frame, sources_frame
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList

OLD = VoterList(
    "OH", "2008", "available", fields={"birth": ListField("included", "year"), "gender": ListField("withheld")}
)
NEW = VoterList(
    "OH",
    "2026",
    "available",
    fields={
        "birth": ListField("included", "date", "", Evidence("high", ("form",))),
        "race": ListField("withheld", "", "", Evidence("high", ("form",))),
    },
    price=Price("free", evidence=Evidence("low", ("press",))),
    conflicts=(Conflict("price", "free", "5 USD", "older", False, ("press",)),),
    sources={"form": Source("form", "The form", "https://example.org", "2026"), "press": Source("press", "The press")},
)


def test_one_row_a_list():
    table = lists_frame([OLD, NEW])
    assert table["birth"].tolist() == ["included (year)", "included (date)"]
    assert table["price"].tolist() == ["unknown", "free"]


def test_a_diff_tells_a_change_from_what_became_known():
    table = diff_frame({"OH": OLD, "WV": OLD}, {"OH": NEW}).set_index("item")
    assert table["change"].to_dict() == {
        "gender": "became unknown",
        "race": "became known",
        "birth": "changed",
        "price": "became known",
    }
    assert len(diff_frame({"OH": OLD}, {"OH": OLD})) == 0


def test_sources_say_what_they_support():
    table = sources_frame([NEW]).set_index("source")
    assert table["supports"].to_dict() == {"The form": "race, birth", "The press": "price"}


def test_conflicts_say_whether_they_are_settled():
    assert conflicts_frame([OLD, NEW])["settled"].tolist() == ["no"]
