"""Measured figures compared with predicted ones, and a decrypted result with the cleartext one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Json

Vectors = dict[str, NDArray[Any]]
_SINGLE = (
    "peak_bytes", "ciphertext_bytes", "public_key_bytes", "evaluation_key_bytes", "secret_key_bytes",
    "precision_bits",
)  # fmt: skip


def worst_element(result: Vectors, truth: Vectors) -> str:
    """The element with the largest error: 'worst of 100 elements: result[3] = 0.26 instead of 0.25'."""
    errors = {name: np.abs(values - truth[name]) for name, values in result.items()}
    name = max(errors, key=lambda k: float(errors[k].max()))
    i, count = int(errors[name].argmax()), sum(map(len, errors.values()))
    which = f"worst of {count:,} elements: {name}[{i}]" if count > 1 else name
    return f"{which} = {result[name][i]:.7g} instead of {truth[name][i]:.7g}"


def first_difference(result: Vectors, truth: Vectors) -> str:
    """The first element that differs: 'sum[0] = 3 instead of 4'."""
    for name, values in result.items():
        different = np.flatnonzero(values != truth[name])
        if len(different):
            i = int(different[0])
            return f"{name}[{i}] = {values[i]} instead of {truth[name][i]}"
    return "no output differs"


def relative_errors(estimate: Json, measured: Json) -> Json:
    """(predicted - measured) / measured, by the name of each figure that both have. CPU times are compared
    with the least of their samples, wall times with the median."""
    errors: Json = {}
    for clock, sample in (("cpu_seconds", "min"), ("wall_seconds", "median")):
        for phase, seconds in estimate[clock].items():
            errors[f"{clock}.{phase}"] = _relative(seconds, measured[clock][phase][sample])
    for name in _SINGLE:
        errors[name] = _relative(estimate[name], measured[name])
    return {name: error for name, error in errors.items() if error is not None}


def _relative(predicted: float | None, measured: float | None) -> float | None:
    if predicted is None or not measured:
        return None
    return (predicted - measured) / measured
