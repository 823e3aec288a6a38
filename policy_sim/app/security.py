"""Who may talk to the server: one browser on this machine, by a token that opens once and a cookie after that."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from policy_sim.app.screens import error_page

_CONTENT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'"
)
_CONTENT_HEADER = "content-security-policy"
_HEADERS = {
    _CONTENT_HEADER: _CONTENT,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
PAGE_TOKEN = "x-page-token"  # noqa: S105  (the name of a header)
_OPEN = "/open/"
_READS = ("GET", "HEAD")


class Keys:
    """The secrets of one server: the token that opens it once, the cookie's value, and what signs tokens of pages.

    A browser sends a cookie to every port of this machine, also to the server of another user. So the cookie is for
    ``root`` alone, the drawn beginning of every path, which no other server knows.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.token = secrets.token_urlsafe(32)
        self.cookie = f"policy-sim-{port}"
        self.root = f"/{secrets.token_urlsafe(12)}"
        self._session = secrets.token_urlsafe(32)
        self._signer = secrets.token_bytes(32)
        self._used = False

    @property
    def host(self) -> str:
        """What the header Host has to be."""
        return f"127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        """The address that opens the first window, once."""
        return f"http://{self.host}{_OPEN}{self.token}"

    def opens(self, path: str) -> bool:
        """Use the token up; tell whether the path had it for the first time."""
        is_right = hmac.compare_digest(path.removeprefix(_OPEN).encode(), self.token.encode())
        is_first, self._used = not self._used, self._used or is_right
        return is_right and is_first

    def set_cookie(self, headers: MutableHeaders) -> None:
        """Give a browser the cookie."""
        headers.append("set-cookie", f"{self.cookie}={self._session}; Path={self.root}/; HttpOnly; SameSite=Strict")

    def knows(self, cookies: str) -> bool:
        """Tell whether a header of cookies has the right one, perhaps next to one that another server set."""
        pairs = (part.strip().partition("=") for part in cookies.split(";"))
        values = [value for name, _, value in pairs if name == self.cookie]
        return any(hmac.compare_digest(value.encode(), self._session.encode()) for value in values)

    def page_token(self) -> str:
        """Return a token for one page, which its changing requests carry."""
        nonce = secrets.token_hex(8)
        return f"{nonce}.{self._signed(nonce)}"

    def signed(self, token: str) -> bool:
        """Tell whether a token is of a page of this server."""
        nonce, _, signature = token.partition(".")
        return bool(nonce) and hmac.compare_digest(signature.encode(), self._signed(nonce).encode())

    def _signed(self, nonce: str) -> str:
        return hmac.digest(self._signer, nonce.encode(), "sha256").hex()


class Guard:
    """Let a request through to the application, or refuse it; nothing of a request is ever repeated in an answer.

    Host and Origin come first, so that a wrong one does not use up the token. ``first`` is the path of the screen that
    the token opens. :attr:`seen` is when the last request came.
    """

    def __init__(self, app: ASGIApp, keys: Keys, first: str = "/") -> None:
        self.app, self.keys, self.first = app, keys, first
        self.seen = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        opens, refused = self._look_at(scope, headers)
        answering = _with_headers(send, self.keys if opens else None)
        if refused is not None:
            await refused(scope, receive, answering)
            return
        self.seen = time.monotonic()
        if opens:
            path = f"{self.keys.root}{self.first}"
            scope = {**scope, "path": path, "raw_path": path.encode()}
        try:
            await self.app({**scope, "root_path": self.keys.root}, receive, answering)
        except Exception as error:
            if not answering.begun:
                await _refusal(headers, 500, f"The program failed ({type(error).__name__}). {_BUG}")(
                    scope, receive, answering
                )

    def _look_at(self, scope: Scope, headers: Headers) -> tuple[bool, Response | None]:
        """Return whether a request opens the first window, and a refusal or none."""
        if headers.getlist("host") != [self.keys.host]:
            return False, _refusal(headers, 421, _WRONG_HOST)
        origins, reads = headers.getlist("origin"), scope["method"] in _READS
        if origins not in ([f"http://{self.keys.host}"], *([[]] if reads else [])):
            return False, _refusal(headers, 403, _WRONG_ORIGIN)
        if scope["path"].startswith(_OPEN):
            is_visit = scope["method"] == "GET" and "prefetch" not in headers.get("sec-purpose", "")
            if is_visit and self.keys.opens(scope["path"]):
                return True, None
            return False, _refusal(headers, 403, _USED)
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return False, _refusal(headers, 403, _WRONG_ORIGIN)
        is_known = self.keys.knows("; ".join(headers.getlist("cookie")))
        if not is_known or not scope["path"].startswith(f"{self.keys.root}/"):
            return False, _refusal(headers, 403, _NO_COOKIE)
        if not reads and not self.keys.signed(headers.get(PAGE_TOKEN, "")):
            return False, _refusal(headers, 403, _NO_PAGE)
        return False, None


_WRONG_HOST = "This address is not the one that the program printed. Use that one."
_WRONG_ORIGIN = "The request came from a page of another site. Open the window of policy_sim instead."
_USED = (
    "This address opens one window, once, and it was used. If that window is closed, stop the program and start it "
    "again: policy-sim app."
)
_NO_COOKIE = (
    "This address is none of the window that the program opened. Use that window. If it is closed, stop the program "
    "and start it again: policy-sim app."
)
_NO_PAGE = "The page is of an earlier run of the program. Reload it."
_BUG = "This is a bug in the program. Nothing that was saved is lost. Go back and try again."


def _refusal(headers: Headers, status: int, text: str) -> Response:
    if "application/json" in headers.get("accept", ""):
        return JSONResponse({"error": text}, status)
    return HTMLResponse(error_page(text), status)


class _with_headers:  # noqa: N801  (used as a function)
    """Send an answer with the headers that every answer has; ``begun`` once its first part is on its way."""

    def __init__(self, send: Send, opened: Keys | None) -> None:
        self._send, self._opened, self.begun = send, opened, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            _add_headers(message, self._opened)
        await self._send(message)


def _add_headers(message: MutableMapping[str, Any], opened: Keys | None) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in _HEADERS.items():
        if name != _CONTENT_HEADER or name not in headers:  # a page of its own kind has a policy of its own
            headers[name] = value
    if opened is not None:
        opened.set_cookie(headers)
