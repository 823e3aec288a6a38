"""What the pages of an atlas rest on: each question asked once of all states, and read by every page."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from policy_sim.attackers import GENERAL, Attacker
from policy_sim.attackers.in_file import SMALL_FILE
from policy_sim.briefs.evidence import Evidence, small_groups
from policy_sim.policies.files import list_policies, load_policy
from policy_sim.policies.policy import Policy
from policy_sim.study.question import POLICIES, Question
from policy_sim.voter_lists.facts import diff_frame
from policy_sim.voter_lists.files import list_vintages, load_list_changes
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.study.answers import ComparisonAnswer
    from policy_sim.study.study import Study

IN_FILE = SMALL_FILE.share_of(1)  # share of each state's people in the file of every page
BILLS: Mapping[str, Mapping[str, str]] = {
    "bill-birth-year": {"birth": "year"},
    "bill-birth-withheld": {"birth": "withheld"},
    "bill-zip-withheld": {"zip": "withheld"},
}
COUNTY_POLICY, COUNTY_ATTACKER = "safe-harbor", GENERAL.name  # of the map of counties: a figure in every state
Report = Callable[[str, int, int], None]


@dataclass(frozen=True)
class AtlasAnswers:
    """The answers for the pages of some states, by postal code; ages of facts are counted to ``date``."""

    study: Study
    states: tuple[str, ...]
    date: dt.date

    @cached_property
    def everyone(self) -> ComparisonAnswer:
        """Every state if the records of everyone are released: what ``compare`` prints."""
        return self.study.compare()

    @cached_property
    def file(self) -> ComparisonAnswer:
        """Every state's file, with intervals."""
        return self.study.with_intervals().compare(g=(1, *small_groups()), in_file=IN_FILE)

    @cached_property
    def explorer(self) -> str:
        """The page that computes in the reader's browser."""
        return self.study.explorer()

    @cached_property
    def lists(self) -> Mapping[str, VoterList]:
        """The voter lists by state."""
        return self.study.unrestricted_voter.voter_lists.lists

    @cached_property
    def _lists_by_vintage(self) -> dict[str, Mapping[str, VoterList]]:
        newest = self.study.unrestricted_voter.voter_lists.newest_vintage
        years = (name for name in list_vintages() if name.isdigit() and name < newest)
        earlier = {year: self.study.voter_of(year).voter_lists.lists for year in sorted(years)}
        return earlier | {newest: self.lists}

    def lists_of(self, state: str) -> dict[str, VoterList]:
        """Return the lists of a state by vintage, the oldest first; years of which nothing is recorded are left out."""
        return {
            year: lists[state]
            for year, lists in self._lists_by_vintage.items()
            if state in lists and lists[state].sources
        }

    def changes_of(self, state: str) -> list[tuple[str, str, pd.DataFrame]]:
        """Return what differs between each list of a state and the next: both vintages, and a row per fact."""
        lists = list(self.lists_of(state).items())
        changes = load_list_changes()
        return [(old, new, diff_frame({state: a}, {state: b}, changes)) for (old, a), (new, b) in pairwise(lists)]

    @cached_property
    def earlier(self) -> ComparisonAnswer:
        """The file of the states with pages, and the same people on the lists of each earlier year."""
        return self._file_with([self.study.voter_of(year) for year in list(self._lists_by_vintage)[:-1]])

    @cached_property
    def bills(self) -> ComparisonAnswer:
        """The file of the states with pages after each change of list law in :data:`BILLS`."""
        return self._file_with([self._changed(name, changes) for name, changes in BILLS.items()])

    def _changed(self, name: str, changes: Mapping[str, str]) -> Attacker:
        attacker = self.study.voter
        for state in self.states:
            attacker = attacker.changed(name, state, changes)
        return attacker

    def _file_with(self, attackers: list[Attacker]) -> ComparisonAnswer:
        return self.study.compare(POLICIES, attackers, self.states, 1, in_file=IN_FILE)

    @cached_property
    def counties(self) -> pd.DataFrame:
        """Who of the file is named in each county of the states with pages."""
        answer = self.study.break_down("county", COUNTY_POLICY, COUNTY_ATTACKER, self.states, 1, in_file=IN_FILE)
        return answer.to_frame()

    @cached_property
    def policies(self) -> dict[str, Policy]:
        """The shipped policies by name, the two rules first."""
        return {name: load_policy(name) for name in dict.fromkeys((*POLICIES, *list_policies()))}

    @cached_property
    def _by_policy(self) -> dict[str, ComparisonAnswer]:
        return {}

    def file_under(self, policy: str) -> ComparisonAnswer | None:
        """Return the file under a shipped policy; None where the population cannot show its places."""
        if policy in POLICIES:
            return self.file
        if policy not in self._by_policy:
            try:
                self._by_policy[policy] = self.study.compare(policy, states=self.states, g=1, in_file=IN_FILE)
            except InputError:
                return None
        return self._by_policy[policy]

    def compute(self, report: Report) -> None:
        """Ask every question, and report each step with its number and how many there are."""
        steps: dict[str, Callable[[], object]] = {
            "packing the explorer": lambda: self.explorer,
            "comparing the states": lambda: self.everyone,
            "comparing a file of each state": lambda: self.file,
            "comparing the earlier voter lists": lambda: len(self._lists_by_vintage) > 1 and self.earlier,
            "changing the voter lists": lambda: self.bills,
            "comparing the counties": lambda: self.counties,
            **{f"comparing under {name}": partial(self.file_under, name) for name in self.policies},
        }
        for place, (step, ask) in enumerate(steps.items()):
            report(step, place, len(steps))
            ask()

    def evidence(self, state: str | None) -> AtlasEvidence:
        """Return what the sentences about a state, or about the nation, rest on."""
        return AtlasEvidence(self.study, Question.of(states=state, g=1), SMALL_FILE, self.date, self)


@dataclass(frozen=True)
class AtlasEvidence(Evidence):
    """The evidence of a brief, with the answers that all pages share."""

    answers: AtlasAnswers

    @cached_property
    def nation(self) -> ComparisonAnswer:
        """Every state, everyone released."""
        return self.answers.everyone

    def elsewhere_released(self, state: str) -> ComparisonAnswer:  # noqa: ARG002
        """Return the same: every state is in it, with ranges."""
        return self.nation

    @cached_property
    def file(self) -> ComparisonAnswer:
        """Every state's file."""
        return self.answers.file
