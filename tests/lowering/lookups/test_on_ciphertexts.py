"""Circuits of integers, from Python to decrypted results, without a library: lowered, then run on the exact
ring with a toy of 4-bit ciphertexts."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.drawn import random_data
from fheasible.lowering.lookups.lower import lower_lookups
from fheasible.schemes.tfhe.exact import exact_ring
from fheasible.schemes.tfhe.parameters import Gadget, Order, TUniform
from fheasible.schemes.tfhe.program import evaluated
from fheasible.schemes.tfhe.scheme import Tfhe
from schemes.tfhe.running import INSECURE_TOY

INSECURE_FOUR_BITS = replace(
    INSECURE_TOY,
    lwe_dimension=40,
    polynomial_size=512,
    message_modulus=4,
    carry_modulus=4,
    glwe_errors=TUniform(30),
    pbs=Gadget(9, 3),
)
CIRCUITS: dict[str, Callable[[Any, Any], Any]] = {
    "a sum": lambda x, y: fh.sum(x) + 3 * y,
    "a product": lambda x, y: x * y,
    "a comparison": lambda x, y: fh.where(x > 100, y, 0),
    "a maximum": lambda x, y: fh.maximum(x, y),
    "bits": lambda x, y: (x & y) + x // 8,
}


@pytest.mark.long
@pytest.mark.parametrize("name", CIRCUITS)
def test_ciphertexts_decrypt_to_what_the_circuit_computes(name: str) -> None:
    inputs = {each: fh.integers(3, low=0, high=255) for each in "xy"}
    circuit = fh.app(**inputs)(CIRCUITS[name]).trace()
    data = random_data(circuit, 3)
    p = replace(INSECURE_FOUR_BITS, order=Order.PBS_KS) if "bits" in name else INSECURE_FOUR_BITS
    program = lower_lookups(circuit, p.message_modulus, p.carry_modulus)
    found = evaluated(Tfhe(exact_ring(p, 1), p), program, data)
    for output, expected in evaluate(circuit, data).items():
        assert found[output].tolist() == [int(v) for v in expected]
