"""The schemes at the sizes they are used at, on the exact ring."""

from math import sqrt
from typing import Any

import numpy as np
import pytest

from fheasible.rings.exact import ExactRing
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.fntru import FNTRU
from fheasible.schemes.magnitude import Magnitude
from fheasible.schemes.noise import PANTHERS, WORST_CASE, Bounds, Noise
from schemes.measuring import SLACK, Bench, decrypted, integers, made, noise_of, squarings

PAPER = [("fv", 4096, 281, 28, 2), ("yashe", 4096, 300, 22, 2)]
LARGE_T = [("fv", 2048, 250, 30, 65537), ("yashe", 2048, 250, 30, 257)]
OF_BITS = [("fntru", 1024, 102, 2, 2), ("shield", 1024, 60, 4, 2)]
WIDEST = [("fv", 1 << 15, 880, 60, 2), ("yashe", 1 << 14, 600, 60, 2)]
slow = pytest.mark.slow
SIZES = [*PAPER, *OF_BITS, pytest.param(*LARGE_T[0], marks=slow), pytest.param(*LARGE_T[1], marks=slow)]
sizes = pytest.mark.parametrize(("kind", "n", "log_q", "log_w", "t"), SIZES)


def bench(kind: str, n: int, log_q: int, log_w: int, t: int = 2, sigma: float = 3.2, seed: int = 7) -> Bench:
    return Bench(made(SCHEMES[kind], ExactRing(n, (1 << log_q) - 1, seed), t, log_w, sigma))


def messages(b: Bench, seed: int) -> list[list[int]]:
    """Random plaintexts: polynomials, or bits."""
    draw = np.random.default_rng(seed)
    t, n = b.scheme.spec.t.value, 1 if b.scheme.bits else b.scheme.ring.n
    return [draw.integers(0, t, n).tolist() for _ in range(3)]


@pytest.mark.long
@sizes
def test_a_circuit_decrypts_and_stays_below_the_predicted_noise(
    kind: str, n: int, log_q: int, log_w: int, t: int
) -> None:
    b = bench(kind, n, log_q, log_w, t)
    steps = [("multiply", 0, 1), ("add", 3, 2), ("negate", 4, 0), ("plus_one", 5, 0), ("multiply", 6, 0)]
    carried = list(b.run(messages(b, 3), [*steps, ("times", 7, 3)]))
    assert all(x.sure for x in carried[:7])
    for x in carried:
        b.check(x)


@pytest.mark.long
@sizes
def test_depth_is_never_below_the_predicted_one_and_ends(
    kind: str, n: int, log_q: int, log_w: int, t: int
) -> None:
    b = bench(kind, n, log_q, log_w, t)
    predicted, true = squarings(b, [1] if b.scheme.bits else messages(b, 5)[0], 40)
    assert 1 <= predicted <= true < 40


@slow
@pytest.mark.parametrize(("kind", "n", "log_q", "log_w", "t"), WIDEST)
def test_one_product_at_the_widest_sizes(kind: str, n: int, log_q: int, log_w: int, t: int) -> None:
    b = bench(kind, n, log_q, log_w, t)
    for x in b.run(messages(b, 1), [("multiply", 0, 1)]):
        b.check(x)


def chain(b: Bench, products: int, *, new_on_the_right: bool) -> Any:
    """A product of encryptions of 1, one new factor at a time."""

    def one() -> Any:
        return b.scheme.encrypt(b.keys, b.scheme.message([1]))

    c = one()
    for _ in range(products):
        c = b.scheme.multiply(b.keys, c, one()) if new_on_the_right else b.scheme.multiply(b.keys, one(), c)
    return c


@pytest.mark.long
@pytest.mark.parametrize(("kind", "log_q", "log_w"), [("fntru", 102, 2), ("shield", 60, 4)])
def test_the_order_of_factors_decides_how_long_a_chain_may_be(kind: str, log_q: int, log_w: int) -> None:
    b = bench(kind, 1024, log_q, log_w)
    assert decrypted(b.scheme, b.keys, chain(b, 10, new_on_the_right=True))[:2] == [1, 0]
    c = chain(b, 10, new_on_the_right=False)
    assert decrypted(b.scheme, b.keys, c) != [int(v) for v in integers(b.scheme, [1])]


@pytest.mark.long
def test_the_published_average_case_of_f_ntru_bounds_chains_and_not_products_of_products() -> None:
    """As published: errors of width 2·sqrt(n/2). The proven formula bounds both."""
    n, log_q = 1024, 102
    sigma = 2 * sqrt(n / 2)
    b = bench("fntru", n, log_q, 2, sigma=sigma)
    published = b.scheme.noise(Bounds(1, 9.2 * sigma, n, PANTHERS))
    one = integers(b.scheme, [1])
    assert measured(b, chain(b, 4, new_on_the_right=True), one) < grown(published, 4).log2
    c = b.scheme.encrypt(b.keys, b.scheme.message([1]))
    for _ in range(4):
        c = b.scheme.multiply(b.keys, c, c)
    assert measured(b, c, one) > grown(published, 4).log2 + 8
    proven = b.scheme.noise(Bounds(1, 9.2 * sigma, n, WORST_CASE))
    assert isinstance(b.scheme, FNTRU)
    assert measured(b, c, one) <= grown(proven, 4).log2 + SLACK


def measured(b: Bench, c: Any, m: Any) -> float:
    return float(Magnitude.of(noise_of(b.scheme, b.keys, c, m)).log2)


def grown(noise: Noise, products: int) -> Magnitude:
    v = noise.fresh()
    for k in range(products):
        v = noise.product(v, k + 1)
    return v
