"""BGV and BFV on the toy ring: programs, executed, and the noise of every value measured.

Plaintexts are random polynomials modulo t instead of slots, which noise does not tell apart; a rotation is
the automorphism that turns slots. Every modulus is 1 modulo t, so that dividing by one leaves BGV plaintexts
as they are.
"""

from dataclasses import dataclass
from math import prod

import numpy as np

from fheasible.program.types import Action, Operation, Program, Scheme

from .toy import InsecureRing, Poly, centred, divided

Cipher = tuple[Poly, ...]


@dataclass
class Toy:
    """One run: what every value is encrypted as, what it should be, and its noise."""

    program: Program
    q: tuple[int, ...]
    p: int
    t: int
    ring: InsecureRing

    def __post_init__(self) -> None:
        self.bgv = self.program.scheme is Scheme.BGV
        self.relinearisation = self._switching_key(self.ring.mul(self.ring.secret, self.ring.secret))
        self.plains = [self._plain(i) for i in range(len(self.program.plains))]
        self.made: dict[int, Cipher] = {}
        self.true: dict[int, Poly] = {}
        self.noise: dict[int, Poly] = {}
        self.right: dict[int, bool] = {}
        for o in self.program.operations:
            self.step(o)

    def modulus(self, o: Operation) -> int:
        return prod(self.q[: o.level + 1]) if self.bgv else prod(self.q)

    def step(self, o: Operation) -> None:
        q = self.modulus(o)
        found = self._message() if o.action is Action.ENCRYPT else self._truth(o)
        self.true[o.out] = found = centred(found, self.t)
        cipher = self._encrypt(found, q) if o.action is Action.ENCRYPT else self._apply(o, q)
        self.made[o.out] = tuple(centred(c, q) for c in cipher)
        self._look(o.out, q)

    def _look(self, value: int, q: int) -> None:
        phase, message = self.ring.phase(self.made[value], q), self.true[value]
        if self.bgv:
            self.noise[value] = centred(phase - message, q) / self.t
            decrypted = centred(phase, self.t)
        else:
            self.noise[value] = centred(phase - divided(message * q, self.t), q)
            decrypted = centred(divided(phase * self.t, q), self.t)
        self.right[value] = bool((decrypted == message).all())

    # -- messages --------------------------------------------------------------------------------

    def _message(self) -> Poly:
        return self.ring.uniform(self.t)

    def _plain(self, i: int) -> Poly:
        plain = self.program.plains[i]
        if len(plain) > 1:
            return self._message()
        return np.array([int(plain[0])] + [0] * (self.ring.n - 1), dtype=object)

    def _truth(self, o: Operation) -> Poly:
        x, y = self.true[o.args[0]], self.true[o.args[-1]]
        plain = self.plains[o.plain] if o.plain is not None else x
        match o.action:
            case Action.ADD:
                return x + y
            case Action.SUB:
                return x - y
            case Action.NEG:
                return -x
            case Action.MUL | Action.SQUARE:
                return self.ring.mul(x, y)
            case Action.ADD_PLAIN | Action.ADD_SCALAR:
                return x + plain
            case Action.MUL_PLAIN | Action.MUL_SCALAR:
                return self.ring.mul(x, plain)
            case Action.ROTATE | Action.SWAP_ROWS:
                return self._turned(x, o)
        return x

    # -- ciphertexts -----------------------------------------------------------------------------

    def _encrypt(self, message: Poly, q: int) -> Cipher:
        if self.bgv:
            return self.ring.encrypt(message, q, error_factor=self.t)
        return self.ring.encrypt(divided(message * q, self.t), q)

    def _apply(self, o: Operation, q: int) -> Cipher:
        x, y = self.made[o.args[0]], self.made[o.args[-1]]
        match o.action:
            case Action.ADD:
                return _together(x, y)
            case Action.SUB:
                return _together(x, tuple(-c for c in y))
            case Action.NEG:
                return tuple(-c for c in x)
            case Action.MUL | Action.SQUARE:
                return self._tensor(x, y, q)
            case Action.RELINEARIZE:
                return _together(x[:2], self._switched(x[2], self.relinearisation, q))
            case Action.ROTATE | Action.SWAP_ROWS:
                return self._rotated(x, o, q)
            case Action.RESCALE:
                return tuple(self._divided(c, self.q[o.level + 1]) for c in x)
            case Action.DROP:
                return x
            case Action.ADD_PLAIN | Action.ADD_SCALAR:
                plain = self.plains[o.plain or 0]
                return (x[0] + (plain if self.bgv else divided(plain * q, self.t)), *x[1:])
            case Action.MUL_PLAIN | Action.MUL_SCALAR:
                return tuple(self.ring.mul(c, self.plains[o.plain or 0]) for c in x)
        raise AssertionError(f"the toy has no {o.action}")

    def _tensor(self, x: Cipher, y: Cipher, q: int) -> Cipher:
        mul = self.ring.mul
        products = mul(x[0], y[0]), mul(x[0], y[1]) + mul(x[1], y[0]), mul(x[1], y[1])
        return products if self.bgv else tuple(divided(c * self.t, q) for c in products)

    def _divided(self, c: Poly, by: int) -> Poly:
        """To the nearest polynomial that is the same modulo t."""
        if not self.bgv:
            return divided(c, by)
        return (c - self.t * centred(c * pow(self.t, -1, by), by)) // by

    def _rotated(self, x: Cipher, o: Operation, q: int) -> Cipher:
        c0, c1 = (self._turned(c, o) for c in x)
        key = self._switching_key(self._turned(self.ring.secret, o))
        switched = self._switched(c1, key, q)
        return c0 + switched[0], switched[1]

    def _turned(self, x: Poly, o: Operation) -> Poly:
        """x(X^g), g = 5^steps, or -1 for the rows."""
        two_n = 2 * self.ring.n
        g = pow(5, o.steps, two_n) if o.action is Action.ROTATE else two_n - 1
        turned = np.zeros(self.ring.n, dtype=object)
        for i, c in enumerate(x):
            sign, at = divmod(i * g % two_n, self.ring.n)
            turned[at] = -c if sign else c
        return turned

    def _switching_key(self, secret: Poly) -> list[Cipher]:
        whole, key = prod(self.q), []
        for own in self.q:
            rest = whole // own
            b, a = self.ring.public_key(whole * self.p, self.t if self.bgv else 1)
            key.append((b + self.p * rest * pow(rest, -1, own) * secret, a))
        return key

    def _switched(self, c: Poly, key: list[Cipher], q: int) -> Cipher:
        """c times the key's secret, limb by limb."""
        used = self.q[: _limbs(self.q, q)]
        total = [np.zeros(self.ring.n, dtype=object)] * 2
        for own, part in zip(used, key, strict=False):
            digit = centred(c, own)
            total = [
                t + self.ring.mul(digit, centred(k, q * self.p)) for t, k in zip(total, part, strict=True)
            ]
        return tuple(self._divided(centred(t, q * self.p), self.p) for t in total)


def _limbs(chain: tuple[int, ...], q: int) -> int:
    return next(l for l in range(1, len(chain) + 1) if prod(chain[:l]) == q)


def _together(x: Cipher, y: Cipher) -> Cipher:
    zero = np.zeros(len(x[0]), dtype=object)
    long = max(len(x), len(y))
    padded = [(*c, *[zero] * (long - len(c))) for c in (x, y)]
    return tuple(a + b for a, b in zip(*padded, strict=True))
