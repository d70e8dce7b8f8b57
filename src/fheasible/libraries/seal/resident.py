"""The resident set of SEAL 4.4.0 in limbs of 8n bytes.

SEAL's pool (native/src/seal/util/mempool.cpp) keeps a list of free buffers for each exact size and never
gives one back. So the resident set is, size by size, the most buffers that were ever in use at once. The
buffers were read in native/src/seal/*.cpp [SEAL] and compared with the wheel's resident set, operation by
operation.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, assert_never

import numpy as np

from fheasible.aliases import Ints
from fheasible.errors import UnsupportedOperation
from fheasible.libraries.block import Sets
from fheasible.libraries.steps import StepKind, Timeline, outputs, timeline
from fheasible.program.types import Action, Program

ENCODED: Final = (Action.ENCRYPT, Action.ADD_PLAIN, Action.MUL_PLAIN)
TABLE: Final = 4  # limbs of one prime's roots and their quotients, for both directions


class ContextChain(NamedTuple):
    """The parts of the parameters that the memory of operations depends on."""

    scheme: str
    limbs: int
    special: int

    @staticmethod
    def of(p: Sets) -> "ContextChain":
        return ContextChain(p.scheme, p.limbs, len(p.p))


def context(program: Program, p: Sets) -> float:
    """The limbs of the context. Every level has tables for its primes and for an auxiliary base as large.

    In CKKS our worker has one more context, of two levels, for each lower level that a vector is encoded at,
    because the binding encodes only at the top.
    """
    top = p.limbs + len(p.p)
    own = sum(_level(p, k) for k in range(1, top + 1))
    if p.scheme != "ckks":
        return own + 2  # the encoder
    encoded = {step.made_limbs - 1 for step in timeline(program, p.limbs).steps if step.action in ENCODED}
    lower = encoded - {p.limbs - 1}
    return own + 5.5 + sum(_level(p, k + 2) + _level(p, k + 1) + 5.5 for k in lower)


def _level(p: Sets, limbs: int) -> float:
    """The limbs of one level's tables.

    These are the roots of its primes, of the auxiliary base and of t, and a slot for each automorphism's
    table.
    """
    return TABLE * (2 * limbs + 1) + TABLE * (p.scheme != "ckks") + TABLE


def keys(program: Program, p: Sets, switching_keys: int) -> float:
    """The limbs of the keys.

    Switching keys are lists of public keys over QP; the encryptor has a copy of the public key.
    """
    extended = p.limbs + len(p.p)
    return switching_keys * 2 * p.limbs * extended + 5 * extended


def key_generation(p: Sets) -> float:
    """The limbs of the generator's own copies of the secret key."""
    return 2.0 * (p.limbs + len(p.p))


def evaluation(program: Program, p: Sets, switching_keys: int) -> float:
    """The limbs that pools take beside context and keys, from the first encryption to the last decryption."""
    return float(_pools(program, ContextChain.of(p))[-1])


def over_time(program: Program, p: Sets, switching_keys: int) -> list[float]:
    """The limbs that pools have taken by the end of each operation, and of the last decryption."""
    found: list[float] = _pools(program, ContextChain.of(p)).tolist()
    return found


@lru_cache(maxsize=1024)
def _pools(program: Program, chain: ContextChain) -> Ints:
    """The limbs that pools have taken by the end of each operation, and of the last decryption.

    Of each size, a pool keeps as many buffers as were ever in use at once: the values' before an operation,
    those that it borrows as well during it, and its result's after it.
    """
    followed = timeline(program, chain.limbs)
    rooms = [capacity(chain, step) for step in followed.steps]
    borrowed = [Counter(temporaries(chain, step)) for step in followed.steps]
    decoded = [Counter(decoding(chain, o.limbs)) for o in outputs(program, chain.limbs)]
    sizes = np.array(sorted({1, *rooms, *(size for each in (*borrowed, *decoded) for size in each)}))
    made = np.searchsorted(sizes, rooms)
    wanted = _numbers(borrowed, sizes)
    wanted[np.arange(len(rooms)), made] = np.maximum(wanted[np.arange(len(rooms)), made], 1)
    used = _in_use(followed, made, len(sizes))
    places = np.array(followed.places, dtype=np.int64)
    at_once = np.concatenate([used[:-1] + wanted[places], used[-1:] + _numbers(decoded, sizes).max(axis=0)])
    taken = np.maximum.accumulate(at_once, axis=0) @ sizes
    taken[-1] += _decryptor(chain, max((o.limbs for o in outputs(program, chain.limbs)), default=0))
    return np.asarray(taken)


def _numbers(buffers: Sequence[Counter[int]], sizes: Ints) -> Ints:
    """How many buffers there are, as an array (each, size); one row of zeros where `buffers` is empty."""
    found = np.zeros((max(len(buffers), 1), len(sizes)), dtype=np.int64)
    for i, each in enumerate(buffers):
        found[i, np.searchsorted(sizes, list(each))] = list(each.values())
    return found


def _in_use(followed: Timeline, made: Ints, sizes: int) -> Ints:
    """How many buffers values have, as an array (time, size): before the first operation and after each."""
    change = np.zeros((len(followed.places) + 1, sizes), dtype=np.int64)
    room = made[np.array(followed.places, dtype=np.int64)]
    change[1 + np.arange(len(room)), room] = 1
    for time, dying in enumerate(followed.dying, 1):
        for maker in dying:
            change[time, room[maker]] -= 1
    return np.cumsum(change, axis=0)


def decoding(chain: ContextChain, k: int) -> Iterable[int]:
    """The sizes of the buffers in use at once when a result is decoded: a copy, the buffer in which integers
    are composed, and complex numbers."""
    return (k, k, 2) if chain.scheme == "ckks" else ()


def _decryptor(p: ContextChain, k: int) -> int:
    """The limbs of the decryptor's own pool: the secret key, and for integers three polynomials that end
    modulo t."""
    return p.limbs + p.special + (0 if p.scheme == "ckks" else 3 * k)


def capacity(p: ContextChain, step: StepKind) -> int:
    """The limbs of a result's buffer: a copy of the operand's limbs, which may shrink but keeps its room."""
    match step.action:
        case Action.ENCRYPT if p.scheme == "bgv":
            return 2 * p.limbs  # at the top, then switched down
        case Action.MUL | Action.SQUARE:
            return 3 * step.limbs
        case Action.RESCALE:
            return step.result
        case Action.EVAL_SUM | Action.EVAL_CHEBYSHEV:
            raise UnsupportedOperation(f"SEAL has no {step.action}", "lower the program for its style")
    return step.parts * step.limbs


def temporaries(p: ContextChain, step: StepKind) -> Iterable[int]:
    """The sizes of the buffers in use at once during an operation, beside operands and result."""
    k, parts = step.limbs, step.parts
    match step.action:
        case Action.ENCRYPT:
            return _encryption(p, k)
        case Action.MUL | Action.SQUARE if p.scheme == "bfv":
            return _behz(k, 1 if step.action is Action.SQUARE else 2)
        case Action.SQUARE if p.scheme == "bgv":
            return (2 * k, 3 * k)
        case Action.MUL | Action.SQUARE:
            return (2 * k,)  # the copy before it grows to three polynomials
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
        case Action.ADD | Action.SUB | Action.NEG:
            return ()
        case Action.EVAL_SUM | Action.EVAL_CHEBYSHEV:
            raise UnsupportedOperation(f"SEAL has no {step.action}", "lower the program for its style")
        case _:
            assert_never(step.action)


def _encryption(p: ContextChain, k: int) -> tuple[int, ...]:
    """The sizes of an encryption's buffers: the encoded values, an encryption of zero one prime higher."""
    if p.scheme == "ckks":
        return (k, 2, 2 * (k + 1), 1)
    switched = (2 * p.limbs, *_drop(p, 2, p.limbs, k)) if k < p.limbs else ()
    return (1, p.limbs, 2 * (p.limbs + p.special), 1, *switched)


def _drop(p: ContextChain, parts: int, top: int, bottom: int) -> tuple[int, ...]:
    """The sizes of a drop's buffers, one for each prime that goes.

    CKKS removes a prime by way of a copy of the other limbs; BGV divides a copy of all limbs.
    """
    own = p.scheme == "bgv"
    return tuple(parts * (j + own) for j in range(bottom, top))


def _switch(k: int) -> tuple[int, ...]:
    """The sizes of a key switch's buffers: the target, two sums over Q and P, their accumulators of two
    words, and one digit."""
    return (k, 2 * (k + 1), 4, 1)


def _behz(k: int, factors: int) -> tuple[int, ...]:
    """The sizes of the buffers of BFV's product: factors and product over q and over the auxiliary base,
    which has one prime more, and one polynomial over both."""
    b = k + 1
    return (*(2 * k, 2 * b) * factors, 3 * k, 3 * b, k + b, b, b, 1)
