import pytest

from policy_sim.attackers.adversary import Constraints
from policy_sim.errors import SchemaError, UnknownNameError
from policy_sim.io.adversary_files import list_adversaries, load_adversary


def test_the_profiles_that_ship():
    assert list(list_adversaries()) == ["academic", "journalist", "marketer", "party", "unconstrained"]
    found = {name: load_adversary(name) for name in list_adversaries()}
    assert found["academic"].purpose == "scholarly"
    worst = found["unconstrained"]
    assert (worst.money_usd, worst.days) == (None, None)
    assert worst.misrepresents
    assert worst.breaks_agreements
    assert worst.breaks_law
    assert not any(who.breaks_law for name, who in found.items() if name != "unconstrained")


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "neighbor.toml"
    path.write_text('title = "a neighbor"\nbuyer = ["resident"]\npurpose = "personal"\nmoney_usd = 20\n')
    assert load_adversary(str(path)) == Constraints("neighbor", "a neighbor", ("resident",), "personal", 20.0)


def test_every_problem_at_once(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('title = 3\nbuyer = ["anyone"]\npurpose = "fun"\nmoney = 20\nbreaks_law = "no"\n')
    with pytest.raises(SchemaError) as caught:
        load_adversary(str(path))
    said = "\n".join(caught.value.problems)
    for text in (
        "title = 3",
        "buyer holds 'anyone'",
        "purpose = 'fun'",
        "money is not a known key",
        "breaks_law = 'no'",
    ):
        assert text in said


def test_names_and_files_that_are_not_there(tmp_path):
    with pytest.raises(UnknownNameError, match=r"adversary 'acadmic' is not known\. Did you mean 'academic'"):
        load_adversary("acadmic")
    with pytest.raises(SchemaError, match="cannot be read: "):
        load_adversary(str(tmp_path / "none.toml"))
