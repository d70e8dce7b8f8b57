"""Many requests to one library at once, and the parameter sets that it makes of them as columns."""

from collections.abc import Hashable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import InfeasibleParameters
from fheasible.libraries.block import CkksBlock, IntegerBlock, block_of
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import CkksRequest, IntegerRequest, Parameters, Request

AnyBlock = TypeVar("AnyBlock", CkksBlock, IntegerBlock)


class MadeBlock(NamedTuple, Generic[AnyBlock]):
    """The sets of one layout. Set i of the block is made from the request `indices[i]`."""

    block: AnyBlock
    indices: NDArray[np.int64]  # ascending


class BlocksAnswer(NamedTuple, Generic[AnyBlock]):
    """What a library makes of many requests: each of them is in one block, or refused."""

    made: list[MadeBlock[AnyBlock]]
    refusals: dict[int, InfeasibleParameters]


@overload
def blocks(library: Library, requests: Sequence[CkksRequest]) -> BlocksAnswer[CkksBlock]: ...
@overload
def blocks(library: Library, requests: Sequence[IntegerRequest]) -> BlocksAnswer[IntegerBlock]: ...
def blocks(library: Library, requests: Sequence[Request]) -> BlocksAnswer[Any]:
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


def _made(sets: list[tuple[int, Parameters]]) -> MadeBlock[Any]:
    return MadeBlock(block_of([p for _, p in sets]), np.array([index for index, _ in sets], dtype=np.int64))


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
        len(p.scales) if p.scheme == "ckks" else p.plain_modulus,
        p.levels,
        p.extended_limbs,
    )
