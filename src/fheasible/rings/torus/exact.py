"""The exact interpreter of torus rings: it runs algorithms on integers modulo 2^64, many ciphertexts at once.

The data of an array are uint64 (words), int64 (digits, exponents) or complex (transforms; those of words
have an axis of parts before all others). One axis before an array's shape stands for as many ciphertexts;
arrays without it, such as keys, are used for all of them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import RingMismatch
from fheasible.rings import sampling
from fheasible.rings.torus import fourier
from fheasible.rings.torus.element import Domain, Torus
from fheasible.rings.torus.fourier import WORD_BITS, Words
from fheasible.rings.torus.ring import Shape, TorusRing

S = TypeVar("S")
Signed = NDArray[np.int64]
PARTS = 4  # words are split so for exact products: enough for digits of 20 bits and 2^11 products
TRANSFORMED = (Domain.FOURIER_WORDS, Domain.FOURIER_DIGITS)
TOGETHER = 32  # ciphertexts at once: more do not fit the caches
DOUBLES = 1  # not split: products have the errors of doubles, as libraries have them


class ExactTorusRing(TorusRing):
    """A ring that computes. The same seed draws the same numbers.

    `bits`: numbers of the torus are multiples of 2^(64 - bits). `parts`: how words are split for products;
    exact where there are enough of them (RingMismatch where not), except for one part, `DOUBLES`.
    """

    def __init__(self, seed: int | None = None, bits: int = WORD_BITS, parts: int = PARTS) -> None:
        self._random, self._lost, self._parts = sampling.source(seed), WORD_BITS - bits, parts

    def repeat(self, times: int, state: S, step: Callable[[int, S], S]) -> S:
        for i in range(times):
            state = step(i, state)
        return state

    def _each(self, x: Torus, apply: Callable[[Torus], Torus]) -> Torus:
        """Many at once: the first axis stands for as many ciphertexts."""
        made = [
            apply(replace(x, shape=x.shape[1:], data=x.data[first : first + TOGETHER]))
            for first in range(0, x.shape[0], TOGETHER)
        ]
        data = np.concatenate([y.data for y in made])
        return replace(made[0], shape=(x.shape[0], *made[0].shape), data=data)

    def _interpret(
        self,
        operation: str,
        shape: Shape,
        domain: Domain,
        operands: tuple[Torus, ...] = (),
        value: Any = None,
    ) -> Any:
        with np.errstate(over="ignore"):  # numbers wrap modulo 2^64
            return _HOOKS[operation](self, shape, operands, value, domain)

    def _view(self, operation: str, x: Torus, shape: Shape, value: Any) -> Any:
        before = x.data.ndim - len(x.shape)
        if operation == "reshape":
            last = x.data.shape[-1:] if x.domain in TRANSFORMED else shape[-1:]
            return x.data.reshape(*x.data.shape[:before], *shape[:-1], *last)
        if operation == "swapped":
            return np.swapaxes(x.data, before, before + 1)
        index = slice(*value) if operation == "slice" else list(value) if operation == "pick" else value
        return x.data[(slice(None),) * before + (index,)]

    # -- operands from outside, and random numbers

    def _given(self, shape: Shape, xs: Any, data: Any, domain: Domain) -> Any:
        if data is None:
            return np.zeros(shape, np.uint64 if domain is Domain.WORDS else np.int64)
        kind = {Domain.WORDS: np.uint64, Domain.DIGITS: np.int64, Domain.EXPONENTS: np.int64}.get(domain)
        made = np.asarray(data, dtype=kind)
        if kind is not None and made.shape[made.ndim - len(shape) :] != shape:
            raise RingMismatch(
                f"given: data of shape {made.shape} do not end with {shape}", "give the array's shape last"
            )
        return made

    def _zero(self, shape: Shape, *_: Any) -> Words:
        return np.zeros(shape, np.uint64)

    def _uniform(self, shape: Shape, *_: Any) -> Words:
        drawn = self._random.integers(0, 1 << WORD_BITS, shape, np.uint64)
        return drawn >> np.uint64(self._lost) << np.uint64(self._lost)

    def _binary(self, shape: Shape, *_: Any) -> Signed:
        return self._random.integers(0, 2, shape, np.int64)

    def _indicators(self, shape: Shape, xs: tuple[Torus, ...], size: int, *_: Any) -> Signed:
        groups = xs[0].data.reshape(-1, size)
        found = groups @ (1 << np.arange(size))
        made: Signed = (found[:, np.newaxis] == np.arange(1 << size)).astype(np.int64)
        return made

    def _gaussian(self, shape: Shape, xs: Any, std: float, *_: Any) -> Words:
        drawn = np.rint(self._random.normal(0.0, std * 2.0 ** (WORD_BITS - self._lost), shape))
        return drawn.astype(np.int64).view(np.uint64) << np.uint64(self._lost)

    def _tuniform(self, shape: Shape, xs: Any, bound: int, *_: Any) -> Words:
        """u/2, rounded up or down alike, less 2^bound, for u in [0, 2^(bound + 2))."""
        own = bound - self._lost
        drawn = self._random.integers(0, 1 << (own + 2), shape, np.int64)
        return ((drawn >> 1) + (drawn & 1) - (1 << own)).view(np.uint64) << np.uint64(self._lost)

    # -- words

    def _add(self, shape: Shape, xs: tuple[Torus, ...], *_: Any) -> Words:
        made: Words = xs[0].data + xs[1].data
        return made

    def _subtract(self, shape: Shape, xs: tuple[Torus, ...], *_: Any) -> Words:
        made: Words = xs[0].data - xs[1].data
        return made

    def _scale(self, shape: Shape, xs: tuple[Torus, ...], factor: int, *_: Any) -> Words:
        made: Words = xs[0].data * np.uint64(factor % (1 << WORD_BITS))
        return made

    def _offset(self, shape: Shape, xs: tuple[Torus, ...], words: int, *_: Any) -> Words:
        made: Words = xs[0].data + np.uint64(words % (1 << WORD_BITS))
        return made

    def _outer(self, shape: Shape, xs: tuple[Torus, ...], *_: Any) -> Words:
        digits, words = xs[0].data.view(np.uint64), xs[1]
        made: Words = digits.reshape(*digits.shape, *(1,) * len(words.shape)) * words.data
        return made

    def _weighted_sum(self, shape: Shape, xs: tuple[Torus, ...], *_: Any) -> Words:
        made: Words = (xs[0].data.view(np.uint64)[..., np.newaxis, :] @ xs[1].data)[..., 0, :]
        return made

    def _decompose(self, shape: Shape, xs: tuple[Torus, ...], gadget: tuple[int, int], *_: Any) -> Signed:
        """Digits from the lowest up. A digit of B/2 becomes -B/2 where the next one begins with a 1, so that
        both are as likely."""
        base_log, level = gadget
        low = WORD_BITS - base_log * level
        rest: Signed = (xs[0].data + np.uint64(1 << (low - 1))).view(np.int64) >> low
        digits: list[Signed] = []
        while len(digits) < level:
            digit: Signed = rest & ((1 << base_log) - 1)
            rest = rest >> base_log
            carry = (((digit - 1) | rest) & digit) >> (base_log - 1)
            rest = rest + carry
            digits.append(digit - (carry << base_log))
        return np.stack(digits[::-1], axis=xs[0].data.ndim - len(xs[0].shape))

    # -- the switch of modulus

    def _nearest(self, shape: Shape, xs: tuple[Torus, ...], bits: int, *_: Any) -> Words:
        return nearest(xs[0].data, bits)

    def _exponents(self, shape: Shape, xs: tuple[Torus, ...], bits: int, *_: Any) -> Signed:
        return (nearest(xs[0].data, bits) >> np.uint64(WORD_BITS - bits)).view(np.int64)

    def _half_sum(self, shape: Shape, xs: tuple[Torus, ...], *_: Any) -> Words:
        signed = xs[0].data.view(np.int64)
        total: Words = ((signed >> 1).sum(-1) + (signed & 1).sum(-1) // 2).view(np.uint64)
        return total

    # -- polynomials

    def _rotate(self, shape: Shape, xs: tuple[Torus, ...], value: Any, *_: Any) -> Words:
        """Coefficient j of X^e·x is entry j - e, modulo 2N, of x with -x behind it."""
        x, (by, inverse), n = xs[0].data, value, shape[-1]
        exponent = by.data if isinstance(by, Torus) else np.array(by)
        first: Signed = np.asarray((exponent if inverse else -exponent) % (2 * n))
        long = np.concatenate((x, -x, x[..., :-1]), axis=-1)
        if first.ndim == 0:
            return np.ascontiguousarray(long[..., int(first) : int(first) + n])
        windows = np.lib.stride_tricks.sliding_window_view(long, n, axis=-1)
        if x.ndim == len(shape):  # one table for all exponents
            return np.ascontiguousarray(np.moveaxis(windows[..., first, :], -2, 0))
        each: Any = (np.arange(len(first)), ..., first, slice(None))
        made: Words = windows[each]
        return made

    def _reversed(self, shape: Shape, xs: tuple[Torus, ...], *_: Any) -> Words:
        x = xs[0].data
        return np.concatenate((x[..., :1], -x[..., :0:-1]), axis=-1)

    def _transform(self, shape: Shape, xs: tuple[Torus, ...], value: Any, domain: Domain) -> Any:
        if domain is Domain.FOURIER_WORDS:
            return fourier.transformed(xs[0].data, self._parts)
        return fourier.values(xs[0].data)

    def _back(self, shape: Shape, xs: tuple[Torus, ...], *_: Any) -> Words:
        found = fourier.words(xs[0].data)
        return nearest(found, WORD_BITS - self._lost) if self._lost else found

    def _products(self, shape: Shape, xs: tuple[Torus, ...], *_: Any) -> Any:
        digits, matrix = xs
        if self._parts != DOUBLES:
            fourier.exact(digits.bits, matrix.bits, digits.shape[-2], shape[-1], self._parts)
        return fourier.summed(digits.data, matrix.data)

    def _monomial_sum(self, shape: Shape, xs: tuple[Torus, ...], *_: Any) -> Any:
        """One ciphertext's sum for each set of exponents."""
        terms, exponents = xs[0].data, fourier.monomials(xs[1].data, shape[-1])
        spread = (..., *(np.newaxis,) * (len(shape) - 1), slice(None))
        before = (slice(None), *(np.newaxis,) * (exponents.ndim - 2))
        total = terms[(*before, 0)]
        for i in range(exponents.shape[-2]):
            total = total + terms[(*before, i + 1)] * exponents[..., i, :][spread]
        return total

    def _join(self, shape: Shape, xs: tuple[Torus, ...], axis: int, *_: Any) -> Any:
        before = [x.data.shape[: x.data.ndim - len(x.shape)] for x in xs]
        whole = np.broadcast_shapes(*before)
        return np.concatenate([np.broadcast_to(x.data, (*whole, *x.shape)) for x in xs], axis=axis)


def nearest(x: Words, bits: int) -> Words:
    """The nearest multiples of 2^(64 - bits)."""
    low = np.uint64(WORD_BITS - bits)
    return (x + (np.uint64(1) << (low - np.uint64(1)))) >> low << low


_HOOKS: dict[str, Callable[..., Any]] = {
    name.removeprefix("_"): getattr(ExactTorusRing, name)
    for name in (
        "_given", "_zero", "_uniform", "_binary", "_indicators", "_gaussian", "_tuniform", "_add",
        "_subtract", "_scale", "_offset", "_outer", "_weighted_sum", "_decompose", "_nearest",
        "_exponents", "_half_sum", "_rotate", "_reversed", "_transform", "_back", "_products",
        "_monomial_sum", "_join",
    )
}  # fmt: skip
