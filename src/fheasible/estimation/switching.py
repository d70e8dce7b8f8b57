"""What comparisons of CKKS slots by scheme switching take: signs of FHEW ciphertexts, and the ways there and
back.

The slots leave CKKS by one linear map, FHEW takes the sign of each by blind rotations [LMP22], and the signs
come back by the decryption of FHEW in CKKS: a linear map and a Chebyshev series [LHHMQ21]. So the time is

    signs * sign_seconds + returns * returning * U + leaves * leaving * sqrt(slots) * V

where U is the profile's time of relinearisations at the levels that a way back uses, one at each, and V that
of a rotation at level 1. The three factors are fitted (`calibration/switching.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2, sqrt
from typing import Final

from fheasible.aliases import Json

COMPARE, LEAVE = "compare_by_switching", "ckks_to_fhew"
EXTREMES: Final = ("minimum_by_switching", "maximum_by_switching")


@dataclass(frozen=True, slots=True)
class Steps:
    """How often an operation on `slots` slots takes a sign, comes back to CKKS, and leaves it."""

    signs: int
    returns: int
    leaves: int

    @staticmethod
    def of(operation: str, slots: int) -> "Steps":
        """The least of k slots is found in log2(k) rounds, in each of which half of the slots remain."""
        if operation in EXTREMES:
            rounds = int(log2(slots))
            return Steps(slots - 1, rounds, rounds)
        return Steps(slots, 1, 1) if operation == COMPARE else Steps(0, 0, 1)

    def parts(self, slots: int, way_back: float, rotation: float) -> tuple[float, float, float]:
        """The figures that the three factors of a `SwitchingModel` multiply."""
        return self.signs, self.returns * way_back, self.leaves * sqrt(slots) * rotation


@dataclass(frozen=True, slots=True)
class SwitchingModel:
    """The fitted factors for FHEW parameters of one security level, and the memory of its keys.

    `key_bytes` is the memory that context and keys of scheme switching took in the largest run.
    """

    sign_seconds: float
    returning: float
    leaving: float
    key_bytes: int

    def seconds(self, operation: str, slots: int, way_back: float, rotation: float) -> float:
        """CPU seconds of an operation, without its keys; `way_back` and `rotation` are U and V."""
        signs, returns, leaves = Steps.of(operation, slots).parts(slots, way_back, rotation)
        return self.sign_seconds * signs + self.returning * returns + self.leaving * leaves


Models = Mapping[str, SwitchingModel]  # by `named` security level


def named(security: int | None) -> str:
    """The name of a security level among the models."""
    return "none" if security is None else f"{security}"


def models_of(body: Json) -> dict[str, SwitchingModel]:
    return {name: SwitchingModel(**told) for name, told in body.items()}
