"""Who is let in: a real server, and requests that no browser would send."""

from __future__ import annotations

import json

import pytest

from .conftest import serving

pytestmark = pytest.mark.slow


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
        *_, words = served.open().partition("; ")
        assert words == f"Path={served.root}/; HttpOnly; SameSite=Strict"
        status, text, headers = served.ask(path)  # replayed
        assert (status, headers.get("set-cookie")) == (403, None)
        assert served.root not in text  # where the cookie is sent, which no other server may learn
        status, _, headers = served.ask("/")
        assert (status, headers["cache-control"], headers["referrer-policy"]) == (200, "no-store", "no-referrer")
        assert headers["content-security-policy"] == (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            "form-action 'self'"
        )
        # a change needs the origin, the cookie and the token of a page
        form = json.dumps({"path": ["/nowhere"]}).encode()
        assert served.ask("/open", "POST", form, **served.own())[0] == 422
        for wrong in (
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"x_page_token": ""},
            {"x_page_token": served.page_token[:-1] + ("0" if served.page_token[-1] != "0" else "1")},
            {"cookie": ""},
            {"cookie": f"{served.cookie.split('=')[0]}=x"},
            {"host": "evil.example"},
            {"sec_fetch_site": "cross-site"},
        ):
            assert served.ask("/open", "POST", form, **served.own(**wrong))[0] in (403, 421), wrong
        without = served.own()
        del without["origin"]
        assert served.ask("/open", "POST", form, **without)[0] == 403
        # a cookie of the same name, which another port may set, neither opens nor shuts
        both = f"{served.cookie.split('=')[0]}=x; {served.cookie}"
        assert served.ask("/", cookie=both)[0] == 200
        # nothing of a request is repeated
        status, text, _ = served.ask("/%3Cscript%3Enosuchword")
        assert status == 404
        assert "nosuchword" not in text
