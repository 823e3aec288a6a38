"""Facts as codes, and the sample that is coded a second time."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter

import numpy as np
import pytest
from small_people import list_of

from policy_sim.voter_lists.coding import (
    CODES,
    LIST_ITEMS,
    CodedFact,
    agreement_frame,
    agreement_of,
    blank_sheet,
    changed_since,
    code_of,
    disagreements_frame,
    fact_keys,
    first_codes,
    read_coding,
    read_decisions,
    sample_of,
    shipped_coding,
)
from policy_sim.voter_lists.list_field import Allowed
from policy_sim.voter_lists.price import Price
from policy_sim.words.errors import InputError, SchemaError


@pytest.mark.parametrize(
    ("item", "names", "code"),
    [
        ("buyers", None, "unknown"),
        ("buyers", (), "nobody"),
        ("buyers", ("public", "candidate"), "public"),
        ("buyers", ("voter", "party"), "residents"),
        ("buyers", ("candidate", "scholar"), "restricted"),
        ("uses", None, "unknown"),
        ("uses", (), "nothing"),
        ("uses", ("any",), "any"),
        ("uses", ("non_commercial", "political"), "non_commercial"),
        ("uses", ("scholarly", "journalistic"), "political"),
    ],
)
def test_buyers_and_uses_are_classes(item, names, code):
    assert code_of(list_of(**{item: Allowed(names)}), item) == code


def test_fields_and_prices_are_their_words():
    made = list_of(gender="value", birth="year", price=Price("flat", 20.0))
    codes = {item: code_of(made, item) for item in ("gender", "birth", "zip", "price", "status")}
    assert list(codes.values()) == ["included", "year", "unknown", "flat", "available"]


def test_every_fact_that_ships_has_a_code(lists):
    for one in lists:
        for item in LIST_ITEMS:
            assert code_of(one, item) in CODES[item]


def test_the_sample_is_a_fifth_of_every_stratum_and_the_same_each_time(lists):
    keys = fact_keys(lists)
    drawn = sample_of(keys)
    assert drawn == sample_of(keys[::-1]) == sorted(set(drawn))
    strata, sampled = (Counter(key[1:] for key in some) for some in (keys, drawn))
    assert sampled == {stratum: math.ceil(many / 5) for stratum, many in strata.items()}
    assert drawn != sample_of(keys, seed=1)


def test_a_list_that_is_added_changes_the_sample_of_its_own_strata_alone():
    keys = [(state, "2026", "zip") for state in ("AK", "AL", "AR", "AZ", "CA")]
    more = [*keys, *((state, "2030", "zip") for state in ("AK", "AL"))]
    assert [key for key in sample_of(more) if key[1] == "2026"] == sample_of(keys)


def test_a_share_outside_its_range_is_refused():
    for share in (0, -0.1, 1.1):
        with pytest.raises(InputError, match="share"):
            sample_of([("AK", "2026", "zip")], share)


def test_a_code_that_an_item_does_not_have_is_refused():
    with pytest.raises(InputError, match="included, withheld, unknown"):
        CodedFact("AK", "2026", "zip", "yes")
    with pytest.raises(InputError, match="not coded"):
        CodedFact("AK", "2026", "phone", "included")


# Cohen's kappa by hand and against another program; what is compared, and what was decided.


def test_kappa_by_hand_at_its_ends_and_where_it_is_not_defined():
    """Agreed 6 of 10; chance: 0.5 x 0.7 + 0.5 x 0.3 = 0.5; (0.6 - 0.5) / 0.5."""
    pairs = [("a", "a")] * 4 + [("a", "b")] + [("b", "a")] * 3 + [("b", "b")] * 2
    assert agreement_of(pairs)["kappa"] == pytest.approx(0.2)
    same, other = [("a", "a"), ("b", "b")], [("a", "b"), ("b", "a")]
    assert [agreement_of(pairs)["kappa"] for pairs in (same, other, same + other)] == [1, -1, 0]
    assert agreement_of([])["kappa"] is agreement_of([("a", "a")] * 3)["kappa"] is None


def test_kappa_is_that_of_another_program():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    for _ in range(50):
        first = rng.choice(["a", "b", "c"], 40)
        second = np.where(rng.random(40) < 0.7, first, rng.choice(["a", "b", "c", "d"], 40))
        ours = agreement_of([*zip(first.tolist(), second.tolist(), strict=True)])["kappa"]
        assert ours == pytest.approx(metrics.cohen_kappa_score(first, second))


def coded(*codes, item="zip"):
    return [CodedFact(state, "2026", item, code) for state, code in zip(("AK", "AL", "AR", "AZ"), codes, strict=False)]


FIRST = {fact.key: fact.code for fact in coded("included", "included", "unknown", "withheld")}


def test_the_rows_add_up_within_items():
    second = [*coded("included", "withheld", "unknown", "withheld"), *coded("unknown", "unknown", item="race")]
    first = FIRST | {fact.key: "unknown" for fact in second if fact.item == "race"}
    frame = agreement_frame(first, second).set_index("item")
    assert frame.loc["zip", ["facts", "agree"]].tolist() == [4, 3]
    # chance: included 2 x 1, withheld 1 x 2, unknown 1 x 1, of 16
    assert frame.loc["zip", "by_chance"] == pytest.approx(5 / 16)
    assert frame.loc["zip", "kappa"] == pytest.approx((3 / 4 - 5 / 16) / (11 / 16))
    assert frame.loc["race", "kappa"] is not None
    assert frame["kappa"].isna().to_dict()["race"]  # one code throughout: not defined
    # 5 of 6 agree; by chance 4 x 5/16 + 2 x 1
    assert frame.loc["all", "kappa"] == pytest.approx((5 - 3.25) / (6 - 3.25))
    assert frame.loc["all but unknown", ["facts", "agree"]].tolist() == [3, 2]


def test_a_difference_carries_what_was_decided():
    second = coded("included", "withheld", "included", "withheld")
    decided = {("AL", "2026", "zip"): ("mended", "a reason")}
    frame = disagreements_frame(FIRST, second, decided)
    assert frame[["state", "first", "second", "decision"]].to_numpy().tolist() == [
        ["AL", "included", "withheld", "mended"],
        ["AR", "unknown", "included", "open"],
    ]


def test_what_has_changed_since_is_named():
    assert changed_since(FIRST, {**FIRST, ("AK", "2026", "zip"): "unknown"}) == [("AK", "2026", "zip")]


def test_a_coded_list_that_there_is_not_is_an_error():
    with pytest.raises(InputError, match="AK 2026"):
        first_codes([list_of("AL")], coded("included"))


# The codings that ship, and the errors for damaged ones.


def test_both_codings_are_of_the_same_facts_and_those_are_the_sample(lists):
    first, second = (read_coding(shipped_coding(which)) for which in ("first", "second"))
    keys = [fact.key for fact in second]
    assert [fact.key for fact in first] == keys
    settled = ("2002", "2008", "2020")  # newer vintages may get more lists, and then another sample
    drawn = sample_of(fact_keys(lists))
    assert [key for key in keys if key[1] in settled] == [key for key in drawn if key[1] in settled]


def test_every_difference_that_ships_is_decided():
    first = {fact.key: fact.code for fact in read_coding(shipped_coding("first"))}
    second, decided = read_coding(shipped_coding("second")), read_decisions()
    frame = disagreements_frame(first, second, decided)
    assert set(frame["decision"]) <= {"mended", "kept"}
    assert len(frame) == len(decided)
    assert agreement_frame(first, second).set_index("item").loc["all", "facts"] == 407


def test_the_sheet_tells_no_value(lists):
    keys = sample_of(fact_keys(lists))
    rows = list(csv.DictReader(io.StringIO(blank_sheet(keys, lists))))
    assert [(row["state"], row["vintage"], row["item"]) for row in rows] == keys
    assert all(row["code"] == row["basis"] == row["note"] == "" for row in rows)
    sources = {}
    for row in rows:  # the same for every fact of a list, known or not
        assert sources.setdefault((row["state"], row["vintage"]), row["sources"]) == row["sources"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("state,vintage,item,code\nAK,2026,zip,yes\nAK,2026,phone,included\n", "line 3"),
        ("state,vintage,item,code\nAK,2026,zip,included\nAK,2026,zip,included\n", "coded twice"),
        ("state,vintage\nAK,2026\n", "needs the columns"),
        ("", "needs the columns"),
    ],
)
def test_everything_wrong_with_a_coding_is_said(tmp_path, text, said):
    file = tmp_path / "coding.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError, match=said):
        read_coding(file)


def test_a_decision_is_one_of_two(tmp_path):
    file = tmp_path / "decisions.csv"
    file.write_text("state,vintage,item,decision,reason\nAK,2026,zip,perhaps,x\n", encoding="utf-8")
    with pytest.raises(SchemaError, match="mended, kept"):
        read_decisions(file)


def test_no_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_coding(tmp_path / "none.csv")
