"""run and verify on TFHE-rs and BinFHE: integers that are compared and looked up, decrypted and exact."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.worker
SHIPPED = "MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128"
CHOSEN = """
import fheasible as fh

@fh.app(x=fh.integers(2, low=0, high=3), y=fh.integers(2, low=0, high=3))
def chosen(x, y):
    return {"larger": fh.maximum(x, y), "table": fh.lookup(x, [5, 0, 7, 1])}
"""


@pytest.fixture
def chosen(tmp_path: Path) -> str:
    path = tmp_path / "chosen.py"
    path.write_text(CHOSEN)
    return str(path)


def expected(seed: int) -> dict[str, list[int]]:
    """What numpy computes on the random data of that seed."""
    generator = np.random.default_rng(seed)
    x, y = (generator.integers(0, 3, 2, endpoint=True) for _ in range(2))
    return {"larger": np.maximum(x, y).tolist(), "table": np.array([5, 0, 7, 1])[x].tolist()}


def test_run_takes_the_set_that_is_named_and_is_exact(call: Any, chosen: str, installed: Any) -> None:
    installed("tfhe_rs")
    words = ("--library", "tfhe_rs", "--seed", "4", "--param", f"set={SHIPPED}")
    answer = call("run", chosen, *words, "--param", "message=4", "--param", "carry=4", "--json")
    assert answer.code == 0, answer.err
    found = answer.json
    assert found["set"] == SHIPPED
    assert found["result"] == found["cleartext"] == expected(4)
    measured = found["measurement"]
    assert {"keygen", "encrypt", "evaluate", "decrypt"} <= set(measured["cpu_seconds"])
    assert measured["evaluation_key_bytes"] == found["estimate"]["evaluation_key_bytes"]
    assert found["environment"]["seed"] == 4


@pytest.mark.parametrize(
    ("modulus", "x", "less"),
    [(257, [0, 140, 256], [-6, -123, -7]), (2**64, [0, 2**63 + 5, 2**64 - 1], [-6, 2**63 - 1, -7])],
)
def test_residues_come_back_with_their_signs(
    call: Any, installed: Any, tmp_path: Path, modulus: int, x: list[int], less: list[int]
) -> None:
    """6 less, modulo 257 and 2^64."""
    installed("tfhe_rs")
    app = f"@fh.app(x=fh.integers(3, modulo={modulus}))\ndef less(x):\n    return x - 6\n"
    (tmp_path / "less.py").write_text(f"import fheasible as fh\n\n{app}")
    (tmp_path / "x.csv").write_text("\n".join(["x", *map(str, x)]))
    words = ("--library", "tfhe_rs", "--data", str(tmp_path / "x.csv"), "--param", f"set={SHIPPED}")
    answer = call("run", str(tmp_path / "less.py"), *words, "--json")
    assert answer.code == 0, answer.err
    assert answer.json["result"] == answer.json["cleartext"] == {"result": less}


def test_verify_proves_the_recommended_set(call: Any, chosen: str, installed: Any) -> None:
    installed("tfhe_rs")
    answer = call("verify", chosen, "--library", "tfhe_rs", "--seed", "5", "--json")
    assert answer.code == 0, answer.err
    found = answer.json
    assert found["library"] == "tfhe_rs"
    assert found["failed"] == []
    assert found["result"] == found["cleartext"] == expected(5)
    assert found["lookups"] > 0
    assert found["number"] is not None  # the run is stored


def test_run_on_binfhe_is_exact_and_warns_of_a_toy(call: Any, chosen: str, installed: Any) -> None:
    installed("openfhe")
    words = ("--library", "binfhe", "--seed", "4", "--param", "set=TOY/GINX")
    answer = call("run", chosen, *words, "--json")
    assert answer.code == 0, answer.err
    assert "this set has 38 bits of security" in answer.err
    found = answer.json
    assert (found["set"], found["scheme"]) == ("TOY/GINX", "ginx")
    assert found["result"] == found["cleartext"] == expected(4)
    assert found["measurement"]["evaluation_key_bytes"] == found["estimate"]["evaluation_key_bytes"]


def test_binfhe_says_which_sets_it_has(call: Any, chosen: str) -> None:
    answer = call("run", chosen, "--library", "binfhe", "--param", "set=STD1")
    assert answer.code != 0
    assert "BinFHE has no set of parameters named 'STD1'" in answer.err
    assert "STD128/GINX" in answer.err


def test_a_set_that_ciphertexts_do_not_fit_is_refused_with_the_remedy(call: Any, chosen: str) -> None:
    words = ("--library", "tfhe_rs", "--param", f"set={SHIPPED}", "--param", "message=8")
    answer = call("run", chosen, *words, "--param", "carry=8")
    assert answer.code != 0
    assert "message=8 times carry=8 is 64, but the ciphertexts of this set hold 16 values" in answer.err
    assert "remedy: write message=4 and carry=4" in answer.err
