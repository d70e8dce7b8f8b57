"""A circuit with data: what every candidate is judged against, computed once."""

from collections.abc import Mapping
from math import ceil
from typing import Any

from numpy.typing import NDArray

from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.modulus import modulus
from fheasible.circuit.node import Circuit, Kind
from fheasible.circuit.ranges import intervals, warnings
from fheasible.errors import InfeasibleParameters
from fheasible.libraries.primes import is_prime
from fheasible.lowering.plan import Lowerings
from fheasible.noise.gains import Gains, gains
from fheasible.program.types import Program

LARGEST_PLAIN_BITS = 60


class Problem:
    """`data` are the input vectors, and `source` says where they come from.

    Raises PromiseBroken or CircuitError where the cleartext computation already fails.
    """

    def __init__(self, circuit: Circuit, data: Mapping[str, NDArray[Any]], source: str) -> None:
        self.circuit = circuit
        self.data = data
        self.source = source
        self.lowerings = Lowerings(circuit)
        self.truth = evaluate(circuit, data)
        self.warnings = warnings(circuit)
        self.bounds = intervals(circuit)
        self._gains: dict[Program, Gains] = {}

    @property
    def real(self) -> bool:
        return self.circuit.kind is Kind.REAL

    def unsuited(self, scheme: str) -> str:
        """Why no parameters of the scheme can express the problem; empty where they may."""
        name, t = self.circuit.name, modulus(self.circuit)
        if scheme != "ckks" and self.real:
            return f"{name} needs real numbers; {scheme.upper()} computes on integers"
        if scheme == "ckks" and t is not None:
            return f"{name} wraps around modulo {t}; CKKS computes on real numbers, which do not"
        return ""

    @property
    def elements(self) -> int:
        """Encrypted numbers that go in."""
        return sum(i.length for i in self.circuit.inputs)

    @property
    def largest(self) -> float:
        """No value of the circuit exceeds it."""
        return max(max(abs(low), abs(high)) for low, high in self.bounds.values())

    def gains(self, program: Program) -> Gains:
        """How noise reaches the outputs of that program, at these data."""
        if program not in self._gains:
            self._gains[program] = gains(program, self.data)
        return self._gains[program]

    def plain_modulus(self, ring_dimension: int) -> int:
        """The user's own modulus, or the least prime = 1 modulo 2N that tells all values apart.

        InfeasibleParameters where the user's does not allow batching at N, or none is small enough.
        """
        own = modulus(self.circuit)
        if own is not None:
            return _checked(own, ring_dimension)
        return plain_modulus_above(2 * ceil(self.largest) + 1, ring_dimension)


def plain_modulus_above(least: int, ring_dimension: int) -> int:
    """The smallest prime t >= least with t = 1 modulo 2N."""
    step = 2 * ring_dimension
    t = -(-(least - 1) // step) * step + 1
    while not is_prime(t):
        t += step
    if t.bit_length() > LARGEST_PLAIN_BITS:
        raise InfeasibleParameters(
            f"the values reach {least / 2:.3g} and need a plaintext modulus of {t.bit_length()} bits; "
            f"{LARGEST_PLAIN_BITS} are possible",
            "declare smaller ranges, or let values wrap around: fh.integers(n, modulo=t)",
        )
    return t


def _checked(t: int, ring_dimension: int) -> int:
    if is_prime(t) and t % (2 * ring_dimension) == 1:
        return t
    raise InfeasibleParameters(
        f"t = {t} packs no vectors at N = {ring_dimension}: "
        f"it must be a prime, 1 modulo {2 * ring_dimension}",
        f"take t = {plain_modulus_above(t, ring_dimension)}",
    )
