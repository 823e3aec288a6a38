"""Kinds whose disclosure harms most, and columns that tell where a person lives: found by codes, ages and names."""

from __future__ import annotations

import datetime as dt

import pytest
from coded import coded

from policy_sim.records.vocabularies import vocabulary
from policy_sim.release.near_home import near_home, near_home_text
from policy_sim.release.treatments import Variable
from policy_sim.release.very_sensitive import kinds_of_code, sensitive_text, very_sensitive

DAY = dt.date(2026, 7, 1)
OTHERS = ("E11.9", "I10", "J45.909", "K21.9", "M54.50", "N39.0", "R10.9", "S52.501A")


def kept(name, kind, **more):
    return Variable(name, "sensitive", "known to the hospital", kind=kind, **{"treatment": "keep"} | more)


def found(table, *variables, day=DAY, written=None):
    rows = very_sensitive(table, written or table, variables, day)
    return {row["kind"]: (row["columns"], row["rows"]) for row in rows}


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        ("B20", ("hiv",)), ("z21", ("hiv",)), ("O98.711", ("hiv",)), ("B97.35", ("hiv",)), ("B97.34", ()),
        ("A51.0", ("sexually-transmitted",)), ("A49.9", ()), ("A65", ()),
        ("F10.20", ("substance-use",)), ("F1920", ("substance-use",)), ("F17.210", ()), ("F09", ("mental-health",)),
        ("F20.0", ("mental-health",)), ("F99", ("mental-health",)), ("G20", ()),
        ("T74.01XA", ("abuse",)), ("T75.4XXA", ()), ("E11.9; B20", ("hiv",)), ("", ()), ("HIV", ()),
    ],
)  # fmt: skip
def test_codes_at_both_ends_of_every_range(code, kinds):
    assert kinds_of_code(code) == kinds


def test_every_code_of_mental_and_behavioral_disorders_is_of_one_kind_but_tobacco():
    """The whole chapter F01 to F99, in the shipped list of codes: substance use, or another of them."""
    chapter = [code for code in vocabulary("icd_10_cm") if code.startswith("f")]
    assert len(chapter) > 700
    kinds = {code: kinds_of_code(code) for code in chapter}
    assert set(kinds.values()) == {("substance-use",), ("mental-health",), ()}
    substances = {code[:3] for code, own in kinds.items() if own == ("substance-use",)}
    assert substances == {f"f{number}" for number in range(10, 20)} - {"f17"}
    assert {code[:3] for code, own in kinds.items() if not own} == {"f17"}


def test_rows_are_counted_once_over_all_columns_and_few_are_not_counted():
    main = [*OTHERS * 5, *["B20"] * 12, *["F32.9"] * 3]
    other = [*["I10", "E11.9"] * 20, *["Z21"] * 12, *["F10.20", "B20", "I10"]]
    table = coded(dx=main, dx2=other)
    kinds = found(table, kept("dx", "clinical"), kept("dx2", "clinical"))
    assert kinds == {
        "hiv": (["dx", "dx2"], 13), "substance-use": (["dx2"], None), "mental-health": (["dx"], None),
    }  # fmt: skip
    text = sensitive_text(very_sensitive(table, table, [kept("dx", "clinical")], DAY), "medium")
    assert "HIV (dx, 12 rows)" in text
    assert "mental health (dx, fewer than 11 rows)" in text
    assert text.endswith("; the answer given is medium")
    assert not any(code in text for code in ("B20", "F32"))


def test_what_is_left_out_or_hidden_holds_nothing():
    table = coded(dx=[*OTHERS * 5, *["B20"] * 12])
    assert found(table, kept("dx", "clinical", treatment="drop")) == {}
    assert found(table, kept("dx", "clinical"), written=coded(dx=["*"] * 52)) == {}
    grades = coded(grade=["A50", "F20", "x", "y"] * 20)
    assert found(grades, kept("grade", "category")) == {}  # most values are no codes


def test_minors_by_age_and_by_date_of_birth():
    ages = ["17"] * 11 + ["18", "45", "90+", "15-19", ""]
    assert found(coded(age=ages), kept("age", "age")) == {"minors": (["age"], 11)}
    assert found(coded(age=["18", "45", "15-19"]), kept("age", "age")) == {}
    months = ["215"] * 11 + ["216"]
    assert found(coded(m=months), kept("m", "age_months")) == {"minors": (["m"], 11)}
    born = ["2008-07-02"] * 11 + ["2008-07-01", "1950-01-01"]  # 18 on the day itself
    assert found(coded(b=born), kept("b", "birth_date")) == {"minors": (["b"], 11)}
    assert found(coded(b=born), kept("b", "birth_date"), day=None) == {}  # and no date of an event
    assert found(coded(b=["2027-01-01"] * 12), kept("b", "birth_date")) == {}


def test_minors_where_only_the_year_of_the_event_is_known():
    """Without a day for ages: nobody born in 2007 is an adult in 2024, and someone born in 2006 may be."""
    born = ["2007-12-31"] * 12 + ["2006-12-31", "1950-06-01", ""]
    for visit, kind in (("2024-03-01", "date"), ("2024", "year")):
        table = coded(dob=born, visit=[visit] * 15)
        columns = kept("dob", "birth_date"), kept("visit", kind)
        assert found(table, *columns, day=None) == {"minors": (["dob"], 12)}
        assert found(table, *columns) == {}  # they are adults on the day in 2026, or may be
    two = coded(dob=born, visit=["2024-03-01"] * 15, again=["2030-01-01"] * 12 + [""] * 3)
    dated = kept("dob", "birth_date"), kept("visit", "date"), kept("again", "date")
    assert found(two, *dated, day=None) == {}  # of two events the last counts


def test_minors_by_years_of_birth_and_by_dates_whose_order_nobody_knows():
    years = ["2009"] * 11 + ["2008", "1950", ""]
    for name, kind in (("yob", "year"), ("birth_year", "year"), ("birth_month", "date")):
        texts = years if kind == "year" else [year and f"{year}-06" for year in years]
        assert found(coded(**{name: texts}), kept(name, kind)) == {"minors": ([name], 11)}
    for name in ("graduated", "birth_control_start"):
        assert found(coded(**{name: years}), kept(name, "year")) == {}
    unclear = [f"0{1 + at % 9}/0{1 + at % 7}/2010" for at in range(12)] + ["01/02/1950"]
    assert found(coded(dob=unclear), kept("dob", "birth_date")) == {"minors": (["dob"], 12)}


def test_minors_by_the_age_at_an_event_alone():
    ages = ["17 y"] * 11 + ["18 y", "64 y"]
    table = coded(age_at_dx=ages, dx_year=["1998"] * 13)
    assert found(table, kept("age_at_dx", "age"), kept("dx_year", "year"), day=None) == {"minors": (["age_at_dx"], 11)}


@pytest.mark.parametrize("name", ["pharmacy", "prescriber_id", "Hospital", "facilityName", "NPI", "ncpdp", "pcp"])
def test_a_name_of_a_place_of_care_is_found(name):
    assert near_home(coded({name: ["a", "b"]}), [kept(name, "code")]) == [name]


@pytest.mark.parametrize(
    "name", ["hospital_days", "provider_type", "clinic_visits", "diagnosis", "county", "hospitalized"]
)
def test_counts_and_types_are_none(name):
    assert near_home(coded({name: ["a", "b"]}), [kept(name, "code")]) == []


def test_numbers_of_providers_are_found_under_any_name():
    numbers = ["1234567893", "1245319599", "1003000126", "1003000134", "1003000142"]  # with their check digits
    assert near_home(coded(x7=numbers), [kept("x7", "code")]) == ["x7"]
    wrong = [*numbers[:4], "1003000143"]
    assert near_home(coded(x7=wrong), [kept("x7", "code")]) == []
    assert near_home(coded(x7=numbers[:4]), [kept("x7", "code")]) == []


def test_what_hides_the_place_is_no_warning():
    pharmacy = coded(pharmacy=["a", "b"])
    assert near_home(pharmacy, [Variable("pharmacy", "direct", "names one", treatment="pseudonym")]) == []
    assert near_home(pharmacy, [kept("pharmacy", "code", treatment="drop")]) == []
    assert near_home(coded(pharmacy=["*", "*"]), [kept("pharmacy", "code")]) == []
    assert "People usually live near" in near_home_text(["pharmacy"])


@pytest.mark.slow
def test_a_release_says_both_in_its_notes_and_figures(tmp_path, project_of_keys):
    rows = [
        f"{age},{sex},{dx},{shop}" for age in (30, 40) for sex in "FM" for dx in ("B20", *OTHERS) for shop in "AB" * 6
    ]
    (tmp_path / "f.csv").write_text("age,sex,dx,pharmacy\n" + "\n".join(rows) + "\n")
    more = "".join(
        f'[variables.{name}]\nrole = "sensitive"\nkind = "{kind}"\nreason = "known"\ntreatment = "keep"\n'
        for name, kind in (("dx", "clinical"), ("pharmacy", "code"))
    )
    target = 'measure = "average"\nthreshold = "0.2"\n'
    figures = project_of_keys(tmp_path / "p.toml", {"age": "age", "sex": "category"}, target, more).run(
        tmp_path / "out"
    )
    assert figures["very_sensitive"] == [{"kind": "hiv", "called": "HIV", "columns": ["dx"], "rows": 48}]
    assert figures["near_home"] == ["pharmacy"]
    notes = " ".join(figures["notes"])
    assert "HIV (dx, 48 rows)" in notes
    assert "the answer given is low" in notes
    assert "pharmacy: a provider, a facility" in notes
