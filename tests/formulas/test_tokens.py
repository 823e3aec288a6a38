"""Tokens without a key against people made one by one, whose names, birthdays and ZIP codes are counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np
import pytest

from policy_sim.building.make_names import soundex
from policy_sim.formulas.tokens import TokenStratum, token_figures

_LAST = ["SMITH", "SMYTH", "JONES", "JONAS", "BROWN", "BRAUN", "LEE", "LI", "GARCIA", "NGUYEN", *"ABCDEFGHIJKLMNOPQRST"]
_LAST_WEIGHTS = np.array([30, 5, 25, 3, 20, 4, 12, 8, 15, 9, *range(1, 21)], float)
_FIRST = ["JOHN", "JON", "JAMES", "MARY", "MARIA", "ROBERT", "RUPERT", "LINDA", "ANNA", "ANN"]
_FIRST_WEIGHTS = np.array([20, 4, 18, 22, 9, 15, 1, 8, 5, 6], float)
_ZIPS = np.array([0.4, 0.25, 0.2, 0.1, 0.05])
_DAYS = 40
_PEOPLE = 1_500

Token = Callable[[str, str], tuple[str, str]]
_DESIGNS: dict[str, Token] = {
    "initial": lambda last, first: (last, first[0]),
    "soundex": lambda last, first: (soundex(last), soundex(first)),
}


def _stratum(token: Token, listed: np.ndarray) -> TokenStratum:
    """The rates of tokens, from the frequencies of names alone."""
    share: Counter[tuple[str, str]] = Counter()
    for last, of_last in zip(_LAST, _LAST_WEIGHTS / _LAST_WEIGHTS.sum(), strict=True):
        for first, of_first in zip(_FIRST, _FIRST_WEIGHTS / _FIRST_WEIGHTS.sum(), strict=True):
            share[token(last, first)] += of_last * of_first
    rate = np.array(list(share.values())) * _PEOPLE / _DAYS
    return TokenStratum(rate, np.full(len(rate), float(_DAYS)), _ZIPS, listed)


def _attack(token: Token, listed: np.ndarray, in_file: float, told: bool, rng: np.random.Generator) -> np.ndarray:
    """Make people, and attack their tokens one by one: named, sure, with the key, repeated, alone."""
    last, first = (
        rng.choice(len(weights), _PEOPLE, p=weights / weights.sum()) for weights in (_LAST_WEIGHTS, _FIRST_WEIGHTS)
    )
    day, place = rng.integers(_DAYS, size=_PEOPLE), rng.choice(len(_ZIPS), _PEOPLE, p=_ZIPS)
    filed, known = rng.random(_PEOPLE) < in_file, rng.random(_PEOPLE) < listed[place]
    if told:
        known &= filed
    tokens = [(*token(_LAST[a], _FIRST[b]), d) for a, b, d in zip(last, first, day, strict=True)]
    file, roster = defaultdict(list), defaultdict(list)
    for person, its_token in enumerate(tokens):
        if filed[person]:
            file[its_token].append(person)
        if known[person]:
            roster[its_token].append(person)

    def pattern(people: list[int]) -> tuple[int, ...]:
        return tuple(sorted(place[people].tolist()))

    alike = Counter(pattern(people) for people in roster.values())
    named = sure = key = repeated = alone = 0.0
    for its_token, people in file.items():
        entries = roster.get(its_token, [])
        at, entries_at = Counter(place[people].tolist()), Counter(place[entries].tolist() if entries else [])
        alone += sum(count == 1 for count in at.values())
        repeated += len(people) if len(people) > 1 else 0
        both = [person for person in people if known[person]]
        key += sum(1 / entries_at[place[person]] for person in both)
        if len(people) > 1 and entries and pattern(people) == pattern(entries):
            # the names that fit, and the people of one place, are taken at random
            right = sum(1 / at[place[person]] for person in both) if sorted(people) == sorted(entries) else 0.0
            named += right / alike[pattern(people)]
            sure += sum(count == 1 for count in at.values()) if alike[pattern(people)] == 1 and right else 0
    return np.array([named, sure, key, repeated, alone])


@pytest.mark.parametrize("design", sorted(_DESIGNS))
@pytest.mark.parametrize(
    ("in_file", "told", "chance"), [(1.0, True, 1.0), (0.5, True, 0.8), (0.5, False, 1.0), (1.0, False, 0.6)]
)
def test_figures_are_those_of_people_made_one_by_one(design: str, in_file: float, told: bool, chance: float) -> None:
    """Names, birthdays and ZIP codes are drawn; the attacker reads patterns. Tolerance: 4 errors of the mean and 2%."""
    listed = chance * np.array([1.0, 1.0, 0.9, 1.0, 0.5])
    rng, token = np.random.default_rng(52), _DESIGNS[design]
    counted = np.array([_attack(token, listed, in_file, told, rng) for _ in range(30)])
    figures = token_figures(_stratum(token, listed), in_file, np.random.default_rng(1), told=told)
    ours = np.array([figures.named, figures.sure, figures.with_key, figures.repeated, figures.unique])
    mean, error = counted.mean(axis=0), counted.std(axis=0) / np.sqrt(len(counted))
    assert mean[0] > 5, "the test would see nothing"
    assert (np.abs(ours - mean) <= 4 * error + 0.02 * mean + 0.2).all(), (ours, mean, error)


def test_tokens_of_one_place_have_no_pattern_but_their_size() -> None:
    """In one place every pair looks like every other: of all tokens of two people, one match in the whole is right."""
    stratum = TokenStratum(np.array([1e-3]), np.array([1e8]), np.ones(1), np.ones(1))
    figures = token_figures(stratum, 1.0, np.random.default_rng(1), told=True)
    assert figures.repeated == pytest.approx(1e5 * (1 - np.exp(-1e-3)), rel=1e-3)
    assert figures.named == pytest.approx(1 + 1e8 * 1e-9 / 6, abs=0.01)  # one of all pairs; a three is there or not
    assert figures.sure == pytest.approx(0, abs=0.01)


def test_people_alone_follow_the_formula_of_unequal_bins() -> None:
    """By hand: three people, tokens of chance 1/2, 1/4 and 1/4: 3 (1/2 1/4 + 2 1/4 9/16)."""
    stratum = TokenStratum(np.array([1.5, 0.75]), np.array([1.0, 2.0]), np.ones(1), np.ones(1))
    figures = token_figures(stratum, 1.0, np.random.default_rng(1), told=True)
    assert figures.unique == pytest.approx(3 * (1 / 2 * 1 / 4 + 2 * 1 / 4 * 9 / 16))


def test_nobody_on_the_roster_is_nobody_named() -> None:
    stratum = TokenStratum(np.array([2.0]), np.array([50.0]), np.ones(1), np.zeros(1))
    figures = token_figures(stratum, 0.5, np.random.default_rng(1), told=False)
    assert (figures.named, figures.sure, figures.with_key, figures.on_roster) == (0, 0, 0, 0)
    assert figures.people == 50
