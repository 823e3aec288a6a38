"""What Benitez & Malin 2010 print about the lists of 2008, beside what our lists give.

Each row of their Tables 1 and 2 that a voter list decides, and each sentence that constrains one, is
replayed: it *agrees*, it *contradicts* (with the reason), or it *cannot be decided* because a list is
not known. Nothing is bent: where the paper contradicts itself, the row says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policy_sim.analyses.comparison import TOTAL_RISK, Comparison
from policy_sim.results import Measure
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["AGREES", "CONTRADICTS", "UNDECIDED", "Replay", "replay_lists_of_2008"]

AGREES, CONTRADICTS, UNDECIDED = "agrees", "contradicts", "cannot be decided"

# Set before any figure was computed, as for the reproduction of the tables: joint cells are modelled.
_LIMITED, _SAFE = 0.005, 0.03
_POLICIES = {"Limited": "limited-dataset", "Safe": "safe-harbor"}


@dataclass(frozen=True)
class Replay:
    """One constraint: where it is printed, about which states, and what comes of it."""

    where: str
    states: str
    printed: str
    ours: str
    verdict: str
    reason: str = ""


@dataclass(frozen=True)
class _Known:
    """Lists, risks and prices of 2008 as far as they are known."""

    lists: Mapping[str, VoterList]
    study: Comparison

    def people(self, state: str, policy: str, attacker: str = "voter", g: int | None = None) -> float | None:
        """Return the figure where it is one and not an interval."""
        profile = self.study.profile(state, policy, attacker)
        found = profile.people(TOTAL_RISK if g is None else Measure("g-distinct", g))
        return found.low if found is not None and profile.status == "ok" else None

    def share(self, state: str, policy: str, attacker: str = "voter", g: int | None = None) -> float | None:
        people = self.people(state, policy, attacker, g)
        return None if people is None else people / self.study.profile(state, policy, attacker).inhabitants

    def ratio(self, state: str) -> float | None:
        above, below = (self.people(state, policy) for policy in _POLICIES.values())
        return None if above is None or below is None else above / below

    def ranked(self, values: Mapping[str, float | None]) -> list[str]:
        """States with a figure, the largest first."""
        known = {state: value for state, value in values.items() if value is not None}
        return sorted(known, key=lambda state: -known[state])


def replay_lists_of_2008(lists: Mapping[str, VoterList], study: Comparison) -> list[Replay]:
    """Replay the 31 constraints.

    Parameters
    ----------
    lists : The lists of 2008 by state.
    study : Both policies and both attackers, g = 1 and 10, for the population of 2000.
    """
    known = _Known(lists, study)
    return [*_text(known), *_table_1(known), *_table_2(known), _dankar(known)]


def _text(known: _Known) -> list[Replay]:
    near = [known.share(state, "limited-dataset", who) or 0.0 for state in ("AK", "VA") for who in ("voter", "general")]
    return [
        _fields(known, "OH", "county and year of birth only", "birth=year+geography=county"),
        _fields(known, "TX", "all fields of the Limited Dataset", "gender+race+birth=date+geography=county"),
        Replay(
            *("text", "AZ", "lists from counties only", known.lists["AZ"].status),
            _verdict(known.lists["AZ"].status == "county_only"),
        ),
        Replay(
            *("text", "AK", "VOTER orders of magnitude below GENERAL", f"{near[1] / near[0]:,.0f} times below"),
            _verdict(near[1] / near[0] > 100),
        ),
        Replay(
            *("text", "VA", "VOTER slightly below GENERAL", f"{near[2]:.1%} against {near[3]:.1%}"),
            _verdict(0.5 < near[2] / near[3] < 1),
        ),
        _kentucky(known),
        _median(known),
    ]


def _fields(known: _Known, state: str, printed: str, wanted: str) -> Replay:
    ours = str(known.lists[state].known_view().replace(geography="county"))
    return Replay("text", state, printed, ours, _verdict(ours == wanted))


def _kentucky(known: _Known) -> Replay:
    place = {}
    for g in (1, 10):
        shares = {state: known.share(state, "limited-dataset", g=g) for state in known.lists if state != "DC"}
        place[g] = known.ranked(shares).index("KY") + 1
    ours = f"place {place[1]} and {place[10]} of the lists that are known"
    why = "lists that are not known may stand between"
    fits = place[1] <= 2 and place[10] <= 9
    return Replay(
        *("text", "KY", "second by 1-distinct, ninth by 10-distinct", ours),
        *((UNDECIDED, why) if fits else (CONTRADICTS, "more known lists stand above")),
    )


def _median(known: _Known) -> Replay:
    ends: tuple[list[float], list[float]] = ([], [])
    for state in known.lists:
        if state == "DC":
            continue
        found = known.study.profile(state, "limited-dataset", "voter").share(Measure("g-distinct", 10))
        most = known.study.profile(state, "limited-dataset", "general").share(Measure("g-distinct", 10))
        ends[0].append(0.0 if found is None else found.low)
        ends[1].append(most.high if found is None and most is not None else found.high if found else 0.0)
    low, high = (sorted(end)[24] / 2 + sorted(end)[25] / 2 for end in ends)
    inside = low <= 0.36 <= high
    return Replay(
        *("text", "all", "10-distinct under Limited × VOTER: median 0.36", f"between {low:.2f} and {high:.2f}"),
        *((UNDECIDED, "too many lists are not known") if inside else (CONTRADICTS, "outside what is possible")),
    )


# Printed label, state whose figures they are, share (per cent), trust differential.
_VOTER_ROWS = (
    ("HI", "AK", 0.01, 22),
    ("ND", "DE", 12.38, 884),
    ("AZ", "RI", 24.61, 1_177),
    ("PA", "NY", 15.31, 13_088),
    ("VA", "CA", 8.20, 12_507),
    ("MO", "TX", 36.90, 5_171),
)


def _table_1(known: _Known) -> list[Replay]:
    return [*(_voter_row(known, *row) for row in _VOTER_ROWS), _top(known), _bottom(known), _not_top(known)]


def _voter_row(known: _Known, label: str, state: str, percent: float, differential: float) -> Replay:
    share, ratio = known.share(state, "limited-dataset"), known.ratio(state)
    ours = "not known" if share is None or ratio is None else f"{state}: {share:.2%}, {ratio:,.0f}"
    close = (
        share is not None
        and ratio is not None
        and abs(share * 100 - percent) <= max(_LIMITED * percent, 0.005)
        and abs(ratio / differential - 1) <= _SAFE
    )
    why = f"the figures are those of {state}; the printed label {label} is not"
    if not close:
        why += "; the ratio is not met, though the share is" if state == "AK" else "; neither is met"
    printed = f"{label}: {percent:.2f}%, {differential:,}"
    return Replay("Table 1, VOTER", label, printed, ours, _verdict(close), why)


def _top(known: _Known) -> Replay:
    top = known.ranked({state: known.ratio(state) for state in known.lists})[:3]
    return Replay(
        *("Table 1, VOTER", "MO, VA, PA", "labels of the three largest differentials", ", ".join(top)),
        _verdict(top == ["MO", "VA", "PA"]),
        "among the lists that are known",
    )


def _bottom(known: _Known) -> Replay:
    ours = {state: known.study.profile(state, "limited-dataset", "voter").status for state in ("HI", "ND", "AZ")}
    text = ", ".join(f"{state} {status}" for state, status in ours.items())
    return Replay(
        *("Table 1, VOTER", "HI, ND, AZ", "labels of the three smallest differentials", text),
        *(UNDECIDED, "the fields of the three lists are not known, or there is no list"),
    )


def _not_top(known: _Known) -> Replay:
    states = ("GA", "FL", "IL", "IN", "KY", "MI", "TN", "OH", "NC", "WI")
    third = known.ratio("PA") or 0.0
    ratios = {state: known.ratio(state) for state in states}
    above = [state for state, ratio in ratios.items() if ratio is not None and ratio > third]
    open_ = [state for state, ratio in ratios.items() if ratio is None]
    return Replay(
        *(
            "Table 1, VOTER",
            ", ".join(states),
            "not among the three largest",
            f"above PA: {', '.join(above) or 'none'}",
        ),
        *_open_or(not above, open_),
    )


# State, policy, printed people, printed dollars for each (none where the printed price is 0).
_COSTS = (
    ("VA", "Limited", 3_159_764, 0),
    ("NY", "Limited", 2_905_697, 0),
    ("SC", "Limited", 2_231_973, 0),
    ("WI", "Limited", 72, 174),
    ("WV", "Limited", 55, 309),
    ("NH", "Limited", 10, 827),
    ("NC", "Safe", 1_431, 0),
    ("SC", "Safe", 1_386, 0),
    ("NY", "Safe", 221, 0),
    ("WI", "Safe", 2, 6_250),
    ("NH", "Safe", 1, 8_267),
    ("WV", "Safe", 1, 17_000),
)


def _table_2(known: _Known) -> list[Replay]:
    return [*(_cost_row(known, *row) for row in _COSTS), _not_free(known), _alabama(known)]


def _cost_row(known: _Known, state: str, policy: str, printed: int, each: int) -> Replay:
    people = known.people(state, _POLICIES[policy])
    inhabitants = known.study.profile(state, _POLICIES[policy], "voter").inhabitants
    usd = known.lists[state].price.usd(records=inhabitants).usd
    where = (f"Table 2, {policy}", state, f"{printed:,} people, {each:,} USD each")
    if people is None or usd is None:
        return Replay(*where, "not known", UNDECIDED, "the list or its price is not known")
    tolerance = 0.0 if printed < 100 else _LIMITED if policy == "Limited" else _SAFE
    close = abs(people / printed - 1) <= tolerance + 1e-9 and round(usd / people) == each
    why = "72 counties and 2 genders cannot both come of one list" if (state, policy) == ("WI", "Safe") else ""
    return Replay(*where, f"{people:,.0f} people, {usd / people:,.0f} USD each", _verdict(close), why)


def _not_free(known: _Known) -> Replay:
    states = ("CA", "FL", "IL", "IN", "KY", "MI", "PA", "TN", "TX")
    prices = {state: known.lists[state].price.usd(records=1).status for state in states}
    free = [state for state, status in prices.items() if status == "free"]
    open_ = [state for state, status in prices.items() if status == "unknown"]
    return Replay(
        *("Table 2", ", ".join(states), "not among the free lists", f"free: {', '.join(free) or 'none'}"),
        *_open_or(not free, open_),
    )


def _alabama(known: _Known) -> Replay:
    listed = known.lists["AL"]
    held = [name for name in ("birth", "race") if listed.fields[name].availability == "included"]
    return Replay(
        *("Table 2", "AL", "the list holds birth or race", ", ".join(held) or "not known"),
        *((AGREES, "") if held else (UNDECIDED, "the fields of the list are not known")),
    )


def _dankar(known: _Known) -> Replay:
    usd = {state: known.lists[state].price.usd(records=5_000_000).usd for state in ("AL", "LA", "NH", "WI", "WV")}
    printed = {"AL": 28_000, "LA": 5_000, "NH": 8_000, "WI": 12_000, "WV": 17_000}
    more_than = {"AL", "NH"}
    differ = [
        state
        for state, amount in usd.items()
        if amount is None or (amount < printed[state] if state in more_than else amount != printed[state])
    ]
    ours = ", ".join(f"{state} {'not known' if amount is None else f'{amount:,.0f}'}" for state, amount in usd.items())
    why = f"{', '.join(differ)}: the citation rounds the 12,500 of Table 2" if differ else ""
    return Replay(
        *("Dankar et al. 2012", "AL, LA, NH, WI, WV", "over 28,000; 5,000; over 8,000; 12,000; 17,000 USD", ours),
        *(_verdict(not differ), why),
    )


def _verdict(agrees: bool) -> str:
    return AGREES if agrees else CONTRADICTS


def _open_or(fits: bool, open_: list[str]) -> tuple[str, str]:
    if not fits:
        return CONTRADICTS, ""
    return (UNDECIDED, f"not known: {', '.join(open_)}") if open_ else (AGREES, "")
