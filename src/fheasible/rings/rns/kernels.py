"""Kernel counts of each operation of an RNS ring, in limbs: the counts that predict its time.

A kernel is one inner loop over the n coefficients of a limb. Its count is the number of limbs that it runs
over, so no count depends on n (`scaled` brings n in). Reads and writes are those of an implementation that
fuses no operations: every operand is read once, and every result is new and written once.
"""

from collections.abc import Callable, Mapping
from math import log2
from typing import Any

from fheasible.rings.rns.element import Conversion

Counts = dict[str, int]

KERNELS = {
    "forward": "transforms to NTT domain",
    "inverse": "transforms to coefficients",
    "products": "products of two variable factors, reduced",
    "constant_products": "products by a constant",
    "lazy_products": "products of two variable factors, added to sums of 128 bits",
    "reductions": "sums of 128 bits, reduced to a word",
    "word_reductions": "words, reduced modulo another prime",
    "additions": "sums, differences and negations",
    "conversion_products": "products of a base conversion, for each pair of a source and a target limb",
    "float_corrections": "floating-point corrections of a base conversion, for each source limb",
    "permutations": "coefficients or values, moved to other places",
    "copies": "copies without change",
    "uniform_samples": "uniform random coefficients",
    "ternary_samples": "random ternary polynomials",
    "gaussian_samples": "random Gaussian polynomials",
    "embeddings": "transforms of n/2 complex slots",
    "plain_transforms": "transforms modulo t",
    "roundings": "doubles or integers, rounded into one limb",
    "messages": "coefficients of an encoded vector, reduced into one limb",
    "reconstructions": "integers composed from their residues (limbs² each)",
    "reads": "reads of 8n bytes",
    "writes": "writes of 8n bytes",
    "allocations": "allocations of 8n bytes",
    "calls": "calls of operations of any size",
}


def kernels(operation: str, width: int, operands: int, inner: int, choice: Any) -> Counts:
    """Counts of one operation that makes `width` limbs from `operands` polynomials of `inner` limbs."""
    if operation == "outside":
        return {str(choice): 1, "calls": 1}
    if operation in _EACH:
        counts = {_EACH[operation]: width}
    else:
        counts = _RULES[operation](width, operands, inner, choice)
    made = 0 if operation == "lift" else width
    moved = {"reads": operands * inner, "writes": made, "allocations": made, "calls": 1}
    return moved | counts


def scaled(counts: Mapping[str, float], n: int, slots: int = 0, filled: int = 0) -> dict[str, float]:
    """The counts scaled to rings of n coefficients: transforms in butterflies, others in coefficients.

    Calls are not scaled. `slots` is the number of slots that are embedded, n/2 if it is 0. `filled` is the
    number of coefficients of a message that are not 0, n if it is 0.
    """
    return {
        kernel: count * _size(kernel, n, slots or n // 2, filled or n) for kernel, count in counts.items()
    }


def _size(kernel: str, n: int, slots: int, filled: int) -> float:
    match kernel:
        case "forward" | "inverse" | "plain_transforms":
            return n * log2(n) / 2
        case "embeddings":
            return slots / 2 * log2(slots)
        case "messages":
            return filled
    return 1 if kernel == "calls" else n


_EACH = {
    "uniform": "uniform_samples",
    "integers": "messages",
    "to_ntt": "forward",
    "to_coefficients": "inverse",
    "add": "additions",
    "subtract": "additions",
    "negate": "additions",
    "offset": "additions",
    "multiply": "products",
    "scale": "constant_products",
    "automorphism": "permutations",
    "copy": "copies",
    "digit": "word_reductions",
}


def _zero(width: int, operands: int, inner: int, choice: Any) -> Counts:
    return {}


def _ternary(width: int, operands: int, inner: int, choice: Any) -> Counts:
    return {"ternary_samples": 1, "roundings": width}


def _gaussian(width: int, operands: int, inner: int, choice: Any) -> Counts:
    return {"gaussian_samples": 1, "roundings": width}


def _inner_product(width: int, operands: int, inner: int, lazy: bool) -> Counts:
    """Counts of a sum of products.

    Where it is not lazy, every product is written, and from the second on each is added to the sum in place.
    """
    terms = operands // 2
    if lazy:
        return {"lazy_products": terms * width, "reductions": width}
    sums = (terms - 1) * width
    moved = {"reads": (2 * terms) * width + 2 * sums, "writes": terms * width + sums}
    return {"products": terms * width, "additions": sums, "allocations": terms * width} | moved


def _convert(width: int, operands: int, inner: int, how: Conversion) -> Counts:
    """Counts of a base conversion.

    From one limb, each limb out is a reduction. From more limbs, each x_i is multiplied by a constant, and
    each limb out is a sum and its reduction.
    """
    if inner == 1:
        return {"word_reductions": width}
    counts = {"constant_products": inner, "conversion_products": inner * width, "reductions": width}
    if how is not Conversion.FAST:
        counts |= {"float_corrections": inner, "additions": width}
    return counts


def _scale_round(width: int, operands: int, inner: int, choice: tuple[int, int]) -> Counts:
    """Counts of a scaled rounding.

    Each limb out is a sum over the divisor's limbs, its own limb where x has it, and the rounded fraction.
    """
    divisor, own = choice
    counts = {"conversion_products": divisor * width, "reductions": width, "float_corrections": divisor}
    return counts | {"constant_products": own, "additions": width}


def _lift(width: int, operands: int, inner: int, choice: Any) -> Counts:
    return {"reconstructions": inner * inner}


_RULES: dict[str, Callable[..., Counts]] = {
    "zero": _zero,
    "ternary": _ternary,
    "gaussian": _gaussian,
    "inner_product": _inner_product,
    "convert": _convert,
    "scale_round": _scale_round,
    "lift": _lift,
}
