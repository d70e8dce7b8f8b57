"""The resident set of SEAL 4.4.0 in limbs of 8n bytes.

SEAL's pool (native/src/seal/util/mempool.cpp) keeps a list of free buffers for each exact size and never
gives one back. So the resident set is, size by size, the most buffers that were ever in use at once. Which
buffers an action uses is in `buffers`.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from fheasible.aliases import Ints
from fheasible.libraries.block import Block, Sets
from fheasible.libraries.seal.buffers import Buffers, buffers
from fheasible.libraries.seal.case import SealCase, base_limbs, short_plain
from fheasible.libraries.steps import OutputSize, StepKind, Timeline, outputs, timeline
from fheasible.libraries.working import Working, WorkingMemory
from fheasible.program.types import Action, Program

ENCODED: Final = (Action.ENCRYPT, Action.ADD_PLAIN, Action.MUL_PLAIN)
TABLE: Final = 4  # limbs of one prime's roots and their quotients, for both directions


class ContextChain(NamedTuple):
    """The parts of the parameters that the memory of operations depends on.

    `base` is the number of primes of BEHZ's auxiliary base at the top.
    """

    scheme: str
    limbs: int
    special: int
    base: int

    @staticmethod
    def of(p: Sets) -> "ContextChain":
        return ContextChain(p.scheme, p.limbs, len(p.p), base_limbs(p, p.limbs))

    def case(self, limbs: int, polys: int, dropped: int = 0) -> SealCase:
        return SealCase(self.scheme, limbs, polys, dropped, self.limbs, self.special, self.base + 1)

    def operation(self, step: StepKind) -> Buffers:
        """The buffers of an operation of a program."""
        dropped = step.limbs - step.made_limbs if step.action is Action.DROP else 0
        return buffers(step.action, self.case(step.limbs, step.made_parts, dropped))

    def decryption(self, output: OutputSize) -> Buffers:
        """The buffers of the decryption of a result."""
        return buffers("decrypt", self.case(output.limbs, output.parts))


def memory_classes(block: Block) -> Ints:
    """A number for each set; sets with the same number have auxiliary bases of the same sizes.

    They have them wherever the plain modulus is short.
    """
    if block.scheme == "ckks" or short_plain(block):
        return np.zeros(len(block), dtype=np.int64)
    levels = range(1, block.limbs + len(block.p) + 1)
    bases = [[base_limbs(p, limbs) for limbs in levels] for p in block.exact]
    return np.unique(bases, axis=0, return_inverse=True)[1].reshape(-1)


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

    These are the roots of its primes, of the auxiliary base with m_sk, and of t, and a slot for each
    automorphism's table.
    """
    return TABLE * (limbs + base_limbs(p, limbs) + 1) + TABLE * (p.scheme != "ckks") + TABLE


def keys(program: Program, p: Sets, switching_keys: int) -> float:
    """The limbs of the keys.

    Switching keys are lists of public keys over QP; the encryptor has a copy of the public key.
    """
    extended = p.limbs + len(p.p)
    return switching_keys * 2 * p.limbs * extended + 5 * extended


def key_generation(p: Sets) -> float:
    """The limbs of the generator's own copies of the secret key."""
    return 2.0 * (p.limbs + len(p.p))


def evaluation(program: Program, p: Sets, switching_keys: int, threads: int | None = 1) -> float:
    """The limbs that pools take beside context and keys, from the first encryption to the last decryption."""
    return float(_pools(program, ContextChain.of(p))[-1])


def over_time(program: Program, p: Sets, switching_keys: int, threads: int | None = 1) -> list[float]:
    """The limbs that pools have taken by the end of each operation, and of the last decryption."""
    found: list[float] = _pools(program, ContextChain.of(p)).tolist()
    return found


def working(program: Program, p: Sets, switching_keys: int) -> WorkingMemory:
    """The buffers of each operation. An operation reads the roots of its own level, and a key switch also
    those of QP, because every level has tables of its own."""
    chain = ContextChain.of(p)
    followed = timeline(program, chain.limbs)
    each = [_worked(chain, step.limbs, chain.operation(step)) for step in followed.steps]
    return WorkingMemory(
        tuple([each[place] for place in followed.places]),
        tuple([_worked(chain, o.limbs, chain.decryption(o)) for o in outputs(program, chain.limbs)]),
    )


def _worked(chain: ContextChain, limbs: int, used: Buffers) -> Working:
    temporary = used.pooled - Counter([used.result]) + used.others
    roots = {f"roots of {k}": TABLE * k for k in (limbs, chain.limbs + chain.special)}
    return Working((used.result,), tuple(temporary.elements()), read=roots)


@lru_cache(maxsize=1024)
def _pools(program: Program, chain: ContextChain) -> Ints:
    """The limbs that pools have taken by the end of each operation, and of the last decryption.

    Of each size, a pool keeps as many buffers as were ever in use at once: the values' before an operation,
    and its own, with its result's.
    """
    followed = timeline(program, chain.limbs)
    made = [chain.operation(step) for step in followed.steps]
    decrypted = [chain.decryption(output) for output in outputs(program, chain.limbs)]
    borrowed, decoded = ([each.pooled for each in some] for some in (made, decrypted))
    sizes = np.array(sorted({1, *(size for each in (*borrowed, *decoded) for size in each)}))
    used = _in_use(followed, np.searchsorted(sizes, [each.result for each in made]), len(sizes))
    places, last = np.array(followed.places, dtype=np.int64), _numbers(decoded, sizes).max(axis=0)
    at_once = np.concatenate([used[:-1] + _numbers(borrowed, sizes)[places], used[-1:] + last])
    taken = np.maximum.accumulate(at_once, axis=0) @ sizes
    taken[-1] += _decryptor(chain, decrypted)
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


def _decryptor(chain: ContextChain, decrypted: Sequence[Buffers]) -> int:
    """The limbs of the decryptor's own pool: the secret key, and the most buffers of each size."""
    found: Counter[int] = Counter()
    for each in decrypted:
        found |= each.others
    return chain.limbs + chain.special + sum(size * count for size, count in found.items())
