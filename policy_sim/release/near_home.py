"""Columns that name a provider, a facility or a pharmacy, which suggest where a person lives."""

from __future__ import annotations

from collections.abc import Sequence

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.records.identifiers import passes
from policy_sim.records.vocabularies import is_mark, name_words, words
from policy_sim.release.treatments import Variable

_FEW_NUMBERS = 5  # different ones, which chance makes NPIs in 1 of 100,000 columns of ten digits
_HIDDEN = ("drop", "pseudonym")


def near_home(table: CodedTable, variables: Sequence[Variable]) -> list[str]:
    """Return the released columns that name a provider, a facility or a pharmacy, by name or by their numbers.

    ``table``: what is released. A column that shows nothing but hidden values does not count.
    """
    shown = [own.name for own in variables if own.treatment not in _HIDDEN and own.name in table.names]
    return [name for name in shown if set(table[name].values) - {"*"} and _is_near_home(name, table[name])]


def _is_near_home(name: str, column: CodedColumn) -> bool:
    """Tell whether the words of a name are those of a place of care, or all values are numbers of providers (NPI).

    A number of beds or visits is none: a column of yes and no, or one called by how many or how long, names nobody.
    """
    tokens = set(name_words(name).split())
    if tokens & words("groups", "places_of_care") and not tokens & words("groups", "not_places_of_care"):
        return True
    texts = {text.strip().removesuffix(".0") for text in column.values if not is_mark(text)}
    return len(texts) >= _FEW_NUMBERS and all(text.isdecimal() and passes("npi", text) for text in texts)


def near_home_text(names: Sequence[str]) -> str:
    """Say why such columns count as places; empty where there are none.

    >>> near_home_text([])
    ''
    >>> near_home_text(["pharmacy"]).partition(":")[0]
    'pharmacy'
    """
    if not names:
        return ""
    return (
        f"{', '.join(names)}: a provider, a facility or a pharmacy. People usually live near those that they use, so "
        "anyone who knows where it is looks for the person within a few miles. The risk does not count this. Treat "
        "such a column as a residence: leave it out, or make it as coarse as the place that the release shows"
    )
