"""Sizes of serialized objects: which keys a program needs, and equality with the live libraries."""

from dataclasses import replace

import numpy as np
import pytest

from fheasible.errors import LibraryMissing
from fheasible.estimation.sizes import rotation_key_count, sizes
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.lattigo import sizes as lattigo_sizes
from fheasible.libraries.openfhe import sizes as openfhe_sizes
from fheasible.libraries.parameters import CkksParameters, Parameters, Request, parameters_for, request_for
from fheasible.libraries.seal import sizes as seal_sizes
from fheasible.measurement.execute import RunPlan, execute
from fheasible.program.types import Action, Operation, Packed, Program, Scheme
from having import pairs

from .programs import CASES, made, request

FORMATS = {"openfhe": openfhe_sizes, "seal": seal_sizes, "lattigo": lattigo_sizes}
INSECURE_N = 1024
PRIME = (1 << 50) - 27

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


def seal(limbs: int, scheme: str = "bfv") -> Parameters:
    own = {} if scheme == "ckks" else {"plain_modulus": 65537}
    return parameters_for(
        "seal", scheme, INSECURE_N, (PRIME,) * limbs, (PRIME,), limbs, key_switching="hybrid", **own
    )


def test_a_key_for_each_step_for_the_rows_and_for_products() -> None:
    p = seal(6)
    found = sizes(TURNS, p)
    assert found.evaluation_keys == 4  # turns by 1 and by 2, the exchange of rows, relinearisation
    assert found.evaluation_key_bytes == seal_sizes.relinearization_key(p) + seal_sizes.rotation_keys(p, 3)
    assert found.public_key_bytes == seal_sizes.public_key(p)
    assert found.key_bytes == found.public_key_bytes + found.evaluation_key_bytes


def test_a_program_without_key_switching_needs_no_evaluation_keys() -> None:
    found = sizes(NEITHER, seal(2))
    assert (found.evaluation_keys, found.evaluation_key_bytes) == (0, 0)


def test_openfhes_own_sum_adds_the_rotations_that_the_program_lacks() -> None:
    p = openfhe(request_for("ckks", 1, None, scale_bits=40, technique="fixedauto", ring_dimension=INSECURE_N))
    program = replace(
        TURNS,
        scheme=Scheme.CKKS,
        automatic=True,
        operations=(*TURNS.operations[:4], Operation(Action.EVAL_SUM, 4, (3,))),
    )
    assert set(openfhe_sizes.sum_steps(p)) >= {1, 2}
    assert rotation_key_count(program, p) == len(openfhe_sizes.sum_steps(p)) == 13


def test_a_fresh_ciphertext_has_the_limbs_of_its_level() -> None:
    fresh = replace(NEITHER, scheme=Scheme.BGV, levels=5)
    at = [replace(fresh, operations=(replace(fresh.operations[0], level=level),)) for level in (0, 5)]
    assert [sizes(program, seal(6, "bgv")).ciphertext_bytes for program in at] == [
        seal_sizes.ciphertext(seal(6), limbs) for limbs in (1, 6)
    ]
    assert sizes(NEITHER, seal(6)).ciphertext_bytes == seal_sizes.ciphertext(seal(6), 6)  # BFV: always all


@pytest.mark.parametrize("library", ["openfhe", "seal", "lattigo"])
def test_a_request_sends_every_fresh_value_and_brings_every_result_at_its_level(library: str) -> None:
    """Three inputs of 5, 3 and 5 limbs; results of 2 limbs, and of three polynomials of 1 limb."""
    operations = (
        Operation(Action.ENCRYPT, 0, (), 4, source="x"),
        Operation(Action.ENCRYPT, 1, (), 2, source="x", chunk=1),
        Operation(Action.DROP, 2, (0,), 1),
        Operation(Action.DROP, 3, (1,), 0),
        Operation(Action.SQUARE, 4, (3,), 0),
        Operation(Action.ENCRYPT, 5, (), 4, source="x", chunk=2),
    )
    program = replace(
        NEITHER,
        scheme=Scheme.CKKS,
        operations=operations,
        outputs=(Packed("a", 4, (2,)), Packed("b", 4, (4,))),
    )
    p = CkksParameters(library, "ckks", INSECURE_N, (PRIME,) * 5, (PRIME,), 5)
    written, found = FORMATS[library], sizes(program, p)
    assert found.upload_bytes == 2 * written.ciphertext(p, 5) + written.ciphertext(p, 3)
    assert found.download_bytes == written.ciphertext(p, 2) + written.ciphertext(p, 1, 3)
    words = 8 * INSECURE_N
    assert 0 <= found.upload_bytes - words * 2 * (5 + 3 + 5) < 9000
    assert 0 <= found.download_bytes - words * (2 * 2 + 3 * 1) < 6000
    assert found.key_bytes == found.public_key_bytes + found.evaluation_key_bytes


def test_results_of_bfv_have_every_limb() -> None:
    p = seal(3)
    assert sizes(NEITHER, p).upload_bytes == sizes(NEITHER, p).download_bytes == seal_sizes.ciphertext(p, 3)


@pytest.mark.parametrize("scheme", ["ckks", "bgv", "bfv"])
def test_seeds_halve_what_is_sent_where_the_library_has_them(scheme: str) -> None:
    program = replace(TURNS, scheme=Scheme(scheme))
    found = {name: sizes(program, replace(seal(6, scheme), library=name)) for name in FORMATS}
    assert (found["openfhe"].seeded_upload_bytes, found["openfhe"].seeded_key_bytes) == (None, None)
    assert found["lattigo"].seeded_upload_bytes is None
    of_seal, of_lattigo = found["seal"], found["lattigo"].seeded_key_bytes
    assert of_seal.seeded_key_bytes == pytest.approx(of_seal.key_bytes / 2, rel=0.02)
    pair = found["lattigo"].public_key_bytes  # which is written whole
    assert of_lattigo == pytest.approx(pair + found["lattigo"].evaluation_key_bytes / 2, rel=0.02)
    fresh = seal_sizes.ciphertext(seal(6, scheme), 1 if scheme == "ckks" else 6)  # BGV encrypts at the top
    assert of_seal.seeded_upload_bytes == pytest.approx(fresh / 2, rel=0.02)


def openfhe(wish: Request) -> Parameters:
    return CATALOGUE["openfhe"].parameters(wish)


def expect_equality(library: str, program: Program, p: Parameters) -> None:
    """That the library writes what is predicted, to the byte."""
    data = {packed.name: np.ones(packed.length) for packed in program.inputs}
    told = CATALOGUE[library].worker_parameters(p)
    try:
        measured = execute(library, program, told, data, RunPlan(1, 0), timeout=120).sizes
    except LibraryMissing as missing:
        pytest.skip(missing.message)
    predicted = sizes(program, p)
    assert measured.rotation_key_count == predicted.evaluation_keys - program.relinearizes
    for name in ("ciphertext_bytes", "public_key_bytes", "secret_key_bytes", "evaluation_key_bytes"):
        assert getattr(measured, name) == getattr(predicted, name), name


@pytest.mark.worker
@pytest.mark.parametrize(("library", "scheme", "technique"), CASES)
def test_real_objects_have_the_predicted_sizes(library: str, scheme: str, technique: str | None) -> None:
    expect_equality(library, *made(library, scheme, technique))


@pytest.mark.worker
@pytest.mark.parametrize("scheme", ["ckks", "bgv", "bfv"])
@pytest.mark.parametrize("key_switching", ["hybrid", "bv"])
def test_both_key_switching_techniques_of_openfhe(scheme: str, key_switching: str) -> None:
    wish = request(scheme, 3, None if scheme == "bfv" else "fixedmanual", n=INSECURE_N)
    p = openfhe(replace(wish, key_switching=key_switching))
    program = replace(
        TURNS,
        scheme=Scheme(scheme),
        operations=tuple(o for o in TURNS.operations if o.out < 4),  # BV's products drown CKKS in noise
        levels=p.levels,
    )
    program = replace(program, operations=tuple(replace(o, level=p.levels) for o in program.operations))
    expect_equality("openfhe", program, p)


@pytest.mark.worker
@pytest.mark.parametrize(("library", "scheme"), pairs("ckks", "bgv"))
def test_a_ciphertext_encrypted_below_the_top(library: str, scheme: str) -> None:
    p = CATALOGUE[library].parameters(
        request(scheme, 3, "fixedmanual" if library == "openfhe" else None, INSECURE_N)
    )
    lower = replace(NEITHER.operations[0], level=1)
    expect_equality(library, replace(NEITHER, scheme=Scheme(scheme), levels=p.levels, operations=(lower,)), p)


@pytest.mark.worker
@pytest.mark.parametrize("digits", [1, 2])
def test_other_digits_of_lattigo(digits: int) -> None:
    expect_equality("lattigo", TURNS_OF_ROWS, CATALOGUE["lattigo"].parameters(
        replace(request("bfv", 4, None, n=INSECURE_N), digits=digits, plain_modulus=65_537)
    ))  # fmt: skip


@pytest.mark.worker
def test_openfhes_own_sum() -> None:
    p = openfhe(
        request_for("ckks", 2, None, scale_bits=40, technique="flexibleauto", ring_dimension=INSECURE_N)
    )
    program = replace(
        NEITHER,
        scheme=Scheme.CKKS,
        automatic=True,
        levels=p.levels,
        operations=(
            replace(NEITHER.operations[0], level=p.levels),
            Operation(Action.ROTATE, 1, (0,), p.levels, steps=3),
            Operation(Action.EVAL_SUM, 2, (1,), p.levels),
        ),
        outputs=(Packed("result", 4, (2,)),),
    )
    expect_equality("openfhe", program, p)


TURNS_OF_ROWS = replace(
    TURNS,
    slots=INSECURE_N,
    inputs=(Packed("x", INSECURE_N, (0,)),),
    outputs=(Packed("result", INSECURE_N, (6,)),),
    two_rows=True,
)


@pytest.mark.worker
def test_an_exchange_of_rows_alone_has_one_key_in_openfhe() -> None:
    alone = replace(
        TURNS_OF_ROWS,
        operations=(TURNS_OF_ROWS.operations[0], Operation(Action.SWAP_ROWS, 1, (0,))),
        outputs=(Packed("result", INSECURE_N, (1,)),),
    )
    expect_equality("openfhe", alone, openfhe(request("bfv", 1, None, n=INSECURE_N)))
