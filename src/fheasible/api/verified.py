"""A real run beside its prediction, for Python."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from fheasible import units
from fheasible.api import html
from fheasible.api.layout import WIDTH, Listing, Part, text_of
from fheasible.api.naming import setting
from fheasible.api.parameter_set import ParameterSet
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.proof import LookupProof
from fheasible.exploration.proof.proof import Proof
from fheasible.exploration.rings.choice import RingCandidate
from fheasible.exploration.rings.proof import RingProof

_SINGLE = (
    "peak_bytes", "ciphertext_bytes", "public_key_bytes", "evaluation_key_bytes", "secret_key_bytes",
    "precision_bits",
)  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class Verified:
    """A real run beside its prediction: figures by name, as "cpu_seconds.evaluate" and "peak_bytes".

    CPU times are the least of the repetitions, wall times their median. `relative_error` is (predicted -
    measured) / measured of each figure that both have. `doubts`: what could have gone wrong, and security
    below what was asked. `failed`: better sets that were refused or wrong when they were run, or whose worker
    did not answer. `slowed`: how many times as long the machine took for a fixed piece of work beside the run
    as it took during calibration; None where that is not known.
    """

    parameters: ParameterSet | RingCandidate | LookupCandidate
    predicted: dict[str, float | None]
    measured: dict[str, float | None]
    relative_error: dict[str, float]
    result: dict[str, NDArray[Any]] = field(repr=False)
    cleartext: dict[str, NDArray[Any]] = field(repr=False)
    number: int | None  # its number in the store
    doubts: tuple[str, ...]
    failed: tuple[str, ...] = ()
    slowed: float | None = None

    @property
    def named(self) -> str:
        """What was run, in words: 'Lattigo CKKS, N = 2^14'."""
        p = self.parameters
        if isinstance(p, ParameterSet):
            return f"{setting(p.library, p.scheme)}, N = {units.power_of_two(p.ring_dimension)}"
        if isinstance(p, LookupCandidate):
            return f"{p.title}, N = {units.power_of_two(p.parameters.polynomial_size)}"
        return f"{p.kind.title}, n = {units.power_of_two(p.parameters.n)}"

    def _figures(self) -> Listing:
        """Every figure that was measured, beside its prediction."""
        errors = (units.percent(self.relative_error.get(name)) for name in self.measured)
        rows = [
            (name, _said(name, self.predicted[name]), _said(name, value), error)
            for (name, value), error in zip(self.measured.items(), errors, strict=True)
        ]
        return Listing(("figure", "predicted", "measured", "error"), rows, left=("figure",))

    def _headline(self) -> str:
        """The run in one line."""
        measured, predicted = (found["cpu_seconds.total"] for found in (self.measured, self.predicted))
        told = "" if predicted is None else f" (predicted: {units.seconds(predicted)})"
        bits = self.measured["precision_bits"]
        right = "the decrypted result is right" + ("" if bits is None else f": {bits:.1f} bits of precision")
        return f"{self.named}: {units.seconds(measured)} of CPU time{told}; {right}"

    def __str__(self) -> str:
        """The figures as text, a line for each."""
        return "\n".join(text_of([self._figures()], WIDTH))

    def __repr__(self) -> str:
        return f"<fheasible.Verified {self._headline()}>"

    def _repr_html_(self) -> str:
        number = [] if self.number is None else [f"stored as number {self.number}"]
        doubts = [f"warning: {doubt}" for doubt in self.doubts]
        failed = [f"failed before: {failure}" for failure in self.failed]
        parts: list[Part] = [self._headline(), self._figures(), *failed, *doubts, *number]
        return html.answered(parts)


def verified(
    parameters: ParameterSet | RingCandidate | LookupCandidate,
    proof: Proof | RingProof | LookupProof,
    failures: Iterable[object] = (),
) -> Verified:
    """The run beside its prediction, with the figures of both in one form. `failures`: what failed before."""
    c, measured = proof.candidate, proof.measured_json()
    told = c.to_json()["estimate"] if isinstance(c, RingCandidate) else c.estimate.to_json()
    predicted: dict[str, float | None] = {}
    found: dict[str, float | None] = {}
    for clock, sample in (("cpu_seconds", "min"), ("wall_seconds", "median")):
        predicted |= {f"{clock}.{phase}": seconds for phase, seconds in told[clock].items()}
        found |= {f"{clock}.{phase}": measured[clock][phase][sample] for phase in told[clock]}
    return Verified(
        parameters=parameters,
        predicted=predicted | {name: told[name] for name in _SINGLE},
        measured=found | {name: measured[name] for name in _SINGLE},
        relative_error=proof.relative_error(),
        result=proof.result,
        cleartext=proof.truth,
        number=proof.number,
        doubts=proof.warnings,
        failed=tuple(map(str, failures)),
        slowed=None if isinstance(proof, RingProof) else proof.slowed,
    )


def _said(name: str, value: float | None) -> str:
    """The value as text, in the unit in which the name ends."""
    if "seconds" in name:
        return units.seconds(value)
    return units.size(value) if name.endswith("bytes") else units.bits(value)
