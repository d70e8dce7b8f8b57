"""Noise on average: against the noise that ciphertexts really have, and against hand calculation."""

from collections.abc import Iterator
from dataclasses import replace
from math import log2, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.circuit import cleartext
from fheasible.circuit.data import random_data
from fheasible.rings.exact import ExactRing
from fheasible.schemes.average import CoefficientSpread
from fheasible.schemes.catalogue import SCHEMES, scheme
from fheasible.schemes.evaluate import noise_of, read, run
from fheasible.schemes.noise import Noise, average_case, worst_case
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import Plan, plan
from fheasible.schemes.scheme import Keys, RingScheme
from fheasible.schemes.ties import Tie

from .applications import circuit, instructions
from .measuring import errors_of, integers, made, negacyclic

N = 64
KEYS = 10
LOG_Q = {"fv": 220, "yashe": 220, "fntru": 110, "shield": 110}
APART = Tie(related=False)
OPTIMISTIC, PESSIMISTIC = 0.6, 2.0  # bits; the figures of few keys scatter by 0.1 to 0.3 themselves
SETS = [("fv", 2, 20), ("fv", 257, 60), ("yashe", 2, 20), ("yashe", 17, 60)]
SETS += [(kind, 2, log_w) for kind in ("fntru", "shield") for log_w in (4, 10)]


class _Carrier:
    """Ciphertexts with their plaintexts and predicted noise, under one pair of keys."""

    def __init__(self, one: RingScheme, seed: int) -> None:
        self.scheme, self.keys = one, one.keygen()
        self.noise: Noise = one.noise(average_case(N, 3.2))
        self.random = np.random.default_rng(seed)

    def new(self) -> tuple[Any, Any, Any, int]:
        m = integers(self.scheme, [int(self.random.integers(0, self.scheme.spec.t.value))])
        return self.scheme.encrypt(self.keys, self.scheme.message(list(m))), m, self.noise.fresh(), 0

    def times(self, x: Any, y: Any, tie: Tie) -> tuple[Any, Any, Any, int]:
        depth = max(x[3], y[3]) + 1
        m = self._clear(negacyclic(x[1], y[1]))
        c = self.scheme.multiply(self.keys, x[0], y[0])
        return c, m, self.noise.product_of(x[2], y[2], depth, tie), depth

    def plus(self, x: Any, y: Any, tie: Tie) -> tuple[Any, Any, Any, int]:
        c, m = self.scheme.add(self.keys, x[0], y[0]), self._clear(x[1] + y[1])
        return c, m, self.noise.sum(x[2], y[2], tie), max(x[3], y[3])

    def _clear(self, m: Any) -> Any:
        return m if self.scheme.bits else m % self.scheme.spec.t.value

    def circuits(self) -> Iterator[tuple[str, Any]]:
        yield "fresh", self.new()
        power = self.new()
        for k in (2, 4, 8, 16):
            power = self.times(power, power, Tie(related=True))
            yield f"x^{k}", power
        tree = [self.times(self.new(), self.new(), APART) for _ in range(4)]
        tree = [self.times(x, y, APART) for x, y in zip(tree[::2], tree[1::2], strict=True)]
        yield "tree", self.times(*tree, APART)
        total = self.times(self.new(), self.new(), APART)
        for _ in range(7):
            total = self.plus(total, self.times(self.new(), self.new(), APART), APART)
        yield "sum of products", total
        yield "its square", self.times(total, total, Tie(related=True))
        same = total = self.new()
        for _ in range(7):
            total = self.plus(total, same, Tie(related=True))
        yield "eight times one", total


@pytest.mark.long
@pytest.mark.parametrize(("kind", "t", "log_w"), SETS)
def test_the_average_noise_is_the_measured_one(kind: str, t: int, log_w: int) -> None:
    """Root mean squares over coefficients, encryptions and keys; powers of one ciphertext, products of
    different ones, and sums, whose noise has the errors of the key in common."""
    squares: dict[str, list[float]] = {}
    predicted: dict[str, float] = {}
    for seed in range(KEYS):
        one = made(scheme(kind), ExactRing(N, _modulus(LOG_Q[kind], t), seed), t, log_w)
        carrier = _Carrier(one, seed)
        for name, (c, m, v, _) in carrier.circuits():
            squares.setdefault(name, []).append(_mean_square(one, carrier.keys, c, m))
            predicted[name] = float(v.log2)
    excess = {name: predicted[name] - log2(np.mean(found)) / 2 for name, found in squares.items()}
    assert min(excess.values()) >= -OPTIMISTIC, excess
    assert max(excess.values()) <= PESSIMISTIC, excess


def _modulus(log_q: int, t: int) -> int:
    """= 1 modulo t, so that what a plaintext leaves when it wraps around is next to nothing."""
    q = (1 << log_q) - 1
    return q - q % (2 * t) + 1 if t > 2 else q


def _mean_square(one: RingScheme, keys: Keys, c: Any, m: Any) -> float:
    return float(np.mean([float(v) ** 2 for v in errors_of(one, keys, c, m)]))


@pytest.mark.parametrize("kind", SCHEMES)
def test_the_average_case_lies_below_the_worst_case_and_bears_as_much_or_more(kind: str) -> None:
    sizes = np.array([1024, 4096, 8192])
    p = RingParameters(sizes, 300, 2, 8)
    one = scheme(kind)(p.counting_ring(), p.spec)
    average, worst = one.noise(average_case(sizes, 3.2)), one.noise(worst_case(sizes, 3.2))
    v, bound = average.fresh(), worst.fresh()
    for depth in range(1, 6):
        assert np.all(v.log2 < bound.log2)
        v, bound = average.product(v, depth), worst.product(bound, depth)
    assert np.all(average.depth() >= worst.depth())
    assert np.all(average.depth()[:1] > worst.depth()[:1])


def test_fv_by_hand() -> None:
    """n = 1024, sigma = 3.2: 3.2·sqrt(1 + 4/3·1024) = 118.3; one more wrong decryption in 2^40."""
    p = RingParameters(1024, 60, 2, 10)
    noise = scheme("fv")(p.counting_ring(), p.spec).noise(average_case(1024, 3.2))
    v = noise.fresh()
    assert isinstance(v, CoefficientSpread)
    assert 2**v.own.log2 == pytest.approx(3.2 * sqrt(1 + 4 * 1024 / 3))
    tail = sqrt(2 * np.log(2) * (40 + log2(2 * 1024)))
    delta = (2**60 - 1) / 2
    assert 2 ** noise.limit().log2 == pytest.approx((delta - 1) / 2 / tail, rel=1e-6)


def test_f_ntru_grows_by_what_all_rows_share() -> None:
    """From the second level on by l·n·(2/pi)·(w - 1)/2: 17.6 bits at n = 4096, log2 q = 102, w = 4."""
    p = RingParameters(4096, 102, 2, 2)
    noise = scheme("fntru")(p.counting_ring(), p.spec).noise(average_case(4096, 3.2))
    second = noise.product(noise.product(noise.fresh(), 1), 2)
    third = noise.product(second, 3)
    assert third.log2 - second.log2 == pytest.approx(log2(51 * 4096 * 2 / np.pi * 1.5), abs=0.1)


def test_fewer_failures_cost_a_larger_modulus() -> None:
    p = RingParameters(4096, 200, 2, 20)
    one = scheme("fv")(p.counting_ring(), p.spec)
    often, seldom = (one.noise(average_case(4096, 3.2, bits)).limit().log2 for bits in (40, 128))
    assert often - seldom == pytest.approx(log2((128 + 13) / (40 + 13)) / 2)


@settings(deadline=None, max_examples=12)
@given(instructions(), st.sampled_from(sorted(SCHEMES)), st.integers(0, 1000))
def test_the_smallest_modulus_that_the_average_allows_decrypts_rightly(
    program: list[tuple[str, int, int]], name: str, seed: int
) -> None:
    kind, t = SCHEMES[name], 2 if SCHEMES[name].bits else 17
    made_circuit = circuit(program, t, True)
    steps = plan(made_circuit)
    least = next((p for p in _moduli(t) if _right(kind, p, steps)), None)
    if least is None:
        return
    data = random_data(made_circuit, seed)
    ring = ExactRing(least.n, least.modulus, seed)
    found = read(steps, ring, run(steps, kind(ring, least.spec), data), t)
    truth = cleartext.evaluate(made_circuit, data)
    assert {k: v.tolist() for k, v in found.items()} == {k: v.tolist() for k, v in truth.items()}


def _moduli(t: int) -> Iterator[RingParameters]:
    return (RingParameters(n=64, log_q=log_q, t=t, log_w=6) for log_q in range(12, 301, 6))


def _right(kind: type[RingScheme], p: RingParameters, steps: Plan) -> bool:
    bounds = replace(average_case(p.n, p.sigma), message=steps.largest)
    noise = kind(p.counting_ring(), p.spec).noise(bounds)
    return bool(noise_of(steps, noise) < noise.limit())
