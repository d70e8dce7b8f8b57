"""What BFV, BGV and CKKS share: keys, encryption, sums, relinearisation, rotations."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from fheasible.errors import RingMismatch
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.modulus import in_domain
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns import keys as making
from fheasible.schemes.rns.ciphertext import SWAP, Ciphertext, RnsKeys, RnsSpec, SwitchKey
from fheasible.schemes.rns.encryption import encrypt_zero, phase
from fheasible.schemes.rns.key_switch import decompose, key_switch
from fheasible.schemes.rns.rotation import Name, named, rotate, rotate_decomposed, rotation_key
from fheasible.schemes.rns.variant import Variant


class RnsScheme(ABC):
    """A scheme over a ring, with a method for each action of a program; `values` are None in counting."""

    name: ClassVar[str]

    def __init__(self, ring: RnsRing, spec: RnsSpec, variant: Variant | None = None) -> None:
        self.ring, self.spec, self.variant = ring, spec, variant or Variant()

    @property
    @abstractmethod
    def noise_factor(self) -> int | None:
        """t where errors must be divisible by it, else None."""

    # -- keys

    def keygen(
        self, relinearize: bool = True, rotations: Iterable[int] = (), swap_rows: bool = False
    ) -> RnsKeys:
        """A secret, its public key, and the switching keys that are asked for."""
        ring, spec, variant, t = self.ring, self.spec, self.variant, self.noise_factor
        s = making.secret(ring, spec, variant)
        public = making.masked(ring, making.public_basis(ring, variant), s, spec, variant, t)
        square = making.switch_key(ring, ring.multiply(s, s), s, spec, variant, t) if relinearize else None
        names = dict.fromkeys([*(named(ring, steps) for steps in rotations), *([SWAP] if swap_rows else [])])
        turned = {name: rotation_key(ring, name, s, spec, variant, t) for name in names}
        return RnsKeys(s, public, square, turned)

    # -- operands from outside, on which one action is counted

    def operand(self, level: int | None = None, size: int = 2) -> Ciphertext:
        """A ciphertext from outside; one of three parts is in the domain of products."""
        basis = self.ring.q if level is None else self.ring.level(level)
        domain = self.variant.rest if size == 2 else self.variant.product_domain
        return Ciphertext(tuple(self.ring.given(basis, domain) for _ in range(size)))

    def given_keys(
        self, relinearize: bool = True, rotations: Iterable[int] = (1,), swap_rows: bool = True
    ) -> RnsKeys:
        """Keys from outside."""
        ring, variant = self.ring, self.variant
        public = making.public_basis(ring, variant)
        wide = max(public, making.key_basis(ring, variant), key=len)
        names: list[Name] = [*rotations, *([SWAP] if swap_rows else [])]
        return RnsKeys(
            ring.given(wide, Domain.NTT),
            (ring.given(public, Domain.NTT), ring.given(public, Domain.NTT)),
            making.given_switch_key(ring, variant) if relinearize else None,
            {named(ring, name): making.given_switch_key(ring, variant) for name in names},
        )

    # -- encryption

    def encrypt(self, keys: RnsKeys, values: Any = None, level: int | None = None) -> Ciphertext:
        """A fresh ciphertext of the slots, at this level, or at the top level where none is given."""
        top = len(self.ring.q) - 1
        level = top if level is None else level
        if self.variant.top_first and level < top:
            return self.drop(self.encrypt(keys, values), level)
        self._copy("encrypt", self.ring.restrict(keys.public[0], self.ring.level(level)))
        message = self._fresh(values, level)
        zero = encrypt_zero(self.ring, keys.public, level, self.spec, self.variant, self.noise_factor)
        return replace(message, parts=(self.ring.add(zero[0], message.parts[0]), zero[1]))

    def decrypt(self, keys: RnsKeys, x: Ciphertext) -> Any:
        """The decrypted slots."""
        self._copy("decrypt", x.parts[0])
        return self._decode(phase(self.ring, x.parts, keys.secret, self.variant), x)

    @abstractmethod
    def _fresh(self, values: Any, level: int) -> Ciphertext:
        """The encoded message as a ciphertext of one part, with its scale."""

    @abstractmethod
    def _decode(self, phase: Poly, x: Ciphertext) -> Any:
        """The slots of a phase in COEFFICIENT domain."""

    # -- levels

    def rescale(self, x: Ciphertext) -> Ciphertext:
        """x without its last prime, by which the message and the noise are divided."""
        self._copy("rescale", x.parts[0])
        return self._divided(x)

    @abstractmethod
    def _divided(self, x: Ciphertext) -> Ciphertext:
        """What `rescale` returns, without the copies that a library makes."""

    @abstractmethod
    def drop(self, x: Ciphertext, level: int) -> Ciphertext:
        """The same message at a lower level."""

    # -- sums

    def add(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        self._copy("add", x.parts[0])
        x, y = self._matched(x, y)
        common = [self.ring.add(a, b) for a, b in zip(x.parts, y.parts, strict=False)]
        return x.having(parts=(*common, *x.parts[y.size :], *y.parts[x.size :]))

    def sub(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        self._copy("sub", x.parts[0])
        x, y = self._matched(x, y)
        common = [self.ring.subtract(a, b) for a, b in zip(x.parts, y.parts, strict=False)]
        negated = [self.ring.negate(part) for part in y.parts[x.size :]]
        return x.having(parts=(*common, *x.parts[y.size :], *negated))

    def neg(self, x: Ciphertext) -> Ciphertext:
        self._copy("neg", x.parts[0])
        return x.having(parts=tuple(self.ring.negate(part) for part in x.parts))

    @abstractmethod
    def _matched(self, x: Ciphertext, y: Ciphertext) -> tuple[Ciphertext, Ciphertext]:
        """Both ciphertexts with the same scale, or the same plain factor."""

    # -- key switching

    def relinearize(self, keys: RnsKeys, x: Ciphertext) -> Ciphertext:
        """The same message in two parts, at rest. RingMismatch without a key, or without three parts."""
        self._copy("relinearize", x.parts[0])
        if x.size != 3:
            raise RingMismatch(
                f"relinearize: the ciphertext has {x.size} parts",
                "relinearize products, which have three parts",
            )
        c0, c1, c2 = self.at_rest(x.parts)
        key = found(keys.relinearization, "relinearization")
        k0, k1 = key_switch(self.ring, c2, key, self.variant, self.noise_factor)
        return x.having(parts=(self.ring.add(c0, k0), self.ring.add(c1, k1)))

    def rotate(self, keys: RnsKeys, x: Ciphertext, steps: int) -> Ciphertext:
        """x rotated: slot i receives slot i + steps of its row."""
        self._copy("rotate", x.parts[0])
        return self._turned(keys, x, named(self.ring, steps))

    def swap_rows(self, keys: RnsKeys, x: Ciphertext) -> Ciphertext:
        """x with its two rows exchanged; in CKKS, with its slots conjugated."""
        self._copy("swap_rows", x.parts[0])
        return self._turned(keys, x, SWAP)

    def _turned(self, keys: RnsKeys, x: Ciphertext, name: Name) -> Ciphertext:
        key = found(keys.rotations.get(name), f"rotation by {name}")
        return x.having(parts=rotate(self.ring, pair(x), name, key, self.variant, self.noise_factor))

    def rotate_hoisted(self, keys: RnsKeys, x: Ciphertext, steps: Sequence[int]) -> list[Ciphertext]:
        """One rotation of x for each of `steps`; its digits are made once where the variant hoists."""
        if not self.variant.hoisting:
            return [self.rotate(keys, x, s) for s in steps]
        digits = self.digits(x)
        return [self.rotate_decomposed(keys, x, digits, s) for s in steps]

    def digits(self, x: Ciphertext) -> tuple[Poly, ...]:
        """The digits of x's c_1, which rotations of x share [HS18]."""
        return decompose(self.ring, pair(x)[1], self.variant)

    def rotate_decomposed(
        self, keys: RnsKeys, x: Ciphertext, digits: tuple[Poly, ...], steps: int
    ) -> Ciphertext:
        """What `rotate` gives for x, from digits of x that are known already."""
        self._copy("rotate_hoisted", x.parts[0])
        return self._turned_again(keys, x, digits, named(self.ring, steps))

    def _turned_again(self, keys: RnsKeys, x: Ciphertext, digits: tuple[Poly, ...], name: Name) -> Ciphertext:
        key = found(keys.rotations.get(name), f"rotation by {name}")
        parts = rotate_decomposed(self.ring, pair(x), digits, name, key, self.variant, self.noise_factor)
        return x.having(parts=parts)

    # -- shared by the schemes

    def at_rest(self, parts: Iterable[Poly]) -> tuple[Poly, ...]:
        return self.moved(parts, self.variant.rest)

    def moved(self, parts: Iterable[Poly], domain: Domain) -> tuple[Poly, ...]:
        """The parts in this domain."""
        return tuple(in_domain(self.ring, part, domain) for part in parts)

    def _copy(self, action: str, like: Poly) -> None:
        """Make the copies that a library makes in addition to its algorithm."""
        for _ in range(self.variant.copied(action)):
            self.ring.copy(like)


def pair(x: Ciphertext) -> tuple[Poly, Poly]:
    if x.size != 2:
        raise RingMismatch(f"rotate: the ciphertext has {x.size} parts", "relinearize first")
    return x.parts[0], x.parts[1]


def found(key: SwitchKey | None, what: str) -> SwitchKey:
    if key is None:
        raise RingMismatch(f"there is no key for {what}", "make it with keygen")
    return key
