"""Predictions are set beside the least that was measured, in contexts that the calibration has not seen."""

from dataclasses import replace

import pytest

from accuracy.made import a_job, a_measurement, a_record, every_primitive, insecure, point, sums, told
from fheasible.accuracy import compare
from fheasible.accuracy.compare import ComparedApplication, ComparedFigure, ComparedOperation
from fheasible.estimation.estimate import cpu_seconds
from fheasible.estimation.sizes import sizes
from fheasible.libraries.parameters import Parameters
from fheasible.measurement.job import Job
from fheasible.measurement.least import summaries
from fheasible.measurement.records import MeasuredSizes
from fheasible.measurement.sampled import Record


def by_action(rows: list[ComparedOperation]) -> dict[str, ComparedFigure]:
    return {row.action: row.cpu for row in rows}


def operations(records: list[Record], *profiles: object) -> list[ComparedOperation]:
    return compare.operations(summaries(records), {p.library: p for p in profiles})  # type: ignore[attr-defined]


def applications(records: list[Record], *profiles: object) -> list[ComparedApplication]:
    return compare.applications(summaries(records), {p.library: p for p in profiles})  # type: ignore[attr-defined]


def test_the_error_is_relative_to_what_was_measured() -> None:
    assert ComparedFigure(predicted=1.1, measured=1.0).error == pytest.approx(0.1)
    assert ComparedFigure(predicted=1.0, measured=2.0).error == pytest.approx(-0.5)
    assert ComparedFigure(3.0, 2.0).to_json() == {"predicted": 3.0, "measured": 2.0, "relative_error": 0.5}


def test_an_operation_is_measured_by_the_least_of_its_runs_in_all_passes() -> None:
    job = a_job()
    passes = [a_record(job, a_measurement(job, add=seconds), n) for n, seconds in enumerate((3e-3, 2e-3))]
    rows = by_action(operations(passes, told(add=2.2e-3)))
    assert rows["add"].measured == pytest.approx(2e-3)
    assert rows["add"].error == pytest.approx(0.1)


def test_equal_operations_of_several_programs_are_one_row() -> None:
    p = insecure()
    jobs = [a_job(p, sums()), a_job(p, every_primitive(p))]
    records = [a_record(job, a_measurement(job, add=s)) for job, s in zip(jobs, (5e-3, 4e-3), strict=True)]
    adds = [row for row in operations(records, told()) if row.action == "add" and row.level == 1]
    assert [row.cpu.measured for row in adds] == [pytest.approx(4e-3)]


def test_contexts_of_the_calibration_are_left_out_and_those_alone() -> None:
    seen, unseen = insecure(limbs=2), insecure(limbs=3)
    larger = insecure(n=8192, limbs=2)
    jobs = [a_job(p, sums(p.levels)) for p in (seen, unseen, larger)]
    records = [a_record(job, a_measurement(job)) for job in jobs]
    rows = operations(records, told(points=(point(seen, "rotate", 0),)))
    assert {(row.n, row.limbs) for row in rows} == {(4096, 3), (8192, 2)}


def test_another_primes_size_is_the_same_context() -> None:
    """What costs the same is no independent case."""
    seen = insecure()
    smaller = replace(seen, q=tuple(q // 3 for q in seen.q))
    job = a_job(smaller)
    records = [a_record(job, a_measurement(job))]
    assert operations(records, told(points=(point(seen, "add", 0),))) == []


def test_a_library_without_a_profile_is_left_out() -> None:
    jobs = [a_job(insecure(name)) for name in ("seal", "lattigo")]
    records = [a_record(job, a_measurement(job)) for job in jobs]
    assert {row.library for row in operations(records, told("lattigo"))} == {"lattigo"}
    assert {row.library for row in applications(records, told("lattigo"))} == {"lattigo"}


def test_a_row_names_its_context() -> None:
    p = insecure("openfhe", limbs=3)
    job = a_job(p, every_primitive(p))
    rows = operations([a_record(job, a_measurement(job))], told("openfhe"))
    (drop,) = (row for row in rows if row.action == "drop" and row.level == 0)
    assert (drop.library, drop.scheme, drop.n, drop.limbs) == ("openfhe", "ckks", 4096, 3)
    assert (drop.key_switching, drop.dropped) == ("hybrid", 2)
    assert drop.label.startswith("openfhe ckks drop, n = 4096, level 0 of 2, ")


def test_decryption_and_key_generation_are_operations_too() -> None:
    job = a_job()
    measured = a_measurement(job, decrypt=2e-3, keygen=0.5)
    rows = by_action(operations([a_record(job, measured)], told(decrypt=1e-3, keygen=0.6)))
    assert rows["decrypt"].error == pytest.approx(-0.5)
    assert rows["keygen"].error == pytest.approx(0.2)


@pytest.fixture
def run_of_sums(monkeypatch: pytest.MonkeyPatch) -> tuple[Job, list[Record]]:
    """Two passes of 2 x 1 ms of encryption, 2 x 3 ms of sums, 4 ms of decryption, at least."""
    monkeypatch.setattr(compare, "peak_bytes", lambda program, p, profile: 110)
    job = a_job()
    written = _exactly(job.parameters)
    found = {"application": "sums", "precision_bits": 20.0, "precision_bits_predicted": 19.0}
    measured = [
        a_measurement(job, sizes=written, encrypt=s, add=3 * s, decrypt=4 * s, keygen=1, peak=peak)
        for s, peak in ((2e-3, 100), (1e-3, 120))
    ]
    return job, [a_record(job, m, number, **found) for number, m in enumerate(measured)]


def _exactly(p: Parameters) -> MeasuredSizes:
    """What the closed forms say, and a public key half as large."""
    told = sizes(sums(), p)
    return MeasuredSizes(told.ciphertext_bytes, told.public_key_bytes // 2, told.secret_key_bytes)


def test_an_application_is_measured_by_its_quickest_repetition(run_of_sums: tuple[Job, list[Record]]) -> None:
    """The total is that of one repetition: (2 + 6 + 4) ms in the first of the second pass."""
    job, passes = run_of_sums
    profile = replace(told(encrypt=2e-3, add=3e-3, decrypt=1e-3, keygen=2.0), composition=1.1)
    (row,) = applications(passes, profile)
    assert row.cpu["total"].measured == pytest.approx(12e-3)
    assert row.cpu["total"].predicted == pytest.approx(1.1 * (4 + 6 + 1) * 1e-3)
    assert row.error == pytest.approx(1.1 * 11 / 12 - 1)
    assert row.cpu["encrypt"].error == pytest.approx(1.2)
    assert row.cpu["keygen"].predicted == pytest.approx(2.2)
    predicted = cpu_seconds(job.program, job.parameters, profile)
    assert {phase: f.predicted for phase, f in row.cpu.items()} == pytest.approx(predicted)


def test_wall_time_is_predicted_by_the_profiles_factor(run_of_sums: tuple[Job, list[Record]]) -> None:
    (row,) = applications(run_of_sums[1], told(add=3e-3))
    assert row.wall["evaluate"].predicted == pytest.approx(1.5 * 6e-3)
    assert row.wall["evaluate"].measured == pytest.approx(2 * 6e-3)


def test_memory_sizes_and_precision_stand_beside_their_predictions(
    run_of_sums: tuple[Job, list[Record]],
) -> None:
    (row,) = applications(run_of_sums[1], told())
    assert row.peak == ComparedFigure(110, 100.0)
    assert row.sizes["ciphertext"].error == 0
    assert row.sizes["public_key"].error == pytest.approx(1, rel=1e-3)
    assert "evaluation_key" not in row.sizes  # the program needs none
    assert row.precision == ComparedFigure(19.0, 20.0)
    assert (row.name, row.setting) == ("sums", "seal ckks")


def test_a_wrong_result_is_no_evidence() -> None:
    job = a_job()
    passes = [
        a_record(job, a_measurement(job), n, outcome) for n, outcome in enumerate(("measured", "wrong"))
    ]
    assert applications(passes, told()) == []


def test_the_last_run_of_a_setting_counts() -> None:
    jobs = [a_job(insecure(n=n)) for n in (4096, 8192)]
    records = [a_record(job, a_measurement(job), application="sums") for job in jobs]
    assert [row.n for row in applications(records, told())] == [8192]
    assert [row.n for row in applications(records[::-1], told())] == [4096]
