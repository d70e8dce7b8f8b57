"""A sweep says of each set what an analysis of that set alone says."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.errors import InfeasibleParameters, PromiseBroken
from fheasible.exploration.sweeps.ring_analysis import CHUNK, Subject, analyse, analyses
from fheasible.exploration.sweeps.ring_grid import Grid, grid, parameters
from fheasible.rings.pieces import HEAP, HUGE, PAGED
from fheasible.rings.weights import PANTHERS
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.fv import FV
from fheasible.schemes.noise import worst_case
from fheasible.security.verdict import verdict
from schemes.applications import equation_3

from .rings.apps import app_of, circuits


def subjects() -> st.SearchStrategy[Subject]:
    of_schemes = [Subject.function(kind, f) for kind in SCHEMES.values() for f in ("all", "multiply", "add")]
    of_applications = [
        Subject.of_application(kind, equation_3.trace(), order)
        for kind in SCHEMES.values()
        for order in (True, False)
    ]
    return st.sampled_from([*of_schemes, *of_applications])


def some(values: st.SearchStrategy[int]) -> st.SearchStrategy[str]:
    return st.lists(values, min_size=1, max_size=3, unique=True).map(lambda v: ",".join(map(str, v)))


def grids(t: str) -> st.SearchStrategy[Grid]:
    return st.builds(
        lambda n, log_q, log_w: grid([f"n={n}", f"log_q={log_q}", f"log_w={log_w}", f"t={t}"], []),
        some(st.integers(3, 12).map(lambda k: 1 << k)),
        some(st.integers(30, 1200)),
        some(st.integers(1, 30)),
    )


@settings(deadline=None, max_examples=25)
@given(subjects(), st.data())
def test_a_grid_has_the_figures_that_each_of_its_sets_has_alone(subject: Subject, data: Any) -> None:
    """Among the plaintext moduli are powers of two, by which a product is a shift, and others."""
    odd = subject.application is None and not subject.scheme.bits
    found = data.draw(grids("2,3,16,1000" if odd else "2"))
    points = list(found.points())
    columns = analyse(subject, points).columns()
    for i in data.draw(st.lists(st.integers(0, len(points) - 1), min_size=1, max_size=4)):
        p = parameters([points[i]])
        tally = subject.count(p)
        assert columns["integer_multiplications"][i] == PANTHERS.total(tally.integers)
        assert columns["memory_max_words"][i] == tally.memory.max_words
        assert columns["memory_total_words"][i] == tally.memory.total_words
        assert columns["peak_bytes"][i] == tally.memory.max_bytes
        kernels = {k: columns[f"kernel_{k}"][i] for k in tally.kernels}
        placed = [
            sum(counts.pop(name, 0) for name in (HEAP, PAGED, HUGE)) for counts in (kernels, tally.kernels)
        ]
        assert kernels == tally.kernels
        assert placed[0] == pytest.approx(placed[1], rel=0.1)  # an application's on average
        at = verdict(subject.scheme.problem, p.n, p.log_q, sigma=p.sigma)
        assert columns["overstretched"][i] == at.overstretched
        np.testing.assert_equal(columns["security_bits"][i], np.nan if at.bits is None else at.bits)


@settings(deadline=None, max_examples=25)
@given(subjects(), st.data())
def test_a_grid_promises_no_more_depth_than_each_of_its_sets_alone(subject: Subject, data: Any) -> None:
    """q mod t, which matters next to nothing, is known of one set and bounded for many; for t = 2 it is 1."""
    points = list(data.draw(grids("2")).points())
    columns = analyse(subject, points).columns()
    for i in data.draw(st.lists(st.integers(0, len(points) - 1), min_size=1, max_size=4)):
        p = parameters([points[i]])
        noise = subject.scheme(p.counting_ring(), p.spec).noise(worst_case(p.n, p.sigma))
        assert columns["depth"][i] == noise.depth()
        assert columns["correct"][i] == subject.correct(subject.proven(p))


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_random_applications_are_swept_as_they_are_counted_element_by_element(data: Any) -> None:
    kind = data.draw(st.sampled_from(sorted(SCHEMES.values(), key=lambda k: k.name)))
    t = 2 if kind.bits else data.draw(st.sampled_from([2, 4, 7, 65537]))
    subject = Subject.of_application(kind, data.draw(circuits(t)), data.draw(st.booleans()))
    points = list(data.draw(grids(str(t))).points())
    columns = analyse(subject, points).columns()
    for i in data.draw(st.lists(st.integers(0, len(points) - 1), min_size=1, max_size=2)):
        tally = subject.count(parameters([points[i]]))
        assert columns["integer_multiplications"][i] == PANTHERS.total(tally.integers)
        assert columns["memory_max_words"][i] == tally.memory.max_words
        assert columns["memory_total_words"][i] == tally.memory.total_words
        assert columns["peak_bytes"][i] == tally.memory.max_bytes
        assert {k[7:]: v[i] for k, v in columns.items() if k.startswith("kernel_")} == tally.kernels


def test_the_figures_of_an_application_are_whole_numbers_however_long_its_vectors_are() -> None:
    """A product of 2,000 pairs is 2,000 products; nothing of it is counted in fractions."""
    points = list(grid(["log_q=60,90"], ["n=64"]).points())
    one, many = (
        analyse(Subject.of_application(FV, app_of(lambda x: x * x, 2, length).trace()), points).columns()
        for length in (1, 2000)
    )
    assert {column.dtype.kind for column in many.values()} <= set("ibf")
    assert many["integer_multiplications"].dtype.kind == many["kernel_calls"].dtype.kind == "i"
    keygen = analyse(Subject.function(FV, "keygen"), points).columns()
    for name in ("kernel_butterflies", "memory_total_words"):
        assert np.all(many[name] - keygen[name] == 2000 * (one[name] - keygen[name]))


def test_a_long_sweep_is_the_same_in_chunks() -> None:
    wanted = grid(["log_q=100:1099", "log_w=1:10"], ["n=1024"])
    subject = Subject.function(FV, "multiply")
    found = list(analyses(subject, wanted))
    assert [len(a.points) for a in found] == [CHUNK, len(wanted) - CHUNK]
    assert [p for a in found for p in a.points] == list(wanted.points())
    alone = analyse(subject, [found[1].points[7]])
    assert found[1].integer_multiplications[7] == alone.integer_multiplications[0]


def test_rows_hold_plain_values_and_none_where_nothing_is_known() -> None:
    subject = Subject.function(SCHEMES["yashe"], "multiply")  # overstretched at any useful size
    found = analyse(subject, list(grid(["log_q=20,300", "sigma=3.2,0.1"], ["n=4096"]).points()))
    rows = [dict(zip(found.columns(), row, strict=True)) for row in found.rows()]
    assert [row["overstretched"] for row in rows] == [False, False, True, True]
    assert [row["security_bits"] is None for row in rows] == [False, True, False, True]
    assert {type(value) for row in rows for value in row.values()} <= {int, float, bool, type(None)}


def test_larger_moduli_cost_more_and_bear_more_depth() -> None:
    found = analyse(Subject.function(FV, "all"), list(grid(["log_q=60:600:60"], ["n=4096"]).points()))
    for column in (found.integer_multiplications, found.max_words, found.peak_bytes, found.depth):
        assert np.all(np.diff(column) > 0)
    assert np.all(np.diff(found.security_bits) <= 0)
    assert found.security_bits[0] > 3 * found.security_bits[-1]


def test_another_plaintext_modulus_than_the_application_s_is_refused_before_anything_is_counted() -> None:
    subject = Subject.of_application(FV, equation_3.trace())
    with pytest.raises(PromiseBroken):
        next(analyses(subject, grid(["t=2,3"], ["n=1024", "log_q=100"])))


def test_a_scheme_of_bits_takes_no_other_plaintext_modulus() -> None:
    subject = Subject.function(SCHEMES["shield"], "add")
    with pytest.raises(InfeasibleParameters):
        next(analyses(subject, grid(["t=2,4"], ["n=1024", "log_q=100"])))


def test_a_sum_of_many_is_promised_less_than_its_depth_says() -> None:
    """A sum of 2^12 has no product, but twelve bits more noise."""

    @fh.app(x=fh.integers(4096, modulo=2))
    def total(x: fh.Vector) -> fh.Vector:
        return fh.sum(x)

    many = Subject.of_application(FV, total.trace())
    one = Subject.function(FV, "encrypt")
    points = list(grid(["log_q=14:40"], ["n=64"]).points())
    enough = [analyse(subject, points).correct for subject in (one, many)]
    assert enough[0].sum() == enough[1].sum() + 12
    assert many.depth_needed == 0
