"""Whether the result of an application that was refused as constant is really the same for all inputs."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from fheasible.api.asking import problem_of
from fheasible.errors import FheasibleError
from fheasible.trial.application import Application, AppStep, Given
from fheasible.trial.files import write

SAID = "does not depend on any input"
_CLOSE = 1e-9  # a share of the largest value, for the rounding of doubles


def is_constant(app: Application, folder: Path) -> bool:
    """Whether some output is the same on two sets of data, by the cleartext oracle."""
    return any(_constant(app, output, folder) for output in app.outputs)


def _constant(app: Application, output: str, folder: Path) -> bool:
    """Whether one output is the same on two sets of data.

    The sum of the first input is added to the output, so that the result does depend on an input, and is then
    subtracted again.
    """
    first = app.inputs[0]
    live = (AppStep("total", "fh.sum({0})", (first.name,)), AppStep("live", "{0} + {1}", (output, "total")))
    seen = []
    for seed in (1, 2):
        asked = replace(
            app, name=f"{app.name}_live", steps=(*app.steps, *live), outputs=("live", "total"),
            data=Given("uniform", seed), wish={}, named=False,
        )  # fmt: skip
        try:
            source, data = write(asked, folder)
            truth = problem_of(source, data, seed).truth
        except FheasibleError:
            return False
        seen.append(truth["result_1"] - truth["result_2"])
    modulo = first.modulo
    off = (seen[0] - seen[1]) % modulo if modulo else seen[0] - seen[1]
    size = 1.0 + max(float(np.abs(v).max()) for v in seen) + float(np.abs(truth["result_2"]).max())
    return bool(np.all(np.abs(off) <= _CLOSE * size)) if first.real else not np.any(off)
