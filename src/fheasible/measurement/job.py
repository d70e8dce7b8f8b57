"""What a sampling campaign runs: a program with parameters, and how often in each pass."""

import json
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256

import numpy as np

from fheasible.aliases import Json
from fheasible.libraries.catalogue import library
from fheasible.libraries.forms import parameters_form
from fheasible.libraries.parameters import Parameters
from fheasible.measurement.execute import RunOptions, RunPlan, Vectors
from fheasible.program.digest import digest
from fheasible.program.types import Program


@dataclass(frozen=True, eq=False)
class Job:
    """A program, to be run in a fresh process in each pass: `plan` says how often and in how many threads.

    `passes` is less than the campaign's where a job is expensive; None stands for all passes. `label` is for
    people.
    """

    parameters: Parameters
    program: Program
    inputs: Vectors
    plan: RunPlan = field(default_factory=RunPlan)
    options: RunOptions = field(default_factory=RunOptions)
    passes: int | None = None
    timeout: float | None = None
    label: str = ""

    @property
    def library(self) -> str:
        return self.parameters.library

    @property
    def worker_parameters(self) -> Json:
        return library(self.library).worker_parameters(self.parameters)

    @cached_property
    def key(self) -> str:
        """A key that equal work has on any machine: library, parameters, program, inputs, plan, options."""
        p, plan = parameters_form(self.parameters), asdict(self.plan)
        facts = (p, digest(self.program), plan, self.options.to_json())
        state = sha256(json.dumps(facts, sort_keys=True).encode())
        for name in sorted(self.inputs):
            values = np.asarray(self.inputs[name])
            state.update(f"{name} {values.dtype} {values.shape}".encode() + values.tobytes())
        return state.hexdigest()[:32]
