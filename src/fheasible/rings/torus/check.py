"""What each operation of a torus ring requires of its operands; RingMismatch where they do not fit."""

from math import prod

from fheasible.errors import RingMismatch
from fheasible.rings.torus.element import Domain, Torus

LEAST_N = 4  # a transform has N/2 complex values, and needs two of them


def domain(operation: str, x: Torus, *wanted: Domain) -> None:
    if x.domain not in wanted:
        names = " or ".join(wanted)
        raise RingMismatch(f"{operation}: needs {names}, got {x.domain}", f"give it {names}")


def alike(operation: str, x: Torus, y: Torus) -> None:
    if x.domain is not y.domain or x.shape != y.shape:
        raise RingMismatch(
            f"{operation}: {x.domain} of shape {x.shape} and {y.domain} of shape {y.shape} do not agree",
            "give two operands of one domain and shape",
        )


def polynomials(operation: str, x: Torus) -> None:
    n = x.shape[-1] if x.shape else 0
    if n < LEAST_N or n & (n - 1):
        raise RingMismatch(
            f"{operation}: needs polynomials of N = 2^i >= {LEAST_N} coefficients, got shape {x.shape}",
            "put the coefficients on the last axis",
        )


def single(operation: str, x: Torus) -> None:
    if x.shape != ():
        raise RingMismatch(f"{operation}: needs one number, got shape {x.shape}", "take one entry with part")


def contracts(operation: str, x: Torus, y: Torus, rest: int) -> None:
    """x (..., m, <rest - 1 axes>) and y (..., m, columns, <rest - 1 axes>) have the m rows in common."""
    inner = x.shape[len(x.shape) - rest :]
    outer = y.shape[max(0, len(y.shape) - rest - 1) :]
    before = (x.shape[: len(x.shape) - rest], y.shape[: len(y.shape) - rest - 1])
    if len(outer) != rest + 1 or inner != (outer[0], *outer[2:]) or (all(before) and before[0] != before[1]):
        raise RingMismatch(
            f"{operation}: rows of shape {x.shape} do not fit a matrix of shape {y.shape}",
            "give one row of the matrix for each factor",
        )


def entry(operation: str, x: Torus, index: int) -> None:
    if not x.shape or not 0 <= index < x.shape[0]:
        raise RingMismatch(
            f"{operation}: shape {x.shape} has no entry {index}",
            "entries of the first axis are counted from 0",
        )


def size(operation: str, x: Torus, shape: tuple[int, ...]) -> None:
    if prod(x.shape) != prod(shape):
        raise RingMismatch(
            f"{operation}: shape {x.shape} has {prod(x.shape)} numbers, and {shape} {prod(shape)}",
            "give a shape of as many",
        )


def joined(operation: str, parts: tuple[Torus, ...], axis: int) -> None:
    def others(x: Torus) -> tuple[object, ...]:
        at = len(x.shape) + axis
        return (x.domain, x.shape[:at], x.shape[at + 1 :])

    if any(len(x.shape) < -axis or others(x) != others(parts[0]) for x in parts):
        raise RingMismatch(
            f"{operation}: shapes {[x.shape for x in parts]} differ elsewhere than on axis {axis}",
            "give parts of one domain that agree on the other axes",
        )


def gadget(operation: str, base_log: int, level: int) -> None:
    if base_log < 1 or level < 1 or base_log * level > 63:
        raise RingMismatch(
            f"{operation}: {level} digits of {base_log} bits are not a decomposition of 64 bits",
            "have base_log >= 1, level >= 1 and at most 63 bits together",
        )


def terms(operation: str, x: Torus, exponents: Torus) -> None:
    if not x.shape or exponents.shape != (x.shape[0] - 1,):
        raise RingMismatch(
            f"{operation}: {x.shape} terms and {exponents.shape} exponents do not agree",
            "give one exponent for each term but the first",
        )


def groups(operation: str, bits: Torus, size: int) -> None:
    if len(bits.shape) != 1 or size < 1 or bits.shape[0] % size:
        raise RingMismatch(
            f"{operation}: shape {bits.shape} cannot be divided into groups of {size} bits",
            "give a number of bits that the size of a group divides",
        )
