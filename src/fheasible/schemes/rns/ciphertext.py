"""What a scheme on the RNS ring holds: ciphertexts, keys, and the parameters apart from the ring's."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly

SIGMA = 3.19  # width of errors [HES18]
SWAP = "swap"  # the name of the row swap among rotations


@dataclass(frozen=True, slots=True)
class RnsSpec:
    """The plaintext modulus t (BGV, BFV) or ladder S_0, S_1, ... of scales (CKKS), and the width of errors.

    Counting needs neither t nor scales. `weight` is the weight of a sparse ternary secret. `key_sigma` is the
    width of the errors in switching keys, where it differs from `sigma`.
    """

    t: int | None = None
    scales: tuple[float, ...] = ()
    sigma: float = SIGMA
    weight: int | None = None
    key_sigma: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ciphertext:
    """Parts c_0, c_1, ... over the first limbs of Q, with the message in c_0 + c_1 s + c_2 s^2.

    The message is multiplied by `scale` in CKKS, and by `factor` modulo t in BGV and BFV.
    """

    parts: tuple[Poly, ...]
    scale: float = 1.0
    factor: int = 1

    def having(self, parts: tuple[Poly, ...] | None = None, scale: float | None = None) -> "Ciphertext":
        """The same with these parts, or this scale. (`dataclasses.replace` takes five times as long, and a
        bootstrap is counted in thousands of them.)"""
        own = self.parts if parts is None else parts
        return Ciphertext(own, self.scale if scale is None else scale, self.factor)

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
    """One row (b_j, a_j) for each digit: b_j + a_j s = w_j s' + e_j for digit weights w_j. NTT domain."""

    rows: tuple[tuple[Poly, Poly], ...]


@dataclass(frozen=True, slots=True, eq=False)
class RnsKeys:
    """The secret s, the public (b, a) with b + a s small, and other keys on request. NTT domain, over QP."""

    secret: Poly
    public: tuple[Poly, Poly]
    relinearization: SwitchKey | None = None
    rotations: Mapping[int | str, SwitchKey] = field(default_factory=dict)
