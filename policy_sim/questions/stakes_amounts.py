"""What an attack is worth, from dollars or the names of amounts that ship."""

from __future__ import annotations

from policy_sim.arguments import number
from policy_sim.attackers.stakes import Stakes

__all__ = ["COST", "GAIN", "MOST_USD", "stakes_of"]

GAIN, COST = "wan-2015", "attempt-wan-2015"  # of data/economics
MOST_USD = 1e12


def stakes_of(
    gain: str | float = GAIN,
    cost_per_attempt: str | float = COST,
    loss_per_wrong: float = 0.0,
    penalty: str | float = 0.0,
    chance_caught: float = 0.0,
) -> tuple[Stakes, tuple[str, ...]]:
    """Return stakes from amounts or their names in ``data/economics``, and a note on where each amount comes from.

    Parameters
    ----------
    gain, cost_per_attempt, penalty : US dollars, or the name of an amount (``broker-2023``). A named penalty takes
        its lower end, the least for one violation, and its cap.
    loss_per_wrong : US dollars lost with each wrong name.
    chance_caught : Chance (0..1) of being caught and fined.

    Raises
    ------
    UnknownNameError : no amount has the name.
    InputError : an amount that is not known, or outside its range.

    Examples
    --------
    >>> stakes_of("broker-2023", 0)[0].gain_usd
    0.32
    """
    from policy_sim.io.economics_files import amount_of, load_amounts

    gains, gain_note = amount_of(gain, "gains")
    costs, cost_note = amount_of(cost_per_attempt, "costs")
    fine, fine_note = amount_of(penalty, "penalties")
    named = load_amounts().get(str(penalty))
    cap = named.cap_usd if named is not None else None
    fine = named.usd_low if named is not None and named.usd_low is not None else fine
    stakes = Stakes(
        number("gain", gains, 0, MOST_USD),
        number("cost_per_attempt", costs, 0, MOST_USD),
        number("loss_per_wrong", loss_per_wrong, 0, MOST_USD),
        number("penalty", fine, 0, MOST_USD),
        cap,
        number("chance_caught", chance_caught, 0, 1),
    )
    notes = [f"gain per correct match: {gain_note}", f"cost per attempt: {cost_note}"]
    notes += [f"loss per wrong name: assumed: ${loss_per_wrong:,.10g}"] if loss_per_wrong else []
    if fine and chance_caught:
        most = "" if cap is None else f"; all fines together at most ${cap:,.10g}, expected ${chance_caught * cap:,.0f}"
        notes.append(f"fine per person named, with chance {chance_caught:g}: {fine_note}{most}")
    return stakes, tuple(notes)
