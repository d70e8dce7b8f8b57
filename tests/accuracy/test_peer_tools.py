"""How other tools are run and judged: what a script tells, why one is left out, and the table."""

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fheasible.accuracy import peer_tools
from fheasible.accuracy.peer_table import asked_for, described, markdown, rows
from fheasible.accuracy.peer_tools import APPLICATIONS, TOOLS, NotHad, Tool, ToolRun, judged, run, told
from fheasible.accuracy.peers import FOLDER
from fheasible.measurement.uv import uv_here

HEIR = ToolRun(
    "heir", "variance", "hash", version="1.0", precision_bits=9.8,
    parameters={"scheme": "ckks", "ring_dimension": 16384, "q_bits": [55, 45, 45], "p_bits": [60, 60]},
    cpu_seconds={"keys": 0.5, "encrypt": [0.02, 0.01], "evaluate": [0.3, 0.4], "decrypt": [0.002, 0.001]},
)  # fmt: skip
SLOWER = replace(
    HEIR,
    cpu_seconds={"keys": 0.4, "encrypt": [0.03], "evaluate": [0.2], "decrypt": [0.003]},
    precision_bits=9.5,
)
OURS = ToolRun(
    "fheasible", "variance", "hash", asked_bits=9.0, version="1.0", precision_bits=11.0,
    cpu_seconds={"keys": 0.1, "encrypt": 0.01, "evaluate": 0.09, "decrypt": 0.0055},
)  # fmt: skip
LEFT_OUT = ToolRun("heir_python", "squarings", "hash", reason="RuntimeError: no headers")


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """A tool that doubles its input, run by the harness of the real ones in the Python of these tests."""
    shared = FOLDER / "tools"
    (tmp_path / "toy").mkdir()
    for name in ("harness.py", "diagonals.py"):
        (tmp_path / name).write_text((shared / name).read_text())
    (tmp_path / "toy" / "run.py").write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "sys.path.insert(0, str(Path(__file__).parent.parent))\n"
        "from harness import Prepared, main\n"
        "def prepare(application, inputs):\n"
        "    if application != 'variance':\n"
        "        raise NotImplementedError(f'{application} has no operation for this')\n"
        "    print('what a library prints')\n"
        "    return Prepared({'n': 8}, lambda: inputs['x'], lambda x: x + x, list)\n"
        "main('numpy', prepare)\n"
    )
    monkeypatch.setattr(peer_tools, "TOOLS_FOLDER", tmp_path)
    return Tool("toy", "Toy", None)


def inputs(folder: Path) -> Path:
    np.savez(folder / "inputs.npz", x=np.array([1.0, 2.5]))
    return folder / "inputs.npz"


def test_a_script_tells_its_version_parameters_results_and_each_repetition_of_each_phase(
    toy: Tool, tmp_path: Path
) -> None:
    found = run(toy, "variance", inputs(tmp_path), Path(sys.executable), repetitions=3)
    assert found["outputs"] == [2.0, 5.0]
    assert found["parameters"] == {"n": 8}
    assert found["version"] == np.__version__
    seconds = found["cpu_seconds"]
    assert {name: np.size(seconds[name]) for name in seconds} == {
        "keys": 1, "encrypt": 3, "evaluate": 3, "decrypt": 3
    }  # fmt: skip


def test_what_a_tool_cannot_do_is_told_in_its_own_words(toy: Tool, tmp_path: Path) -> None:
    with pytest.raises(NotHad, match=r"^NotImplementedError: squarings has no operation for this$"):
        run(toy, "squarings", inputs(tmp_path), Path(sys.executable))
    with pytest.raises(NotHad, match="cannot be run"):
        run(toy, "variance", inputs(tmp_path), tmp_path / "no" / "python")


def test_an_environment_that_cannot_be_made_is_a_reason(
    toy: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "toy" / "requirements.lock").write_text("no-hash==1.0\n")
    if uv_here() is None:
        pytest.skip("there is no uv here")
    other = replace(toy, python=(sys.version_info.major, sys.version_info.minor))
    with pytest.raises(NotHad, match="hash"):
        peer_tools.environment(other, tmp_path / "kept", lambda line: None)
    assert not (tmp_path / "kept" / "toy" / "installed").exists()


def test_output_without_figures_is_no_result() -> None:
    line = '{"version": "1", "parameters": {}, "cpu_seconds": {}, "outputs": [1], "other": 2}'
    assert told(f"words\n{line}\n")["outputs"] == [1]
    for output in ("", "words", "[1]", '{"version": "1"}', f"{line}\nwords"):
        with pytest.raises(NotHad, match="no figures"):
            told(output)


def test_real_results_have_bits_and_integers_are_rounded() -> None:
    truth = np.array([1.0, -4.0])
    found = judged({"version": "1", "outputs": [1.0, -4.0 + 2.0**-8]}, truth, real=True)
    assert found == {"version": "1", "precision_bits": 10.0}  # 2^-8 of 4
    assert judged({"outputs": [1.4, -3.6]}, truth, real=False) == {"right": True}
    assert judged({"outputs": [1.6, -4.0]}, truth, real=False) == {"right": False}
    with pytest.raises(NotHad, match="shape"):
        judged({"outputs": [1.0]}, truth, real=True)


def test_ours_is_asked_for_the_whole_bits_that_each_tool_reaches_and_for_fifteen() -> None:
    assert asked_for([HEIR, replace(HEIR, tool="openfhe", precision_bits=34.9), OURS]) == [9.0, 15.0, 34.0]
    assert asked_for([HEIR, SLOWER, replace(HEIR, precision_bits=12.0)]) == [9.0, 15.0]  # as at first
    assert asked_for([replace(HEIR, precision_bits=0.2)]) == [1.0, 15.0]
    assert asked_for([replace(HEIR, precision_bits=None, right=True)]) == [None]


def test_a_row_has_the_least_of_each_phase_over_all_passes_and_the_ratio_to_ours() -> None:
    theirs, ours = rows([OURS, HEIR, SLOWER])
    assert theirs.first.tool == "heir"
    assert theirs.passes == 2
    assert theirs.seconds == pytest.approx(0.01 + 0.2 + 0.001)
    assert theirs.keys_seconds == 0.4
    assert theirs.precision_bits == 9.5
    assert ours.seconds == pytest.approx(0.1055)
    assert theirs.ratio == pytest.approx(2.0)
    assert ours.ratio is None


def test_a_wrong_result_has_no_ratio() -> None:
    wrong = replace(HEIR, application="squarings", precision_bits=None, right=False)
    ours = replace(OURS, application="squarings", precision_bits=None, right=True, asked_bits=None)
    theirs, _ = rows([wrong, ours])
    assert theirs.ratio is None
    assert "| wrong |" in markdown([theirs])


def test_the_table_says_what_was_chosen_and_why_something_is_left_out() -> None:
    head, line, first, second, last = markdown(rows([LEFT_OUT, HEIR, OURS])).splitlines()
    assert {text.count("|") for text in (head, line, first, second, last)} == {8}
    assert (
        "| HEIR, Lattigo output 1.0 | CKKS, N = 2^14, 5 primes, 265 bits | 500 ms | 311 ms | 9.8 bits |"
        in first
    )
    assert "Fheasible, asked for 9 bits" in second
    assert "not run: RuntimeError: no headers" in last
    assert (
        described({"library": "seal", "scheme": "ckks", "prime_bits": [60, 40]})
        == "SEAL CKKS, 2 primes, 100 bits"
    )


def test_each_tool_has_a_script_and_a_lock_without_the_place_that_packages_come_from() -> None:
    for tool in TOOLS:
        assert set(tool.applications) <= set(APPLICATIONS)
        assert (tool.folder / "run.py").is_file()
        if tool.python is not None:
            lock = (tool.folder / "requirements.lock").read_text()
            assert "--hash=sha256:" in lock
            assert "://" not in lock
            assert "--index" not in lock


def test_the_guide_shows_the_table_that_was_measured() -> None:
    root = Path(__file__).parents[2]
    measured = json.loads((root / "benchmarks" / "results" / "peers.json").read_text())
    assert "\n".join(measured["table"]) in (root / "docs" / "accuracy.md").read_text()
    assert {row["tool"] for row in measured["rows"]} == {tool.name for tool in TOOLS}
    assert {row["application"] for row in measured["rows"]} == set(APPLICATIONS)


@pytest.fixture(scope="module")
def diagonals() -> ModuleType:
    spec = importlib.util.spec_from_file_location("peer_diagonals", FOLDER / "tools" / "diagonals.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["peer_diagonals"] = made  # where dataclasses look their module up
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize(("shape", "most"), [((128, 784), 16 + 8 + 3), ((128, 128), 24), ((10, 128), 8 + 3)])
def test_products_by_diagonals_are_those_of_matrices(
    diagonals: ModuleType, shape: tuple[int, int], most: int
) -> None:
    random = np.random.default_rng(0)
    matrix, x = random.normal(size=shape), np.zeros(1 << (shape[1] - 1).bit_length())
    x[: shape[1]] = random.normal(size=shape[1])
    slots = 4096
    d = diagonals.diagonals(matrix, slots)
    assert len(d.rotations()) <= most
    vector = np.tile(x, slots // len(x))
    taken: set[int] = set()

    def rotate(v: np.ndarray, step: int) -> np.ndarray:
        taken.add(step)
        return np.roll(v, -step)

    babies = [vector, *(rotate(vector, i) for i in range(1, d.baby))]
    found = diagonals.product(d, d.vectors, babies, rotate, np.multiply, np.add)
    assert found[: shape[0]] == pytest.approx(matrix @ x[: shape[1]])
    assert taken == d.rotations()
    period = 1 << (shape[0] - 1).bit_length()
    assert found == pytest.approx(np.tile(found[:period], slots // period))
