"""How much one operation of a library is: its own way, run on the counting ring.

A count depends on numbers of limbs and on the variant alone, never on the ring dimension: limbs of n
coefficients are what is counted, so that one count serves every ring; and of a layout on little (`cells`), so
that many layouts share it.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fheasible.libraries.block import Block, Sets
from fheasible.libraries.cells import Cell
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.table import COLUMNS, Rows, rows

Counts = Mapping[str, int]


def written(library: str, scheme: str, n: int, slots: int) -> tuple[int, int]:
    """How a vector of so many slots is encoded in a ring of n: the slots that are embedded, and the
    coefficients that then are not 0.

    In CKKS OpenFHE embeds the slots alone, at every n/2/slots-th coefficient (CKKSPackedEncoding::Encode
    [OpenFHE]). For Lattigo and SEAL our workers repeat them, and the same coefficients are exactly 0: Lattigo
    writes zeros without more ado (SingleFloat64ToFixedPointCRT [Lattigo]), SEAL treats all alike. A transform
    modulo t (BFV, BGV) fills the ring.
    """
    if scheme != "ckks" or library == "seal":
        return n // 2, n
    return slots if library == "openfhe" else n // 2, 2 * slots


@dataclass(frozen=True, slots=True)
class Layout:
    """What of the parameters decides how much an operation is.

    BFV multiplies over auxiliary primes, whose number follows from sizes, and OpenFHE's leaves out limbs that
    the noise does not need: of BFV alone the ring dimension, the plaintext modulus, the bits of Q's primes on
    the average and the secret are part of this; of Lattigo alone those of P's largest, by which it knows how
    many products fit a word.
    """

    library: str
    scheme: str
    limbs: int
    special: int
    digits: int
    key_switching: str = "hybrid"
    ring_dimension: int = 0
    plain_modulus: int | None = None
    prime_bits: float = 1.0
    secret: str = ""
    special_bits: int = 1
    flooded: bool = False

    @staticmethod
    def of(p: Parameters) -> "Layout":
        special_bits = max(p.p, default=1).bit_length() if p.library == "lattigo" else 1
        return Layout._of(p, special_bits, p.flooding > 0, round(p.log_q / p.limbs, 6))

    @staticmethod
    def each(sets: Sequence[Parameters] | Block) -> list["Layout"]:
        """That of each set, in order; equal ones are one object in a block."""
        if not isinstance(sets, Block):
            return [Layout.of(p) for p in sets]
        special_bits = np.ones(len(sets), dtype=np.int64)
        if sets.library == "lattigo" and sets.p:
            special_bits = np.ceil(np.log2(np.max(sets.p, axis=0))).astype(
                np.int64
            )  # no prime is a power of two
        bits = np.round(sets.log_q / sets.limbs, 6) if sets.scheme == "bfv" else np.ones(len(sets))
        minded = list(zip(special_bits.tolist(), (sets.flooding > 0).tolist(), bits.tolist(), strict=True))
        known = {facts: Layout._of(sets, *facts) for facts in set(minded)}
        return [known[facts] for facts in minded]

    @staticmethod
    def _of(p: Sets, special_bits: int, flooded: bool, prime_bits: float) -> "Layout":
        shared = Layout(
            p.library,
            p.scheme,
            p.limbs,
            len(p.p),
            p.digits,
            p.key_switching,
            special_bits=special_bits,
            flooded=flooded,
        )
        if p.scheme != "bfv":
            return shared
        return replace(
            shared,
            ring_dimension=p.ring_dimension,
            plain_modulus=p.plain_modulus,
            prime_bits=prime_bits,
            secret=p.secret,
        )

    def parameters(self) -> Parameters:
        """Parameters of this layout, whose primes stand for any of their size."""
        return Parameters(
            self.library,
            self.scheme,
            ring_dimension=self.ring_dimension,
            q=(round(2**self.prime_bits) - 1,) * self.limbs,
            p=((1 << self.special_bits) - 1,) * self.special,
            digits=self.digits,
            key_switching=self.key_switching,
            secret=self.secret,
            plain_modulus=self.plain_modulus,
            levels=0 if self.scheme == "bfv" else self.limbs - 1,
            flooding=float(self.flooded),
        )


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of operation: an action of programs, "decrypt" or "keygen".

    `level`: l + 1 limbs (BFV: all of them); `polys`: polynomials of the result, of "keygen" the number of
    switching keys; `dropped`: limbs that a drop takes away; `depth`: products before it, one after another.
    """

    action: str
    level: int
    polys: int = 2
    dropped: int = 0
    depth: int = 0


def minded(layout: Layout) -> Hashable:
    """What counts mind of the sizes of BFV's primes: layouts that differ in these alone count the same where
    it is the same."""
    if layout.library == "openfhe":
        return layout  # by each operation's depth
    return tuple([Cell.of(layout, Task(action, layout.limbs - 1)).own for action in ("mul", "relinearize")])


def counts(layout: Layout, task: Task) -> Counts:
    """Kernels of the operation, in limbs of n coefficients; `peak_limbs` and `operand_limbs` among them. What
    is none is left out."""
    row = rows((Cell.of(layout, task),))[0].tolist()
    return {name: count for name, count in zip(COLUMNS, row, strict=True) if count}


def count_rows(layout: Layout, tasks: Sequence[Task]) -> Rows:
    """The same of each task, in the order of `COLUMNS`."""
    return rows([Cell.of(layout, task) for task in tasks])
