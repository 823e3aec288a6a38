"""200 random files: every figure of a profile is what counting each pair of records gives, under each rule."""

import csv

import numpy as np
import pytest
from pinned import pinned

from policy_sim import RecordFile

RULES = ("own", "wildcard", "exclude")


def _agree(one, other, rule):
    if rule == "wildcard":
        return all(a == b or "" in (a, b) for a, b in zip(one, other, strict=True))
    return one == other


def _by_force(rows, rule):
    """Sizes of the records that are judged, and of each field's values alone."""
    judged = [row for row in rows if rule != "exclude" or "" not in row]
    return [sum(_agree(row, other, rule) for other in judged) for row in judged]


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("part", pinned([0], range(4)))
def test_random_files(tmp_path, part, rule):
    for seed in range(50 * part, 50 * part + 50):
        rng = np.random.default_rng(seed)
        width, number = int(rng.integers(1, 4)), int(rng.integers(1, 25))
        pool = ["", "a", "A", " a", "07", "7", "é", "x,y", 'q"q'][: int(rng.integers(2, 10))]
        rows = [tuple(str(rng.choice(pool)) for _ in range(width)) for _ in range(number)]
        names = [f"f{at}" for at in range(width)]
        path = tmp_path / f"{rule}-{seed}.csv"
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([names, *rows])
        profile = RecordFile(path, names, missing=rule).profile(list_records=seed % 5 == 0)
        sizes = _by_force(rows, rule)
        risk = profile.answer.risk
        assert (risk.records, risk.uniques) == (len(sizes), sizes.count(1))
        if "records" in profile.tables:
            listed = profile.tables["records"]["class_size"].dropna().astype(int).tolist()
            assert listed == sizes
        if sizes:
            assert risk.average == pytest.approx(sum(1 / size for size in sizes) / len(sizes))
            assert risk.smallest == min(sizes)
            at_risk = sum(size < profile.answer.threshold.k for size in sizes)
            assert risk.at_risk == at_risk
        if rule != "wildcard":
            judged = [row for row in rows if rule == "own" or "" not in row]
            assert profile.answer.classes == len(set(judged))
