"""Who is let in, and what a killed program leaves: a real server, and requests that no browser would send."""

from __future__ import annotations

import json
import signal
import stat
import time
from pathlib import Path

import pytest

from .conftest import serving

pytestmark = pytest.mark.slow
JSON = {"content_type": "application/json", "accept": "application/json"}


def _origin(served, **headers):
    return {"origin": f"http://127.0.0.1:{served.port}", "x_page_token": served.page_token, **JSON, **headers}


def test_one_window_and_nobody_else(tmp_path):
    with serving(tmp_path) as served:
        path = served.address.split(str(served.port), 1)[1]
        # before the token is used: a wrong Host or Origin does not use it up, nor does a preview or a wrong token
        for wrong in (
            {"host": "evil.example"},
            {"host": f"localhost:{served.port}"},
            {"origin": "http://evil.example"},
        ):
            assert served.ask(path, **wrong)[0] in (403, 421)
        assert served.ask(path, "HEAD")[0] == served.ask(path, sec_purpose="prefetch")[0] == 403
        assert served.ask(f"{path}x")[0] == served.ask("/")[0] == served.ask("/static/app.js")[0] == 403
        served.open()
        assert "HttpOnly" in (cookie := served.ask(path)[2].get("set-cookie", "HttpOnly")), cookie
        assert served.ask(path)[0] == 403  # replayed
        status, _, headers = served.ask("/")
        assert (status, headers["cache-control"], headers["referrer-policy"]) == (200, "no-store", "no-referrer")
        assert headers["content-security-policy"] == (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            "form-action 'self'"
        )
        # a change needs the origin, the cookie and the token of a page
        form = json.dumps({"path": ["/nowhere"]}).encode()
        assert served.ask("/open", "POST", form, **_origin(served))[0] == 422
        for wrong in (
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"x_page_token": ""},
            {"x_page_token": served.page_token[:-1] + ("0" if served.page_token[-1] != "0" else "1")},
            {"cookie": ""},
            {"cookie": "policy-sim-1=x"},
            {"host": "evil.example"},
            {"sec_fetch_site": "cross-site"},
        ):
            assert served.ask("/open", "POST", form, **_origin(served, **wrong))[0] in (403, 421), wrong
        without = _origin(served)
        del without["origin"]
        assert served.ask("/open", "POST", form, **without)[0] == 403
        # nothing of a request is repeated
        status, text, _ = served.ask("/%3Cscript%3Enosuchword")
        assert status == 404
        assert "nosuchword" not in text


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no such signal")
def test_what_a_killed_program_leaves_is_gone_after_the_next_start(tmp_path):
    with serving(tmp_path) as served:
        served.open()
        token = _origin(served, x_file_name="visits.csv", content_type="application/octet-stream")
        assert served.ask("/upload", "PUT", b"name,age\nEve Example,97\n", **token)[0] == 200
        (copy,) = tmp_path.rglob("visits.csv")
        assert {stat.S_IMODE(folder.stat().st_mode) for folder in list(copy.parents)[:3]} == {0o700}
        served.process.send_signal(signal.SIGKILL)
        served.process.wait()
    with serving(tmp_path) as again:
        again.open()
        until = time.monotonic() + 60
        while copy.exists() and time.monotonic() < until:  # what waits for the end of the first may be at it
            again.ask("/here")
        assert not list(tmp_path.rglob("visits.csv"))
    assert [path for path in Path(tmp_path).rglob("*") if path.is_file()] == []
