"""Values of a circuit as affine functions of what no sum, sign or plain factor makes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit.modulus import centred, modulus
from fheasible.circuit.node import Circuit, Kind, Node, Op

_MOST_TERMS = 20_000  # of all values of a circuit together
_WORD = 2.0**62


class TooLarge(Exception):
    """The circuit is too large for its values to be written so, or its integers are."""


class Affine(NamedTuple):
    """The sum of the terms, each a node times a plain factor, and of a constant. Factors and the constant are
    one number, or one for each of `length` elements."""

    terms: Mapping[Node, Array]
    constant: Array
    length: int


def affine(circuit: Circuit) -> dict[Node, Affine]:
    """Every value as an affine function of `atoms`. Raises TooLarge."""
    return _Writing(circuit).found


def is_atom(n: Node) -> bool:
    """Whether the value is no sum, sign or plain multiple of others."""
    plain = n.op is Op.MULTIPLY and Op.CONSTANT in (n.args[0].op, n.args[1].op)
    return not plain and n.op not in (Op.ADD, Op.SUBTRACT, Op.NEGATE, Op.CONSTANT)


class _Writing:
    def __init__(self, circuit: Circuit) -> None:
        self.modulus = modulus(circuit)
        self.number: Any = np.float64 if circuit.kind is Kind.REAL else np.int64
        self.found: dict[Node, Affine] = {}
        terms = 0
        for n in circuit.nodes():
            self.found[n] = self._written(n)
            terms += len(self.found[n].terms)
            if terms > _MOST_TERMS:
                raise TooLarge

    def _written(self, n: Node) -> Affine:
        if is_atom(n):
            return Affine({n: self._numbers([1])}, self._numbers([0]), n.length)
        if n.op is Op.CONSTANT:
            return Affine({}, self._numbers(n.attribute.array), n.length)
        own = [self.found[a] for a in n.args]
        if n.op is Op.NEGATE:
            return self._times(own[0], self._numbers([-1]), n.length)
        if n.op is Op.MULTIPLY:
            x, plain = own if n.args[1].op is Op.CONSTANT else reversed(own)
            return self._times(x, plain.constant, n.length)
        sign = 1 if n.op is Op.ADD else -1
        x, y = own[0], self._times(own[1], self._numbers([sign]), n.length)
        terms = dict(x.terms)
        for atom, factor in y.terms.items():
            total = self._checked(terms[atom] + factor) if atom in terms else factor
            terms[atom] = total
        kept = {atom: factor for atom, factor in terms.items() if factor.any()}
        return Affine(kept, self._checked(x.constant + y.constant), n.length)

    def _times(self, x: Affine, plain: Array, length: int) -> Affine:
        terms = {atom: self._product(factor, plain) for atom, factor in x.terms.items()}
        kept = {atom: factor for atom, factor in terms.items() if factor.any()}
        return Affine(kept, self._product(x.constant, plain), length)

    def _product(self, a: Array, b: Array) -> Array:
        if a.dtype.kind == "i" and _largest(a) * _largest(b) >= _WORD:
            raise TooLarge
        return self._checked(a * b)

    def _checked(self, values: Array) -> Array:
        if values.dtype.kind == "i" and self.modulus is not None:
            return centred(values, self.modulus)
        if values.dtype.kind == "i" and _largest(values) >= _WORD:
            raise TooLarge
        return values

    def _numbers(self, values: Any) -> Array:
        return np.asarray(values).astype(self.number)


def _largest(values: Array) -> float:
    return float(np.abs(values.astype(np.float64)).max())
