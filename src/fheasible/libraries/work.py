"""How much one operation of a library is: its own way, run on the counting ring.

A count depends on numbers of limbs and on the variant alone, never on the ring dimension: limbs of n
coefficients are what is counted, so that one count serves every ring.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from fheasible.libraries.lattigo import way as lattigo_way
from fheasible.libraries.openfhe import way as openfhe_way
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.seal import way as seal_way

Counts = Mapping[str, float]
_Way = Callable[[Parameters, str, int, int, int, int], Counts]

_WAYS: dict[str, _Way] = {
    "openfhe": openfhe_way.perform,
    "seal": seal_way.perform,
    "lattigo": lattigo_way.perform,
}


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
        shared = Layout(
            p.library,
            p.scheme,
            p.limbs,
            len(p.p),
            p.digits,
            p.key_switching,
            special_bits=special_bits,
            flooded=p.flooding > 0,
        )
        if p.scheme != "bfv":
            return shared
        return replace(
            shared,
            ring_dimension=p.ring_dimension,
            plain_modulus=p.plain_modulus,
            prime_bits=round(p.log_q / p.limbs, 6),
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


@lru_cache(maxsize=1 << 16)
def counts(layout: Layout, task: Task) -> Counts:
    """Kernels of the operation, in limbs of n coefficients; `peak_limbs` and `operand_limbs` among them."""
    way = _WAYS[layout.library]
    return dict(way(layout.parameters(), task.action, task.level, task.polys, task.dropped, task.depth))
