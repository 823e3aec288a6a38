"""Columns that are a constant times one count divided by another are found by their numbers, and counts are kept."""

from __future__ import annotations

import numpy as np
import pytest
from small_people import invoke

from policy_sim.tables.derived import derived_columns
from policy_sim.tables.files import read_counts

CASES = np.array([61, 16, 60, 3, 8, 29, 22, 1, 11, 13, 45, 7], dtype=np.float64)
RESIDENTS = np.array([8750, 7681, 3428, 882, 557, 8519, 8123, 4354, 7820, 8008, 1950, 640], dtype=np.float64)
SEEN = np.array([84, 95, 77, 20, 31, 33, 90, 14, 47, 19, 130, 58], dtype=np.float64)  # cases and others
HEAD = "County,Cases,Residents,Burden\n"
NO_ROWS = np.zeros(len(CASES), dtype=bool)
BURDEN = (698, 209, 1751, 341, 1437, 341, 271, 23, 141, 163)  # cases per 100,000 residents, rounded up


def _table(tmp_path, hidden="3 8 1", burden=BURDEN):
    rows = [
        f"{name},{'*' if str(int(cases)) in hidden.split() else int(cases)},{int(people)},{rate}"
        for name, cases, people, rate in zip("ABCDEFGHIJ", CASES, RESIDENTS, burden, strict=False)
    ]
    path = tmp_path / "table.csv"
    path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("rounded", [np.floor, np.ceil, np.round, lambda rate: np.floor(rate + 0.5)])
@pytest.mark.parametrize(
    ("per", "step"), [(100_000, 1), (100_000, 5), (100_000, 10), (10_000, 1), (7_313, 1), (50_000, 25)]
)
def test_a_rate_is_found_whatever_its_scale_and_rounding(rounded, per, step):
    """Of many people: the rate, and not the people, although they are the cases divided by the rate too."""
    rate = step * rounded(per * CASES / RESIDENTS / step)
    columns = {"Cases": CASES, "Residents": RESIDENTS, "X": rate}
    found = derived_columns(columns, set(columns), NO_ROWS)
    assert list(found) == ["X"]
    assert "'Cases' in 'Residents' in each row" in found["X"]


@pytest.mark.parametrize("rounded", [np.floor, np.ceil, np.round])
@pytest.mark.parametrize("per", [20, 100, 500, 1_000])
def test_a_share_is_found_whatever_its_scale_and_rounding(rounded, per):
    """Of both, of the whole, of the rest, and of a sum that no column shows."""
    sexes = {"Male": CASES, "Female": SEEN - CASES + 0}
    for columns in ({"Cases": CASES, "Seen": SEEN}, sexes, {"A": RESIDENTS, **sexes}):
        for part in (CASES, SEEN - CASES):
            share = {"X": rounded(per * part / SEEN)}
            assert "X" in derived_columns(columns | share, {*columns, "X"}, NO_ROWS)


def test_a_wrong_row_and_a_row_of_totals_do_not_hide_a_rate():
    rate = np.ceil(1e5 * CASES / RESIDENTS)
    rate[4] = 12
    columns = {"Cases": CASES, "Residents": RESIDENTS, "X": rate}
    assert derived_columns(columns, {"X"}, NO_ROWS) == {
        "X": "100,000 times the share of 'Cases' in 'Residents' in 11 of 12 rows"
    }
    columns = {name: np.append(values, values.sum()) for name, values in columns.items()}
    assert derived_columns(columns, {"X"}, np.append(NO_ROWS, True))


def test_counts_are_kept():
    """Counts in proportion to people, parts of one another, halves, populations of two years, ranks and copies.

    10 tables of each of 6 kinds; ``benchmarks.table_rates`` draws more.
    """
    rng, rows = np.random.default_rng(8), 9
    for _ in range(10):
        people = np.floor(rng.lognormal(8, 1, rows))
        cases = rng.poisson(people * 0.02).astype(float)
        male = rng.binomial(cases.astype(int), 0.5).astype(float)
        eligible, later = cases + 5, np.round(people * (1 + rng.normal(0.01, 0.01, rows)))
        kinds = (
            {"people": people, "a": cases, "b": rng.poisson(people * 0.01) * 1.0},
            {"a": cases, "male": male, "female": cases - male},
            {"eligible": eligible, "a": np.maximum(eligible - rng.poisson(0.7, rows), 0), "b": cases},
            {"2023": people, "2024": later, "2025": np.round(later * (1 + rng.normal(0.01, 0.01, rows)))},
            {"rank": np.arange(1.0, rows + 1), "a": np.sort(cases)[::-1], "days": rng.integers(2, 15, rows) * 1.0},
            {"a": cases, "copy": cases, "b": np.floor(people / 50)},
        )
        for columns in kinds:
            assert derived_columns(columns, set(columns), np.zeros(rows, dtype=bool)) == {}


def test_a_rate_that_is_rounded_up_is_left_out_or_named(tmp_path):
    """3 cases follow from 882 people and 341 in 100,000. A person may call the column a coincidence: it says so."""
    path = _table(tmp_path, "")
    left_out = " ".join(read_counts(path).notes)
    assert "Left out, not audited: Burden, which is 100,000 times the share of 'Cases' in 'Residents'" in left_out
    outcome = invoke("table", "protect", path, "--rule", "cms", "--coincidence", "Burden")
    assert "Not tried: that 'Burden' is 100,000 times" in " ".join(outcome.output.split())


@pytest.mark.parametrize(("less", "word"), [(0, "NOT TESTED"), (1, "LEAKS")])
def test_a_published_rate_gives_the_hidden_counts_away(tmp_path, less, word):
    """Rounded up, the attacker finds no equation; rounded down, three counts follow."""
    path = _table(tmp_path, burden=[rate - less for rate in BURDEN])
    assert invoke("table", "check", path).stdout.startswith(word)


@pytest.mark.parametrize("rows", [False, True])
def test_a_rate_as_a_row_or_in_long_form_is_not_ready(tmp_path, rows):
    """The row of rates is written, so the verdict is not READY, and says what to leave out."""
    path, body = tmp_path / "table.csv", [line.split(",") for line in _table(tmp_path, "").read_text().split()]
    long = [[line[0], name, text] for line in body[1:] for name, text in zip(body[0][1:], line[1:], strict=True)]
    table = list(zip(*body, strict=True)) if rows else [["County", "Measure", "Value"], *long]
    path.write_text("".join(",".join(line) + "\n" for line in table), encoding="utf-8")
    outcome = invoke("table", "protect", path, "--rule", "cms")
    assert outcome.stdout.startswith("NOT TESTED: table.csv: 'Burden' is a rate of counts that were not found")
    assert "--coincidence Burden" in " ".join(outcome.output.split())


@pytest.mark.parametrize("times", [2, 137, 1250])
def test_a_multiple_of_a_count_is_left_out_and_not_the_count(times):
    count = np.array([231.0, 197, 79, 86, 9, 4, 54, 8])
    for columns in ({"2023": count, "Cost": times * count}, {"Cost": times * count, "2023": count}):
        found = derived_columns(columns, set(columns), np.zeros(len(count), dtype=bool))
        assert found == {"Cost": f"{times:,} times '2023'"}
