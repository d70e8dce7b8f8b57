"""The grid covers what predictions are judged on, and reaches beyond what calibration may choose."""

import pytest

from fheasible.accuracy.grid import LEVELS, LIMBS, VARIANTS, GridContext, contexts, jobs
from fheasible.calibration.candidates import candidates
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.layout import Layout
from fheasible.libraries.work import layout_of
from fheasible.program.types import Action

PAIRS = [(lib, scheme) for lib in CATALOGUE.values() for scheme in lib.schemes]
EACH = pytest.mark.parametrize(("library", "scheme"), PAIRS, ids=lambda x: getattr(x, "name", x))
LEVELED = [(lib, scheme) for lib, scheme in PAIRS if scheme != "bfv"]


def place(c: GridContext) -> tuple[int, Layout]:
    return c.parameters.ring_dimension, layout_of(c.parameters)


@EACH
def test_every_ring_dimension_has_several_numbers_of_limbs(library: object, scheme: str) -> None:
    found = contexts(library, scheme)  # type: ignore[arg-type]
    for log_n, several in LIMBS.items():
        limbs = {c.parameters.limbs for c in found if c.parameters.ring_dimension == 1 << log_n}
        if (library.name, scheme) != ("openfhe", "bfv"):  # type: ignore[attr-defined]
            assert limbs == set(several)
        assert len(limbs) >= 2


@EACH
def test_no_context_stands_there_twice(library: object, scheme: str) -> None:
    places = [place(c) for c in contexts(library, scheme)]  # type: ignore[arg-type]
    assert len(places) == len(set(places)) <= VARIANTS * sum(map(len, LIMBS.values()))


@EACH
def test_at_every_ring_dimension_something_is_no_candidate_of_calibration(
    library: object, scheme: str
) -> None:
    offered = {
        (c.parameters.ring_dimension, layout_of(c.parameters))
        for c in candidates(library, scheme)  # type: ignore[arg-type]
    }
    beyond = {place(c)[0] for c in contexts(library, scheme) if place(c) not in offered}  # type: ignore[arg-type]
    assert beyond == {1 << log_n for log_n in LIMBS}


@pytest.mark.parametrize("scheme", ["ckks", "bgv", "bfv"])
def test_openfhe_has_both_kinds_of_key_switching_and_all_numbers_of_digits(scheme: str) -> None:
    found = contexts(CATALOGUE["openfhe"], scheme)
    assert {c.parameters.key_switching for c in found} == {"hybrid", "bv"}
    digits = {c.parameters.digits for c in found if c.parameters.key_switching == "hybrid"}
    assert digits == {1, 2, 3, 4}


@pytest.mark.parametrize("scheme", ["ckks", "bgv", "bfv"])
def test_lattigo_has_several_numbers_of_digits(scheme: str) -> None:
    found = {c.parameters.digits for c in contexts(CATALOGUE["lattigo"], scheme)}
    assert set(CATALOGUE["lattigo"].usual_digits) <= found


@pytest.mark.parametrize(("library", "scheme"), LEVELED, ids=lambda x: getattr(x, "name", x))
def test_levels_are_few_with_the_ends_among_them_and_together_many(library: object, scheme: str) -> None:
    found = contexts(library, scheme)  # type: ignore[arg-type]
    for c in found:
        assert len(c.at) <= LEVELS
        assert {0, c.parameters.levels} <= set(c.at)
        assert c.at == tuple(sorted(set(c.at)))
    assert set(range(11)) <= {level for c in found for level in c.at}


def test_contexts_that_differ_in_digits_alone_share_no_level_between_the_ends() -> None:
    found: dict[tuple[int, int], list[GridContext]] = {}
    for c in contexts(CATALOGUE["lattigo"], "ckks"):
        found.setdefault((c.parameters.ring_dimension, c.parameters.limbs), []).append(c)
    for (_, limbs), several in found.items():
        if limbs > LEVELS:
            first, second = (set(c.at) for c in several)
            assert first & second == {0, limbs - 1}


@EACH
def test_programs_run_every_primitive_at_the_levels_of_their_context(library: object, scheme: str) -> None:
    (first, *_) = contexts(library, scheme)  # type: ignore[arg-type]
    assert {o.level for o in first.program.operations if o.action is Action.ADD} == set(first.at)
    assert {Action.MUL, Action.SQUARE, Action.ROTATE, Action.RELINEARIZE} <= {
        o.action for o in first.program.operations
    }


@EACH
def test_decryption_is_timed_at_both_ends(library: object, scheme: str) -> None:
    assert {c.low for c in contexts(library, scheme)} == {True, False}  # type: ignore[arg-type]


def test_the_quick_grid_is_a_small_part_of_the_whole() -> None:
    whole = {job.key for job in jobs(CATALOGUE.values())}
    quick = jobs(CATALOGUE.values(), quick=True)
    assert {job.key for job in quick} <= whole
    assert 4 * len(quick) < len(whole)
    assert max(job.parameters.ring_dimension for job in quick) == 1 << 14
    assert {(job.library, job.parameters.scheme) for job in quick} == {(lib.name, s) for lib, s in PAIRS}


def test_small_rings_are_repeated_most_and_all_but_the_largest_six_times() -> None:
    listed = jobs([CATALOGUE["lattigo"]])
    by_n = {job.parameters.ring_dimension: job.plan.repetitions for job in listed}
    assert [by_n[n] for n in sorted(by_n)] == sorted(by_n.values(), reverse=True)
    assert all(2 * repetitions >= 6 for n, repetitions in by_n.items() if n < 1 << 16)
