"""Every action of a program: how a scheme is asked for it, and what it means for slots."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.schemes.rns.arithmetic import ResidueArithmetic
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from schemes.rns.toy import Operands, Toy

Run = Callable[[ResidueArithmetic, RnsKeys, Ciphertext, Ciphertext, Any], Ciphertext]
Clear = Callable[[Toy, Any, Any, Any], Any]


SCALARS = {True: 0.734375, False: -31}  # of real schemes, of the others


@dataclass(frozen=True)
class Action:
    """`run` on ciphertexts of a and b, with the plain operand v; `clear` on their slots."""

    run: Run
    clear: Clear
    product: bool = False  # its result is as large as a product: not for level 0
    lowers: bool = False  # its result is at a lower level: not for level 0
    scalar: bool = False  # v is one number
    not_in: str = ""  # the one scheme that has no such action

    def possible(self, scheme: str, level: int) -> bool:
        return scheme != self.not_in and (level > 0 or not (self.product or self.lowers))

    def made(self, bench: Toy, o: Operands) -> Ciphertext:
        return self.run(bench.scheme, bench.keys, o.x, o.y, self._plain(bench, o))

    def expected(self, bench: Toy, o: Operands) -> Any:
        return self.clear(bench, o.a, o.b, self._plain(bench, o))

    def _plain(self, bench: Toy, o: Operands) -> Any:
        return SCALARS[bench.is_real] if self.scalar else o.v


def turned(toy: Toy, slots: Any, steps: int) -> Any:
    """Slot i receives slot i + steps of its row."""
    rows = np.asarray(slots).reshape(1 if toy.is_real else 2, -1)
    return np.roll(rows, -steps, axis=1).reshape(-1)


def swapped(toy: Toy, slots: Any) -> Any:
    """The other row; conjugated, in CKKS."""
    return np.conj(slots) if toy.is_real else np.roll(slots, toy.slots // 2)


ACTIONS = {
    "encrypt": Action(lambda s, k, x, y, v: x, lambda toy, a, b, v: a),
    "add": Action(lambda s, k, x, y, v: s.add(x, y), lambda toy, a, b, v: a + b),
    "sub": Action(lambda s, k, x, y, v: s.sub(x, y), lambda toy, a, b, v: a - b),
    "neg": Action(lambda s, k, x, y, v: s.neg(x), lambda toy, a, b, v: -a),
    "mul": Action(lambda s, k, x, y, v: s.mul(x, y), lambda toy, a, b, v: a * b, product=True),
    "square": Action(lambda s, k, x, y, v: s.square(x), lambda toy, a, b, v: a * a, product=True),
    "relinearize": Action(
        lambda s, k, x, y, v: s.relinearize(k, s.mul(x, y)), lambda toy, a, b, v: a * b, product=True
    ),
    "rescale": Action(
        lambda s, k, x, y, v: s.rescale(s.mul(x, y)), lambda toy, a, b, v: a * b, lowers=True, not_in="bfv"
    ),
    "rescale two parts": Action(
        lambda s, k, x, y, v: s.rescale(s.relinearize(k, s.square(x))),
        lambda toy, a, b, v: a * a,
        lowers=True,
        not_in="bfv",
    ),
    "drop": Action(
        lambda s, k, x, y, v: s.drop(x, x.level - 1), lambda toy, a, b, v: a, lowers=True, not_in="bfv"
    ),
    "add_plain": Action(lambda s, k, x, y, v: s.add_plain(x, v), lambda toy, a, b, v: a + v),
    "mul_plain": Action(lambda s, k, x, y, v: s.mul_plain(x, v), lambda toy, a, b, v: a * v, product=True),
    "add_scalar": Action(lambda s, k, x, y, v: s.add_scalar(x, v), lambda toy, a, b, v: a + v, scalar=True),
    "mul_scalar": Action(
        lambda s, k, x, y, v: s.mul_scalar(x, v), lambda toy, a, b, v: a * v, product=True, scalar=True
    ),
    "rotate": Action(lambda s, k, x, y, v: s.rotate(k, x, 3), lambda toy, a, b, v: turned(toy, a, 3)),
    "rotate back": Action(lambda s, k, x, y, v: s.rotate(k, x, -1), lambda toy, a, b, v: turned(toy, a, -1)),
    "rotate_hoisted": Action(
        lambda s, k, x, y, v: s.sub(*s.rotate_hoisted(k, x, (1, 3))),
        lambda toy, a, b, v: turned(toy, a, 1) - turned(toy, a, 3),
    ),
    "swap_rows": Action(lambda s, k, x, y, v: s.swap_rows(k, x), lambda toy, a, b, v: swapped(toy, a)),
}
