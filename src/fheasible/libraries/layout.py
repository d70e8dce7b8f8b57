"""What decides how much one operation is: the part of a parameter set that does (`Layout`), the operation
(`Task`), and what a count of kernels depends on of both and nothing more (`Cell`).

A count depends on numbers of limbs and on the variant alone, never on the ring dimension: limbs of n
coefficients are what is counted, so that one count serves every ring. A key switch depends on the limbs it
works on, on those of a digit and of P, not on the chain's length; a sum on its limbs alone; encryption and
key generation on the chain. Layouts that differ in nothing else share a cell, and so their counts. Which cell
a task has is each library's own (`Library.cell`).
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from fheasible.libraries.parameters import Parameters
from fheasible.program.types import LACKING

SWITCHING: Final = frozenset(("relinearize", "rotate", "rotate_hoist", "rotate_hoisted", "swap_rows"))
PRODUCTS: Final = frozenset(("mul", "square"))
ENCODING: Final = ("add_plain", "mul_plain")
_POLYS: Final = {"mul": 3, "square": 3, "encrypt": 2} | dict.fromkeys(SWITCHING, 2)  # of results
_ALIKE: Final = {"sub": "add", "swap_rows": "rotate"}
_SMALL_RING: Final = 2


@dataclass(frozen=True, slots=True)
class Layout:
    """The part of the parameters that decides how much an operation is.

    BFV multiplies over auxiliary primes, whose number follows from sizes, and OpenFHE's BFV leaves out limbs
    that the noise does not need. So in BFV alone the ring dimension, the plaintext modulus, the average bits
    of Q's primes and the secret are part of this. `special_bits`: the bits of P's largest prime, where the
    library's counts depend on it, else 1.
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


class Cell(NamedTuple):
    """An operation where only what decides its count is told apart.

    `chain`: limbs of Q as far as they matter; `digit`: limbs of a digit, 0 in BV. `own`: a number that each
    library gives a meaning of its own, described where it makes its cells.
    """

    library: str
    scheme: str
    action: str
    chain: int
    special: int
    digit: int
    level: int
    polys: int
    dropped: int = 0
    own: int = 0


def counted_as(scheme: str, action: str) -> str:
    """An action that counts the same as the given one, alike for all that do."""
    return action if (scheme, action) in LACKING else _ALIKE.get(action, action)


def polys_of(action: str, task: Task) -> int:
    """How many polynomials the result of the action has; where that is open, what the task says."""
    return _POLYS.get(action, task.polys)


def standing_for(
    cell: Cell,
    q: tuple[int, ...],
    special_prime: int = 1,
    plain_modulus: int | None = None,
    flooding: float = 0.0,
) -> Parameters:
    """Parameters that a cell stands for, with the primes that its library gives; there are others as well."""
    return Parameters(
        cell.library,
        cell.scheme,
        ring_dimension=_SMALL_RING,
        q=q,
        p=(special_prime,) * cell.special,
        digits=-(-cell.chain // max(cell.digit, 1)),
        key_switching="hybrid" if cell.digit else "bv",
        plain_modulus=plain_modulus,
        levels=0 if cell.scheme == "bfv" else cell.chain - 1,
        flooding=flooding,
    )
