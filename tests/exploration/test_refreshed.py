"""Sets with bootstraps in the search: found where a circuit is deep, secure, explained, and made again."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.circuit.load import load
from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.exploration.judging import secure
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import OURS, chosen, request_from, shape_from
from fheasible.exploration.judging.pinning import pins_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish
from fheasible.exploration.reasons.explain import explain
from fheasible.exploration.search.search import Exploration, explore
from fheasible.exploration.space.refreshed import refreshed, with_needed
from fheasible.libraries.catalogue import BY_NAME, library
from fheasible.noise.ckks.precision import precision
from fheasible.schemes.rns.bootstrap.procedure import Procedure

BOOTSTRAPPING = tuple(name for name, lib in BY_NAME.items() if lib.bootstrap_method)
WISH = Wish(precision=Asked.parse("10"))


@cache
def deep() -> Problem:
    circuit = load("examples/8_long_product.py").trace()
    return Problem(circuit, random_data(circuit, 0), "random data")


@cache
def explored(name: str) -> Exploration:
    return explore(deep(), WISH, [library(name)], {})


@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_what_is_deeper_than_any_ring_is_bootstrapped(name: str) -> None:
    best = explored(name).best
    assert best is not None
    assert best.program.bootstraps
    assert best.parameters.levels < deep().depth("ckks")
    assert (best.estimate.precision_bits or 0) >= 10


@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_every_secret_of_every_candidate_is_secure(name: str) -> None:
    for c in explored(name).candidates:
        for use in secure.keys(c.parameters, c.program.switches_keys):
            assert use.log_q <= use.asked().allowed(WISH.security), use


@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_the_settings_of_a_candidate_make_it_again(name: str) -> None:
    for c in (*explored(name).candidates[:3], *explored_precisely(name).candidates[:1]):
        told = {k: ",".join(map(str, v)) if isinstance(v, tuple) else str(v) for k, v in c.settings.items()}
        ours = {k: told.pop(k) for k in OURS if k in told}
        del told["depth"]
        request = request_from("ckks", told, WISH.security)
        shape = shape_from(deep(), ours, WISH.least, "ckks")
        again = chosen(deep(), library(name), request, None, shape)
        assert again.parameters.bootstrap == c.parameters.bootstrap
        assert again.program.operations == c.program.operations


PRECISE = Wish(precision=Asked.parse("28"))


@cache
def explored_precisely(name: str) -> Exploration:
    return explore(deep(), PRECISE, [library(name)], {})


def test_what_one_iteration_is_not_precise_enough_for_is_had_by_two() -> None:
    """[BCCKY22]: the second iteration bootstraps the error of the first."""
    found = explored_precisely("openfhe")
    best = found.best
    assert best is not None
    assert (best.estimate.precision_bits or 0) >= 28
    assert best.ckks.bootstrap is not None
    procedure = best.ckks.bootstrap.procedure
    assert procedure.iterations == 2
    assert best.settings["bootstrap_iterations"] == 2
    once = replace(procedure, iterations=1, iteration_bits=0)
    worse = replace(best.ckks, bootstrap=replace(best.ckks.bootstrap, procedure=once))
    with_one = precision(best.program, worse, deep().gains(best.program), deep().truth, PRECISE.failure_bits)
    assert with_one.bits < 28
    said = " ".join(explain(found))
    assert "takes 2 iterations, because one is not precise enough" in said
    assert f"2^{procedure.iteration_bits} times as large" in said


@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_a_second_iteration_is_not_tried_where_one_is_precise_enough(name: str) -> None:
    for wish, several in ((WISH, False), (PRECISE, True)):
        tried = refreshed(library(name), wish, (), (1 << 15, 1 << 16), 128)
        asked = [c.bootstrap for c in tried if c.bootstrap is not None]
        assert any((each.iterations or 1) > 1 for each in asked) == several
        assert any((each.iterations or 1) == 1 for each in asked)


# What is pinned, and how a procedure shows it; in which libraries there are such sets.
PINNED = [
    ({"levels": "4"}, lambda c: c.parameters.levels == 4, BOOTSTRAPPING),
    ({"bootstrap_iterations": "2"}, lambda c: procedure_of(c).iterations == 2, BOOTSTRAPPING),
    ({"bootstrap_iterations": "1"}, lambda c: procedure_of(c).iterations == 1, BOOTSTRAPPING),
    (
        {"bootstrap_iterations": "2", "bootstrap_iteration_bits": "7"},
        lambda c: procedure_of(c).iteration_bits == 7,
        BOOTSTRAPPING,
    ),
    (
        {"bootstrap_encode_levels": "3", "bootstrap_decode_levels": "2"},
        lambda c: (len(procedure_of(c).encode), len(procedure_of(c).decode)) == (3, 2),
        ("openfhe",),
    ),
    ({"bootstrap_ephemeral": "32"}, lambda c: procedure_of(c).ephemeral == 32, ("lattigo",)),
    ({"bootstrap_weight": "192"}, lambda c: c.parameters.bootstrap.weight == 192, ("lattigo",)),
    ({"bootstrap_message_bits": "11"}, lambda c: procedure_of(c).message_bits == 11, BOOTSTRAPPING),
]


def procedure_of(c: Candidate) -> Procedure:
    own = c.ckks.bootstrap
    assert own is not None
    return own.procedure


@pytest.mark.parametrize("name", BOOTSTRAPPING)
@pytest.mark.parametrize(("pinned", "has", "where"), PINNED, ids=[str(each) for each, _, _ in PINNED])
def test_what_is_pinned_of_a_bootstrap_all_sets_have(
    name: str, pinned: dict[str, str], has: Callable[[Candidate], bool], where: tuple[str, ...]
) -> None:
    wish = replace(WISH, pins=pins_from(pinned, deep(), [library(name)], WISH.least))
    found = explore(deep(), wish, [library(name)], {}).candidates
    assert name not in where or found
    assert all(has(c) for c in found)


def test_what_is_pinned_of_a_bootstrap_excludes_sets_without() -> None:
    circuit = shallow.trace()
    problem = Problem(circuit, random_data(circuit, 0), "random data")
    wish = replace(WISH, pins=pins_from({"levels": "2"}, problem, [library("openfhe")], WISH.least))
    assert explore(problem, WISH, [library("openfhe")], {}).best is not None
    assert explore(problem, wish, [library("openfhe")], {}).best is None


@fh.app(x=fh.reals(8, low=-1, high=1))
def shallow(x: fh.Vector) -> fh.Vector:
    return x * x


def test_the_reasons_say_what_bootstraps_bring_and_why_one_ring_is_not_enough() -> None:
    for name in BOOTSTRAPPING:
        said = " ".join(explain(explored(name)))
        assert "of these levels itself and leaves" in said
        assert "One ring without bootstraps is not enough" in said
        assert "a bootstrap fails" in said
        assert "[GKS25]" not in said  # which says nothing of bootstraps


def test_a_library_without_bootstrapping_is_told_which_have_it() -> None:
    found = explore(deep(), WISH, [library("seal")], {})
    assert found.best is None
    (ckks,) = (r for r in found.rejected if r.scheme == "ckks")
    for name in BOOTSTRAPPING:
        assert library(name).title in ckks.remedy


@fh.app(x=fh.reals(8, low=-1, high=1))
def by_hand(x: fh.Vector) -> fh.Vector:
    return fh.bootstrap(x * x)


def test_a_bootstrap_by_hand_in_a_library_without_any_is_told_which_have_it() -> None:
    circuit = by_hand.trace()
    found = explore(Problem(circuit, random_data(circuit, 0), "random data"), WISH, [library("seal")], {})
    (ckks,) = (r for r in found.rejected if r.scheme == "ckks")
    assert "SEAL has no bootstrapping" in ckks.reason
    assert "choose among OpenFHE and Lattigo" in ckks.remedy


def test_a_bootstrap_is_refused_where_there_is_none() -> None:
    request = request_from("ckks", {"scale_bits": "40", "bootstrap_encode_levels": "3"}, None)
    with pytest.raises(UsageError, match="how many levels it leaves"):
        chosen(deep(), library("openfhe"), request, None, shape_from(deep(), {}, WISH.least, "ckks"))
    shape = shape_from(deep(), {"levels": "5"}, WISH.least, "ckks")
    with pytest.raises(InfeasibleParameters, match="has no bootstrapping"):
        chosen(deep(), library("seal"), request_from("ckks", {}, None), None, shape)
    with pytest.raises(UsageError, match="bootstraps BFV or BGV"):
        shape_from(deep(), {"levels": "5"}, WISH.least, "bgv")


def test_fresh_inputs_have_more_levels_where_the_library_encrypts_at_them_and_that_takes_less() -> None:
    """Both ways are tried, with as many levels after a bootstrap and the same settings."""
    lowerings = deep().lowerings(())
    for name in BOOTSTRAPPING:
        lib = library(name)
        every = refreshed(lib, WISH, (), (1 << 15, 1 << 16), 128)
        tried = [c for each in every if (c := with_needed(each, lowerings))]
        higher = [c for c in tried if c.style.budget and c.style.budget.above]
        assert bool(higher) == lib.encrypts_above
        for c in higher:
            assert c.style.budget is not None
            usual = replace(c, style=replace(c.style, budget=replace(c.style.budget, above=0)))
            assert usual in tried
            few, many = (lowerings.program(each.style, 1 << 16).bootstrap_count for each in (c, usual))
            assert 0 < few < many
        best = explored(name).best
        assert best is not None
        begins = best.program.fresh_levels > best.parameters.levels
        assert ("Fresh inputs begin at level" in " ".join(explain(explored(name)))) == begins
        assert begins == lib.encrypts_above
