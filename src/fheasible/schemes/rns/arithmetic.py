"""Products and plain operands, which every scheme handles in the same way once it has encoded them."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.modulus import in_domain
from fheasible.schemes.rns.ciphertext import Ciphertext
from fheasible.schemes.rns.scheme import RnsScheme
from fheasible.schemes.rns.tensor import square, tensor
from fheasible.schemes.rns.variant import ScalarForm

Parts = tuple[Poly, ...]


class ResidueArithmetic(RnsScheme):
    """The products and the plain operands of a scheme that says how operands are encoded.

    `values` are slots; `value` is the same number in every slot.
    """

    # -- products of ciphertexts

    def mul(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """The product of x and y, of two parts each; it has three parts, in the domain of products."""
        self._copy("mul", x.parts[0])
        return self._multiplied(x, y, self._tensor(x.parts, y.parts))

    def square(self, x: Ciphertext) -> Ciphertext:
        self._copy("square", x.parts[0])
        return self._multiplied(x, x, self._tensor(x.parts, x.parts))

    def _tensor(self, xs: Parts, ys: Parts) -> Parts:
        """x·y as a polynomial in s, computed as a square where both operands are one object."""
        first = self.moved(xs, Domain.NTT)
        if xs is ys:
            return square(self.ring, first, first, self.variant.square_products, self.product_factor)
        return tensor(self.ring, first, self.moved(ys, Domain.NTT), self.product_factor)

    @property
    def product_factor(self) -> int | None:
        """The integer that one operand of a product is multiplied by, if any."""
        return 1 if self.variant.montgomery else None

    def _multiplied(self, x: Ciphertext, y: Ciphertext, parts: Parts) -> Ciphertext:
        parts = self.moved(parts, self.variant.product_domain)
        return replace(x, parts=parts, scale=x.scale * y.scale, factor=self._product_of(x.factor, y.factor))

    @abstractmethod
    def _product_of(self, f: int, g: int) -> int:
        """The plain factor of a product whose operands have the plain factors f and g."""

    # -- plain operands

    def add_plain(self, x: Ciphertext, values: Any = None) -> Ciphertext:
        self._copy("add_plain", x.parts[0])
        return self._plus(x, in_domain(self.ring, self._summand(values, x), x.domain))

    def mul_plain(self, x: Ciphertext, values: Any = None) -> Ciphertext:
        self._copy("mul_plain", x.parts[0])
        return self._times(x, in_domain(self.ring, self._factor(values, x), Domain.NTT))

    def add_scalar(self, x: Ciphertext, value: Any = None) -> Ciphertext:
        self._copy("add_scalar", x.parts[0])
        how = self.variant.scalar_sum
        if how is ScalarForm.ENCODED:
            return self._plus(x, in_domain(self.ring, self._summand(_vector(value), x), x.domain))
        number = self._summand_number(value, x)
        if how is ScalarForm.NUMBER and x.domain is Domain.NTT:
            return replace(x, parts=(self.ring.offset(x.parts[0], number), *x.parts[1:]))
        return self._plus(x, in_domain(self.ring, self._constant(x.basis, number, how), x.domain))

    def mul_scalar(self, x: Ciphertext, value: Any = None) -> Ciphertext:
        self._copy("mul_scalar", x.parts[0])
        how = self.variant.scalar_product
        if how is ScalarForm.ENCODED:
            return self._times(x, in_domain(self.ring, self._factor(_vector(value), x), Domain.NTT))
        number = self._factor_number(value, x)
        if how is ScalarForm.NUMBER:
            return self._rated(x, tuple(self.ring.scale(part, number) for part in x.parts))
        return self._times(x, in_domain(self.ring, self._constant(x.basis, number, how), Domain.NTT))

    @abstractmethod
    def _summand(self, values: Any, x: Ciphertext) -> Poly:
        """The slots encoded in the same way as x's message, over x's basis."""

    @abstractmethod
    def _factor(self, values: Any, x: Ciphertext) -> Poly:
        """The slots encoded as a factor of x, over x's basis."""

    @abstractmethod
    def _summand_number(self, value: Any, x: Ciphertext) -> int | None:
        """The constant that adds this number to every slot of x. None where the ring only counts."""

    @abstractmethod
    def _factor_number(self, value: Any, x: Ciphertext) -> int | None:
        """The integer that multiplies every slot of x by this number. None where the ring only counts."""

    @abstractmethod
    def _rated(self, x: Ciphertext, parts: Parts) -> Ciphertext:
        """The ciphertext of these parts, which are x times a plain factor, with its scale."""

    def _plus(self, x: Ciphertext, plain: Poly) -> Ciphertext:
        return replace(x, parts=(self.ring.add(x.parts[0], plain), *x.parts[1:]))

    def _times(self, x: Ciphertext, plain: Poly) -> Ciphertext:
        """x with each part multiplied by a plain polynomial in NTT domain."""
        made = tuple(self.ring.multiply(part, plain) for part in self.moved(x.parts, Domain.NTT))
        return self._rated(x, self.moved(made, x.domain))

    def _constant(self, basis: Basis, number: int | None, how: ScalarForm) -> Poly:
        """The constant polynomial of this number, made as `how` says."""
        if how is ScalarForm.FILLED:
            return self.ring.offset(self.ring.zero(basis, Domain.NTT), number)
        constant = self.ring.integers(basis, None if number is None else [number])
        return self.ring.to_ntt(constant) if how is ScalarForm.TRANSFORMED else constant


def _vector(value: Any) -> Any:
    """The value as a vector of one slot, which encoding repeats."""
    return None if value is None else [value]
