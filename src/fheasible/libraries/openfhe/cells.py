"""Which cell of counts an operation of OpenFHE has, and which cells its table holds.

`own` of a product or a rotation in BFV is the number of limbs that it is computed in. `own` of a decryption
in CKKS is 1 where it floods, else 0.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from fheasible.libraries.layout import PRODUCTS, SWITCHING, Cell, Layout, Task, polys_of, standing_for
from fheasible.libraries.openfhe import operations
from fheasible.libraries.openfhe.operations import kept_limbs
from fheasible.libraries.openfhe.refresh import LEAST_LEVEL
from fheasible.libraries.parameters import Parameters

LEAST_BITS, LONGEST_BITS = 25, 60  # of the shortest prime of Q, and of the longest of P
_LONGEST_DIGIT: Final = 16  # in limbs
_TURNS: Final = ("rotate", "rotate_hoist", "rotate_hoisted")


def cell(layout: Layout, task: Task, action: str) -> Cell:
    """The cell of a task, whose action is counted as `action`.

    Digits and P matter only for an action that uses or makes switching keys. Encryption depends on the chain
    only in whether it is at the top."""
    scheme, bfv = layout.scheme, layout.scheme == "bfv"
    polys = polys_of(action, task)
    limbs = layout.limbs if bfv else min(task.level + 1 + task.dropped, layout.limbs)
    if action in SWITCHING:
        own = _kept(layout, task.depth, True) if bfv and action != "relinearize" else 0
        digit, special = _digit(layout)
        digit = min(digit, limbs)
        chain = -(-limbs // digit) * digit if digit and not bfv else limbs
        return Cell("openfhe", scheme, action, chain, special, digit, limbs - 1, polys, 0, own)
    if action == "keygen":
        digit, special = _digit(layout)
        return Cell("openfhe", scheme, action, layout.limbs, special, digit, layout.limbs - 1, polys)
    if action == "bootstrap":
        return _bootstrap(layout)
    own = _kept(layout, task.depth, False) if bfv and action in PRODUCTS else 0
    if action == "decrypt":
        own = int(layout.flooded)
    chain = limbs + 1 if action == "encrypt" and limbs < layout.limbs else limbs
    level = limbs - 1 - task.dropped
    return Cell("openfhe", scheme, action, chain, 1, chain, level, polys, task.dropped, own)


def _bootstrap(layout: Layout) -> Cell:
    """The cell of a bootstrap, which depends on its own chain alone; it has no counts where there is none."""
    of, (digit, special) = layout.bootstrap, _digit(layout)
    chain = layout.limbs if of is None else of.limbs
    return Cell("openfhe", layout.scheme, "bootstrap", chain, special, digit, LEAST_LEVEL, 2, bootstrap=of)


def _digit(layout: Layout) -> tuple[int, int]:
    """(limbs of a digit, limbs of P); both are 0 in BV."""
    if layout.key_switching == "bv":
        return 0, 0
    return -(-layout.limbs // max(layout.digits, 1)), layout.special


@lru_cache(maxsize=1 << 14)
def _kept(layout: Layout, depth: int, switching: bool) -> int:
    p = layout.parameters()
    assert p.scheme == "bfv"
    return kept_limbs(p, depth, switching)


def counted(of: Cell) -> Counter[str]:
    """The kernel counts of the cell."""
    if of.bootstrap is not None:
        return operations.refreshed(parameters(of), of.bootstrap)
    kept = (of.own or of.chain) if of.scheme == "bfv" else None
    return operations.perform(parameters(of), of.action, of.level, of.polys, of.dropped, kept=kept)


def parameters(of: Cell) -> Parameters:
    """Parameters that have this cell, except for the number of limbs that BFV keeps."""
    flooded = of.action == "decrypt" and of.own > 0
    return standing_for(of, (1,) * of.chain, flooded=flooded)


def layouts(scheme: str, limbs: int) -> Iterator[Layout]:
    """Every layout of `limbs` limbs that the table covers."""
    yield Layout("openfhe", scheme, limbs, 0, limbs, "bv")
    digits = {-(-limbs // count): count for count in range(1, limbs + 1)}
    for digit, count in digits.items():
        for special in _special(scheme, digit) if digit <= _LONGEST_DIGIT else ():
            yield Layout("openfhe", scheme, limbs, special, count, flooded=scheme == "ckks")


def _special(scheme: str, digit: int) -> range:
    """The numbers of special primes that go with a digit of `digit` limbs.

    P exceeds a digit and has primes of 60 bits; the primes of BFV's Q are nearly as long.
    """
    least = digit if scheme == "bfv" else -(-digit * LEAST_BITS // LONGEST_BITS)
    return range(least, digit + 2)


def variations(of: Cell) -> Iterator[Cell]:
    """The cell with each other value that `own` may have."""
    if of.scheme == "bfv" and of.action in (*PRODUCTS, *_TURNS):
        yield from (of._replace(own=kept) for kept in range(1, of.chain + 1))
    elif of.scheme == "ckks" and of.action == "decrypt":
        yield of._replace(own=0)
