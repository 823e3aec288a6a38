"""One row per record, under each rule for missing values, against a count of pairs."""

import numpy as np
import pytest

from policy_sim.records.classes import Classes
from policy_sim.records.profile import profile_classes
from policy_sim.records.prosecutor import Threshold
from policy_sim.records.record_rows import profile_rows

LIMITS = Threshold.parse("0.09"), Threshold.parse("0.5")


def agree(one, other, rule):
    if rule == "wildcard":
        return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))
    return one == other


@pytest.mark.parametrize("rule", ["own", "wildcard", "exclude"])
@pytest.mark.parametrize("seed", range(4))
def test_against_every_pair(rule, seed):
    rng = np.random.default_rng(seed)
    pick = [("a", "b", None), ("x", "y", "z", None)]
    rows = [tuple(rng.choice(np.array(one, dtype=object)) for one in pick) for _ in range(30)]
    classes = Classes.of_rows(rows, ("p", "q"))
    place = {tuple(code): at for at, code in enumerate(classes.codes.tolist())}
    known = [{value: at for at, value in enumerate(sorted({r[i] for r in rows} - {None}), 1)} for i in (0, 1)]
    index = np.array([place[tuple(known[i].get(value, 0) for i, value in enumerate(row))] for row in rows])
    table = profile_rows(classes, index, profile_classes(classes, rule, *LIMITS), 0.1)
    judged = [row for row in rows if rule != "exclude" or None not in row]
    for at, row in enumerate(rows):
        size = table.loc[at, "class_size"]
        if rule == "exclude" and None in row:
            assert size is not None
            assert table.loc[at, "status"].startswith("left out")
            assert str(size) == "<NA>"
        else:
            assert size == sum(agree(row, other, rule) for other in judged)
    assert table["row"].tolist() == list(range(1, 31))


def test_the_chances_of_records_add_up_to_the_expected_matches(tmp_path):
    from policy_sim import RecordFile, Study

    rng = np.random.default_rng(2)
    rows = [
        f"{rng.integers(0, 90)},{rng.choice(['M', 'F'])},{rng.choice(['10001', '10003', '99999'])}" for _ in range(300)
    ]
    path = tmp_path / "f.csv"
    path.write_text("\n".join(["age,sex,county", *rows, ",M,10001"]) + "\n")
    file = RecordFile(path, "age,sex,county", missing="exclude")
    result = file.score(Study("us-2010", lists=2026), ["general", "voter"], states="DE", list_records=True)
    table = result.tables["records"]
    assert table["row"].tolist() == list(range(1, 302))
    for score in result.answer:
        assert score.surplus == 0
        assert table[f"{score.attacker}_chance"].sum() == pytest.approx(score.expected.low)
        assert table[f"{score.attacker}_chance_high"].sum() == pytest.approx(score.expected.high)
    nowhere = [row.endswith("99999") for row in rows]
    assert (table["status"] != "ok").tolist() == [*nowhere, True]
    assert table["general_chance"].isna().tolist() == [*nowhere, True]
    assert table["status"].iloc[-1].startswith("left out")
