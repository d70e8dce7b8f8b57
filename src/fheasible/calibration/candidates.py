"""The runs that a calibration may choose among: contexts with small and large rings, few and many limbs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.calibration.workload import workload
from fheasible.errors import InfeasibleParameters
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import Parameters, Request, request_for
from fheasible.libraries.work import layout_of
from fheasible.program.types import Program, Scheme

Choice = dict[str, Any]  # fields of a Request

PLAIN_MODULUS = 786_433  # prime, and 1 modulo 2N for every N up to 2^17
LEVELS = 6  # the most levels of a context at which its operations are run

_LIMBS = {12: (1, 2, 3), 13: (2, 4, 6), 14: (3, 5, 8, 11), 15: (4, 7, 11), 16: (4, 8)}  # by log2 N
_LINEAR = {15: (12, 20), 16: (12, 20)}  # without products and rotations, since these need keys and time
_REPETITIONS = {12: 12, 13: 8, 14: 5, 15: 3, 16: 2}


@dataclass(frozen=True, slots=True)
class CalibrationRun:
    """A context and its program.

    `linear`: the program has no products of ciphertexts and no rotations. `hoists`: the library's rotations
    can share digits.
    """

    parameters: Parameters
    at: tuple[int, ...]  # levels
    repetitions: int
    linear: bool
    hoists: bool = False

    def program(self, number: int = 0) -> Program:
        """The program of the run with that number.

        Runs with an odd `number` make one more key, rotate by shared digits where the library can, and
        decrypt at the top level. Runs with an even number decrypt at the lowest level.
        """
        p = self.parameters
        scheme = Scheme(p.scheme)
        slots = p.ring_dimension // 2 if scheme is Scheme.CKKS else p.ring_dimension
        rotations = 0 if self.linear else 1 + number % 2
        return workload(
            scheme,
            slots,
            p.levels,
            self.at,
            rotations,
            low=number % 2 == 0,
            linear=self.linear,
            hoists=self.hoists,
        )


MOST_LIMBS_BV = 6  # each limb is a digit in BV, so that keys of many limbs are huge


def candidates(library: Library, scheme: str) -> Iterator[CalibrationRun]:
    """All candidates that the library can run, small rings first.

    Security is not required, because only the cost matters here.
    """
    found: dict[object, CalibrationRun] = {}
    for linear, table in ((False, _LIMBS), (True, _LINEAR)):
        for log_n, several in table.items():
            for limbs in several:
                for candidate in _of_size(library, scheme, log_n, limbs, linear):
                    found.setdefault((log_n, layout_of(candidate.parameters), linear), candidate)
    yield from found.values()


def _of_size(library: Library, scheme: str, log_n: int, limbs: int, linear: bool) -> Iterator[CalibrationRun]:
    for request in requests(library, scheme, 1 << log_n, limbs, several=not linear):
        try:
            p = library.parameters(request)
        except InfeasibleParameters:  # for example, digits that do not divide the limbs
            continue
        yield CalibrationRun(p, levels(p, LEVELS), _REPETITIONS[log_n], linear, library.hoists)


def levels(p: Parameters, most: int) -> tuple[int, ...]:
    """At most `most` levels of a context, evenly spread, the top and the bottom among them."""
    return tuple(sorted({round(float(x)) for x in np.linspace(0, p.levels, most)}))


def requests(
    library: Library, scheme: str, n: int, limbs: int, several: bool = True, security: int | None = None
) -> Iterator[Request]:
    """Requests for contexts of that many limbs; if `several`, for each number of digits and key switching."""
    own = _choices(library, scheme, limbs) if several else [{}]
    for choice in own:
        yield request_for(
            scheme, max(limbs - 1, 1), security, ring_dimension=n, **_chain(library, scheme, limbs) | choice
        )


def _chain(library: Library, scheme: str, limbs: int) -> Choice:
    """The fields of a request that give a chain of that length."""
    real: Choice = {"scale_bits": 40, "first_bits": 50}
    shared = real if scheme == "ckks" else {"plain_modulus": PLAIN_MODULUS}
    return shared | dict(library.chain_settings(scheme, limbs))


def _choices(library: Library, scheme: str, limbs: int) -> list[Choice]:
    """The numbers of digits and the kinds of key switching to choose among, as fields of a request."""
    usual, *others = library.switchings(scheme)
    if not library.usual_digits:
        return [{}]
    if usual == "bv":
        return [{}, *({"key_switching": other} for other in others)]
    digits: list[Choice] = [{"digits": d} for d in (2, 3) if d <= limbs] or [{}]
    bv = "bv" in others and scheme == "ckks" and limbs <= MOST_LIMBS_BV
    return [*digits, {"key_switching": "bv"}] if bv else digits
