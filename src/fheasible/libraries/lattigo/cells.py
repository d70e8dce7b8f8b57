"""Which cell of counts an operation of Lattigo has, and which cells its table holds.

`own` of a product in BFV is the number of auxiliary primes that it is computed over. `own` of a key switch is
how often sums modulo Q are reduced before the last product is added, times `TIMES`, plus how often sums
modulo P are.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Final

from fheasible.libraries.lattigo import operations
from fheasible.libraries.lattigo.case import lazy_digits, product_limbs
from fheasible.libraries.layout import (
    ENCODING,
    PRODUCTS,
    SWITCHING,
    Cell,
    Layout,
    Task,
    polys_of,
    standing_for,
)
from fheasible.libraries.parameters import Parameters

TIMES: Final = 256
MOST_SPECIAL: Final = 8  # special primes of the layouts in the table
_LEAST_BITS: Final = 25  # of a prime of Q
_PRODUCT_BITS: Final = 61  # of a prime that BFV multiplies over
_WORD: Final = 63
_SPARE_BITS: Final = 30


def cell(layout: Layout, task: Task, action: str) -> Cell:
    """The cell of a task, whose action is counted as `action`.

    A digit has as many limbs as P. CKKS encodes with lists of all primes of the chain, so encoding depends on
    the whole chain."""
    scheme, bfv = layout.scheme, layout.scheme == "bfv"
    polys = polys_of(action, task)
    limbs = layout.limbs if bfv else task.level + 1
    if action in SWITCHING:
        own = _reduced(layout, limbs)
        return Cell("lattigo", scheme, action, limbs, layout.special, 1, limbs - 1, polys, 0, own)
    if action == "keygen":
        return Cell("lattigo", scheme, action, layout.limbs, layout.special, 1, layout.limbs - 1, polys)
    if action == "encrypt":
        return Cell("lattigo", scheme, action, layout.limbs, min(layout.special, 1), 1, limbs - 1, polys)
    if action == "bootstrap":
        return _bootstrap(layout)
    own = _product(layout) if bfv and action in PRODUCTS else 0
    chain = layout.limbs if scheme == "ckks" and action in ENCODING else limbs + task.dropped
    return Cell("lattigo", scheme, action, chain, 1, 1, limbs - 1, polys, task.dropped, own)


def _bootstrap(layout: Layout) -> Cell:
    """The cell of a bootstrap, which depends on its own chain alone; it has no counts where there is none."""
    of = layout.bootstrap
    chain, special = (layout.limbs, layout.special) if of is None else (of.limbs, of.special)
    return Cell("lattigo", layout.scheme, "bootstrap", chain, special, max(special, 1), 0, 2, bootstrap=of)


@lru_cache(maxsize=1 << 14)
def _reduced(layout: Layout, limbs: int) -> int:
    """The `own` of a key switch: how often its sums of products are reduced before the last one is added."""
    p, digits = layout.parameters(), -(-limbs // max(layout.special, 1))
    of_q, of_p = (-(-digits // lazy_digits(primes)) - 1 for primes in (p.q[:limbs], p.p))
    return of_q * TIMES + of_p


@lru_cache(maxsize=1 << 12)
def _product(layout: Layout) -> int:
    limbs: int = product_limbs(layout.parameters())
    return limbs


def counted(of: Cell) -> Counter[str]:
    """The kernel counts of the cell."""
    if of.bootstrap is not None:
        return operations.refreshed(of.bootstrap)
    return operations.perform(parameters(of), of.action, of.level, of.polys, of.dropped)


def parameters(of: Cell) -> Parameters:
    """Parameters that have this cell.

    For a product, n·Q fills as many primes of 61 bits as the cell has. For a key switch, just so many
    products fit a word that sums are reduced as often as in the cell.
    """
    if of.action in PRODUCTS and of.own:
        bits = _PRODUCT_BITS * of.own - of.chain - _SPARE_BITS
        return standing_for(of, (1 << max(bits, 1), *(2,) * (of.chain - 1)))
    digits = -(-(of.level + 1) // max(of.special, 1))
    of_q, of_p = (_longest(digits, times) for times in divmod(of.own, TIMES))
    return standing_for(of, (of_q,) * of.chain, of_p)


def _longest(digits: int, times: int) -> int:
    """A number in place of a prime, modulo which sums of `digits` products are reduced `times` times."""
    return (1 << _WORD) // -(-digits // (times + 1)) if times else 1


def layouts(scheme: str, limbs: int) -> Iterator[Layout]:
    """Every layout of `limbs` limbs that the table covers."""
    for special in range(MOST_SPECIAL + 1):
        yield Layout("lattigo", scheme, limbs, special, -(-limbs // max(special, 1)))


def variations(of: Cell) -> Iterator[Cell]:
    """The cell with each other value that `own` may have."""
    if of.action in SWITCHING:
        yield from (of._replace(own=own) for own in _reductions(of))
    elif of.scheme == "bfv" and of.action in PRODUCTS:
        least = -(-of.chain * _LEAST_BITS // _PRODUCT_BITS)
        yield from (of._replace(own=limbs) for limbs in range(least, of.chain + 2))


def _reductions(of: Cell) -> set[int]:
    """The values of `own` that a key switch may have.

    They follow from how many products fit a word, with primes of up to 60 bits in Q and of up to 61 bits in
    P. Those of Q matter in BFV alone.
    """
    digits = -(-(of.level + 1) // max(of.special, 1))
    of_q = range(-(-digits // 8)) if of.scheme == "bfv" else range(1)
    of_p = {-(-digits // together) - 1 for together in (4, 8, 16, digits)}
    return {q * TIMES + p for q, p in product(of_q, of_p)}
