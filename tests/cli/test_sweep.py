"""sweep: many sets in every form, and really run."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from fheasible.api import platforms
from fheasible.api.options import Options
from fheasible.api.platform import SomeSets, Sweeping, TypedGrid
from fheasible.exploration.sweeps import ring_runs
from fheasible.measurement.ring_run import RingRecord
from fheasible.reports.figures import Figure, Series

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "7_ten_products.py")
PAPER = ("sweep", "fv", "--vary", "log_q=100:300:10", "--fix", "log_w=2", "t=2", "n=4096")
TOY = ("sweep", "fv", "--vary", "log_q=60:120:20", "n=64", "log_w=10", "--execute", "--repetitions", "1")


@pytest.fixture
def native() -> None:
    pytest.importorskip("fheasible_native")


def test_a_set_of_a_sweep_is_what_count_says_of_it(call: Any) -> None:
    found = call(*PAPER, "--what", "multiply", "--json").json
    assert found["axes"] == {"log_q": list(range(100, 301, 10))}
    assert found["fixed"] == {"log_w": 2, "t": 2, "n": 4096, "sigma": 3.2}
    assert found["count"] == len(found["sets"]) == 21
    last = found["sets"][-1]
    words = ("--n", "4096", "--log-q", "300", "--log-w", "2", "--t", "2")
    alone = call("count", "fv", "multiply", *words, "--json").json
    assert last["integer_multiplications"] == alone["integer_multiplications"] == 172_077_600
    assert last["memory_max_words"] == alone["memory"]["maximal"]
    assert last["memory_total_words"] == alone["memory"]["total"]
    assert last["peak_bytes"] == alone["memory"]["bytes"]
    assert last["depth"] == alone["depth"]["worst_case"]
    assert last["security_bits"] == alone["security"]["bits"]
    assert {k: last[f"kernel_{k}"] for k in alone["kernels"]} == alone["kernels"]


def test_an_application_is_swept_with_the_scheme_that_is_named(call: Any) -> None:
    words = ("sweep", EXAMPLE, "--scheme", "yashe", "--vary", "log_w=2:22:2", "log_q=300", "n=4096")
    written, least = (call(*words, o, "--json").json for o in ("--as-written", "--minimise-depth"))
    assert (written["depth_needed"], least["depth_needed"]) == (10, 5)
    assert written["scheme"] == "yashe"
    pairs = zip(written["sets"], least["sets"], strict=True)
    assert all(a["integer_multiplications"] > b["integer_multiplications"] for a, b in pairs)
    assert all(row["security_bits"] < 64 and row["overstretched"] for row in least["sets"])
    assert any("overstretched" in line for line in least["warnings"])


def test_every_form_holds_the_same_sets(call: Any, tmp_path: Path) -> None:
    table, document = tmp_path / "new" / "sets.csv", tmp_path / "new" / "sets.json"
    words = ("sweep", "fv", "--vary", "log_q=60,90", "--vary", "t=2,3", "n=64")
    shown = call(*words, "--csv", str(table), "--out", str(document), "--json").json
    told = json.loads(document.read_text())
    assert told["sets"] == shown["sets"]
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(r["log_q"], r["t"]) for r in rows] == [("60", "2"), ("60", "3"), ("90", "2"), ("90", "3")]
    for row, of_json in zip(rows, shown["sets"], strict=True):
        assert list(row) == list(of_json)
        assert int(row["integer_multiplications"]) == of_json["integer_multiplications"]
        assert row["correct"] == str(of_json["correct"]).lower()
    assert [p.name for p in table.parent.iterdir() if p.name.startswith(".")] == []


def test_the_terminal_shows_the_first_sets_and_how_many_there_are(call: Any) -> None:
    answer = call("sweep", "fv", "--vary", "log_q=60:599", "n=4096")
    assert answer.code == 0
    assert max(map(len, answer.out.splitlines())) <= 100
    assert "540 sets" in answer.out
    assert "510 more" in answer.out
    assert "warning:" in answer.out


@pytest.mark.long
def test_a_figure_is_drawn_for_every_swept_parameter(call: Any, tmp_path: Path) -> None:
    words = ("sweep", "fv", "--vary", "log_q=60:90:10", "log_w=2,4", "n=64", "--figures", str(tmp_path))
    drawn = call(*words, "--json").json["figures"]
    names = {Path(path).name for path in drawn}
    quantities = ("multiplications", "memory", "peak", "depth")
    assert names == {f"{axis}_{quantity}.svg" for axis in ("log_q", "log_w") for quantity in quantities}
    assert "log_w = 4" in (tmp_path / "log_q_memory.svg").read_text()


def test_an_application_of_other_integers_is_an_error_before_any_file_is_made(
    call: Any, tmp_path: Path
) -> None:
    words = ("sweep", EXAMPLE, "--vary", "t=2,3", "n=64", "log_q=60", "--csv", str(tmp_path / "sets.csv"))
    answer = call(*words, "--json")
    assert answer.code == 1
    assert answer.json["error"]["kind"] == "PromiseBroken"
    assert list(tmp_path.glob("*.csv")) == []


def test_a_place_that_cannot_be_drawn_in_is_told_before_anything_is_on_stdout(call: Any) -> None:
    answer = call("sweep", "fv", "log_q=60,90", "n=64", "--figures", "/dev/null/here", "--json")
    assert answer.code == 2
    assert set(answer.json) == {"error"}


@pytest.mark.long
@pytest.mark.usefixtures("native")
def test_execute_runs_each_set_and_calibrates(call: Any, tmp_path: Path) -> None:
    table = tmp_path / "sets.csv"
    found = call(*TOY, "--points", "2", "--csv", str(table), "--figures", str(tmp_path), "--json")
    assert found.code == 0
    sets = found.json["sets"]
    assert [s["log_q"] for s in sets] == [60, 80, 100, 120]
    for s in sets:
        assert s["executed"]["outcome"] == "measured"
        assert s["executed"]["correct"] is True
        phases = s["executed"]["measurement"]["cpu_seconds"]
        assert {"keygen", "encrypt", "add", "multiply", "decrypt", "total"} == set(phases)
    first = found.json["calibrations"][0]
    assert (first["parameter"], first["quantity"], first["points"]) == ("log_q", "cpu_seconds", 2)
    assert first["speedup"] > 1
    assert len(first["predicted"]) == len(first["executed"]) == 4
    assert "log_q_cpu_seconds.svg" in {Path(p).name for p in found.json["figures"]}
    with table.open(newline="") as file:
        assert {row["outcome"] for row in csv.DictReader(file)} == {"measured"}


@pytest.mark.long
@pytest.mark.usefixtures("native")
def test_what_is_stored_is_not_run_again(call: Any) -> None:
    before = call(*TOY, "--json").json["sets"]
    after = call(*TOY, "--json").json["sets"]
    assert not any(s["executed"]["stored_before"] for s in before)
    assert all(s["executed"]["stored_before"] for s in after)
    assert [s["executed"]["result"] for s in after] == [s["executed"]["result"] for s in before]
    assert len(call("results", "--json").json["results"]) == len(before)
    shown = call("results", "show", "1")
    assert shown.code == 0
    assert "CPU multiply" in shown.out


@pytest.mark.long
@pytest.mark.usefixtures("native")
def test_an_application_is_really_run(call: Any) -> None:
    words = (
        "sweep",
        EXAMPLE,
        "--vary",
        "log_w=10,30",
        "n=64",
        "log_q=300",
        "--execute",
        "--repetitions",
        "1",
    )
    found = call(*words, "--json").json
    assert [s["executed"]["correct"] for s in found["sets"]] == [True, True]
    assert set(found["sets"][0]["executed"]["measurement"]["cpu_seconds"]) == {
        "keygen", "encrypt", "evaluate", "decrypt", "total",
    }  # fmt: skip


def test_an_option_that_would_be_ignored_is_refused_with_what_was_meant(call: Any) -> None:
    """`sweep fv --scheme yashe` must not sweep FV in silence."""
    answer = call("sweep", "fv", "--scheme", "yashe", "--vary", "log_q=60,90", "n=64", "--json")
    assert answer.code == 2
    assert "sweep yashe" in answer.json["error"]["remedy"]
    answer = call("sweep", EXAMPLE, "--what", "multiply", "--vary", "log_q=60,90", "n=64", "--json")
    assert answer.code == 2
    assert "--what" in answer.json["error"]["remedy"]


@pytest.mark.parametrize("sigma", ["0.5", "0.5,3.2"])
def test_errors_too_narrow_for_any_known_security_have_no_figure_and_a_warning(call: Any, sigma: str) -> None:
    found = call("sweep", "fv", "log_q=60,90", "n=4096", f"sigma={sigma}", "--json").json
    bits = {row["sigma"]: row["security_bits"] for row in found["sets"]}
    assert bits.pop(0.5) is None
    assert None not in bits.values()
    assert any("width 0.5" in line for line in found["warnings"])


@pytest.mark.parametrize("words", [("yashe", "log_q=10,12"), ("fv", "log_q=60,90", "sigma=2")])
def test_a_figure_that_no_table_confirms_is_told_to_be_an_estimate(call: Any, words: tuple[str, ...]) -> None:
    found = call("sweep", *words, "n=8192", "--json").json
    assert all(row["security_bits"] > 128 for row in found["sets"])
    assert any("no row for" in line and "estimate" in line for line in found["warnings"])


@pytest.mark.long
@pytest.mark.usefixtures("native")
def test_many_parameters_leave_room_for_every_cell(call: Any) -> None:
    """What is least wanted goes, and is named; no cell is broken over lines."""
    grid = ("log_q=60,90", "log_w=5,10", "n=16,64", "t=2,3", "sigma=3.2,4")
    answer = call("sweep", "fv", *grid, "--execute", "--repetitions", "1")
    lines = answer.out.splitlines()
    assert max(map(len, lines)) <= 100
    assert sum("measured" in line for line in lines) == 30
    assert any(line.startswith("no room for: 32-bit words") for line in lines)
    assert "32 sets\n" in answer.out


@pytest.mark.long
@pytest.mark.usefixtures("native")
def test_a_calibration_is_shown_only_where_something_is_left_to_judge_it_by(call: Any) -> None:
    through_all = call(*TOY, "--points", "4").out
    assert "none is left to judge" in through_all
    assert "speedup" not in through_all
    assert "speedup" in call(*TOY, "--points", "2").out


def test_a_file_that_cannot_be_written_is_told_before_anything_is_run(
    call: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def attempt(*_: Any) -> RingRecord:
        raise AssertionError("it was run")

    monkeypatch.setattr(ring_runs, "attempt", attempt)
    for place in (("--csv", str(tmp_path)), ("--figures", "/dev/null/here"), ("--out", "/dev/null/x.json")):
        answer = call(*TOY, *place, "--json")
        assert answer.code == 2
        assert "cannot be written" in answer.json["error"]["message"]


def test_more_sets_than_anybody_can_wait_for_are_not_begun(call: Any) -> None:
    answer = call("sweep", "fv", "log_q=20:1200", "log_w=1:20", "t=2:100", "n=64", "--execute", "--json")
    assert answer.code == 2
    assert "2,338,380 sets" in answer.json["error"]["message"]


@pytest.mark.parametrize("outcome", ["died", "timed out"])
def test_a_set_that_gave_no_result_ends_with_exit_code_1(
    call: Any, monkeypatch: pytest.MonkeyPatch, outcome: str
) -> None:
    names = ("cpu", "flags", "build", "threads", "load_before", "seed")
    environment = dict.fromkeys(names, "") | ring_runs.here() | {"library": "reference"}
    monkeypatch.setattr(ring_runs, "attempt", lambda *_: RingRecord(outcome, None, environment, "too bad"))
    answer = call(*TOY, "--json")
    assert answer.code == 1
    assert any(line.startswith(f"{outcome}: 4 of 4 sets") for line in answer.json["warnings"])


def test_sets_that_would_not_fit_are_refused_with_the_figure(call: Any) -> None:
    words = ("sweep", "fv", "--vary", "log_q=800,1200", "n=32768", "--execute", "--max-memory", "64")
    answer = call(*words)
    assert answer.code == 0
    assert "refused" in answer.out
    assert "64.0 MiB are allowed" in answer.out.replace("\n  ", " ")
    found = call(*words, "--json").json
    assert {s["executed"]["outcome"] for s in found["sets"]} == {"refused"}
    assert all(s["peak_bytes"] > 64 * 2**20 for s in found["sets"])


def test_a_result_that_is_wrong_against_the_promise_ends_with_exit_code_3_and_loses_nothing(
    call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    timing = {"samples": [1.0], "min": 1.0, "median": 1.0, "mad": 0.0}
    names = ("cpu", "flags", "build", "threads", "load_before", "seed")
    environment = dict.fromkeys(names, "") | ring_runs.here() | {"library": "reference"}

    def attempt(job: Any, *_: Any) -> RingRecord:
        outcome = "wrong" if job.parameters.log_q == 80 else "measured"
        measured = {"cpu_seconds": {"total": timing}, "peak_bytes": 1, "correct": outcome == "measured"}
        return RingRecord(outcome, measured, environment, "it is wrong" if outcome == "wrong" else "")

    monkeypatch.setattr(ring_runs, "attempt", attempt)
    answer = call(*TOY, "--json")
    assert answer.code == 3
    outcomes = [s["executed"]["outcome"] for s in answer.json["sets"]]
    assert outcomes == ["measured", "wrong", "measured", "measured"]
    assert any("it is wrong" in line for line in answer.json["warnings"])


def test_an_interrupt_keeps_what_was_stored(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> RingRecord:
        raise KeyboardInterrupt

    monkeypatch.setattr(ring_runs, "attempt", interrupted)
    answer = call(*TOY, "--json")
    assert answer.code == 130
    assert answer.json["error"]["kind"] == "Interrupted"


def test_the_ring_schemes_are_swept_where_no_library_is_named(call: Any) -> None:
    words = ("sweep", "fv", "log_q=60,90", "n=64", "--json")
    usual, named = (call(*words, *more).json for more in ((), ("--library", "Reference")))
    assert usual["sets"] == named["sets"]


@pytest.mark.parametrize(
    ("libraries", "kind", "said", "remedy"),
    [
        (("openfhe,seal",), "UsageError", "2 libraries were given", "--library openfhe"),
        (("openfhe",), "UsageError", "follows from the application", "leave depth out"),
        (("nothing",), "UnknownName", "nothing", "openfhe"),
        (("reference", "seal"), "UsageError", "reference cannot", "one after the other"),
    ],
)
def test_a_library_that_cannot_be_swept_says_what_can(
    call: Any, libraries: tuple[str, ...], kind: str, said: str, remedy: str
) -> None:
    named = [word for name in libraries for word in ("--library", name)]
    answer = call("sweep", EXAMPLE, "--vary", "depth=2:5", *named, "--execute", "--json")
    assert answer.code == 2
    error = answer.json["error"]
    assert error["kind"] == kind
    assert said in error["message"]
    assert remedy in error["remedy"]


def test_a_library_is_swept_for_an_application(call: Any, integers: str, tmp_path: Path) -> None:
    words = ("sweep", integers, "--library", "seal", "--scheme", "bfv", "--vary", "security=128,192,256")
    found = call(*words, "--predict-only", "--csv", str(tmp_path / "sets.csv"), "--json").json
    assert [s["settings"] for s in found["sets"]] == [{"security": s} for s in (128, 192, 256)]
    levels = [s["predicted"]["security_bits"] for s in found["sets"]]
    assert all(bits >= asked for bits, asked in zip(levels, (128, 192, 256), strict=True))
    with (tmp_path / "sets.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["security_bits"]) for row in rows] == levels
    assert "3 sets" in call(*words).out


class Squares:
    """A platform of another kind: the squares of the numbers that are typed."""

    exit_code = 3
    columns = ("x", "square")
    fields = ("x", "executed")
    head = {"of": "squares"}  # noqa: RUF012

    def __init__(self) -> None:
        self.asked: Any = None
        self.steps: list[str] = []

    def names(self) -> tuple[str, ...]:
        return ("squares",)

    def refuse(self, asked: Options) -> None:
        """Everything may be asked."""

    def sweep(self, what: str, grid: TypedGrid, asked: Options, how: Sweeping, talk: Any) -> Any:
        self.asked = (what, grid, asked, how)
        return self

    def prepare(self) -> None:
        self.steps.append("prepared")

    def drawings(self) -> Any:
        self.steps.append("drawn")
        yield "x_square", Figure("squares", "x", "square", (Series("all", (2.0, 3.0), (4.0, 9.0)),))

    def sets(self, each: Any) -> None:
        self.steps.append("given")
        for x in (2, 3):
            each(SomeSets([(x, x * x)], [(x, {"square": x * x})]))

    def tail(self, drawn: Any) -> Any:
        return {"figures": list(drawn)}

    def lines(self, page: Any, drawn: Any) -> Any:
        yield f"2 squares, {len(drawn)} figure, {page.width} columns"


def test_a_platform_of_another_kind_needs_no_other_command_line(
    call: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    squares = Squares()
    monkeypatch.setattr(platforms, "PLATFORMS", (squares, *platforms.PLATFORMS))
    places = [f"--{name}={tmp_path / where}" for name, where in
              (("csv", "s.csv"), ("out", "s.json"), ("figures", "drawn"))]  # fmt: skip
    words = ("--vary", "degree=10:90:5", "--fix", "x=2", "technique=a,b", "--library", "squares")
    answer = call(
        "sweep", "app.py", *words, "--execute", "--again", "--max-memory", "2", "--seed", "7", *places
    )
    assert (answer.code, answer.out) == (3, "2 squares, 1 figure, 100 columns\n")
    assert squares.steps == ["prepared", "drawn", "given"]
    what, grid, asked, how = squares.asked
    assert what == "app.py"
    assert grid == TypedGrid(("degree=10:90:5",), ("x=2",), ("technique=a,b",))
    assert (asked.libraries, asked.seed) == (("squares",), 7)
    assert (how.execution.repetitions, how.again, how.max_bytes) == (3, True, 2 * 2**20)
    assert (tmp_path / "s.csv").read_bytes() == b"x,square\r\n2,4\r\n3,9\r\n"
    assert json.loads((tmp_path / "s.json").read_text()) == {
        "of": "squares",
        "sets": [{"x": 2, "executed": {"square": 4}}, {"x": 3, "executed": {"square": 9}}],
        "figures": [str(tmp_path / "drawn" / "x_square.svg")],
    }
    assert (tmp_path / "drawn" / "x_square.svg").exists()
    assert call("sweep", "app.py", *words, "--json").json["of"] == "squares"
    assert squares.asked[-1].execution is None
