"""SUDA scores by brute force and against another program's figures for 400 records of Adult."""

import csv
import json
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from policy_sim.records.classes import Classes
from policy_sim.records.suda import suda_scores


def _by_brute_force(rows):
    m = len(rows[0])
    scores = []
    for row in rows:
        minimal = []
        for width in range(1, m + 1):
            for places in combinations(range(m), width):
                alone = sum(all(row[i] == other[i] for i in places) for other in rows) == 1
                if alone and not any(set(part) <= set(places) for part in minimal):
                    minimal.append(places)
        scores.append(sum(math.factorial(m - len(places)) for places in minimal))
    return scores


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    rows = [tuple(row) for row in np.stack([rng.integers(0, k, 60) for k in (2, 3, 5, 9)], axis=1).tolist()]
    classes = Classes.of_rows(rows, tuple("abcd"))
    scores, _ = suda_scores(classes)
    expected = Counter(_by_brute_force(rows))
    assert Counter(np.repeat(scores.score, classes.sizes).tolist()) == expected


def test_against_the_reference_figures(shared):
    reference = json.loads((shared / "reference" / "estimators_public.json").read_text())["record_level"]["suda"]
    with (shared / "microdata" / "adult_arx.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream, delimiter=";"))[:400]
    fields = reference["variables"]
    rows = [tuple(record[name] for name in fields) for record in table]
    classes = Classes.of_rows(rows, fields)
    scores, _ = suda_scores(classes)
    known = [sorted({row[i] for row in rows}) for i in range(len(fields))]
    place = {tuple(code): at for at, code in enumerate(classes.codes.tolist())}
    at = [place[tuple(known[i].index(value) + 1 for i, value in enumerate(row))] for row in rows]
    assert scores.score[at].tolist() == reference["score"]
    # the reference was computed in single precision in part: seven digits
    np.testing.assert_allclose(scores.dis(reference["dis_fraction"])[at], reference["dis_score"], rtol=0, atol=1e-7)
    for entry, name in zip(reference["attribute_contributions"], fields, strict=True):
        assert 100 * scores.shares[name] == pytest.approx(entry["contribution"], rel=1e-12)


def test_nobody_unique_has_no_scores_and_no_shares():
    scores, walked = suda_scores(Classes.of_rows([("a", 1)] * 3, ("x", "y")))
    assert scores.shares == {}
    assert scores.dis(0.1).tolist() == [0.0]
    assert [part.tolist() for part in scores.by_score()] == [[], []]
    assert len(walked) == 3


def test_one_record_is_unique_on_each_single_field():
    scores, _ = suda_scores(Classes.of_rows([("a", 1, 2)], ("x", "y", "z")))
    assert scores.score.tolist() == [3 * math.factorial(2)]
    assert scores.dis(0.5).tolist() == [1.0]  # no pairs: a match can only be right
