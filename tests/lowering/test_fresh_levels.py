"""Fresh inputs with more levels than a bootstrap leaves: fewer bootstraps, and right results on OpenFHE.

At INSECURE ring sizes.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.node import Circuit
from fheasible.errors import InfeasibleParameters
from fheasible.estimation.sizes import sizes
from fheasible.exploration.space.bootstraps import budgeted
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.catalogue import BY_NAME, library
from fheasible.libraries.parameters import CkksParameters, CkksRequest
from fheasible.lowering.lower import grown, lower, normal_form
from fheasible.measurement.execute import RunPlan, execute_on, results
from fheasible.measurement.worker import Worker
from fheasible.noise.ckks.precision import precision
from fheasible.noise.reach.gains import gains
from fheasible.program.style import LevelBudget, Style
from fheasible.program.types import Action, Program, Scheme

from .checker import check
from .random_circuits import Instruction, circuit, inputs, instructions

INSECURE_N = 512
LEVELS = 3
FILTERED = (HealthCheck.filter_too_much,)  # circuits that are not deep enough


def chain(depth: int, late: int = 1000) -> Circuit:
    """Products with x, and from the step `late` on with y."""

    @fh.app(x=fh.reals(16, low=-1, high=1), y=fh.reals(16, low=-1, high=1))
    def application(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        product = x
        for step in range(depth):
            product = product * (x if step < late else y)
        return product + y

    return replace(application.trace(), minimise_depth=False)


def fresh(program: Program) -> dict[str, int]:
    """The level of each input."""
    return {o.source: o.level for o in program.operations if o.action is Action.ENCRYPT}


@given(depth=st.integers(1, 40), levels=st.integers(2, 6), least=st.integers(0, 1), above=st.integers(0, 20))
@settings(max_examples=60, deadline=None)
def test_a_chain_takes_as_many_bootstraps_as_its_levels_say(
    depth: int, levels: int, least: int, above: int
) -> None:
    """Without bootstraps it has levels + above; each brings levels - least back. No input has levels in
    vain."""
    count = -(-max(depth - levels - above, 0) // (levels - least))
    style = Style(Scheme.CKKS, budget=LevelBudget(levels, least, above=above))
    program = lower(chain(depth), style, 16)
    check(program, style)
    assert program.bootstrap_count == count
    assert grown(normal_form(chain(depth)), style, 16).bootstraps(style) == count  # without writing it
    if count:
        assert fresh(program)["x"] == max(depth - count * (levels - least), levels)
        assert program.fresh_levels == fresh(program)["x"]
        assert fresh(program)["y"] == levels  # it is added at the end


@given(depth=st.integers(4, 40), above=st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_the_levels_that_are_needed_save_as_many_bootstraps_as_all(depth: int, above: int) -> None:
    """One level fewer does not."""
    found = chain(depth)
    budget = LevelBudget(LEVELS, 1, above=above)
    style = Style(Scheme.CKKS, budget=budget)
    needed = grown(normal_form(found), style, 16).above_needed(style)

    def count(levels: int) -> int:
        own = replace(style, budget=replace(budget, above=levels))
        return lower(found, own, 16).bootstrap_count

    if depth <= LEVELS + above:
        assert needed == 0  # and no bootstrap is
    else:
        assert count(needed) == count(above)
        assert needed == 0 or count(needed - 1) > count(above)


def test_a_bootstrap_of_the_user_is_never_of_a_value_with_more_levels_than_it_leaves() -> None:
    """A chain from the same input would have one bootstrap fewer with more of them."""

    @fh.app(x=fh.reals(4, low=-1, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        product = x
        for _ in range(5):
            product = product * x
        return fh.bootstrap(fh.square(x)) * product

    found = replace(application.trace(), minimise_depth=False)
    for above, fresh_levels, count in ((0, LEVELS, 3), (9, LEVELS + 1, 2)):
        style = Style(Scheme.CKKS, budget=LevelBudget(LEVELS, 1, above=above))
        program = lower(found, style, 16)
        check(program, style)
        assert (program.fresh_levels, program.bootstrap_count) == (fresh_levels, count)


def test_openfhe_alone_encrypts_at_levels_that_a_bootstrap_uses_up() -> None:
    assert [name for name, each in BY_NAME.items() if each.encrypts_above] == ["openfhe"]
    p = made("flexibleautoext", 16)
    assert p.bootstrap is not None
    assert LEVELS + library("openfhe").levels_above(p) == len(p.bootstrap.q) - 1 == len(p.scales) - 1


# -- on the library ------------------------------------------------------------------------------------------


def made(technique: str, slots: int) -> CkksParameters:
    own = BootstrapRequest(slots, 1, 1, message_bits=9)
    request = CkksRequest(
        "ckks", LEVELS, None, ring_dimension=INSECURE_N, technique=technique, secret="sparse_encapsulated",
        scale_bits=55, first_bits=60, digits=3, bootstrap=own,
    )  # fmt: skip
    found = library("openfhe").parameters(request)
    assert found.scheme == "ckks"
    return found


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker("openfhe") as running:
        yield running


@pytest.mark.worker
@pytest.mark.parametrize("technique", ["fixedmanual", "flexibleauto", "flexibleautoext"])
@given(program=instructions(20), length=st.integers(2, 12))
@settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=FILTERED)
def test_random_circuits_are_right_on_openfhe(
    worker: Worker, technique: str, program: list[Instruction], length: int
) -> None:
    """Their errors are as large as predicted, and all sizes equal the library's."""
    deep = [each for one in program for each in (one, ("vector_mul", 0, one[1]), ("mul", 0, one[2]))]
    found, own = circuit(True, length, deep, False), library("openfhe")
    style = own.style("ckks", technique)
    above = own.levels_above(made(technique, 16))
    try:
        lowered = lower(found, budgeted(style, own, LEVELS, above=above), 32)
    except InfeasibleParameters:
        assume(False)
    assume(lowered.bootstraps and lowered.fresh_levels > LEVELS)
    data, p = inputs(True, length, 1), made(technique, lowered.slots)
    run = execute_on(worker, lowered, own.worker_parameters(p), data, RunPlan(repetitions=1, warmup=0))
    wanted, got = evaluate(found, data), results(lowered, run)
    expected = precision(lowered, p, gains(lowered, data), wanted)
    errors = np.concatenate([got[name] - wanted[name] for name in wanted])
    assert np.sqrt(np.mean(errors**2)) < 5 * np.hypot(expected.noise, expected.approximation)
    assert run.sizes.evaluation_key_bytes == sizes(lowered, p).evaluation_key_bytes
    assert run.sizes.ciphertext_bytes == sizes(lowered, p).ciphertext_bytes


@pytest.mark.worker
def test_more_levels_save_time_and_lose_no_precision_on_openfhe(worker: Worker) -> None:
    """A product of 24 factors: one bootstrap instead of several, with keys of the same size."""
    found, own = chain(24), library("openfhe")
    data = {name: np.linspace(0.9, 1, 16) for name in ("x", "y")}
    style, p = own.style("ckks", "flexibleauto"), made("flexibleauto", 16)
    ran = []
    for above in (0, own.levels_above(p)):
        program = lower(found, budgeted(style, own, LEVELS, above=above), 16)
        run = execute_on(worker, program, own.worker_parameters(p), data, RunPlan(repetitions=1, warmup=0))
        wanted = evaluate(found, data)
        error = max(np.abs(got - wanted[name]).max() for name, got in results(program, run).items())
        ran.append((program.bootstrap_count, error, run.sizes.evaluation_key_bytes))
        expected = precision(program, p, gains(program, data), wanted)
        assert -np.log2(error) > expected.assured_bits - 1
    assert all(few[0] < many[0] and few[1] < many[1] and few[2] == many[2] for many, few in pairwise(ran))
