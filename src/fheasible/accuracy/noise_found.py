"""What the encryptions of one run show: for CKKS the errors of results, for BFV and BGV the noise itself.

Few figures are kept of each encryption, so that those of hundreds of programs fit in a store. They do not
depend on any prediction, so predictions may be made anew at any time.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.accuracy.noise_grid import NoiseCase
from fheasible.aliases import Json
from fheasible.measurement.encryptions import budgets, results
from fheasible.measurement.job import Job
from fheasible.measurement.records import Measurement
from fheasible.measurement.sampling import Check
from fheasible.noise.achieved import element_bits

Arrays = Mapping[str, NDArray[Any]]


def checking(cases: Iterable[NoiseCase]) -> Check:
    """A check that finds what the outputs of a case's run show."""
    by_key = {case.job.key: case for case in cases}

    def check(job: Job, measured: Measurement) -> Json:
        case = by_key[job.key]
        found = results(case.program, measured)
        if case.parameters.scheme == "ckks":
            return errors(found, case.problem.truth)
        right = all(
            np.array_equal(v, np.broadcast_to(case.problem.truth[k], v.shape)) for k, v in found.items()
        )
        return noise(measured.noise) | {"right": right}

    return check


def errors(found: Arrays, truth: Arrays) -> Json:
    """The errors of decrypted results of shape (encryptions, length).

    One figure per encryption: `bits`, the mean over the elements of -log2 of the relative error, and
    `worst_slot_bits`, the least of these; `absolute` and `largest`, the mean and the greatest absolute error.
    One figure for all encryptions together: `variance`, the mean over the elements of the errors' variance
    from one encryption to the next, and `square`, the mean of the errors' squares.
    """
    exact = np.concatenate([np.asarray(truth[k], dtype=np.float64) for k in found])
    error = np.concatenate([found[k] for k in found], axis=1) - exact
    bits = element_bits(np.abs(error), exact)
    return {
        "bits": bits.mean(axis=1).tolist(),
        "worst_slot_bits": bits.min(axis=1).tolist(),
        "absolute": np.abs(error).mean(axis=1).tolist(),
        "largest": np.abs(error).max(axis=1).tolist(),
        "variance": float(error.var(axis=0, ddof=1).mean()),
        "square": float(np.mean(error**2)),
    }


def noise(found: Arrays) -> Json:
    """The figures of noise of shape (encryptions, chunks, n), which is a fraction of the modulus. For each
    output there is a list over the chunks, and in it one figure per encryption: `budgets` in bits, `squares`
    the mean square."""
    return {
        "budgets": {k: budgets(v).T.tolist() for k, v in found.items()},
        "squares": {k: np.mean(v**2, axis=2).T.tolist() for k, v in found.items()},
        "kurtosis": max(float(np.mean(v**4) / np.mean(v**2) ** 2) for v in found.values()),
    }
