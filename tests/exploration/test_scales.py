"""Other scales: each in the smallest secure ring, with the precision that one set alone is judged to have."""

from dataclasses import replace
from typing import Any

import pytest

from fheasible.errors import InfeasibleParameters
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.reasons.choices import choice_of
from fheasible.exploration.reasons.recorded import SCALES, curves
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.libraries.parameters import Parameters
from fheasible.lowering.plan import depth_of
from fheasible.noise.ckks.precision import precision
from fheasible.security.lookup import allowed_log_q

from .apps import problem, real, whole

Json = dict[str, Any]


@pytest.fixture(scope="module")
def found() -> Exploration:
    return explore(problem(real), Wish(), list(CATALOGUE.values()), {})


@pytest.fixture(scope="module")
def drawn(found: Exploration) -> list[Json]:
    return curves(found)


def alone(found: Exploration, curve: Json, scale: int, ring: int) -> tuple[Any, Parameters]:
    """The program and what the library makes of that one request."""
    c = found.candidates[curve["candidate"]]
    library, r = CATALOGUE[c.library], c.request
    assert r.scale_bits is not None
    assert r.first_bits is not None
    more = scale - r.scale_bits
    style = choice_of(c).style
    program = found.problem.lowerings(c.degrees).program(style, ring, c.slots)
    asked = replace(
        r, depth=depth_of(program, style), ring_dimension=ring, scale_bits=scale,
        first_bits=min(60, r.first_bits + more),
        special_bits=r.special_bits and tuple(min(60, bits + more) for bits in r.special_bits),
    )  # fmt: skip
    return program, library.parameters(asked)


def test_there_is_a_curve_for_each_library_and_technique(found: Exploration, drawn: list[Json]) -> None:
    named = [found.candidates[curve["candidate"]] for curve in drawn]
    kinds = [(c.library, c.parameters.technique) for c in named]
    every = {(c.library, c.parameters.technique) for c in found.candidates if c.scheme == "ckks"}
    assert len(kinds) == len(set(kinds))
    assert set(kinds) == every
    assert all(c.scheme == "ckks" for c in named)


def test_each_point_is_as_precise_as_its_set_alone(found: Exploration, drawn: list[Json]) -> None:
    for curve in drawn:
        for i in range(0, len(curve["scale_bits"]), 7):
            program, p = alone(found, curve, curve["scale_bits"][i], curve["ring_dimension"][i])
            judged = precision(program, p, found.problem.gains(program), found.problem.truth)
            assert curve["log_qp"][i] == pytest.approx(p.log_qp, abs=1e-3)
            assert curve["precision_bits"][i] == pytest.approx(judged.bits, abs=0.02)
            assert curve["assured_bits"][i] == pytest.approx(judged.assured_bits, abs=0.02)


def test_each_ring_is_secure_and_half_of_it_is_not(found: Exploration, drawn: list[Json]) -> None:
    for curve in drawn:
        for i in range(0, len(curve["scale_bits"]), 3):
            scale, ring = curve["scale_bits"][i], curve["ring_dimension"][i]
            assert curve["log_qp"][i] <= allowed_log_q(ring, "uniform_ternary", 128, False)
            if ring > 1 << 12:
                try:
                    half = alone(found, curve, scale, ring // 2)[1].log_qp
                except InfeasibleParameters:
                    continue
                assert half > allowed_log_q(ring // 2, "uniform_ternary", 128, False)


def test_what_has_no_point_no_ring_can_hold(found: Exploration, drawn: list[Json]) -> None:
    for curve in drawn:
        c = found.candidates[curve["candidate"]]
        for scale in set(SCALES) - set(curve["scale_bits"]):
            ring = library(c.library).largest_ring
            try:
                p = alone(found, curve, scale, ring)[1]
            except InfeasibleParameters:
                continue
            assert p.log_qp > allowed_log_q(ring, "uniform_ternary", 128, False)


def test_the_recommended_scale_has_the_recommended_precision(found: Exploration, drawn: list[Json]) -> None:
    best = found.best
    assert best is not None
    at = drawn[0]["scale_bits"].index(best.request.scale_bits)
    assert drawn[0]["candidate"] == 0
    assert drawn[0]["ring_dimension"][at] == best.parameters.ring_dimension
    assert drawn[0]["precision_bits"][at] == pytest.approx(best.estimate.precision_bits, abs=0.05)


def test_each_curve_is_of_its_candidates_own_program(found: Exploration, drawn: list[Json]) -> None:
    for curve in drawn:
        c = found.candidates[curve["candidate"]]
        program, _ = alone(found, curve, c.request.scale_bits or 0, c.parameters.ring_dimension)
        assert program is c.program


def test_exact_schemes_and_flooded_results_have_no_scale_to_choose() -> None:
    exact = [replace(library, schemes=("bfv",)) for library in CATALOGUE.values()]
    assert curves(explore(problem(whole), Wish(), exact, {})) == []
    openfhe = [CATALOGUE["openfhe"]]
    assert curves(explore(problem(real), Wish(shared_results=True), openfhe, {})) == []
