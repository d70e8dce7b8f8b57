"""How `benchmarks/loops.py` reads what Go prints, and compares the passes of both sides."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

PRINTED = """goos: linux
pkg: fheasible/workers/lattigo
BenchmarkProduct          \t      30\t   2391457 ns/op\t   2025431 least-cpu-ns
BenchmarkProductInOneCall \t      30\t   2212345 ns/op\t   1999000 least-cpu-ns
BenchmarkRotation         \t      30\t   1913000 ns/op\t   1807500 least-cpu-ns
PASS
"""


@pytest.fixture(scope="module")
def loops() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "loops.py"
    spec = importlib.util.spec_from_file_location("loops", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["loops"] = made  # where dataclasses look their module up
    spec.loader.exec_module(made)
    return made


def test_the_least_cpu_time_is_read_from_go_and_not_the_mean_wall_time(loops: ModuleType) -> None:
    found = loops.read_go(PRINTED)
    assert list(found) == ["product", "product in one call", "rotation"]
    assert list(found.values()) == pytest.approx([2.025431e-3, 1.999e-3, 1.8075e-3])


def test_the_ratio_is_of_least_times_and_the_interval_holds_it(loops: ModuleType) -> None:
    load = 1 + np.random.default_rng(0).exponential(0.1, (2, 60))
    bare, ours = load * [[2.0], [2.2]]
    *_, ratio, low, high = loops.compared(list(bare), list(ours))
    assert ratio == ours.min() / bare.min()
    assert low < 1.1 < high
    assert high - low < 0.1


def test_passes_of_one_group_have_no_interval(loops: ModuleType) -> None:
    assert loops.compared([2.0] * 9, [2.1] * 9)[3:] == (None, None)


def test_a_ratio_on_either_side_of_the_target_is_beyond_it(loops: ModuleType) -> None:
    def beyond(ratio: float, loop: str = "rotation") -> bool:
        return bool(loops.Row("seal", 8192, 3, loop, 1.0, ratio, ratio, None, None).beyond)

    assert [beyond(r) for r in (0.97, 0.985, 1.0, 1.015, 1.03)] == [True, False, False, False, True]
    assert not beyond(1.1, loops.IN_ONE_CALL)
