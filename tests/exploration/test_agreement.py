"""What the arrays say of a row is what the judge says of the set, one by one."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from fheasible.calibration.defaults import default_profile
from fheasible.circuit.data import random_data
from fheasible.circuit.degrees import Degrees
from fheasible.circuit.load import load
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.ckks import CkksSets
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.integers import IntegerSets
from fheasible.exploration.judging.judge import Judge
from fheasible.exploration.judging.sieve import Judged
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Measure, Wish, bits
from fheasible.exploration.search.limits import within
from fheasible.exploration.space.chains import ChainSizes
from fheasible.exploration.space.requests import Choice, ckks, integers, rings, shapes
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.library import Library
from fheasible.program.style import Style

from .apps import problem, real, whole

EXAMPLES = Path(__file__).parents[2] / "examples"
LIBRARIES = list(CATALOGUE)
WISHES = {
    "bits": Wish(precision=bits(12)),
    "absolute": Wish(precision=Asked(Measure.ABSOLUTE, 1e-3), objective="time:2,communication:1", requests=9),
    "cost": Wish(192, True, bits(9), objective="cost", price_core_hour=0.05, price_gib=0.09),
    "limits": Wish(max_bytes=60 * 2**20, max_ciphertext_bytes=2**20, max_key_bytes=2**23, max_seconds=0.1),
}
RELATIVE = ("peak_bytes", "ciphertext_bytes", "key_bytes", "upload_bytes", "download_bytes", "request_bytes",
            "score", "seconds_per_value", "cpu_seconds", "keygen_seconds", "cost", "time",
            "communication")  # fmt: skip
NEAR = {"log_q": 0.02, "log_p": 0.02, "precision_bits": 0.02, "security_bits": 0.05}


def figures(c: Candidate) -> dict[str, float]:
    e, p = c.estimate, c.parameters
    return {
        **c.figures,
        "ciphertext_bytes": e.sizes.ciphertext_bytes,
        "log_q": p.log_q,
        "log_p": p.log_p,
        "precision_bits": np.nan if e.precision_bits is None else e.precision_bits,
        "security_bits": e.security_bits,
    }


def check(c: Candidate, row: dict[str, Any]) -> None:
    expected, p = figures(c), c.parameters
    for name, tolerance in NEAR.items():
        assert row[name] == pytest.approx(expected[name], abs=tolerance, nan_ok=True), name
    for name in RELATIVE:
        assert row[name] == pytest.approx(expected[name], rel=1e-6), name
    for name in ("seeded_upload_bytes", "seeded_key_bytes"):
        assert row[name] == pytest.approx(expected[name], nan_ok=True), name
    assert (row["limbs"], row["special_limbs"], row["digits"]) == (p.limbs, len(p.p), p.digits)
    assert (row["depth"], row["slots"]) == (c.request.depth, c.program.slots)
    assert row["spare_levels"] == c.program.spare_levels
    assert row["ciphertexts"] == sum(len(packed.values) for packed in c.program.inputs)


def rows(found: Columns) -> list[dict[str, Any]]:
    return [{name: column[i] for name, column in found.data.items()} for i in range(len(found))]


def agree(verdict: object, row: dict[str, Any] | None, what: object) -> int:
    """1 where both find it feasible."""
    assert isinstance(verdict, Candidate) == (row is not None), (what, verdict)
    if row is None or not isinstance(verdict, Candidate):
        return 0
    check(verdict, row)
    return 1


def shape(
    on: Problem, style: Style, ring: int, draw: Random, degrees: Degrees = ()
) -> tuple[int, int | None]:
    """A depth budget and a packing, the usual ones half of the time; or both."""
    spares, packings = zip(*shapes(on.lowerings(degrees), style, ring), strict=True)
    return draw.choice([(spares[0], packings[0]), (draw.choice(spares), draw.choice(packings))])


def ckks_agrees(
    on: Problem,
    library: Library,
    wish: Wish,
    technique: str,
    ring: int,
    draw: Random,
    given: tuple[int, int | None] | None = None,
) -> int:
    """Random rows of random ways of key switching, of all sizes and of those without `every`."""
    profile, both = default_profile(library.name), 0
    judge = Judge(on, library, "ckks", wish, profile)
    degrees = draw.choice(on.degrees_to_try(wish.least))
    spare, slots = given or shape(on, library.style("ckks", technique or None), ring, draw, degrees)
    choices = list(ckks(library, technique, degrees, ring, slots, spare))
    chosen = dict(enumerate(draw.sample(choices, min(3, len(choices))), start=7))
    sets = CkksSets(on, library, wish, profile, choices[0])
    for every in (True, False):
        sizes = {place: some(sets.on.sizes(choice, every), draw) for place, choice in chosen.items()}
        together = sets.of_sizes(chosen, sizes)
        for (place, choice), judged in zip(chosen.items(), together, strict=True):
            both += sizes_agree(judge, wish, place, choice, sizes[place], judged)
    return both


def some(sizes: ChainSizes, draw: Random) -> ChainSizes:
    return sizes.take(np.array(sorted({draw.randrange(len(sizes)) for _ in range(12)})))


def sizes_agree(
    judge: Judge, wish: Wish, place: int, choice: Choice, sizes: ChainSizes, judged: Judged
) -> int:
    found, both = within(judged, wish).judged, 0
    assert found.rows == len(sizes)
    assert (found.nearest is None) == (len(found.feasible) == len(sizes))
    assert (found.feasible.places == place).all()
    names = ("scale_bits", "first_bits", "special_bits")
    known = {tuple(int(row[name]) for name in names): row for row in rows(found.feasible)}
    for scale, first, special in zip(sizes.scale, sizes.first, sizes.special, strict=True):
        own = None if judge.library.name == "openfhe" else int(special)
        sized = replace(choice, scale_bits=int(scale), first_bits=int(first), special_bits=own)
        both += agree(judge(sized), known.get((int(scale), int(first), int(special))), sized)
    return both


def sized_again(choice: Choice, row: dict[str, Any]) -> tuple[int, int]:
    return (int(np.nan_to_num(row["level_bits"])), int(np.nan_to_num(row["first_bits"])))


def sized_as(choice: Choice, level: int, first: int) -> Choice:
    if not level:
        return choice
    return replace(choice, level_bits=level, first_bits=first if choice.style.scheme == "bgv" else None)


def integers_agree(on: Problem, library: Library, scheme: str, wish: Wish, ring: int, draw: Random) -> int:
    profile, both = default_profile(library.name), 0
    judge, here = (
        Judge(on, library, scheme, wish, profile),
        IntegerSets(on, library, scheme, wish, profile, ring),
    )
    spare, slots = shape(on, library.style(scheme, None), ring, draw)
    chains = list(integers(library, scheme, ring, slots, spare))
    for chain in draw.sample(chains, min(3, len(chains))):
        choice = draw.choice(chain[:8])
        sizes, found = here.sizes(True), here.judged(choice, 3, True)
        assert found.rows == len(sizes)
        assert (found.feasible.places == 3).all()
        assert (found.nearest is None) == (len(found.feasible) == len(sizes))
        known = {sized_again(choice, row): row for row in rows(found.feasible)}
        pairs = list(zip(sizes.level.tolist(), sizes.first.tolist(), strict=True))
        for level, first in draw.sample(pairs, min(12, len(pairs))):
            both += agree(judge(sized := sized_as(choice, level, first)), known.get((level, first)), sized)
    return both


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_random_rows_of_ckks_are_as_the_judge_has_them(library: str, wish: str) -> None:
    draw, found = Random(f"{library} {wish}"), 0
    lib = CATALOGUE[library]
    for technique in lib.techniques:
        for ring in draw.sample(rings(lib)[:3], 2):
            found += ckks_agrees(problem(real), lib, WISHES[wish], technique, ring, draw)
            found += ckks_agrees(problem(whole), lib, WISHES[wish], technique, ring, draw)
    assert found


@pytest.mark.long
@pytest.mark.parametrize("given", [(1, None), (0, 4), (2, 2)])
@pytest.mark.parametrize("library", LIBRARIES)
def test_rows_of_other_depth_budgets_and_packings_are_as_the_judge_has_them(
    library: str, given: tuple[int, int | None]
) -> None:
    draw, lib = Random(f"{library} {given}"), CATALOGUE[library]
    agreed = (
        ckks_agrees(problem(real), lib, WISHES["bits"], technique, 1 << 14, draw, given)
        for technique in lib.techniques
    )
    assert sum(agreed) > 3


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_random_rows_of_integers_are_as_the_judge_has_them(library: str, scheme: str) -> None:
    draw, found = Random(f"{library} {scheme}"), 0
    for name in ("bits", "cost"):
        for ring in rings(CATALOGUE[library])[:4]:
            found += integers_agree(problem(whole), CATALOGUE[library], scheme, WISHES[name], ring, draw)
    assert found


@cache
def example(file: str) -> Problem:
    circuit = load(str(EXAMPLES / file)).trace()
    return Problem(circuit, random_data(circuit, 1), "random data (seed 1)")


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("file", sorted(path.name for path in EXAMPLES.glob("[0-9]_*.py")))
def test_random_rows_of_the_examples_are_as_the_judge_has_them(file: str, library: str) -> None:
    draw, on, lib = Random(f"{library} {file}"), example(file), CATALOGUE[library]
    for scheme in lib.schemes:
        if on.unsuited(scheme):
            continue
        for ring in rings(lib):
            if scheme != "ckks":
                integers_agree(on, lib, scheme, WISHES["bits"], ring, draw)
            for technique in lib.techniques if scheme == "ckks" else ():
                ckks_agrees(on, lib, WISHES["bits"], technique, ring, draw)
