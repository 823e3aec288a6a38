"""What ships on why lists differ."""

from policy_sim.io.list_change_files import load_list_changes
from policy_sim.io.voter_lists.state_files import load_voter_list
from policy_sim.voter_lists.list_changes import causes_of


def test_each_entry_decides_a_difference_of_two_known_values():
    """An entry about values that are alike, or one of them unknown, would say nothing."""
    for entry in load_list_changes():
        old, new = (load_voter_list(entry.state, vintage) for vintage in (entry.before, entry.after))
        assert set(entry.fields) <= set(causes_of(old, new)), entry
        assert {causes_of(old, new)[name] for name in entry.fields} == {"law"}, entry
        assert entry.why.endswith(".")
