"""Releases that show areas: which rule they are under, whom they leave out, and which overlaps stop them."""

from __future__ import annotations

import csv
import json

import pytest
from said import numbers

from policy_sim import Release
from policy_sim.files.area_tables import area_table, home_of_zips
from policy_sim.people.zips import zip_parts
from policy_sim.words.errors import InputError

POLICY = "sex+birth=five_years+geography=area:{} (age<90)"
OFFICE_BOX = "19903"  # of Dover: no ZIP code area


@pytest.fixture(scope="module")
def areas():
    """The shipped areas of Delaware."""
    homes = home_of_zips()
    return {code: area for code, area in area_table("area:20000").of_zip.items() if homes[code][1] == "DE"}


@pytest.fixture
def project(tmp_path, areas):
    """Make a release of some patients of Delaware by a policy, ready to run."""

    def make(place="20000", columns=("sex", "birth_date", "zip", "dx"), extra=(), county=""):
        homes = home_of_zips()
        lines = []
        for number, code in enumerate([*sorted(areas) * 4, *extra]):
            row = {"sex": "MF"[number % 2], "birth_date": f"{1940 + number % 70}-03-04", "zip": code}
            row |= {"dx": ("E11.9", "I10", "K81.0")[number % 3], "state": "DE"}
            lines.append(row | {"county": county or homes[code][0]} if "county" in columns else row)
        path = tmp_path / "visits.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(lines)
        opened = Release.new(path, tmp_path / "visits.toml", policy=POLICY.format(place))
        opened.accept_guesses(by="A. Officer")
        return opened

    return make


def written(folder):
    with (folder / "send" / "release.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def own_areas(tmp_path, areas, **changes):
    path = tmp_path / "own.csv"
    rows = {code: area for code, area in (areas | changes).items() if area}
    path.write_text("zip,area\n" + "".join(f"{code},{area}\n" for code, area in rows.items()), encoding="utf-8")
    return path


def test_zip_codes_become_areas_under_a_rule_that_is_not_safe_harbor(project, tmp_path, areas):
    made = project(extra=[OFFICE_BOX] * 3).run(tmp_path / "out")
    rows = written(tmp_path / "out")
    assert made.verdict.is_met
    assert sorted(row["zip"] for row in rows) == sorted([*areas.values()] * 4 + [""] * 3)
    notes = " ".join(made["notes"])
    assert [numbers(note)[:2] for note in made["notes"] if "in no area" in note] == [["1", "3"]]  # ZIP codes, records
    assert "not under Safe Harbor" in notes
    assert "164.514(b)(1)" in notes
    assert "164.514(e)" in notes
    assert "not Safe Harbor" in made["aim"]
    dossier = (tmp_path / "out" / "keep" / "dossier.html").read_text(encoding="utf-8")
    assert "not under Safe Harbor" in dossier
    assert "shipped areas of at least 20,000 people" in dossier
    assert made["sources"]["areas-2020.parquet"] == area_table("area:20000").checksum


def test_a_file_named_safe_harbor_is_still_not_safe_harbor(project, tmp_path, areas):
    own_areas(tmp_path, areas).rename(tmp_path / "safe-harbor.csv")
    made = project(tmp_path / "safe-harbor.csv").run(tmp_path / "out")
    dossier = (tmp_path / "out" / "keep" / "dossier.html").read_text(encoding="utf-8")
    assert made.verdict.is_met
    assert "Determination by an expert" in dossier


def test_the_release_is_made_again_from_its_folder(project, tmp_path, areas):
    own_areas(tmp_path, areas)
    opened = project(tmp_path / "own.csv")
    assert "geography=area:own.csv" in (tmp_path / "visits.toml").read_text(encoding="utf-8")
    opened.run(tmp_path / "out")
    kept = (tmp_path / "out" / "keep" / "areas.csv").read_text(encoding="utf-8").splitlines()
    assert kept == ["zip,area", *(f"{code},{area}" for code, area in sorted(areas.items()))]
    assert opened.recheck(tmp_path / "out").verdict.is_met


def test_an_edited_release_with_zip_codes_is_found(project, tmp_path, areas):
    opened = project()
    opened.run(tmp_path / "out")
    path = tmp_path / "out" / "send" / "release.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(areas["19901"], "19901"), encoding="utf-8")
    assert not opened.recheck(tmp_path / "out").verdict.is_met


def test_a_file_with_zip_codes_of_another_state_is_refused(project, tmp_path):
    rhode_island = {code: "RI1" for code, (_, state) in home_of_zips().items() if state == "RI"}
    own_areas(tmp_path, rhode_island)
    with pytest.raises(InputError, match=r"without an area in areas of own\.csv"):
        project(tmp_path / "own.csv").run(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_counties_alone_are_refused_where_they_are_cut_with_the_count(project, tmp_path):
    opened = project(columns=("sex", "birth_date", "county", "dx"))
    cut = {code for code, (county, _) in home_of_zips().items() if county.startswith("10")}
    with pytest.raises(InputError, match=rf"county: {4 * len(cut)} of .* records live in 3 counties"):
        opened.run(tmp_path / "out")


def test_a_whole_county_gives_its_area(project, tmp_path, areas):
    own = {code: f"DE{home_of_zips()[code][0][-1]}" for code in areas}
    opened = project(own_areas(tmp_path, own), columns=("sex", "birth_date", "county", "dx"))
    opened.run(tmp_path / "out")
    assert {row["county"] for row in written(tmp_path / "out")} == {"DE1", "DE3", "DE5"}


def test_an_area_of_few_people_stops_the_release(project, tmp_path, areas):
    parts = zip_parts("us-2020")
    people = int(parts.loc[parts["zip5"].astype(str) == "19953", "people"].sum())
    own_areas(tmp_path, areas, **{"19953": "DEX"})
    with pytest.raises(InputError, match=rf"DEX \({people:,}\)"):
        project(tmp_path / "own.csv").run(tmp_path / "out")


@pytest.mark.parametrize("place", ["county", "zip3", "100000", "own.csv"])
def test_an_overlap_of_few_people_stops_the_release(project, tmp_path, areas, place):
    """The fewest people of both places, counted from the parts of ZIP code areas one by one."""
    other = dict(area_table("area:100000").of_zip)
    if place == "own.csv":
        other = {**areas, "19953": areas["19901"]}
        own_areas(tmp_path, other)
    both: dict[tuple[str, str], int] = {}
    whole: dict[str, int] = {}
    for row in zip_parts("us-2020").itertuples():
        code, area = str(row.zip5), area_table("area:20000").of_zip[str(row.zip5)]
        second = {"county": str(row.county), "zip3": code[:3]}.get(place, other.get(code))
        whole[area] = whole.get(area, 0) + row.people
        if second and area in areas.values() and row.people:
            both[area, second] = both.get((area, second), 0) + row.people
    few = {pair: people for pair, people in both.items() if people < 20_000 and people < whole[pair[0]]}
    name = str(tmp_path / place) if place == "own.csv" else place
    if not few:
        assert project().run(tmp_path / "out", next_to=[name]).verdict.is_met
        return
    (area, second), people = min(few.items(), key=lambda item: item[1])
    with pytest.raises(InputError) as stopped:
        project().run(tmp_path / "out", next_to=[name])
    said = str(stopped.value)
    assert f"area {area} with" in said
    assert f"{second} ({people:,} people)" in said
    assert f"show {len(few):,} overlap" in said
    assert f"{sum(few.values()):,} people in all" in said
    assert not (tmp_path / "out").exists()


def test_a_release_that_is_out_is_compared(project, tmp_path, areas):
    opened = project()
    opened.run(tmp_path / "first")
    assert opened.run(tmp_path / "same", next_to=[tmp_path / "first"]).verdict.is_met
    (tmp_path / "visits.toml").unlink()
    own_areas(tmp_path, areas, **{"19953": areas["19901"]})
    moved = project(tmp_path / "own.csv")
    with pytest.raises(InputError, match="first together show"):
        moved.run(tmp_path / "second", next_to=[tmp_path / "first"])
    text = (tmp_path / "visits.toml").read_text(encoding="utf-8")
    (tmp_path / "visits.toml").write_text(
        text.replace("[settings]", "[settings]\nleast_people = 500"), encoding="utf-8"
    )
    made = Release(tmp_path / "visits.toml").run(tmp_path / "second", next_to=[tmp_path / "first"])
    assert made.verdict.is_met
    assert json.loads((tmp_path / "second" / "keep" / "release.json").read_text())["areas"]["least_people"] == 500


def test_what_is_next_to_a_release_is_there_and_has_the_same_shipped_areas(project, tmp_path):
    opened = project()
    with pytest.raises(InputError, match="countie: there is no such"):
        opened.run(tmp_path / "out", next_to=["countie"])
    opened.run(tmp_path / "first")
    figures = tmp_path / "first" / "keep" / "release.json"
    shipped = area_table("area:20000").checksum
    figures.write_text(figures.read_text(encoding="utf-8").replace(shipped, shipped[::-1]), encoding="utf-8")
    with pytest.raises(InputError, match=r"first: .* areas of another version"):
        opened.run(tmp_path / "out", next_to=[tmp_path / "first"])
    assert not (tmp_path / "out").exists()


def test_a_state_beside_areas_is_compared_as_the_file_has_it(project, tmp_path):
    made = project(columns=("sex", "birth_date", "zip", "state")).run(tmp_path / "out")
    assert made.verdict.is_met
    assert "with the column state" in " ".join(made["notes"])


def test_next_to_is_for_areas(project, tmp_path):
    project()
    (tmp_path / "visits.toml").unlink()
    opened = Release.new(tmp_path / "visits.csv", tmp_path / "visits.toml", policy="safe-harbor")
    opened.accept_guesses(by="A. Officer")
    with pytest.raises(InputError, match="shows none"):
        opened.run(tmp_path / "out", next_to=["county"])


def test_a_target_of_risk_may_use_areas_as_a_level(project, tmp_path, areas):
    project()
    path = tmp_path / "risk.toml"
    Release.new(tmp_path / "visits.csv", path)
    opened = Release(path)
    opened.classify(
        "zip", "key", "neighbors know it", by="A. Officer", kind="zip", areas="20000", levels=["areas", "nothing"]
    )
    opened.classify("sex", "key", "neighbors know it", by="A. Officer", kind="sex")
    aim = 'aim = "risk"\nmeasure = "maximum"\nthreshold = "k=2"'
    text = path.read_text(encoding="utf-8").replace('aim = "threshold"', aim)
    path.write_text(text, encoding="utf-8")
    made = Release(path).run(tmp_path / "out")
    assert made["search"]["levels"]["zip"] == "areas"
    assert {row["zip"] for row in written(tmp_path / "out")} <= set(areas.values())
    assert "not under Safe Harbor" in " ".join(made["notes"])
    path.write_text(text.replace("[settings]", '[settings]\nrecoding = "local"'), encoding="utf-8")
    with pytest.raises(InputError, match="no areas"):
        Release(path).run(tmp_path / "local")
