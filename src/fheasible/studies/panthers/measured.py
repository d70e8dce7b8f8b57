"""The figures that are read out of a stored measurement."""

from fheasible.aliases import Json
from fheasible.studies.experiment import NotRun
from fheasible.studies.panthers.model import WHOLE
from fheasible.units import MIB

PAGE = 4096.0  # bytes, the least that the system can tell apart


def seconds(measurement: Json, function: str) -> float:
    """CPU seconds of one execution: the least of the repetitions, since a disturbance only adds time."""
    name = "total" if function == WHOLE else function
    return float(measurement["cpu_seconds"][name]["min"])


def mebibytes(measurement: Json, function: str) -> float:
    """The most MiB in use beyond what was in use before, by the whole run or while one function ran."""
    if function == WHOLE:
        return float(measurement["peak_bytes"]) / MIB
    peaks = measurement.get("phase_peak_bytes", {})
    if function not in peaks:
        raise NotRun("this system does not report the memory of single functions")
    return max(float(peaks[function]), PAGE) / MIB
