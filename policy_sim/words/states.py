"""The states: the only list of them in the project.

The 50 states, the District of Columbia and Puerto Rico, with postal code, FIPS code and name (FIPS
5-2; Census Bureau, American National Standards Institute codes). Puerto Rico appears in a result
only where a population has it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from types import MappingProxyType

from policy_sim.words.errors import InputError, UnknownNameError


@dataclass(frozen=True)
class State:
    """A state, the District of Columbia or Puerto Rico: postal code (``OH``), FIPS code (``39``), name (``Ohio``)."""

    postal: str
    fips: str
    name: str


_TABLE = """
AL 01 Alabama|AK 02 Alaska|AZ 04 Arizona|AR 05 Arkansas|CA 06 California|CO 08 Colorado|CT 09 Connecticut
DE 10 Delaware|DC 11 District of Columbia|FL 12 Florida|GA 13 Georgia|HI 15 Hawaii|ID 16 Idaho|IL 17 Illinois
IN 18 Indiana|IA 19 Iowa|KS 20 Kansas|KY 21 Kentucky|LA 22 Louisiana|ME 23 Maine|MD 24 Maryland
MA 25 Massachusetts|MI 26 Michigan|MN 27 Minnesota|MS 28 Mississippi|MO 29 Missouri|MT 30 Montana
NE 31 Nebraska|NV 32 Nevada|NH 33 New Hampshire|NJ 34 New Jersey|NM 35 New Mexico|NY 36 New York
NC 37 North Carolina|ND 38 North Dakota|OH 39 Ohio|OK 40 Oklahoma|OR 41 Oregon|PA 42 Pennsylvania
RI 44 Rhode Island|SC 45 South Carolina|SD 46 South Dakota|TN 47 Tennessee|TX 48 Texas|UT 49 Utah
VT 50 Vermont|VA 51 Virginia|WA 53 Washington|WV 54 West Virginia|WI 55 Wisconsin|WY 56 Wyoming
PR 72 Puerto Rico
"""

STATES = MappingProxyType(
    {
        postal: State(postal, fips, name)
        for postal, fips, name in (
            entry.split(" ", 2) for line in _TABLE.strip().splitlines() for entry in line.split("|")
        )
    }
)
WHOLE = "+"  # between the states of a file of several
_BY_NAME = {name.casefold(): state for state in STATES.values() for name in (state.postal, state.fips, state.name)}
POSTAL_OF_FIPS = MappingProxyType({state.fips: postal for postal, state in STATES.items()})
"""Postal code by two-digit FIPS code; the first two digits of a county's code are its state's."""

_SSA = """
AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT
NE NV NH NJ NM NY NC ND OH OK OR PA PR RI SC SD TN TX UT VT VI VA WA WV WI WY
"""
POSTAL_OF_SSA = MappingProxyType({f"{number:02}": postal for number, postal in enumerate(_SSA.split(), 1)})
"""Postal code by two-digit code of the Social Security Administration, by which Medicare's files number the states.

They are the states by name from 01 to 53, with Puerto Rico as 40 and the Virgin Islands as 48 (Centers for Medicare &
Medicaid Services, SSA to FIPS state and county crosswalk).
"""

_ALLOWED = "Write a two-letter code such as OH or a name such as Ohio."
_FEW = 8  # states that a message lists


# The states that border each, at a corner too.
_BORDERS = """
AL FL GA MS TN|AZ CA CO NM NV UT|AR LA MO MS OK TN TX|CA AZ NV OR|CO AZ KS NE NM OK UT WY|CT MA NY RI|DE MD NJ PA
DC MD VA|FL AL GA|GA AL FL NC SC TN|ID MT NV OR UT WA WY|IL IA IN KY MO WI|IN IL KY MI OH|IA IL MN MO NE SD WI
KS CO MO NE OK|KY IL IN MO OH TN VA WV|LA AR MS TX|ME NH|MD DC DE PA VA WV|MA CT NH NY RI VT|MI IN OH WI
MN IA ND SD WI|MS AL AR LA TN|MO AR IA IL KS KY NE OK TN|MT ID ND SD WY|NE CO IA KS MO SD WY|NV AZ CA ID OR UT
NH MA ME VT|NJ DE NY PA|NM AZ CO OK TX UT|NY CT MA NJ PA VT|NC GA SC TN VA|ND MN MT SD|OH IN KY MI PA WV
OK AR CO KS MO NM TX|OR CA ID NV WA|PA DE MD NJ NY OH WV|RI CT MA|SC GA NC|SD IA MN MT ND NE WY
TN AL AR GA KY MO MS NC VA|TX AR LA NM OK|UT AZ CO ID NM NV WY|VT MA NH NY|VA DC KY MD NC TN WV|WA ID OR
WV KY MD OH PA VA|WI IA IL MI MN|WY CO ID MT NE SD UT
"""
_NEIGHBORS = {row[:2]: tuple(row.split()[1:]) for line in _BORDERS.strip().splitlines() for row in line.split("|")}


def neighbors(state: str) -> tuple[str, ...]:
    """Return the postal codes of the states that border a state, in alphabetical order.

    >>> neighbors("OH"), neighbors("HI")
    (('IN', 'KY', 'MI', 'PA', 'WV'), ())
    """
    return _NEIGHBORS.get(state, ())


def state_named(text: str) -> State | None:
    """Return the state with this postal code, FIPS code or name, in any case; None if there is none."""
    return _BY_NAME.get(text.strip().casefold())


def find_state(text: str) -> State:
    """Return the state with this postal code, FIPS code or name, in any case.

    >>> find_state("ohio").postal
    'OH'
    """
    state = state_named(text)
    if state is not None:
        return state
    if "," in text and all(map(state_named, text.split(","))):
        raise InputError(f"{text} are several states, and one is asked for. Give one, such as {text.split(',')[0]}.")
    raise UnknownNameError("state", text, STATES, also=[state.name for state in STATES.values()], allowed=_ALLOWED)


def unknown_state(kind: str, text: str, held: Collection[str]) -> UnknownNameError:
    """Return the error for a state, or a place of another country, that a population or a set of files does not have.

    The message lists the states that are there. Where only a few states are missing, it names those instead.

    >>> print(unknown_state("state in population us-2020:", "PR", STATES.keys() - {"PR"}))
    state in population us-2020: 'PR' is not known. Known: every state except PR.
    >>> print(unknown_state("state with a voter list:", "PR", ["OH", "TX"]))
    state with a voter list: 'PR' is not known. Known: OH, TX.
    """
    missing = [postal for postal in STATES if postal not in held]
    if len(missing) > _FEW:
        return UnknownNameError(kind, text, held)
    if text in STATES:
        return UnknownNameError(kind, text, held, allowed=f"Known: every state except {', '.join(missing)}.")
    names = [STATES[postal].name for postal in held if postal in STATES]
    return UnknownNameError(kind, text, held, names, allowed=_ALLOWED)


def whole_name(states: Iterable[str]) -> str:
    """Return how the rows of a file of several states call it as a whole.

    >>> whole_name(["OH", "MI"]), is_whole("OH+MI"), is_whole("OH")
    ('OH+MI', True, False)
    """
    return WHOLE.join(dict.fromkeys(states))


def is_whole(state: str) -> bool:
    """Tell whether a row is of several states as a whole."""
    return WHOLE in state


def state_title(state: str) -> str:
    """Return the name of a state, or the names of those of a whole file.

    >>> state_title("OH"), state_title("OH+MI"), state_title("US")
    ('Ohio', 'Ohio and Michigan', 'US')
    """
    names = [STATES[part].name if part in STATES else part for part in state.split(WHOLE)]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def find_states(texts: Iterable[str]) -> tuple[State, ...]:
    """Return the named states, each once, in the order given."""
    return tuple(dict.fromkeys(find_state(text) for text in texts))
