"""The exact interpreter: it runs a scheme's functions on actual coefficients, for any modulus q >= 2.

The data of an element is a uint64 array (rows, columns, n, limbs). Residues modulo q take as many limbs as
q. Integers are in two's complement and take as few limbs as their bound allows. Parts of a matrix are views
of it. The inner loops are in `fheasible_native`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from fheasible.errors import InfeasibleParameters, LibraryMissing, RingMismatch
from fheasible.rings import sampling
from fheasible.rings.digits import decomposed
from fheasible.rings.element import Element, Scalar
from fheasible.rings.inverse import inverse
from fheasible.rings.limbs import Limbs, constant, extended, magnitude, pack, unpack
from fheasible.rings.products import ROWS_AT_ONCE, limbs, padded
from fheasible.rings.ring import Ring, is_single

LARGEST_N = 1 << 15  # the largest degree of the native transforms
REMEDY: Final = "make native in a clone, else pip install fheasible-native"


class ExactRing(Ring):
    """A ring that computes with coefficients, for n a power of two up to 2^15 and log2 q up to 1200.

    The same seed draws the same values. LibraryMissing where the native module is not built.
    """

    n: int
    q_bits: int
    q: int

    def __init__(self, n: int, q: int, seed: int | None = None) -> None:
        self.n, self.q, self.q_bits = n, q, q.bit_length()
        self._native, self._random = native(), sampling.source(seed)
        self._modulus = magnitude(q)

    def element(self, coefficients: Any, modular: bool) -> Element:
        """The element with these integers, an array (rows, columns, n), reduced modulo q where `modular`."""
        values = np.array(coefficients, dtype=object)
        values = values % self.q if modular else values
        bits = self.q_bits if modular else max(max(abs(int(v)).bit_length() for v in values.ravel()), 1)
        form = Element(values.shape[0], values.shape[1], modular, bits)
        return Element(form.rows, form.cols, modular, bits, pack(values, limbs(form)))

    def coefficients(self, x: Element) -> Any:
        """The coefficients as Python integers (rows, columns, n): residues in [0, q), or signed integers."""
        return unpack(x.data, signed=not x.modular)

    def _interpret(self, operation: str, form: Element, *operands: Any) -> Any:
        return _HOOKS[operation](self, form, *operands)

    def _part(self, operation: str, x: Element, *where: int) -> Limbs:
        data: Limbs = x.data
        if operation == "transpose":
            return data.swapaxes(0, 1)
        if operation == "entry":
            i, j = where
            return data[i : i + 1, j : j + 1]
        if operation == "flat":
            return data.reshape(1, -1, *data.shape[2:])
        (k,) = where
        return data[k : k + 1] if operation == "row" else data[:, k : k + 1]

    # -- random elements and constants

    def _shape(self, form: Element) -> tuple[int, int, int]:
        return form.rows, form.cols, self.n

    def _uniform(self, form: Element) -> Limbs:
        return sampling.uniform(self._random, self.q, self._shape(form))

    def _ternary(self, form: Element) -> Limbs:
        return sampling.ternary(self._random, self._shape(form))

    def _gaussian(self, form: Element, sigma: float) -> Limbs:
        return sampling.gaussian(self._random, sigma, self._shape(form))

    def _message(self, form: Element, coefficients: Sequence[int] | None) -> Limbs:
        given = [] if coefficients is None else [int(c) for c in coefficients]
        values = np.array(given + [0] * (self.n - len(given)), dtype=object)
        return pack(values.reshape(1, 1, self.n), limbs(form))

    def _gadget(self, form: Element, w: Scalar) -> Limbs:
        out = np.zeros((*self._shape(form), len(self._modulus)), np.uint64)
        count = form.rows // form.cols
        for k in range(count):
            power = magnitude(pow(_value(w), k, self.q), len(self._modulus))
            for column in range(form.cols):
                out[column * count + k, column, 0] = power
        return out

    # -- arithmetic

    def _add(self, form: Element, x: Element, y: Element) -> Any:
        if form.modular:
            return self._native.add_mod(_whole(x), _whole(y), self._modulus)
        return self._native.add(_whole(x), _whole(y), limbs(form))

    def _subtract(self, form: Element, x: Element, y: Element) -> Any:
        if form.modular:
            return self._native.sub_mod(_whole(x), _whole(y), self._modulus)
        return self._native.sub(_whole(x), _whole(y), limbs(form))

    def _negate(self, form: Element, x: Element) -> Any:
        if form.modular:
            return self._native.neg_mod(_whole(x), self._modulus)
        return self._native.neg(_whole(x), limbs(form))

    def _multiply(self, form: Element, x: Element, y: Element) -> Any:
        a = _whole(x)
        b = a if y is x else _whole(y)  # an array used twice is transformed once
        if is_single(x) or is_single(y):
            a, b = (v.reshape(1, -1, *v.shape[2:]) for v in (a, b))
            a, b, x, y = (b, a, y, x) if is_single(y) else (a, b, x, y)
        args = (a, x.modular, x.bits, b, y.modular, y.bits)
        if form.modular:
            made = self._native.product_mod(*args, self._modulus)
        else:
            made = self._native.product(*args, limbs(form))
        return made.reshape(*self._shape(form), -1)

    def _convolve(self, form: Element, x: Element, y: Element) -> Any:
        a = _whole(x)
        b = a if y is x else _whole(y)
        return self._native.convolve(a, False, x.bits, b, False, y.bits, limbs(form))

    def _in_full(self, form: Element, x: Element, y: Element) -> Any:
        """The products in Z[X], a few rows at a time, at a degree that holds them whole."""
        large, out = padded(x, y, self.n), np.zeros((*self._shape(form), limbs(form)), np.uint64)
        if large > LARGEST_N:
            raise InfeasibleParameters(
                f"a product of {x.cols} and {y.cols} times n = {self.n} coefficients in Z[X] is beyond the "
                f"largest degree, {LARGEST_N}",
                "take a smaller n",
            )
        for i in range(0, y.rows, ROWS_AT_ONCE):
            end = min(i + ROWS_AT_ONCE, y.rows)
            if form.rows == 1:
                out = self._plus(
                    out, self._rows_in_full(form, x, y, slice(i, end), slice(i, end), large), form
                )
            else:
                out[i:end] = self._rows_in_full(form, x, y, slice(0, 1), slice(i, end), large)
        return out

    def _rows_in_full(
        self, form: Element, x: Element, y: Element, left: slice, right: slice, large: int
    ) -> Limbs:
        """The rows `right` of y times x, or the sum of products of those rows."""
        a = _stretched(x.data[left], large).swapaxes(0, 1)
        b = _stretched(y.data[right], large)
        b = b if form.rows == 1 else b.swapaxes(0, 1)
        args = (np.ascontiguousarray(a), x.modular, x.bits, np.ascontiguousarray(b), y.modular, y.bits)
        if form.modular:
            made = self._native.product_mod(*args, self._modulus)
        else:
            made = self._native.product(*args, limbs(form))
        rows = made.shape[1]
        kept: Limbs = made[0, :, : form.cols * self.n].reshape(rows, form.cols, self.n, -1)
        return kept

    def _plus(self, x: Limbs, y: Limbs, form: Element) -> Any:
        a, b = np.ascontiguousarray(x), np.ascontiguousarray(y)
        return (
            self._native.add_mod(a, b, self._modulus) if form.modular else self._native.add(a, b, limbs(form))
        )

    def _fold(self, form: Element, x: Element) -> Any:
        native, wide = self._native, not form.modular
        signs = (native.add, native.sub) if wide else (native.add_mod, native.sub_mod)
        out = self._wider(self.column(x, 0), limbs(form)) if wide else np.ascontiguousarray(x.data[:, :1])
        for j in range(1, x.cols):
            part = np.ascontiguousarray(x.data[:, j : j + 1])
            out = signs[j % 2](out, part, limbs(form) if wide else self._modulus)
        return out

    def _scale(self, form: Element, x: Element, c: Scalar) -> Any:
        if form.modular:
            return self._native.times_mod(_whole(x), self._residue(_value(c)), self._modulus)
        return self._native.times(_whole(x), constant(_value(c)), limbs(form))

    def _scale_round(self, form: Element, x: Element, t: Scalar) -> Any:
        return self._native.scale_round(_whole(x), magnitude(_value(t)), self._modulus, limbs(form))

    def _inverse(self, form: Element, x: Element) -> Any:
        return inverse(self._native, _whole(x), self.q)

    def _residue(self, c: int) -> Limbs:
        return magnitude(c % self.q, len(self._modulus))

    # -- integers and residues

    def _lift(self, form: Element, x: Element) -> Any:
        return self._native.centre(_whole(x), self._modulus, limbs(form))

    def _reduce(self, form: Element, x: Element) -> Any:
        return self._native.reduce(_whole(x), self._modulus)

    def _remainder(self, form: Element, x: Element, t: Scalar) -> Any:
        return extended(self._native.remainder(_whole(x), magnitude(_value(t))), limbs(form))

    # -- digits

    def _decompose(self, form: Element, x: Element, w: Scalar) -> Any:
        return extended(decomposed(self._native, _whole(x), _value(w), self.digits(w)), limbs(form))

    def _compose(self, form: Element, x: Element, w: Scalar) -> Any:
        return self._native.compose(_whole(x), constant(_value(w)), self.digits(w), self._modulus)

    def _powers(self, form: Element, x: Element, w: Scalar) -> Any:
        """The rows of x times powers of w: row i·l + k is row i of x times w^k."""
        out = np.empty((*self._shape(form), len(self._modulus)), np.uint64)
        power, base, count = _whole(x), self._residue(_value(w)), self.digits(w)
        for k in range(count):
            out[k::count] = power
            if k + 1 < count:
                power = self._native.times_mod(power, base, self._modulus)
        return out

    # -- parts

    def _beside(self, form: Element, *xs: Element) -> Any:
        """The columns of all xs as one matrix; integers of fewer limbs are sign-extended."""
        count = limbs(form)
        return np.concatenate([x.data if limbs(x) == count else self._wider(x, count) for x in xs], axis=1)

    def _wider(self, x: Element, count: int) -> Any:
        zero = np.zeros((x.rows, x.cols, self.n, 1), np.uint64)
        return self._native.add(_whole(x), zero, count)


def native() -> Any:
    """The native module, which has the kernels. LibraryMissing where it is not built."""
    try:
        import fheasible_native
    except ImportError as absent:
        raise LibraryMissing("the native module fheasible_native is not built", REMEDY) from absent
    return fheasible_native


def _whole(x: Element) -> Limbs:
    """The data, contiguous as the kernels need it: copied where x is a scattered part of a matrix."""
    return np.ascontiguousarray(x.data)


def _stretched(rows: Limbs, large: int) -> Limbs:
    """Each row of polynomials as one polynomial of `large` coefficients, zeros above its own: a column."""
    count, parts, n, words = rows.shape
    out = np.zeros((count, 1, large, words), np.uint64)
    out[:, 0, : parts * n] = rows.reshape(count, parts * n, words)
    return out


def _value(c: Scalar) -> int:
    if c.value is None:
        raise RingMismatch("the exact ring needs the value of a constant", "give its value")
    return c.value


_HOOKS: dict[str, Callable[..., Any]] = {
    "uniform": ExactRing._uniform,
    "ternary": ExactRing._ternary,
    "gaussian": ExactRing._gaussian,
    "message": ExactRing._message,
    "gadget": ExactRing._gadget,
    "add": ExactRing._add,
    "subtract": ExactRing._subtract,
    "negate": ExactRing._negate,
    "multiply": ExactRing._multiply,
    "convolve": ExactRing._convolve,
    "scale": ExactRing._scale,
    "scale_round": ExactRing._scale_round,
    "inverse": ExactRing._inverse,
    "product_in_full": ExactRing._in_full,
    "inner_product_in_full": ExactRing._in_full,
    "fold": ExactRing._fold,
    "lift": ExactRing._lift,
    "reduce": ExactRing._reduce,
    "remainder": ExactRing._remainder,
    "decompose": ExactRing._decompose,
    "compose": ExactRing._compose,
    "powers": ExactRing._powers,
    "beside": ExactRing._beside,
}
