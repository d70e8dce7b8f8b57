"""Arithmetic on single ciphertexts that keeps levels, degrees and scales in agreement.

Every scheme and library has its own needs. CKKS must meet the scale of a level exactly, BGV only the level,
and BFV neither; a library that aligns by itself must be followed, not led. The operations that a program gets
for this are decided here and nowhere else.

Values that are known to be zero (a plain row of zeros was multiplied in) are left out of later operations,
since libraries refuse the ciphertext that such a product makes.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from fheasible.lowering.builder import ProgramBuilder, Value, scalar
from fheasible.program.types import Action

Internal = tuple[tuple[str, int], ...]


class Arithmetic:
    """Operations on values; `build` collects them."""

    def __init__(self, build: ProgramBuilder) -> None:
        self.build = build
        self.style = build.style

    def encrypt(self, source: str, chunk: int, depth: int = 0) -> Value:
        """One chunk of an input; its depth is below 0 where it has more levels than a bootstrap leaves."""
        depth, degree = (-1, 2) if self.style.extended else (depth, 1)
        return self.build.emit(Action.ENCRYPT, [], depth=depth, degree=degree, source=source, chunk=chunk)

    # -- products ------------------------------------------------------------------------------

    def mul(self, x: Value, y: Value) -> Value:
        """x * y, of degree 2 and size 3. (In BFV, products have degree 1, and only the depth is counted.)"""
        if x.zero or y.zero:
            return x if x.zero else y
        x, y = self.settle(x), self.settle(y)
        x, y, internal = self._align(x, y)
        action, args = (Action.SQUARE, [x]) if x.id == y.id else (Action.MUL, [x, y])
        depth = max(x.depth, y.depth) + (0 if self.style.leveled else 1)
        return self.build.emit(
            action, args, depth=depth, degree=self._product_degree, size=3, internal=internal
        )

    def mul_plain(self, x: Value, plain: NDArray[Any], at: int | None = None) -> Value:
        """x times a plain vector or number, computed at depth `at` or deeper."""
        if x.zero or not plain.any():
            return self.zero(x)
        if len(plain) == 1 and plain[0] < 0 and not self.style.signed_numbers:
            return self.negate(self.mul_plain(x, -plain, at))
        if len(plain) == 1 and plain[0] == 1 and not self.style.leveled:
            return x
        x = self.settle(x)
        if at is not None and at > x.depth:
            x = self.drop(x, at)
        action = Action.MUL_SCALAR if len(plain) == 1 else Action.MUL_PLAIN
        return self.build.emit(action, [x], depth=x.depth, degree=self._product_degree, plain=plain)

    @property
    def _product_degree(self) -> int:
        return 2 if self.style.leveled else 1

    # -- sums ----------------------------------------------------------------------------------

    def add(self, x: Value, y: Value) -> Value:
        """x + y, at the deeper operand's level."""
        if x.zero or y.zero:
            return y if x.zero else x
        x, y = (y, x) if x.minus else (x, y)
        if y.minus and x.size >= y.size:
            return self.sub(x, y.minus)
        return self._combine(Action.ADD, x, y)

    def sub(self, x: Value, y: Value) -> Value:
        """x - y, at the deeper operand's level."""
        if x.zero or y.zero:
            return self.negate(y) if x.zero else x
        if y.minus and not x.minus:
            return self.add(x, y.minus)
        return self.zero(x) if x.id == y.id else self._combine(Action.SUB, x, y)

    def _combine(self, action: Action, x: Value, y: Value) -> Value:
        x, y, internal = self._align(x, y)
        x, y = self._larger_first(action, x, y)
        depth, degree, size = max(x.depth, y.depth), max(x.degree, y.degree), max(x.size, y.size)
        return self.build.emit(action, [x, y], depth=depth, degree=degree, size=size, internal=internal)

    def _larger_first(self, action: Action, x: Value, y: Value) -> tuple[Value, Value]:
        """The operands; in BGV, the one of more polynomials comes first, or y is relinearised.

        Otherwise SEAL 4.4 sometimes gives wrong sums where the correction factors differ (seen in decrypted
        results, which are right when the operands are swapped).
        """
        manual = self.style.exact and self.style.leveled and not self.style.automatic
        if not manual or x.size >= y.size:
            return x, y
        return (y, x) if action is Action.ADD else (x, self._relinearised(y))

    def negate(self, x: Value) -> Value:
        if x.zero or x.minus:
            return x.minus or x
        made = self.build.emit(Action.NEG, [x], depth=x.depth, degree=x.degree, size=x.size)
        return replace(made, minus=x)

    def add_plain(self, x: Value, plain: NDArray[Any]) -> Value:
        if not plain.any():
            return x
        x = x if self.style.mixed_sizes else self._relinearised(x)
        action = Action.ADD_SCALAR if len(plain) == 1 else Action.ADD_PLAIN
        return self.build.emit(action, [x], depth=x.depth, degree=x.degree, size=x.size, plain=plain)

    def zero(self, x: Value) -> Value:
        """Zeros, encrypted as x is. Turning x by half a row twice gives x again, but with other noise."""
        if x.zero:
            return x
        x = self.settle(x)
        again = self._half_turn(self._half_turn(x))
        return replace(self._combine(Action.SUB, again, x), zero=True)

    def _half_turn(self, x: Value) -> Value:
        if self.build.row > 1:
            return self.rotate(x, self.build.row // 2)
        # All slots of a row are the same: either operation changes the ciphertext alone. CKKS has no rows.
        return self.swap_rows(x) if self.style.exact else self.turned(x, 1)

    # -- rotations -----------------------------------------------------------------------------

    def rotate(self, x: Value, steps: int) -> Value:
        """x rotated: slot i receives slot i + steps of its row."""
        if steps % self.build.row == 0 or x.zero:
            return x
        return self.turned(x, steps % self.build.row)

    def turned(self, x: Value, steps: int) -> Value:
        """x rotated even where that changes no slot."""
        x = self.settle(x)
        return self.build.emit(Action.ROTATE, [x], depth=x.depth, degree=x.degree, steps=steps)

    def swap_rows(self, x: Value) -> Value:
        if x.zero:
            return x
        x = self.settle(x)
        return self.build.emit(Action.SWAP_ROWS, [x], depth=x.depth, degree=x.degree)

    # -- a library's composites ----------------------------------------------------------------

    def eval_sum(self, x: Value) -> Value:
        """The sum of all slots, in every slot, by the library's own rotations."""
        x = self.settle(x)
        turns = (self.build.slots - 1).bit_length()
        internal = (("rotate", x.depth), ("add", x.depth)) * turns
        return self.build.emit(Action.EVAL_SUM, [x], depth=x.depth, degree=x.degree, internal=internal)

    def eval_chebyshev(self, x: Value, series: NDArray[Any], levels: int, inside: Internal) -> Value:
        """The series (low, high, c_0, c_1, ...) of x by the library's own algorithm, which takes `levels`.

        `inside` lists the operations of that algorithm, with depths counted from x.
        """
        x = self.settle(x)
        internal = tuple((action, x.depth + depth) for action, depth in inside)
        return self.build.emit(
            Action.EVAL_CHEBYSHEV, [x], depth=x.depth + levels - 1, degree=2, plain=series, internal=internal
        )

    @staticmethod
    def settled_depth(x: Value) -> int:
        """The depth of x once it is rescaled."""
        return x.depth + x.degree - 1

    # -- levels --------------------------------------------------------------------------------

    def settle(self, x: Value) -> Value:
        """x relinearised and rescaled."""
        x = self._relinearised(x)
        if x.degree == 2:
            x = self.build.emit(Action.RESCALE, [x], depth=x.depth + 1)
        return x

    def bootstrap(self, x: Value) -> Value:
        """x with all its levels back."""
        return x if x.zero else self.build.emit(Action.BOOTSTRAP, [self.settle(x)], depth=0)

    def _relinearised(self, x: Value) -> Value:
        if x.size == 2:
            return x
        return self.build.emit(Action.RELINEARIZE, [x], depth=x.depth, degree=x.degree)

    def drop(self, x: Value, depth: int) -> Value:
        """x with the limbs of `depth`; its scale stays."""
        if x.depth == depth or self.style.automatic or not self.style.leveled:
            return x
        return self.build.emit(Action.DROP, [x], depth=depth, degree=x.degree, size=x.size)

    def bring(self, x: Value, depth: int) -> Value:
        """x of degree 1 at a deeper level, with that level's scale."""
        if x.depth >= depth:
            return x
        if not self.style.exact_scales or self.style.exact:
            return self.drop(x, depth)
        return self.settle(self._times_one(x, depth - 1))

    def _times_one(self, x: Value, depth: int) -> Value:
        """x at `depth` with degree 2: a factor of one brings x to the square of that level's scale."""
        return self.mul_plain(x, scalar(1, exact=False), at=depth)

    def _align(self, x: Value, y: Value) -> tuple[Value, Value, Internal]:
        """Both operands at one level and with one scale, and a list of what the library does unasked."""
        if not self.style.mixed_sizes and x.size != y.size:
            x, y = self._relinearised(x), self._relinearised(y)
        if not self.style.leveled:
            return x, y, ()
        if self.style.automatic:
            return _follow(x, y, _adjust if self.style.exact_scales else _adjust_fixed)
        if self.style.exact:
            return self._same_level(x, y)
        return self._same_scale(x, y)

    def _same_level(self, x: Value, y: Value) -> tuple[Value, Value, Internal]:
        depth = max(x.depth, y.depth)
        return self._switch_down(x, depth), self._switch_down(y, depth), ()

    def _switch_down(self, x: Value, depth: int) -> Value:
        """x at `depth`. A pending product is settled first, since some libraries' drop only forgets limbs."""
        return x if x.depth == depth else self.drop(self.settle(x), depth)

    def _same_scale(self, x: Value, y: Value) -> tuple[Value, Value, Internal]:
        if (x.depth, x.degree) == (y.depth, y.degree):
            return x, y, ()
        if (x.depth, x.degree) > (y.depth, y.degree):
            y, x, _ = self._same_scale(y, x)
            return x, y, ()
        if x.degree == 2:  # shallower than y, so its rescaling costs nothing
            return self._same_scale(self.settle(x), y)
        if y.degree == 1:
            return self.bring(x, y.depth), y, ()
        return self._times_one(x, y.depth), y, ()


Adjust = Callable[[Value, Value, list[tuple[str, int]]], Value]


def _follow(x: Value, y: Value, adjust: Adjust) -> tuple[Value, Value, Internal]:
    """The operands as OpenFHE's automatic techniques adjust them, and the operations that they do for it.

    They work on copies, which OpenFHE then forgets (AdjustLevelsAndDepthInPlace in ckksrns-leveledshe.cpp and
    bgvrns-leveledshe.cpp).
    """
    internal: list[tuple[str, int]] = []
    if x.depth < y.depth or (x.depth == y.depth and x.degree < y.degree):
        x = adjust(x, y, internal)
    elif (x.depth, x.degree) != (y.depth, y.degree):
        y = adjust(y, x, internal)
    return x, y, tuple(internal)


def _adjust_fixed(x: Value, y: Value, internal: list[tuple[str, int]]) -> Value:
    """x brought to the level and degree of the deeper y by FIXEDAUTO, where all levels share a scale.

    Limbs are forgotten, after one rescaling or product where the degrees differ.
    """
    if x.degree > y.degree:
        internal.append(("rescale", x.depth))
    elif x.degree < y.degree:
        internal.append(("mul_scalar", y.depth))
    return replace(x, depth=y.depth, degree=y.degree)


def _adjust(x: Value, y: Value, internal: list[tuple[str, int]]) -> Value:
    """x brought to the level and degree of the deeper y."""
    adjacent = (x.degree, y.degree) == (2, 1) and x.depth + 1 == y.depth
    if not adjacent:
        internal.append(("mul_scalar", x.depth))
    if x.degree == 2:
        internal.append(("rescale", x.depth))
    if y.degree == 1 and not adjacent:
        internal.append(("rescale", y.depth - 1))
    return replace(x, depth=y.depth, degree=y.degree)
