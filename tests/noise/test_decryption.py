"""OpenFHE's decryption, imitated step by step as its source has it, on coefficients that are drawn."""

from dataclasses import replace
from math import inf, log2

import numpy as np
import pytest

from fheasible.libraries.parameters import Parameters, Request
from fheasible.noise.decryption import added_variance, read_coefficients, refusal_bits

from .programs import program

N, BITS, SLOTS = 1024, 40, 128
FOUND = replace(program("product"), slots=SLOTS)
P = Parameters(
    "openfhe", "ckks", N, (2**50, 2**40), scales=(2.0**BITS,) * 2, levels=1,
    request=Request("ckks", 1, scale_bits=BITS),
)  # fmt: skip


def slots_of(coefficients: np.ndarray) -> np.ndarray:
    n = len(coefficients)
    roots = np.exp(1j * np.pi * np.arange(n) / n)
    return n * np.fft.ifft(coefficients * roots)


def decoded(draw: np.random.Generator, deviation: float) -> tuple[np.ndarray, float]:
    """The real slots, over the scale, of noise alone; and the deviation that `StdDev` finds."""
    c = draw.normal(0, deviation, 2 * SLOTS)  # what is read of the N coefficients
    mirrored = -np.concatenate([[-c[0]], c[:0:-1]])  # m(1/X)
    seen = 0.5 * np.std(c - mirrored)
    widened = np.sqrt(2) * max(seen, 0.125 * N**0.5)
    real = (c + mirrored) / 2 + draw.normal(0, widened, 2 * SLOTS)
    return slots_of(real).real / 2.0**BITS, seen


@pytest.mark.parametrize("deviation", [300.0, 1.0], ids=["much noise", "less than it takes for possible"])
def test_decryption_adds_to_each_slot_what_its_source_says(deviation: float) -> None:
    draw = np.random.default_rng(1)
    own = SLOTS * deviation**2 / 4.0**BITS
    measured = np.mean([decoded(draw, deviation)[0] ** 2 for _ in range(300)])
    added = added_variance(FOUND, P, np.array([own]))
    assert own + added[0] == pytest.approx(measured, rel=0.03, abs=0)


def test_it_refuses_at_five_bits_of_what_it_sees() -> None:
    draw = np.random.default_rng(2)
    for deviation in (2.0**20, 2.0**34.5, 2.0**37):
        seen = np.mean([decoded(draw, deviation)[1] for _ in range(50)])
        left = refusal_bits(FOUND, P, np.array([SLOTS * deviation**2 / 4.0**BITS]))
        assert left == pytest.approx(BITS - 5 - log2(seen), abs=0.05)


def test_the_noisiest_value_is_refused_first() -> None:
    assert refusal_bits(FOUND, P, np.array([1e-9, 1e-3])) == refusal_bits(FOUND, P, np.array([1e-3]))


def test_other_libraries_add_nothing_and_refuse_nothing_and_read_the_whole_ring() -> None:
    for library in ("seal", "lattigo"):
        p = replace(P, library=library)
        assert added_variance(FOUND, p, np.array([1.0])) == 0
        assert refusal_bits(FOUND, p, np.array([1e9])) == inf
        assert read_coefficients(FOUND, p) == N
    assert read_coefficients(FOUND, P) == 2 * SLOTS
