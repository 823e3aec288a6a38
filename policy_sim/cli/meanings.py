"""What the numbers of each command mean: the first line above its table.

A reader who has never heard of total risk or of g-distinct should understand a table from its first line.
"""

from __future__ import annotations

__all__ = ["MEANINGS", "meaning_of"]

MEANINGS = {
    "compare": "People that an attacker is expected to match to the right person, and their share of everyone in the "
    "file (%), under each release policy. GENERAL knows everyone. VOTER has the state's voter list.",
    "trust": "How many times as many people are at risk under the numerator policy as under the denominator policy "
    "(ratio). total-risk counts the people that the attacker is expected to match correctly; g-distinct counts those "
    "who share their released values with fewer than g others.",
    "cost": "Dollars that the buyer of a list pays for each person that it is expected to match correctly: price "
    "divided by total risk.",
    "attack": "The attack that pays most: how many records the attacker tries, how many it matches correctly, and its "
    "profit.",
    "break-even": "Whether an attack pays, and the smallest gain per match, the highest price of the list and the "
    "smallest file at which it does.",
    "budget": "The lists to buy. A correct claim is a record that fits exactly one person on the list, and it is the "
    "right person.",
    "game": "The release policy with the highest payoff for the publisher, given that the recipient attacks if that "
    "pays.",
    "trends": "Share of the people matched correctly, price of the voter list, and profit of the best attack at each "
    "date; then what changed them.",
    "pair": "People whose records in both files the attacker pairs, and those that the list then identifies.",
    "curve": "Share of the people whose released values belong to g people or fewer. At g = 1, a person is unique.",
    "explore": "Each policy's risk (people that an attacker who knows everyone is expected to match correctly) and its "
    "utility (share of the information that the release keeps).",
    "simulate": "Correct matches, unique people and claims in simulated attacks (mean over the runs and its 99% "
    "interval), next to the figure of the formula.",
    "sensitivity": "How much the total risk changes if one assumption changes and the others stay the same.",
    "reproduce": "Each figure that the paper prints, next to ours.",
    "economics": "What a correct match is worth, what an attack costs, and the penalties, as published.",
    "dataset profile": "How many records share their key values. The risk of a record is the chance that an attacker "
    "who knows that its target is in the file finds the right record.",
    "dataset score": "How many records an attacker is expected to match to the right person.",
    "dataset simulate": "The error of each estimator when it sees only a sample of this file; 0% is exact.",
    "lists counties": "What each county's list costs, and how many people it lets an attacker match correctly.",
    "lists what-if": "Each measure before and after the change.",
    "population list": "Where each population comes from: the shares of its people that a census counted, an agency "
    "estimated, and this program modeled.",
}


def meaning_of(command_path: str) -> list[str]:
    """Return the line to print above the table of a command, or none.

    Parameters
    ----------
    command_path : The program and the command, such as ``"policy-sim lists what-if"``.

    Examples
    --------
    >>> meaning_of("policy-sim lists what-if")
    ['Each measure before and after the change.']
    >>> meaning_of("policy-sim lists show")
    []
    """
    _, _, command = command_path.partition(" ")
    return [MEANINGS[command]] if command in MEANINGS else []
