"""Which cell of counts an operation of SEAL has, and which cells its table holds.

`own` of a product in BFV is 1 where the auxiliary base has one more prime than the chain, else 0.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from fheasible.libraries.layout import PRODUCTS, Cell, Layout, Task, polys_of, standing_for
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.seal import operations
from fheasible.libraries.seal.case import base_limbs


def cell(layout: Layout, task: Task, action: str) -> Cell:
    """The cell of a task, whose action is counted as `action`.

    Each limb is a digit, and P is one prime. BGV's fresh values come down from the top of the chain."""
    scheme, bfv = layout.scheme, layout.scheme == "bfv"
    polys = polys_of(action, task)
    limbs = layout.limbs if bfv else task.level + 1 + task.dropped
    if action == "keygen" or (action == "encrypt" and scheme == "bgv"):
        level = layout.limbs - 1 if action == "keygen" else task.level
        return Cell("seal", scheme, action, layout.limbs, layout.special, 1, level, polys)
    special = 1
    if action == "encrypt":  # zero is encrypted over one prime more, where there is one
        special = min(1, layout.special + layout.limbs - limbs)
    own = _further_base(layout) if bfv and action in PRODUCTS else 0
    level = limbs - 1 - task.dropped
    return Cell("seal", scheme, action, limbs, special, 1, level, polys, task.dropped, own)


@lru_cache(maxsize=1 << 12)
def _further_base(layout: Layout) -> int:
    return base_limbs(layout.parameters(), layout.limbs) - layout.limbs


def counted(of: Cell) -> Counter[str]:
    """The kernel counts of the cell."""
    return operations.perform(parameters(of), of.action, of.level, of.polys, of.dropped)


def parameters(of: Cell) -> Parameters:
    """Parameters that have this cell.

    With short primes, a base as long as the chain holds Q, t and 32 bits. With primes of 61 bits, t needs one
    more prime.
    """
    if of.own:
        return standing_for(of, ((1 << 61) - 1,) * of.chain, plain_modulus=1 << 30)
    return standing_for(of, (1,) * of.chain)


def layouts(scheme: str, limbs: int) -> Iterator[Layout]:
    """Every layout of `limbs` limbs that the table covers: without P, and with one prime."""
    yield from (Layout("seal", scheme, limbs, special, limbs) for special in range(2))


def variations(of: Cell) -> Iterator[Cell]:
    """The cell with each value that `own` may have."""
    if of.scheme == "bfv" and of.action in PRODUCTS:
        yield from (of._replace(own=further) for further in (0, 1))
