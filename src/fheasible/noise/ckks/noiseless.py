"""What bootstraps make of values without noise: the errors that every encryption has alike.

The modular reduction is approximate. Where all levels are said to have one scale, a bootstrap multiplies the
message by a number near 1. Iterations take both away, but end with a product whose number is rounded.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp2
from typing import Final

import numpy as np

from fheasible.aliases import Floats
from fheasible.libraries.parameters import CkksParameters
from fheasible.noise.ckks.bootstrap import SEED, Stages, added, secret_weight
from fheasible.noise.ckks.reduction import integers
from fheasible.noise.encoding import coefficients, slots
from fheasible.noise.reach.gains import Gains
from fheasible.program.simulate import Slots, run, unpack
from fheasible.program.types import Action, Operation, Program

_FAR_OFF: Final = 2.0**200  # an error so large is one whatever follows, and its square is no overflow


def reduced(p: CkksParameters, values: Floats) -> Floats:
    """The real slots that a bootstrap without noise makes of these.

    I is drawn for each coefficient, from the same seed for equal parameters. An iteration bootstraps the
    error of the one before, 2^iteration_bits times as large. Where that leaves the interval of the reduction,
    because the bits are more than the precision of the first, nothing is gained.
    """
    assert p.bootstrap is not None
    stages, procedure = Stages(p), p.bootstrap.procedure
    error = _own_error(p, values)
    draw = np.random.default_rng(SEED)
    for iteration in range(1, procedure.iterations):
        more = exp2(iteration * procedure.iteration_bits)
        noise = _iterated_noise(p) * np.sqrt(len(values) / procedure.slots) * draw.normal(0, 1, len(values))
        left = stages.uncorrected if iteration + 1 == procedure.iterations else 0.0
        error = left * error - _own_error(p, np.asarray(more * error + noise)) / more
    return np.asarray((1 + stages.settled) * (values + error))


def _own_error(p: CkksParameters, values: Floats) -> Floats:
    """What one iteration without noise adds to these real slots, whose coefficients are known modulo q_0."""
    stages = Stages(p)
    procedure = stages.procedure
    small = coefficients(values) * exp2(-procedure.message_bits)
    draw = np.random.default_rng(SEED)
    raised = integers(draw, procedure.reduction, secret_weight(p), len(small))
    found = stages.waves.ideal(raised + small - np.rint(small)) - small
    gained = stages.gain(stages.decode_level) * values
    return np.asarray(slots(found * exp2(procedure.message_bits)).real + gained)


def _iterated_noise(p: CkksParameters) -> float:
    """The standard deviation of the noise, enlarged by 2^iteration_bits, that an iteration takes away."""
    assert p.bootstrap is not None
    found, procedure = added(p), p.bootstrap.procedure
    once = (found.total - found.adjusting - found.settling) / Stages(p).left
    return float(np.sqrt(once)) * exp2(procedure.iteration_bits)


@lru_cache(maxsize=256)  # a set is judged several times: when it is found, when it is shown
def with_reductions(program: Program, p: CkksParameters, gains: Gains) -> dict[str, Floats]:
    """The outputs of an execution without noise in which every bootstrap reduces as these parameters do.

    Values beyond the interval of a reduction may grow until they overflow: what comes of them is _FAR_OFF.
    """

    def refreshed(o: Operation, operands: Sequence[Slots], made: Slots) -> Slots:
        if o.action is Action.ENCRYPT:
            return gains.encrypted[o.out]
        return reduced(p, np.asarray(made.real)) if o.action is Action.BOOTSTRAP else made

    nothing = {name: np.zeros(length) for packed in program.inputs for name, length in packed.sources}
    with np.errstate(over="ignore", invalid="ignore"):
        values = run(program, nothing, disturb=refreshed, frugal=True)
    outputs = {o.name: unpack(o, [_whole(values[v], program) for v in o.values]) for o in program.outputs}
    return {name: _bounded(found) for name, found in outputs.items()}


def _bounded(values: Floats) -> Floats:
    return np.clip(np.where(np.isfinite(values), values, _FAR_OFF), -_FAR_OFF, _FAR_OFF)


def _whole(values: Slots, program: Program) -> Floats:
    return np.broadcast_to(np.asarray(values.real), (program.slots,))
