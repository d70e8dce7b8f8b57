"""What every ring scheme offers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from fheasible.rings.element import Element, Scalar
from fheasible.rings.ring import Ring
from fheasible.schemes.noise import Bounds, Noise
from fheasible.schemes.ntru import check_moduli
from fheasible.schemes.spec import Spec


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a scheme; `evaluation` is None in a scheme that needs no evaluation key."""

    secret: Element
    public: Element
    evaluation: Element | None = None


class RingScheme(ABC):
    """The algorithms of a scheme over a ring, for a given Spec.

    A ciphertext is one element: a row, or a matrix, of residues modulo q. A plaintext is a polynomial with
    coefficients in [0, t). A scheme that rests on NTRU raises InfeasibleParameters where q and t have a
    factor in common.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    problem: ClassVar[str]  # "rlwe" or "ntru": what its security rests on
    bits: ClassVar[bool] = False  # plaintexts are bits: t = 2, and the constant polynomials 0 and 1
    functions: ClassVar[tuple[str, ...]] = ("keygen", "encrypt", "decrypt", "add", "multiply")
    stateful: ClassVar[bool] = False  # whether what a call takes depends on what made its operands
    after: ClassVar[Mapping[str, str]] = {}  # functions whose operand c another function makes

    def __init__(self, ring: Ring, spec: Spec) -> None:
        if self.problem == "ntru":
            check_moduli(ring.q, spec.t.value)
        self.ring, self.spec = ring, spec

    @abstractmethod
    def keygen(self) -> Keys: ...

    @abstractmethod
    def encrypt(self, keys: Keys, m: Element) -> Element: ...

    @abstractmethod
    def decrypt(self, keys: Keys, c: Element) -> Element: ...

    @abstractmethod
    def multiply(self, keys: Keys, c: Element, d: Element) -> Element: ...

    @abstractmethod
    def constant(self, m: Element) -> Element:
        """A ciphertext of m with almost no noise, which can be made without a key."""

    @abstractmethod
    def phase(self, keys: Keys, c: Element) -> Element:
        """What decryption rounds: the residue that is the encoded message plus the noise."""

    @abstractmethod
    def noise(self, bounds: Bounds) -> Noise:
        """The scheme's noise formulas at these parameters."""

    def add(self, keys: Keys, c: Element, d: Element) -> Element:
        return self.ring.add(c, d)

    def negate(self, c: Element) -> Element:
        return self.ring.negate(c)

    def times(self, c: Element, k: int) -> Element:
        """c times an integer constant."""
        return self.ring.scale(c, Scalar.of(k))

    def message(self, coefficients: Any = None) -> Element:
        """A plaintext; counting needs no coefficients."""
        return self.ring.message(self.spec.t, coefficients)
