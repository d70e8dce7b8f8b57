"""What made-up runs show: points of the operations, of decryption and of key generation."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fheasible.calibration.observed import least_of, observed
from fheasible.estimation.features import Shape
from fheasible.estimation.profile import TimedShape
from fheasible.libraries.layout import Layout, Task
from fheasible.libraries.work import layout_of
from fheasible.measurement.least import Summary, summaries
from fheasible.measurement.sampled import Record, record_of
from fheasible.program.types import Action, Operation, Packed, Program, Scheme
from libraries.chains import chain
from measurement.sampled_jobs import INSECURE, PROGRAM, a_job, a_measurement

HERE = {"machine": "m", "load_before": 0.25, "load_after": 0.5, "seed": 1}
N = 4096
# CPU seconds of (repetition, operation): encrypt, mul_plain (which rescales unasked), rescale, rotate
FIRST = [[4.0, 10.0, 2.0, 1.0], [3.0, 12.0, 2.5, 1.5]]
SECOND = [[6.0, 9.0, 1.5, 3.0], [5.0, 9.0, 4.0, 2.0]]


def timed(cpu: Any) -> NDArray[np.float64]:
    """Wall times are twice as long."""
    seconds = np.array(cpu, dtype=np.float64)
    return np.stack([seconds, 2 * seconds], axis=-1)


def a_record(cpu: Any, number: int = 0, **changes: Any) -> Record:
    measured = a_measurement(timed(cpu))
    return record_of(a_job(**changes), "c", number, 0, 1, HERE, "measured", "", measured)


def summary(*passes: Any, **changes: Any) -> Summary:
    (found,) = summaries(a_record(cpu, number, **changes) for number, cpu in enumerate(passes))
    return found


def at(task: Task, layout: Layout | None = None) -> Shape:
    return Shape(N, layout or layout_of(INSECURE), task)


def seconds(points: list[TimedShape]) -> dict[Task, float]:
    assert len({p.shape.task for p in points}) == len(points)
    return {p.shape.task: p.seconds for p in points}


def test_a_run_shows_its_operations_at_the_levels_they_work_at() -> None:
    """Not the product, whose time has a rescaling in it. One rotation takes one key; both phases are what
    `sampled_jobs` says."""
    found = observed(summary(FIRST, SECOND))
    assert {p.shape.layout for p in found} == {layout_of(INSECURE)}
    assert {p.shape.n for p in found} == {N}
    assert seconds(found) == {
        Task("encrypt", 1): 3.0,
        Task("rescale", 1): 1.5,
        Task("rotate", 0): 1.0,
        Task("decrypt", 0): 0.005,
        Task("keygen", 1, polys=1): 0.2,
    }


def test_the_least_of_all_passes_counts() -> None:
    alone = seconds(observed(summary(SECOND)))
    assert alone[Task("encrypt", 1)] == 5.0
    assert seconds(observed(summary(SECOND, FIRST))) == seconds(observed(summary(FIRST, SECOND)))


def chained(*operations: Operation, scheme: Scheme = Scheme.CKKS, levels: int = 2) -> Program:
    last = operations[-1].out
    return Program(scheme, 8, levels, operations, (), (Packed("x", 16, (0, 1)),), (Packed("y", 8, (last,)),))


def shown(program: Program, library: str = "seal", scheme: str = "ckks") -> dict[Task, float]:
    """Of a run in which each operation takes its number, from 1."""
    cpu = [[float(k + 1) for k in range(len(program.operations))]]
    return seconds(observed(summary(cpu, program=program, parameters=chain(library, scheme, 3))))


def test_an_encryption_below_the_top_is_no_point() -> None:
    """Some libraries encrypt at the top and drop limbs."""
    program = chained(
        Operation(Action.ENCRYPT, 0, level=2, source="x"),
        Operation(Action.ENCRYPT, 1, level=1, source="x", chunk=1),
        Operation(Action.DROP, 2, (0,), level=1),
        Operation(Action.ADD, 3, (2, 1), level=1),
    )
    assert shown(program) == {
        Task("encrypt", 2): 1.0,
        Task("drop", 1, dropped=1): 3.0,
        Task("add", 1): 4.0,
        Task("decrypt", 1): 0.005,
        Task("keygen", 2, polys=0): 0.2,
    }


def test_sizes_of_products_and_their_keys_are_noted() -> None:
    program = chained(
        Operation(Action.ENCRYPT, 0, level=2, source="x"),
        Operation(Action.SQUARE, 2, (0,), level=2),
        Operation(Action.NEG, 3, (2,), level=2),
        Operation(Action.RELINEARIZE, 4, (3,), level=2),
        Operation(Action.ROTATE, 5, (4,), level=2, steps=3),
    )
    found = shown(program)
    assert {t for t in found if t.action in ("square", "neg", "relinearize", "keygen")} == {
        Task("square", 2, polys=3),
        Task("neg", 2, polys=3),
        Task("relinearize", 2),
        Task("keygen", 2, polys=2),
    }


@pytest.mark.parametrize(("library", "depth"), [("openfhe", 1), ("seal", 0), ("lattigo", 0)])
def test_bfv_works_on_the_whole_chain_and_openfhe_minds_the_depth(library: str, depth: int) -> None:
    program = chained(
        Operation(Action.ENCRYPT, 0, source="x"),
        Operation(Action.SQUARE, 1, (0,)),
        Operation(Action.RELINEARIZE, 2, (1,)),
        Operation(Action.ROTATE, 3, (2,), steps=1),
        scheme=Scheme.BFV,
        levels=0,
    )
    found = shown(program, library, "bfv")
    assert Task("encrypt", 2) in found  # at no level is it partial
    assert Task("square", 2, polys=3) in found
    assert Task("rotate", 2, depth=depth) in found
    assert Task("decrypt", 2, depth=depth) in found


def test_decryption_of_several_values_is_no_point() -> None:
    both = replace(PROGRAM, outputs=(Packed("y", 100, (3,)), Packed("z", 100, (2,))))
    assert not [p for p in observed(summary(FIRST, program=both)) if p.shape.task.action == "decrypt"]


def test_what_no_clock_sees_takes_a_nanosecond() -> None:
    nothing = [[0.0] * 4]
    found = seconds(observed(summary(nothing)))
    assert found[Task("rotate", 0)] == 1e-9


def test_of_a_shape_that_several_show_the_least_counts() -> None:
    add, neg = at(Task("add", 1)), at(Task("neg", 1))
    other = replace(add, n=8192)
    made = [
        TimedShape(add, 3.0),
        TimedShape(neg, 1.0),
        TimedShape(add, 2.0),
        TimedShape(other, 9.0),
        TimedShape(add, 4.0),
    ]
    assert least_of(made) == [TimedShape(add, 2.0), TimedShape(neg, 1.0), TimedShape(other, 9.0)]
    assert least_of([]) == []


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(1e-9, 1e3)), max_size=12))
def test_it_is_the_least_whatever_the_order(drawn: list[tuple[int, float]]) -> None:
    made = [TimedShape(at(Task("add", level)), s) for level, s in drawn]
    found = {p.shape: p.seconds for p in least_of(made)}
    assert found == {s: min(p.seconds for p in made if p.shape == s) for s in {p.shape for p in made}}
    assert {p.shape: p.seconds for p in least_of(made[::-1])} == found
