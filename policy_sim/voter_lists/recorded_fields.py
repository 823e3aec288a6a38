"""The fields that a voter list is recorded for. A new field is one line in :data:`RECORDED_FIELDS`.

State files, CSV, JSON, spreadsheets, the database, what-if changes and the page of all lists read the
fields from here. A file that does not mention a field leaves it ``unknown``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from policy_sim.granularity import GRANULARITIES, Field

__all__ = ["LIST_FIELDS", "RECORDED_FIELDS", "RecordedField"]


@dataclass(frozen=True)
class RecordedField:
    """One field of a voter list.

    Parameters
    ----------
    name : The key in files, tables and changes, such as ``birth``.
    heading : The column head on the page of all lists; the name if empty.
    graded : Whether a file must say how finely the list shows the field.
    finest : The granularity when a source or a change says only "included"; empty for a field that
        plays no part in the model.
    linked_as : How a list may show the field besides withholding it, coarsest first, for the model's
        linkage. Empty for a field that is recorded but never linked on.
    """

    name: str
    heading: str = ""
    graded: bool = False
    finest: str = ""
    linked_as: tuple[str, ...] = ()

    @property
    def granularities(self) -> tuple[str, ...]:
        """What a file may say about how finely the field is shown; empty where it says nothing."""
        return tuple(GRANULARITIES[Field(self.name)])[1:] if self.graded else ()


RECORDED_FIELDS: Mapping[str, RecordedField] = MappingProxyType(
    {
        field.name: field
        for field in (
            RecordedField("gender", heading="sex", finest="value", linked_as=("value",)),
            RecordedField("race", finest="value", linked_as=("value",)),
            RecordedField("birth", graded=True, finest="date", linked_as=("year", "date")),
            RecordedField("geography", heading="place", graded=True, finest="county", linked_as=("county",)),
            RecordedField("zip", heading="ZIP", linked_as=("included",)),
            RecordedField("party"),
            RecordedField("address"),
        )
    }
)

LIST_FIELDS = tuple(RECORDED_FIELDS)
