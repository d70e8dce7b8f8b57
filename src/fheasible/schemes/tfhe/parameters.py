"""The parameters of TFHE on a torus of 64 bits, or of another number of bits."""

from dataclasses import dataclass
from enum import StrEnum
from math import log2, sqrt

from fheasible.aliases import Json

TORUS_BITS = 64  # numbers of the torus are integers modulo 2^64 in most libraries


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A rounded Gaussian error. `std`: its standard deviation as a part of the torus."""

    std: float

    @property
    def variance(self) -> float:
        """As a part of the torus, squared."""
        return self.std**2


@dataclass(frozen=True, slots=True)
class TUniform:
    """An error that is uniform on the integers of (-2^bound, 2^bound), and has half that probability at
    either end, -2^bound and 2^bound. `torus_bits`: log2 of the modulus that those integers are taken of."""

    bound: int
    torus_bits: int = TORUS_BITS

    @property
    def variance(self) -> float:
        """As a part of the torus, squared."""
        return (2.0 ** (2 * self.bound + 1) + 1) / 6 * 2.0 ** (-2 * self.torus_bits)

    @property
    def std(self) -> float:
        return sqrt(self.variance)


Errors = Gaussian | TUniform


@dataclass(frozen=True, slots=True)
class Gadget:
    """How numbers of the torus are decomposed: into `level` signed digits of `base_log` bits, largest first;
    what lies below the last digit is rounded away."""

    base_log: int
    level: int

    @property
    def bits(self) -> int:
        return self.base_log * self.level


class Order(StrEnum):
    """In which key ciphertexts are between table look-ups."""

    KS_PBS = "ks_pbs"  # under the large key: key switch first, then bootstrap
    PBS_KS = "pbs_ks"  # under the small key: bootstrap first, then key switch


class ModulusSwitch(StrEnum):
    """How the modulus is switched to 2N."""

    STANDARD = "standard"  # each number is rounded
    CENTERED = "centered"  # rounded, with the mean of the errors of rounding compensated


@dataclass(frozen=True, slots=True, kw_only=True)
class TfheParameters:
    """One set of parameters. The small key has `lwe_dimension` bits; the large one `glwe_dimension` times
    `polynomial_size`. `pbs` decomposes in the bootstrap, `ks` in the key switch from the large key to the
    small one.

    A ciphertext holds an integer in [0, message_modulus * carry_modulus), below one bit of padding.
    `grouping`: how many bits of the small key one external product takes: more than 1 is multi-bit PBS.
    """

    lwe_dimension: int
    glwe_dimension: int
    polynomial_size: int
    lwe_errors: Errors
    glwe_errors: Errors
    pbs: Gadget
    ks: Gadget
    message_modulus: int
    carry_modulus: int
    torus_bits: int = TORUS_BITS
    order: Order = Order.KS_PBS
    modulus_switch: ModulusSwitch = ModulusSwitch.STANDARD
    grouping: int = 1

    @property
    def large_dimension(self) -> int:
        """The dimension of the LWE ciphertexts that are extracted from GLWE ciphertexts."""
        return self.glwe_dimension * self.polynomial_size

    @property
    def plaintext_modulus(self) -> int:
        """How many values a ciphertext can hold."""
        return self.message_modulus * self.carry_modulus

    @property
    def precision(self) -> float:
        """log2 of how many values a ciphertext can hold; the bit of padding is not counted."""
        return log2(self.plaintext_modulus)

    def to_json(self) -> Json:
        """As the worker takes it and the store keeps it."""
        return {
            "lwe_dimension": self.lwe_dimension,
            "glwe_dimension": self.glwe_dimension,
            "polynomial_size": self.polynomial_size,
            "lwe_errors": _errors(self.lwe_errors),
            "glwe_errors": _errors(self.glwe_errors),
            "pbs_base_log": self.pbs.base_log,
            "pbs_level": self.pbs.level,
            "ks_base_log": self.ks.base_log,
            "ks_level": self.ks.level,
            "message_modulus": self.message_modulus,
            "carry_modulus": self.carry_modulus,
            "torus_bits": self.torus_bits,
            "order": self.order.value,
            "modulus_switch": self.modulus_switch.value,
            "grouping": self.grouping,
        }

    @classmethod
    def from_json(cls, found: Json) -> "TfheParameters":
        """The set that `to_json` wrote."""
        bits = int(found["torus_bits"])
        return cls(
            lwe_dimension=int(found["lwe_dimension"]),
            glwe_dimension=int(found["glwe_dimension"]),
            polynomial_size=int(found["polynomial_size"]),
            lwe_errors=_read_errors(found["lwe_errors"], bits),
            glwe_errors=_read_errors(found["glwe_errors"], bits),
            pbs=Gadget(int(found["pbs_base_log"]), int(found["pbs_level"])),
            ks=Gadget(int(found["ks_base_log"]), int(found["ks_level"])),
            message_modulus=int(found["message_modulus"]),
            carry_modulus=int(found["carry_modulus"]),
            torus_bits=bits,
            order=Order(found["order"]),
            modulus_switch=ModulusSwitch(found["modulus_switch"]),
            grouping=int(found["grouping"]),
        )


def _errors(errors: Errors) -> Json:
    if isinstance(errors, Gaussian):
        return {"kind": "gaussian", "std": errors.std}
    return {"kind": "tuniform", "bound": errors.bound}


def _read_errors(found: Json, torus_bits: int) -> Errors:
    if found["kind"] == "gaussian":
        return Gaussian(float(found["std"]))
    return TUniform(int(found["bound"]), torus_bits)
