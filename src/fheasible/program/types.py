"""A lowered program: the primitive operations that a library's worker executes, as they stand.

Values are numbered ciphertexts; plaintext operands are numbered separately. A value at `level` l carries
l + 1 limbs of the modulus chain; fresh inputs are at level `Program.levels`, every rescaling takes one away,
and a bootstrap brings a value back to level `Program.levels`. Where there are bootstraps, fresh inputs may be
at levels above it. (BFV has no levels: everything stays at level 0 and nothing is rescaled.)

CKKS scales follow one rule, so that a program never names one. Let S_l be the scale of level l, with
S_(l-1) = S_l^2 / q_l. A value of degree 1 has scale S_l, or the scale S_m of the level m it was
dropped from; a product has degree 2 and scale S_l^2, which rescaling turns into S_(l-1). A plain
factor is encoded at S_l^2 / (scale of the other operand), so that its product has S_l^2 too; a plain
summand is encoded at the scale of the other operand.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.node import Column


class Scheme(StrEnum):
    CKKS = "ckks"
    BGV = "bgv"
    BFV = "bfv"


class Action(StrEnum):
    """Until Python 3.12, a name in an enumeration is looked up slowly. So what is asked of every operation of
    a program compares with a member that is kept, and tells the most frequent apart first."""

    ENCRYPT = "encrypt"  # the chunk `chunk` of the input `source`
    ADD = "add"
    SUB = "sub"
    NEG = "neg"
    MUL = "mul"  # of two values of size 2; the result has size 3
    SQUARE = "square"  # of one value of size 2; the result has size 3
    RELINEARIZE = "relinearize"  # size 3 -> 2
    RESCALE = "rescale"  # CKKS: divide by the last prime; BGV: switch to the next modulus
    DROP = "drop"  # to `level`; CKKS keeps the scale, BGV switches moduli
    ADD_PLAIN = "add_plain"  # a plain vector
    MUL_PLAIN = "mul_plain"
    ADD_SCALAR = "add_scalar"  # the same number in every slot
    MUL_SCALAR = "mul_scalar"
    ROTATE = "rotate"  # slot i receives slot (i + steps) mod row, within each row
    SWAP_ROWS = "swap_rows"  # BFV, BGV with slots == N: exchange the two rows of N/2 slots
    EVAL_SUM = "eval_sum"  # a library's composite: every slot receives the sum of all slots
    EVAL_CHEBYSHEV = "eval_chebyshev"  # also a composite; its plain operand: low, high, c_0, c_1, ...
    BOOTSTRAP = (
        "bootstrap"  # CKKS: of a value of size 2 and degree 1, to the level `Program.levels` and its scale
    )


class Hoist(StrEnum):
    """A rotation's part in hoisting [HS18]: rotations of one value share the digits of its c_1."""

    NONE = ""
    FIRST = "first"  # the digits are made and kept
    NEXT = "next"  # the digits exist
    LAST = "last"  # the digits exist, and are freed afterwards


LACKING = frozenset(
    (
        (Scheme.BFV, Action.RESCALE),
        (Scheme.BFV, Action.DROP),
        (Scheme.CKKS, Action.SWAP_ROWS),
        (Scheme.BFV, Action.BOOTSTRAP),
        (Scheme.BGV, Action.BOOTSTRAP),
    )
)
"""Actions that a scheme lacks: BFV has no levels, a CKKS ciphertext has a single row of slots, and no library
here bootstraps BFV or BGV."""


MAKES_DIGITS = "rotate_hoist"  # the kind of a rotation that is the first to use shared digits
HAS_DIGITS = "rotate_hoisted"  # the kind of a rotation that uses digits made before


@dataclass(frozen=True, slots=True)
class Operation:
    action: Action
    out: int  # the value it makes
    args: tuple[int, ...] = ()
    level: int = 0  # the level of the result
    plain: int | None = None  # index into Program.plains
    steps: int = 0  # of a rotation: 1 .. row - 1, or 1 in a row of one slot, where slots stay as they are
    source: str = ""  # the input that is encrypted
    chunk: int = 0
    frees: tuple[int, ...] = ()  # values not needed after this operation
    internal: tuple[tuple[str, int], ...] = ()  # (action, level) that the library does unasked
    hoist: Hoist = Hoist.NONE  # a rotation's part in hoisting
    where: str = field(default="", compare=False, repr=False)  # file:line of the user's program

    @property
    def kind(self) -> str:
        """The name under which its cost is known: its action, or a hoisted rotation's part in the work."""
        if self.hoist is Hoist.NONE:
            return self.action.value
        return MAKES_DIGITS if self.hoist is Hoist.FIRST else HAS_DIGITS

    @property
    def computes_at(self) -> int:
        """The level whose limbs the operation works on."""
        return self.level + 1 if self.action is Action.RESCALE else self.level


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """How a logical vector of `length` lies in `values`, one ciphertext per `slots` elements.

    A vector of length 1 lies in every slot of one value. Slots beyond the end of an input hold zeros, or, if
    `tiled`, the first elements again. Where several inputs are joined to one vector, `columns` says where
    each lies.
    """

    name: str
    length: int
    values: tuple[int, ...]
    tiled: bool = False
    columns: tuple[Column, ...] = ()

    @property
    def sources(self) -> tuple[tuple[str, int], ...]:
        """The user's inputs that it is made of, each once, with its number of elements."""
        joined = ((column.name, column.length) for column in self.columns)
        return tuple(dict.fromkeys(joined)) or ((self.name, self.length),)

    def given(self, data: Mapping[str, Any]) -> NDArray[Any]:
        """The elements of an input, from the values of the user's inputs by name."""
        if not self.columns:
            return np.asarray(data[self.name])
        own = {column.name: np.asarray(data[column.name]) for column in self.columns}
        joined = np.zeros(self.length, dtype=np.result_type(*own.values()))
        for column in self.columns:
            joined[column.places] = np.resize(own[column.name], column.room)
        return joined

    def of(self, data: Mapping[str, Any], slots: int, kind: Any) -> NDArray[Any]:
        """The input as rows of `slots` numbers of that type, one row for each ciphertext."""
        return chunk(self.given(data).astype(kind), slots, self.tiled)


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Operations in order of execution. `slots` is a power of two: the period of every vector.

    With slots <= N/2 a worker repeats vectors to fill the ring (in both rows for BFV and BGV); with
    slots == N (BFV, BGV only) the first half is row 0 and the second half row 1.
    """

    scheme: Scheme
    slots: int
    levels: int
    operations: tuple[Operation, ...]
    plains: tuple[NDArray[Any], ...]  # each of shape (1,) or (slots,), float64 or int64
    inputs: tuple[Packed, ...]
    outputs: tuple[Packed, ...]
    automatic: bool = False  # the library brings operands to one level by itself (OpenFHE's *AUTO*)
    two_rows: bool = False  # slots == N
    spare: int = 0  # levels that results were asked to keep, beside bootstraps

    @property
    def rotations(self) -> tuple[int, ...]:
        """The distinct rotation steps, ascending: one key each."""
        return _rotations(self)

    @property
    def spare_levels(self) -> int:
        """The number of levels that are there for results alone.

        Without bootstraps, no operation uses them up. With bootstraps, results keep at least so many.
        """
        return self.spare if self.bootstraps else min(o.level for o in self.operations)

    @property
    def fresh_levels(self) -> int:
        """The highest level of a fresh input; FLEXIBLEAUTOEXT's extra limb is not counted."""
        if not self.bootstraps:
            return self.levels
        return max((o.level for o in self.operations if o.action is Action.ENCRYPT), default=self.levels)

    @property
    def result_levels(self) -> int:
        """The least level of a result."""
        levels = {o.out: o.level for o in self.operations}
        return min(levels[v] for packed in self.outputs for v in packed.values)

    @property
    def swaps_rows(self) -> bool:
        return Action.SWAP_ROWS in _actions(self)

    @property
    def turns(self) -> bool:
        """Whether any operation moves slots."""
        return bool(self.rotations) or self.swaps_rows or self.sums_slots

    @property
    def relinearizes(self) -> bool:
        return not _actions(self).isdisjoint((Action.RELINEARIZE, Action.EVAL_CHEBYSHEV))

    @property
    def bootstraps(self) -> bool:
        """Whether any operation brings levels back."""
        return Action.BOOTSTRAP in _actions(self)

    @property
    def bootstrap_count(self) -> int:
        """The number of bootstraps."""
        return sum(o.action is Action.BOOTSTRAP for o in self.operations) if self.bootstraps else 0

    @property
    def sums_slots(self) -> bool:
        return Action.EVAL_SUM in _actions(self)

    @property
    def switches_keys(self) -> bool:
        """Whether any operation needs a switching key."""
        return self.relinearizes or self.turns


@lru_cache(maxsize=1024)
def _actions(program: Program) -> frozenset[Action]:
    return frozenset(o.action for o in program.operations)


@lru_cache(maxsize=1024)
def _rotations(program: Program) -> tuple[int, ...]:
    return tuple(sorted({o.steps for o in program.operations if o.action is Action.ROTATE}))


def chunk(values: NDArray[Any], slots: int, tiled: bool = False) -> NDArray[Any]:
    """`values` as rows of `slots` elements, the last filled up with zeros, or with the first elements again;
    one value is repeated in every slot."""
    if len(values) == 1:
        return np.full((1, slots), values[0], dtype=values.dtype)
    rows = -(-len(values) // slots)
    if tiled:
        return np.resize(values, (rows, slots))
    padded = np.zeros(rows * slots, dtype=values.dtype)
    padded[: len(values)] = values
    return padded.reshape(rows, slots)
