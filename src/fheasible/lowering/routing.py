"""Carries elements to any other places in three stages, as through a network of crossbars [Clo53].

Places lie in blocks of equal size. Each element first takes a place of its own block, then goes to the same
place of the block that it is bound for, and there to its end. No two elements meet if all those that leave
one block have different places in between, and so do all those that arrive in one. Such places are an edge
colouring: blocks are joined by as many edges as elements go from one to the other, and a colour is a place. A
block's size is a power of two, so that halving the edges at every block again and again colours them.
"""

import numpy as np

from fheasible.aliases import Ints


def stops(starts: Ints, ends: Ints, length: int) -> tuple[Ints, Ints, Ints, Ints]:
    """The place of each element before, between and after the three stages.

    The `starts` are distinct and below `length`, and so are the `ends`. Places in between are below the next
    multiple of a block's size.
    """
    block = 1 << round(np.log2(max(length, 2)) / 2)
    whole = -(-length // block) * block
    colours = _coloured(_to_blocks(starts, ends, whole, block), block)[starts]
    return starts, starts // block * block + colours, ends // block * block + colours, ends


def _to_blocks(starts: Ints, ends: Ints, whole: int, block: int) -> Ints:
    """For each place, the block that its element goes to; places left over go to ends left over."""
    bound = np.full(whole, -1)
    bound[starts] = ends
    bound[bound < 0] = np.setdiff1d(np.arange(whole), ends)
    return bound // block


def _coloured(to: Ints, block: int) -> Ints:
    """A colour below `block` for each place, all different in a block and among those bound for a block."""
    leaving = np.arange(len(to)) // block
    colours = np.zeros(len(to), dtype=np.int64)
    for _ in range(block.bit_length() - 1):
        colours = 2 * colours + _halved(_partners(colours, leaving), _partners(colours, to))
    return colours


def _partners(colours: Ints, blocks: Ints) -> Ints:
    """The partner of each place: the places of one colour and one block, an even number, are paired."""
    order = np.lexsort((blocks, colours))
    partners = np.empty_like(order)
    partners[order[0::2]], partners[order[1::2]] = order[1::2], order[0::2]
    return partners


def _halved(left: Ints, right: Ints) -> Ints:
    """0 or 1 for each place, never the same as for either of its partners.

    Going from one partner to the next, left and right in turn, leads around a circle, every other member of
    which has 0. The members with the same number are found by the least among them.
    """
    least, ahead = np.arange(len(left)), right[left]
    for _ in range(len(left).bit_length()):
        least = np.minimum(least, least[ahead])
        ahead = ahead[ahead]
    return (least > least[left]).astype(np.int64)
