"""The local server of the page."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from fheasible.aliases import Json
from fheasible.errors import UsageError
from fheasible.measurement.machine import this_machine
from fheasible.web.answers import drawing
from fheasible.web.applications import Applications
from fheasible.web.controls import controls
from fheasible.web.examples import examples
from fheasible.web.guard import Guard, TooMuch, refusal
from fheasible.web.page import policy, rendered
from fheasible.web.subject import Subject, subject
from fheasible.web.verification import Verifications

MOST_WAIT: Final = 25.0  # seconds until an answer is given in any case
MOST_LETTERS: Final = 2**16  # of an application
_ROUND_SECONDS: Final = 15.0


def token() -> str:
    """A new token, which nobody guesses."""
    return secrets.token_urlsafe(24)


def application(token: str, hosts: list[str], place: str | None = None) -> ASGIApp:
    """The server as an ASGI application. `hosts`: the names with ports under which it is known; `place`: the
    store's place."""
    return Guard(Pages(place).starlette, token, hosts)


class Pages:
    """What the server answers, and what it has started for that."""

    def __init__(self, place: str | None) -> None:
        self._applications = Applications(place)
        self._verifications = Verifications(place)
        self.starlette = Starlette(
            routes=[
                Route("/", self.page),
                Route("/api/answer", self.answer, methods=["POST"]),
                Route("/api/verify", self.verify, methods=["POST"]),
                Route("/api/verify/{number:int}", self.verified),
                Route("/api/verify/{number:int}/stop", self.stop, methods=["POST"]),
            ],
            lifespan=self._life,
            exception_handlers={UsageError: _mistaken},
        )

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        """Ends what nobody uses now and then, and all of it in the end."""

        async def rounds() -> None:
            while True:
                await asyncio.sleep(_ROUND_SECONDS)
                await self._applications.close_idle()

        task = asyncio.create_task(rounds())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await self._applications.close()
            await self._verifications.close()

    async def page(self, _: Request) -> Response:
        return HTMLResponse(
            rendered(given()),
            headers={"content-security-policy": f"{policy(static=False)}; frame-ancestors 'none'"},
        )

    async def answer(self, request: Request) -> Response:
        """The answer for an application and the stops of its sliders, or what is known of it by now."""
        asked = await _body(request)
        found = await self._applications.of(_subject(asked), asked.get("fresh") is True)
        wait, whole = _seconds(asked.get("wait", 0)), asked.get("whole") is True
        return JSONResponse(await found.answer(_settings(asked), wait, whole))

    async def verify(self, request: Request) -> Response:
        """Begins a run of what is recommended."""
        asked = await _body(request)
        number = await self._verifications.begin(_subject(asked), _settings(asked))
        return JSONResponse({"number": number})

    async def verified(self, request: Request) -> Response:
        """How far a run is, once that is more than was `seen`."""
        seen, wait = (_number(request.query_params.get(name, "0")) for name in ("seen", "wait"))
        run = self._verifications.of(request.path_params["number"])
        return JSONResponse(await run.told(seen, _seconds(wait)))

    async def stop(self, request: Request) -> Response:
        """Ends a run with its worker."""
        await _body(request)
        run = self._verifications.of(request.path_params["number"])
        await run.stop()
        return JSONResponse(await run.told(-1, 0))


def given() -> Json:
    """The data that the page of the server begins with."""
    return {
        "static": False,
        "drawing": drawing(),
        "examples": [asdict(example) for example in examples()],
        "sliders": [slider.document for slider in controls(True, this_machine().cores)],
    }


async def _body(request: Request) -> dict[str, Any]:
    """The document that was sent. UsageError where it is none."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    try:
        found = json.loads(await request.body()) if kind == "application/json" else None
    except (ValueError, RecursionError, ClientDisconnect):
        found = None
    if not isinstance(found, dict):
        raise UsageError("what was sent is no JSON document", "send an object as application/json")
    return found


def _subject(asked: dict[str, Any]) -> Subject:
    data = asked.get("data") or ""
    if not isinstance(data, str):
        raise UsageError("the data are no file's name", "give the name of a file, or nothing for random data")
    return subject(_source(asked), data)


def _source(asked: dict[str, Any]) -> str:
    source = asked.get("source")
    if not isinstance(source, str) or not source.strip():
        raise UsageError("there is no application", "write one, or choose an example")
    if len(source) > MOST_LETTERS:
        raise UsageError(
            f"the application has {len(source):,} characters",
            f"shorten it to {MOST_LETTERS:,}, or explore it on the command line",
        )
    return source


def _settings(asked: dict[str, Any]) -> dict[str, Any]:
    found = asked.get("settings") or {}
    if not isinstance(found, dict):
        raise UsageError("the settings are no object", "send the stop of each slider by its name")
    return found


def _seconds(wait: object) -> float:
    number = float(wait) if isinstance(wait, int | float) else 0.0
    return min(max(number, 0.0), MOST_WAIT) if number == number else 0.0


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _mistaken(_: Request, error: Exception) -> Response:
    assert isinstance(error, UsageError)
    return JSONResponse(refusal(error.message, error.remedy), 413 if isinstance(error, TooMuch) else 400)
