"""Wall seconds by number of threads: those of the library's own kind of parallelism."""

from dataclasses import replace
from typing import Any

import pytest

from fheasible.estimation import batch
from fheasible.estimation.estimate import cpu_seconds, estimate
from fheasible.estimation.threads import Serial, ThreadModel
from fheasible.estimation.walls import wall_seconds, wall_times
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.library import Parallelism
from fheasible.program.phases import PHASES
from fheasible.program.types import Action, Operation, Packed, Program, Scheme
from libraries.chains import chain

from .profiles import ACTIONS, invented, telling
from .programs import CASES, made

every_case = pytest.mark.parametrize(("library", "scheme", "technique"), CASES)


def independent(number: int) -> Program:
    """So many squares, each of a fresh value; every one of them is a result."""
    fresh = [Operation(Action.ENCRYPT, i, level=3, source="x", chunk=i) for i in range(number)]
    squares = [Operation(Action.SQUARE, number + i, (i,), level=3, frees=(i,)) for i in range(number)]
    results = tuple(range(number, 2 * number))
    return Program(
        Scheme.CKKS, 8, 3, (*fresh, *squares), (), (Packed("x", 8 * number, tuple(range(number))),),
        (Packed("y", 8 * number, results),),
    )  # fmt: skip


def sharing(library: str, share: float) -> ThreadModel:
    serial = {f"{s}/{a}": Serial(0.0, share) for s in ("ckks", "bgv", "bfv") for a in ACTIONS}
    return ThreadModel(library, "1", "m", (1, 2), serial, error_band=0.3)


@every_case
def test_one_thread_takes_its_cpu_time_by_the_wall_factor(
    library: str, scheme: str, technique: str | None
) -> None:
    program, p = made(library, scheme, technique)
    known = replace(telling(library), wall_factor=1.25, parallel=sharing(library, 0.0))
    cpu = cpu_seconds(program, p, known)
    assert wall_seconds(program, p, known, 1) == pytest.approx({k: 1.25 * s for k, s in cpu.items()})


@every_case
def test_more_threads_help_as_the_library_shares_out_its_work(
    library: str, scheme: str, technique: str | None
) -> None:
    program, p = made(library, scheme, technique)
    known = replace(telling(library), parallel=sharing(library, 0.1))
    one, two, four = (wall_seconds(program, p, known, number)["total"] for number in (1, 2, 4))
    kind = CATALOGUE[library].threading.parallelism
    if kind is Parallelism.NONE:
        assert one == two == four
    else:
        assert one / 4 <= four <= two * 1.3
        assert two <= one * 1.1
    assert kind is not Parallelism.LIMBS or four < two < one


@pytest.mark.parametrize(("threads", "turns", "slower"), [(1, 6, 1.0), (2, 3, 1.1), (3, 2, 1.2), (6, 1, 1.5)])
def test_goroutines_share_out_operations_and_slow_each_other_down(
    threads: int, turns: int, slower: float
) -> None:
    program, p = independent(6), chain("lattigo", "ckks", 4)
    known = replace(invented("lattigo"), parallel=sharing("lattigo", 0.1))
    found, cpu = wall_seconds(program, p, known, threads), cpu_seconds(program, p, known)
    for phase in ("encrypt", "evaluate", "decrypt"):
        assert found[phase] == pytest.approx(turns * slower * cpu[phase] / 6), phase
    assert found["keygen"] == pytest.approx(cpu["keygen"]), "in one goroutine"


def test_many_sets_have_the_wall_times_of_each() -> None:
    for library in ("lattigo", "openfhe", "seal"):
        program = independent(3)
        sets = [chain(library, "ckks", limbs) for limbs in (4, 6, 4)]
        known = replace(telling(library), parallel=sharing(library, 0.2))
        found = wall_times(program, sets, known, 2)
        wanted = [[wall_seconds(program, p, known, 2)[phase] for phase in PHASES] for p in sets]
        assert found.tolist() == [pytest.approx(row) for row in wanted]


def test_an_estimate_says_its_threads_and_the_band_of_their_times() -> None:
    program, p = independent(4), chain("openfhe", "ckks", 4)
    known = replace(invented("openfhe"), parallel=sharing("openfhe", 0.2))
    told: dict[str, Any] = {
        "precision_bits": None, "security_bits": 1.0, "standard_bits": None, "library_bits": None,
    }  # fmt: skip
    for asked, number, band in ((1, 1, 0.05), (3, 3, 0.3), (None, 2, 0.3)):
        found = estimate(program, p, known, **told, threads=asked, cores=2)
        assert (found.threads, found.error_band) == (number, band)
        assert found.wall_seconds == wall_seconds(program, p, known, min(number, 2)), "a core for each"
        assert found.cpu_seconds == cpu_seconds(program, p, known), "of one thread"


@pytest.mark.parametrize(
    ("library", "asked", "used"),
    [("openfhe", None, 8), ("lattigo", None, 1), ("seal", None, 1), ("openfhe", 3, 3), ("lattigo", 3, 3),
     ("seal", 3, 1)],
)  # fmt: skip
def test_what_a_library_does_by_default_is_its_own(library: str, asked: int | None, used: int) -> None:
    assert CATALOGUE[library].threading.used(asked, cores=8) == used


def test_goroutines_take_memory_of_their_own() -> None:
    program, p = independent(8), chain("lattigo", "ckks", 4)
    one, four = (batch.peaks(program, [p], None, number)[0] for number in (1, 4))
    assert four > one
    p = chain("openfhe", "ckks", 4)
    assert batch.peaks(program, [p], None, 4)[0] == batch.peaks(program, [p], None, 1)[0]
