"""What decides how much work one operation is: the part of a parameter set that matters (`Layout`), the
operation (`Task`), and exactly those facts of both that a count of kernels depends on (`Cell`).

A count depends on numbers of limbs and on the variant alone. It does not depend on the ring dimension,
because what is counted is limbs of n coefficients, so one count serves every ring. A key switch depends on
the limbs it works on and on the limbs of a digit and of P, but not on the length of the chain. A sum depends
on its limbs alone; encryption and key generation depend on the chain. Tasks that agree in what they depend on
share a cell, and so a count. Each library decides which cell a task has (`Cells.cell`).
"""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from fheasible.aliases import Json
from fheasible.libraries.parameters import Parameters, parameters_for
from fheasible.libraries.refreshing import Refreshing
from fheasible.program.types import LACKING

SWITCHING: Final = frozenset(("relinearize", "rotate", "rotate_hoist", "rotate_hoisted", "swap_rows"))
PRODUCTS: Final = frozenset(("mul", "square"))
BOOTSTRAP_KEYS: Final = "bootstrap_keys"  # the switching keys of a bootstrap, over its own chain
TABLE_LOOKUP: Final = "table_lookup"  # a bootstrap that looks a table up
ENCODING: Final = ("add_plain", "mul_plain")
_POLYS: Final = {"mul": 3, "square": 3, "encrypt": 2} | dict.fromkeys(SWITCHING, 2)  # of the result
_ALIKE: Final = {"sub": "add", "swap_rows": "rotate"}
_SMALL_RING: Final = 2
_SMALL_T: Final = 2  # in place of a plain modulus that no count depends on


@dataclass(frozen=True, slots=True)
class Layout:
    """The part of the parameters that decides how much work an operation is.

    BFV multiplies over auxiliary primes, whose number follows from the sizes of primes, and OpenFHE's BFV
    leaves out limbs that the noise does not need. So in BFV alone the ring dimension, the plaintext modulus,
    the average bits of Q's primes and the secret are part of a layout. `special_bits` is the bits of P's
    largest prime, where the library's counts depend on it, else 1.
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
    bootstrap: Refreshing | None = None

    def parameters(self) -> Parameters:
        """Parameters of this layout, whose primes stand for any of their size."""
        return parameters_for(
            self.library,
            self.scheme,
            ring_dimension=self.ring_dimension,
            q=(round(2**self.prime_bits) - 1,) * self.limbs,
            p=((1 << self.special_bits) - 1,) * self.special,
            digits=self.digits,
            key_switching=self.key_switching,
            secret=self.secret,
            levels=0 if self.scheme == "bfv" else self.limbs - 1,
            **_of_kind(self.scheme, self.plain_modulus or _SMALL_T, self.flooded),
        )


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of operation: an action of programs, "decrypt", "keygen", BOOTSTRAP_KEYS or TABLE_LOOKUP.

    BOOTSTRAP_KEYS is key generation, too, over the chain that a bootstrap computes with.

    `level`: the task works on level + 1 limbs (BFV: on all); `polys`: the number of polynomials of the
    result, or of switching keys when keys are generated; `dropped`: the number of limbs that a drop takes
    away; `depth`: the number of successive products before it.
    """

    action: str
    level: int
    polys: int = 2
    dropped: int = 0
    depth: int = 0


class Cell(NamedTuple):
    """An operation, described by no more than what decides its count.

    `chain`: the number of limbs of Q, as far as it matters; `digit`: the limbs of a digit, 0 in BV; `own`: a
    number whose meaning each library defines where it makes its cells.
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
    bootstrap: Refreshing | None = None


def of_bootstrap(layout: Layout) -> Layout:
    """The layout of the chain that the bootstrap of a layout computes with; the layout itself without one."""
    of = layout.bootstrap
    if of is None:
        return layout
    return replace(layout, limbs=of.limbs, special=of.special, digits=of.digits, bootstrap=None)


def counted_as(scheme: str, action: str) -> str:
    """The action that stands for all actions with the same counts as the given one."""
    return action if (scheme, action) in LACKING else _ALIKE.get(action, action)


def polys_of(action: str, task: Task) -> int:
    """The number of polynomials of the action's result, or the task's `polys` where that is not fixed."""
    return _POLYS.get(action, task.polys)


def standing_for(
    cell: Cell,
    q: tuple[int, ...],
    special_prime: int = 1,
    plain_modulus: int = _SMALL_T,
    flooded: bool = False,
) -> Parameters:
    """Parameters that have this cell, with the primes given; other parameters may have it as well."""
    return parameters_for(
        cell.library,
        cell.scheme,
        ring_dimension=_SMALL_RING,
        q=q,
        p=(special_prime,) * cell.special,
        digits=-(-cell.chain // max(cell.digit, 1)),
        key_switching="hybrid" if cell.digit else "bv",
        levels=0 if cell.scheme == "bfv" else cell.chain - 1,
        **_of_kind(cell.scheme, plain_modulus, flooded),
    )


def _of_kind(scheme: str, plain_modulus: int, flooded: bool) -> Json:
    """What parameters of this scheme have beside those of any scheme."""
    return {"flooding": float(flooded)} if scheme == "ckks" else {"plain_modulus": plain_modulus}
