"""Policies as data: what ships, what a file may say, and everything that is wrong with one at once."""

from __future__ import annotations

import re
import tomllib

import pytest

from policy_sim.files.paths import data_dir
from policy_sim.people.store import list_populations
from policy_sim.policies.files import (
    RULES,
    in_rules,
    list_policies,
    list_presets,
    load_policy,
    load_preset,
    new_policy_file,
)
from policy_sim.policies.policy import Conditions, Rule, SmallPlaces
from policy_sim.words.errors import OutputError, SchemaError, UnknownNameError
from policy_sim.words.fields import Granularities

MINIMAL = 'name = "p"\ntitle = "t"\ncitation = "c"\n[fields]\ngender = "value"\n'


def written(tmp_path, text):
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def problems(tmp_path, text):
    with pytest.raises(SchemaError) as error:
        load_policy(written(tmp_path, text))
    return error.value.problems


@pytest.mark.parametrize("name", list_policies())
def test_every_shipped_policy_is_called_as_its_file_and_cites_a_source(name):
    policy = load_policy(name)
    assert policy.name == name
    assert policy.citation
    assert all(rule.says and rule.citation for rule in policy.rules)


@pytest.mark.parametrize("name", [name for name in list_policies() if name.endswith("-without-race")])
def test_without_race_is_the_same_policy_but_for_race(name):
    beside = load_policy(name.removesuffix("-without-race"))
    assert load_policy(name).releases == beside.releases.replace(race="none")
    assert load_policy(name).conditions == beside.conditions


def test_safe_harbor_as_written():
    policy = load_policy("safe-harbor")
    assert policy.releases == Granularities(gender="value", race="race_ethnicity", birth="year", geography="zip3")
    assert policy.conditions == Conditions(top_age=90, small_places=SmallPlaces("zip3", 20_000))
    paragraphs = {rule.citation for rule in policy.rules}
    assert {f"45 CFR 164.514(b)(2)(i){part}" for part in ("(B)(1)", "(B)(2)", "(C)")} <= paragraphs


def test_limited_data_set_as_written():
    policy = load_policy("limited-dataset")
    assert policy.releases == Granularities(
        gender="value", race="race_ethnicity", birth="date", geography="county_zip5"
    )
    assert policy.conditions == Conditions()
    assert all(rule.citation.startswith("45 CFR 164.514(e)") for rule in policy.rules)


def test_a_mode_swaps_the_hipaa_rules_and_nothing_else():
    assert in_rules("safe-harbor", "regulation") == "safe-harbor"
    assert in_rules("limited-dataset", "regulation") == "limited-dataset"
    assert in_rules("safe-harbor", "paper") == "safe-harbor-paper"
    assert in_rules("limited-dataset", "paper") == "limited-dataset-paper"
    assert in_rules("decade-of-birth", "paper") == "decade-of-birth"
    for form in ("paper", "regulation"):  # the paper's form has one meaning
        assert in_rules("safe-harbor-paper", form) == "safe-harbor-paper"
    with pytest.raises(UnknownNameError, match="paper, regulation"):
        in_rules("safe-harbor", "law")


def test_the_policy_that_a_mode_names_ships():
    named = {load_policy(name).paper_form for name in list_policies()} - {""}
    assert named == {"safe-harbor-paper", "limited-dataset-paper"}
    assert named <= set(list_policies())


def test_a_file_with_everything(tmp_path):
    policy = load_policy(
        written(
            tmp_path,
            MINIMAL
            + 'birth = "two_years"\ngeography = "county"\n[conditions]\ntop_age = 85\n'
            + '[conditions.small_places]\nplace = "county"\nmost = 5000\n'
            + '[[rules]]\nsays = "s"\ncitation = "para 1"\n',
        )
    )
    assert policy.releases == Granularities(gender="value", birth="two_years", geography="county")
    assert policy.conditions == Conditions(85, SmallPlaces("county", 5000))
    assert policy.rules == (Rule("s", "para 1"),)


def test_all_problems_at_once(tmp_path):
    found = problems(
        tmp_path,
        'nmae = "p"\ntitle = 3\n[fields]\nbirth = "yaer"\nsez = "value"\n'
        "[conditions]\ntop_age = 1.5\n[conditions.small_places]\nmost = 10\n",
    )
    text = "\n".join(found)
    for expected in (
        "name is missing",
        "title",
        "citation is missing",
        "Did you mean 'year'?",
        "fields.sez",
        "top_age",
    ):
        assert expected in text, expected
    assert "small_places.place is missing" in text
    assert "nmae" in text


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("[conditions]\ntop_age = 90\n", "does not release"),
        ('geography = "state"\n[conditions.small_places]\nplace = "county"\nmost = 9\n', "cannot be derived from"),
        ('geography = "county"\n[conditions.small_places]\nplace = "county"\n', "most is missing"),
        ('geography = "zip3"\n[conditions.small_places]\nplace = "state"\nmost = 9\n', "'state' is not known"),
    ],
)
def test_a_condition_without_its_field_is_a_problem(tmp_path, more, said):
    assert any(said in problem for problem in problems(tmp_path, MINIMAL + more))


def test_nothing_is_said_of_a_file_that_it_does_not_hold(tmp_path):
    """A refused value once counted as 0 or as absent too: ``top_age = 0``, which the file never said."""
    said = problems(tmp_path, MINIMAL + '[conditions]\ntop_age = "x"\nmost = 1\n')
    wrong, unknown = said
    assert wrong.startswith("conditions.top_age = 'x' is not a number")
    assert re.match("conditions.most .* top_age, small_places, shift_days\\.", unknown)


def test_sex_is_a_word_for_gender(tmp_path):
    by_gender = load_policy(written(tmp_path, MINIMAL)).releases
    assert load_policy(written(tmp_path, MINIMAL.replace("gender =", "sex ="))).releases == by_gender
    (said,) = problems(tmp_path, MINIMAL + 'sex = "value"\n')
    assert "sex and gender are one field" in said


def test_a_policy_that_releases_nothing_is_a_problem(tmp_path):
    assert "releases nothing" in problems(tmp_path, MINIMAL.replace('"value"', '"none"'))[0]


def test_no_such_policy_says_which_is_near():
    with pytest.raises(UnknownNameError, match="Did you mean 'safe-harbor'"):
        load_policy("safe-habor")


def test_a_new_file_is_a_policy_and_never_written_over_another(tmp_path):
    path = tmp_path / "our-rule.toml"
    new_policy_file(path)
    assert load_policy(str(path)).name == "our-rule"
    assert [p.name for p in tmp_path.iterdir()] == ["our-rule.toml"]
    with pytest.raises(OutputError, match=r"our-rule.toml already exists\. Choose another name\."):
        new_policy_file(path)


def test_a_file_that_changed_is_read_again(tmp_path):
    path = written(tmp_path, MINIMAL)
    assert load_policy(path).title == "t"
    written(tmp_path, MINIMAL.replace('"t"', '"u"'))
    assert load_policy(path).title == "u"


def test_every_preset_names_what_the_project_ships():
    assert list_presets()
    for name in list_presets():
        preset = load_preset(name)
        assert preset.population in list_populations()
        assert preset.rules in RULES
        assert preset.policies
        assert min(preset.g) >= 1


def test_a_preset_says_what_its_file_says():
    name = "benitez-malin-2010"
    table = tomllib.loads((data_dir() / "presets" / f"{name}.toml").read_text(encoding="utf-8"))
    preset = load_preset(name)
    assert (list(preset.policies), list(preset.g)) == (table["policies"], table["g"])
    assert (preset.population, preset.lists, preset.days_per_year) == ("us-2000", "2008", 365)


@pytest.mark.parametrize("name", ["benitez", "../manifest", ""])
def test_another_name_says_which_are_known(name):
    with pytest.raises(UnknownNameError, match="benitez-malin-2010"):
        load_preset(name)
