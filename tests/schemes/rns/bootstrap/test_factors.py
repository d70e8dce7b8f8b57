"""The factors of the DFT: their products are the DFT, and libraries have keys for their rotations."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import case
from fheasible.schemes.rns.bootstrap.factors import Factor, decoding, encoding, rotations
from fheasible.schemes.rns.bootstrap.matrices import decoding_matrix, vectors
from fheasible.schemes.rns.bootstrap.method import EVEN, LATE, Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction

N = 64
REDUCTION = Reduction(16, 30)

# Rotations that have a key in OpenFHE 1.6.1 after EvalBootstrapKeyGen (N = 2^10 or 2^11), read with
# GetExistingEvalAutomorphismKeyIndices; conjugation apart.
LATE_KEYS = """
10 512 [2,2,2,3] [2,2,2,3] 1-8 12 16 24 32 48 64 96 128 192 256 320 384 448
10 512 [9] [9] 1-64
10 512 [1,1,1,1,1,1,1,1,1] [1,1,1,1,1,1,1,1,1] 1 2 4 8 16 32 64 128 256
10 512 [9] [5,4] 1-64 96 128 160 192 224 256 288 320 352 384 416 448 480
10 64 [3,3] [2,2,2] 1-8 12 16 24 32 40 48 56 64 65 128 192 256
10 8 [1,1,1] [3] 1-9 16 24 32 64 96 128 256 384
10 8 [3] [3] 1-8 16 24 32 64 96 128 256 384
11 256 [2,2,2,2] [3,3,2] 1-8 12 16 24 32 40 48 56 64 128 192 256 257 512 768
"""
# Rotations of Lattigo 6.1.1's bootstrapping.Parameters.GaloisElements (N = 2^10); conjugation apart.
EVEN_KEYS = """
10 512 [5,4] [4,5] 1-4 8 12 16 32 48 64 128 192 256 320 384 448 496 500 504 508
10 512 [3,2,2,2] [3,3,3] 1-4 8 16 24 32 64 128 256 384 448 480 496 504 508 510
10 256 [2,2,2,2] [2,3,3] 1-8 12 16 32 64 128 192 224 240 248 252 254 256 504
10 64 [2,2,2] [6] 1-8 16 24 32 40 48 56 60 62 64 72 80 88 96 104 112 120 128 256
10 16 [1,1,1,1] [1,1,2] 0-4 6 8 12 15 16 32 64 128 256
10 16 [4] [4] 1-4 8 12 16 20 24 28 32 64 128 256
"""


def parsed(table: str) -> list[tuple[int, Procedure, set[int]]]:
    return [row(line) for line in table.strip().splitlines()]


def row(line: str) -> tuple[int, Procedure, set[int]]:
    log_n, slots, encode, decode, *steps = line.split()
    p = Procedure(int(slots), tuple(json.loads(encode)), tuple(json.loads(decode)), REDUCTION, 8)
    ranges = [[int(end) for end in step.split("-")] for step in steps]
    return 1 << int(log_n), p, {i for ends in ranges for i in range(ends[0], ends[-1] + 1)}


@pytest.mark.parametrize(("method", "table"), [(LATE, LATE_KEYS), (EVEN, EVEN_KEYS)])
def test_the_rotations_are_those_that_the_library_has_keys_for(method: Method, table: str) -> None:
    for n, p, keys in parsed(table):
        with case(n, p):
            assert rotations(p, n, method) == keys


@st.composite
def procedures(draw: st.DrawFn) -> Procedure:
    """A procedure of 2 to 32 slots in a ring of dimension 64."""
    log_slots = draw(st.integers(1, 5))
    return Procedure(1 << log_slots, *(cut(draw, log_slots) for _ in range(2)), REDUCTION, 8)


def cut(draw: st.DrawFn, total: int) -> tuple[int, ...]:
    ends = sorted({*draw(st.sets(st.integers(1, total), max_size=total)), total})
    return tuple(b - a for a, b in zip([0, *ends], ends, strict=False))


def multiplied(factor: Factor, x: Any, slots: int, encode: bool, method: Method) -> Any:
    """The factor applied to all n/2 slots in clear, rotation by rotation."""
    shifts = vectors(factor, slots, encode, method.repacked)
    parts = []
    for group in factor.groups:
        rotated = [
            np.resize(np.roll(shifts[shift], group.back), len(x)) * np.roll(x, -baby)
            for baby, shift in group.terms
        ]
        assert {baby for baby, _ in group.terms} <= set(factor.babies)
        parts.append(np.sum(rotated, 0))
    return np.roll(added(factor, parts), -factor.finish)


def added(factor: Factor, parts: Sequence[Any]) -> Any:
    if not factor.repeated:
        return sum(np.roll(x, -g.giant) for x, g in zip(parts, factor.groups, strict=True))
    total = parts[-1]
    for x, group in zip(parts[-2::-1], factor.groups[-2::-1], strict=True):
        total = np.roll(total, -group.giant) + x
    return total


@given(procedures(), st.sampled_from([EVEN, LATE]), st.integers(0, 99))
def test_decoding_undoes_encoding_and_real_parts_lie_where_the_reduction_is(
    p: Procedure, method: Method, seed: int
) -> None:
    random, row = np.random.default_rng(seed), N // 2
    slots = random.normal(size=p.slots) + 1j * random.normal(size=p.slots)
    t = np.linalg.solve(decoding_matrix(p.slots), slots)
    x = np.resize(slots, row)
    for factor in encoding(p, N, method):
        x = multiplied(factor, x, p.slots, True, method) / p.slots ** (1 / len(p.encode))
    real, imaginary = (x + x.conj()) / 2, (x - x.conj()) / 2j
    if p.slots < row:
        real = real + np.roll(imaginary, -p.slots) if method.repacked else real
        numbers = real[: 2 * p.slots]
    else:
        numbers, real = np.concatenate([real, imaginary]), real + 1j * imaginary
    assert sorted(numbers.real) == pytest.approx(sorted([*t.real, *t.imag]))
    for factor in decoding(p, N, method):
        real = multiplied(factor, real, p.slots, False, method)
    if p.slots < row and not method.repacked:
        real = real + np.roll(real, -p.slots)
    assert np.allclose(real, np.resize(slots, row))


def test_a_factor_has_fewer_diagonals_than_the_matrix() -> None:
    p = Procedure(1 << 14, (4, 4, 3, 3), (5, 5, 4), REDUCTION, 8)
    assert [f.diagonals for f in encoding(p, 1 << 15, EVEN)] == [16, 31, 15, 15]
    assert [f.diagonals for f in encoding(p, 1 << 15, LATE)] == [31, 31, 15, 15]
    assert [f.diagonals for f in decoding(p, 1 << 15, LATE)] == [63, 63, 31]
