"""What the server answers for an application: what `explore` answers, and errors in plain words."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from fheasible.measurement.machine import this_machine
from fheasible.web.examples import examples
from fheasible.web.server import MOST_LETTERS

from .asking import asked
from .conftest import INTEGERS, REALS

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]


def explored(*words: str) -> dict[str, object]:
    run = [sys.executable, "-m", "fheasible", "explore", *words, "--json"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(done.stdout)["candidates"][0]
    return found


def use(found: dict[str, object]) -> str:
    lines = dict(found["answer"]["lines"])  # type: ignore[index]
    return str(lines["use:"])


@pytest.mark.parametrize(
    ("number", "stops", "words"),
    [
        (4, {}, []),
        (4, {"security": 1, "failure": 6}, ["--security", "192", "--failure", "128"]),
        (4, {"objective": 3}, ["--objective", "communication"]),
        (12, {"memory": 4}, ["--max-memory", "1GiB"]),
    ],
)
def test_an_example_gets_the_recommendation_of_explore(
    client: TestClient, number: int, stops: dict[str, int], words: list[str], tmp_path: Path
) -> None:
    (example,) = [e for e in examples() if e.file.startswith(f"{number}_")]
    best = explored(example.called, *words, "--store", str(tmp_path / "other.sqlite"))
    found = asked(client, example.source, **stops)
    lines = dict(found["answer"]["lines"])
    size = best["parameters"]["ring_dimension"]  # type: ignore[index]
    assert f"{best['scheme']}".upper() in lines["use:"]
    assert f"N = 2^{size.bit_length() - 1}" in lines["use:"]
    assert lines["next:"] == " ".join(["fheasible verify", example.called, *words]).replace("1GiB", "1024MiB")
    assert found["called"] == example.called
    assert len(lines) == 5
    assert found["answer"]["why"]
    assert found["of"] == found["settings"]


def test_reals_have_a_slider_of_precision_and_integers_one_of_failures(client: TestClient) -> None:
    threads = ["threads"] if this_machine().cores > 1 else []
    kinds = [[s["name"] for s in asked(client, source)["sliders"]] for source in (REALS, INTEGERS)]
    assert kinds == [
        ["objective", "security", least, *threads, "memory"] for least in ("precision", "failure")
    ]


def test_more_precision_is_answered_by_a_larger_scale(client: TestClient) -> None:
    low, high = (asked(client, REALS, precision=stop) for stop in (1, 10))
    assert low["answer"]["fits"]
    assert high["answer"]["fits"]
    assert use(low) != use(high)
    assert "asked: precision >= 8 bits" in dict(low["answer"]["lines"])["margin:"]


def test_where_nothing_fits_the_reasons_and_a_remedy_are_given(client: TestClient) -> None:
    deep = REALS.replace("return x * x", "return fh.sum(x) ** 8").replace("8, low", "65_536, low")
    found = asked(client, deep, memory=0)["answer"]
    assert not found["fits"]
    assert found["lines"] == []
    assert found["against"]
    assert found["remedies"]
    assert found["cloud"] is None


def test_the_figure_has_the_recommended_set_where_the_five_lines_have_it(client: TestClient) -> None:
    cloud = asked(client, INTEGERS)["answer"]["cloud"]
    assert cloud["chosen"] is not None
    x, y, *_ = cloud["dots"][cloud["chosen"]]
    assert cloud["x"]["low"] <= x <= cloud["x"]["high"]
    assert cloud["y"]["low"] <= y <= cloud["y"]["high"]
    steps = cloud["steps"]
    assert steps == sorted(steps)
    assert [b for _, b in steps] == sorted((b for _, b in steps), reverse=True)


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("import fheasible as fh\n\nx = (\n", 3, "not valid Python"),
        ("import fheasible as fh\nimport nowhere_at_all\n", 2, "No module named 'nowhere_at_all'"),
        ("1 / 0\n", 1, "ZeroDivisionError"),
        (REALS.replace("x * x", "x / x"), 6, ""),
        (REALS.replace("x * x", "undefined"), 6, "undefined"),
        ("import os\nos._exit(3)\n", 2, "os._exit was called"),
        ("x = 1\n", None, "holds no application"),
        (REALS + REALS.replace("squares", "others"), None, "holds 2 applications"),
    ],
)
def test_an_error_in_the_code_is_told_with_its_line(
    client: TestClient, source: str, line: int | None, words: str
) -> None:
    found = asked(client, source, fresh=True)
    assert found["state"] == "error"
    assert found["error"]["line"] == line
    assert words in found["error"]["message"]
    assert "Traceback" not in found["error"]["message"]
    assert found["error"]["remedy"]


def test_code_that_ends_its_process_is_told_so(client: TestClient) -> None:
    found = asked(client, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    assert "ended with code" in found["error"]["message"]


def test_what_code_prints_is_no_part_of_an_answer(client: TestClient) -> None:
    noisy = "import os\nprint('{\"error\": 1}')\nos.system('echo hello')\n" + REALS
    assert asked(client, noisy)["state"] == "answer"


def test_code_reads_nothing_that_the_server_says(client: TestClient) -> None:
    found = asked(client, "import sys\nassert sys.stdin.read() == ''\n" + REALS)
    assert found["state"] == "answer"


def test_data_of_a_file_are_those_that_the_answer_is_for(client: TestClient, tmp_path: Path) -> None:
    """Their length is the length of the inputs; a file that was changed is read again."""
    file = tmp_path / "some values.csv"
    for rows in (16, 3000):
        file.write_text("a,b\n" + "3,5\n" * rows)
        found = asked(client, INTEGERS, data=f" {file} ")["answer"]
        assert dict(found["lines"])["next:"] == f"fheasible verify app.py --data '{file}'"
        assert f"{rows:,}" in "\n".join(found["headline"])


def test_what_is_wrong_with_data_is_told_as_on_the_command_line(client: TestClient, tmp_path: Path) -> None:
    file = tmp_path / "other.csv"
    file.write_text("a,c\n3,5\n")
    for name, words in ((file, "has no column b"), (tmp_path / "none.csv", "does not exist")):
        found = asked(client, INTEGERS, data=str(name))["error"]
        assert words in found["message"]
        assert found["remedy"]
        assert found["data"]
    assert asked(client, "x = (\n", data=str(file))["error"]["data"] is False
    refused = client.post("/api/answer", json={"source": INTEGERS, "data": 7})
    assert refused.json()["error"]["message"] == "the data are no file's name"


def test_an_empty_application_and_one_that_is_too_long_are_refused(client: TestClient) -> None:
    for source in ("", "  \n", None, 7):
        found = client.post("/api/answer", json={"source": source})
        assert (found.status_code, found.json()["error"]["message"]) == (400, "there is no application")
    found = client.post("/api/answer", json={"source": "#" * (MOST_LETTERS + 1)})
    assert found.status_code == 400
    assert "65,537 characters" in found.json()["error"]["message"]


def test_an_unknown_stop_is_refused(client: TestClient) -> None:
    asked(client, REALS)
    found = client.post("/api/answer", json={"source": REALS, "settings": {"security": 9}})
    assert found.status_code == 400
    assert found.json()["error"]["message"] == "security has no stop 9"


def test_less_memory_gets_a_preview_and_then_the_answer_of_a_search(client: TestClient) -> None:
    """Both recommend the same, and the preview comes with the first request."""
    source = INTEGERS.replace("dot", "product")
    cloud = asked(client, source)["answer"]["cloud"]
    most = max(y for _, y, *_ in cloud["dots"])
    stop = max(i for i in range(11) if 2 ** (6 + i) < most) if most > 64 else 0
    body = {"source": source, "settings": {"memory": stop, "security": 0}, "wait": 30}
    first = client.post("/api/answer", json=body).json()
    last = asked(client, source, memory=stop)
    assert last["exact"]
    assert first["of"] == first["settings"]
    assert use(first) == use(last)
    assert all(y <= 2 ** (6 + stop) for _, y, *_ in first["answer"]["cloud"]["dots"])
