"""Requests that no window sends, to every address of the app: refused or answered in one line, and nothing repeated."""

from __future__ import annotations

import json
import re

import pytest

from policy_sim.app import home, records, releases, states, table_batches, tables

pytestmark = pytest.mark.slow

ROOM = (home, records, releases, table_batches, tables, states)
ROUTES = [route for module in ROOM for route in module.routes if route.path != "/stop"]
STRANGERS = (
    {"cookie": ""},
    {"host": "evil.example"},
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"sec_fetch_site": "same-site"},  # a page of another port of this machine, which a strict cookie goes to
    {"sec_fetch_site": "cross-site"},
)
MARK = "<img src=x onerror=alert(1)>"
NO_KEYS = ("nope", "%3Cimg%20src=x%20onerror=alert(1)%3E", "..%2f..%2fetc")
NO_NAMES = (
    "x",
    "..%2f..%2f..%2fetc%2fpasswd",
    "../../../../etc/passwd",
    "%2e%2e/c.csv",
    "keep/proof.json",
    "%00",
    "/etc/passwd",
)
NO_FILES = (
    *("", " ", "~nosuchuser/x", "/", "../../etc/nothing", "\0", "a\0b", "\ud800", "x" * 5000, "/" + "n" * 300),
    *("/" + "y/" * 200 + "z", "/dev/zero", "/proc/self/nothing", "https://example.com/x", MARK, "{{7*7}}", "\u202e"),
)
NO_FORMS = (b"", b"[]", b"1", b"null", b'{"a":1}', b'{"path":[[]]}', b"[" * 100_000, b"\xff\xfe", b'{"path":{"x":1}}')
FILE_NAMES = (
    *("..", "../../x", "%00", "%0d%0aX: y", "%F0%9F%98%80" * 40, "%D8%A7" * 200, "x" * 3000, ".hidden", "", "%ff"),
    MARK.replace("<", "%3C").replace(">", "%3E") + ".csv",
)


@pytest.fixture(scope="module")
def keys(served, tmp_path_factory):
    """Keys of a file, a folder, a job, a table and a project."""
    folder = tmp_path_factory.mktemp("files")
    path = folder / "c.csv"
    path.write_text("county,a,b,Total\nAdams,30,20,50\nBrown,3,40,43\nTotal,33,60,93\n", encoding="utf-8")
    found = {}
    for address, name in (("/open", "path"), ("/folder", "folder"), ("/tables/open", "path")):
        given = str(folder if name == "folder" else path)
        found[address] = json.loads(_post(served, address, {name: [given]})[1])["go"]
    table = served.follow(found["/tables/open"])["go"]
    path = folder / "visits.csv"
    path.write_text("county,age,sex\n" + "Adams,30,F\nBrown,41,M\n" * 20, encoding="utf-8")
    new = served.post("/open", path=path, door="records")["go"]
    project = served.job(new, aim="safe-harbor", folder=folder / "release")["go"]
    return [address.split("/")[-1] for address in (*found.values(), table, project)]


def _post(served, address, fields, **more):
    return served.ask(address, "POST", json.dumps(fields).encode(), **served.own(**more))


def _sent(served, route, address, **more):
    method = next(name for name in ("GET", "POST", "PUT") if name in route.methods)
    if method == "GET":
        return served.ask(address, **more)
    return served.ask(address, method, b"{}" if method == "POST" else b"a,b\n1,2\n", **served.own(**more))


def test_no_address_fails_and_none_repeats_what_it_was_asked(served, keys):
    for route in ROUTES:
        for key in (*keys, *NO_KEYS) if "{key}" in route.path else ("",):
            path = re.sub(r"\{key(:\w+)?\}", key, route.path)
            for name in NO_NAMES if "{" in path else ("",):
                status, text, headers = _sent(served, route, re.sub(r"\{\w+(:\w+)?\}", name, path))
                assert status in (200, 303, 403, 404, 405, 422), (route.path, key, name, status)
                assert "onerror" not in text
                assert "root:x:" not in text
                assert (headers["cache-control"], headers["x-frame-options"]) == ("no-store", "DENY")
                assert "default-src 'none'" in headers["content-security-policy"]


def test_no_address_lets_a_stranger_in(served, keys):
    for route in ROUTES:
        address = re.sub(r"\{\w+(:\w+)?\}", keys[-1], route.path)
        for stranger in STRANGERS:
            status, text, headers = _sent(served, route, address, **stranger)
            assert status in (403, 421), (route.path, stranger)
            assert served.root not in text
            assert headers["cache-control"] == "no-store"
            assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        if "GET" not in route.methods:
            for token in ("", served.page_token[:-2] + "zz", "x.y"):
                assert _sent(served, route, address, x_page_token=token)[0] == 403, route.path


def test_wrong_names_and_forms_are_one_line(served, keys):
    for address, name in (("/open", "path"), ("/folder", "folder"), ("/tables/open", "path")):
        for text in NO_FILES:
            status, answer, _ = _post(served, address, {name: [text]})
            if text not in ("/", " ", ""):  # a folder that is there
                assert status == 422, (address, text[:20], status)
                assert len(json.loads(answer)["error"].splitlines()) == 1
    for body in NO_FORMS:
        assert served.ask("/open", "POST", body, **served.own())[0] == 422, body[:20]
    for name in FILE_NAMES:
        status, answer, _ = served.ask("/upload", "PUT", b"a,b\n1,2\n", **served.own(x_file_name=name))
        assert (status, json.loads(answer)["go"][: -len("k" * 12)]) == (200, f"{served.root}/records/new/"), name[:20]
