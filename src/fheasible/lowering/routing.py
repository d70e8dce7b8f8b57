"""Elements carried to any other places in three stages, as through a network of crossbars [Clo53].

Places lie in blocks of equal size. Each element first takes a place of its own block, then goes to the same
place of the block that it is bound for, and there to its end. No two meet where all those that leave one
block, and all those that arrive in one, have different places in between: blocks are joined by as many edges
as elements go from one to the other, and the edges are coloured. A block's size is a power of two, so that
halving the edges at every block again and again colours them.
"""

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def stops(starts: Indices, ends: Indices, length: int) -> tuple[Indices, Indices, Indices, Indices]:
    """Where each element is before, between and after the three stages. `starts` and `ends` are distinct and
    below `length`; places in between are below the next multiple of a block's size."""
    block = 1 << round(np.log2(max(length, 2)) / 2)
    whole = -(-length // block) * block
    colours = _coloured(_to_blocks(starts, ends, whole, block), block)[starts]
    return starts, starts // block * block + colours, ends // block * block + colours, ends


def _to_blocks(starts: Indices, ends: Indices, whole: int, block: int) -> Indices:
    """Of each place the block that what is there goes to; places left over go to ends left over."""
    bound = np.full(whole, -1)
    bound[starts] = ends
    bound[bound < 0] = np.setdiff1d(np.arange(whole), ends)
    return bound // block


def _coloured(to: Indices, block: int) -> Indices:
    """A colour below `block` for each place: another for each one of a block, and of those bound for one."""
    leaving = np.arange(len(to)) // block
    colours = np.zeros(len(to), dtype=np.int64)
    for _ in range(block.bit_length() - 1):
        colours = 2 * colours + _halved(_partners(colours, leaving), _partners(colours, to))
    return colours


def _partners(colours: Indices, blocks: Indices) -> Indices:
    """Those of one colour and one block, an even number, two by two."""
    order = np.lexsort((blocks, colours))
    partners = np.empty_like(order)
    partners[order[0::2]], partners[order[1::2]] = order[1::2], order[0::2]
    return partners


def _halved(left: Indices, right: Indices) -> Indices:
    """0 or 1 for each, never the same as that of either partner. Going from one partner to the next, left and
    right in turn, leads around a circle whose every other member has 0: they know each other by the least."""
    least, ahead = np.arange(len(left)), right[left]
    for _ in range(len(left).bit_length()):
        least = np.minimum(least, least[ahead])
        ahead = ahead[ahead]
    return (least > least[left]).astype(np.int64)
