"""Many requests to one library at once, and the parameter sets that it makes of them as columns."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import InfeasibleParameters
from fheasible.libraries.block import Block
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import Parameters, Request


class MadeBlock(NamedTuple):
    """The sets of one layout. Set i of the block is made from the request `indices[i]`."""

    block: Block
    indices: NDArray[np.int64]  # ascending


class BlocksAnswer(NamedTuple):
    """What a library makes of many requests: each of them is in one block, or refused."""

    made: list[MadeBlock]
    refusals: dict[int, InfeasibleParameters]


def blocks(library: Library, requests: Sequence[Request]) -> BlocksAnswer:
    """The sets that `library.parameters` makes of the requests, as blocks, and its refusals by index.

    UsageError for what the library does not have.
    """
    layouts: dict[Hashable, list[tuple[int, Parameters]]] = {}
    refusals: dict[int, InfeasibleParameters] = {}
    for index, request in enumerate(requests):
        try:
            p = library.parameters(request)
        except InfeasibleParameters as refusal:
            refusals[index] = refusal
        else:
            layouts.setdefault(_layout(p), []).append((index, p))
    return BlocksAnswer([_made(sets) for sets in layouts.values()], refusals)


def _made(sets: list[tuple[int, Parameters]]) -> MadeBlock:
    return MadeBlock(Block.of([p for _, p in sets]), np.array([index for index, _ in sets], dtype=np.int64))


def _layout(p: Parameters) -> Hashable:
    """The facts that the sets of a block have in common, as a dictionary key."""
    return (
        p.scheme,
        p.ring_dimension,
        len(p.q),
        len(p.p),
        p.digits,
        p.technique,
        p.key_switching,
        p.secret,
        p.plain_modulus,
        len(p.scales),
        p.levels,
        p.extended_limbs,
    )
