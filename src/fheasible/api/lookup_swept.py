"""One set of a sweep of table look-ups."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from fheasible.aliases import Json
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.proof import LookupProof

PREDICTED: Final = (
    "lookups", "cpu_seconds", "peak_bytes", "ciphertext_bytes", "evaluation_key_bytes", "log2_failure",
    "security_bits",
)  # fmt: skip
MEASURED: Final = ("cpu_seconds", "peak_bytes", "evaluation_key_bytes")


@dataclass(frozen=True, slots=True)
class SweptLookups:
    """One set of the grid: its settings, why it is refused or what is predicted, and what its run gave."""

    told: Mapping[str, str]
    refused: str = ""
    candidate: LookupCandidate | None = None
    proof: LookupProof | None = None
    failed: str = ""
    outcome: str = ""

    @property
    def predicted(self) -> Json:
        if self.candidate is None:
            return {}
        e = self.candidate.estimate.to_json()
        own = {"lookups": self.candidate.encoded.lookups, "cpu_seconds": self.candidate.seconds}
        return {name: own.get(name, e.get(name)) for name in PREDICTED}

    @property
    def measured(self) -> Json:
        if self.proof is None:
            return {}
        m = self.proof.measured_json()
        return {name: m[name]["total"]["min"] if name == "cpu_seconds" else m[name] for name in MEASURED}
