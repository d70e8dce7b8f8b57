"""What a count of kernels depends on, and nothing more: layouts that differ in the rest share their counts.

A key switch depends on the limbs it works on, on those of a digit and of P, not on the chain's length; a sum
on its limbs alone; encryption and key generation on the chain.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from fheasible.libraries.lattigo.besides import lazy_digits, product_limbs
from fheasible.libraries.openfhe.way import kept_limbs
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.seal.way import base_limbs
from fheasible.program.types import LACKING

if TYPE_CHECKING:
    from fheasible.libraries.work import Layout, Task

SWITCHING: Final = frozenset(("relinearize", "rotate", "rotate_hoist", "rotate_hoisted", "swap_rows"))
PRODUCTS: Final = frozenset(("mul", "square"))
_POLYS: Final = {"mul": 3, "square": 3, "encrypt": 2} | dict.fromkeys(SWITCHING, 2)  # of results
_ALIKE: Final = {"sub": "add", "swap_rows": "rotate"}
_ENCODING: Final = ("add_plain", "mul_plain")
TIMES: Final = 256  # of Lattigo's two numbers in `own`, what the first is multiplied by
_WORD: Final = 63
_SPARE_BITS: Final = 30
_SMALL_RING: Final = 2


class Cell(NamedTuple):
    """An operation where only what decides its count is told apart.

    `chain`: limbs of Q as far as they matter; `digit`: limbs of a digit, 0 in BV. `own` is of one library.
    OpenFHE: the limbs that BFV multiplies or rotates in, or whether decryption floods. SEAL: whether BFV's
    auxiliary base has one more prime than the chain. Lattigo: primes that BFV multiplies over; of a key
    switch how often sums modulo Q are reduced on the way, times 256, and modulo P.
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

    @staticmethod
    def of(layout: "Layout", task: "Task") -> "Cell":
        """That of a task in a layout."""
        return _RULES[layout.library](layout, task, _name(layout.scheme, task.action))

    def parameters(self) -> Parameters:
        """Parameters that it stands for: of its own, where there are others as well."""
        primes = _PRIMES[self.library](self)
        return Parameters(
            self.library,
            self.scheme,
            ring_dimension=_SMALL_RING,
            q=primes.q,
            p=(primes.p,) * self.special,
            digits=-(-self.chain // max(self.digit, 1)),
            key_switching="hybrid" if self.digit else "bv",
            plain_modulus=primes.t,
            levels=0 if self.scheme == "bfv" else self.chain - 1,
            flooding=float(self.library == "openfhe" and self.action == "decrypt" and self.own > 0),
        )


def _name(scheme: str, action: str) -> str:
    """Of an action that counts the same."""
    return action if (scheme, action) in LACKING else _ALIKE.get(action, action)


# -- OpenFHE


def _openfhe(layout: "Layout", task: "Task", name: str) -> Cell:
    """Without keys, digits and P do not matter; of the chain encryption minds only whether it is at the
    top."""
    scheme, bfv = layout.scheme, layout.scheme == "bfv"
    polys = _POLYS.get(name, task.polys)
    limbs = layout.limbs if bfv else min(task.level + 1 + task.dropped, layout.limbs)
    if name in SWITCHING:
        own = _kept(layout, task.depth, True) if bfv and name != "relinearize" else 0
        digit, special = _digit(layout)
        digit = min(digit, limbs)
        chain = -(-limbs // digit) * digit if digit and not bfv else limbs
        return Cell("openfhe", scheme, name, chain, special, digit, limbs - 1, polys, 0, own)
    if name == "keygen":
        digit, special = _digit(layout)
        return Cell("openfhe", scheme, name, layout.limbs, special, digit, layout.limbs - 1, polys)
    own = _kept(layout, task.depth, False) if bfv and name in PRODUCTS else 0
    if name == "decrypt":
        own = int(layout.flooded)
    chain = limbs + 1 if name == "encrypt" and limbs < layout.limbs else limbs
    return Cell("openfhe", scheme, name, chain, 1, chain, limbs - 1 - task.dropped, polys, task.dropped, own)


def _digit(layout: "Layout") -> tuple[int, int]:
    """(limbs of a digit, of P); none of either in BV."""
    if layout.key_switching == "bv":
        return 0, 0
    return -(-layout.limbs // max(layout.digits, 1)), layout.special


@lru_cache(maxsize=1 << 14)
def _kept(layout: "Layout", depth: int, switching: bool) -> int:
    return kept_limbs(layout.parameters(), depth, switching)


# -- SEAL


def _seal(layout: "Layout", task: "Task", name: str) -> Cell:
    """Digits are limbs, and P is one prime. BGV's fresh values come down from the top of the chain."""
    scheme, bfv = layout.scheme, layout.scheme == "bfv"
    polys = _POLYS.get(name, task.polys)
    limbs = layout.limbs if bfv else task.level + 1 + task.dropped
    if name == "keygen" or (name == "encrypt" and scheme == "bgv"):
        level = layout.limbs - 1 if name == "keygen" else task.level
        return Cell("seal", scheme, name, layout.limbs, layout.special, 1, level, polys)
    special = 1
    if name == "encrypt":  # by way of one prime more, where there is any
        special = min(1, layout.special + layout.limbs - limbs)
    own = _further_base(layout) if bfv and name in PRODUCTS else 0
    return Cell("seal", scheme, name, limbs, special, 1, limbs - 1 - task.dropped, polys, task.dropped, own)


@lru_cache(maxsize=1 << 12)
def _further_base(layout: "Layout") -> int:
    return base_limbs(layout.parameters(), layout.limbs) - layout.limbs


# -- Lattigo


def _lattigo(layout: "Layout", task: "Task", name: str) -> Cell:
    """A digit is as long as P. CKKS encodes with lists of all primes of the chain."""
    scheme, bfv = layout.scheme, layout.scheme == "bfv"
    polys = _POLYS.get(name, task.polys)
    limbs = layout.limbs if bfv else task.level + 1
    if name in SWITCHING:
        own = _reduced(layout, limbs)
        return Cell("lattigo", scheme, name, limbs, layout.special, 1, limbs - 1, polys, 0, own)
    if name == "keygen":
        return Cell("lattigo", scheme, name, layout.limbs, layout.special, 1, layout.limbs - 1, polys)
    if name == "encrypt":
        return Cell("lattigo", scheme, name, layout.limbs, min(layout.special, 1), 1, limbs - 1, polys)
    own = _product(layout) if bfv and name in PRODUCTS else 0
    chain = layout.limbs if scheme == "ckks" and name in _ENCODING else limbs + task.dropped
    return Cell("lattigo", scheme, name, chain, 1, 1, limbs - 1, polys, task.dropped, own)


@lru_cache(maxsize=1 << 14)
def _reduced(layout: "Layout", limbs: int) -> int:
    """How often sums of products of a key switch are reduced before the last one is added."""
    p, digits = layout.parameters(), -(-limbs // max(layout.special, 1))
    of_q, of_p = (-(-digits // lazy_digits(primes)) - 1 for primes in (p.q[:limbs], p.p))
    return of_q * TIMES + of_p


@lru_cache(maxsize=1 << 12)
def _product(layout: "Layout") -> int:
    return product_limbs(layout.parameters())


_RULES: Final = {"openfhe": _openfhe, "seal": _seal, "lattigo": _lattigo}


# -- primes that stand for those


class _Primes(NamedTuple):
    q: tuple[int, ...]
    p: int = 1
    t: int | None = None


def _openfhe_primes(cell: Cell) -> _Primes:
    return _Primes((1,) * cell.chain)


def _seal_primes(cell: Cell) -> _Primes:
    """A base as long as the chain holds Q, t and 32 bits where these are short; else t needs one more of 61
    bits."""
    return _Primes(((1 << 61) - 1,) * cell.chain, 1, 1 << 30) if cell.own else _Primes((1,) * cell.chain)


def _lattigo_primes(cell: Cell) -> _Primes:
    """n·Q fills so many primes of 61 bits; or so many products fit a word that sums are reduced as often."""
    if cell.action in PRODUCTS and cell.own:
        bits = 61 * cell.own - cell.chain - _SPARE_BITS
        return _Primes((1 << max(bits, 1), *(2,) * (cell.chain - 1)))
    digits = -(-(cell.level + 1) // max(cell.special, 1))
    of_q, of_p = (_longest(digits, times) for times in divmod(cell.own, TIMES))
    return _Primes((of_q,) * cell.chain, of_p)


def _longest(digits: int, times: int) -> int:
    """A prime whose sums of so many products are reduced so many times on the way."""
    return (1 << _WORD) // -(-digits // (times + 1)) if times else 1


_PRIMES: Final = {"openfhe": _openfhe_primes, "seal": _seal_primes, "lattigo": _lattigo_primes}
