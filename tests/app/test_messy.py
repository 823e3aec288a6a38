"""A messy file in a window: what classes count, what costs columns, and what a warning looks like."""

from __future__ import annotations

import csv
import io
import re
import shutil
import zipfile

import pytest

from policy_sim import Release, Study
from policy_sim.app.records_work import measure, run
from policy_sim.records.engines.file_questions import counted_file
from policy_sim.release.costs import costs_of
from policy_sim.release.figures import NOTHING_SHOWN

pytestmark = pytest.mark.slow
RACES = ("White", "W", "Black", "AA", "Black or African American", "African Am.")


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    """Ninety people of three visits each, with codes of sex, several words for a race, and a pseudonym."""
    folder = tmp_path_factory.mktemp("messy")
    rows = [["MRN", "Sex", "Race", "Cnty of Res", "Age", "Dx1", "Tot Chgs"]]
    for at in range(270):
        who = at // 3
        county = ("Licking", "Ross", "Lucas")[who % 3]
        charge = f"${20_000 + 37 * at:,}.{at % 90 + 10}"
        race = RACES[-1] if at == 5 else RACES[who % 5]
        rows.append(
            [
                f"44{who:05}",
                str(1 + who % 2),
                race,
                county,
                str(30 + at * at * 7 % 31),
                ("O80", "E11.9")[at % 2],
                charge,
            ]
        )
    with (folder / "visits.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    made = Release.new(folder / "visits.csv", folder / "release.toml")
    made.accept_guesses(by="A. Officer")
    made.pseudonym("MRN", reason="joins visits", by="A. Officer")
    made.classify(["Tot Chgs"], "direct", "not needed", by="A. Officer", treatment="drop")
    made.classify(["Dx1"], "other", "the study", by="A. Officer")
    made.set("target", aim="risk", threshold="k=11", known="1", sizes="file")
    made.set("settings", limit=0.3)
    return made


def test_a_class_of_one_row_per_person_says_so_beside_its_figures(visits, tmp_path):
    path = str(visits.path)
    measured = measure(path, progress=lambda *_: None)
    after = measured["people"]["after"]
    assert after["under"]["all"] > after["under"]["1"] == 0
    found = f"finds {after['alone']['all']:,} people alone, and {after['under']['all']:,} among fewer than 11."
    assert measured["counted"].startswith("Counted: one row of a person.")
    assert measured["counted"].endswith(found)
    made = run(path, str(tmp_path / "out"), "", progress=lambda *_: None)
    assert made["is_met"]
    assert made["counted"] == measured["counted"]
    assert made["warns"]


def test_lost_columns_have_a_cause_and_a_way_out():
    people = {"known": "all", "suppressed": 12, "drawn": 300}
    search = {"suppressed": 60, "drawn": 800, "limit": 0.05}
    keys = {"DOB": "birth_date", "Age": "age", "Sex": "sex"}
    variables = [{"name": name, "kind": kind, "role": "key", "done": NOTHING_SHOWN} for name, kind in keys.items()]
    suppressed, lost, why, tries = costs_of(search, variables, people)
    assert "7.5%" not in suppressed
    assert "12 of 300 people (4.0%)" in suppressed
    assert "DOB, Age and Sex" in lost
    assert "all rows of a person" in why
    assert "DOB and Age are key fields" in why
    assert "drop the other" in tries
    assert "limit of 5.0%" in tries
    assert costs_of(search, [row | {"done": "unchanged"} for row in variables], people) == [suppressed]


def test_charges_are_amounts_and_no_record_numbers(visits, tmp_path):
    look = visits.project.looks["Tot Chgs"]
    assert "direct" not in look.text
    assert look.kind == "number"
    shutil.copy(visits.path.parent / "visits.csv", tmp_path)
    release = Release.new(tmp_path / "visits.csv", tmp_path / "release.toml", policy="safe-harbor")
    release.accept_guesses(by="A. Officer")
    release.classify(["Tot Chgs"], "other", "the study", by="A. Officer")
    assert not release.run(tmp_path / "out").verdict.warnings


@pytest.fixture(scope="module")
def screen(served, visits, tmp_path_factory):
    """The same file in the window, under Safe Harbor: the address of its screens, and its project."""
    folder = tmp_path_factory.mktemp("screen")
    new = served.post("/open", path=visits.path.parent / "visits.csv", door="records")["go"]
    address = served.job(new, aim="safe-harbor", folder=folder)["go"]
    served.post(f"{address}/columns", by="A. Officer", decision="guess")
    return address, folder / "release.toml"


def test_codes_that_no_census_has_are_asked_and_one_save_keeps_all_columns(served, screen):
    address, project = screen
    failed = served.job(f"{address}/attackers", state="OH")
    assert failed["state"] == "failed"
    assert "Sex: 2 values have no meaning" in failed["error"]
    assert "Race: 2 values have no meaning" in failed["error"]
    assert "screen The file, under Codes to map" in failed["error"]
    assert not any(word in failed["error"] for word in ("parquet", "mapping", "states="))

    page = served.ask(f"{address}/codes")[1]
    for name in ("Meaning of 2 in Sex", "Meaning of AA in Race", "Meaning of African Am. in Race"):
        assert f'<select name="{_field(page, name)}"' in page
    meant = {"1 in Sex": "M", "2 in Sex": "F", "W in Race": "White", "AA in Race": "Black or African American"}
    served.post(
        f"{address}/codes", **{_field(page, f"Meaning of {value}"): meaning for value, meaning in meant.items()}
    )
    looks = Release(project).project.looks
    assert dict(looks["Sex"].codes) == {"1": "M", "2": "F"}
    assert dict(looks["Race"].codes) == {"W": "White", "AA": "Black or African American"}
    again = {_field(page, "Meaning of W in Race"): "White", _field(page, "Meaning of African Am. in Race"): RACES[4]}
    served.post(f"{address}/codes", **again)
    commands = served.ask(f"{address}/result")[1]
    assert commands.count("--code Race W White") == 1
    assert commands.count("--code Race") == 3
    served.post(f"{address}/codes", **{_field(page, "Meaning of African Am. in Race"): ""})  # as it was first
    assert dict(Release(project).project.looks["Race"].codes) == {"W": "White", "AA": "Black or African American"}
    assert "--code Race &#39;African Am.&#39; &#39;African Am.&#39;" in served.ask(f"{address}/result")[1]
    served.post(f"{address}/codes", **again)
    assert served.job(f"{address}/attackers", state="OH")["state"] == "done"
    assert Release(project).project.about.state == "OH"
    assert '<option value="OH" selected>' in served.ask(f"{address}/left")[1]
    assert '<option value="OH" selected>' in served.ask(f"{address}/result")[1]


def _field(page: str, label: str) -> str:
    """Return the name of the list of meanings that has a label."""
    found = re.search(f'<select name="([^"]+)" aria-label="{re.escape(label)}"', page)
    assert found, label
    return found[1]


def test_a_file_whose_county_names_say_no_state_is_placed_by_its_zip_codes(tmp_path):
    counties, zips = ("Licking", "Ross", "Washington"), ("43055", "45601", "45750")
    rows = [f"{30 + at % 20},{counties[at % 3]},{zips[at % 3]}" for at in range(60)]
    (tmp_path / "f.csv").write_text("\n".join(["age,county,zip5", *rows, ""]))
    assert counted_file(tmp_path / "f.csv", None, Study().counted).in_file.people == 60


def test_a_race_column_with_codes_is_not_said_to_be_in_one_spelling(visits):
    visits.set("target", threshold="k=85")
    nothing = {row["name"]: row["done"] for row in measure(str(visits.path), progress=lambda *_: None)["variables"]}
    assert nothing["Race"] == NOTHING_SHOWN
    visits.set("target", threshold="k=11")
    (race,) = [row for row in measure(str(visits.path), progress=lambda *_: None)["variables"] if row["name"] == "Race"]
    assert "2 codes without a meaning" in race["done"]


def test_a_verdict_with_a_warning_is_not_green_and_the_key_has_its_place(served, visits):
    address = served.post("/open", path=visits.path, door="records")["go"].removesuffix("/open")
    served.job(f"{address}/open")
    assert served.job(f"{address}/result")["state"] == "done"
    page = served.ask(f"{address}/result")[1]
    assert '<p class="notice">Class size, k=11. <strong>MET' in page
    assert '<p class="notice">Counted: one row of a person' in page
    assert f"The key of the pseudonyms is {visits.path.parent / 'release.key'}." in page
    assert "can undo every pseudonym" in page


def test_after_a_release_that_is_not_met_only_keep_is_offered_by_a_plain_button(served, tmp_path):
    """The file has numbers like Social Security's in a column that somebody lets leave."""
    rows = ["id,sex,token", *(f"{at},{'MF'[at % 2]},{120 + at}-{20 + at % 60}-{3000 + 7 * at}" for at in range(60))]
    (tmp_path / "visits.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    new = served.post("/open", path=tmp_path / "visits.csv", door="records")["go"]
    address = served.job(new, aim="safe-harbor", folder=tmp_path / "project")["go"]
    served.post(f"{address}/columns", by="A. Officer", decision="guess")
    served.post(f"{address}/columns", by="A. Officer", decision="other", reason="no number of a person", column=[2])
    assert served.job(f"{address}/result")["state"] == "done"
    page = served.ask(f"{address}/result")[1]
    assert "<strong>NOT MET" in page
    assert re.search('<a class="button" href="[^"]+/download">Download keep/</a>', page)
    assert "no file to send" in page
    assert 'class="notice good"' not in page
    assert "send/" not in page
    names = zipfile.ZipFile(io.BytesIO(served.begin(f"{address}/download").getresponse().read())).namelist()
    assert names
    assert all(name.startswith("keep/") for name in names)
