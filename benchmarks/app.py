"""The app attacked and read by a machine, in real Chromium: hostile texts in a file, barriers, connections, papers.

``python -m benchmarks.app`` prints one line for each: screens and hostile texts seen with what ran of them (nothing),
barriers of axe on each screen at three widths, connections of the server and its processes to anywhere but this
machine, requests of the browser to anywhere else, what a page of another origin got, and the papers of a state
that equal those of the command. It needs Chromium and the packages of the extra ``test``.
"""

from __future__ import annotations

import contextlib
import csv
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from openpyxl import Workbook

# Each is a name of a column, a label, a sheet or a file that a page shows.
HOSTILE = (
    "<script>window.ran=1</script>", "<img src=x onerror=window.ran=1>", "<svg onload=window.ran=1>",
    '"><script>window.ran=1</script>', "'><img src=x onerror=window.ran=1>",
    "</textarea><script>window.ran=1</script>", "</title><script>window.ran=1</script>",
    "<iframe src=javascript:window.ran=1>", "javascript:window.ran=1", "<a href=javascript:window.ran=1>x</a>",
    "<style>*{display:none}</style>", "<link rel=stylesheet href=//evil.example/x>", "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=0;url=//evil.example>", "<form action=//evil.example>", "{{7*7}}", "{% raw %}",
    "{{ self.__init__.__globals__ }}", "${window.ran=1}", "` onmouseover=window.ran=1 `",
    '" autofocus onfocus=window.ran=1 x="', "' style='display:none", "&lt;script&gt;", "<!-- ", "]]>",
    "<details open ontoggle=window.ran=1>", "<input name=action>", "__proto__",
    "<math><mi xlink:href=javascript:window.ran=1>", "\u202e<b>gnitnirp</b>",
)  # fmt: skip
# What a page of another origin asks: everything that a fetch, a tag or a form can ask of "own".
_STRANGER = """async (own) => {
  const got = [], json = {"content-type": "application/json"}, body = JSON.stringify({path: ["/etc/passwd"]});
  const tries = [["", {}], ["static/app.js", {}], ["open", {method: "POST", body}],
    ["open", {method: "POST", body, headers: json}], ["open", {method: "POST", body, mode: "no-cors"}],
    ["stop", {method: "POST", body: "{}", mode: "no-cors"}], ["upload", {method: "PUT", body}]];
  for (const credentials of ["include", "omit"]) for (const [path, how] of tries)
    try {
      const answer = await fetch(own + path, {credentials, ...how});
      if (answer.type !== "opaque") got.push(path + answer.status);
    } catch {}
  for (const [tag, name, file] of [["script", "src", "app.js"], ["img", "src", "app.js"], ["link", "href", "app.css"]])
    await new Promise((end) => {
      const one = document.createElement(tag);
      one.onload = () => { got.push(tag); end(); };
      one.onerror = end;
      if (tag === "link") one.rel = "stylesheet";
      one[name] = own + "static/" + file;
      document.body.append(one);
    });
  const frame = document.createElement("iframe"), form = document.createElement("form");
  frame.name = "x";
  frame.src = own;
  Object.assign(form, {method: "post", action: own + "stop", enctype: "text/plain", target: "x"});
  document.body.append(frame, form);
  form.submit();
  return got;
}"""
WEEK = "county,this week,to date\nAdams,<5,15\nBrown,0,12\nClark,12,40\nDover,21,60\nTotal,36,127\n"
WIDTHS = (390, 800, 1400)
_PATIENCE = 300_000  # milliseconds
_COUNTER = """
import os, sys
def _seen(event, arguments):
    if event == "socket.connect":
        address = arguments[1]
        if not (isinstance(address, tuple) and address[0] in ("127.0.0.1", "::1")):
            with open(os.environ["POLICY_SIM_CONNECTIONS"], "a") as file:
                file.write(f"{address!r}\\n")
sys.addaudithook(_seen)
"""


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the app; each of its processes writes every connection elsewhere into ``folder/connections``."""
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(_COUNTER, encoding="utf-8")
    (folder / "connections").touch()
    (folder / "temporary").mkdir()
    more = {"TMPDIR": str(folder / "temporary"), "PYTHONPATH": str(folder / "site")}
    more["POLICY_SIM_CONNECTIONS"] = str(folder / "connections")
    command = [sys.executable, "-m", "policy_sim", "app", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | more)
    assert process.stdout is not None
    try:
        found = re.search(r"http://127\.0\.0\.1:\d+/open/\S+", process.stdout.readline())
        assert found
        yield found[0]
    finally:
        process.terminate()
        process.wait(60)


class Seen:
    """A window that counts what runs, what it asks of whom, and the barriers of each screen."""

    def __init__(self, browser: Any, address: str) -> None:
        self.page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
        self.page.set_default_timeout(_PATIENCE)
        self.screens, self.ran, self.made, self.barriers, self.errors = 0, 0, 0, list[str](), list[str]()
        self.elsewhere = list[str]()
        self.origin = re.match(r"http://[^/]+/", address)[0]  # type: ignore[index]
        self.page.on("request", lambda request: self._asked(request.url))
        self.page.on("dialog", lambda dialog: (self.errors.append("dialog"), dialog.dismiss()))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        self.page.goto(address)
        self.own = f"{self.origin.rstrip('/')}{self.page.evaluate('document.body.dataset.root')}/"

    def _asked(self, address: str) -> None:
        if not address.startswith((self.origin, "data:", "blob:")):
            self.elsewhere.append(address)

    def look(self, name: str, *, axe: bool = True) -> None:
        """Count a screen: whether a text of the file ran, is stored, or is in title or address; and its barriers."""
        from axe_playwright_python.sync_playwright import Axe

        self.screens += 1
        state = self.page.evaluate(
            "[window.ran ?? 0, localStorage.length + sessionStorage.length, document.title, location.href]"
        )
        self.ran += bool(state[0])
        source = self.page.request.get(self.page.url).text()
        raw = [text for text in HOSTILE if set(text) & set("<>\"'") and text in source]
        self.errors += [f"{name}: {text!r} is in the source as it is" for text in raw]
        if state[1] or any(text in state[2] or text in state[3] for text in HOSTILE):
            self.errors.append(f"{name}: a text is stored, or in the title or the address")
        for width in WIDTHS if axe else ():
            self.page.set_viewport_size({"width": width, "height": 900})
            wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if wide > 0:
                self.barriers.append(f"{name} at {width}: {wide} px too wide")
            for found in Axe().run(self.page).response["violations"]:
                self.barriers.append(f"{name} at {width}: {found['id']} {found['nodes'][0]['target']}")


def hostile_tables(folder: Path) -> Iterator[Path]:
    """Write a table with each text as a label, and one with each as the name of a column; title and note have all."""
    words, counts = " ".join(HOSTILE), [str(3 + 11 * at % 50) for at in range(len(HOSTILE))]
    total = str(sum(map(int, counts)))
    by_label = [["county", "deaths", "births", "Total"]]
    by_label += [[text, n, "40", str(int(n) + 40)] for text, n in zip(HOSTILE, counts, strict=True)]
    by_label.append(["Total", total, str(40 * len(HOSTILE)), str(int(total) + 40 * len(HOSTILE))])
    by_name = [list(column) for column in zip(*by_label[:-1], strict=True)]  # one name is read as that of a rate
    for name, rows in (("labels", by_label), ("names", by_name)):
        empty = [""] * (len(rows[0]) - 1)
        path = folder / f"{name}.csv"
        _write_csv(path, [[f"{words} cases", *empty], *rows, [f"Note: {words}", *empty]])
        yield path


def _write_csv(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def hostile_names(folder: Path) -> Iterator[Path]:
    """Write a file with each text as its name, every second one a workbook with a sheet of that name."""
    rows = [["county", "a", "b"], ["Adams", "30", "40"], ["Brown", "21", "60"]]
    for at, text in enumerate(HOSTILE):
        name = re.sub(r"[/\0]", "_", text)[:60]
        if at % 2:
            path = folder / f"{name}.csv"
            _write_csv(path, rows)
        else:
            path, book = folder / f"{name}.xlsx", Workbook()
            book.active.title = re.sub(r"[\\*?:/\[\]]", "_", text)[:31]
            for row in rows:
                book.active.append([int(cell) if cell.isdigit() else cell for cell in row])
            book.create_sheet("<b>other").append(["x"])
            book.save(path)
        yield path


def tables_of(seen: Seen, folder: Path, names: int) -> int:
    """Take the hostile tables through all screens and look at ``names`` of files; return how many files were read."""
    page, read = seen.page, 0
    for path in [*hostile_tables(folder), *[*hostile_names(folder)][:names]]:
        page.goto(seen.own)
        page.set_input_files("#table-file", str(path))
        page.wait_for_url("**/tables/*")
        whole = path.stem in ("labels", "names")
        seen.look(path.stem, axe=whole)
        read += page.get_by_label("Rule of your agency or state").count()
        if whole:
            _to_the_end(seen, path.stem)
    return read


def _to_the_end(seen: Seen, name: str) -> None:
    page = seen.page
    page.select_option("#rule", "cms-11")
    page.get_by_text("How strict").click()
    page.check("input[name=criterion][value=E]")
    page.fill("#seconds", "20")
    page.get_by_role("button", name="Check it").click()
    page.wait_for_url("**/check")
    seen.look(f"{name}, the check")
    page.get_by_role("button", name="Hide what is needed").click()
    page.wait_for_url("**/protected")
    seen.look(f"{name}, the protected table")


def other_screens(seen: Seen, folder: Path) -> None:
    """Look at the screens that no hostile table leads to: errors, a failed job, an unclear table, a ledger."""
    page = seen.page
    page.goto(f"{seen.own}tables/nothing")
    seen.look("error")
    for name, text in (("unclear", "county,a,b,c\nAdams,-,40,20\nBrown,21,33,50\n"), ("week", WEEK)):
        path = folder / f"{name}.csv"
        path.write_text(text, encoding="utf-8")
        page.goto(seen.own)
        page.fill("#table-path", str(path))
        page.keyboard.press("Enter")
        page.wait_for_url("**/tables/*")
        seen.look(name)
    page.get_by_text("A table each week").click()
    page.fill("#ledger", str(folder / "ledger"))
    page.fill("#week", "2025-W10")
    page.select_option("#rule", "cms-11")
    page.get_by_role("button", name="It is out already").click()
    page.wait_for_url("**/entered")
    seen.look("entered")
    page.get_by_role("button", name="See the ledger").click()
    page.get_by_role("heading", name="The next table").wait_for()
    seen.look("ledger")
    page.fill("#next-path", str(folder / "nothing.csv"))
    page.keyboard.press("Enter")
    page.get_by_text("There is no such file").wait_for()
    seen.look("a form with an error")
    several = folder / "several"
    several.mkdir()
    page.goto(seen.own)
    page.set_input_files("#table-file", [str(path) for path in [*hostile_names(several)][:6]])
    page.get_by_role("heading", name="6 tables").wait_for()
    seen.look("several tables")
    page.fill("#ledger", str(folder / "several ledger"))
    page.select_option("#rule", "cms-11")
    page.get_by_role("button", name="Publish them, one after the other").click()
    page.get_by_text(re.compile("yes|not tried")).first.wait_for()
    seen.look("several tables, published")
    page.goto(f"{seen.own}states")
    page.select_option("#paper-state", "WY")
    page.fill("#places", "Nowhere")
    page.fill("#people", "500")
    page.get_by_role("button", name="Write the paper").click()
    page.locator("[data-failed]:not([hidden])").wait_for()
    seen.look("failed job")


def two_windows(browser: Any, own: str, folder: Path) -> bool:
    """Whether two tables in two windows at once end with a folder each, and one window twice with the second's."""
    windows = []
    for name, small in (("one", 3), ("two", 4)):
        path = folder / f"{name}.csv"
        rows = (
            f"county,a,b,Total\nAdams,{small},40,{small + 40}\nBrown,14,60,74\nTotal,{small + 14},100,{small + 114}\n"
        )
        path.write_text(rows, encoding="utf-8")
        page = browser.contexts[0].new_page()
        page.set_default_timeout(_PATIENCE)
        page.goto(own)
        page.set_input_files("#table-file", str(path))
        windows.append((name, page))
    for _, page in windows:
        page.get_by_label("Rule of your agency or state").wait_for()
        page.select_option("#rule", "cms-11")
        page.get_by_text("How strict").click()
        page.check("input[name=criterion][value=E]")
        page.get_by_role("button", name="Hide what is needed").click()
    right = []
    for name, page in windows:
        page.wait_for_url("**/protected")
        with page.expect_download() as download:
            page.get_by_role("link", name="Download the table").click()
        text = download.value.path().read_text(encoding="utf-8")
        right.append(page.locator("h1").inner_text().startswith(f"{name}.csv") and text.count("*") == 4)
        right.append(text.splitlines()[-1].endswith({"one": "117", "two": "118"}[name]))
        page.close()
    return all(right)


def stranger(browser: Any, own: str) -> list[str]:
    """Ask the app everything from a page of another origin of this machine; return what got an answer.

    A cookie of the app that the browser sends to that other server is one too: its host is the same.
    """
    page, cookies = b"<!doctype html><title>stranger</title>", list[str]()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            cookies.extend(re.findall(r"policy-sim-\d+", self.headers.get("cookie", "")))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tab = browser.contexts[0].new_page()  # with the cookie of the window
    tab.goto(f"http://127.0.0.1:{server.server_port}/")
    got: list[str] = tab.evaluate(_STRANGER, own)
    got += cookies
    tab.goto(own, wait_until="commit")  # typed by hand, it opens: it is the user
    is_up = tab.locator("h1").inner_text()
    tab.close()
    server.shutdown()
    return got if is_up == "What do you have?" else [*got, f"the app shows {is_up!r}"]


def papers(folder: Path) -> dict[str, bool]:
    """Return, by format, whether the paper and annex of the app are those of the command, byte for byte."""
    from policy_sim.app.states_work import write_paper

    same = {}
    for form in ("md", "html", "docx", "pdf"):
        asked = {"state": "OH", "name": f"brief-oh.{form}", "people": "18,000", "places": "Allen,Lucas=40%"}
        asked |= {"what": "discharge records", "period": "2024", "recipient": ""}
        own, other = folder / f"app-{form}", folder / f"command-{form}"
        own.mkdir()
        other.mkdir()
        names = write_paper(asked, str(own), progress=lambda _: None)
        words = ["brief", "OH", "--in-file", "18000", "--from", "Allen,Lucas=40%", "--what", "discharge records"]
        command = [sys.executable, "-m", "policy_sim", *words, "--period", "2024", "--out", str(other / asked["name"])]
        subprocess.run(command, check=True, capture_output=True)
        same[form] = all((own / name).read_bytes() == (other / name).read_bytes() for name in names)
    return same


def main(arguments: list[str]) -> None:
    """Print what was counted; ``--names N`` takes N names of files, ``--papers`` compares papers alone."""
    from playwright.sync_api import sync_playwright

    folder = Path(tempfile.mkdtemp())
    try:
        if "--papers" in arguments:
            print(json.dumps({"papers that equal the command's": papers(folder)}))
            return
        names = int(arguments[arguments.index("--names") + 1]) if "--names" in arguments else len(HOSTILE)
        with served(folder) as address, sync_playwright() as engine:
            browser = engine.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            seen = Seen(browser, address)
            seen.look("first screen")
            seen.page.goto(f"{seen.own}states")
            seen.look("state")
            (folder / "files").mkdir()
            other_screens(seen, folder)
            read = tables_of(seen, folder / "files", names)
            apart = two_windows(browser, seen.own, folder / "files")
            got = stranger(browser, seen.own)
            print(json.dumps({"hostile texts": len(HOSTILE), "read": read, "screens": seen.screens, "ran": seen.ran}))
            print(json.dumps({"barriers": seen.barriers, "errors": seen.errors, "elsewhere": seen.elsewhere}, indent=1))
            connections = (folder / "connections").read_text(encoding="utf-8").splitlines()
            print(
                json.dumps(
                    {"connections of the server": connections, "answers to a stranger": got, "two windows apart": apart}
                )
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
