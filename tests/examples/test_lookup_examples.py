"""The examples for schemes with table look-ups: what they compute, and by how many look-ups."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.api.lookup_answer import LookupAnswer
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.drawn import random_data
from fheasible.circuit.load import load
from fheasible.lowering.lookups.lower import lower_lookups
from fheasible.measurement.registry import command
from fheasible.program.lookup_values import computed

FOLDER = Path(__file__).parents[2] / "examples"


def points(d: dict[str, np.ndarray]) -> int:
    """Cardiac risk, as the survey's table has it: one point for each row that holds."""
    p = {name: int(v[0]) for name, v in d.items()}
    rows = [
        p["man"] and p["age"] > 50,
        not p["man"] and p["age"] > 60,
        p["family"], p["smoker"], p["diabetic"], p["hypertonic"],
        p["hdl"] < 40,
        p["weight"] > p["height"] - 90,
        p["activity"] < 30,
        p["man"] and p["drinks"] > 3,
        not p["man"] and p["drinks"] > 2,
    ]  # fmt: skip
    return sum(map(bool, rows))


def by_numpy(example: str, data: dict[str, np.ndarray]) -> int:
    if example == "11_age_filter":
        return int(data["salary"][data["age"] > 30].sum())
    return int(data["x"].max()) if example == "12_maximum" else points(data)


@pytest.mark.parametrize(
    ("example", "most"), [("11_age_filter", 1330), ("12_maximum", 15 * 8 + 3), ("13_cardio", 24)]
)
def test_they_are_exact_with_so_many_look_ups(example: str, most: int) -> None:
    circuit = load(str(FOLDER / f"{example}.py")).trace()
    program = lower_lookups(circuit, 4, 4)
    assert program.lookups <= most
    for seed in range(5):
        data = random_data(circuit, seed)
        expected = by_numpy(example, data)
        assert list(evaluate(circuit, data)["result"]) == [expected]
        assert list(computed(program, data)["result"]) == [expected]


def explored(app: Any, place: Path) -> LookupAnswer:
    found: Any = fh.explore(app, store=place / "results.db", libraries=["tfhe_rs", "lattigo"])
    assert isinstance(found, LookupAnswer)
    return found


@pytest.mark.long
def test_polynomials_modulo_a_prime_are_ranked_beside_look_ups(tmp_path: Path) -> None:
    @fh.app(x=fh.integers(1, low=0, high=15), y=fh.integers(1, low=0, high=15))
    def chosen(x: Any, y: Any) -> Any:
        return fh.maximum(x, y) * (x == 3)

    answer = explored(chosen, tmp_path)
    told = dict(answer.beside)
    for scheme in ("BFV", "BGV"):  # 5 levels of a polynomial of degree 30, and a product
        assert "times the time (N = 2^14, depth 6)" in told[f"why not Lattigo {scheme}:"]
    assert "and its integers are rounded, not exact" in told["why not Lattigo CKKS:"]
    assert {"bfv", "bgv", "ckks", "tfhe"} == {c["scheme"] for c in answer.to_json()["candidates"]}


@pytest.mark.long
def test_too_many_products_in_succession_leave_look_ups_and_ckks(tmp_path: Path) -> None:
    told = dict(explored(FOLDER / "12_maximum.py", tmp_path).beside)
    for scheme in ("BFV", "BGV"):  # four rounds of a polynomial of degree 510
        assert "36 products in succession" in told[f"why not {scheme} (Lattigo):"]
    assert "and its integers are rounded, not exact" in told["why not Lattigo CKKS:"]


@pytest.mark.worker
@pytest.mark.long
@pytest.mark.parametrize("library", ["openfhe", "lattigo"])
def test_ckks_counts_the_points_of_cardiac_risk(library: str, tmp_path: Path) -> None:
    if not command(library).installed:
        pytest.skip(f"{library} is not installed")
    answer = fh.explore(
        FOLDER / "13_cardio.py", store=tmp_path / "results.db", libraries=[library], scheme="ckks"
    )
    data = {name: np.asarray(v) for name, v in answer.exploration.problem.data.items()}
    assert list(fh.verify(answer).result["result"]) == [points(data)]
