"""Small applications lowered for each library and scheme, with parameters that hide nothing."""

import numpy as np

import fheasible as fh
from fheasible.circuit.node import Circuit
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Parameters, Request, request_for
from fheasible.lowering.lower import lower
from fheasible.lowering.plan import depth_of
from fheasible.program.types import Program

INSECURE_N = 2048
PLAIN_MODULUS = 786_433  # prime, and 1 modulo 2N up to N = 2^17
LENGTH = 1500

TECHNIQUES = {
    "ckks": ("fixedmanual", "fixedauto", "flexibleauto", "flexibleautoext"),
    "bgv": ("fixedmanual", "fixedauto", "flexibleautoext"),
    "bfv": (None,),
}
CASES = [
    *((library, scheme, None) for library in ("seal", "lattigo") for scheme in TECHNIQUES),
    *(("openfhe", scheme, technique) for scheme, several in TECHNIQUES.items() for technique in several),
]


def circuit(scheme: str) -> Circuit:
    """Sums over slots, a masked rotation, products of unequal depth: every kind of operation."""
    spec = fh.reals(LENGTH, low=-1, high=1) if scheme == "ckks" else fh.integers(LENGTH, low=-4, high=4)
    weights = np.arange(LENGTH) % 3 - 1
    half = 0.5 if scheme == "ckks" else 2

    @fh.app(x=spec, y=spec)
    def application(x: fh.Vector, y: fh.Vector) -> dict[str, fh.Vector]:
        product = x * y * half + weights
        return {"vector": product * product + x * weights, "number": fh.sum(fh.rotate(x, 3) - y)}

    return application.trace()


def request(scheme: str, depth: int, technique: str | None, n: int = INSECURE_N) -> Request:
    """An INSECURE ring: only counts and sizes matter here."""
    if scheme == "ckks":
        return request_for(scheme, depth, None, scale_bits=40, technique=technique, ring_dimension=n)
    return request_for(
        scheme, depth, None, plain_modulus=PLAIN_MODULUS, technique=technique, ring_dimension=n
    )


def made(library: str, scheme: str, technique: str | None, n: int = INSECURE_N) -> tuple[Program, Parameters]:
    """The application's program for that library, and parameters for it."""
    found = CATALOGUE[library]
    style = found.style(scheme, technique)
    program = lower(circuit(scheme), style, n if style.exact else n // 2)
    return program, found.parameters(request(scheme, depth_of(program, style), technique, n))
