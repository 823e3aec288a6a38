"""Columns that are asked about together, and what is held back from such a group."""

from __future__ import annotations

import datetime as dt
import math
import random
import re
import shlex

import pandas as pd
import pytest
from small_people import run

from policy_sim.records.vocabularies import zip_codes
from policy_sim.release import Release

ROWS = 240


def _file(folder, **columns):
    rng = random.Random(1)
    base = {
        "sex": [rng.choice("FM") for _ in range(ROWS)],
        "sbp": [int(rng.gauss(128, 15)) for _ in range(ROWS)],
        "smoker": [rng.choice(["yes", "no"]) for _ in range(ROWS)],
    }
    pd.DataFrame(base | columns).to_csv(folder / "v.csv", index=False)
    return folder / "v.csv"


def _drawn(make, seed=2):
    rng = random.Random(seed)
    return [make(rng) for _ in range(ROWS)]


def _shuffled(make):
    order = list(range(ROWS))
    random.Random(3).shuffle(order)
    return [make(at) for at in order]


def _with_check_digit(number):
    """Append the digit of Luhn."""
    doubled = [int(d) * 2 - 9 * (int(d) > 4) if at % 2 == 0 else int(d) for at, d in enumerate(reversed(str(number)))]
    return f"{number}{-sum(doubled) % 10}"


ZIPS = sorted(zip_codes())[3_000:9_000:25]
OF_OHIO = [code[:3] for code in sorted(zip_codes()) if "430" <= code[:3] <= "458"]
DISGUISED = {
    "a running number with noise": _shuffled(lambda at: f"{at + 0.3 * ((at * 7) % 3 - 1):.2f}"),
    "ages as decimals": _drawn(lambda rng: f"{rng.uniform(18, 96):.1f}"),
    "ages in days": _drawn(lambda rng: int(rng.uniform(18, 96) * 365.25)),
    "ages of whole days in years": _drawn(lambda rng: f"{rng.randrange(7_000, 30_000) / 365.25:.5f}"),
    "ZIP codes as amounts": _drawn(lambda rng: f"{int(rng.choice(ZIPS))}.00"),
    "ZIP codes as decimals": _drawn(lambda rng: f"{int(rng.choice(ZIPS)) / 100:.2f}"),
    "days as Excel counts them": _drawn(lambda rng: f"{43_000 + rng.randrange(2_000) + rng.random():.3f}"),
    "months and days": _drawn(lambda rng: f"{dt.date(2024, 1, 1) + dt.timedelta(rng.randrange(366)):%m%d}".lstrip("0")),
    "days of the year": _drawn(lambda rng: rng.randrange(1, 366)),
    "telephone numbers as decimals": _drawn(lambda rng: f"330{rng.randrange(200, 999)}.{rng.randrange(10**4):04}"),
    "record numbers with check digits": _drawn(lambda rng: _with_check_digit(rng.randrange(10**3, 10**6))),
    "the logarithm of record numbers": _drawn(lambda rng: f"{math.log(rng.randrange(10**7, 10**8)):.8f}"),
    "the root of a running number": _shuffled(lambda at: f"{(1_000 + at) ** 0.5:.5f}"),
    "shifted ages": _drawn(lambda rng: int(rng.uniform(18, 96)) + 100),
    "ages in weeks": _drawn(lambda rng: int(rng.uniform(18, 96) * 52.18)),
    "days since the start of a study": _drawn(lambda rng: rng.randrange(700)),
    "days of the week, few on two": _drawn(lambda rng: rng.choice((1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 7))),
    "three digits of ZIP codes": _drawn(lambda rng: rng.choice(OF_OHIO)),
    "three digits of a few ZIP codes": _drawn(lambda rng: rng.choice(("443", "444", "445"))),
    "two ZIP codes": _drawn(lambda rng: rng.choice(("44503", "43215"))),
    "employers": _drawn(lambda rng: rng.choice(("Walmart", "GM", "Ford"))),
    "parts of a state": _drawn(lambda rng: rng.choice(("NE Ohio", "NW Ohio"))),
    "shifted ages with a middle": (lambda ages: [age + 7 for age in ages])(_drawn(lambda rng: int(rng.gauss(58, 15)))),
    "ages in half years": _drawn(lambda rng: 2 * min(max(int(rng.gauss(58, 19)), 0), 98)),
    "ages in hundreds of years": _drawn(lambda rng: f"{min(max(int(rng.gauss(58, 19)), 0), 98) / 100:.2f}"),
    "numbers given out by lot": _drawn(lambda rng: rng.randrange(111, 1_000)),
    "times of a day": _drawn(lambda rng: f"{rng.randrange(86_400) / 3_600:.4f}"),
    "rooms": _drawn(lambda rng: rng.randrange(1, 30)),
    "codes of areas": _drawn(lambda rng: rng.choice((101, 102, 201, 301, 401, 502, 601, 702))),
    "devices": _drawn(lambda rng: rng.choice(("v7", "v12", "k9", "m3"))),
    "lots": _drawn(lambda rng: rng.choice(("a1f9", "b7c2", "c0d4"))),
    "numbers of people with several rows": _drawn(lambda rng: (rng.randrange(60) * 7_919 + 11) % 99_991),
}


@pytest.mark.parametrize("what", DISGUISED)
def test_an_identifier_dressed_as_a_measurement_is_in_no_group(what, tmp_path):
    name = "x7" if what == "shifted ages with a middle" else "hemoglobin"  # measurements have a middle, too
    release = Release.new(_file(tmp_path, **{name: DISGUISED[what]}), tmp_path / "p.toml", policy="safe-harbor")
    looks = release.project.looks
    assert looks[name].group == ""
    assert looks[name].guess in ("", "direct")
    assert looks["sbp"].group == "measurements"


@pytest.mark.parametrize("make", [lambda age: age - 50, lambda age: 2_130 - age, lambda age: f"{math.log(age):.3f}"])
def test_a_function_of_the_age_beside_it_is_in_no_group(make, tmp_path):
    ages = _drawn(lambda rng: rng.randrange(18, 97))
    file = _file(tmp_path, age=ages, hemoglobin=[make(age) for age in ages])
    looks = Release.new(file, tmp_path / "p.toml", policy="safe-harbor").project.looks
    assert (looks["hemoglobin"].group, looks["sbp"].group) == ("", "measurements")


def test_days_since_a_start_beside_their_dates_are_in_no_group(tmp_path):
    days = _drawn(lambda rng: int(rng.gammavariate(2, 100)))
    dates = [dt.date(2022, 5, 1) + dt.timedelta(day) for day in days]
    file = _file(tmp_path, admit_date=dates, hemoglobin=days)
    looks = Release.new(file, tmp_path / "p.toml", policy="safe-harbor").project.looks
    assert looks["hemoglobin"].doubt.endswith("in the order of admit_date")


def test_concept_ids_are_asked_about_and_the_number_of_a_person_is_not(tmp_path):
    visits = _drawn(lambda rng: rng.choice((9_201, 9_202, 9_203)))
    file = _file(tmp_path, visit_concept_id=visits, PID=_drawn(lambda rng: rng.randrange(7)))
    looks = Release.new(file, tmp_path / "p.toml", policy="safe-harbor").project.looks
    assert (looks["visit_concept_id"].group, looks["visit_concept_id"].guess) == ("concept ids", "")
    assert (looks["PID"].group, looks["PID"].guess) == ("", "")
    assert looks["PID"].doubt.startswith("its name suggests a number")


def test_towns_and_ages_go_into_a_limited_data_set(tmp_path):
    towns = _drawn(lambda rng: rng.choice(("Toledo", "Youngstown", "Zanesville", "Xenia")))
    file = _file(tmp_path, CITY=towns, AGE=_drawn(lambda rng: rng.randrange(18, 97)))
    for policy, kept in (
        ("limited-dataset", {"CITY", "AGE", "sex", "smoker"}),
        ("safe-harbor", {"AGE", "sex", "smoker"}),
    ):
        release = Release.new(file, tmp_path / f"{policy}.toml", policy=policy)
        release.accept_guesses(by="A")
        release.run(tmp_path / policy)
        assert set(pd.read_csv(tmp_path / policy / "send" / "release.csv").columns) == kept


def test_the_boxes_of_one_question_are_one_field(tmp_path):
    boxes = {f"race___{at}": _drawn(lambda rng: rng.randrange(2), at) for at in range(1, 7)}
    looks = Release.new(_file(tmp_path, **boxes), tmp_path / "p.toml", policy="safe-harbor").project.looks
    assert {looks[name].guess for name in boxes} == {"other"}


@pytest.mark.parametrize(
    "name", ["zip_44503", "Zanesville", "month_3", "january", "age_93", "born_1921", "county_Mahoning", "d20250304"]
)
def test_a_flag_whose_name_tells_what_a_rule_hides_waits_for_a_person(name, tmp_path):
    file = _file(tmp_path, **{name: _drawn(lambda rng: rng.randrange(2))})
    look = Release.new(file, tmp_path / "p.toml", policy="safe-harbor").project.looks[name]
    assert (look.guess, look.group) == ("", "")


def test_flags_that_are_the_digits_of_a_number_wait_for_a_person(tmp_path):
    bits = {f"b{at}": [row >> at & 1 for row in range(ROWS)] for at in range(8)}
    looks = Release.new(_file(tmp_path, **bits), tmp_path / "p.toml", policy="safe-harbor").project.looks
    assert {(looks[name].guess, looks[name].group) for name in bits} == {("", "")}


def test_a_flag_leaves_by_its_guess_only_under_a_rule(tmp_path):
    file = _file(tmp_path)
    assert Release.new(file, tmp_path / "p.toml", policy="safe-harbor").project.looks["smoker"].guess == "other"
    release = Release.new(file, tmp_path / "q.toml")
    release.accept_guesses(by="A")
    release.set("target", aim="risk", measure="maximum", threshold="k=5")
    release.run(tmp_path / "out")
    assert list(pd.read_csv(tmp_path / "out" / "send" / "release.csv").columns) == ["sex"]


def test_the_last_lines_of_a_run_are_one_command_per_group(tmp_path):
    """Each command is complete: it is run as printed, and the next run releases the columns of its group."""
    ids = _drawn(lambda rng: rng.randrange(10**6, 10**7))
    file = _file(tmp_path, pain=_drawn(lambda rng: rng.randrange(11)), x=ids, stage=_drawn(lambda r: r.choice("abc")))
    project = tmp_path / "p.toml"
    run("release", "new", file, project, "--policy", "safe-harbor")
    run("release", "step", project, "--accept-guesses", "--by", "A. Officer")
    said = run("release", "run", project, "--out", tmp_path / "one").stdout
    assert "1 numeric measurements: sbp: " in said
    commands = re.findall(r"^  yes: policy-sim (.*)$", said, re.MULTILINE)
    assert said.strip().splitlines()[-1] == f"  yes: policy-sim {commands[-1]}"
    for command in commands:
        run(*shlex.split(command))
    run("release", "run", project, "--out", tmp_path / "two")
    kept = [set(pd.read_csv(tmp_path / out / "send" / "release.csv").columns) for out in ("one", "two")]
    assert kept == [{"sex", "smoker"}, {"sex", "smoker", "sbp", "pain", "stage"}]


def test_groups_are_named_where_no_guess_releases_anything(tmp_path):
    (tmp_path / "v.csv").write_text("pain,stage\n" + "".join(f"{at % 11},{'abc'[at % 3]}\n" for at in range(ROWS)))
    run("release", "new", tmp_path / "v.csv", tmp_path / "p.toml", "--policy", "safe-harbor")
    said = run("release", "run", tmp_path / "p.toml", "--out", tmp_path / "one", code=2).stderr
    for command in re.findall(r"^  yes: policy-sim (.*)$", said, re.MULTILINE):
        run(*shlex.split(command.replace("YOUR NAME", "A. Officer")))
    run("release", "run", tmp_path / "p.toml", "--out", tmp_path / "two")
    assert set(pd.read_csv(tmp_path / "two" / "send" / "release.csv").columns) == {"pain", "stage"}


def test_groups_are_named_where_only_flags_were_guessed_under_a_risk(tmp_path):
    rows = "".join(f"{at % 11},{'yes' if at % 3 else 'no'}\n" for at in range(ROWS))
    (tmp_path / "v.csv").write_text("pain,work\n" + rows)
    release = Release.new(tmp_path / "v.csv", tmp_path / "p.toml")
    release.accept_guesses(by="A. Officer")
    release.set("target", aim="risk", measure="maximum", threshold="k=5")
    said = run("release", "run", tmp_path / "p.toml", "--out", tmp_path / "one", code=2).stderr
    assert "small scales of numbers: pain: " in said


def _answers(*values):
    return [values[at % len(values)] for at in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "values", "group"),
    [
        ("weight_kg", _drawn(lambda rng: f"{min(max(rng.gauss(62, 16), 18), 99):.1f}"), "measurements"),
        ("hoursw", _drawn(lambda rng: 200 + int(rng.gammavariate(4, 400))), "measurements"),
        ("lwage", _drawn(lambda rng: f"{math.log(rng.randrange(10**4, 10**5)):.5f}"), "amounts"),
        ("time", sorted(_drawn(lambda rng: int(rng.gammavariate(2, 900)))), "measurements"),
        ("survival", _drawn(lambda rng: f"{int(rng.gammavariate(1, 300))}.000000"), "measurements"),
        ("education", _answers("P", "PS", "S"), "categories"),
        ("occupation", _answers("Clerical_and_kindred", "Craftsmen, Foremen_and_kindred"), "categories"),
    ],
)
def test_a_name_that_says_what_numbers_and_words_are_settles_their_form(name, values, group, tmp_path):
    looks = Release.new(_file(tmp_path, **{name: values}), tmp_path / "p.toml", policy="safe-harbor").project.looks
    assert (looks[name].group, looks[name].doubt) == (group, "")


@pytest.mark.parametrize("name", ["hosp2", "prov", "km_home", "pump_lot", "puma"])
def test_a_name_of_a_place_an_institution_or_a_device_is_asked_about_by_itself(name, tmp_path):
    file = _file(tmp_path, **{name: _drawn(lambda rng: rng.randrange(1, 14))})
    look = Release.new(file, tmp_path / "p.toml", policy="safe-harbor").project.looks[name]
    assert look.group == ""
    assert look.doubt.startswith("its name may mean a place")


@pytest.mark.parametrize("name", ["occupation", "treatment"])
def test_names_of_people_are_in_no_list_whatever_their_column_is_called(name, tmp_path):
    file = _file(tmp_path, **{name: _answers("Okafor", "Ramirez", "clerk")})
    assert Release.new(file, tmp_path / "p.toml", policy="safe-harbor").project.looks[name].group == ""


def test_numbers_beyond_floats_and_small_numbers_under_the_name_of_a_date_are_read(tmp_path):
    huge = [f"1e{rng}" for rng in _drawn(lambda rng: rng.randrange(290, 400))]
    hours = _drawn(lambda rng: rng.randrange(1, 90))
    made = Release.new(_file(tmp_path, huge=huge, quarter_hours=hours), tmp_path / "p.toml", policy="safe-harbor")
    assert made.project.looks["quarter_hours"].kind == "category"
    made.classify("quarter_hours", "other", "hours of overtime", by="A. Officer")
    made.accept_guesses(by="A. Officer")
    assert str(made.run(tmp_path / "out").verdict).startswith("MET")
