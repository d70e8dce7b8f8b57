"""A verification that the page has begun: its progress, its outcome, and its end before time."""

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import psutil

from fheasible.aliases import Json
from fheasible.errors import UsageError
from fheasible.web.code_folder import CodeFolder
from fheasible.web.lines import placed
from fheasible.web.subject import Subject

GRACE_SECONDS: Final = 5.0  # from the request to stop until what is left is killed
_MOST_LINES: Final = 200  # of messages that are kept


class Verification:
    """A process that verifies. `state`: running, done, failed or stopped."""

    def __init__(self, subject: Subject, asked: Mapping[str, Any], place: str | None) -> None:
        self._asked, self._place, self._data = dict(asked), place, subject.place
        self._folder = CodeFolder(subject.source)
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._changed = asyncio.Condition()
        self._begun = time.monotonic()
        self._seconds: float | None = None
        self._version = 0
        self.state = "running"
        self._progress: list[Any] = ["starting", 0.0, 0.0]
        self._said: list[str] = []
        self._result: Json = {}

    async def start(self) -> None:
        self._process = process = await self._folder.start("fheasible.web.verifier")
        assert process.stdin is not None
        asked = {
            "file": self._folder.file.name,
            "settings": self._asked,
            "place": self._place,
            "data": self._data,
        }
        process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._reading = asyncio.create_task(self._read(process))

    async def told(self, seen: float, wait: float) -> Json:
        """What is known, once it is newer than the version `seen`, or after `wait` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(wait), self._changed:
                await self._changed.wait_for(lambda: self._version > seen)
        label, done, total = self._progress
        return {
            "version": self._version,
            "state": self.state,
            "progress": {"label": label, "done": done, "total": total},
            "seconds": self._seconds or time.monotonic() - self._begun,
            "said": list(self._said),
            **self._result,
        }

    async def stop(self) -> None:
        """Ends the process and its worker: as by Ctrl-C, so that the worker is stopped and temporary files
        are removed, and what is left after that by force."""
        if self._process is None or self._process.returncode is not None:
            return
        self.state = "stopped"
        left = _family(self._process.pid)
        with suppress(ProcessLookupError):
            self._process.terminate()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await self._process.wait()
        if self._process.returncode is None:
            left = [*left, *_family(self._process.pid)]  # its worker may have been started in between
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        await self._process.wait()

    async def close(self) -> None:
        await self.stop()
        if self._reading is not None:
            with suppress(asyncio.CancelledError):
                await self._reading
        self._folder.remove()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            self._take(json.loads(line))
            await self._tell()
        await process.wait()
        if self.state == "running":
            message = self._folder.ended("the run", process.returncode)
            self._take({"error": {"message": message, "remedy": ""}, "code": 1})
        self._seconds = time.monotonic() - self._begun
        self._folder.remove()
        await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._version += 1
            self._changed.notify_all()

    def _take(self, message: Json) -> None:
        if "progress" in message:
            self._progress = message["progress"]
        elif "say" in message:
            self._said = [*self._said, message["say"]][-_MOST_LINES:]
        elif self.state == "running":
            self.state = "done" if "ran" in message else "failed"
            if "error" in message:
                message["error"] = placed(message["error"], self._folder.file.name)
            self._result = message


def _family(pid: int) -> list[psutil.Process]:
    """The process with all that it has started, its workers among them."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    return []


class Verifications:
    """The verifications of a server. One runs at a time: several would disturb each other's times."""

    def __init__(self, place: str | None) -> None:
        self._place = place
        self._latest: Verification | None = None
        self._number = 0

    async def begin(self, subject: Subject, asked: Mapping[str, Any]) -> int:
        """The number of a new one. UsageError where one is running."""
        if self._latest is not None and self._latest.state == "running":
            raise UsageError("another run is going on", "stop it, or wait until it ends")
        self._latest, self._number = Verification(subject, asked, self._place), self._number + 1
        await self._latest.start()
        return self._number

    def of(self, number: int) -> Verification:
        """The one with that number. UsageError where it is not the latest."""
        if self._latest is None or number != self._number:
            raise UsageError(f"there is no run {number}", "begin one")
        return self._latest

    async def close(self) -> None:
        if self._latest is not None:
            await self._latest.close()
