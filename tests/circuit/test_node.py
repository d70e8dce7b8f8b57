"""Nodes: one object for one expression."""

from pathlib import Path

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.load import load
from fheasible.circuit.node import Kind, Op, Values, lines_of
from fheasible.libraries.catalogue import library
from fheasible.lowering.lookups.lower import lower_lookups
from fheasible.lowering.lower import lower


def test_the_same_expression_is_the_same_node() -> None:
    made = []

    @fh.app(x=fh.reals(3, low=0, high=1))
    def f(x: fh.Vector) -> fh.Vector:
        made.append((x * 2 + [1, 2, 3]) ** 2)
        made.append((x * 2 + np.array([1.0, 2.0, 3.0])) ** 2)
        return made[0] + made[1]

    circuit = f.trace()
    assert made[0].node is made[1].node
    assert [n.op for n in circuit.nodes()].count(Op.POWER) == 1


def test_other_attributes_make_other_nodes() -> None:
    made = []

    @fh.app(x=fh.reals(3, low=0, high=1))
    def f(x: fh.Vector) -> fh.Vector:
        made.extend([x**2, x**3, x.rotate(1), x.rotate(2), x * 2, x * 3, x * [2, 2, 2]])
        return made[0]

    f.trace()
    assert len({v.node for v in made}) == len(made)


def test_two_traces_of_one_application_share_their_nodes() -> None:
    @fh.app(x=fh.integers(4, low=0, high=3))
    def f(x: fh.Vector) -> fh.Vector:
        return fh.sum(x * x)

    assert dict(f.trace().outputs)["result"] is dict(f.trace().outputs)["result"]


def test_plain_values_cannot_be_written_to() -> None:
    with pytest.raises(ValueError):
        Values([1, 2]).array[0] = 3


def test_every_node_comes_once_and_after_its_operands() -> None:
    @fh.app(x=fh.reals(3, low=0, high=1), y=fh.reals(3, low=0, high=1))
    def f(x: fh.Vector, y: fh.Vector) -> tuple[fh.Vector, fh.Vector]:
        shared = x * y
        return fh.sum(shared) * shared, shared + x

    order = list(f.trace().nodes())
    assert len(set(order)) == len(order)
    for i, n in enumerate(order):
        assert set(n.args) <= set(order[:i])


def test_a_circuit_is_real_as_soon_as_one_value_is() -> None:
    @fh.app(x=fh.integers(3, low=0, high=1), y=fh.reals(3, low=0, high=1))
    def mixed(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        return x * y

    @fh.app(x=fh.integers(3, low=0, high=1))
    def whole(x: fh.Vector) -> fh.Vector:
        return x * 3

    assert mixed.trace().kind is Kind.REAL
    assert whole.trace().kind is Kind.INTEGER


TWICE = """
import fheasible as fh
{blank}
@fh.app(x=fh.integers(4, low=0, high=1))
def f(x):
    doubled = x * 2 + [1, 0, 1, 1]
    return doubled * doubled - doubled
"""


def test_applications_that_compute_the_same_keep_lines_of_their_own(tmp_path: Path) -> None:
    apps = []
    for name, blank in (
        ("one.py", ""),
        ("other.py", "\n\n"),
        ("one.py", "\n\n\n\n"),
    ):  # edited, and read again
        (tmp_path / name).write_text(TWICE.format(blank=blank))
        apps.append(load(str(tmp_path / name)))
    kept = [app.trace() for app in apps]
    for circuit, name, first in zip(kept, ("one.py", "other.py", "one.py"), (4, 6, 8), strict=True):
        places = {f"{tmp_path / name}:{line}" for line in range(first, first + 4)}
        assert set(lines_of(circuit).values()) <= places
        style = library("seal").style("bfv", None)
        assert {o.where for o in lower(circuit, style, 1 << 10).operations} <= places
        assert {s.where for s in lower_lookups(circuit, 4, 4).steps} <= places
