"""The kernels of torus operations: what a library spends time on, and how often.

fft:N, ifft:N    transforms of one polynomial, to its values and back
pointwise        products of two complex values, added to a sum
monomial         products of a complex value with a monomial's, added to a sum
monomial_values  values of monomials, each read from a table of roots of unity
multiply_add     products of a digit and a word, added to a word
decompose        digits that are made
rotate           words that are moved to another place, with a sign
add, scale       words that are added or subtracted, or multiplied by a plain integer
round            words that are rounded to fewer bits
mean             words whose errors of rounding are summed
uniform, binary, errors    random numbers that are drawn
bytes:KEY        bytes of a key that products read
"""

from collections import Counter
from math import prod

from fheasible.rings.torus.element import Torus
from fheasible.rings.torus.ring import Shape

WORD_BYTES = 8  # a word, or half a complex value: N/2 complex values have as many bytes as N words
_WORDWISE = {
    "uniform": "uniform",
    "binary": "binary",
    "gaussian": "errors",
    "tuniform": "errors",
    "add": "add",
    "subtract": "add",
    "offset": "add",
    "scale": "scale",
    "outer": "scale",
    "rotate": "rotate",
    "reversed": "rotate",
    "nearest": "round",
    "exponents": "round",
    "decompose": "decompose",
}
_UNCOUNTED = {"given", "zero", "join", "indicators"}


def kernels(operation: str, shape: Shape, operands: tuple[Torus, ...]) -> Counter[str]:
    """Kernel counts of one operation that makes an array of this shape."""
    if operation in _UNCOUNTED:
        return Counter()
    if operation in _WORDWISE:
        return Counter({_WORDWISE[operation]: prod(shape)})
    return _OTHERS[operation](shape, operands)


def _transforms(name: str, shape: Shape) -> Counter[str]:
    return Counter({f"{name}:{shape[-1]}": prod(shape[:-1])})


def _products(shape: Shape, digits: Torus, matrix: Torus) -> Counter[str]:
    """Every polynomial of the result is a sum of one product for each row; each has N/2 complex values."""
    return Counter({"pointwise": digits.shape[-2] * prod(shape) // 2}) + _read(matrix)


def _weighted(shape: Shape, digits: Torus, rows: Torus) -> Counter[str]:
    return Counter({"multiply_add": digits.shape[-1] * prod(shape)}) + _read(rows)


def _monomials(shape: Shape, terms: Torus) -> Counter[str]:
    """Of all terms but the first, whose monomial is 1; each monomial's values serve all polynomials."""
    others = terms.shape[0] - 1
    counted = {"monomial": others * prod(shape) // 2, "monomial_values": others * shape[-1] // 2}
    return Counter(counted) + _read(terms)


def _read(matrix: Torus) -> Counter[str]:
    return Counter({f"bytes:{matrix.key}": WORD_BYTES * prod(matrix.shape)} if matrix.key else {})


_OTHERS = {
    "transform": lambda shape, xs: _transforms("fft", shape),
    "back": lambda shape, xs: _transforms("ifft", shape),
    "products": lambda shape, xs: _products(shape, *xs),
    "weighted_sum": lambda shape, xs: _weighted(shape, *xs),
    "monomial_sum": lambda shape, xs: _monomials(shape, xs[0]),
    "half_sum": lambda shape, xs: Counter({"mean": prod(xs[0].shape)}),
}
