"""How well two codings of the same facts agree, beyond what chance gives: Cohen's kappa.

References
----------
J. Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20:37-46.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from policy_sim.errors import InputError
from policy_sim.voter_lists.coding import CODED_ITEMS, CodedFact, code_of
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["agreement_frame", "chance_agreement", "changed_since", "cohen_kappa", "disagreements_frame", "first_codes"]

_Pair = tuple[str, str]
_Key = tuple[str, str, str]


def chance_agreement(pairs: Sequence[_Pair]) -> float:
    """Return the share on which two coders agree by chance if each keeps its own frequencies of codes, 0..1."""
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    return sum(first[code] * second[code] for code in first) / len(pairs) ** 2


def cohen_kappa(pairs: Sequence[_Pair]) -> float | None:
    """Return Cohen's kappa of two codings.

    Parameters
    ----------
    pairs : The first and the second code of each fact.

    Returns
    -------
    1 where all agree, 0 where they agree as often as chance does; negative below that. None where it is not defined:
    no facts, or both coders use one and the same code throughout.

    Examples
    --------
    Of 50 applications two readers accept 20 together and refuse 15 together; each refuses 5 and 10 alone. They
    agree on 0.7; chance gives 0.5.

    >>> pairs = [("yes", "yes")] * 20 + [("no", "no")] * 15 + [("yes", "no")] * 5 + [("no", "yes")] * 10
    >>> round(cohen_kappa(pairs), 10)
    0.4
    """
    if not pairs:
        return None
    observed = sum(first == second for first, second in pairs) / len(pairs)
    expected = chance_agreement(pairs)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def first_codes(lists: Iterable[VoterList], facts: Sequence[CodedFact]) -> dict[_Key, str]:
    """Return the code of each fact as the lists have it.

    Raises
    ------
    InputError : a coded fact of a list that there is not.
    """
    by_list = {(listed.state, listed.vintage): listed for listed in lists}
    missing = sorted({fact.key[:2] for fact in facts} - set(by_list))
    if missing:
        raise InputError(f"the coding names a list that does not exist: {' '.join(missing[0])}.")
    return {fact.key: code_of(by_list[fact.state, fact.vintage], fact.item) for fact in facts}


def agreement_frame(first: Mapping[_Key, str], second: Sequence[CodedFact]) -> pd.DataFrame:
    """Return one row per item, then two for all items together.

    Returns
    -------
    ``facts`` coded twice, ``agree`` and its share, ``by_chance`` (the share that chance gives) and ``kappa``,
    missing where it is not defined. The row ``all`` takes chance within each item: (A - E) / (N - E), with A facts
    that agree and E expected by chance. The row ``all but unknown`` leaves out facts that both codings call unknown.
    """
    pairs: dict[str, list[_Pair]] = {}
    for fact in second:
        pairs.setdefault(fact.item, []).append((first[fact.key], fact.code))
    rows = [_row(item, [pairs[item]]) for item in CODED_ITEMS if item in pairs]
    known_pairs = [[pair for pair in codings if pair != ("unknown", "unknown")] for codings in pairs.values()]
    rows += [_row("all", [*pairs.values()]), _row("all but unknown", [codings for codings in known_pairs if codings])]
    return pd.DataFrame(rows).astype({"kappa": "Float64"})


def disagreements_frame(
    first: Mapping[_Key, str], second: Sequence[CodedFact], decisions: Mapping[_Key, tuple[str, str]] | None = None
) -> pd.DataFrame:
    """Return one row per fact on which the codings differ, with what the second rests on and what was decided.

    Parameters
    ----------
    first, second : The codes.
    decisions : For a fact, ``mended`` or ``kept`` and the reason; ``open`` where there is none.
    """
    rows = []
    for fact in second:
        if first[fact.key] != fact.code:
            decision, reason = (decisions or {}).get(fact.key, ("open", ""))
            rows.append((*fact.key, first[fact.key], fact.code, fact.basis, fact.note, decision, reason))
    columns = ["state", "vintage", "item", "first", "second", "basis", "note", "decision", "reason"]
    return pd.DataFrame(rows, columns=columns, dtype="string")


def changed_since(first: Mapping[_Key, str], now: Mapping[_Key, str]) -> list[_Key]:
    """Return the facts whose code is another today than when they were compared."""
    return [key for key, code in first.items() if now.get(key) != code]


def _row(item: str, strata: Sequence[Sequence[_Pair]]) -> dict[str, object]:
    many = sum(map(len, strata))
    agree = sum(first == second for pairs in strata for first, second in pairs)
    expected = sum(len(pairs) * chance_agreement(pairs) for pairs in strata)
    defined = many > 0 and expected < many
    return {
        "item": item,
        "facts": many,
        "agree": agree,
        "agree_share": agree / many if many else None,
        "by_chance": expected / many if many else None,
        "kappa": (agree - expected) / (many - expected) if defined else None,
    }
