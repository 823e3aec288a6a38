"""What a user chooses besides the rule, where a table is to be protected or entered."""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.tables.ledger import PLAIN, ZEROS
from policy_sim.tables.protect import COSTS, CRITERIA
from policy_sim.words.arguments import choice, number, switch, text, whole_number


@dataclass(frozen=True)
class Request:
    """What the user chooses besides the rule."""

    criterion: str = "R"
    cost: str = "people"
    seconds: float = 60.0
    hide_margins: bool = False
    hide_zeros: bool = False
    reader: str = ZEROS
    merge_weeks: int = 0  # weeks that become one; 0: as they are
    by: str = ""  # a column in place of those within it

    def __post_init__(self) -> None:
        choice("criterion", self.criterion, CRITERIA)
        choice("cost", self.cost, COSTS)
        choice("reader", self.reader, (ZEROS, PLAIN))  # another word would stand for the one who knows less
        number("seconds", self.seconds, 0, 1e9)
        switch("hide_margins", self.hide_margins)
        switch("hide_zeros", self.hide_zeros)
        whole_number("merge_weeks", self.merge_weeks, 0, 53)
        text("by", self.by)
