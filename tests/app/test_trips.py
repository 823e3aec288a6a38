"""A release in a window: its paper is of its rule, and its screens say what the files are and of which project."""

from __future__ import annotations

import json
import shutil

import pytest

from policy_sim import Release, Study
from policy_sim.app.records_work import MAPPING, describe
from policy_sim.release.paper import columns_released, paper_asked
from policy_sim.words.errors import InputError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def project(root, tmp_path_factory):
    """A project under Safe Harbor of the example file, in which 30 people came twice, next to what was read of it."""
    folder = tmp_path_factory.mktemp("paper")
    header, *rows = (root / "data" / "examples" / "visits.csv").read_text(encoding="utf-8").splitlines()
    (folder / "visits.csv").write_text("\n".join([header, *rows, *rows[:30], ""]), encoding="utf-8")
    release = Release.new(folder / "visits.csv", folder / "release.toml", policy="safe-harbor")
    release.accept_guesses(by="A. Officer")
    release.set("file", person="mrn")
    describe(str(release.path), str(folder), progress=lambda *_: None)
    return release


def _asked(project, **target):
    if target:
        project.set("target", **target)
    return paper_asked(project.project, Study(), str(project.path.parent / MAPPING), {"what": "visits"})


def test_a_paper_is_of_the_rule_the_person_and_the_columns_of_its_release(project):
    rows = project.project.path.read_text(encoding="utf-8").splitlines()[1:]
    people = len({row.split(",")[0] for row in rows})
    asked = _asked(project)
    proposal = asked["proposal"]
    assert asked["policies"] == ["limited-dataset", "safe-harbor"]
    assert (proposal.sent, proposal.unmeasured) == (None, "")
    assert asked["in_file"].people == people < len(rows)
    assert "zip" in proposal.columns
    assert not {"mrn", "patient_name", "los"} & set(proposal.columns)  # nobody has decided on the last

    limited = _asked(project, policy="limited-dataset")
    assert limited["policies"] == ["safe-harbor", "limited-dataset"]
    assert limited["proposal"].sent.identifiers == ()
    assert "county" in limited["proposal"].sent.key

    sized = _asked(project, aim="risk", policy="", threshold="k=11")
    assert sized["proposal"].unmeasured.endswith(", k=11")
    assert sized["proposal"].sent is None


def test_what_a_rule_allows_and_no_column_shows_is_not_sent(project):
    asked = _asked(project, aim="policy", policy="safe-harbor", threshold="")
    assert asked["proposal"].not_sent == (
        "ethnicity",
    )  # the race column of the file has it as one answer or not at all
    project.classify("race", "key", "not needed", by="A. Officer", treatment="drop")
    asked = _asked(project, aim="policy", policy="safe-harbor", threshold="")
    assert asked["proposal"].not_sent == ("race", "ethnicity")
    assert "race" not in asked["proposal"].columns


def test_a_file_that_says_no_place_has_a_paper_of_the_state_that_is_named(project, tmp_path):
    (tmp_path / "v.csv").write_text("mrn,sex,age\n" + "".join(f"M{at // 2},F,{20 + at}\n" for at in range(60)))
    release = Release.new(tmp_path / "v.csv", tmp_path / "p.toml", policy="safe-harbor")
    release.set("file", person="mrn")
    release.accept_guesses(by="A. Officer")
    mapping = str(project.path.parent / MAPPING)
    with pytest.raises(InputError, match="no column says where people live"):
        paper_asked(release.project, Study(), mapping, {})
    asked = paper_asked(release.project, Study(), mapping, {}, state="OH")
    assert (asked["in_file"].people, asked["in_file"].catchment) == (30, None)
    assert asked["proposal"].not_sent == ("race", "ethnicity", "place")


@pytest.fixture(scope="module")
def made(served, root, tmp_path_factory):
    """The screens of a project under Safe Harbor that was made in the window: its address, and its project file."""
    folder = tmp_path_factory.mktemp("made")
    new = served.post("/open", path=root / "data" / "examples" / "visits.csv", door="records")["go"]
    address = served.job(new, aim="safe-harbor", folder=folder)["go"]
    served.post(f"{address}/columns", by="A. Officer", decision="guess")
    los = str(list(Release(folder / "release.toml").columns).index("los"))
    said = {"column": los, "decision": "other:keep", "by": "A. Officer", "reason": "nobody is known by it"}
    served.post(f"{address}/columns", **said)
    assert served.job(f"{address}/result")["state"] == "done"
    return address, folder / "release.toml"


def test_a_folder_made_before_the_last_change_has_no_verdict(served, made):
    address, _ = made
    page = served.ask(f"{address}/result")[1]
    assert "MET for" in page
    served.post(f"{address}/paper", recipient="State University")  # who receives it changes no column
    assert "MET for" in served.ask(f"{address}/result")[1]
    served.post(f"{address}/aim", aim="limited-dataset")
    page = served.ask(f"{address}/result")[1]
    assert "Made before your last change" in page
    assert "MET for" not in page
    assert "notice good" not in page
    assert page.count("of the earlier project") >= 3
    served.post(f"{address}/aim", aim="safe-harbor")
    assert "MET for" in served.ask(f"{address}/result")[1]


def test_the_verdict_has_its_rule_and_the_columns_that_it_rests_on(served, made):
    address, _ = made
    page = served.ask(f"{address}/result")[1]
    assert "Safe Harbor. <strong>MET for 8; 1 on A. Officer&#39;s word" in page
    assert "On A. Officer's word: los" in page
    (attacked,) = [line for line in page.splitlines() if line.startswith("<p>Recognized and attacked (8 of 9 columns)")]
    assert "zip" in attacked.split(" On ")[0]
    assert "los" not in attacked.split(" On ")[0]


def test_a_command_finds_the_columns_of_the_last_release_of_a_project(made):
    _, path = made
    shutil.copytree(path.parent, path.parent.with_name("copied"))
    path = path.parent.with_name("copied") / path.name
    release = Release(path)
    released = columns_released(path)
    assert released == tuple((path.parent / "released" / "send" / "release.csv").read_text().splitlines()[0].split(","))
    release.set("about", recipient="State University")
    assert columns_released(path) == released
    release.set("settings", limit=0.01)
    assert columns_released(path) == ()


def test_what_a_class_size_costs_is_on_the_screens(served, made):
    address, _ = made
    served.post(f"{address}/aim", aim="risk", threshold="k=150")
    assert served.job(f"{address}/left")["state"] == "done"
    page = served.ask(f"{address}/left")[1]
    assert "rows are suppressed (" in page
    assert "the limit is 5.0% of the records)" in page
    assert "Lost: every value of " in page
    served.post(f"{address}/aim", aim="safe-harbor")


def test_the_first_screen_leads_back_and_stop_asks_first(served, made, root):
    address, project = made
    home = served.ask("/")[1]
    assert f'{served.root}{address.removeprefix(served.root)}"' in home
    assert str(project) in home
    assert "data-stop" not in home

    def unsaved():
        return [line for line in served.ask("/stop")[1].splitlines() if line.startswith("<ul><li>")]

    before = "".join(unsaved())
    body = (root / "data" / "examples" / "visits.csv").read_bytes()
    dropped = json.loads(served.ask("/upload", "PUT", body, **served.own(x_file_name="mine.csv"))[1])["go"]
    private = served.job(dropped, aim="safe-harbor", title="Private one")["go"]
    assert "Private one" not in before
    assert "Private one: the project file" in "".join(unsaved())
    served.ask(f"{private}/project")
    assert "Private one" not in "".join(unsaved())
    assert served.process.poll() is None
