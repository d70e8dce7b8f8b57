"""What a scheme on the RNS ring holds: ciphertexts, keys, and the parameters beside the ring."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly

SIGMA = 3.19  # of errors [HES18]
SWAP = "swap"  # the name of the row swap among rotations


@dataclass(frozen=True, slots=True)
class Spec:
    """Plaintext modulus t (BGV, BFV) or the ladder S_0, S_1, ... of scales (CKKS), width of errors.

    Counting needs neither t nor scales. `weight`: of a sparse ternary secret. `key_sigma`: of the errors of
    switching keys, where it is another.
    """

    t: int | None = None
    scales: tuple[float, ...] = ()
    sigma: float = SIGMA
    weight: int | None = None
    key_sigma: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ciphertext:
    """Parts c_0, c_1, ... over the first limbs of Q, with the message in c_0 + c_1 s + c_2 s^2.

    `scale` (CKKS): the message is multiplied by it. `factor` (BGV, BFV): likewise, modulo t.
    """

    parts: tuple[Poly, ...]
    scale: float = 1.0
    factor: int = 1

    @property
    def size(self) -> int:
        return len(self.parts)

    @property
    def basis(self) -> Basis:
        return self.parts[0].basis

    @property
    def domain(self) -> Domain:
        return self.parts[0].domain

    @property
    def level(self) -> int:
        return len(self.basis) - 1


@dataclass(frozen=True, slots=True, eq=False)
class SwitchKey:
    """Rows (b_j, a_j), one for each digit: b_j + a_j s = w_j s' + e_j for digit weights w_j. NTT domain."""

    rows: tuple[tuple[Poly, Poly], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """Secret s, public (b, a) with b + a s small, and what was asked for of the rest. NTT domain, over QP."""

    secret: Poly
    public: tuple[Poly, Poly]
    relinearization: SwitchKey | None = None
    rotations: Mapping[int | str, SwitchKey] = field(default_factory=dict)
