"""The screens of a state: its paper to download, and the explorer's page.

The page is served byte for byte as the command writes it, so that it is the page itself and no copy of it. Its scripts
and its style stand in it, so its policy of content names them by their checksums: nothing else runs there, and
nothing is loaded from anywhere.
"""

from __future__ import annotations

import base64
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from policy_sim.app.jobs import Job
from policy_sim.app.screens import Form, change, desk_of, page, screen, sent
from policy_sim.files.writing import sha256_of
from policy_sim.show.numbers import bare
from policy_sim.words.errors import InputError
from policy_sim.words.states import STATES, find_state

FORMS = ("pdf", "docx", "html", "md")
NATION = "US"


@dataclass(eq=False)
class Paper:
    """A paper that a window asked for: what was asked, the folder where it is written, and the names of its files."""

    asked: dict[str, str]
    folder: Path
    names: list[str] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)

    @property
    def unsaved(self) -> list[str]:
        """The files that were not downloaded."""
        return [f"{name}: not downloaded" for name in self.names if name not in self.taken]


def content_policy(page: str) -> str:
    """Return the policy of content that lets the scripts and styles of a page run, and nothing else.

    Its workers are made of its own script, so their addresses begin with blob.
    """
    scripts = re.findall(r"<script(?: id=\"\w+\")?>(.*?)</script>", page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    return (
        f"default-src 'none'; script-src {_checksums(scripts)}; style-src {_checksums(styles)}; worker-src blob:; "
        "img-src data: blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )


def _checksums(texts: list[str]) -> str:
    digests = (base64.b64encode(bytes.fromhex(sha256_of(text.encode()))).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def _write_paper(request: Request, form: Form) -> Job:
    state = form.needed("state", "Choose a state.")
    state = state if state == NATION else find_state(state).postal
    kind = form.text("form") if form.text("form") in FORMS else FORMS[0]
    texts = {name: form.text(name) for name in ("people", "places", "what", "period", "recipient")}
    desk = desk_of(request)
    asked = {"state": state, "form": kind, "name": f"brief-{state.lower()}.{kind}", **texts}
    paper = Paper(asked, desk.private("paper"))
    key = desk.put(paper)

    def then(names: list[str]) -> str:
        paper.names = names
        return f"/states/paper/{key}"

    arguments = {"asked": asked, "folder": str(paper.folder)}
    return desk.jobs.start("states_work:write_paper", arguments, title="Writing the paper", then=then)


def _paper_of(request: Request) -> Paper:
    paper: Paper = desk_of(request).get(request.path_params["key"], Paper)
    return paper


def _paper(request: Request) -> Response:
    paper = _paper_of(request)
    asked, key = paper.asked, request.path_params["key"]
    name = "the United States" if asked["state"] == NATION else STATES[asked["state"]].name
    return page(request, "state_paper.html", paper=paper, name=name, key=key, command=command_line(asked))


def _paper_file(request: Request) -> Response:
    paper, name = _paper_of(request), request.path_params["name"]
    if name not in paper.names:
        raise InputError("There is no such file. Write the paper again.")
    paper.taken.add(name)
    return sent(paper.folder / name, name)


def command_line(asked: dict[str, str]) -> str:
    """Return the command that writes the same paper."""
    words = ["policy-sim", "brief", asked["state"]]
    people = asked["people"].replace(",", "")
    if people.endswith("%"):
        people = bare(float(people.rstrip("% ")) / 100)
    options = {"in-file": people, "from": asked["places"], "what": asked["what"], "period": asked["period"]}
    for option, value in (options | {"to": asked["recipient"], "out": asked["name"]}).items():
        words += [f"--{option}", value] if value else []
    return shlex.join(words)


# The explorer.


def _explorer(request: Request, form: Form) -> Job | str:
    state = form.text("state")
    fragment = f"#s={find_state(state).postal}" if state not in ("", NATION) else ""
    desk = desk_of(request)
    shown = _made(desk.folder)
    if shown.is_file():
        return f"/states/explorer{fragment}"

    def then(_: str) -> str:
        return f"/states/explorer{fragment}"

    shown.parent.mkdir(mode=0o700, exist_ok=True)
    return desk.jobs.start("states_work:write_explorer", {"folder": str(shown.parent)}, title="The explorer", then=then)


def _made(folder: Path) -> Path:
    return folder / "explorer" / "explorer.html"


def _show_explorer(request: Request) -> Response:
    path = _made(desk_of(request).folder)
    if not path.is_file():
        raise InputError("The explorer is not made yet. Open it from the first screen.")
    content = path.read_bytes()
    return HTMLResponse(content, headers={"content-security-policy": content_policy(content.decode())})


def _begin(request: Request) -> Response:
    return page(
        request,
        "state.html",
        states=[(state.postal, state.name) for state in STATES.values()],
        forms=FORMS,
        nation=NATION,
    )


routes: list[Route] = [
    screen("/states", _begin),
    change("/states/paper", _write_paper),
    screen("/states/paper/{key}", _paper),
    screen("/states/paper/{key}/{name}", _paper_file),
    change("/states/explore", _explorer),
    screen("/states/explorer", _show_explorer),
]
