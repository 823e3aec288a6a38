from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from pydantic import ValidationError
from said import numbers
from small_people import file_of

from policy_sim.attackers import EVERYONE, Coverage
from policy_sim.attackers.adversary import AMOUNT_KINDS, Constraints
from policy_sim.attackers.county_coverage import load_coverage
from policy_sim.attackers.coverage import load_registered_voters
from policy_sim.attackers.files import (
    PeopleTable,
    ResourceTable,
    amount_of,
    everyone_facts_frame,
    list_adversaries,
    list_resources,
    load_adversary,
    load_amounts,
    load_resource,
    price_words,
    resource_citation,
    resource_facts_frame,
    resource_holder,
    resource_template,
    resources_frame,
)
from policy_sim.files.evidence import CONFIDENCES, Evidence, Source
from policy_sim.voter_lists.files import load_voter_lists
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.words.errors import InputError, SchemaError, UnknownNameError
from policy_sim.words.states import STATES


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


def test_an_adversary_of_ones_own(tmp_path):
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
    with pytest.raises(UnknownNameError, match=r"'acadmic' is not known\. Did you mean 'academic'"):
        load_adversary("acadmic")
    with pytest.raises(SchemaError, match="cannot be read: "):
        load_adversary(str(tmp_path / "none.toml"))


# Every amount has its date and source; what no source gives is unknown and not 0.


def test_every_amount_has_date_source_and_kind():
    amounts = load_amounts()
    assert {amount.kind for amount in amounts.values()} == set(AMOUNT_KINDS)
    for amount in amounts.values():
        assert amount.date[:4].isdigit()
        assert amount.source
        assert amount.cite().startswith(amount.name)
        assert amount.usd_low != 0, "an unknown amount has no number"


def test_the_amounts_of_wan_2015():
    assert amount_of("wan-2015", "gains")[0] == 300
    assert amount_of("attempt-wan-2015", "costs")[0] == 4
    assert "PLoS ONE" in amount_of("wan-2015", "gains")[1]


def test_a_number_is_taken_as_it_is():
    assert amount_of(12.5, "gains") == (12.5, "assumed: $12.5")
    assert amount_of("12.5", "gains") == (12.5, "assumed: $12.5")


def test_what_is_refused():
    with pytest.raises(UnknownNameError):
        amount_of("wan-2015", "penalties")
    with pytest.raises(InputError, match="no source gives the amount"):
        amount_of("contract-ca-ab-713", "penalties")


def test_sums_by_survey():
    """README of the research: CPS 2008 146.3 million, EAVS 2010 186.3, CPS 2024 173.9."""
    sums = {name: sum(survey.by_state.values()) for name, survey in load_registered_voters().items()}
    assert {name: round(total / 1e6, 1) for name, total in sums.items()} == {
        "cps-2008": 146.3,
        "eavs-2010": 186.3,
        "cps-2024": 173.9,
    }


def test_every_figure_is_that_of_the_research(shared):
    with (shared / "voter_policies" / "registered_voters.csv").open(encoding="utf-8", newline="") as file:
        wanted = {(int(row["year"]), row["state"]): int(row["registered"]) for row in csv.DictReader(file)}
    found = {
        (survey.year, state): number
        for survey in load_registered_voters().values()
        for state, number in survey.by_state.items()
    }
    assert found == wanted


def test_the_survey_follows_the_vintage_and_says_so():
    assert load_coverage("everyone", "2008") is None
    assert load_coverage("adults", "2008").registered is None
    old, new = load_coverage("survey", "2008"), load_coverage("survey", "2026")
    assert "2010" in old.title
    assert "2024" in new.title
    assert not old.knows("ND"), "North Dakota registers nobody"
    assert new.knows("ND")


def test_a_coverage_that_is_not_known():
    with pytest.raises(UnknownNameError, match="coverage 'voters' is not known"):
        load_coverage("voters", "2026")


# Resources that ship, and a user's own.


SHIPPED = sorted(list_resources())
BIRTHS = """
name = "births"
title = "births"
kind = "birth index"
states = ["OH"]

[fields]
gender = "included"
birth = "date"
"""


def _written(tmp_path, text, name="births.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_twenty_resources_of_eleven_kinds_ship():
    kinds = {load_resource(name).kind for name in SHIPPED}
    assert (len(SHIPPED), len(kinds)) == (20, 11)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_resource_is_sourced_and_never_guessed(name):
    resource = load_resource(name)
    assert resource.name == name
    assert resource.sources
    assert resource.vintage
    cited = {each for fact in resource.fields.values() for each in fact.evidence.sources}
    cited |= {*resource.price.evidence.sources, *resource.evidence.sources, *resource.buyers.evidence.sources}
    assert cited <= set(resource.sources)
    for fact in resource.fields.values():
        assert fact.availability == "unknown" or (fact.evidence.sources and fact.evidence.confidence in CONFIDENCES)
    assert resource.price.kind != "unknown" or resource.price.note, "an unknown price says why"
    assert all(re.fullmatch(r"\d{4}(-\d\d){0,2}|undated", source.date) for source in resource.sources.values())


def test_the_birth_index_of_texas():
    """Texas Administrative Code: name, sex, date and county of birth; the county is not that of residence."""
    resource = load_resource("texas-birth-index")
    shown = {name: fact.granularity for name, fact in resource.fields.items() if fact.availability == "included"}
    assert shown == {"gender": "value", "birth": "date"}
    assert (resource.coverage.born, resource.coverage.registered) == ((1903, 2010), {"TX": 15_000_000})
    assert resource_holder(resource).name == "texas-birth-index"


def test_the_federal_roll_says_of_every_state_what_became_of_it():
    """12 handed it over or promised to, 30 and DC were sued for refusing, and of 8 no source read says."""
    roll = load_resource("federal-roll")
    assert set(roll.by_state) == set(STATES) - {"PR"}
    by_status = {}
    for state, here in roll.by_state.items():
        by_status.setdefault(here.status, set()).add(state)
        assert here.reason, state
        assert here.date, state
        assert here.evidence.confidence, state
        assert here.evidence.sources, state
        assert set(here.evidence.sources) <= set(roll.sources), state
    assert by_status["available"] == {"AK", "AR", "IN", "KS", "LA", "MS", "NE", "OH", "SD", "TN", "TX", "WY"}
    assert by_status["unknown"] == {"AL", "FL", "IA", "MO", "MT", "NC", "ND", "SC"}
    assert len(by_status["not_covered"]) == 31
    assert roll.amounts("OH", (1, 1))[0].status == "free"
    assert roll.buyers.names == ()


def test_the_sex_of_a_roll_is_that_of_the_list_the_state_sells():
    """And its race is withheld where the state's form does not ask it; Louisiana asks and sells both."""
    roll, lists = load_resource("federal-roll"), load_voter_lists("2026")
    for state, here in roll.by_state.items():
        if here.status != "available":
            continue
        fields = roll.fields_in(state)
        sold = lists[state].fields["gender"].availability == "included"
        assert fields["gender"].availability == ("included" if sold else "unknown"), state
        race = {"LA": "included", "TN": "unknown"}.get(state, "withheld")
        assert fields["race"].availability == race, state
        assert fields["birth"].granularity == "date"


def test_the_template_is_a_resource(tmp_path):
    resource = load_resource(_written(tmp_path, resource_template(), "my-birth-index.toml"))
    assert (resource.name, resource.states, resource.fields["birth"].granularity) == ("my-birth-index", ("OH",), "date")
    assert (resource.coverage.least_share, resource.coverage.most_share) == (0.5, 0.8)
    assert [amount.usd for amount in resource.amounts("OH", (None, None))] == [250, 400]


def test_what_a_file_leaves_out_is_unknown(tmp_path):
    resource = load_resource(_written(tmp_path, BIRTHS))
    assert resource.fields["race"].availability == "unknown"
    assert (resource.coverage.least_share, resource.coverage.most_share) == (0, 1)
    assert resource.amounts("OH", (10, 10))[0].usd is None
    assert (resource.buyers.names, resource.uses.names) == (None, None)


def test_a_file_that_holds_everyone_says_so(tmp_path):
    assert load_resource(_written(tmp_path, BIRTHS + "[people]\nshare = 1\n")).coverage is None


def test_every_problem_of_a_resource_at_once(tmp_path):
    bad = BIRTHS.replace('"OH"', '"ZZ"').replace('birth = "date"', 'birth = "fortnight"\nsex = "included"')
    bad += '[people]\nshare = [0.9, 0.2]\n[price]\nkind = "flat"\n'
    with pytest.raises(SchemaError) as error:
        load_resource(_written(tmp_path, bad, "bad.toml"))
    text = "\n".join(error.value.lines)
    for part in ("states holds 'ZZ'", "fields.birth", "fields.sex is not a known key", "people.share", "price.usd"):
        assert part in text
    assert all(line.startswith(str(tmp_path / "bad.toml")) for line in text.splitlines())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[price]\nkind = "unknown"', "price.note is missing"),
        ('[price]\nkind = "free"\n[price_high]\nkind = "flat"\nusd = 5', "price_high.kind"),
        ('[people]\nsources = ["nobody"]', "people.sources 1 cites 'nobody'"),
        ("[records]\nOH = -4", "records"),
        ('[[in_states]]\nstates = ["OH"]\nstatus = "not_covered"', "reason is missing; say why"),
        ('[[in_states]]\nstates = ["OH", "TX"]\n[[in_states]]\nstates = ["TX"]', "in_states has TX twice."),
        ('[[in_states]]\nstates = ["OH"]\nstatus = "sued"', "in_states 1: status = 'sued' is not one of"),
        ("[people]\nvoters = true\nshare = 0.5", "leave out ages, born and share"),
    ],
)
def test_facts_that_do_not_go_together(tmp_path, more, said):
    with pytest.raises(SchemaError, match=re.escape(said)):
        load_resource(_written(tmp_path, f"{BIRTHS}\n{more}\n"))


def test_a_status_without_a_file_needs_a_reason(tmp_path):
    with pytest.raises(SchemaError, match="reason is missing"):
        load_resource(_written(tmp_path, BIRTHS.replace("[fields]", 'status = "not_sold"\n[fields]')))


def test_names_and_files_that_are_none(tmp_path):
    with pytest.raises(UnknownNameError, match="Did you mean 'texas-birth-index'"):
        load_resource("texas-birth-indx")
    with pytest.raises(InputError, match=r"must end in \.toml"):
        load_resource(_written(tmp_path, BIRTHS, "births.txt"))
    with pytest.raises(SchemaError, match="cannot be read"):
        load_resource(Path(tmp_path) / "nothing.toml")
    with pytest.raises(SchemaError, match="is not TOML"):
        load_resource(_written(tmp_path, "name = ", "torn.toml"))


LEAST = {"name": "births", "title": "births", "kind": "birth index", "states": ["OH"]}


def _read(**more):
    return ResourceTable.model_validate(LEAST | more, context={"sources": {}})


def test_a_short_text_stands_for_the_table_of_a_field():
    short = _read(fields={"birth": "date", "gender": "included", "race": "withheld", "geography": "unknown"}).fields
    assert (short.birth.availability, short.birth.granularity) == ("included", "date")
    assert (short.gender.availability, short.race.availability) == ("included", "withheld")
    assert (short.geography.availability, short.zip.availability) == ("unknown", "unknown")
    long = _read(fields={"birth": {"availability": "included", "granularity": "date"}}).fields
    assert long.birth == short.birth


@pytest.mark.parametrize(
    ("share", "ends"), [(0.6, (0.6, 0.6)), (1, (1, 1)), ([0.3, 0.7], (0.3, 0.7)), ("unknown", (0, 1))]
)
def test_a_share_is_one_number_or_two_or_unknown(share, ends):
    assert PeopleTable.model_validate({"share": share}).share == ends


@pytest.mark.parametrize("share", [1.5, -0.1, True, [0.7, 0.3], [0.1], [0.1, 0.2, 0.3], "most", None, ["0", "1"]])
def test_what_is_no_share(share):
    with pytest.raises(ValidationError):
        PeopleTable.model_validate({"share": share})


@pytest.mark.parametrize("name", ["Births", "my births", "", "-births", "births-", "../births", 5])
def test_a_name_is_small_letters_digits_and_hyphens(name):
    with pytest.raises(ValidationError):
        _read(name=name)


def test_all_states_or_some():
    assert _read(states="all").states is None
    assert _read().states == ["OH"]
    with pytest.raises(ValidationError):
        _read(states=[])


# Side by side and fact by fact.

FILE = file_of(
    "births",
    Coverage("births", "people born here", least_age=0, least_share=0.5, most_share=0.8),
    rest="unknown",
    title="births of Texas",
    birth=ListField("included", "date", evidence=Evidence("high", ("law",))),
    states=("TX",),
    price=Price("schedule", usd_per_record=0.01),
    price_high=Price("schedule", usd_per_record=0.32),
    records={"TX": 15_000_000},
    legality="public",
    notes=("one note",),
    sources={"law": Source("law", "The law", "https://example.org", "2026")},
)


def test_side_by_side():
    (row,) = resources_frame([FILE]).to_dict("records")
    assert (row["name"], row["states"], row["birth"], row["race"]) == ("births", "TX", "included (date)", "unknown")
    assert (row["least_share"], row["most_share"], row["people"]) == (0.5, 0.8, "people born here")
    assert row["price"] == price_words(FILE)
    assert numbers(row["price"]) == ["0.01", "0.32"]
    (whole,) = resources_frame([file_of("all", states=None)]).to_dict("records")
    assert (whole["states"], whole["people"], whole["least_share"], whole["most_share"]) == ("all", "everyone", 1, 1)


def test_fact_by_fact():
    facts = resource_facts_frame(FILE).set_index("item")
    assert facts.loc["birth", ["value", "date", "confidence", "sources"]].tolist() == [
        "included (date)",
        "2026",
        "high",
        "The law <https://example.org>",
    ]
    assert facts.loc[["people", "share"], "value"].tolist() == ["people born here", "50% to 80% of them"]
    assert facts.loc["records in TX", "value"] == "15,000,000"
    assert facts.loc[["legality", "note"], "value"].tolist() == ["public", "one note"]


def test_how_to_cite_a_file():
    head, source = resource_citation(FILE)
    assert re.match(r"births: .* \(TX\); .* 50% to 80% .*; shows birth; ", head)
    assert source == "  The law (2026), https://example.org"
    assert resource_citation(EVERYONE) == []


def test_what_the_attacker_who_knows_everyone_holds_has_no_price():
    facts = everyone_facts_frame().set_index("item")
    assert facts.loc["price", "value"] == "not modeled"
    price, _ = EVERYONE.amounts("OH", (1, 1))
    assert (facts.loc["price", "note"], price.usd, price.status) == (price.reason, None, "not_modeled")
    assert set(facts.loc[["gender", "zip"], "value"]) == {"as released"}
