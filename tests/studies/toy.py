"""A study of its own: products of polynomials by the schoolbook's formula, really computed and timed."""

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fheasible.measurement.environment import observe
from fheasible.measurement.machine import this_machine
from fheasible.measurement.samples import Samples
from fheasible.store.store import Store
from fheasible.studies import results, running
from fheasible.studies.claim import Claim, ClaimFinding
from fheasible.studies.experiment import StudyCell, StudyPlan
from fheasible.studies.own import ExecutedCell, OwnExperiment

SIZES = (16, 32, 64, 128, 256, 512, 1024)
QUICK = (16, 128, 1024)


def execute(cell: StudyCell, plan: StudyPlan) -> ExecutedCell:
    """n coefficients times n coefficients, as often as planned."""
    environment = observe("reference", 1, cell.parameters["n"])
    x = np.arange(cell.parameters["n"], dtype=np.int64)
    seconds = []
    for _ in range(plan.repetitions):
        start = time.process_time()
        np.convolve(x, x)
        seconds.append(time.process_time() - start)
    times = {"total": Samples(tuple(seconds)).to_json()}
    measured = {"cpu_seconds": times, "wall_seconds": times, "peak_bytes": x.nbytes}
    return ExecutedCell("reference", "toy", "measured", environment.finished().to_json(), measured)


def efforts(cells: Sequence[StudyCell], repetitions: int) -> list[float]:
    return [float(cell.parameters["n"] ** 2 * repetitions) for cell in cells]


CELLS = tuple(StudyCell({"n": n}, n in QUICK) for n in SIZES)
PRODUCTS = OwnExperiment(
    "products", "Products", 1, CELLS, execute, efforts, repetitions=4, quick_repetitions=2
)


def stored(store: Store) -> results.Results:
    return results.load(store, "toy", [PRODUCTS], this_machine().fingerprint)


def run(store: Store, experiment: OwnExperiment = PRODUCTS, quick: bool = False) -> running.Outcome:
    there = results.load(store, "toy", [experiment], this_machine().fingerprint)
    return running.whole(store, "toy", running.steps([experiment], quick, there), there)


def more_takes_longer(there: results.Results) -> ClaimFinding:
    rows = there.needed(PRODUCTS)
    first, last = (rows[i].measured["cpu_seconds"]["total"]["min"] for i in (0, -1))
    return ClaimFinding(f"{last / first:.0f} times", last > first, f"{len(rows)} sets")


CLAIM = Claim("longer polynomials take longer", "obvious (Section 0)", "ours do, too", more_takes_longer)


def killed(place: str, at: int) -> None:
    """A run whose process is killed while it executes its `at`-th cell."""
    begun = 0

    def step(label: str, done: float, total: float) -> None:
        nonlocal begun
        begun += 1
        if begun == at:
            os.kill(os.getpid(), signal.SIGKILL)

    with Store.open(place) as store:
        there = stored(store)
        running.whole(store, "toy", running.steps([PRODUCTS], False, there), there, None, step)


if __name__ == "__main__":
    killed(str(Path(sys.argv[1])), int(sys.argv[2]))
