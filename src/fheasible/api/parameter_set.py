"""One parameter set of the answer, with every figure as a plain attribute."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from fheasible.api.command import command
from fheasible.circuit.degrees import Degrees
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.search.search import Exploration


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSet:
    """What a library is asked for, the parameters that it makes of this, and their predicted cost.

    Times are seconds of CPU time, except `wall_seconds`; `seconds` is to encrypt, evaluate and decrypt. They
    are None without a profile of the library. `precision_bits` is None for exact results.
    """

    library: str
    scheme: str
    technique: str
    ring_dimension: int
    slots: int
    log_q: float
    log_p: float
    log_qp: float
    limbs: int
    special_limbs: int
    digits: int
    depth: int
    scale_bits: int | None
    plain_modulus: int | None
    degrees: Degrees
    primes: tuple[int, ...] = field(repr=False)
    special_primes: tuple[int, ...] = field(repr=False)

    seconds: float | None
    keygen_seconds: float | None
    encrypt_seconds: float | None
    evaluate_seconds: float | None
    decrypt_seconds: float | None
    wall_seconds: float | None
    error_band: float | None
    calibrated: bool
    peak_bytes: int
    ciphertext_bytes: int
    public_key_bytes: int
    evaluation_key_bytes: int
    secret_key_bytes: int
    precision_bits: float | None
    absolute_error: float | None
    worst_case_bits: float | None
    security_bits: float

    pareto: bool
    tie: bool
    figures: Mapping[str, float] = field(repr=False, hash=False)
    request: Mapping[str, Any] = field(repr=False, hash=False)
    command: str = field(repr=False)
    candidate: Candidate = field(repr=False, compare=False)

    @property
    def key_bytes(self) -> int:
        """The bytes of the public key and all evaluation keys."""
        return self.public_key_bytes + self.evaluation_key_bytes


def parameter_set(found: Exploration | None, c: Candidate, app: str) -> ParameterSet:
    """The candidate as a parameter set; `app` is the application's name on the command line. `found`: the
    search that it comes from, by which it is on a front or a tie; None where it was given."""
    p, estimate = c.parameters, c.estimate
    told = estimate.to_json()
    same = ("error_band", "calibrated", "peak_bytes", "ciphertext_bytes", "public_key_bytes",
            "evaluation_key_bytes", "secret_key_bytes", "precision_bits", "absolute_error", "worst_case_bits",
            "security_bits")  # fmt: skip
    cpu, wall = told["cpu_seconds"], told["wall_seconds"]
    return ParameterSet(
        library=c.library,
        scheme=c.scheme,
        technique=p.technique,
        ring_dimension=p.ring_dimension,
        slots=p.ring_dimension // 2 if c.scheme == "ckks" else p.ring_dimension,
        log_q=p.log_q,
        log_p=p.log_p,
        log_qp=p.log_qp,
        limbs=p.limbs,
        special_limbs=len(p.p),
        digits=p.digits,
        depth=c.request.depth,
        scale_bits=c.request.scale_bits,
        plain_modulus=None if p.scheme == "ckks" else p.plain_modulus,
        degrees=c.degrees,
        primes=tuple(p.q),
        special_primes=tuple(p.p),
        seconds=cpu["total"],
        **{f"{phase}_seconds": cpu[phase] for phase in ("keygen", "encrypt", "evaluate", "decrypt")},
        wall_seconds=wall["total"],
        **{name: told[name] for name in same},
        pareto=found is not None and c in found.front,
        tie=found is not None and c in found.ties and c is not found.best,
        figures=MappingProxyType(dict(c.figures)),
        request=MappingProxyType(c.settings),
        command="\n".join(command(app, c)),
        candidate=c,
    )
