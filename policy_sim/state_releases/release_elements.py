"""The elements that a released file is recorded for. A new element is one line in :data:`RELEASE_ELEMENTS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["ELEMENT_GROUPS", "RELEASE_ELEMENTS", "ReleaseElement"]

ELEMENT_GROUPS = ("birth", "sex", "race", "place", "dates", "visits", "hospital", "other")


@dataclass(frozen=True)
class ReleaseElement:
    """One element of a released file.

    Parameters
    ----------
    name : The key in the files of ``data/releases``.
    title : What it tells, for a reader.
    group : What it is about, one of :data:`ELEMENT_GROUPS`. The model measures birth, sex, race and place; it
        does not measure the others.
    """

    name: str
    title: str
    group: str

    @property
    def measured(self) -> bool:
        """Whether the element is part of the policy that is measured."""
        return self.group in ("birth", "sex", "race", "place")


RELEASE_ELEMENTS: Mapping[str, ReleaseElement] = MappingProxyType(
    {
        element.name: element
        for element in (
            ReleaseElement("birth_date", "date of birth", "birth"),
            ReleaseElement("birth_month", "month of birth", "birth"),
            ReleaseElement("birth_year", "year of birth", "birth"),
            ReleaseElement("age", "age in years", "birth"),
            ReleaseElement("age_in_months", "age in years and months", "birth"),
            ReleaseElement("age_class", "age in classes", "birth"),
            ReleaseElement("infant_months", "age in months of young children", "birth"),
            ReleaseElement("infant_days", "age in days of infants", "birth"),
            ReleaseElement("sex", "sex", "sex"),
            ReleaseElement("race", "race", "race"),
            ReleaseElement("hispanic_origin", "Hispanic origin, separate from race", "race"),
            ReleaseElement("zip5", "five-digit ZIP code", "place"),
            ReleaseElement("zip3", "three-digit ZIP code", "place"),
            ReleaseElement("zip_synthetic", "a number that stands for the ZIP code", "place"),
            ReleaseElement("county", "county of residence", "place"),
            ReleaseElement("county_from_zip", "county of residence, some taken from the ZIP code", "place"),
            ReleaseElement("state_of_residence", "state of residence", "place"),
            ReleaseElement("admission_date", "date of admission", "dates"),
            ReleaseElement("admission_month", "month of admission", "dates"),
            ReleaseElement("admission_year", "year of admission", "dates"),
            ReleaseElement("admission_hour", "hour of admission", "dates"),
            ReleaseElement("admission_weekday", "day of the week of admission", "dates"),
            ReleaseElement("admission_weekend", "whether admitted on a weekend", "dates"),
            ReleaseElement("discharge_date", "date of discharge", "dates"),
            ReleaseElement("discharge_month", "month of discharge", "dates"),
            ReleaseElement("discharge_quarter", "quarter of discharge", "dates"),
            ReleaseElement("discharge_year", "year of discharge", "dates"),
            ReleaseElement("discharge_hour", "hour of discharge", "dates"),
            ReleaseElement("person_link", "a number that links the visits of a person", "visits"),
            ReleaseElement("days_between_visits", "days between the visits of a person", "visits"),
            ReleaseElement("hospital_state_id", "hospital, by the state's number", "hospital"),
            ReleaseElement("hospital_id", "hospital, by a number of the data program", "hospital"),
            ReleaseElement("hospital_npi", "hospital, by its national provider number", "hospital"),
            ReleaseElement("homeless", "whether homeless", "other"),
            ReleaseElement("marital_status", "marital status", "other"),
        )
    }
)
