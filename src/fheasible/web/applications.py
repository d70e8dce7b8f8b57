"""The applications that the page explores: for each a process that has traced it, and the answers so far."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from fheasible.aliases import Json
from fheasible.measurement.machine import this_machine
from fheasible.system import kill_group
from fheasible.web.code_folder import CodeFolder
from fheasible.web.controls import (
    Control,
    Settings,
    beside,
    controls,
    distance,
    settings,
)
from fheasible.web.lines import placed
from fheasible.web.subject import Subject

MOST_APPLICATIONS: Final = 2  # at a time, each in a process of its own
IDLE_SECONDS: Final = 300.0  # without a question, after which the process is ended
SEARCH_SECONDS: Final = 300.0  # for one answer


class Application:
    """One application. Its answers are kept by the stops of the sliders; those for which one slider alone
    moves are worked out before they are asked for."""

    def __init__(self, subject: Subject, place: str | None) -> None:
        self._subject, self._place = subject, place
        self._changed = asyncio.Condition()
        self._answers: dict[Settings, Json] = {}
        self._ordered: tuple[Settings, float] | None = None  # what is asked for, and since when
        self._before: Settings = ()  # the stops before the latest ones
        self._latest: Settings = ()
        self._folder: CodeFolder | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self.sliders: tuple[Control, ...] = ()
        self.error: Json | None = None
        self.used = time.monotonic()

    async def start(self) -> None:
        """Starts the process, which traces the application first."""
        self._folder = folder = CodeFolder(self._subject.source)
        self._process = await folder.start("fheasible.web.searcher")
        self._send(
            {
                "file": folder.file.name,
                "called": folder.called,
                "place": self._place,
                "data": self._subject.place,
                "data_called": self._subject.data,
            }
        )
        self._reading = asyncio.create_task(self._read(self._process))

    async def answer(self, asked: Mapping[str, Any], wait: float, whole: bool) -> Json:
        """The answer for these stops, or the nearest one that is known, after `wait` seconds at most.
        `whole`: it is awaited with its reasons. UsageError for a stop that there is not."""
        self.used = time.monotonic()
        await self._until(lambda: bool(self.sliders), wait)
        if self.error is not None or not self.sliders:
            return self._unanswered()
        chosen = settings(self.sliders, asked)
        self._order(chosen)
        enough = self._is_whole if whole else self._answers.__contains__
        await self._until(lambda: enough(chosen), wait)
        if self.error is not None:
            return self._unanswered()
        return self._told(chosen)

    async def close(self) -> None:
        """Ends the process with all that it has started."""
        if self._reading is not None:
            self._reading.cancel()
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                kill_group(self._process.pid)
            await self._process.wait()
        if self._folder is not None:
            self._folder.remove()

    def _unanswered(self) -> Json:
        assert self._folder is not None
        if self.error is None:
            return {"state": "reading"}
        return {"state": "error", "error": placed(self.error, self._folder.file.name)}

    def _told(self, chosen: Settings) -> Json:
        assert self._folder is not None
        near = chosen if chosen in self._answers else self._nearest(chosen)
        return {
            "state": "answer",
            "called": self._folder.called,
            "sliders": [slider.document for slider in self.sliders],
            "settings": self._named(chosen),
            "of": None if near is None else self._named(near),
            "answer": None if near is None else self._answers[near],
            "exact": near == chosen and not self._answers[chosen].get("preview"),
            "whole": self._is_whole(chosen),
        }

    def _named(self, chosen: Settings) -> dict[str, int]:
        return {slider.name: stop for slider, stop in zip(self.sliders, chosen, strict=True)}

    def _nearest(self, chosen: Settings) -> Settings | None:
        return min(self._answers, key=lambda known: distance(chosen, known), default=None)

    def _is_whole(self, chosen: Settings) -> bool:
        return "why" in self._answers.get(chosen, {})

    def _order(self, chosen: Settings) -> None:
        """Asks the process for what is not known yet of these stops, and of those beside them."""
        missing = None if self._is_whole(chosen) else chosen
        if self._latest != chosen:
            self._before, self._latest = self._latest or chosen, chosen
        then = [s for s in beside(self.sliders, self._before, chosen) if not self._is_whole(s)]
        if missing is not None and (self._ordered is None or self._ordered[0] != missing):
            self._ordered = (missing, time.monotonic())
        self._send({"asked": missing, "then": then})

    def _send(self, message: Json) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(ConnectionError):
                self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def _until(self, there: Callable[[], bool], seconds: float) -> None:
        """Waits until that is so, or there is an error, or the time is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: there() or self.error is not None)
        if self._ordered is not None and self._overdue(*self._ordered):
            self.error = {
                "message": f"no answer was found within {SEARCH_SECONDS:.0f} s",
                "remedy": "explore it on the command line, which has no such limit",
            }

    def _overdue(self, ordered: Settings, since: float) -> bool:
        return not self._is_whole(ordered) and time.monotonic() - since > SEARCH_SECONDS

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Takes what the process says until it ends."""
        assert process.stdout is not None
        async for line in process.stdout:
            async with self._changed:
                self._take(json.loads(line))
                self._changed.notify_all()
        await process.wait()
        async with self._changed:
            self.error = self.error or self._ended(process.returncode)
            self._changed.notify_all()

    def _take(self, message: Json) -> None:
        if "error" in message:
            self.error = message["error"]
        elif "ready" in message:
            self.sliders = controls(message["ready"]["real"], this_machine().cores)
        else:
            self._merge(tuple(message["for"]), message["part"])

    def _merge(self, chosen: Settings, part: Json) -> None:
        """Adds a part to an answer. A preview comes in the place of no search."""
        known = self._answers.setdefault(chosen, {})
        if not (part.get("preview") and known):
            known.update(part)

    def _ended(self, code: int | None) -> Json:
        assert self._folder is not None
        return {
            "message": self._folder.ended("the process that explores it", code),
            "remedy": "explore it once more; on the command line, fheasible explore says more",
        }


class Applications:
    """The applications of a server, the latest ones of which have processes."""

    def __init__(self, place: str | None) -> None:
        self._place = place
        self._known: dict[Subject, Application] = {}
        self._alone = asyncio.Lock()  # what starts and ends processes

    async def of(self, subject: Subject, fresh: bool = False) -> Application:
        """The application of that code with its data, whose process has been started. `fresh`: it is tried
        again where it had an error."""
        async with self._alone:
            found = self._known.pop(subject, None)
            if found is not None and found.error is not None and fresh:
                await found.close()
                found = None
            if found is None:
                while len(self._known) >= MOST_APPLICATIONS:
                    await self._known.pop(next(iter(self._known))).close()
                found = Application(subject, self._place)
                await found.start()
            self._known[subject] = found  # the latest one is the last
            return found

    async def close_idle(self) -> None:
        """Ends the processes that nobody has asked anything for a while, and those with an error."""
        late = time.monotonic() - IDLE_SECONDS
        async with self._alone:
            for subject, found in list(self._known.items()):
                if found.used < late:
                    del self._known[subject]
                if found.used < late or found.error is not None:
                    await found.close()

    async def close(self) -> None:
        while self._known:
            _, found = self._known.popitem()
            await found.close()
