"""The door to linkage tokens: how many people a roster names without the key."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from policy_sim.attackers.attacker import ATTACKERS
from policy_sim.people.zips import PeopleByZip
from policy_sim.study.question import NATION, Attackers, Question, Setting, States
from policy_sim.words.arguments import several, text, whole_number
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.model.tokens import TokenRow
    from policy_sim.study.answers import Answer

PAIR: Final = ("initial", "soundex")  # the two tokens that one record often has
_MOST_PEOPLE: Final = 1_000_000_000
_REMARKS: Final = (
    "tokens: the attacker has no key, and links tokens that several people share by the pattern of what is shown in "
    "the clear; people alone with their token are matched by the clear fields only (clear_only)",
    "names: surnames of the 2010 census and first names of the 1990 census by sex (Census Bureau), each 90% of the "
    "people; the others follow one law; names are independent of each other, of age and of place",
)


def tokens(
    study: Setting,
    states: States = NATION,
    fields: str | Iterable[str] = PAIR,
    clear: str = "zip3,sex,birth=year",
    attackers: Attackers = ATTACKERS,
    *,
    sizes: int | Iterable[int] = (),
    tell: Callable[[int], None] | None = None,
) -> Answer[TokenRow]:
    """Return how many people linkage tokens let an attacker name who has a roster, but not the key.

    ``states``: each is a place of its own; the nation as one by default. ``fields``: designs by name (``initial``,
    ``soundex``, ``full``, ``zip3``, ``letters``) or fields such as ``last,first-initial,sex,birth``; several are tokens
    of the same records. ``clear``: what is shown next to the token. ``sizes``: people in the file, a random part of the
    place; powers of ten from 10,000 by default. ``tell`` is called with the number of rows made so far.

    One row per place, attacker, design and size, with expected people: ``named_low`` to ``named_high`` of an attacker
    who knows who is in the file, ``untold_low`` to ``untold_high`` of one who does not, each with its share (0..1).

    >>> from policy_sim import Study
    >>> rows = Study().tokens("DE", "initial", attackers="general", sizes=10_000).to_frame()
    >>> rows["named_high"].lt(1).tolist()
    [True]
    """
    from policy_sim.model.token_design import clear_fields, find_design
    from policy_sim.model.tokens import TokenQuestion
    from policy_sim.study.answers import Answer

    if tell is not None and not callable(tell):
        raise InputError("tell: give a function that takes the number of rows made.")
    asked = several("fields", fields, str, "'initial' or 'last,first-initial,sex,birth'")
    designs = tuple(dict.fromkeys(find_design(text("fields", each)) for each in asked))
    shown = clear_fields(text("clear", clear))
    unset = isinstance(sizes, tuple) and not sizes
    numbers = () if unset else several("sizes", sizes, int, "10000 or [10000, 1000000]")
    people_in_file = tuple(whole_number("sizes", size, 2, _MOST_PEOPLE) for size in numbers)
    policy = str(shown) if "=" in str(shown) else "+".join(filter(None, (str(shown).replace("nothing", ""), _NOWHERE)))
    question = Question.of(policy, attackers, states)
    people = _people(study)
    rows: list[TokenRow] = []
    for state, of_states in _places(question, people):
        some = people if len(of_states) == len(people.states) else people.in_states(of_states)
        whom = tuple(study.attackers_of(question))
        asked_here = TokenQuestion(some, of_states, state, designs, shown, whom, study.days_per_year, people_in_file)
        rows += asked_here.rows(tell, len(rows))
    facts: dict[str, Any] = {"fields": [design.fields for design in designs], "clear": clear, "sizes": list(numbers)}
    return Answer(_frame, "Tokens", tuple(rows), provenance=study._from(question, "token", _REMARKS, **facts))


_NOWHERE: Final = "geography=nation"


def _places(question: Question, people: PeopleByZip) -> list[tuple[str, tuple[str, ...]]]:
    if question.states is None:
        return [(NATION, people.states)]
    for state in question.states:
        if state not in people.states:
            raise InputError(f"population {people.name} has nobody in {state}.")
    return [(state, (state,)) for state in question.states]


def _people(study: Setting) -> PeopleByZip:
    people = study._counted_by_zip
    if not isinstance(people, PeopleByZip):
        raise InputError(f"population {study.counted.name}: tokens need people by county with ZIP codes: use us-2020.")
    return people if people.zips.composition is None else people.with_ethnicity


def _frame(rows: tuple[TokenRow, ...]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([row.row() for row in rows])


class TokenVerbs:
    """Linkage tokens that a study judges."""

    tokens = tokens
