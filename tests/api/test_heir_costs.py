"""The table of latencies for HEIR, read as HEIR's pass reads it."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from platformdirs import user_cache_path

from fheasible.api.asking import profiles_of
from fheasible.api.heir_costs import costs
from fheasible.api.platform import Silent
from fheasible.cli.main import main
from fheasible.errors import UnsupportedOperation, UsageError
from fheasible.exploration.sweeps.operations import job_of, predicted
from fheasible.libraries.catalogue import BY_NAME
from fheasible.measurement.operations import Item

REQUIRED = ("bootstrap", "rescale", "addCtCt", "addCtPt", "mulCtCt", "mulCtPt", "rotate", "negate")
"""The keys without which HEIR refuses the file: lib/Transforms/ILPBootstrapPlacement/README.md there."""
FITTED = ("addCtCt", "addCtPt", "mulCtCt", "mulCtPt", "rotate", "negate")


@pytest.mark.parametrize(("library", "levels"), [("openfhe", 10), ("lattigo", 4)])
def test_heir_reads_the_table(place: Path, library: str, levels: int) -> None:
    found = costs("heir", library, {"levels": str(levels)}, 128, Silent(place))
    table = found.document["latencyTable"]
    assert set(table) == set(REQUIRED)
    assert {len(values) for values in table.values()} == {levels}
    level = np.arange(1, levels + 1)
    for name in FITTED:  # HEIR fits a line, whose slope has to be positive to mean anything
        slope, _ = np.polyfit(level, table[name], 1)
        assert slope > 0, name
    positive = [v for v in table["bootstrap"] if v > 0]
    assert np.mean(positive) > 50 * max(table["rescale"]) > 0
    assert found.document["bootstrapLevelUpperBound"] == levels
    assert json.loads(json.dumps(found.document)) == found.document
    assert f"backend={library} scheme=ckks" in found.options("costs.json")
    assert f"bootstrap-waterline={levels} " in found.options("costs.json")


def test_a_product_is_charged_with_its_relinearisation_at_its_level(place: Path) -> None:
    found = costs("heir", "lattigo", {"levels": "4"}, 128, Silent(place))
    library = BY_NAME["lattigo"]
    profile = profiles_of(place, [library])["lattigo"]
    p = found.parameters
    assert p.bootstrap is not None
    job = job_of(library, p, (), p.bootstrap.procedure.slots, False, 1)
    parts = [predicted(job, Item(name, 3), profile)[0] for name in ("mul", "relinearize")]
    seconds = sum(part or 0.0 for part in parts)
    assert found.document["latencyTable"]["mulCtCt"][2] == pytest.approx(1e6 * seconds, abs=0.1)


def test_the_parameters_may_be_given(place: Path) -> None:
    given = {"levels": "3", "ring-dimension": "131072"}
    found = costs("heir", "lattigo", given, 128, Silent(place))
    assert found.document["fheasible"]["ring_dimension"] == 131072
    assert len(found.document["latencyTable"]["rotate"]) == 3


SQUARINGS = 14


@pytest.fixture
def heir_opt() -> str:
    """HEIR's own program, where it is on the PATH or benchmarks/peers.py has installed it."""
    kept = user_cache_path("fheasible", appauthor=False) / "peers" / "heir" / "bin"
    found = shutil.which("heir-opt") or shutil.which("heir-opt", path=str(kept))
    if found is None:
        pytest.skip("there is no heir-opt here: install heir_py, or run benchmarks/peers.py --tool heir")
    return found


def placed(heir_opt: str, options: str) -> subprocess.CompletedProcess[str]:
    """HEIR's placement for a chain of squarings."""
    steps = [f"%x{i + 1} = arith.mulf %x{i}, %x{i} : tensor<8xf32>" for i in range(SQUARINGS)]
    program = f"""
    func.func @chain(%a: !secret.secret<tensor<8xf32>>) -> !secret.secret<tensor<8xf32>> {{
      %0 = secret.generic(%a: !secret.secret<tensor<8xf32>>) {{
      ^body(%x0: tensor<8xf32>):
        {" ".join(steps)}
        secret.yield %x{SQUARINGS} : tensor<8xf32>
      }} -> !secret.secret<tensor<8xf32>>
      return %0 : !secret.secret<tensor<8xf32>>
    }}"""
    argv = [heir_opt, *shlex.split(options)]
    return subprocess.run(argv, input=program, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(("library", "levels"), [("openfhe", 10), ("lattigo", 9)])
def test_heir_itself_places_bootstraps_by_the_table(
    place: Path, tmp_path: Path, heir_opt: str, library: str, levels: int
) -> None:
    found = costs("heir", library, {"levels": str(levels)}, 128, Silent(place))
    file = tmp_path / "costs.json"
    file.write_text(json.dumps(found.document))
    done = placed(heir_opt, found.options(str(file)))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("mgmt.bootstrap ") == 1  # 14 squarings, at most ten levels
    del found.document["latencyTable"]["rotate"]
    file.write_text(json.dumps(found.document))
    assert "failed to load Orbit cost model" in placed(heir_opt, found.options(str(file))).stderr


def test_what_cannot_be_written_is_told(place: Path) -> None:
    with pytest.raises(UnsupportedOperation, match="SEAL has no bootstrapping") as caught:
        costs("heir", "seal", {}, 128, Silent(place))
    assert "openfhe or lattigo" in caught.value.remedy
    with pytest.raises(UsageError, match="--to orbit is not known"):
        costs("orbit", "openfhe", {}, 128, Silent(place))


def test_the_command_writes_the_file(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "costs.json"
    words = ["--library", "lattigo", "--param", "levels=2", "--out", str(file), "--store", str(place)]
    assert main(["export", "costs", "--to", "heir", *words]) == 0
    assert set(json.loads(file.read_text())["latencyTable"]) == set(REQUIRED)
    assert "2 levels" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["costs"], "none is named"),
        (["results", "--to", "heir"], "--to belongs to the costs"),
        (["costs", "--to", "heir", "--kind", "samples"], "--kind belongs to stored results"),
        (["everything"], "everything cannot be exported"),
    ],
)
def test_options_that_do_not_belong_together_are_told(
    place: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["export", *words, "--store", str(place)]) == 2
    assert said in capsys.readouterr().err
