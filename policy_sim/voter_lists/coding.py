"""Facts of voter lists as codes of a closed set, and a sample of them to be coded a second time.

A second coder reads the sources and writes a code for each fact of the sample, without the first values. Codes are
coarser than the facts where two readers could word the same thing in two ways: an amount is its kind of price, and
buyers and uses are classes.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from policy_sim.errors import InputError
from policy_sim.voter_lists.price import PRICE_KINDS
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS, RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import LIST_STATUSES, VoterList

__all__ = ["CODED_ITEMS", "CODES", "SEED", "SHARE", "CodedFact", "code_of", "fact_keys", "sample_of"]

SHARE = 0.2
SEED = 2026
CODED_ITEMS = ("status", *LIST_FIELDS, "price", "buyers", "uses")
_BUYER_CLASSES = ("public", "residents", "restricted", "nobody", "unknown")
_USE_CLASSES = ("any", "non_commercial", "political", "nothing", "unknown")

# The codes of each item, with the meaning of those that are not the words of a list's own file.
CODES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "status": tuple(LIST_STATUSES),
        **{
            name: (*(field.granularities or ("included",)), "withheld", "unknown")
            for name, field in RECORDED_FIELDS.items()
        },
        "price": PRICE_KINDS,
        "buyers": _BUYER_CLASSES,
        "uses": _USE_CLASSES,
    }
)


@dataclass(frozen=True, order=True)
class CodedFact:
    """The code of one fact: which list, which item, which code, and what it rests on.

    Raises
    ------
    InputError : an item that is not coded, or a code that the item does not have.
    """

    state: str
    vintage: str
    item: str
    code: str
    basis: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.item not in CODES:
            raise InputError(f"item {self.item!r} is not coded; one of {', '.join(CODES)}.")
        if self.code not in CODES[self.item]:
            raise InputError(
                f"{self.state} {self.vintage} {self.item}: code {self.code!r} is not one of "
                f"{', '.join(CODES[self.item])}."
            )

    @property
    def key(self) -> tuple[str, str, str]:
        """Which fact it is."""
        return self.state, self.vintage, self.item


def code_of(listed: VoterList, item: str) -> str:
    """Return the code of a fact of a list.

    Parameters
    ----------
    listed : The list.
    item : One of :data:`CODED_ITEMS`.

    Examples
    --------
    >>> from policy_sim.voter_lists.buyers import Allowed
    >>> from policy_sim.voter_lists.list_field import ListField
    >>> listed = VoterList("XX", "2026", "available", fields={"birth": ListField("included", "year")},
    ...     buyers=Allowed(("candidate", "party")), uses=Allowed(("political", "scholarly")))
    >>> [code_of(listed, item) for item in ("status", "birth", "race", "price", "buyers", "uses")]
    ['available', 'year', 'unknown', 'unknown', 'restricted', 'political']
    """
    if item == "status":
        return listed.status
    if item == "price":
        return listed.price.kind
    if item == "buyers":
        return _buyers(listed.buyers.names)
    if item == "uses":
        return _uses(listed.uses.names)
    fact = listed.fields[item]
    if fact.availability != "included":
        return fact.availability
    return fact.granularity if RECORDED_FIELDS[item].graded else "included"


def fact_keys(lists: Iterable[VoterList]) -> list[tuple[str, str, str]]:
    """Return every coded fact of the lists, as (state, vintage, item), sorted; scenarios are left out."""
    return sorted(
        (listed.state, listed.vintage, item) for listed in lists if not listed.is_scenario for item in CODED_ITEMS
    )


def sample_of(
    keys: Sequence[tuple[str, str, str]], share: float = SHARE, seed: int = SEED
) -> list[tuple[str, str, str]]:
    """Return a share of the facts of every vintage and item, drawn at random, sorted.

    The facts of one stratum depend on its own facts alone: a list that is added elsewhere does not change them.

    Parameters
    ----------
    keys : Facts, as :func:`fact_keys` gives them.
    share : Share of each stratum, above 0 and up to 1; rounded up to whole facts.
    seed : The same seed gives the same facts.

    Raises
    ------
    InputError : a share outside its range.
    """
    if not 0 < share <= 1:
        raise InputError(f"share = {share} must be above 0 and up to 1.")
    strata: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for key in sorted(keys):
        strata.setdefault(key[1:], []).append(key)
    drawn: list[tuple[str, str, str]] = []
    for stratum, members in strata.items():
        rng = random.Random(f"{seed} {' '.join(stratum)}")  # noqa: S311  a sample, not a secret
        order = sorted(members, key=lambda _: rng.random())
        drawn += order[: math.ceil(share * len(members))]
    return sorted(drawn)


def _buyers(names: Sequence[str] | None) -> str:
    """Return the class of buyers: anyone, residents and voters of the state, or some professions and parties only."""
    if names is None:
        return "unknown"
    if not names:
        return "nobody"
    if "public" in names:
        return "public"
    return "residents" if {"resident", "voter"} & set(names) else "restricted"


def _uses(names: Sequence[str] | None) -> str:
    """Return the class of uses: any, any but commerce, or politics, scholarship and journalism only."""
    if names is None:
        return "unknown"
    if not names:
        return "nothing"
    return next((name for name in ("any", "non_commercial") if name in names), "political")
