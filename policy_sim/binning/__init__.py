"""One group: people fall into equally likely bins that the census does not show.

Golle (2006), Revisiting the uniqueness of simple demographics in the US population, WPES; Benitez and
Malin (2010), Evaluating re-identification risks with respect to the HIPAA privacy rule, JAMIA 17(2).
Every function takes arrays that broadcast together and returns float64 of the broadcast shape. The
numerical method and its measured accuracy are in ``docs/model.md``.
"""

from policy_sim.binning.claims import claimed_records
from policy_sim.binning.expectation import bins_of_size, bins_up_to, occupied_bins, people_g_distinct
from policy_sim.binning.links import variance_of_correct_links, variance_of_guesses
from policy_sim.binning.match_chance import match_chance
from policy_sim.binning.sweep import people_by_bin_size
from policy_sim.binning.uneven import occupied_uneven_bins, people_g_distinct_uneven
from policy_sim.binning.variance import (
    variance_of_occupied_bins,
    variance_of_people_g_distinct,
    variance_of_unique_people,
)

__all__ = [
    "bins_of_size",
    "bins_up_to",
    "claimed_records",
    "match_chance",
    "occupied_bins",
    "occupied_uneven_bins",
    "people_by_bin_size",
    "people_g_distinct",
    "people_g_distinct_uneven",
    "variance_of_correct_links",
    "variance_of_guesses",
    "variance_of_occupied_bins",
    "variance_of_people_g_distinct",
    "variance_of_unique_people",
]
