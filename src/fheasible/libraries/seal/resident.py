"""The resident set of SEAL 4.4.0 in limbs of 8n bytes.

Its pool (native/src/seal/util/mempool.cpp) keeps a list of free buffers for each exact size and never gives
one back, so that the resident set is, size by size, the most buffers that were ever in use at once. They were
read in native/src/seal/*.cpp [SEAL] and compared with the wheel's resident set, operation by operation.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from fheasible.libraries.parameters import Parameters
from fheasible.libraries.steps import Step, output_limbs, steps
from fheasible.program.types import Action, Program

ENCODED: Final = (Action.ENCRYPT, Action.ADD_PLAIN, Action.MUL_PLAIN)
TABLE: Final = 4  # limbs of one prime's roots and their quotients, both ways


@dataclass(slots=True)
class Pool:
    """Buffers in use and the most that ever were, by their size in limbs."""

    used: Counter[float] = field(default_factory=Counter)
    most: Counter[float] = field(default_factory=Counter)

    def take(self, *sizes: float) -> None:
        for size in sizes:
            self.used[size] += 1
            self.most[size] = max(self.most[size], self.used[size])

    def give(self, *sizes: float) -> None:
        self.used.subtract(sizes)

    def borrow(self, *sizes: float) -> None:
        self.take(*sizes)
        self.give(*sizes)

    @property
    def limbs(self) -> float:
        return sum(size * count for size, count in self.most.items())


def context(program: Program, p: Parameters) -> float:
    """Every level has tables of its own, for its primes and for an auxiliary base as large.

    CKKS: our worker has a context of two levels more for each lower one that a vector is encoded at, because
    the binding encodes at the top alone.
    """
    top = p.limbs + len(p.p)
    own = sum(_level(p, k) for k in range(1, top + 1))
    if p.scheme != "ckks":
        return own + 2  # the encoder
    lower = {o.level for o in program.operations if o.action in ENCODED} - {p.limbs - 1}
    return own + 5.5 + sum(_level(p, k + 2) + _level(p, k + 1) + 5.5 for k in lower)


def _level(p: Parameters, limbs: int) -> float:
    """Roots of the primes, of the auxiliary base and of t; a slot for each automorphism's table."""
    return TABLE * (2 * limbs + 1) + TABLE * (p.scheme != "ckks") + TABLE


def keys(program: Program, p: Parameters, switching_keys: int) -> float:
    """Switching keys are lists of public keys over QP; the encryptor has a copy of the public key."""
    extended = p.limbs + len(p.p)
    return switching_keys * 2 * p.limbs * extended + 5 * extended


def key_generation(p: Parameters) -> float:
    """The generator's own copies of the secret key."""
    return 2.0 * (p.limbs + len(p.p))


def evaluation(program: Program, p: Parameters, switching_keys: int) -> float:
    """What the pools take, beside context and keys, from the first encryption to the last decryption."""
    pool, held = Pool(), dict[int, float]()
    for step in steps(program, p):
        pool.borrow(*temporaries(p, step))
        held[step.operation.out] = size = capacity(p, step)
        pool.take(size)
        pool.give(*(held[v] for v in step.frees))
    outputs = output_limbs(program, p)
    for k in outputs if p.scheme == "ckks" else ():
        pool.borrow(k, k, 2)  # decoding: a copy, to compose, and complex numbers
    return pool.limbs + _decryptor(p, max(outputs, default=0))


def _decryptor(p: Parameters, k: int) -> float:
    """It has a pool of its own: the secret key, and for integers three polynomials that end modulo t."""
    return p.limbs + len(p.p) + (0 if p.scheme == "ckks" else 3 * k)


def capacity(p: Parameters, step: Step) -> float:
    """The buffer of a result: a copy of the operand's limbs that may shrink but keeps its room."""
    match step.action:
        case Action.ENCRYPT if p.scheme == "bgv":
            return 2 * p.limbs  # at the top, then switched down
        case Action.MUL | Action.SQUARE:
            return 3 * step.limbs
        case Action.RELINEARIZE | Action.DROP:
            return step.parts * step.limbs
        case Action.RESCALE:
            return step.result
    return step.parts * step.limbs


def temporaries(p: Parameters, step: Step) -> Iterable[float]:
    """Buffers in use at once during an operation, beside operands and result."""
    k, parts = step.limbs, step.parts
    match step.action:
        case Action.ENCRYPT:
            return _encryption(p, k)
        case Action.MUL | Action.SQUARE if p.scheme == "bfv":
            return _behz(k, 1 if step.action is Action.SQUARE else 2)
        case Action.SQUARE if p.scheme == "bgv":
            return (2 * k, 3 * k)
        case Action.MUL | Action.SQUARE:
            return (2 * k,)  # grows to the product's three polynomials
        case Action.RELINEARIZE:
            return _switch(k)
        case Action.ROTATE | Action.SWAP_ROWS:
            return (k, *_switch(k))
        case Action.RESCALE:
            return (parts * k, 1)
        case Action.DROP:
            return _drop(p, parts, k, step.made_limbs)
        case Action.ADD_PLAIN | Action.MUL_PLAIN:
            return (k, 2) if p.scheme == "ckks" else (k, 1, 1)
        case Action.ADD_SCALAR | Action.MUL_SCALAR:
            return (k,) if p.scheme != "bfv" else ()
    return ()


def _encryption(p: Parameters, k: int) -> tuple[float, ...]:
    """The encoded values, and an encryption of zero one prime higher."""
    if p.scheme == "ckks":
        return (k, 2, 2 * (k + 1), 1)
    switched = (2 * p.limbs, *_drop(p, 2, p.limbs, k)) if k < p.limbs else ()
    return (1, p.limbs, 2 * (p.limbs + len(p.p)), 1, *switched)


def _drop(p: Parameters, parts: int, top: int, bottom: int) -> tuple[float, ...]:
    """One prime after another: CKKS forgets it by way of a copy of the others, BGV divides a copy of all."""
    own = p.scheme == "bgv"
    return tuple(parts * (j + own) for j in range(bottom, top))


def _switch(k: int) -> tuple[float, ...]:
    """The target, two sums over Q and P, their accumulators of two words, one digit."""
    return (k, 2 * (k + 1), 4, 1)


def _behz(k: int, factors: int) -> tuple[float, ...]:
    """Factors and product over q and over the auxiliary base of one prime more; one polynomial over both."""
    b = k + 1
    return (*(2 * k, 2 * b) * factors, 3 * k, 3 * b, k + b, b, b, 1)
