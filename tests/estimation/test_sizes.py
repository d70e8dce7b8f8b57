"""Sizes of serialized objects: the table of measured ones, and the live libraries."""

from dataclasses import replace

import numpy as np
import pytest

from fheasible.errors import LibraryMissing
from fheasible.estimation.sizes import sizes, switching_key_bytes
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Parameters
from fheasible.measurement.execute import Plan, execute
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

from .programs import CASES, made, request

N = 4096
LIMB = 8 * N  # bytes of a polynomial modulo one prime
HEADER = 8 * 1024

NEITHER = Program(
    Scheme.BFV, 4, 0, (Operation(Action.ENCRYPT, 0, source="x"),), (),
    (Packed("x", 4, (0,)),), (Packed("result", 4, (0,)),),
)  # fmt: skip
TURNS = replace(
    NEITHER,
    operations=(
        *NEITHER.operations,
        Operation(Action.ROTATE, 1, (0,), steps=1),
        Operation(Action.ROTATE, 2, (1,), steps=1),
        Operation(Action.ROTATE, 3, (2,), steps=2),
        Operation(Action.SWAP_ROWS, 4, (3,)),
        Operation(Action.SQUARE, 5, (4,)),
        Operation(Action.RELINEARIZE, 6, (5,)),
    ),
)


def parameters(
    library: str, limbs: int, special: int, digits: int, key_switching: str = "hybrid"
) -> Parameters:
    return Parameters(
        library, "bfv", N, q=(97,) * limbs, p=(193,) * special, digits=digits, key_switching=key_switching
    )


# (parameters, polynomials-times-limbs of: ciphertext, public key, secret key, one switching key)
TABLE = [
    (parameters("openfhe", 6, 2, 3), 2 * 6, 2 * 6, 6, 3 * 2 * 8),
    (parameters("openfhe", 6, 0, 6, "bv"), 2 * 6, 2 * 6, 6, 6 * 2 * 6),
    (parameters("seal", 6, 1, 6), 2 * 6, 2 * 7, 7, 6 * 2 * 7),
    (parameters("lattigo", 6, 2, 3), 2 * 6, 2 * 8, 8, 3 * 2 * 8),
    (parameters("lattigo", 7, 3, 3), 2 * 7, 2 * 10, 10, 3 * 2 * 10),
]


@pytest.mark.parametrize(("p", "ciphertext", "public", "secret", "key"), TABLE)
def test_the_closed_forms(p: Parameters, ciphertext: int, public: int, secret: int, key: int) -> None:
    found = sizes(TURNS, p)
    assert found.ciphertext_bytes == ciphertext * LIMB
    assert found.public_key_bytes == public * LIMB
    assert found.secret_key_bytes == secret * LIMB
    assert switching_key_bytes(p) == key * LIMB
    assert found.evaluation_keys == 4  # turns by 1 and by 2, the exchange of rows, relinearisation
    assert found.evaluation_key_bytes == 4 * key * LIMB
    assert found.all_keys_bytes == (public + secret + 4 * key) * LIMB


def test_a_program_without_key_switching_needs_no_evaluation_keys() -> None:
    found = sizes(NEITHER, parameters("seal", 2, 1, 2))
    assert (found.evaluation_keys, found.evaluation_key_bytes) == (0, 0)


@pytest.mark.worker
@pytest.mark.parametrize(("library", "scheme", "technique"), CASES)
def test_real_objects_have_the_predicted_sizes(library: str, scheme: str, technique: str | None) -> None:
    program, p = made(library, scheme, technique)
    data = {packed.name: np.ones(packed.length) for packed in program.inputs}
    told = CATALOGUE[library].worker_parameters(p)
    try:
        measured = execute(library, program, told, data, Plan(1, 0), timeout=120).sizes
    except LibraryMissing as missing:
        pytest.skip(missing.message)
    predicted = sizes(program, p)
    assert measured.rotation_key_count == predicted.evaluation_keys - program.relinearizes
    headers = {"evaluation_key_bytes": predicted.evaluation_keys}
    for name in ("ciphertext_bytes", "public_key_bytes", "secret_key_bytes", "evaluation_key_bytes"):
        real, ours = getattr(measured, name), getattr(predicted, name)
        assert real is not None, name
        assert abs(real - ours) <= max(0.005 * real, HEADER * headers.get(name, 1)), name


@pytest.mark.worker
def test_an_exchange_of_rows_alone_has_one_key_in_openfhe() -> None:
    program = replace(
        NEITHER,
        slots=N,
        operations=(*NEITHER.operations, Operation(Action.SWAP_ROWS, 1, (0,))),
        inputs=(Packed("x", N, (0,)),),
        outputs=(Packed("result", N, (1,)),),
        two_rows=True,
    )
    p = CATALOGUE["openfhe"].parameters(request("bfv", 1, None, n=N))
    try:
        told = CATALOGUE["openfhe"].worker_parameters(p)
        measured = execute("openfhe", program, told, {"x": np.arange(N)}, Plan(1, 0), timeout=120)
    except LibraryMissing as missing:
        pytest.skip(missing.message)
    real = measured.sizes.rotation_keys_bytes
    assert real is not None
    assert real == pytest.approx(switching_key_bytes(p), abs=HEADER)
