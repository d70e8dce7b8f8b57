"""A set of a library's sweep with its predicted and its measured figures, by the names of columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fheasible.aliases import Json
from fheasible.exploration.judging.candidate import Candidate, parameters_json
from fheasible.exploration.proof.proof import GARBAGE_BITS
from fheasible.exploration.sweeps.cells import Cell
from fheasible.exploration.sweeps.measuring import CellRun
from fheasible.program.phases import PHASES

_MARGIN_BITS = 1.0  # by which the precision of one run may be below the predicted one

PREDICTED = (
    "ring_dimension", "log_q", "log_p", "log_qp", "limbs", "special_limbs", "digits", "technique", "degree",
    "security_bits", "precision_bits", "keygen_seconds", "encrypt_seconds", "evaluate_seconds",
    "decrypt_seconds", "cpu_seconds", "error_band", "peak_bytes", "ciphertext_bytes", "public_key_bytes",
    "evaluation_key_bytes",
)  # fmt: skip
"""The predicted figures of a set, in the order of the table; None where the library makes no set."""

MEASURED = (
    "keygen_seconds", "encrypt_seconds", "evaluate_seconds", "decrypt_seconds", "cpu_seconds", "wall_seconds",
    "peak_bytes", "ciphertext_bytes", "public_key_bytes", "evaluation_key_bytes", "precision_bits",
)  # fmt: skip
"""The measured figures of a set, whose columns begin with "measured_"."""


@dataclass(frozen=True, slots=True)
class SweptSet:
    """A cell with its figures by the names of the columns, and its run; None where it was not run."""

    cell: Cell
    figures: Mapping[str, Any]
    run: CellRun | None = None

    @property
    def found(self) -> Mapping[str, Any]:
        """The measured figures; none where there was no result."""
        return measured_figures(self.run.measurement) if self.run and self.run.measurement else {}

    @property
    def as_predicted(self) -> bool:
        """Whether a wrong result was foreseen: hardly any precision was predicted."""
        told = self.figures.get("precision_bits")
        wrong = self.run is not None and self.run.outcome == "wrong"
        return wrong and told is not None and told < GARBAGE_BITS + _MARGIN_BITS

    @property
    def time_error(self) -> float | None:
        """(predicted - measured) / measured of the CPU time; None where one of them is not known."""
        told, seen = self.figures.get("cpu_seconds"), self.found.get("cpu_seconds")
        return told / seen - 1 if told and seen else None


def predicted(c: Candidate | None) -> dict[str, Any]:
    """The figures of `PREDICTED`; none where there is no set."""
    if c is None:
        return {}
    e = c.estimate
    cpu, told = e.cpu_seconds or {}, parameters_json(c.parameters)
    return {
        **{name: told[name] for name in PREDICTED if name in told},
        "technique": c.parameters.technique,
        "degree": ",".join(map(str, c.degrees)),
        "security_bits": e.security_bits,
        "precision_bits": e.precision_bits,
        **{f"{phase}_seconds": cpu.get(phase) for phase in PHASES},
        "cpu_seconds": cpu.get("total"),
        "error_band": e.error_band,
        "peak_bytes": e.peak_bytes,
        "ciphertext_bytes": e.sizes.ciphertext_bytes,
        "public_key_bytes": e.sizes.public_key_bytes,
        "evaluation_key_bytes": e.sizes.evaluation_key_bytes,
    }


def predicted_there(figures: Mapping[str, Any], run: CellRun | None) -> Mapping[str, Any]:
    """The predicted figures, with those that depend on the machine as they were predicted for the host of a
    cluster that ran the set."""
    if run is None or run.predicted is None:
        return figures
    there = run.predicted
    cpu = there["cpu_seconds"]
    return {
        **figures,
        **{f"{phase}_seconds": cpu[phase] for phase in PHASES},
        "cpu_seconds": cpu["total"],
        "error_band": there["error_band"],
        "peak_bytes": there["peak_bytes"],
    }


def measured_figures(m: Json) -> dict[str, Any]:
    """The figures of `MEASURED` from a stored measurement."""
    cpu, wall = m["cpu_seconds"], m["wall_seconds"]
    return {
        **{f"{phase}_seconds": cpu[phase]["min"] for phase in PHASES},
        "cpu_seconds": cpu["total"]["min"],
        "wall_seconds": wall["total"]["median"],
        **{name: m.get(name) for name in MEASURED if not name.endswith("_seconds")},
    }
