"""Columns that a spreadsheet computes from counts are found by their numbers, whatever they are called."""

from __future__ import annotations

import csv
import itertools

import numpy as np
import pytest
from small_people import invoke

from policy_sim.tables.derived import derived_columns

NAMES = list("ABCDEFGHIJKLMN")
FIRST = np.array([46.0, 14, 118, 37, 52, 31, 20, 54, 312, 331, 123, 66, 24, 240])
SECOND = np.array([19.0, 29, 117, 16, 71, 39, 16, 45, 185, 232, 138, 30, 34, 166])
THIRD = np.array([38.0, 14, 102, 20, 22, 77, 21, 52, 3, 484, 78, 61, 6, 155])
ONE = {
    "root": lambda n: 10 * np.sqrt(n),
    "log": lambda n: 100 * np.log10(n),
    "standard error": lambda n: 1000 / np.sqrt(n),
    "one in": lambda n: 100_000 / n,
    "score": lambda n: 500 + 100 * (n - n.mean()) / n.std(),
    "shifted": lambda n: n + 1000,
    "square": lambda n: n * n,
    "rank": lambda n: np.argsort(np.argsort(-n)) + 1,
}
TWO = {
    "gap": lambda a, b: np.abs(a - b),
    "percent change": lambda a, b: 1000 * np.abs(b - a) / a,
    "inverse share": lambda a, b: 1000 * (a + b) / b,
    "balance": lambda a, b: 500 + 500 * (a - b) / (a + b),
    "price times count": lambda a, b: a * b,
}
OF_THREE = {
    "average": lambda *of: np.mean(of, axis=0),
    "range": lambda *of: np.ptp(of, axis=0),
}


def _half_up(numbers):
    return np.floor(numbers + 0.5)


def _found(columns, groups=()):
    rows = len(next(iter(columns.values())))
    return derived_columns(columns, set(columns), np.zeros(rows, dtype=bool), groups)


@pytest.mark.parametrize("rounded", [_half_up, np.floor])
@pytest.mark.parametrize("kind", [*ONE, *TWO, *OF_THREE])
def test_what_is_computed_from_counts_is_found(kind, rounded):
    """Of one, two or three columns; one wrong number does not hide it."""
    of = (
        ONE[kind](THIRD)
        if kind in ONE
        else TWO[kind](SECOND, THIRD)
        if kind in TWO
        else OF_THREE[kind](FIRST, SECOND, THIRD)
    )
    counts = {"2021": FIRST, "2022": SECOND, "2023": THIRD}
    assert list(_found(counts | {"X": rounded(of)})) == ["X"]


def _mean(counts, window, after):
    """Return averages by hand, each of the rows of its window that there are."""
    ends = [(max(at - window + 1 + after, 0), at + 1 + after) for at in range(len(counts))]
    return np.array([np.mean(counts[start:end]) for start, end in ends])


@pytest.mark.parametrize("window", [2, 3, 7, 14])
@pytest.mark.parametrize("after", ["trailing", "centered", "leading"])
def test_an_average_along_the_rows_is_found(window, after):
    """In one line of days, and in two counties one below the other."""
    rng = np.random.default_rng(3)
    days = 24 if window < 14 else 40
    cases = [rng.poisson(40 + 30 * np.sin(np.arange(days) / 5 + at)).astype(float) for at in range(2)]
    shift = {"trailing": 0, "centered": window // 2, "leading": window - 1}[after]
    averages = [_half_up(_mean(own, window, shift)) for own in cases]
    assert list(_found({"Cases": cases[0], "M": averages[0]})) == ["M"]
    lines = [np.repeat([0, 1], days)]
    assert list(_found({"Cases": np.concatenate(cases), "M": np.concatenate(averages)}, lines)) == ["M"]


def test_growth_along_the_rows_is_found():
    before = SECOND[:-1]
    for growth in (1000 * np.abs(np.diff(SECOND)) / before, 100 * SECOND[1:] / before):
        assert list(_found({"Cases": SECOND[1:], "Deaths": THIRD[1:], "X": np.floor(growth)})) == ["X"]


def test_sums_of_weeks_per_resident_are_found_in_lines_of_counties():
    cases = np.random.default_rng(4).poisson(30, 36).astype(float)
    residents, lines = np.repeat([43210.0, 18765, 90311], 12), np.repeat([0, 1, 2], 12)
    weeks = np.concatenate([_mean(own, 3, 0) for own in np.split(cases, 3)])
    columns = {"Flu": cases, "Residents": residents, "Y": _half_up(3e5 * weeks / residents)}
    assert list(_found(columns, [0 * lines, lines])) == ["Y"]


def test_identities_of_counts_are_kept():
    """A total is the average of parts that are there twice; what remains of 50 falls as the other rises."""
    quarters = [FIRST, SECOND, THIRD, np.roll(FIRST, 3)]
    halves = [quarters[0] + quarters[1], quarters[2] + quarters[3]]
    year = dict(zip("abcdefg", [*quarters[:2], halves[0], *quarters[2:], halves[1], sum(halves)], strict=True))
    positive = np.array([3.0, 14, 22, 9, 31, 17, 5, 26, 11, 40, 7, 19, 33, 12])
    sample = {"tested": np.full(14, 50.0), "positive": positive, "negative": 50 - positive}
    limits = {"n": FIRST, "low": np.floor(FIRST - 2 * np.sqrt(FIRST)), "high": np.ceil(FIRST + 2 * np.sqrt(FIRST))}
    weeks = {"new": FIRST, "ever": np.cumsum(FIRST), "last 3": np.convolve(FIRST, [1, 1, 1])[:14]}
    for columns in (year, sample, weeks):
        assert _found(columns) == {}
    assert "n" not in _found(limits)


def _protected(tmp_path, head, rows, *keys):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [head, *rows]) + "\n", encoding="utf-8")
    outcome = invoke("table", "protect", path, "--rule", "cms", "--out", tmp_path / "out", "--time", "10", *keys)
    sent = tmp_path / "out/send/table.csv"
    return outcome, list(csv.DictReader(sent.read_text(encoding="utf-8").splitlines())) if sent.exists() else []


def _whole(numbers):
    return _half_up(numbers).astype(int).tolist()


@pytest.mark.parametrize("kinds", [["root", "one in", "score", "average"], ["gap", "inverse share", "standard error"]])
def test_no_hidden_count_is_recomputed_from_what_is_sent(tmp_path, kinds):
    """The attacker has the written table and every formula, and tries 1 to 10 for each hidden count of 2023."""

    def computed(third):
        one = {name: of(third) for name, of in ONE.items()} | {name: of(SECOND, third) for name, of in TWO.items()}
        every = one | {name: of(FIRST, SECOND, third) for name, of in OF_THREE.items()}
        return {f"Column {at}": _whole(every[kind]) for at, kind in enumerate(kinds)}

    named = computed(THIRD)
    head = ["County", "2021", "2022", "2023", *named]
    rows = list(zip(NAMES, *map(_whole, (FIRST, SECOND, THIRD)), *named.values(), strict=True))
    outcome, sent = _protected(tmp_path, head, rows)
    assert outcome.stdout.startswith("READY"), outcome.output
    for at in (own for own, row in enumerate(sent) if row["2023"] == "*"):
        shown, fits = [name for name in named if name in sent[at]], []
        for guess in range(1, 11):
            again = computed(np.where(np.arange(14) == at, guess, THIRD))
            fits += [guess] * all(int(sent[at][name]) == again[name][at] for name in shown)
        assert fits == list(range(1, 11))
    assert sum(row["2023"] == "*" for row in sent) == 2


@pytest.mark.parametrize("name", ["MA", "Typical"])
def test_an_average_in_long_form_or_as_a_row_is_not_ready(tmp_path, name):
    """I: three times the average less 312 and 185 is the hidden 3."""
    average = _whole((FIRST + SECOND + THIRD) / 3)
    periods = {"2021": _whole(FIRST), "2022": _whole(SECOND), "2023": _whole(THIRD), name: average}
    long = [(NAMES[at], period, own[at]) for at, (period, own) in itertools.product(range(14), periods.items())]
    for head, rows in (
        (["County", "Period", "Cases"], long),
        (["Period", *NAMES], [(period, *own) for period, own in periods.items()]),
    ):
        keys = [text for key in head[: len(head) - 1 if rows is long else 1] for text in ("--key", key)]
        outcome, sent = _protected(tmp_path, head, rows, *keys)
        assert (outcome.exit_code, sent) == (3, []), outcome.output
        assert repr(name) in outcome.stdout
        assert "'A'" not in outcome.stdout


def test_an_exact_weighted_sum_is_found_and_a_total_is_not():
    counts = {"A": FIRST, "B": SECOND, "C": THIRD}
    assert list(_found(counts | {"K": 1250 * FIRST + 800 * SECOND + 40 * THIRD})) == ["K"]
    assert not _found(counts | {"All": FIRST + SECOND + THIRD})
    assert not _found(counts | {"Men": FIRST + SECOND + THIRD, "Women": FIRST, "All": 2 * FIRST + SECOND + THIRD})


def test_a_share_of_four_columns_is_found():
    fourth = FIRST[::-1].copy()
    counts = {"A": FIRST, "B": SECOND, "C": THIRD, "D": fourth}
    assert list(_found(counts | {"K": _half_up(1000 * SECOND / sum(counts.values()))})) == ["K"]


def test_a_table_of_numbers_alone_is_asked_about(tmp_path):
    (tmp_path / "t.csv").write_text("District,Cases\n1,41\n2,52\n3,4\n4,33\n", encoding="utf-8")
    answer = invoke("table", "check", tmp_path / "t.csv", "--rule", "cms")
    assert answer.exit_code == 2
    assert "--key District" in answer.output
    (tmp_path / "t.csv").write_text(
        "Place,Cases,K\nA,41,1 in 4\nB,52,1 in 3\nC,*,1 in 39\nD,33,1 in 5\n", encoding="utf-8"
    )
    assert "NOT TESTED" in invoke("table", "check", tmp_path / "t.csv", "--rule", "cms").output
