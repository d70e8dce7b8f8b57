"""How long the page waits for an answer when a slider moves: python benchmarks/web.py [EXAMPLE ...]

A server is asked as the page asks: the application, then each slider from stop to stop, with a pause after
each move. It prints how long the first answer takes, how long the server took for a move, and how many of
the moves got the answer itself, and how many with its reasons, within 300 ms. The others got the answer for
the nearest stops that were known.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fheasible.web.static import chosen

SECONDS, ALLOWED = 0.2, 0.3


@contextmanager
def server(store: Path) -> Iterator[str]:
    words = [sys.executable, "-m", "fheasible_start", "web", "--store", str(store)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as call:
        assert call.stdout is not None
        try:
            yield call.stdout.readline().strip()
        finally:
            call.terminate()


class Page:
    def __init__(self, address: str, source: str) -> None:
        self._place, _, self._token = address.partition("/?token=")
        self._source = source

    def ask(self, stops: dict[str, int], wait: float, whole: bool = False) -> Any:
        body = {"source": self._source, "settings": stops, "wait": wait, "whole": whole}
        headers = {"content-type": "application/json", "x-fheasible-token": self._token}
        asked = urllib.request.Request(f"{self._place}/api/answer", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(asked, timeout=600) as found:
            return json.load(found)

    def whole(self, stops: dict[str, int]) -> Any:
        while (found := self.ask(stops, 5, whole=True))["state"] != "answer" or not found["whole"]:
            if found["state"] == "error":
                raise SystemExit(str(found["error"]))
        return found


def moves(sliders: Any) -> Iterator[dict[str, int]]:
    """Each slider from its usual stop to its ends and back, the others as usual."""
    usual = {s["name"]: s["usual"] for s in sliders}
    for slider in sliders:
        last, first = len(slider["labels"]) - 1, slider["usual"]
        for stop in (*range(first + 1, last + 1), *range(last - 1, -1, -1), *range(1, first + 1)):
            yield usual | {slider["name"]: stop}


def measured(page: Page, pause: float) -> dict[str, Any]:
    begun = time.perf_counter()
    while page.ask({}, 5).get("answer") is None:
        pass
    first = time.perf_counter() - begun
    whole = page.whole({})
    reasons = time.perf_counter() - begun
    time.sleep(pause)
    taken, exact, previews, complete = [], 0, 0, 0
    for stops in moves(whole["sliders"]):
        start = time.perf_counter()
        found = page.ask(stops, SECONDS)
        taken.append(time.perf_counter() - start)
        late = taken[-1] > ALLOWED
        exact += found["exact"] and not late
        previews += found["of"] == found["settings"] and not found["exact"] and not late
        complete += found["whole"] and not late
        time.sleep(pause)
    return {
        "first answer (s)": round(first, 2),
        "with reasons (s)": round(reasons, 2),
        "moves": len(taken),
        "longest (ms)": round(1e3 * max(taken)),
        "median (ms)": round(1e3 * statistics.median(taken)),
        "exact within 300 ms": f"{exact / len(taken):.0%}",
        "previews within 300 ms": f"{previews / len(taken):.0%}",
        "with reasons within 300 ms": f"{complete / len(taken):.0%}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("example", nargs="*", default=["4"])
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two moves")
    given = parser.parse_args()
    for example in chosen(given.example):
        with tempfile.TemporaryDirectory() as folder, server(Path(folder) / "results.sqlite") as address:
            print(example.called, measured(Page(address, example.source), given.pause), flush=True)


if __name__ == "__main__":
    main()
