"""What bootstraps cost is fitted from their own runs, kept with the profile, and grows with their work."""

from dataclasses import replace
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.profiles import invented
from fheasible.calibration.bootstraps import (
    CONTEXTS,
    bootstrap_jobs,
    bootstrap_points,
    fitted,
    left_out_errors,
    one_bootstrap,
    request,
)
from fheasible.errors import LibraryMissing
from fheasible.estimation.estimate import band, cpu_seconds
from fheasible.estimation.features import Shape
from fheasible.estimation.profile import UNMEASURED_BOOTSTRAPS, BootstrapModel, Profile, TimedShape
from fheasible.estimation.sizes import evaluation_key_count
from fheasible.estimation.tally import keygen_tasks
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.layout import BOOTSTRAP_KEYS, Task
from fheasible.libraries.parameters import CkksParameters
from fheasible.libraries.work import counts, layout_of
from fheasible.measurement.least import summaries
from fheasible.measurement.sampling import sample

BOOTSTRAPPING = [name for name, lib in CATALOGUE.items() if lib.bootstrap_method is not None]
SMALL = (12, 2, 6, 1)


@lru_cache(maxsize=64)
def a_set(name: str, *context: int) -> CkksParameters:
    found = CATALOGUE[name].parameters(request(*context))
    assert isinstance(found, CkksParameters)
    return found


def seconds(name: str, *context: int) -> float:
    p = a_set(name, *context)
    return cpu_seconds(one_bootstrap(CATALOGUE[name], p), p, invented(name))["evaluate"]


def points_of(name: str, factor: float) -> list[TimedShape]:
    """Points of every context, each so many times what the invented profile says."""
    known, found = invented(name), []
    for context in CONTEXTS:
        p = a_set(name, *context)
        shape = Shape(p.ring_dimension, layout_of(p), Task("bootstrap", p.levels))
        found.append(TimedShape(shape, factor * known.seconds(shape)))
    return found


@pytest.mark.parametrize("name", BOOTSTRAPPING)
@settings(max_examples=8, deadline=None)
@given(depth=st.integers(1, 6), log_slots=st.integers(4, 10), budget=st.integers(2, 3))
def test_predicted_time_grows_with_limbs_and_with_slots(
    name: str, depth: int, log_slots: int, budget: int
) -> None:
    here = seconds(name, 12, depth, log_slots, budget)
    assert here < seconds(name, 12, depth + 1, log_slots, budget)
    assert here < seconds(name, 12, depth, log_slots + 1, budget)
    assert here < seconds(name, 13, depth, log_slots, budget)


@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_the_keys_of_a_bootstrap_are_made_over_its_whole_chain(name: str) -> None:
    p = a_set(name, *SMALL)
    assert p.bootstrap is not None
    program, layout = one_bootstrap(CATALOGUE[name], p), layout_of(p)
    number = evaluation_key_count(program, p)
    made, own = keygen_tasks(program, p.limbs - 1, number)
    assert (made.action, made.polys + own.polys) == (BOOTSTRAP_KEYS, number)
    each = [counts(layout, replace(made, polys=keys))["uniform_samples"] for keys in (2, 3)]
    whole = len(p.bootstrap.q) + len(p.bootstrap.p)
    assert each[1] - each[0] == p.bootstrap.digits * whole


@pytest.mark.parametrize("name", BOOTSTRAPPING)
@pytest.mark.parametrize("factor", [0.8, 1.3])
def test_a_constant_factor_between_measured_and_general_prices_is_found(name: str, factor: float) -> None:
    known, points = invented(name), points_of(name, factor)
    model = fitted(points, known, "2026-11-25T16:00")
    better = replace(known, bootstraps=model)
    for point in points:
        off = [abs(p.seconds(point.shape) / point.seconds - 1) for p in (known, better)]
        assert off[1] < 0.5 * off[0]
    assert max(map(abs, left_out_errors(points, known))) < abs(1 / factor - 1)


@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_bands_are_wider_where_no_bootstrap_was_measured(name: str) -> None:
    p, known = a_set(name, *SMALL), invented(name)
    program = one_bootstrap(CATALOGUE[name], p)
    plain = replace(program, operations=program.operations[:1])
    measured = replace(known, bootstraps=fitted(points_of(name, 1.1), known, ""))
    assert band(known, 1, plain) == known.error_band
    assert band(known, 1, program) == UNMEASURED_BOOTSTRAPS
    assert known.error_band <= band(measured, 1, program) < UNMEASURED_BOOTSTRAPS


@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_a_profile_keeps_its_bootstraps_in_the_store(name: str) -> None:
    known = invented(name)
    whole = replace(known, bootstraps=fitted(points_of(name, 1.1), known, "2026-11-25T16:00"))
    again = Profile.from_json(whole.to_json())
    assert again is not None
    assert again.bootstraps == whole.bootstraps
    old = {k: v for k, v in whole.to_json().items() if k != "bootstraps"}
    before = Profile.from_json(old)
    assert before is not None
    assert before.bootstraps is None


def test_a_library_without_bootstrapping_has_nothing_to_run() -> None:
    assert all(not bootstrap_jobs(lib) for lib in CATALOGUE.values() if lib.bootstrap_method is None)


@pytest.mark.worker
@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_a_real_bootstrap_gives_a_point_of_itself_and_one_of_its_keys(name: str) -> None:
    job = next(j for j in bootstrap_jobs(CATALOGUE[name]) if j.program.slots == 1 << SMALL[2])
    try:
        records = sample([job], None, "bootstraps", passes=1)
    except LibraryMissing:
        pytest.skip(f"{name} is not installed")
    (summary,) = summaries(records)
    points = bootstrap_points(summary)
    assert [p.shape.task.action for p in points] == ["bootstrap", BOOTSTRAP_KEYS]
    assert all(p.seconds > 0.01 for p in points)
    model = fitted(points, invented(name), "")
    assert isinstance(model, BootstrapModel)
    assert set(model.coefficients) == {"ckks/bootstrap", f"ckks/{BOOTSTRAP_KEYS}"}
