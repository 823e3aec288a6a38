"""How far the limited data set of us-2022 is from that of us-2020, in every state, under both forms of the rules.

    python -m benchmarks.vintages

One line per form of the rules and attacker: the states within 3 points, the farthest, and every state outside.
A place that lost its people would show here: nothing that people did in 27 months moves a share that far.
"""

from __future__ import annotations

from collections.abc import Sequence

from policy_sim.study.study import Study

MOST = 0.03  # of the people
YEARS = ("us-2020", "us-2022")


def gaps(rules: str, attacker: str, states: Sequence[str] = ()) -> dict[str, float]:
    """Return how far the share of a state's people at risk in 2022 is from that in 2020, at the farther end.

    A state without a figure in both years is left out; with one in a single year it is infinitely far.
    """
    ends: list[dict[str, tuple[float, float] | None]] = []
    for name in YEARS:
        answer = Study(name).compare("limited-dataset", attacker, list(states) or None, g=1, rules=rules)
        shares = {profile.state: profile.share("total-risk") for profile in answer.profiles}
        ends.append({state: share and (share.low, share.high) for state, share in shares.items()})
    before, after = ends
    known = {state for state in before if before[state] or after[state]}
    return {state: _gap(before[state], after[state]) for state in sorted(known)}


def _gap(before: tuple[float, float] | None, after: tuple[float, float] | None) -> float:
    if before is None or after is None:
        return float("inf")
    return max(abs(b - a) for a, b in zip(before, after, strict=True))


def main() -> None:
    """Print the table."""
    for rules in ("regulation", "paper"):
        for attacker in ("general", "voter"):
            found = gaps(rules, attacker)
            far = max(found, key=lambda state: found[state])
            outside = [f"{state} {100 * gap:.1f}" for state, gap in found.items() if gap > MOST]
            within = f"{len(found) - len(outside)} of {len(found)} states within 3 points"
            print(
                f"{rules}, {attacker}: {within}, farthest {far} {100 * found[far]:.1f}; outside: {outside}", flush=True
            )


if __name__ == "__main__":
    main()
