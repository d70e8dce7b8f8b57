"""What is said before anything is run: what was given, what is possible, and the way out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.errors import InfeasibleParameters, PromiseBroken
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.judging.impossible import doubts, hopeless, is_narrow
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.rings_and_moduli import no_batching
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.proof.proof import prove
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import RunPlan
from fheasible.noise.ckks.headroom import headroom_bits

Function = Callable[[fh.Vector], Any]


def problem(spec: Any, function: Function, data: NDArray[Any] | None = None) -> Problem:
    circuit = fh.app(x=spec)(lambda x: function(x)).trace()
    return Problem(circuit, random_data(circuit, 1) if data is None else {"x": data}, "data")


def cube(x: fh.Vector) -> fh.Vector:
    return x * x * x


def power(x: fh.Vector, squarings: int) -> fh.Vector:
    for _ in range(squarings):
        x = x * x
    return x


def refused(own: Problem, library: str, scheme: str, **settings: str) -> InfeasibleParameters:
    with pytest.raises(InfeasibleParameters) as caught:
        chosen(own, CATALOGUE[library], request_from(scheme, settings, 128), None)
    return caught.value


# -- the plaintext modulus -----------------------------------------------------------------------


@pytest.mark.parametrize("value", [33, 90])  # 33^3 is between t / 2 and t
@pytest.mark.parametrize(("library", "scheme"), [("openfhe", "bgv"), ("openfhe", "bfv"), ("seal", "bfv")])
def test_results_that_t_does_not_tell_apart_are_refused(library: str, scheme: str, value: int) -> None:
    own = problem(fh.integers(8, low=0, high=100), cube, np.full(8, value))
    error = refused(own, library, scheme, plain_modulus="65537")
    assert f"{value**3:,}" in error.message
    assert "32,768" in error.message
    t = int(error.remedy.split()[-1])
    found = chosen(own, CATALOGUE[library], request_from(scheme, {"plain_modulus": str(t)}, 128), None)
    assert found.parameters.plain_modulus == t > 2 * value**3


def test_results_that_only_the_declared_ranges_let_wrap_are_a_warning() -> None:
    own = problem(fh.integers(8, low=0, high=100), cube, np.full(8, 30))
    found = chosen(own, CATALOGUE["seal"], request_from("bfv", {"plain_modulus": "65537"}, 128), None)
    (said,) = doubts(own, found)
    assert "1,000,000" in said
    assert "32,768" in said
    narrow = problem(fh.integers(8, low=0, high=30), cube)
    assert doubts(narrow, chosen(narrow, CATALOGUE["seal"], found.request, None)) == []


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_a_modulus_that_packs_no_vectors_is_refused_before_openfhe_aborts(scheme: str) -> None:
    own = problem(fh.integers(8, low=0, high=5), cube)
    error = refused(own, "openfhe", scheme, plain_modulus="65539")
    assert "t = 65539 cannot pack vectors at N = " in error.message
    t = error.remedy.removeprefix("take t = ").split(",")[0]
    assert chosen(own, CATALOGUE["openfhe"], request_from(scheme, {"plain_modulus": t}, 128), None)


@pytest.mark.parametrize("t", [257, 65536, 65539, 12289])
def test_the_suggested_moduli_pack_vectors(t: int) -> None:
    error = no_batching(t, 4096)
    assert error is not None
    suggested = [int(word.strip(",;")) for word in error.remedy.split() if word.strip(",;").isdigit()]
    assert len(suggested) == 2
    assert no_batching(suggested[0], 4096) is None
    assert no_batching(suggested[1], 1 << 16) is None
    assert no_batching(65537, 1 << 15) is None
    assert no_batching(65537, 1 << 16) is not None


def test_machine_words_do_not_wrap_around_and_what_does_is_said() -> None:
    """The largest primes of 60 bits are SEAL's and Lattigo's own limit."""
    for t in (1 << 32, (1 << 60) - 1, 1 << 61):
        error = no_batching(t, 4096)
        assert error is not None
        suggested = int(error.remedy.removeprefix("take t = ").split()[0].strip(",;"))
        assert suggested < 1 << 60
        assert no_batching(suggested, 4096) is None
        assert "declare low= and high=" in error.remedy


def test_an_applications_own_modulus_that_packs_no_vectors_is_said_of_every_library() -> None:
    own = problem(fh.integers(8, modulo=257), cube)
    found = explore(own, Wish(), list(CATALOGUE.values()), {})
    told = [r for r in found.rejected if r.scheme != "ckks"]
    assert len(told) == 6
    assert all("257 cannot pack vectors" in r.reason and "40961" in r.remedy for r in told)
    assert found.explored == 0


# -- depth ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "scheme"), [(name, s) for name, lib in CATALOGUE.items() for s in lib.schemes]
)
def test_a_depth_that_no_ring_carries_is_said_with_bootstrapping_as_the_way(
    library: str, scheme: str
) -> None:
    spec = fh.reals(8, low=-1, high=1) if scheme == "ckks" else fh.integers(8, modulo=786433)
    deep = problem(spec, lambda x: power(x, 200))
    error = hopeless(deep, CATALOGUE[library], scheme, Wish())
    if scheme == "ckks" and CATALOGUE[library].bootstrap_method:
        assert error is None
    else:
        assert error is not None
        assert "depth of 200" in error.message
        assert "bootstrap, which allows any depth" in error.remedy
        assert "no library here bootstraps BFV or BGV" in error.remedy
    assert hopeless(problem(spec, lambda x: power(x, 4)), CATALOGUE[library], scheme, Wish()) is None


def test_what_is_called_hopeless_is_infeasible_to_the_search_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The depth where it begins to be called so, searched in earnest."""
    seal = CATALOGUE["seal"]
    spec = fh.reals(8, low=-1, high=1)
    least = next(
        d for d in range(30, 60) if hopeless(problem(spec, lambda x, d=d: power(x, d)), seal, "ckks", Wish())
    )
    monkeypatch.setattr("fheasible.exploration.search.search.hopeless", lambda *_: None)
    found = explore(problem(spec, lambda x: power(x, least)), Wish(), [seal], {})
    assert found.explored > 0
    assert found.candidates == ()


def test_a_request_that_takes_a_ring_beyond_the_largest_is_refused() -> None:
    deep = problem(fh.reals(8, low=-1, high=1), lambda x: power(x, 80))
    error = refused(deep, "openfhe", "ckks", scale_bits="50", technique="fixedmanual")
    assert "2^18" in error.message
    assert "bootstrap" in error.remedy


# -- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", list(CATALOGUE))
def test_values_that_overflow_the_first_modulus_are_said_with_what_it_holds(library: str) -> None:
    own = problem(fh.reals(8, low=0, high=1), lambda x: fh.sum(x) * 1000, np.ones(8))
    error = refused(own, library, "ckks", scale_bits="40", first_bits="46")
    assert "values reach 8e+03" in error.message
    assert "holds only 32" in error.message  # half of 2^46 over 2^40
    assert "first prime" in error.remedy


PAPER = {"first_bits": "40", "scale_bits": "39", "technique": "flexibleauto"}  # as [GKS25] has them


def root(length: int = 32) -> Problem:
    return problem(fh.reals(length, low=0, high=1), lambda x: fh.sqrt(x, low=0, high=1, degree=27))


def test_what_fits_without_a_bit_to_spare_is_run_when_asked_for_and_said() -> None:
    found = chosen(root(), CATALOGUE["openfhe"], request_from("ckks", PAPER, 128), None)
    (said,) = doubts(root(), found)
    assert "holds 1:" in said
    assert "larger value decrypts to garbage" in said
    assert is_narrow(root(), found)


@pytest.mark.parametrize("first_bits", ["39", "44"])
def test_without_any_room_it_is_refused_and_with_more_nothing_is_said(first_bits: str) -> None:
    """A first prime of as many bits as the scale holds values up to a half."""
    asked = PAPER | {"first_bits": first_bits}
    if first_bits == "39":
        error = refused(root(), "openfhe", "ckks", **asked)
        assert "values reach 0.9" in error.message
        assert "holds only 0.5" in error.message
    else:
        found = chosen(root(), CATALOGUE["openfhe"], request_from("ckks", asked, 128), None)
        assert doubts(root(), found) == []
        assert not is_narrow(root(), found)


def test_a_search_keeps_a_bit_to_spare() -> None:
    found = explore(root(), Wish(precision=bits(8)), [CATALOGUE["openfhe"]], {})
    assert found.candidates
    for c in found.candidates:
        assert headroom_bits(c.program, c.ckks, found.problem.expected(c.program)) >= 1
        assert not is_narrow(found.problem, c)


@pytest.mark.worker
@pytest.mark.parametrize("technique", ["fixedauto", "flexibleauto", "flexibleautoext"])
def test_what_fits_without_a_bit_to_spare_really_decrypts(technique: str) -> None:
    """INSECURE. prove raises WrongResult unless every element has 8 bits, or 3 where one scale serves all."""
    settings = PAPER | {"technique": technique, "ring_dimension": "2048"}
    candidate = chosen(root(), CATALOGUE["openfhe"], request_from("ckks", settings, None), None)
    least = bits(3 if technique == "fixedauto" else 8)
    proof = prove(root(), candidate, RunPlan(1, 0), asked=least)
    assert any("larger value decrypts to garbage" in warning for warning in proof.warnings)


def test_results_that_only_the_declared_ranges_let_overflow_are_a_warning() -> None:
    own = problem(fh.reals(8, low=0, high=1), lambda x: fh.sum(x) * 1000, np.full(8, 1e-4))
    settings = {"scale_bits": "40", "first_bits": "46"}
    found = chosen(own, CATALOGUE["lattigo"], request_from("ckks", settings, 128), None)
    (said,) = doubts(own, found)
    assert "can reach 8e+03" in said
    assert doubts(own, chosen(own, CATALOGUE["lattigo"], request_from("ckks", {}, 128), None)) == []


def test_data_that_leave_an_approximations_interval_are_an_error_and_ranges_that_do_a_warning() -> None:
    spec = fh.reals(8, low=0, high=1)

    def root(x: fh.Vector) -> fh.Vector:
        return fh.sqrt(x * 2 - 1, low=0.1, high=1, degree=15)

    with pytest.raises(PromiseBroken, match=r"promised values in \[0.1, 1\]") as caught:
        problem(spec, root, np.full(8, 0.2))
    assert caught.value.remedy
    own = problem(spec, root, np.full(8, 0.9))
    found = chosen(own, CATALOGUE["lattigo"], request_from("ckks", {}, 128), None)
    assert any("could lie anywhere in [-1, 1]" in said for said in doubts(own, found))


# -- noise ---------------------------------------------------------------------------------------


def test_noise_that_is_predicted_to_reach_the_plaintext_is_a_warning() -> None:
    own = problem(fh.integers(8, low=-2, high=2), lambda x: power(x, 3))
    settings = {"prime_bits": "30,30", "special_bits": "30", "ring_dimension": "4096"}
    small = chosen(own, CATALOGUE["seal"], request_from("bfv", settings, 128), None)
    assert any("bits of modulus are missing" in said for said in doubts(own, small))


def test_integers_that_ckks_rounds_to_others_are_a_warning() -> None:
    own = problem(fh.integers(8, low=0, high=100), cube, np.full(8, 90))
    found = chosen(own, CATALOGUE["seal"], request_from("ckks", {"scale_bits": "21"}, 128), None)
    assert any("may round integers to wrong ones" in said for said in doubts(own, found))
