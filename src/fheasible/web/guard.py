"""Who may ask the server, and how much: every request shows the token, comes from the page itself, names
this server, and is small. All others are refused before anything is read of them."""

import secrets
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fheasible.aliases import Json
from fheasible.errors import UsageError

TOKEN_HEADER: Final = "x-fheasible-token"
MOST_BYTES: Final = 2**18  # of the body of a request
_OWN: Final = ("same-origin", "none")  # what a browser says of requests by the page, and by its user
HEADERS: Final[Mapping[str, str]] = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class TooMuch(UsageError):
    """The body of a request is too large."""

    def __init__(self) -> None:
        super().__init__(
            f"more than {MOST_BYTES // 1024} KiB were sent",
            "shorten the code, or explore it on the command line",
        )


class Guard:
    """Refuses requests to an application. `hosts`: the names with ports under which the server is known; a
    page elsewhere that has a name lead to this machine (DNS rebinding) names another host."""

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str]) -> None:
        self._app, self._token = app, token
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        reason = self._refused(scope, headers)
        if reason:
            refused = JSONResponse(refusal(*reason), HTTPStatus.FORBIDDEN)
            await refused(scope, receive, _with_headers(send))
            return
        await self._app(scope, _limited(receive), _with_headers(send))

    def _refused(self, scope: Scope, headers: Headers) -> tuple[str, str] | None:
        """Why a request is refused, and the remedy; None where it is not."""
        remedy = "open the address that fheasible web has printed"
        if headers.get("host", "").lower() not in self._hosts:
            return "this server is not known under that name", remedy
        origin = headers.get("origin")
        alien = origin is not None and origin.lower() not in {f"http://{host}" for host in self._hosts}
        if alien or headers.get("sec-fetch-site", "none") not in _OWN:
            return "pages of other origins may ask nothing here", remedy
        if not secrets.compare_digest(_token(scope, headers).encode(), self._token.encode()):
            return "the token is missing or wrong", remedy
        return None


def _token(scope: Scope, headers: Headers) -> str:
    """What a request shows: in a header, as those of the page do, or in the address that opens the page."""
    if TOKEN_HEADER in headers or scope["method"] != "GET":
        return headers.get(TOKEN_HEADER, "")
    given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
    return given[0] if len(given) == 1 else ""


def _limited(receive: Receive) -> Receive:
    """Raises TooMuch when more than the allowed bytes have come."""
    had = 0

    async def receiving() -> Message:
        nonlocal had
        message = await receive()
        had += len(message.get("body", b""))
        if had > MOST_BYTES:
            raise TooMuch
        return message

    return receiving


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *own]}
        await send(message)

    return sending


def refusal(message: str, remedy: str) -> Json:
    """An error as the page understands it."""
    return {"state": "error", "error": {"message": message, "remedy": remedy, "line": None}}
