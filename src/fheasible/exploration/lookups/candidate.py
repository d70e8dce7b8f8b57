"""One set of parameters of a library of the TFHE family, with all that is predicted of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, nan

from fheasible.aliases import Json
from fheasible.estimation.lookups import LookupEstimate, work_units
from fheasible.exploration.judging.candidate import uses
from fheasible.exploration.lookups.encodings import Encoded
from fheasible.exploration.problem.wish import Wish
from fheasible.libraries.lookup_library import LookupLibrary, LookupTask
from fheasible.schemes.lookups import LookupParameters
from fheasible.schemes.tfhe.parameters import TfheParameters


@dataclass(frozen=True, slots=True, eq=False)
class LookupCandidate:
    """A library's set with the program that fits, and what that will cost. `name`: of a set that the library
    ships; empty for a set that was chosen by us or by the user. `figures`: what the candidate costs its
    user, by name, as for other libraries."""

    library: LookupLibrary
    scheme: str
    name: str
    parameters: LookupParameters
    encoded: Encoded
    estimate: LookupEstimate
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"{self.library.title} {self.scheme.upper()}"

    @property
    def kind(self) -> tuple[str, ...]:
        """The library, the scheme, who made the set, and how many values a ciphertext holds: sets that have
        them in common fail alike."""
        made = "shipped" if self.name else "own"
        return self.library.name, self.scheme, made, str(self.encoded.encoding.modulus)

    @property
    def settings(self) -> Json:
        """The settings that `--param` accepts."""
        own = self.encoded.encoding.settings
        return own | ({"set": self.name} if self.name else settings_of_parameters(self.parameters))

    @property
    def seconds(self) -> float | None:
        """CPU seconds to encrypt, evaluate and decrypt; None without a profile."""
        return self.estimate.cpu_seconds["total"] if self.estimate.cpu_seconds else None

    def to_json(self, pareto: bool) -> Json:
        p = self.parameters
        return {
            "library": self.library.name,
            "scheme": self.scheme,
            "request": self.settings,
            "parameters": {
                "ring_dimension": p.polynomial_size,
                "log_q": p.torus_bits,
                "log_p": 0,
                "log_qp": p.torus_bits,
                **p.to_json(),
            },
            "set": self.name or None,
            "lookups": self.encoded.lookups,
            "lookups_in_succession": self.encoded.depth,
            "estimate": self.estimate.to_json(),
            "figures": {k: v for k, v in self.figures.items() if isfinite(v)},
            "pareto": pareto,
        }


def settings_of_parameters(parameters: LookupParameters) -> Json:
    """The settings of a set without its encoding, as `--param` accepts them; none of FHEW's, which are
    named."""
    if not isinstance(parameters, TfheParameters):
        return {}
    p = parameters.to_json()
    for name in ("lwe_errors", "glwe_errors"):
        errors = p.pop(name)
        own_name = name.replace("errors", errors["kind"])
        p[own_name] = errors["std"] if errors["kind"] == "gaussian" else errors["bound"]
    del p["message_modulus"], p["carry_modulus"], p["torus_bits"]
    return p


def used(c: LookupCandidate, wish: Wish) -> dict[str, float]:
    """What the candidate takes of the machine and costs its user, by name, when it is used as the wish
    says."""
    e, work = c.estimate, c.encoded.work
    cpu, wall = (seconds or {"total": nan, "keygen": nan} for seconds in (e.cpu_seconds, e.wall_seconds))
    base = {
        "work": nan if e.cpu_seconds else work_units(work, c.library, c.scheme, c.parameters),
        "cpu_seconds": cpu["total"],
        "keygen_seconds": cpu["keygen"],
        "wall_seconds": wall["total"],
        "peak_bytes": e.peak_bytes,
        "upload_bytes": work.inputs * e.sizes.ciphertext,
        "download_bytes": work.tasks.get(LookupTask.DECRYPT, 0) * e.sizes.ciphertext,
        "key_bytes": (e.sizes.public_key or 0) + e.sizes.evaluation_key,
    }
    values = max((each.length for each in c.encoded.program.inputs), default=1)
    return {name: float(value) for name, value in (base | uses(base, wish, 1, values)).items()}
