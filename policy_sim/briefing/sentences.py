"""The sentences of a brief, as functions of what is known. None claims more than its number."""

from __future__ import annotations

from collections.abc import Sequence

from policy_sim.states import STATES
from policy_sim.status import Status

__all__ = [
    "POLICY_TITLES",
    "age_in_months",
    "and_words",
    "counted_words",
    "first_up",
    "holds_sentence",
    "match_sentence",
    "no_list_sentence",
    "of_state",
    "policy_words",
    "price_sentence",
    "rank_sentence",
]

POLICY_TITLES = {"safe-harbor": "Safe Harbor", "limited-dataset": "the limited data set"}
_RULE = "-regulation"
_NO_LIST = {
    Status.NOT_SOLD: "Nobody can have a list of {state}'s voters",
    Status.COUNTY_ONLY: "{state} sells no statewide voter list; only counties or towns sell theirs",
    Status.UNKNOWN: "No source says what voter list {state} had",
    Status.NOT_TO_THIS_BUYER: "{state}'s voter list is not sold to this buyer",
    Status.OUT_OF_REACH: "{state}'s voter list is out of this buyer's reach",
}


def policy_words(policy: str) -> str:
    """Return a policy as a sentence names it.

    >>> policy_words("limited-dataset-regulation"), policy_words("ours")
    ('the limited data set', 'the policy ours')
    """
    name = policy.removesuffix(_RULE)
    return POLICY_TITLES.get(name, f"the policy {name}")


def of_state(state: str) -> str:
    """Return the name of a state; ``the nation`` for all of them."""
    return STATES[state].name if state in STATES else "the nation"


def and_words(words: Sequence[str]) -> str:
    """Join words as a sentence does.

    >>> and_words(["sex"]), and_words(["sex", "race", "birth date"])
    ('sex', 'sex, race and birth date')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "nothing"


def first_up(text: str) -> str:
    """Return a text with a capital first letter.

    >>> first_up("limited data set"), first_up("Safe Harbor")
    ('Limited data set', 'Safe Harbor')
    """
    return text[:1].upper() + text[1:]


def counted_words(number: str, singular: str, plural: str) -> str:
    """Return a number with its noun, in the singular for 1.

    >>> counted_words("1", "person", "people"), counted_words("1,442", "person", "people")
    ('1 person', '1,442 people')
    """
    return f"{number} {singular if number == '1' else plural}"


def match_sentence(
    policy: str,
    right: str,
    share: str,
    *,
    of: str,
    certain: str = "",
    claims: str = "",
    precision: str = "",
    nobody: bool = False,
) -> str:
    """Say how many an attacker gets right under a policy, and what its surest matches are worth.

    Parameters
    ----------
    right, share : Numbers as they are written, with links.
    of : Whom they are taken of, such as ``the people in the file``.
    certain : Matches that are certain, for an attacker who knows everyone.
    claims, precision : For one whose list misses people: records with exactly one listed person, and the share of these
        claims that is right. Without any claim they are empty.
    nobody : No match at all is expected.
    """
    head = f"**Under {policy_words(policy)}**, "
    if nobody:
        return f"{head}it would be right for less than one of {of}."
    text = f"{head}it would be right for {right} of {of} ({share})."
    if certain:
        return f"{text} {certain} of these matches are certain."
    if claims:
        return (
            f"{text} For {claims} it finds exactly one person on the list, and {precision} of these claims are right."
        )
    return f"{text} It never finds exactly one person on the list."


def no_list_sentence(state: str, status: Status, reason: str) -> str:
    """Say why there is no voter list to link with."""
    words = _NO_LIST.get(status, "There is no voter list of {state} to link with").format(state=of_state(state))
    return f"{words}: {reason}." if reason else f"{words}."


def holds_sentence(state: str, held: Sequence[str], unknown: Sequence[str]) -> str:
    """Say what a state's list gives about each voter, and what no source mentions."""
    parts = [
        f"{of_state(state)}'s voter list gives {and_words(held)}"
        if held
        else f"{of_state(state)}'s voter list gives none of the fields that matter here"
    ]
    if unknown:
        parts.append(f"no source says whether it gives {and_words(unknown)}")
    return "; ".join(parts) + "."


def price_sentence(status: str, amount: str, restricted: Sequence[str], reason: str) -> str:
    """Say what the list costs and who may have it.

    Parameters
    ----------
    status : Status of the price: ``ok``, ``free``, ``at_least``, or why there is none.
    amount : Dollars as they are written, with a link; empty where there are none.
    restricted : Classes of buyers who alone may have it; empty where anyone may, or no source says.
    """
    price = {
        "ok": f"It costs {amount}.",
        "free": "It is free.",
        "at_least": f"It costs {amount} or more.",
    }.get(status, f"Its price is not known: {reason}." if reason else "Its price is not known.")
    return price + (f" Only a {' or '.join(restricted)} may have it." if restricted else "")


def rank_sentence(state: str, rank: int | None, of: int, policy: str) -> str:
    """Say where a state stands among the states by total risk; rank 1 is the largest share."""
    name, words = of_state(state), policy_words(policy)
    if rank is None:
        return f"With the voter list, {name} has no rank under {words}: its figure is not one number."
    among = f"of {of} states with a figure under {words}"
    if rank in (1, of):
        return f"With the voter list, {name} has the {'largest' if rank == 1 else 'smallest'} share {among}."
    return f"With the voter list, {name} is number {rank} {among}, the largest share first."


def age_in_months(date: str, year: int, month: int) -> int | None:
    """Return how old a date such as ``2017-07-05``, ``2017-07`` or ``2017`` is; None where it is none.

    A year alone counts from its middle.

    >>> age_in_months("2017-07-05", 2026, 11), age_in_months("2024", 2026, 11), age_in_months("undated", 2026, 11)
    (112, 29, None)
    """
    parts = date.split("-")
    if not parts[0].isdecimal():
        return None
    seen = int(parts[1]) if len(parts) > 1 and parts[1].isdecimal() else 6
    return (year - int(parts[0])) * 12 + month - seen
