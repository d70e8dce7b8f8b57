"""Random small circuits: what they decrypt to is what they are in the clear, whatever the variant."""

from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.schemes.rns.ciphertext import Ciphertext
from schemes.rns import bounds
from schemes.rns.actions import turned
from schemes.rns.toy import LIMBS, SCHEMES, Toy, toy
from schemes.rns.variants import VARIANTS

STEPS = ["add", "sub", "neg", "mul", "square", "mul", "add_plain", "mul_plain", "add_scalar", "mul_scalar"]
STEPS += ["rotate", "swap_rows", "drop"]
MARGIN = 3  # bits below Q/2


@dataclass(frozen=True)
class Value:
    """A ciphertext with its slots. `log`: bits that bound the phase of BGV, t times the noise of BFV; in CKKS
    the error of a slot is at most `off`, a slot at most `size`."""

    x: Ciphertext
    slots: Any
    log: float = 0.0
    off: float = 0.0
    size: float = 1.0


@st.composite
def steps(draw: Any) -> list[tuple[str, int, int]]:
    """Up to seven, each on values that came before it."""
    made = []
    for k in range(draw(st.integers(1, 7))):
        before = st.integers(0, k + 1)
        made.append((draw(st.sampled_from(STEPS)), draw(before), draw(before)))
    return made


class Walk:
    """Makes the steps that leave the noise within the modulus; those it leaves out repeat their operand."""

    def __init__(self, bench: Toy) -> None:
        self.b, self.s, self.k = bench, bench.scheme, bench.keys
        self.n, self.t = bench.n, bench.moduli.t

    def fresh(self, seed: int) -> Value:
        slots = self.b.values(seed)
        coefficients = bounds.coefficients(self.b, self.b.top)
        log = log2(self.t * (coefficients + 1))
        off = self.n * coefficients / self._scale() if self.b.is_real else 0
        return Value(self.s.encrypt(self.k, slots), slots, log, off)

    def _scale(self) -> float:
        return min(self.s.spec.scales)

    def step(self, op: str, x: Value, y: Value) -> Value:
        made = self._made(op, x, y)
        return x if made is None else made

    def _made(self, op: str, x: Value, y: Value) -> Value | None:
        match op:
            case "mul" | "square":
                return self._product(x, x if op == "square" else y)
            case "add" | "sub":
                return self._sum(op, x, y)
            case "drop":
                return self._dropped(x, x.x.level - 1) if x.x.level and not self._is_bfv() else None
            case "mul_plain" | "mul_scalar":
                return self._times(op, x)
            case _:
                return self._other(op, x)

    def _is_bfv(self) -> bool:
        return self.s.name == "bfv"

    def _fits(self, log: float, level: int) -> bool:
        modulus = self.s.ring.product(self.s.ring.level(level))
        assert modulus is not None
        return log < log2(modulus) - MARGIN

    def _switching(self, level: int) -> float:
        return log2(self.t * bounds.switching(self.b, level, 1))

    def _product(self, x: Value, y: Value) -> Value | None:
        """Relinearized and, where there are levels, rescaled."""
        pair = self._level(x, y)
        if pair is None or (not self._is_bfv() and pair[0].x.level == 0):
            return None
        x, y = pair
        level, n, t = x.x.level, self.n, self.t
        log = max(x.log, y.log) + log2(8 * n * n * t) + 6 if self._is_bfv() else x.log + y.log + log2(n) + 1
        if not self.b.is_real and not self._fits(max(log, self._switching(level)) + 1, level):
            return None
        if self.b.is_real and max(x.size * y.size, 1) > 8:
            return None
        made = self.s.square(x.x) if x is y else self.s.mul(x.x, y.x)
        flat = self.s.relinearize(self.k, made)
        log = max(log, self._switching(level)) + 1
        off = x.off * y.size + y.off * x.size + x.off * y.off
        out = flat if self._is_bfv() else self.s.rescale(flat)
        if self.b.is_real:
            off += 2 * bounds.slots(self.b, level)
        if self.s.name == "bgv":
            log = self._after(log, level)
        return Value(out, self._clear(x.slots * y.slots), log, off, x.size * y.size)

    def _after(self, log: float, level: int) -> float:
        """Of a phase that is divided by the prime of its level, and rounded."""
        return max(log - log2(self.b.moduli.q[level]), log2(2 * self.t * (1 + self.n))) + 1

    def _dropped(self, x: Value, level: int) -> Value | None:
        log = x.log
        if self.s.name == "bgv" and self.s.variant.drop_switches:
            for gone in range(x.x.level, level, -1):
                log = self._after(log, gone)
        return Value(self.s.drop(x.x, level), x.slots, log, x.off, x.size) if self._fits(log, level) else None

    def _level(self, x: Value, y: Value) -> tuple[Value, Value] | None:
        """Both at the lower level, and in CKKS of its scale."""
        level = min(x.x.level, y.x.level)
        low = [v if v.x.level == level else self._dropped(v, level) for v in (x, y)]
        if low[0] is None or low[1] is None:
            return None
        if self.b.is_real:
            scales = {round(log2(v.x.scale) - log2(self.s.spec.scales[level]), 9) for v in low if v}
            if scales != {0.0}:
                return None  # dropped from another level: no product or sum of the two has a scale of its own
        return low[0], (low[0] if x is y else low[1])

    def _sum(self, op: str, x: Value, y: Value) -> Value | None:
        pair = self._level(x, y)
        if pair is None:
            return None
        x, y = pair
        log = max(x.log, y.log) + 1 + (log2(self.t) if x.x.factor != y.x.factor else 0)
        if not self.b.is_real and not self._fits(log, x.x.level):
            return None
        made = (self.s.add if op == "add" else self.s.sub)(x.x, y.x)
        slots = x.slots + y.slots if op == "add" else x.slots - y.slots
        return Value(made, self._clear(slots), log, x.off + y.off, x.size + y.size)

    def _times(self, op: str, x: Value) -> Value | None:
        """CKKS: then rescaled, so that the scale is a level's again."""
        if self.b.is_real and (x.x.level == 0 or x.size > 8):
            return None
        log = x.log + log2(self.t * self.n)
        if not self.b.is_real and not self._fits(log, x.x.level):
            return None
        v = self.b.values(9) if op == "mul_plain" else (0.375 if self.b.is_real else 23)
        made = self.s.mul_plain(x.x, v) if op == "mul_plain" else self.s.mul_scalar(x.x, v)
        made = self.s.rescale(made) if self.b.is_real else made
        off = x.off + (x.size + 2) * bounds.slots(self.b, x.x.level) if self.b.is_real else 0
        return Value(made, self._clear(x.slots * v), log, off, x.size)

    def _other(self, op: str, x: Value) -> Value | None:
        """Actions that leave scale and level."""
        v = {"add_plain": self.b.values(8), "add_scalar": 0.25 if self.b.is_real else -7}.get(op)
        made, slots = {
            "neg": lambda: (self.s.neg(x.x), -x.slots),
            "add_plain": lambda: (self.s.add_plain(x.x, v), x.slots + v),
            "add_scalar": lambda: (self.s.add_scalar(x.x, v), x.slots + v),
            "rotate": lambda: (self.s.rotate(self.k, x.x, 3), turned(self.b, x.slots, 3)),
            "swap_rows": lambda: (self.s.swap_rows(self.k, x.x), swapped(self.b, x.slots)),
        }[op]()
        log = max(x.log, self._switching(x.x.level), log2(self.t) + 1) + 1
        if not self.b.is_real and not self._fits(log, x.x.level):
            return None
        off = x.off + bounds.slots(self.b, x.x.level) if self.b.is_real else 0
        return Value(made, self._clear(slots), log, off, x.size + 1)

    def _clear(self, slots: Any) -> Any:
        return self.b.clear(slots)


def swapped(bench: Toy, slots: Any) -> Any:
    return slots if bench.is_real else np.roll(slots, bench.slots // 2)


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data(), circuit=steps())
@settings(max_examples=150, deadline=None)
def test_a_circuit_decrypts_to_its_cleartext(
    scheme: str, data: Any, circuit: list[tuple[str, int, int]]
) -> None:
    names = [name for name in VARIANTS[scheme] if name != "whole limbs" and "bits" not in name]
    bench = toy(scheme, VARIANTS[scheme][data.draw(st.sampled_from(names))])
    walk = Walk(bench)
    values = [walk.fresh(1), walk.fresh(2)]
    for op, i, j in circuit:
        values.append(walk.step(op, values[i], values[j]))
    for value in values:
        assert bench.error(value.x, value.slots) <= value.off


def test_the_walk_makes_most_of_its_steps() -> None:
    """Else the property would say little: squares until the modulus is used up."""
    for scheme, least in {"ckks": LIMBS - 1, "bgv": LIMBS - 1, "bfv": 3}.items():
        walk = Walk(toy(scheme, VARIANTS[scheme]["digits of one limb"]))
        value, made = walk.fresh(1), 0
        while (squared := walk.step("square", value, value)) is not value:
            value, made = squared, made + 1
            if made == least:
                break
        assert made == least
        assert walk.b.error(value.x, value.slots) <= value.off
