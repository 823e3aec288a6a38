"""Kill -9 in the midst of work in the app: what can be read after the next start, and what stays half written.

``python -m benchmarks.app_kills [--points 1,2] [--rows 40000] [--whom server,workers,all]`` kills at 20 points of real
work, at each of them the server alone, its working processes, or all of its processes at once (also those that wait to
clear up), and prints what each left. It needs Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.app_server import Served, serving
from policy_sim import Release
from policy_sim.tables.ledger import Ledger
from policy_sim.tables.verify import verified
from policy_sim.words.errors import PolicySimError

ROOT = Path(__file__).resolve().parents[1]
MARK = "Bagnufen"  # a name of the first record, and of the first label: what nobody may read afterwards
WHOM = ("server", "workers", "all")
_WEEKS = (
    f"county,this week,to date\n{MARK},3,15\nBrown,0,4\nClark,12,40\nDover,21,60\nTotal,36,119\n",
    f"county,this week,to date\n{MARK},2,17\nBrown,1,5\nClark,14,54\nDover,16,76\nTotal,33,152\n",
)
_TABLE = {"rule": "cms-11", "criterion": "R", "seconds": 20}
Until = Callable[[dict[str, Any]], bool]


class Gone(NamedTuple):
    """What a kill left: the moment it came at, and what is wrong (nothing)."""

    point: str
    whom: str
    at: str
    wrong: tuple[str, ...]


@dataclass
class Place:
    """The folder of one trial: the files of its user, and what the system keeps for a while."""

    folder: Path
    rows: int

    @property
    def user(self) -> Path:
        """What belongs to the user."""
        return self.folder / "user"

    @property
    def temporary(self) -> Path:
        """Temporary files."""
        return self.folder / "temporary"

    @property
    def records(self) -> Path:
        """A file of records; it is made when somebody asks first."""
        path = self.user / "visits.csv"
        if not path.exists():
            head, *rows = (ROOT / "data" / "examples" / "visits.csv").read_text(encoding="utf-8").splitlines()
            many = (rows * (self.rows // len(rows) + 1))[: self.rows]
            path.write_text("\n".join([head, *many, ""]), encoding="utf-8")
        return path

    @property
    def project(self) -> Path:
        """The project of the records."""
        return self.user / "visits-release" / "release.toml"

    def week(self, number: int) -> Path:
        """Write the table of a week."""
        path = self.user / f"week{number}.csv"
        path.write_text(_WEEKS[number], encoding="utf-8")
        return path

    def drafts(self) -> list[Path]:
        """Return what is being written now, under a hidden name."""
        hidden = [
            Path(folder, name)
            for folder, folders, files in os.walk(self.folder)  # goes on where a folder vanishes
            for name in (*folders, *files)
            if name.startswith(".")
        ]
        return [path for path in hidden if path.name.endswith((".part", ".policy-sim-run", ".toml"))]


def _step(text: str) -> Until:
    return lambda now: text in now["step"]


def _after(seconds: float) -> Until:
    until = time.monotonic() + seconds
    return lambda _: time.monotonic() > until


def _draft(place: Place) -> Until:
    return lambda _: bool(place.drafts())


# The way to each point. Each function works until its moment comes, and says which it was.


def _upload(served: Served, place: Place, share: float) -> str:
    body = place.records.read_bytes()
    sent = body[: int(share * len(body))]
    headers = served.own(x_file_name="visits.csv", content_type="application/octet-stream")
    link = served.begin("/upload", "PUT", sent, content_length=str(len(body)), **headers)
    if share == 1:
        link.getresponse().read()
    else:
        while not any(path.stat().st_size for path in place.temporary.rglob("visits.csv")):
            time.sleep(0.005)
    return f"{sum(path.stat().st_size for path in place.temporary.rglob('visits.csv')):,} bytes written"


def _uploaded(served: Served, place: Place) -> str:
    body = place.records.read_bytes()
    headers = served.own(x_file_name="visits.csv", content_type="application/octet-stream")
    return str(json.loads(served.ask("/upload", "PUT", body, **headers)[1])["go"])


def _begin(served: Served, place: Place, until: Until | None = None) -> dict[str, Any]:
    new = served.post("/open", path=place.records, door="records")["go"]
    return served.job(new, until, aim="safe-harbor", folder=place.project.parent)


def _begun(served: Served, place: Place, until: Until) -> str:
    return _said(_begin(served, place, until))


def _said(now: dict[str, Any]) -> str:
    return f"{now['state']}: {now['step'] or 'starting'}{now['error']}"


def _ready(served: Served, place: Place) -> str:
    """Decide on every column; return the address of the project."""
    trip = str(_begin(served, place)["go"])
    _decide(served, trip)
    return trip


def _decide(served: Served, trip: str) -> None:
    for fields in (
        {"decision": "guess"},
        {"decision": "other", "reason": "nobody is known by it", "column": [10, 12]},
    ):
        assert "go" in served.post(f"{trip}/columns", by="A. Officer", **fields)


def _deciding(served: Served, place: Place, number: int) -> str:
    trip = str(_begin(served, place)["go"])
    _decide(served, trip)
    for at in range(number):
        served.post(f"{trip}/columns", by="A. Officer", decision="other", reason=f"reason {at}", column=[10])
    body = json.dumps({"by": ["A. Officer"], "decision": ["other"], "reason": ["last"], "column": ["10"]}).encode()
    served.begin(f"{trip}/columns", "POST", body, **served.own())  # nobody waits for its answer
    until = time.monotonic() + 1
    while not place.drafts() and time.monotonic() < until:
        pass
    return f"decision {number + 2}{', being written' if place.drafts() else ''}"


def _project(served: Served, place: Place, path: str, until: Until, **fields: object) -> str:
    return _said(served.job(f"{_ready(served, place)}/{path}", until, **fields))


def _run_private(served: Served, place: Place, until: Until) -> str:
    trip = str(served.job(_uploaded(served, place), aim="safe-harbor")["go"])
    _decide(served, trip)
    return _said(served.job(f"{trip}/result", until))


def _run_again(served: Served, place: Place, until: Until) -> str:
    trip = _ready(served, place)
    assert served.job(f"{trip}/result")["state"] == "done"
    return _said(served.job(f"{trip}/result", until))


def _download(served: Served, place: Place) -> str:
    trip = _ready(served, place)
    assert served.job(f"{trip}/result")["state"] == "done"
    answer = served.begin(f"{trip}/download").getresponse()
    return f"{len(answer.read(2000)):,} bytes read"


def _table(served: Served, place: Place, until: Until | None = None, **fields: object) -> dict[str, Any]:
    table = served.job("/tables/open", path=place.week(0))["go"]
    return served.job(f"{table}/do", until, **_TABLE | fields)


def _published(served: Served, place: Place, week: int, until: Until | None = None) -> dict[str, Any]:
    ledger = place.user / "ledger"
    table = served.job("/tables/open", path=place.week(week))["go"]
    own = _TABLE | {"ledger": ledger, "week": f"2025-W1{week}", "do": "protect"}
    assert served.job(f"{table}/do", **own)["state"] == "done"
    return served.job(f"{table}/publish", until)


def _second_week(served: Served, place: Place) -> str:
    assert _published(served, place, 0)["state"] == "done"
    return _said(_published(served, place, 1, _step("publishing")))


def _entered(served: Served, place: Place) -> str:
    table = served.job("/tables/open", path=place.week(0))["go"]
    own = _TABLE | {"ledger": place.user / "ledger", "week": "2025-W10", "do": "enter"}
    return _said(served.job(f"{table}/do", _draft(place), **own))


def _saved(served: Served, place: Place) -> str:
    table = served.job("/tables/open", path=place.week(0))["go"]
    shown = served.job(f"{table}/do", **_TABLE, do="protect")["go"]
    save = f"{shown.removesuffix('/protected')}/save"
    return _said(served.job(save, _draft(place), folder=place.user / "saved"))


def _hiding(served: Served, place: Place) -> str:
    return _said(_table(served, place, _step("hiding"), do="protect"))


Way = Callable[[Served, Place], str]
POINTS: dict[str, Way] = {
    "upload, half of it sent": lambda s, p: _upload(s, p, 0.5),
    "upload, all of it sent": lambda s, p: _upload(s, p, 1),
    "describing: the first look": lambda s, p: _begun(s, p, _step("every column")),
    "describing: half a second later": lambda s, p: _begun(s, p, _after(0.5)),
    "describing: the project is written": lambda s, p: _begun(s, p, lambda _: p.project.exists()),
    "describing: counting places": lambda s, p: _begun(s, p, _step("where people live")),
    "deciding: first": lambda s, p: _deciding(s, p, 0),
    "deciding: after 20 decisions": lambda s, p: _deciding(s, p, 20),
    "measuring what is left": lambda s, p: _project(s, p, "left", _step("what is left")),
    "searching: comparing rules": lambda s, p: _project(s, p, "compare", _step("k=")),
    "writing: the hidden folder is there": lambda s, p: _project(s, p, "result", _draft(p)),
    "writing: the release": lambda s, p: _project(s, p, "result", _step("writing the release")),
    "writing: the attack": lambda s, p: _project(s, p, "result", _step("attacking")),
    "writing: the dossier": lambda s, p: _project(s, p, "result", _step("dossier")),
    "writing: again, over an earlier release": lambda s, p: _run_again(s, p, _step("attacking")),
    "writing: from a private copy": lambda s, p: _run_private(s, p, _step("attacking")),
    "download, begun": _download,
    "table: hiding": _hiding,
    "ledger: publishing a second week": _second_week,
    "ledger: entering": _entered,
}
MORE: dict[str, Way] = {
    "table: writing its folder": _saved,
    "an upload and a release at once": lambda s, p: _upload(s, p, 0.5) and _project(s, p, "result", _draft(p)),
}


# What is left.


def wrong_in(place: Place, before: Iterable[Path]) -> Iterator[str]:
    """Yield what is wrong in a place after the next start; ``before`` is what the user had and keeps."""
    yield from (
        f"open to others: {path.name}" for path in place.temporary.glob("policy-sim-*") if path.stat().st_mode & 0o77
    )
    for path in place.temporary.rglob("*"):
        if path.is_file() and MARK.encode() in path.read_bytes():
            yield f"readable: {path.name}"
    yield from (f"left: {path.relative_to(place.temporary)}" for path in _others(place.temporary))
    for path in place.user.rglob("*"):
        if path.name.startswith(".") or path.name.endswith(".part"):
            yield f"half written: {path.relative_to(place.user)}"
    yield from _half(place)
    yield from (f"lost: {path.name}" for path in before if not path.exists())


def _others(temporary: Path) -> list[Path]:
    """Return what is in the private folder, but for the folder of the run that looks."""
    found = [path for path in temporary.glob("policy-sim-*/*") if not path.name.startswith("app-")]
    apps = list(temporary.glob("policy-sim-*/app-*"))
    return found + apps[1:]


def _half(place: Place) -> Iterator[str]:
    """Yield what is neither absent nor whole: a project, a release, a ledger, the folder of a table."""
    project, ledger, saved = place.project, place.user / "ledger", place.user / "saved"
    if project.parent.exists():
        try:
            Release(project)
        except PolicySimError as error:
            yield f"half written: the project ({error})"
    yield from _missing(project.parent / "released", ("send/release.csv", "keep/release.json", "keep/project.toml"))
    yield from _missing(saved, ("send/table.csv", "keep/proof.json", "manifest.json"))
    Ledger(ledger).finish()  # as every look at a ledger does first
    if any(path.is_file() for path in ledger.rglob("*")):  # else empty: the next table fills it
        try:
            if verified(ledger).word != "READY":
                yield f"half written: the ledger ({verified(ledger).words})"
        except PolicySimError as error:
            yield f"half written: the ledger ({error})"


def _missing(folder: Path, names: Iterable[str]) -> Iterator[str]:
    if folder.exists():
        yield from (f"half written: no {folder.name}/{name}" for name in names if not (folder / name).exists())


def tried(point: str, whom: str, rows: int, folder: Path) -> Gone:
    """Kill at a point, start again, and look at what is left."""
    place = Place(folder, rows)
    for own in (place.user, place.temporary):
        own.mkdir()
    with serving(place.temporary) as served:
        served.open()
        at = (POINTS | MORE)[point](served, place)
        before = [path for path in place.user.iterdir() if path.is_file()]
        served.kill(whom)
        if whom == "workers":
            wrong = _settled(served, place, before)
        else:
            with serving(place.temporary) as again:
                again.open()
                wrong = tuple(wrong_in(place, before))
    if remains := [path.name for path in place.temporary.rglob("*") if path.is_file()]:
        wrong += (f"left at the end: {remains}",)
    return Gone(point, whom, at, wrong)


def _settled(served: Served, place: Place, before: list[Path]) -> tuple[str, ...]:
    """Return what is wrong once the server has seen that its worker is gone; it works on as if nothing had been."""
    until = time.monotonic() + 10
    while place.drafts() and time.monotonic() < until:
        time.sleep(0.05)
    wrong = tuple(f"half written: {path.name}" for path in place.drafts())
    wrong += tuple(f"lost: {path.name}" for path in before if not path.exists())
    now = served.job("/tables/open", path=place.week(0))
    return wrong + ((f"the next work: {now['error']}",) if now["state"] != "done" else ())


def main() -> None:
    """Kill, and print what each kill left."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--points", default=",".join(map(str, range(1, len(POINTS) + len(MORE) + 1))))
    options.add_argument("--rows", type=int, default=40_000)
    options.add_argument("--whom", default=",".join(WHOM))
    chosen = options.parse_args()
    names, wrong = [*POINTS, *MORE], 0
    for number in map(int, chosen.points.split(",")):
        for whom in chosen.whom.split(","):
            with tempfile.TemporaryDirectory() as folder:
                gone = tried(names[number - 1], whom, chosen.rows, Path(folder))
            wrong += bool(gone.wrong)
            print(f"{number:>2} {gone.point}; {whom}; {gone.at}: {'; '.join(gone.wrong) or 'nothing'}", flush=True)
    print(f"{wrong} left something")


if __name__ == "__main__":
    main()
