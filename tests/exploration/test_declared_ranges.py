"""What is promised for every input in the declared ranges."""

from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.data import random_data
from fheasible.errors import UsageError, WrongResult
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Measure, Wish, bits
from fheasible.exploration.proof.proof import prove
from fheasible.exploration.search import declared_ranges
from fheasible.exploration.search.declared_ranges import domain, explore_everywhere
from fheasible.exploration.search.search import Exploration
from fheasible.exploration.search.search import explore as search
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.lowering.lower import lower
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.registry import command
from fheasible.noise.ckks.domain import InputPoint
from fheasible.noise.ckks.elements import refusal_bits
from fheasible.noise.ckks.precision import precision
from fheasible.noise.ckks.rehearsal import rehearsed
from fheasible.noise.reach.gains import gains
from fheasible.program.style import Style
from fheasible.program.types import Program, Scheme

LATTIGO = [replace(CATALOGUE["lattigo"], schemes=("ckks",))]


@fh.app(x=fh.reals(64, low=-4, high=4))
def steep(x: fh.Vector) -> fh.Vector:
    return x**8 * 2**-16


@fh.app(x=fh.reals(64, low=1, high=4))
def nowhere_small(x: fh.Vector) -> fh.Vector:
    return x**6 * 2**-12


@fh.app(x=fh.reals(16, low=0, high=1))
def root(x: fh.Vector) -> fh.Vector:
    return fh.sqrt(fh.mean(x), low=0, high=1)


def explored(
    app: fh.App, asked: str, worst_case: bool = False, trusted: bool = False, **data: Any
) -> Exploration:
    circuit = app.trace()
    problem = Problem(circuit, data or random_data(circuit, 1), "random data", trusted)
    wish = Wish(precision=Asked.parse(asked), worst_case=worst_case)
    return explore_everywhere(problem, wish, lambda of, to: search(of, to, LATTIGO, {}))


@fh.app(w=fh.reals(4096, low=40, high=150), h=fh.reals(4096, low=1.4, high=2.1))
def body_mass(w: fh.Vector, h: fh.Vector) -> fh.Vector:
    return w * fh.reciprocal(h * h, low=1.9, high=4.5)


def test_of_results_of_many_sizes_a_relative_error_is_asked_of_each() -> None:
    """The series of degree 5 is off by 1e-4 of 1/4.5 at most: 4.5e-4 of any result, the largest 76 and the
    smallest 9. Such a set is really right."""
    found = explored(body_mass, "relative:1e-3")
    assert found.best is not None
    assert found.best.degrees == (5,)


@pytest.mark.long
def test_far_less_precision_somewhere_in_the_ranges_is_said_first() -> None:
    small = explored(root, "20")
    assert small.best is not None
    (said,) = small.alarms
    assert "not for every input in the declared ranges" in said
    assert "--worst-case" in said
    assert small.to_json()["warnings"][0] == said
    assert explored(root, "20", trusted=True).alarms == ()


@pytest.mark.long
@pytest.mark.parametrize(
    ("app", "asked"),
    [(steep, "12"), (steep, "absolute:1e-3"), (nowhere_small, "mean:12"), (nowhere_small, "relative:1e-2")],
)
def test_a_wish_for_the_worst_case_is_met_at_the_worst_inputs(app: fh.App, asked: str) -> None:
    usual, strict = explored(app, asked), explored(app, asked, worst_case=True)
    assert usual.best is not None
    assert strict.best is not None
    assert strict.wish.precision == Asked.parse(asked)
    assert strict.wish.least.met_by(domain(strict, strict.best).assured)
    assert not strict.alarms


@fh.app(x=fh.reals(5, low=36, high=42))
def moments(x: fh.Vector) -> dict[str, fh.Vector]:
    d = x - fh.mean(x)
    return {"third": fh.mean(d**3), "fourth": fh.mean((d**2) ** 2)}


@pytest.mark.long
@pytest.mark.parametrize("libraries", [["openfhe"], ["lattigo", "openfhe"]], ids=["alone", "beside another"])
def test_openfhe_decrypts_results_at_the_ends_of_the_ranges_too(libraries: list[str]) -> None:
    """Fourth powers move 27 times as much there as on data close to their mean, and so does noise; OpenFHE
    refuses where it sees too much, however large the results are."""
    circuit = moments.trace()
    data = {"x": np.array([38, 38.5, 39, 39.5, 40])}
    wish, of = Wish(precision=Asked.parse("absolute:1e-2")), [CATALOGUE[name] for name in libraries]
    usual = search(Problem(circuit, data, "data"), wish, of, {})
    found = explore_everywhere(Problem(circuit, data, "data"), wish, lambda own, to: search(own, to, of, {}))
    ends = {"x": np.array([36.0, 36, 36, 42, 42])}

    def left(e: Exploration) -> float:
        c = next(c for c in e.candidates if c.library == "openfhe" and c.scheme == "ckks")
        return float(refusal_bits(c.program, c.parameters, gains(c.program, ends)))

    assert left(usual) < 0.5
    assert left(found) >= 0.5


@fh.app(x=fh.reals(2, low=-1, high=1))
def fourth_power(x: fh.Vector) -> fh.Vector:
    return (1000 * x) ** 4


@pytest.mark.long
def test_openfhe_decrypts_the_largest_results_where_another_library_is_at_its_worst_elsewhere() -> None:
    """Lattigo is recommended, whose errors are largest at 0. OpenFHE refused 2^40, at -1 and 1."""
    circuit = fourth_power.trace()
    of = [replace(CATALOGUE[name], schemes=("ckks",)) for name in ("lattigo", "openfhe")]
    problem = Problem(circuit, {"x": np.array([0.36833341, -0.06337606])}, "data")

    def searched(own: Problem, to: Wish) -> Exploration:
        return search(own, to, of, {})

    def left(e: Exploration) -> float:
        c = next(c for c in e.candidates if c.library == "openfhe")
        return float(refusal_bits(c.program, c.parameters, gains(c.program, {"x": np.ones(2)})))

    found = explore_everywhere(problem, Wish(), searched)
    assert found.best is not None
    assert found.best.library == "lattigo"
    assert left(searched(problem, found.wish)) < 0.5 <= left(found)


@fh.app(x=fh.reals(200, low=-1, high=1), y=fh.reals(200, low=-1, high=1))
def larger(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return (x + y + fh.absolute(x - y, low=-2, high=2, degree=255)) / 2


@pytest.mark.long
def test_a_series_holds_where_noise_takes_arguments_beyond_their_interval() -> None:
    """At the ends x - y is -2, and with noise less: there the series of degree 255 outgrew all slopes that it
    has inside, and OpenFHE refused to decrypt. The largest error to first order is at x = y."""
    of = [replace(CATALOGUE["openfhe"], schemes=("ckks",), techniques=("flexibleauto",))]
    circuit = larger.trace()
    problem, wish = Problem(circuit, random_data(circuit, 0), "random data"), Wish(precision=bits(7))
    usual = search(problem, wish, of, {})
    found = explore_everywhere(problem, wish, lambda own, to: search(own, to, of, {}))
    ends = {"x": np.full(200, -1.0), "y": np.full(200, 1.0)}

    def error(e: Exploration) -> float:
        c = e.best
        assert c is not None
        at = rehearsed(c.program, c.parameters, ends, gains(c.program, ends))
        return float(at["result"].off(np.ones(200)).max())

    assert error(usual) > 1
    assert error(found) < 2**-3


def _larger_of_two(a: fh.Vector, b: fh.Vector) -> fh.Vector:
    return (a + b + fh.absolute(a - b, low=-2, high=2, degree=80)) / 2


@fh.app(**{name: fh.reals(16, low=-1, high=1) for name in "xyzw"})
def largest_of_four(x: fh.Vector, y: fh.Vector, z: fh.Vector, w: fh.Vector) -> fh.Vector:
    return _larger_of_two(_larger_of_two(_larger_of_two(x, y), z), w)


@pytest.mark.worker
@pytest.mark.parametrize("library", ["seal", "lattigo"])
def test_nested_series_hold_at_all_ends_side_by_side_in_every_copy(library: str) -> None:
    """Of x = y = -z = w = -1 the second argument is an end of its interval and the third one just beyond: in
    one of 1,024 copies noise was enough for a value to outgrow the modulus, and all elements were garbage."""
    if not command(library).installed:
        pytest.skip("a library is missing")
    circuit, of = largest_of_four.trace(), [replace(CATALOGUE[library], schemes=("ckks",))]
    problem = Problem(circuit, random_data(circuit, 0), "random data")
    found = explore_everywhere(problem, Wish(precision=bits(5)), lambda own, to: search(own, to, of, {}))
    assert found.best is not None
    ends = np.array(list(product([-1.0, 1.0], repeat=4))).T
    there = Problem(circuit, dict(zip("xyzw", ends, strict=True)), "ends")
    proof = prove(there, found.best, RunPlan(repetitions=1, warmup=0), asked=Asked(Measure.ABSOLUTE, 2.0**-3))
    assert proof.correct


@fh.app(x=fh.reals(3, low=0.01, high=0.99))
def logistic(x: fh.Vector) -> fh.Vector:
    for _ in range(14):
        x = 2.5 * x * (1 - x)
    return x


@pytest.mark.long
def test_a_map_that_is_unstable_below_its_range_stays_in_it_in_every_copy() -> None:
    """What is below 0 runs away; 0.01 was 3.9 deviations of an encryption's noise above it, of 8,192 copies,
    and OpenFHE refused to decrypt one result of three. By hand: noise of e v + e' + e'' s, ternary v and s;
    one of 1,000 encryptions is 5.2 deviations below in some copy."""
    of = [replace(CATALOGUE["openfhe"], schemes=("ckks",))]
    problem = Problem(logistic.trace(), {"x": np.array([0.99, 0.01, 0.99])}, "corners")
    found = explore_everywhere(problem, Wish(precision=bits(9)), lambda own, to: search(own, to, of, {}))
    assert found.best is not None
    for c in found.candidates:
        n, scale = c.parameters.ring_dimension, 2.0 ** c.settings["scale_bits"]
        if c.settings["technique"] == "flexibleauto":  # the others encrypt at more
            assert 3.19 * np.sqrt((4 * n / 3 + 1) * n / 2) / scale < 0.01 / 5.2
    if command("openfhe").installed:
        for _ in range(3):
            proof = prove(
                problem, found.best, RunPlan(repetitions=1, warmup=0), asked=Asked(Measure.BITS, 9.0)
            )
            assert proof.correct


@pytest.mark.parametrize("level", [0.5, 2.0])
def test_data_that_move_results_more_than_all_others_are_searched_for_once(level: float) -> None:
    """Nothing beside them bends results by more, and no division is by that."""

    @fh.app(x=fh.reals(20, low=0.5, high=2))
    def two(x: fh.Vector) -> dict[str, fh.Vector]:
        return {"sum": fh.sum(x), "square": x * (x * -0.345)}

    own = Problem(two.trace(), {"x": np.full(20, level)}, "data")
    of = [replace(CATALOGUE[name], schemes=("ckks",)) for name in ("lattigo", "seal")]
    found = explore_everywhere(
        own, Wish(precision=Asked.parse("10")), lambda there, to: search(there, to, of, {})
    )
    assert {c.library for c in found.candidates} == {"lattigo", "seal"}


@fh.app(x=fh.reals(12, low=20, high=20.5))
def steps(x: fh.Vector) -> fh.Vector:
    d = x[1:] - x[:-1]
    return d * d


@cache
def of_steps() -> tuple[Exploration, Exploration]:
    """What is found on data on which the result is 0: by these data alone, and by the whole ranges."""
    own = Problem(steps.trace(), {"x": np.full(12, 20.0)}, "data")
    wish, of = Wish(precision=Asked.parse("9")), [replace(CATALOGUE["seal"], schemes=("ckks",))]
    return search(own, wish, of, {}), explore_everywhere(own, wish, lambda at, to: search(at, to, of, {}))


def test_a_square_of_what_is_zero_on_the_data_is_not_bent_by_the_noise_of_rotations() -> None:
    """To first order nothing moves a square of 0, and the mean of the copies' squares stays. The copy in
    which the mean of SEAL's digits lies is left out of it."""
    circuit = steps.trace()
    usual, found = of_steps()

    def squared(e: Exploration) -> float:
        """By hand: what moves d of the first element by s moves its square by 2 d s."""
        assert e.best is not None
        other = {"x": np.append(20.5, np.full(11, 20.0))}
        program, p = e.best.program, e.best.parameters
        moved = precision(program, p, gains(program, other), evaluate(circuit, other)).assured_absolute
        copies = p.ring_dimension / (2 * program.slots)
        deviation = moved / 3.3  # which is exceeded once in a thousand times
        return float((deviation / (2 * 0.5)) ** 2 * copies)  # of each copy

    assert squared(usual) > 2.0**-9
    assert squared(found) < 2.0**-9


@pytest.mark.worker
@pytest.mark.skipif(not command("seal").installed, reason="SEAL's worker is not installed")
def test_a_square_of_what_is_zero_on_the_data_is_really_zero() -> None:
    """Not so by the data alone: that set's noise squared is some 4 to 14."""
    usual, found = of_steps()
    assert usual.best is not None
    assert found.best is not None
    with pytest.raises(WrongResult):
        prove(usual.problem, usual.best, RunPlan(1, 0), asked=usual.wish.least)
    for _ in range(5):
        proof = prove(found.problem, found.best, RunPlan(1, 0), asked=found.wish.least)
        assert np.abs(proof.result["result"]).max() < 2.0**-11


@pytest.mark.parametrize("x", [-4.0, 4.0])
def test_the_worst_case_holds_at_the_ends_by_hand(x: float) -> None:
    """At the ends x^8 / 2^16 is 1, its largest: an error of 2^-12 of it at most."""
    best = explored(steep, "12", worst_case=True).best
    assert best is not None
    data = {"x": np.full(64, x)}
    circuit = steep.trace()
    found = precision(best.program, best.parameters, gains(best.program, data), evaluate(circuit, data))
    assert found.assured_absolute <= 2.0**-12


@pytest.mark.long
def test_the_worst_case_gets_the_degree_that_it_needs() -> None:
    """These data are far from 0, where the root is vertical: a degree of 6 is enough for them alone."""
    found = explored(root, "6", worst_case=True, x=np.full(16, 0.9))
    assert found.best is not None
    assert found.wish.least.met_by(domain(found, found.best).assured)


@pytest.mark.long
def test_what_no_parameters_reach_everywhere_is_infeasible() -> None:
    """The root is vertical at 0: its series of the highest degree is off by more than 2^-14 there."""
    e = explored(root, "14", worst_case=True)
    assert e.best is None
    assert e.rejected


def test_trusted_data_have_no_worst_case() -> None:
    with pytest.raises(UsageError):
        explored(steep, "12", worst_case=True, trusted=True)


@fh.app(x=fh.integers(3, low=-8, high=7))
def cubes(x: fh.Vector) -> fh.Vector:
    return x**3 * 7


@pytest.mark.parametrize("library", CATALOGUE)
def test_integers_are_judged_where_their_results_are_largest(library: str) -> None:
    """Small data leave room for a coarse scale that rounds 7 * (-8)^3 wrongly: a finer one is found."""
    circuit = cubes.trace()
    problem = Problem(circuit, {"x": np.zeros(3, dtype=np.int64)}, "zeros")
    one = [replace(CATALOGUE[library], schemes=("ckks",))]
    e = explore_everywhere(problem, Wish(), lambda of, to: search(of, to, one, {}))
    assert e.best is not None
    assert e.problem.data["x"].tolist() == [0, 0, 0]
    data = {"x": np.full(3, -8)}
    found = precision(e.best.program, e.best.parameters, gains(e.best.program, data), evaluate(circuit, data))
    assert found.worst_error < 0.5


@fh.app(x=fh.reals(500, low=0, high=1), y=fh.reals(500, low=0, high=1))
def cancelling(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return (fh.sum(x - y) * 7) ** 2


@pytest.mark.long
@pytest.mark.parametrize("library", CATALOGUE)
def test_data_at_which_noise_is_multiplied_by_zero_do_not_hide_it(library: str) -> None:
    """At x = y the slope of the square is 0, and with it all noise to first order: a set that was judged
    there alone would give garbage elsewhere."""
    circuit = cancelling.trace()
    data = {"x": np.ones(500), "y": np.ones(500)}
    one = [replace(CATALOGUE[library], schemes=("ckks",))]
    e = explore_everywhere(Problem(circuit, data, "ones"), Wish(), lambda of, to: search(of, to, one, {}))
    assert e.best is not None
    assert domain(e, e.best).bits >= 3


@pytest.mark.long
@pytest.mark.parametrize("asked", ["10", "absolute:1e-3"])
def test_noise_that_bends_a_result_is_reckoned_with(asked: str) -> None:
    """(7 d)^2 for the error d of the sum, at data where it is 0: by the set's own noise elsewhere."""
    circuit = cancelling.trace()
    data = {"x": np.ones(500), "y": np.ones(500)}
    wish = Wish(precision=Asked.parse(asked))
    e = explore_everywhere(Problem(circuit, data, "ones"), wish, lambda of, to: search(of, to, LATTIGO, {}))
    assert e.best is not None
    other = random_data(circuit, 7)
    truth = evaluate(circuit, other)
    found = precision(e.best.program, e.best.parameters, gains(e.best.program, other), truth)
    d = found.assured_absolute / (2 * 49 * abs(np.sum(other["x"] - other["y"])))  # of the sum, to first order
    assert 49 * d**2 <= 2.0**-9


def test_inputs_are_known_already_of_a_program_that_is_written_the_same() -> None:
    """Of two libraries' programs, for example; not of one with other levels."""

    def lowered(spare: int) -> Program:
        traced = fh.app(x=fh.reals(4, low=-1, high=1))(lambda x: x * x).trace()
        return lower(traced, Style(Scheme.CKKS, spare=spare), 4)

    known, same, deeper = lowered(0), lowered(0), lowered(1)
    data = {"x": np.array([0.5, -1.0, 0.25, 1.0])}
    at = InputPoint("some", data, gains(known, data), {})
    assert declared_ranges._moved(at, known, same) is at
    found = declared_ranges._moved(at, known, deeper)
    assert found.data is data
    assert found.gains is not at.gains
    assert found.gains.levels.tolist() != at.gains.levels.tolist()


@pytest.mark.long
def test_where_other_inputs_are_in_the_way_that_is_the_reason() -> None:
    """Results up to 1e21, which OpenFHE never decrypts: less precision would not help."""

    @fh.app(x=fh.reals(16, low=0.8, high=1.1))
    def power(x: fh.Vector) -> fh.Vector:
        return x**512 + x

    libraries = [replace(CATALOGUE["openfhe"], schemes=("ckks",), techniques=("fixedmanual",)), *LATTIGO]
    problem = Problem(power.trace(), {"x": np.full(16, 0.89)}, "data")
    for asked in (5.0, 10.0):
        found = explore_everywhere(
            problem, Wish(precision=bits(asked)), lambda on, wish: search(on, wish, libraries, {})
        )
        (rejected,) = found.rejected
        assert "refuses to decrypt" in rejected.reason
        assert "upper ends of their ranges" in rejected.reason
        assert "--precision" not in rejected.remedy


@pytest.mark.parametrize("asked", [Asked(Measure.ABSOLUTE, 0.5), bits(1.0)], ids=str)
def test_nothing_more_is_needed_elsewhere_than_is_asked(asked: Asked) -> None:
    """Results up to 1e-6: an error of 0.5 is allowed, and half of the largest."""

    @fh.app(x=fh.reals(64, low=-1, high=1))
    def small(x: fh.Vector) -> fh.Vector:
        return fh.mean(x * x) * 1e-6

    problem = Problem(small.trace(), {"x": np.linspace(0, 1, 64)}, "data")
    wish = Wish(precision=asked)

    def searched(on: Problem, asked: Wish) -> Exploration:
        return search(on, asked, LATTIGO, {})

    found, own = explore_everywhere(problem, wish, searched), searched(problem, wish)
    assert found.best is not None
    assert own.best is not None
    assert found.best.settings == own.best.settings
    assert asked.met_by(domain(found, found.best).assured)
    sane = explore_everywhere(problem, Wish(precision=bits(8)), searched)
    assert sane.best is not None
    assert declared_ranges.SANE.met_by(domain(sane, sane.best).assured)


@pytest.mark.long
def test_it_tells_the_seconds_of_all_searches() -> None:
    circuit, each = root.trace(), []

    def searched(of: Problem, to: Wish) -> Exploration:
        each.append(search(of, to, LATTIGO, {}))
        return each[-1]

    problem = Problem(circuit, {"x": np.full(16, 0.9)}, "data")
    found = explore_everywhere(problem, Wish(precision=bits(6), worst_case=True), searched)
    assert len(each) > 1
    assert found.seconds > sum(e.seconds for e in each)


@fh.app(x=fh.reals(1, low=-0.01, high=0.01))
def coarse(x: fh.Vector) -> fh.Vector:
    return fh.absolute(x, low=-0.0101, high=0.0101, degree=7)


def test_no_less_error_is_asked_for_elsewhere_than_a_series_leaves_there() -> None:
    """At 0 a series of degree 7 is off by an eighth of the largest result, as much as garbage may be: which
    sets were right was a matter of how their factors round, and the least of them took nine times as long."""
    found = explored(coarse, "relative:0.5", x=np.array([-0.01]))
    assert found.best is not None
    assert found.best.parameters.ring_dimension == 1 << 13
    there, circuit = domain(found, found.best), coarse.trace()
    exact, series = (evaluate(circuit, there.at.data, exact=kept) for kept in (True, False))
    (alone,) = (float(np.abs(series[name] - exact[name]).max()) for name in exact)
    assert 0.9 * alone < there.absolute_error < 1.25 * alone
    assert alone > 0.01 / 8  # what a result may be off by before it is garbage


@fh.app(minimise_depth=False, x=fh.integers(500, low=0, high=7), y=fh.integers(500, low=0, high=7))
def filtered(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    """Its sum in CKKS is off by nearly half where all of y is counted; part of that is known roughly."""
    return fh.sum(fh.where(x >= 2, y, 0))


def test_no_search_asks_again_for_what_was_asked_before() -> None:
    circuit = filtered.trace()
    asked = Problem(circuit, random_data(circuit, 85), "random data")
    demands: list[list[tuple[str, Asked]]] = []

    def seen(of: Problem, wish: Wish) -> Exploration:
        demands.append([(also.there.source, also.needed) for also in of.also])
        return search(of, wish, [CATALOGUE["seal"]], {})

    found = explore_everywhere(asked, Wish(failure=100), seen)
    rounded = [c for c in found.candidates if c.scheme == "ckks"]
    assert len(demands) > 1
    assert rounded
    for of in demands:
        assert len(set(of)) == len(of)
    assert domain(found, rounded[0]).absolute_error < 0.5
