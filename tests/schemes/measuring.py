"""Ciphertexts carried along with their plaintext, a bound on their noise, and the noise they really have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fheasible.rings.element import Element, Scalar
from fheasible.schemes.magnitude import Magnitude
from fheasible.schemes.noise import Noise, worst_case
from fheasible.schemes.scheme import Keys, RingScheme
from fheasible.schemes.spec import Spec

SLACK = 1e-9  # bits: bounds are logarithms in floating point

Step = tuple[str, int, int]  # ("multiply", i, j), ("times", i, k), ("negate", i, 0) ... on what came before


def made(kind: type[RingScheme], ring: Any, t: int = 2, log_w: int = 8, sigma: float = 3.2) -> RingScheme:
    return kind(ring, Spec(Scalar.of(t), Scalar.power(log_w), sigma))


def integers(scheme: RingScheme, m: Sequence[int]) -> Any:
    """n of Python's integers, zeros where m has fewer."""
    out = np.zeros(scheme.ring.n, dtype=object)
    out[: len(m)] = [int(v) for v in m]
    return out


def decrypted(scheme: RingScheme, keys: Keys, c: Element) -> list[int]:
    return [int(v) for v in scheme.ring.coefficients(scheme.decrypt(keys, c))[0, 0]]


def noise_of(scheme: RingScheme, keys: Keys, c: Element, m: Any) -> int:
    """Max |phase - exact encoding of m|, centred: for FV and YASHE of m modulo t in (-t/2, t/2]."""
    return max(map(abs, errors_of(scheme, keys, c, m)))


def errors_of(scheme: RingScheme, keys: Keys, c: Element, m: Any) -> list[int]:
    """The noise itself: all coefficients, of all rows, in (-q/2, q/2]."""
    q = scheme.ring.q
    return [(v + (q - 1) // 2) % q - (q - 1) // 2 for v in _MEASURED[scheme.name](scheme, keys, c, m)]


def _beyond_delta(scheme: RingScheme, keys: Keys, c: Element, m: Any) -> list[int]:
    t, q, R = scheme.spec.t.value, scheme.ring.q, scheme.ring
    centred = [(int(v) + (t - 1) // 2) % t - (t - 1) // 2 for v in m]
    phase = R.coefficients(scheme.phase(keys, c))[0, 0]
    return [int(p) - q // t * v for p, v in zip(phase, centred, strict=True)]


def _beyond_f(scheme: RingScheme, keys: Keys, c: Element, m: Any) -> list[int]:
    R = scheme.ring
    return _all(R, R.multiply(keys.secret, R.subtract(c, _exact(scheme, m))))


def _beyond_gadget(scheme: RingScheme, keys: Keys, c: Element, m: Any) -> list[int]:
    R = scheme.ring
    error = R.subtract(c, _exact(scheme, m))
    return _all(R, R.subtract(R.column(error, 0), R.multiply(R.column(error, 1), keys.secret)))


def _exact(scheme: RingScheme, m: Any) -> Element:
    """The constant of an integer polynomial of any size."""
    R = scheme.ring
    return scheme.constant(R.lift(R.element([[list(m)]], True)))


def _all(R: Any, x: Element) -> list[int]:
    return [int(v) for v in R.coefficients(x).ravel()]


_MEASURED = {
    "fv": _beyond_delta,
    "yashe": _beyond_delta,
    **dict.fromkeys(("yasheproper", "yashepanthers"), _beyond_delta),
    "fntru": _beyond_f,
    "shield": _beyond_gadget,
}


@dataclass(frozen=True)
class Carried:
    """`c` encrypts the integer polynomial `m`; its noise is below `v`, as far as `sure`."""

    c: Element
    m: Any
    v: Magnitude
    depth: int
    sure: bool


class Bench:
    """Runs circuits with one pair of keys and compares every step with what was predicted."""

    def __init__(self, scheme: RingScheme) -> None:
        self.scheme, self.keys = scheme, scheme.keygen()

    def run(self, plaintexts: Sequence[Sequence[int]], steps: Sequence[Step]) -> Iterator[Carried]:
        """Every ciphertext that comes up: new ones first, then one for each step."""
        clear = list(self.clear(plaintexts, steps))
        message = max(1, *(sum(map(abs, m)) for m in clear))
        R = self.scheme.ring
        noise = self.scheme.noise(replace(worst_case(R.n, self.scheme.spec.sigma), message=message))
        pool: list[Carried] = []
        for m in clear[: len(plaintexts)]:
            c = self.scheme.encrypt(self.keys, self.scheme.message(list(m)))
            pool.append(Carried(c, m, noise.fresh(), 0, bool(noise.fresh() < noise.limit())))
        for step, m in zip(steps, clear[len(plaintexts) :], strict=True):
            pool.append(self._step(noise, pool, step, m))
        yield from pool

    def clear(self, plaintexts: Sequence[Sequence[int]], steps: Sequence[Step]) -> Iterator[Any]:
        """Integer polynomials; modulo t where the scheme keeps them so."""
        t = self.scheme.spec.t.value
        pool = [integers(self.scheme, m) for m in plaintexts]
        for step in steps:
            m = _clear_step(self.scheme, pool, step)
            pool.append(m if self.scheme.bits else m % t)
        yield from pool

    def _step(self, noise: Noise, pool: list[Carried], step: Step, m: Any) -> Carried:
        scheme, (op, i, j) = self.scheme, step
        x = pool[i]
        y = pool[j] if op in ("add", "multiply") else x
        depth = max(x.depth, y.depth) + (op == "multiply")
        zero = Magnitude(float("-inf"))
        match op:
            case "add":
                c, v = scheme.add(self.keys, x.c, y.c), noise.sum(x.v, y.v)
            case "multiply":
                c = scheme.multiply(self.keys, x.c, y.c)
                v = noise.product_of(x.v, y.v, depth)
            case "negate":
                c, v = scheme.negate(x.c), noise.sum(x.v, zero)
            case "times":
                c, v = scheme.times(x.c, j), zero
                for _ in range(j):
                    v = noise.sum(v, x.v)
            case _:
                one = scheme.constant(scheme.message([1]))
                c, v = scheme.add(self.keys, x.c, one), noise.sum(x.v, noise.constant())
        return Carried(c, m, v, depth, x.sure and y.sure and bool(v < noise.limit()))

    def check(self, x: Carried) -> None:
        """Where decryption is sure it is right, and the noise is within its bound."""
        if not x.sure:
            return
        t = self.scheme.spec.t.value
        assert decrypted(self.scheme, self.keys, x.c) == [int(v) % t for v in x.m]
        measured = noise_of(self.scheme, self.keys, x.c, x.m)
        assert Magnitude.of(measured).log2 <= x.v.log2 + SLACK


def _clear_step(scheme: RingScheme, pool: list[Any], step: Step) -> Any:
    op, i, j = step
    match op:
        case "add":
            return pool[i] + pool[j]
        case "multiply":
            return negacyclic(pool[i], pool[j])
        case "negate":
            return -pool[i]
        case "times":
            return j * pool[i]
        case _:
            return pool[i] + integers(scheme, [1])


def negacyclic(x: Any, y: Any) -> Any:
    """x·y modulo X^n + 1; through machine integers where they suffice."""
    n = len(x)
    small = max(map(abs, x)) * max(map(abs, y)) * n < 1 << 62
    kind = np.int64 if small else object
    whole = np.convolve(np.asarray(x, dtype=kind), np.asarray(y, dtype=kind)).astype(object)
    out = whole[:n].copy()
    out[: n - 1] -= whole[n:]
    return out


def squarings(bench: Bench, m: Sequence[int], most: int) -> tuple[int, int]:
    """(predicted depth, true depth): how often m can be squared and decrypts correctly, up to `most`."""
    scheme, t = bench.scheme, bench.scheme.spec.t.value
    predicted = scheme.noise(worst_case(scheme.ring.n, scheme.spec.sigma)).depth()
    clear = integers(scheme, m)
    c = scheme.encrypt(bench.keys, scheme.message(list(clear)))
    for deep in range(most):
        c, clear = scheme.multiply(bench.keys, c, c), negacyclic(clear, clear) % t
        if decrypted(scheme, bench.keys, c) != [int(v) for v in clear]:
            return predicted, deep
    return predicted, most
