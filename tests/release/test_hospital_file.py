"""One untidy hospital file, column by column: what its Safe Harbor release shows, and what its dossier says."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from benchmarks.strangers.commands import check, command, trip
from benchmarks.strangers.eyes import OLDEST, SMALL_ZIP3, read_release
from benchmarks.strangers.hospital import AGE, ASKED, BIRTH, EITHER, EXPECTED, OUT, RECORDED, YEAR, ZIP3, hospital

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def visits():
    return hospital()


@pytest.fixture(scope="module")
def released(visits, tmp_path_factory):
    """The file after the four commands, with the folder that it stands in."""
    folder = tmp_path_factory.mktemp("hospital")
    visits.to_csv(folder / "visits.csv", index=False)
    status, said = check(folder / "visits.csv")
    assert status == 0, said
    done = trip(folder / "visits.csv", "safe-harbor")
    assert done.status in (0, 1), done.said
    assert done.release is not None
    return done, folder


def shown(done, column) -> set[str]:
    return set(done.release[column]) - {""} if column in done.release else set()


def columns(*kinds: str) -> list[str]:
    return [column for column, (_, kind) in EXPECTED.items() if kind in kinds]


@pytest.mark.parametrize("column", columns(OUT))
def test_what_identifies_is_left_out(released, column):
    done, _ = released
    assert column not in done.release, f"({EXPECTED[column][0]})"


@pytest.mark.parametrize("column", columns(YEAR, BIRTH, ZIP3, AGE, RECORDED))
def test_what_the_policy_covers_is_released(released, column):
    done, _ = released
    assert shown(done, column)


@pytest.mark.parametrize("column", columns(YEAR, BIRTH, ZIP3, AGE, EITHER))
def test_no_value_is_finer_than_the_policy(released, visits, column):
    done, _ = released
    left, letter = shown(done, column), EXPECTED[column][0]
    if column in ("zip", "postal"):
        assert left <= {code[:3] for code in visits[column]} - SMALL_ZIP3 | {"000"}
    elif column in ("birth_dt", "yr0"):
        assert all(re.search(r"or (before|earlier|less)", cell) or int(cell) > OLDEST for cell in left)
    elif column == "age":
        assert all(re.search(r"90", cell) or int(cell) <= 89 for cell in left)
    elif column == "age_mos":
        assert all(re.search(r"\+|over", cell) or int(cell) < 1080 for cell in left)
    elif letter == "C":
        assert all(re.fullmatch(r"20\d\d", cell) for cell in left)


@pytest.mark.parametrize("column", columns(RECORDED))
def test_codes_and_demographics_are_as_recorded(released, visits, column):
    done, _ = released
    if column not in ("gender", "race"):  # may be written in the words of the mapping
        assert shown(done, column) <= set(visits[column])


@pytest.mark.parametrize("column", columns(ASKED))
def test_what_values_cannot_tell_waits_for_an_answer(released, column):
    done, _ = released
    assert column not in done.release
    assert column in done.said, "the last lines say what was left out"


def test_one_answer_each_brings_back_what_was_asked(released, visits):
    _, folder = released
    for column in columns(ASKED):
        status, said = command("release", "step", folder / "safe-harbor.toml", "variables", "--role", f"{column}=other",
                               "--evidence", "looked at its values", "--by", "A. Officer")  # fmt: skip
        assert status == 0, said
    status, said = command("release", "run", folder / "safe-harbor.toml", "--out", folder / "again")
    assert status in (0, 1), said
    again = read_release(folder / "again")
    assert again is not None
    for column in columns(ASKED):
        pd.testing.assert_series_equal(again[column], visits[column], check_dtype=False)


@pytest.mark.parametrize("column", list(EXPECTED))
def test_the_dossier_names_every_column_and_no_value_that_identifies(released, visits, column):
    done, _ = released
    assert column in done.documents
    letter, kind = EXPECTED[column]
    if kind == OUT and column not in ("ini", "res_area", "mth", "wday"):
        telling = {value for value in visits[column] if len(value) >= 6}
        assert not {value for value in telling if value in done.documents}, f"({letter})"
