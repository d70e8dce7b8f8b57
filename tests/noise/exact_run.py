"""A program, really executed by the RNS schemes in a library's own variant, and the noise of every value."""

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.openfhe import operations as openfhe
from fheasible.libraries.parameters import IntegerParameters
from fheasible.libraries.primes import descending
from fheasible.noise.primitive import key_sigma, variant
from fheasible.program.schedule import product_depths
from fheasible.program.simulate import run as in_the_clear
from fheasible.program.types import Action, Operation, Program, chunk
from fheasible.rings.rns.exact import ExactRnsRing
from fheasible.schemes.rns.bfv import BFV
from fheasible.schemes.rns.bgv import BGV
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsSpec
from fheasible.schemes.rns.encryption import phase
from fheasible.schemes.rns.variant import Message, Multiplication, Variant

Slots = NDArray[Any]
_SCHEMES = {"bgv": BGV, "bfv": BFV}
_METHODS = {
    Action.ADD: "add", Action.SUB: "sub", Action.NEG: "neg", Action.MUL: "mul", Action.SQUARE: "square",
    Action.RESCALE: "rescale",
}  # fmt: skip
_PLAIN = {
    Action.ADD_PLAIN: "add_plain", Action.MUL_PLAIN: "mul_plain", Action.ADD_SCALAR: "add_scalar",
    Action.MUL_SCALAR: "mul_scalar",
}  # fmt: skip
_KEYED = {Action.RELINEARIZE: "relinearize", Action.SWAP_ROWS: "swap_rows"}


def own_variant(p: IntegerParameters, depth: int = 0) -> Variant:
    """Of the library; OpenFHE's BFV minds how many products lie before."""
    return openfhe.variant(p, depth) if p.library == "openfhe" else variant(p)


@dataclass
class Run:
    """One run with fresh keys. `noise`: the polynomial e of each value, |m + t·e| < Q/2 decrypted rightly."""

    program: Program
    p: IntegerParameters
    data: dict[str, Slots]
    seed: int

    def __post_init__(self) -> None:
        p, program = self.p, self.program
        self.ring = ExactRnsRing(p.ring_dimension, p.q, p.p, _extra(p), self.seed)
        self.depths = product_depths(program)
        first = self._scheme(0)
        self.keys = first.keygen(program.relinearizes, program.rotations, program.swaps_rows)
        clear = in_the_clear(program, self.data, p.plain_modulus)
        chunks = {i.name: chunk(self.data[i.name], program.slots) for i in program.inputs}
        self.noise: dict[int, NDArray[np.float64]] = {}
        self.right: dict[int, bool] = {}
        made: dict[int, Ciphertext] = {}
        for o in program.operations:
            scheme = self._scheme(max((self.depths[a] for a in o.args), default=0))
            if o.action is Action.ENCRYPT:
                made[o.out] = scheme.encrypt(self.keys, chunks[o.source][o.chunk], self._level(o))
            else:
                made[o.out] = self._apply(scheme, o, [made[a] for a in o.args])
            self.noise[o.out] = self._noise(scheme, made[o.out])
            found = scheme.decrypt(self.keys, made[o.out])
            self.right[o.out] = bool(np.array_equal(found[: program.slots], clear[o.out]))
            for v in o.frees:
                del made[v]

    def _scheme(self, depth: int) -> BGV | BFV:
        spec = RnsSpec(self.p.plain_modulus, key_sigma=key_sigma(self.p))
        return _SCHEMES[self.p.scheme](self.ring, spec, own_variant(self.p, depth))

    def _level(self, o: Operation) -> int:
        return self.p.limbs - 1 if self.p.scheme == "bfv" else o.level

    def _apply(self, scheme: BGV | BFV, o: Operation, xs: list[Ciphertext]) -> Ciphertext:
        if o.action in _METHODS:
            return getattr(scheme, _METHODS[o.action])(*xs)
        if o.action in _PLAIN:
            plain = self.program.plains[o.plain or 0]
            return getattr(scheme, _PLAIN[o.action])(xs[0], plain if len(plain) > 1 else int(plain[0]))
        if o.action in _KEYED:
            return getattr(scheme, _KEYED[o.action])(self.keys, xs[0])
        if o.action is Action.ROTATE:
            return scheme.rotate(self.keys, xs[0], o.steps)
        assert o.action is Action.DROP
        return scheme.drop(xs[0], o.level)

    def _noise(self, scheme: BGV | BFV, x: Ciphertext) -> NDArray[np.float64]:
        t = self.p.plain_modulus
        found = phase(self.ring, x.parts, self.keys.secret, scheme.variant)
        if scheme.message is not Message.LOW:
            found = self.ring.scale(found, t)
        return np.array([float(c) for c in self.ring.lift(found)]) / t


def _extra(p: IntegerParameters) -> tuple[int, ...]:
    """The auxiliary primes that `schemes.rns.auxiliary` lists, t the last."""
    n, t = p.ring_dimension, p.plain_modulus
    if p.scheme == "bgv":
        return (t,)
    multiplication = variant(p).multiplication
    spare = 0 if multiplication is Multiplication.HPS_OVER_Q_LEVELED else 1
    used = {*p.q, *p.p, t}
    basis = [q for q in islice(descending(61, 2 * n), p.limbs + 40) if q not in used][: p.limbs + spare]
    if multiplication is not Multiplication.BEHZ:
        return (*basis, t)
    return (*basis, *(descending(bits, 2 * n).first(1)[0] for bits in (60, 32, 59)), t)
