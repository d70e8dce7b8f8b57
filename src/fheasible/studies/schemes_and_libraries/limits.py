"""Section V: runs with less memory than they need. TFHE in OpenFHE's BinFHE and in TFHE-rs under the paper's
limits, and under the same parts of what a run needs; and CKKS, whose objects are larger."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from fheasible.libraries.gates import GATE, KEYGEN
from fheasible.libraries.openfhe.binfhe_sets import bin_set
from fheasible.measurement.gates import GateJob
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.experiment import Prediction, Profiles, StudyCell, StudyPlan
from fheasible.studies.lookups import LookupExperiment
from fheasible.studies.own import ExecutedCell, OwnExperiment
from fheasible.studies.schemes_and_libraries.printed import APPS, GIGABYTES
from fheasible.studies.schemes_and_libraries.table6 import (
    efforts,
    executed_gates,
    figures,
    predict_gates,
    ready,
)
from fheasible.studies.schemes_and_libraries.tfhe_sets import settings, tfhepp_set
from fheasible.units import GIB, MIB

LIMITS: Final = {0.5: 15, 1: 30, 2: 61, 3: 91}  # GB of Table VII: per cent of the 3.3 GB that a run needs
SWAP_BYTES: Final = 2 * GIB
GB: Final = 10**9
NONE: Final = "none"
_MESSAGES: Final = 100
_FEW: Final = 20  # where each gate reads all keys from swap

# -- CKKS ------------------------------------------------------------------------------------------------

UNLIMITED_BYTES: Final = 670 * MIB  # about what the unlimited run needs


def _vectors(made: AppliedExperiment, name: str, title: str, memory: MemoryLimit | None) -> AppliedExperiment:
    """Ten products of 16 full ciphertexts each in OpenFHE's CKKS: a run that needs much memory."""
    return AppliedExperiment(
        name=name,
        title=title,
        app=made.app,
        library=made.library,
        scheme=made.scheme,
        numbers=("depth=10", "n=524288"),
        fix=made.fix,
        repetitions=2,
        quick_repetitions=1,
        quick=lambda told: memory is None or memory.memory_bytes < UNLIMITED_BYTES // 2,
        memory=memory,
    )


def unlimited(made: AppliedExperiment) -> AppliedExperiment:
    """Those products with the sets of `made`, with all memory."""
    return _vectors(made, "limit-none", "OpenFHE CKKS, ten products of 16 ciphertexts without a limit", None)


def limited(made: AppliedExperiment) -> dict[float, AppliedExperiment]:
    """The same with as small a part of its memory as the paper's limits are of what its own run needs."""
    return {
        gigabytes: _vectors(
            made,
            f"limit-{gigabytes:g}",
            f"OpenFHE CKKS, ten products of 16 ciphertexts with {part} % of their memory",
            MemoryLimit(UNLIMITED_BYTES * part // 100, SWAP_BYTES),
        )
        for gigabytes, part in LIMITS.items()
    }


# -- TFHE-rs ---------------------------------------------------------------------------------------------

TFHE_BYTES: Final = 270 * MIB  # about what TFHEpp's set of Table IV needs in TFHE-rs


def _gates(name: str, title: str, memory: MemoryLimit | None, messages: int = _MESSAGES) -> LookupExperiment:
    """So many gates with TFHEpp's set of Table IV, after its keys are made."""
    return LookupExperiment(
        name=f"limit-tfhe_rs-{name}",
        title=f"TFHE-rs, {messages} gates with Table IV's set {title}",
        app=APPS / "gates.py",
        library="tfhe_rs",
        settings=settings(tfhepp_set()),
        numbers=(f"n={messages}",),
        memory=memory,
        repetitions=3 if memory is None else 1,
        quick_repetitions=1,
    )


TFHE_UNLIMITED: Final = _gates(NONE, "without a limit", None)
TFHE_ABSOLUTE: Final = {
    gigabytes: _gates(
        f"{gigabytes:g}gb", f"in {gigabytes:g} GB", MemoryLimit(int(gigabytes * GB), SWAP_BYTES)
    )
    for gigabytes in GIGABYTES
}
TFHE_FEW: Final = _gates("few", "without a limit", None, _FEW)
TFHE_LIMITED: Final = {
    gigabytes: _gates(
        f"{part}",
        f"with {part} % of its memory",
        MemoryLimit(TFHE_BYTES * part // 100, SWAP_BYTES),
        _FEW,
    )
    for gigabytes, part in LIMITS.items()
}

# -- OpenFHE's BinFHE ------------------------------------------------------------------------------------

_SET, _METHOD = "STD128", "ginx"


def _limit_of(cell: StudyCell) -> MemoryLimit | None:
    """The limit of a cell, which is in GB."""
    told = cell.parameters["memory"]
    return None if told == NONE else MemoryLimit(int(told * GB), SWAP_BYTES)


def _run(cell: StudyCell, plan: StudyPlan) -> ExecutedCell:
    job = GateJob("openfhe", bin_set(_SET).name, _METHOD, (KEYGEN, GATE), repetitions=_MESSAGES)
    return executed_gates(job, cell, plan, limit=_limit_of(cell))


def _predict(cells: Sequence[StudyCell], profiles: Profiles) -> list[Prediction]:
    """Times and bytes as they are without a limit."""
    whole = StudyCell({"set": _SET, "method": _METHOD})
    (told,) = predict_gates([whole], profiles)
    kept: dict[str, Any] = {
        name: value
        for name, value in told.figures.items()
        if name in ("gate_key_seconds", "bootstrapping_seconds", "resident_bytes")
    }
    return [replace(told, figures=kept) for _ in cells]


GATES_LIMITED: Final = OwnExperiment(
    name="limit-openfhe",
    title=f"OpenFHE's BinFHE, {_MESSAGES} gates with {_SET} under limits on memory, in GB (Figure 7)",
    version=1,
    all_cells=tuple(StudyCell({"memory": m}) for m in (NONE, *reversed(GIGABYTES))),
    run=_run,
    effort=partial(efforts, 20.0),
    repetitions=1,
    quick_repetitions=1,
    predict=_predict,
    figures=figures,
    ready=partial(ready, "openfhe"),
    under_limits=True,
)
TFHE_LIMITS: Final = (
    TFHE_UNLIMITED, *TFHE_ABSOLUTE.values(), TFHE_FEW, *TFHE_LIMITED.values(), GATES_LIMITED,
)  # fmt: skip
