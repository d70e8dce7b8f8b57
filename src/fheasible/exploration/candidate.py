"""One parameter set of one library and scheme, judged."""

from dataclasses import asdict, dataclass
from typing import Any

from fheasible.circuit.degrees import Degrees
from fheasible.estimation.estimate import Estimate, work
from fheasible.libraries.parameters import Parameters, Request
from fheasible.program.types import Program

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """What is asked of a library, what it makes of it, the program that fits, and what that will cost.

    `degrees`: those chosen for approximations that leave them open. `limit`: why primes one bit smaller do
    not do; empty where the search did not try them.
    """

    library: str
    scheme: str
    request: Request
    parameters: Parameters
    program: Program
    estimate: Estimate
    degrees: Degrees = ()
    limit: str = ""

    @property
    def settings(self) -> Json:
        """Only what is set: what `--param` accepts."""
        return request_json(self.request) | ({"degree": self.degrees} if self.degrees else {})

    @property
    def work(self) -> float:
        """Ranks candidates that no profile covers: features, unweighted."""
        return work(self.program, self.parameters)

    def cost(self, objective: str) -> float:
        """What is to be small."""
        e = self.estimate
        if objective == "memory":
            return float(e.peak_bytes or e.sizes.all_keys_bytes)
        if objective == "size":
            ciphertexts = sum(len(packed.values) for packed in self.program.inputs)
            return float(ciphertexts * e.sizes.ciphertext_bytes + e.sizes.all_keys_bytes)
        return e.cpu_seconds["total"] if e.cpu_seconds else self.work

    def to_json(self, pareto: bool) -> Json:
        return {
            "library": self.library,
            "scheme": self.scheme,
            "request": self.settings,
            "parameters": parameters_json(self.parameters),
            "estimate": self.estimate.to_json(),
            "pareto": pareto,
        }


def request_json(request: Request) -> Json:
    """Only what is set."""
    fields = asdict(request)
    return {k: v for k, v in fields.items() if v is not None and v is not False and k != "scheme"}


def parameters_json(p: Parameters) -> Json:
    """The parameters as shown."""
    return {
        "ring_dimension": p.ring_dimension,
        "log_q": p.log_q,
        "log_p": p.log_p,
        "log_qp": p.log_qp,
        "limbs": p.limbs,
        "special_limbs": len(p.p),
        "digits": p.digits,
        "technique": p.technique or None,
        "key_switching": p.key_switching or None,
        "secret": p.secret,
        "plain_modulus": p.plain_modulus,
        "primes": list(p.q),
        "special_primes": list(p.p),
    }
