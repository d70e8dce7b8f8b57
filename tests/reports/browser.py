"""A headless Chromium, driven over its own pipe by the DevTools protocol: no further package is needed."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

Json = dict[str, Any]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)  # fmt: skip
SECONDS = 60.0
# The words that leave their picture, and those that lie on others.
OVERLAPS = """(() => {
  const found = [];
  for (const svg of document.querySelectorAll('.picture svg')) {
    const frame = svg.getBoundingClientRect();
    if (!frame.width) continue;
    const boxes = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim())
      .map(t => [t.textContent, t.getBoundingClientRect()]).filter(([, b]) => b.width > 0);
    boxes.forEach(([words, a], i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1
          || a.bottom > frame.bottom + 1) found.push(`${words} leaves the picture`);
      for (const [other, b] of boxes.slice(i + 1)) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 3) found.push(`${words} lies on ${other}`);
      }
    });
  }
  return found;
})()"""


def chromium() -> str | None:
    """Where it is; None where it is not."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


IN_BROWSER = [
    pytest.mark.long,
    pytest.mark.skipif(chromium() is None, reason="no Chromium is installed: apt-get install chromium"),
]


class Browser:
    """One page of one browser. `requests` and `complaints` are what it has fetched and logged."""

    def __init__(self, reading: int, writing: int) -> None:
        self._in, self._out = os.fdopen(reading, "rb", buffering=0), writing
        self._number, self._session = 0, ""
        self._rest = b""
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.loaded = 0

    def attach(self) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Json:
        """The result; AssertionError where the browser answers with an error."""
        self._number += 1
        message: Json = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def open(self, page: Path | str, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """The page, a file or an address, in a window of that size, when it has loaded."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
            mobile=width < 600,
        )  # fmt: skip
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[theme])
        before = self.loaded
        self.call("Page.navigate", url=page if isinstance(page, str) else page.absolute().as_uri())
        while self.loaded == before:
            self._next()

    def print_media(self) -> None:
        self.call("Emulation.setEmulatedMedia", media="print")

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression; AssertionError where it throws."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            given = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, **_KEYS.get(key, {}), **given)

    def point(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def tap(self, x: float, y: float) -> None:
        """With a finger, which is lifted again."""
        self.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.call("Emulation.setTouchEmulationEnabled", enabled=False)

    def screenshot(self, path: Path, whole: bool = True) -> bytes:
        """A PNG of the whole page, or of what the window shows."""
        taken = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **self._clip(whole))
        path.write_bytes(base64.b64decode(taken["data"]))
        return path.read_bytes()

    def _clip(self, whole: bool) -> Json:
        if not whole:
            return {}
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def _next(self) -> Json:
        """The next message; what it tells of requests and errors is kept."""
        while b"\0" not in self._rest:
            read = self._in.read(1 << 16)
            assert read, "the browser has gone"
            self._rest += read
        line, _, self._rest = self._rest.partition(b"\0")
        message: Json = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, told: Json) -> None:
        if method == "Page.loadEventFired":
            self.loaded += 1
        elif method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(told["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(told["entry"]["text"])


_KEYS: dict[str, Json] = {
    "Tab": {"windowsVirtualKeyCode": 9},
    "Enter": {"windowsVirtualKeyCode": 13},
    "Escape": {"windowsVirtualKeyCode": 27},
    " ": {"windowsVirtualKeyCode": 32},
    "ArrowLeft": {"windowsVirtualKeyCode": 37},
    "ArrowRight": {"windowsVirtualKeyCode": 39},
}


@contextmanager
def browser(program: str, folder: Path) -> Iterator[Browser]:
    """A browser with a profile in that folder, ended with the block."""
    to_read, to_write = os.pipe(), os.pipe()  # it reads its commands from descriptor 3 and answers on 4

    def wire() -> None:
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_read[0], to_write[1])]  # out of the way
        for end, number in zip(ends, (3, 4), strict=True):
            os.dup2(end, number)

    process = subprocess.Popen(
        [program, *FLAGS, f"--user-data-dir={folder}"],
        preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(to_read[0])
    os.close(to_write[1])
    page = Browser(to_write[0], to_read[1])
    try:
        page.attach()
        yield page
    finally:
        process.terminate()
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(to_read[1])
