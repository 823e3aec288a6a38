"""A release in a window: its paper is of its rule, and its screens say what the files are and of which project."""

from __future__ import annotations

import pytest

from policy_sim import Release, Study
from policy_sim.app.records_work import MAPPING, describe, paper_asked

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
    assert sized["proposal"].unmeasured == "a class size or a level of risk, k=11"
    assert sized["proposal"].sent is None


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
    assert "Made before your last change: make it again." in page
    assert "MET for" not in page
    assert "notice good" not in page
    assert page.count("of the earlier project") >= 3
    served.post(f"{address}/aim", aim="safe-harbor")
    assert "MET for" in served.ask(f"{address}/result")[1]
