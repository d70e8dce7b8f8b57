"""Polynomials modulo X^N + 1 and vectors over the torus: what TFHE's algorithms are written against.

A public method checks its operands and determines the shape of the result. One hook of the interpreter does
the rest, so that an algorithm that misuses the ring fails in the same way whether it is counted or run.
Operations act on the last axes; those before stand for as many operations of the same kind.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from fheasible.rings.torus import check
from fheasible.rings.torus.element import Domain, Torus

WORDS, DIGITS, EXPONENTS = Domain.WORDS, Domain.DIGITS, Domain.EXPONENTS
FOURIER_WORDS, FOURIER_DIGITS = Domain.FOURIER_WORDS, Domain.FOURIER_DIGITS
Shape = tuple[int, ...]
S = TypeVar("S")


class TorusRing(ABC):
    """Numbers of the torus are integers modulo 2^64. Where a library has fewer bits, they are the highest."""

    # -- operands from outside, and random numbers

    def given(self, shape: Shape, domain: Domain, data: Any = None, *, bits: int = 0, key: str = "") -> Torus:
        """An array that was there before, as in a ciphertext or a key (`key`); nothing is counted.

        The exact ring takes arrays with axes before those of `shape`: as many ciphertexts at once.
        """
        return Torus(shape, domain, self._interpret("given", shape, domain, (), data), bits, key)

    def zero(self, shape: Shape) -> Torus:
        """Words that are 0."""
        return Torus(shape, WORDS, self._interpret("zero", shape, WORDS))

    def uniform(self, shape: Shape) -> Torus:
        """Words, all equally likely."""
        return Torus(shape, WORDS, self._interpret("uniform", shape, WORDS))

    def binary(self, shape: Shape) -> Torus:
        """Digits 0 and 1, equally likely."""
        return Torus(shape, DIGITS, self._interpret("binary", shape, DIGITS))

    def indicators(self, bits: Torus, size: int) -> Torus:
        """For groups of `size` bits (n,): digits (n/size, 2^size), 1 at the group's value and 0 elsewhere.
        The first bit of a group is the lowest of its value."""
        check.domain("indicators", bits, DIGITS)
        check.groups("indicators", bits, size)
        shape = (bits.shape[0] // size, 1 << size)
        return Torus(shape, DIGITS, self._interpret("indicators", shape, DIGITS, (bits,), size))

    def gaussian(self, shape: Shape, std: float) -> Torus:
        """Words near 0: rounded Gaussian errors of this standard deviation, a part of the torus."""
        return Torus(shape, WORDS, self._interpret("gaussian", shape, WORDS, (), std))

    def tuniform(self, shape: Shape, bound: int) -> Torus:
        """Words near 0: uniform on (-2^bound, 2^bound), and half as likely at either end."""
        return Torus(shape, WORDS, self._interpret("tuniform", shape, WORDS, (), bound))

    # -- words

    def add(self, x: Torus, y: Torus) -> Torus:
        check.domain("add", x, WORDS)
        check.alike("add", x, y)
        return Torus(x.shape, WORDS, self._interpret("add", x.shape, WORDS, (x, y)))

    def subtract(self, x: Torus, y: Torus) -> Torus:
        check.domain("subtract", x, WORDS)
        check.alike("subtract", x, y)
        return Torus(x.shape, WORDS, self._interpret("subtract", x.shape, WORDS, (x, y)))

    def scale(self, x: Torus, factor: int) -> Torus:
        """factor·x, for a plain integer of any sign."""
        check.domain("scale", x, WORDS)
        return Torus(x.shape, WORDS, self._interpret("scale", x.shape, WORDS, (x,), factor))

    def offset(self, x: Torus, words: int) -> Torus:
        """x with the same number of the torus added to each word."""
        check.domain("offset", x, WORDS)
        return Torus(x.shape, WORDS, self._interpret("offset", x.shape, WORDS, (x,), words))

    def outer(self, digits: Torus, words: Torus) -> Torus:
        """digits[i]·words[j] for all i and j: of both shapes, one after the other."""
        check.domain("outer", digits, DIGITS)
        check.domain("outer", words, WORDS)
        shape = (*digits.shape, *words.shape)
        return Torus(shape, WORDS, self._interpret("outer", shape, WORDS, (digits, words)))

    def weighted_sum(self, digits: Torus, rows: Torus) -> Torus:
        """sum_i digits[..., i]·rows[..., i, :], of the rows' shape without i."""
        check.domain("weighted_sum", digits, DIGITS)
        check.domain("weighted_sum", rows, WORDS)
        check.contracts("weighted_sum", digits, rows, 1)
        shape = _contracted(digits, rows, 1)
        return Torus(shape, WORDS, self._interpret("weighted_sum", shape, WORDS, (digits, rows)))

    def decompose(self, x: Torus, base_log: int, level: int) -> Torus:
        """Digits in [-B/2, B/2] for B = 2^base_log, of shape (level, ...), the highest first: x is close to
        sum_j digits[j]·2^64/B^(j+1), with an error of at most 2^63/B^level."""
        check.domain("decompose", x, WORDS)
        check.gadget("decompose", base_log, level)
        shape = (level, *x.shape)
        data = self._interpret("decompose", shape, DIGITS, (x,), (base_log, level))
        return Torus(shape, DIGITS, data, base_log - 1)

    # -- the switch of modulus

    def nearest(self, x: Torus, bits: int) -> Torus:
        """The nearest multiple of 2^(64 - bits)."""
        check.domain("nearest", x, WORDS)
        return Torus(x.shape, WORDS, self._interpret("nearest", x.shape, WORDS, (x,), bits))

    def exponents(self, x: Torus, bits: int) -> Torus:
        """round(x·2^bits/2^64) modulo 2^bits."""
        check.domain("exponents", x, WORDS)
        return Torus(x.shape, EXPONENTS, self._interpret("exponents", x.shape, EXPONENTS, (x,), bits))

    def half_sum(self, x: Torus) -> Torus:
        """Half the sum of the last axis's words, each taken as an integer in [-2^63, 2^63)."""
        check.domain("half_sum", x, WORDS)
        return Torus(x.shape[:-1], WORDS, self._interpret("half_sum", x.shape[:-1], WORDS, (x,)))

    # -- polynomials

    def rotate(self, x: Torus, by: Torus | int, inverse: bool = False) -> Torus:
        """X^by·x, or X^-by·x; `by` is one exponent, plain or known to the interpreter alone."""
        check.domain("rotate", x, WORDS)
        check.polynomials("rotate", x)
        operands: tuple[Torus, ...] = (x,)
        if isinstance(by, Torus):
            check.domain("rotate", by, EXPONENTS)
            check.single("rotate", by)
            operands = (x, by)
        data = self._interpret("rotate", x.shape, WORDS, operands, (by, inverse))
        return Torus(x.shape, WORDS, data)

    def reversed(self, x: Torus) -> Torus:
        """x(1/X): the coefficients (x_0, -x_(N-1), ..., -x_1)."""
        check.domain("reversed", x, WORDS)
        check.polynomials("reversed", x)
        return Torus(x.shape, WORDS, self._interpret("reversed", x.shape, WORDS, (x,)))

    def transform(self, x: Torus) -> Torus:
        """The values of polynomials at roots of X^N + 1. A key stays a key."""
        check.domain("transform", x, WORDS, DIGITS)
        check.polynomials("transform", x)
        domain = FOURIER_WORDS if x.domain is WORDS else FOURIER_DIGITS
        return Torus(x.shape, domain, self._interpret("transform", x.shape, domain, (x,)), x.bits, x.key)

    def back(self, x: Torus) -> Torus:
        """The words that have these values."""
        check.domain("back", x, FOURIER_WORDS)
        return Torus(x.shape, WORDS, self._interpret("back", x.shape, WORDS, (x,)))

    def products(self, digits: Torus, matrix: Torus) -> Torus:
        """sum_i digits[..., i, :]·matrix[..., i, c, :] for each column c: products of polynomials."""
        check.domain("products", digits, FOURIER_DIGITS)
        check.domain("products", matrix, FOURIER_WORDS)
        check.contracts("products", digits, matrix, 2)
        shape = _contracted(digits, matrix, 2)
        data = self._interpret("products", shape, FOURIER_WORDS, (digits, matrix))
        return Torus(shape, FOURIER_WORDS, data)

    def monomial_sum(self, terms: Torus, exponents: Torus) -> Torus:
        """terms[0] + sum_i X^exponents[i]·terms[i + 1], of the terms' shape without i."""
        check.domain("monomial_sum", terms, FOURIER_WORDS)
        check.domain("monomial_sum", exponents, EXPONENTS)
        check.terms("monomial_sum", terms, exponents)
        shape = terms.shape[1:]
        data = self._interpret("monomial_sum", shape, FOURIER_WORDS, (terms, exponents))
        return Torus(shape, FOURIER_WORDS, data, terms.bits + terms.shape[0].bit_length())

    def each(self, x: Torus, apply: Callable[[Torus], Torus]) -> Torus:
        """`apply` of each entry of the first axis, one after the other on the first axis."""
        check.entry("each", x, 0)
        return self._each(x, apply)

    # -- views: nothing is computed or counted

    def pick(self, x: Torus, places: tuple[int, ...]) -> Torus:
        """These entries of the first axis, in this order; they may repeat."""
        for place in places:
            check.entry("pick", x, place)
        shape = (len(places), *x.shape[1:])
        return Torus(shape, x.domain, self._view("pick", x, shape, places), x.bits, x.key)

    def part(self, x: Torus, index: int) -> Torus:
        """Entry `index` of the first axis."""
        check.entry("part", x, index)
        shape = x.shape[1:]
        return Torus(shape, x.domain, self._view("part", x, shape, index), x.bits, x.key)

    def slice(self, x: Torus, start: int, stop: int) -> Torus:
        """Entries start, ..., stop - 1 of the first axis."""
        check.entry("slice", x, start)
        check.entry("slice", x, stop - 1)
        shape = (stop - start, *x.shape[1:])
        return Torus(shape, x.domain, self._view("slice", x, shape, (start, stop)), x.bits, x.key)

    def swapped(self, x: Torus) -> Torus:
        """x with its first two axes swapped."""
        check.entry("swapped", x, 0)
        shape = (x.shape[1], x.shape[0], *x.shape[2:])
        return Torus(shape, x.domain, self._view("swapped", x, shape, None), x.bits, x.key)

    def reshape(self, x: Torus, shape: Shape) -> Torus:
        """The same numbers in another shape; transformed polynomials keep their last axis."""
        check.size("reshape", x, shape)
        return Torus(shape, x.domain, self._view("reshape", x, shape, None), x.bits, x.key)

    def named(self, x: Torus, key: str) -> Torus:
        """x as a key of this name: when products read it, the bytes are counted."""
        return replace(x, key=key)

    def join(self, parts: tuple[Torus, ...], axis: int) -> Torus:
        """The parts one after the other on an axis, which is counted from the last, -1."""
        check.joined("join", parts, axis)
        at = len(parts[0].shape) + axis
        shape = list(parts[0].shape)
        shape[at] = sum(x.shape[at] for x in parts)
        data = self._interpret("join", tuple(shape), parts[0].domain, parts, axis)
        return Torus(tuple(shape), parts[0].domain, data, max(x.bits for x in parts), parts[0].key)

    # -- what interpreters supply

    @abstractmethod
    def repeat(self, times: int, state: S, step: Callable[[int, S], S]) -> S:
        """The state after step(0, ...), ..., step(times - 1, ...), where each makes one state of another.

        Where only counted, one step stands for all.
        """

    @abstractmethod
    def _each(self, x: Torus, apply: Callable[[Torus], Torus]) -> Torus:
        """The results for all entries."""

    @abstractmethod
    def _interpret(
        self,
        operation: str,
        shape: Shape,
        domain: Domain,
        operands: tuple[Torus, ...] = (),
        value: Any = None,
    ) -> Any:
        """The data of the result in this shape and domain."""

    @abstractmethod
    def _view(self, operation: str, x: Torus, shape: Shape, value: Any) -> Any:
        """The data of a part of x, or of x in another shape."""


def _contracted(x: Torus, y: Torus, rest: int) -> Shape:
    """The shape of a sum over the rows that x and y have in common."""
    before = x.shape[: len(x.shape) - rest] or y.shape[: len(y.shape) - rest - 1]
    return (*before, *y.shape[len(y.shape) - rest :])
