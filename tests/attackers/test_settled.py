"""The assumptions where it is unknown who is in a resource."""

from policy_sim.attackers import GENERAL, Attacker, Coverage
from policy_sim.attackers.identified_file import IdentifiedFile
from policy_sim.attackers.joined import Joined
from policy_sim.attackers.settled import settlements


def file(name, least, most, states=("OH",)):
    held = Coverage(name, name, least_age=0, least_share=least, most_share=most)
    return IdentifiedFile(name, name, "file", held, states=states)


def words(*files):
    resource = Joined(files) if len(files) > 1 else files[0]
    return [each.assumption for each in settlements(Attacker("a", "a", (resource,)), "OH")]


def test_what_is_known_is_not_assumed():
    assert settlements(GENERAL, "OH")[0].attacker is GENERAL
    assert words(file("a", 0.5, 0.5)) == [""]


def test_a_share_has_two_ends_and_an_overlap_three():
    assert words(file("a", 0.5, 0.7)) == ["fewest people", "most people"]
    assert words(file("a", 0.5, 0.5), file("b", 0.4, 0.4)) == ["least overlap", "independent", "most overlap"]
    assert words(file("a", 0.5, 0.5), file("b", 0.4, 0.9)) == [
        *("fewest people, least overlap", "fewest people, independent"),
        *("most people, independent", "most people, most overlap"),
    ]


def test_a_file_of_another_state_overlaps_with_nobody():
    assert words(file("a", 0.5, 0.5), file("b", 0.4, 0.9, states=("TX",))) == [""]


def test_a_settled_attacker_knows_how_many_it_has():
    both = Joined((file("a", 0.5, 0.6), file("b", 0.4, 0.9)))
    for each in settlements(Attacker("a", "a", (both,)), "OH"):
        coverage = each.attacker.resource.coverage_in("OH")
        assert coverage.is_known
        assert each.attacker.name.startswith("a (")
