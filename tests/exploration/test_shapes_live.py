"""Levels that results keep, and vectors that are split, where libraries really run them.

INSECURE rings: they keep the runs short.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

import fheasible as fh
from fheasible.errors import InfeasibleParameters, WrongResult
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import chosen, request_from, shape_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.proof.proof import prove
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.registry import command
from fheasible.store.store import Store

from .apps import exact, large, problem

pytestmark = pytest.mark.worker
ONCE = RunPlan(repetitions=1, warmup=0)
RING = "2048"
TECHNIQUES = [(name, technique) for name, library in CATALOGUE.items() for technique in library.techniques]
LIBRARY_SCHEMES = [(name, scheme) for name, library in CATALOGUE.items() for scheme in library.schemes]


def toy(asked: Problem, library: str, scheme: str, own: dict[str, str], **settings: str) -> Candidate:
    if not command(library).installed:
        pytest.skip(f"{library} is not installed")
    request = request_from(scheme, {"ring_dimension": RING} | settings, None)
    return chosen(asked, CATALOGUE[library], request, None, shape_from(asked, own, bits(10), scheme))


SIZES = {"scale_bits": "35", "first_bits": "60"}


@pytest.mark.parametrize(("library", "technique"), TECHNIQUES)
def test_a_spare_level_holds_values_that_the_first_prime_does_not(
    monkeypatch: pytest.MonkeyPatch, library: str, technique: str
) -> None:
    asked, own = problem(large), {"technique": technique} if technique else {}
    with pytest.raises(InfeasibleParameters, match="values reach") as caught:
        toy(asked, library, "ckks", {}, **SIZES, **own)
    assert "spare_levels=1" in caught.value.remedy
    c = toy(asked, library, "ckks", {"spare_levels": "1"}, **SIZES, **own)
    assert (c.program.levels, c.request.depth, c.parameters.limbs - c.parameters.extended_limbs) == (2, 2, 3)
    proof = prove(asked, c, ONCE)
    assert proof.precision_bits == pytest.approx(c.estimate.precision_bits, abs=2.0)  # largest of 64 errors
    assert proof.precision_bits is not None
    assert proof.precision_bits > 20
    monkeypatch.setattr("fheasible.exploration.judging.chosen._refuse_overflow", lambda *_: None)
    with pytest.raises(WrongResult):  # it wraps around
        prove(asked, toy(asked, library, "ckks", {}, **SIZES, **own), ONCE)


@pytest.mark.parametrize("library", ["seal", "lattigo"])
def test_a_spare_level_holds_noise_that_the_first_prime_does_not(library: str) -> None:
    asked = problem(exact)
    sizes = {0: "60,60", 1: "60,60,60"}
    without, kept = (
        toy(asked, library, "bgv", {"spare_levels": str(spare)}, prime_bits=primes, special_bits="60")
        for spare, primes in sizes.items()
    )
    assert (without.program.levels, kept.program.levels) == (1, 2)
    assert kept.parameters.plain_modulus is not None
    assert kept.parameters.plain_modulus.bit_length() >= 51
    assert prove(asked, kept, ONCE).correct
    with pytest.raises(WrongResult, match="wrongly") as caught:
        prove(asked, without, ONCE)
    assert "noise may reach the plaintext" in caught.value.remedy


def test_openfhe_makes_no_primes_for_so_large_a_plaintext_modulus() -> None:
    for spare in ("0", "1", "2"):
        with pytest.raises(InfeasibleParameters, match="OpenFHE BGV"):
            toy(problem(exact), "openfhe", "bgv", {"spare_levels": spare})


def split(real: bool, length: int) -> Problem:
    spec = fh.reals(length, low=-1, high=1) if real else fh.integers(length, low=-3, high=3)

    @fh.app(x=spec, y=spec)
    def products(x: fh.Vector, y: fh.Vector) -> dict[str, fh.Vector]:
        return {"sum": fh.sum(x * y), "turned": fh.rotate(x, 5) + y}

    return problem(products)


@fh.app(x=fh.reals(1000, low=-1, high=1), y=fh.reals(1000, low=-1, high=1))
def inner_product(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return fh.sum(x * y)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


@pytest.mark.parametrize("length", [1000, 2048])
@pytest.mark.parametrize(("library", "scheme"), LIBRARY_SCHEMES)
def test_split_vectors_give_the_same_results_by_other_operations(
    library: str, scheme: str, length: int, store: Store
) -> None:
    """A vector of 2048 fills a ring of BGV and BFV, in two rows; its half lies in both. (OpenFHE makes primes
    of BGV too small for such a sum: a level more holds it.)"""
    asked, spare = split(scheme == "ckks", length), {"spare_levels": str(int(scheme == "bgv"))}
    usual, halves = (toy(asked, library, scheme, own | spare) for own in ({}, {"slots": "512"}))
    assert (halves.slots, halves.program.slots) == (512, 512)
    assert usual.program.slots == min(1 << (length - 1).bit_length(), 1024 if scheme == "ckks" else 2048)
    assert usual.program.two_rows == (length == 2048 and scheme != "ckks")
    for c, count in ((usual, -(-length // usual.program.slots)), (halves, -(-length // 512))):
        ran = prove(asked, c, ONCE, store=store).measurement  # raises WrongResult where it is not right
        assert ran.outputs["turned"].shape == (count, c.program.slots)
        assert ran.operations is not None
        assert ran.operations.shape[1] == len(c.program.operations)
        assert ran.sizes.rotation_key_count in (None, len(c.program.rotations) + c.program.swaps_rows)
    stored = {row.entry.request.get("slots") for row in store.measurements()}
    assert stored == {None, 512}


def recommended(asked: Problem, wish: Wish) -> Candidate:
    libraries = [library for name, library in CATALOGUE.items() if command(name).installed]
    best = explore(asked, wish, libraries, {}).best
    assert best is not None
    return best


def test_a_set_that_is_recommended_with_a_spare_level_is_run_with_it(store: Store) -> None:
    asked = problem(large)
    best = recommended(asked, Wish(precision=bits(33)))
    assert best.settings["spare_levels"] == 1
    ran = prove(asked, best, ONCE, store=store, asked=bits(33)).measurement
    assert ran.context.q == best.parameters.q
    assert len(ran.context.q) == 3 + best.parameters.extended_limbs
    assert [row.entry.request["spare_levels"] for row in store.measurements()] == [1]


def test_a_set_that_is_recommended_with_split_vectors_is_run_with_them(store: Store) -> None:
    asked = problem(inner_product)
    best = recommended(asked, Wish(precision=bits(12), objective="communication"))
    assert best.settings["slots"] == best.program.slots == 512
    ran = prove(asked, best, ONCE, store=store, asked=bits(12)).measurement
    assert ran.sizes.rotation_key_count in (None, 9)
    assert ran.operations is not None
    assert ran.operations.shape[1] == len(best.program.operations)
    assert ran.outputs["result"].shape == (1, 512)
    assert [row.entry.request["slots"] for row in store.measurements()] == [512]
