"""The explorer of a study: the people, the lists and the policies in one page."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from policy_sim.granularity import Field
from policy_sim.io.policy_files import list_policies, load_policy
from policy_sim.io.registered_voters import load_coverage
from policy_sim.policies.policy import Policy
from policy_sim.population.people_table import PeopleTable
from policy_sim.questions.setting import Setting

if TYPE_CHECKING:
    from policy_sim.render.explorer.explorer_facts import ExplorerContent

__all__ = ["ExplorerQuestions", "explorer_policies"]

_PLACES = ("state", "county")
_FIRST = ("limited-dataset", "safe-harbor", "safe-harbor-no-zip")


def explorer_policies() -> tuple[Policy, ...]:
    """Return the shipped policies that the page can answer for, those that most readers choose first."""
    shipped = [load_policy(name) for name in list_policies()]
    shown = [policy for policy in shipped if policy.releases[Field.GEOGRAPHY] in _PLACES]
    order = {name: place for place, name in enumerate(_FIRST)}
    return tuple(sorted(shown, key=lambda policy: (order.get(policy.name, len(order)), policy.name)))


class ExplorerQuestions(Setting):
    """What a study puts into the page that computes in the reader's browser."""

    def explorer(self) -> str:
        """Return one HTML file that holds the people and computes every figure itself, without any network.

        Returns
        -------
        The page as text, under three megabytes. The people are those of the study, the lists those of its vintage.

        Raises
        ------
        InputError : a population without counties, sex or race.
        OutputError : people that do not fit into three megabytes.

        Examples
        --------
        >>> from pathlib import Path
        >>> from policy_sim import Study
        >>> page = Study("us-2020").explorer()  # doctest: +SKIP
        >>> Path("explorer.html").write_text(page, encoding="utf-8")  # doctest: +SKIP
        """
        from policy_sim.render.explorer.explorer_page import explorer_page

        return explorer_page(self._explorer_content())

    def _explorer_content(self) -> ExplorerContent:
        from policy_sim.render.explorer.explorer_facts import ExplorerContent

        people, lists = self.people, self.unrestricted_voter.voter_lists
        registered = load_coverage("registered", lists.newest_vintage)
        assert registered is not None
        facts = people.provenance
        lines = [
            f"policy_sim {version('policy-sim')}: explorer of the risk of re-identification by state.",
            f"Population {facts.name}: {facts.title}. {facts.publisher}, {facts.date}.",
            f"Voter lists: {lists.describe()}; the source of each fact is on the card of its state.",
        ]
        notes = (
            f"{self.days_per_year:g} equally likely birthdays a year; age stands for year of birth",
            "ZIP codes are not in the page: policies that release them are shown in the form of Benitez and Malin, or "
            "without ZIP codes",
        )
        return ExplorerContent(
            PeopleTable.of(people),
            facts,
            explorer_policies(),
            lists,
            registered,
            self.days_per_year,
            notes,
            "\n".join(lines),
        )
