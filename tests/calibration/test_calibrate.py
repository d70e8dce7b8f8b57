"""Calibration of the real SEAL on its smallest rings, and profiles on their way through the store."""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from pathlib import Path

import pytest

from fheasible.calibration.calibrate import calibrate, jobs
from fheasible.calibration.contexts import Setting, settings
from fheasible.calibration.fit import left_out_errors
from fheasible.calibration.profiles import of_this_machine, save
from fheasible.errors import LibraryMissing
from fheasible.estimation.features import Shape, features
from fheasible.estimation.profile import MemoryModel, Point, Profile
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.environment import observe
from fheasible.measurement.machine import this_machine
from fheasible.program.types import Action
from fheasible.store.store import Store

SEAL = CATALOGUE["seal"]
SHAPE = Shape(4096, limbs=2, special=1, digit_limbs=1)
PROFILE = Profile(
    this_machine().fingerprint, "seal", "4.4.0", 1, "2026-01-01T00:00:00.000+00:00",
    {"ckks/add": (1e-9, 1e-6)}, {"ckks": MemoryModel(5e7, 90.0, 1.1, 1.5)}, 0.04, 1.02,
    (Point("ckks", "add", SHAPE, 2e-5),),
)  # fmt: skip


def smallest(library: str, scheme: str) -> Iterator[Setting]:
    return (s for s in settings(library, scheme) if (s.request.ring_dimension or 0) <= 8192)


@pytest.fixture(scope="module")
def seal() -> tuple[Profile, list[tuple[str, int, int]]]:
    """A profile of SEAL's smallest rings, and what was reported on the way."""
    steps: list[tuple[str, int, int]] = []
    try:
        (profile,) = calibrate([SEAL], observe("seal"), 1, lambda *step: steps.append(step), choose=smallest)
    except LibraryMissing as missing:
        pytest.skip(missing.message)
    return profile, steps


@pytest.mark.worker
def test_every_operation_of_every_scheme_gets_coefficients(
    seal: tuple[Profile, list[tuple[str, int, int]]],
) -> None:
    profile, _ = seal
    alike = {a for a in Action if not a.startswith("eval_")} | {"decrypt", "keygen"}
    wanted = {
        "ckks": alike - {Action.SWAP_ROWS},
        "bgv": alike,
        "bfv": alike - {Action.RESCALE, Action.DROP},
    }
    assert set(profile.coefficients) == {
        f"{s}/{action}" for s, actions in wanted.items() for action in actions
    }
    for name, found in profile.coefficients.items():
        action = name.split("/")[1]
        assert len(found) == len(features(action, replace(SHAPE, scheme=name.split("/")[0])))
        assert all(isfinite(c) and c >= 0 for c in found)
        assert any(c > 0 for c in found)
    assert (profile.library, profile.version, profile.threads) == ("seal", SEAL.version, 1)
    assert profile.machine == this_machine().fingerprint


@pytest.mark.worker
def test_points_left_out_are_predicted_with_a_finite_error(
    seal: tuple[Profile, list[tuple[str, int, int]]],
) -> None:
    profile, _ = seal
    assert isfinite(profile.error_band)
    assert profile.error_band > 0
    assert profile.wall_factor > 0.5
    rotations = [p for p in profile.points if (p.scheme, p.action) == ("ckks", "rotate")]
    assert {p.shape.n for p in rotations} == {4096, 8192}
    assert all(isfinite(e) for e in left_out_errors(rotations))
    for p in profile.points:
        predicted = profile.seconds(p.scheme, p.action, p.shape)
        assert predicted is not None
        assert predicted > 0


@pytest.mark.worker
def test_larger_operations_are_predicted_to_cost_more(
    seal: tuple[Profile, list[tuple[str, int, int]]],
) -> None:
    profile, _ = seal
    small, large = (
        profile.seconds("ckks", "rotate", replace(SHAPE, n=n, limbs=l)) for n, l in ((4096, 2), (16384, 8))
    )
    assert small is not None
    assert large is not None
    # really 35 times as many butterflies: 90 transforms of 2^14 * 14 instead of 12 of 2^12 * 12
    assert large > 4 * small


@pytest.mark.worker
def test_memory_is_modelled_for_every_scheme(seal: tuple[Profile, list[tuple[str, int, int]]]) -> None:
    profile, _ = seal
    assert set(profile.memory) == set(SEAL.schemes)
    for model in profile.memory.values():
        assert 2**20 < model.baseline_bytes < 2**30


@pytest.mark.worker
def test_every_run_is_reported(seal: tuple[Profile, list[tuple[str, int, int]]]) -> None:
    _, steps = seal
    total = len(jobs([SEAL], smallest))
    assert [done for _, done, _ in steps] == list(range(total + 1))
    assert {t for *_, t in steps} == {total}
    assert "seal ckks N=4096" in {label for label, *_ in steps}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


def test_a_profile_is_the_same_after_the_store(store: Store) -> None:
    save(store, PROFILE)
    assert of_this_machine(store, ["seal", "openfhe"]) == {"seal": PROFILE}


def test_the_newest_profile_of_a_library_counts(store: Store) -> None:
    save(store, PROFILE)
    newer = replace(PROFILE, error_band=0.01, version="4.5.0")
    save(store, newer)
    save(store, replace(PROFILE, library="lattigo"))
    assert of_this_machine(store, ["seal"]) == {"seal": newer}


def test_profiles_of_other_machines_and_other_threads_do_not_count(store: Store) -> None:
    save(store, replace(PROFILE, machine="0123456789abcdef"))
    save(store, replace(PROFILE, threads=2))
    assert of_this_machine(store, ["seal"]) == {}
    assert set(of_this_machine(store, ["seal"], threads=2)) == {"seal"}
