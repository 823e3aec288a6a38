"""Attackers in words, from their names: in tables and figures a name is all that is known of an attacker."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from policy_sim.attackers.attacker import GENERAL, VOTER

__all__ = ["bought_by", "holding_of", "words_of"]


class _Words(NamedTuple):
    """What an attacker holds, as the end of a sentence about it, and the attacker in the middle of one."""

    holding: str
    whole: str


_WORDS = {
    GENERAL.name: _Words("knows everyone", "an attacker who knows everyone"),
    VOTER: _Words("has the voter list", "an attacker with the voter list"),
}


def words_of(name: str) -> str:
    """Return an attacker in words, for the middle of a sentence; an empty text for another than GENERAL and VOTER.

    >>> words_of("voter"), words_of("voter-adults")
    ('an attacker with the voter list', '')
    """
    return _WORDS[name].whole if name in _WORDS else ""


def holding_of(name: str) -> str:
    """Return what an attacker holds, for the head of a column; its name for another than GENERAL and VOTER.

    >>> holding_of("general"), holding_of("voter"), holding_of("texas-birth-index")
    ('knows everyone', 'has the voter list', 'texas-birth-index')
    """
    return _WORDS[name].holding if name in _WORDS else name


def bought_by(names: Iterable[str]) -> str:
    """Return what attackers of these names buy, for the middle of a sentence.

    >>> bought_by(["voter", "voter-adults"]), bought_by(["texas-birth-index"]), bought_by(["voter", "ours"])
    ('voter list', 'file', 'voter list or file')
    """
    kinds = {"voter list" if name.split("-")[0] == VOTER else "file" for name in names}
    return " or ".join(sorted(kinds, reverse=True)) or "voter list"
