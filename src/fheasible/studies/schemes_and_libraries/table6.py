"""Table VI: keys, encryption, bootstrapping and decryption of TFHE, in OpenFHE's BinFHE and in TFHE-rs, which
stands for TFHEpp: TFHEpp is in no package registry."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from fheasible.aliases import Json
from fheasible.errors import FheasibleError
from fheasible.estimation.gates import seconds
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.libraries.catalogue import library
from fheasible.libraries.gates import DECRYPT, ENCRYPT, GATE, KEYGEN, SECRET
from fheasible.libraries.lookup_library import LookupTask
from fheasible.libraries.openfhe import binfhe
from fheasible.libraries.tfhe_rs.library import TFHE_RS
from fheasible.measurement.environment import observe
from fheasible.measurement.failures import outcome_of
from fheasible.measurement.gates import GateJob, TimedGates, measure_gates
from fheasible.measurement.lookups import TimedLookups, measure_on
from fheasible.measurement.samples import Samples
from fheasible.measurement.worker import Worker
from fheasible.schemes.fhew.parameters import FhewSet
from fheasible.schemes.tfhe.parameters import TfheParameters
from fheasible.security.tfhe import security_bits
from fheasible.studies.experiment import Prediction, Profiles, StudyCell, StudyPlan, prices_of
from fheasible.studies.own import ExecutedCell, OwnExperiment
from fheasible.studies.schemes_and_libraries.tfhe_sets import (
    PAPERS,
    gate_security,
    openfhe_set,
    tfhepp_set,
)

COLUMNS: Final = ("secret_key", "gate_key", "encryption", "bootstrapping", "decryption")
"""The times of Table VI, by the names that published.toml has."""
_OF_GATES: Final = dict(zip((SECRET, KEYGEN, ENCRYPT, GATE, DECRYPT), COLUMNS, strict=True))
_OF_LOOKUPS: Final = {
    "keygen_secret": "secret_key",
    "encrypt": "encryption",
    "lookup": "bootstrapping",
    "decrypt": "decryption",
}
_KEYS: Final = ("keygen_switch", "keygen_bootstrap")
SHIPPED: Final = ("MESSAGE_1_CARRY_1_KS_PBS_TUNIFORM_2M128", "MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128")
_VERSION: Final = 1
_NO_SUCH_SET: Final = "the wheel 1.6.1 has its own sets alone, and none with n = 512"
_FILE_BYTES: Final = 1 << 30  # keys are written, for their bytes, up to this size

OPENFHE_CELLS: Final = (
    StudyCell({"set": PAPERS, "method": "ginx"}, False),
    StudyCell({"set": "STD128", "method": "ginx"}),
    StudyCell({"set": "STD128_LMKCDEY", "method": "lmkcdey"}),
    StudyCell({"set": "STD128_AP", "method": "ap"}, False),
    StudyCell({"set": "MEDIUM", "method": "ginx"}),
)
TFHE_RS_CELLS: Final = (StudyCell({"set": PAPERS}), *(StudyCell({"set": name}) for name in SHIPPED))


def times(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of times by their names as a study has them."""
    return {f"{name}_seconds": value for name, value in figures.items()}


# -- OpenFHE's BinFHE ------------------------------------------------------------------------------------


def _bin_set(cell: StudyCell) -> FhewSet:
    name, method = cell.parameters["set"], cell.parameters["method"]
    return openfhe_set() if name == PAPERS else binfhe.bin_set(name, method)


def predict_gates(cells: Sequence[StudyCell], profiles: Profiles) -> list[Prediction]:
    """Times by the prices of `calibrate --gates`, and the bytes of keys."""
    profile = prices_of(profiles, "openfhe")
    gates = library("openfhe").gates
    assert gates is not None
    found = []
    for cell in cells:
        of, method = _bin_set(cell), cell.parameters["method"]
        told = {
            name: seconds(gates, of, method, operation, profile.gates) if profile else None
            for operation, name in _OF_GATES.items()
        }
        sizes = {
            "ring_dimension": of.ring,
            "lwe_dimension": of.n,
            "ciphertext_bytes": gates.ciphertext_bytes(of),
            "secret_key_bytes": gates.secret_bytes(of),
            "evaluation_key_bytes": gates.key_bytes(of, method),
            "resident_bytes": gates.memory_bytes(of, method),
            "security_bits": min(gate_security(of)),
        }
        refused = _NO_SUCH_SET if cell.parameters["set"] == PAPERS else ""
        found.append(Prediction(times(told) | sizes, refused))
    return found


def run_gates(cell: StudyCell, plan: StudyPlan) -> ExecutedCell:
    of, method = _bin_set(cell), cell.parameters["method"]
    small = binfhe.key_bytes(of, method) <= _FILE_BYTES
    job = GateJob("openfhe", of.name, method, tuple(_OF_GATES), repetitions=plan.repetitions, key_file=small)
    return executed_gates(job, cell, plan)


def executed_gates(job: GateJob, cell: StudyCell, plan: StudyPlan, **options: Any) -> ExecutedCell:
    """The job's result as a study stores it; `options` are those of `measure_gates`."""
    before = observe("openfhe", 1, 0, limit=options.get("limit"))
    told = dict(cell.parameters)
    peak = binfhe.memory_bytes(job.set, job.method)
    if plan.max_memory_bytes is not None and peak > plan.max_memory_bytes:
        message = f"{peak:,} bytes of keys are predicted"
        return ExecutedCell(
            "openfhe", job.method, "refused", before.to_json(), parameters=told, message=message
        )
    try:
        found = measure_gates(job, **options)
    except FheasibleError as error:
        at = before.finished().to_json()
        return ExecutedCell(
            "openfhe", job.method, outcome_of(error), at, parameters=told, message=error.message
        )
    wrong = sum(item.wrong for item in found.items)
    return ExecutedCell(
        "openfhe",
        job.method,
        "wrong" if wrong else "measured",
        before.finished(found.hello).to_json(),
        _of_gates(found),
        told,
    )


def _of_gates(found: TimedGates) -> Json:
    used = {} if found.limited is None else {"limited": found.limited.to_json()}
    return {
        "cpu_seconds": {_OF_GATES[i.operation]: i.timing.cpu.to_json() for i in found.items},
        "wall_seconds": {_OF_GATES[i.operation]: i.timing.wall.to_json() for i in found.items},
        "sizes": dict(found.sizes),
        "resident_bytes": found.memory["keys_bytes"],
        "peak_bytes": found.memory["peak_bytes"],
        **used,
    }


# -- TFHE-rs ---------------------------------------------------------------------------------------------


def _parameters(cell: StudyCell) -> TfheParameters:
    name = cell.parameters["set"]
    p = tfhepp_set() if name == PAPERS else TFHE_RS.named_set(name).parameters
    assert isinstance(p, TfheParameters)
    return p


def predict_lookups(cells: Sequence[StudyCell], profiles: Profiles) -> list[Prediction]:
    profile = profiles.get(TFHE_RS.name)
    return [_lookups(_parameters(c), profile if isinstance(profile, LookupProfile) else None) for c in cells]


def _lookups(p: TfheParameters, profile: LookupProfile | None) -> Prediction:
    scheme = TFHE_RS.schemes[0]
    tasks = {
        "gate_key": LookupTask.KEYGEN,
        "encryption": LookupTask.ENCRYPT,
        "bootstrapping": LookupTask.LOOKUP,
        "decryption": LookupTask.DECRYPT,
    }
    told = {
        name: profile.seconds(task, TFHE_RS.work(task, scheme, p)) if profile else None
        for name, task in tasks.items()
    }
    sizes = TFHE_RS.sizes(scheme, p)
    return Prediction(
        times(told)
        | {
            "ring_dimension": p.polynomial_size,
            "lwe_dimension": p.lwe_dimension,
            "ciphertext_bytes": sizes.ciphertext,
            "secret_key_bytes": sizes.secret_key,
            "evaluation_key_bytes": sizes.evaluation_key,
            "resident_bytes": TFHE_RS.memory(scheme, p).keys,
            "security_bits": security_bits(p),
        }
    )


def run_lookups(cell: StudyCell, plan: StudyPlan) -> ExecutedCell:
    p, scheme = _parameters(cell), TFHE_RS.schemes[0]
    before = observe(TFHE_RS.name, 1, 0)
    told = dict(cell.parameters)
    try:
        with Worker(TFHE_RS.worker_of, 1) as worker:
            asked = (*_OF_LOOKUPS, *_KEYS)
            found = measure_on(worker, TFHE_RS.worker_parameters(scheme, p), asked, plan.repetitions)
    except FheasibleError as error:
        at = before.finished().to_json()
        return ExecutedCell(
            TFHE_RS.name, scheme, outcome_of(error), at, parameters=told, message=error.message
        )
    at = before.finished(found.hello).to_json()
    return ExecutedCell(TFHE_RS.name, scheme, "measured", at, _of_lookups(found), told)


def _of_lookups(found: TimedLookups) -> Json:
    cpu = {name: found.timings[operation].cpu for operation, name in _OF_LOOKUPS.items()}
    switch, bootstrap = (found.timings[name].cpu.seconds for name in _KEYS)
    both = Samples(tuple(a + b for a, b in zip(switch, bootstrap, strict=True)))
    sizes = {
        "ciphertext": found.sizes["ciphertext"],
        "secret_key": found.sizes["secret_key"],
        "keys": found.sizes["bootstrap_key"] + found.sizes["key_switch_key"],
    }
    return {
        "cpu_seconds": {name: samples.to_json() for name, samples in (cpu | {"gate_key": both}).items()},
        "sizes": sizes,
        "resident_bytes": found.memory["keys_bytes"],
        "peak_bytes": found.memory["peak_bytes"],
    }


# -- both ------------------------------------------------------------------------------------------------


def figures(measurement: Json) -> dict[str, Any]:
    """The measured figures by the names that predictions have: least times, and bytes."""
    sizes = measurement["sizes"]
    return times({name: of["min"] for name, of in measurement["cpu_seconds"].items()}) | {
        "ciphertext_bytes": sizes.get("ciphertext"),
        "secret_key_bytes": sizes.get("secret_key"),
        "evaluation_key_bytes": sizes.get("keys"),
        "resident_bytes": measurement["resident_bytes"],
        "peak_bytes": measurement["peak_bytes"],
    }


def efforts(each: float, cells: Sequence[StudyCell], repetitions: int) -> list[float]:
    return [10.0 + each * repetitions for _ in cells]


def ready(name: str) -> None:
    """LibraryMissing where the library's worker does not answer."""
    with Worker(name, 1):
        pass


TABLE_6: Final = {
    "openfhe": OwnExperiment(
        name="table6-openfhe",
        title="OpenFHE's BinFHE: keys, encryption, a gate, decryption (Tables IV and VI)",
        version=_VERSION,
        all_cells=OPENFHE_CELLS,
        run=run_gates,
        effort=partial(efforts, 0.1),
        repetitions=50,
        quick_repetitions=20,
        predict=predict_gates,
        figures=figures,
        ready=partial(ready, "openfhe"),
    ),
    "tfhe_rs": OwnExperiment(
        name="table6-tfhe_rs",
        title="TFHE-rs in the place of TFHEpp: keys, encryption, a look-up, decryption (Tables IV and VI)",
        version=_VERSION,
        all_cells=TFHE_RS_CELLS,
        run=run_lookups,
        effort=partial(efforts, 5.0),
        repetitions=10,
        quick_repetitions=3,
        predict=predict_lookups,
        figures=figures,
        ready=partial(ready, TFHE_RS.name),
    ),
}
