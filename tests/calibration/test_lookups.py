"""Prices of libraries of table look-ups, fitted to times that are known."""

from collections import Counter
from dataclasses import replace

import pytest

from fheasible.calibration import lookups as module
from fheasible.calibration.lookup_profiles import of_this_machine, save, shipped
from fheasible.calibration.lookup_runs import KEYGEN, OPERATIONS, measured, points
from fheasible.calibration.lookups import calibrate_lookups, error, prices_of, profile
from fheasible.estimation.lookup_profile import LookupPoint, LookupProfile
from fheasible.estimation.lookups import Workload, estimate
from fheasible.libraries.lookup_library import LookupTask
from fheasible.libraries.tfhe_rs.library import SCHEME, TFHE_RS
from fheasible.measurement.registry import command
from fheasible.store.store import Store

PRICES = {
    "butterflies": 4e-10, "words_in": 1e-9, "words_out": 8e-10, "pointwise": 6e-10, "monomial": 7e-10,
    "monomial_values": 3e-9, "multiply_add": 3e-10, "steps": 1e-7,
    "rows": 9e-9, "handovers": 2e-5, "words": 5e-10,
    "ciphertexts": 2e-7, "switched": 0.0,
    "scaled": 4e-10, "karatsuba": 2e-10, "uniform": 1e-9, "gaussian": 4e-8, "tuniform": 4e-9,
}  # fmt: skip


def seconds(kernels: dict[str, float]) -> float:
    return sum(PRICES[name] * count for name, count in kernels.items())


def made() -> list[LookupPoint]:
    """What calibration would measure if these were the prices."""
    found = []
    for sample in TFHE_RS.samples():
        names = (*OPERATIONS, KEYGEN, *TFHE_RS.parts(*sample))
        for point in points(TFHE_RS, sample, dict.fromkeys(names, 1.0)):
            found.append(replace(point, seconds=seconds(dict(point.kernels))))
    return found


def test_prices_are_found_again() -> None:
    shared, own = prices_of(made())
    for point in made():
        assert abs(error(point, {**shared, **own.get(point.task, {})})) < 0.01


def test_the_band_is_that_of_sets_that_were_left_out() -> None:
    exact = profile(TFHE_RS, made())
    assert exact.error_band == pytest.approx(0.03)  # never less
    slower = [
        replace(p, seconds=1.3 * p.seconds) if i % 2 and p.task == LookupTask.LOOKUP else p
        for i, p in enumerate(made())
    ]
    assert profile(TFHE_RS, slower).error_band >= 0.03


def test_the_pace_of_the_machine_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    paces = iter([0.03, 0.02])
    monkeypatch.setattr(module, "measured", lambda *_: made())
    monkeypatch.setattr(module, "reference_loop", lambda: next(paces))
    assert calibrate_lookups(TFHE_RS, lambda *_: None).pace_seconds == 0.02


def test_runs_are_compared_with_the_pace_of_this_machine_alone() -> None:
    here = replace(profile(TFHE_RS, made()), pace_seconds=0.02)
    p = TFHE_RS.named_set("MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128").parameters
    work = Workload(Counter({LookupTask.LOOKUP: 1}), 1, 1, 1)
    told = {"log2_failure": -40.0, "log2_lookup_failure": -40.0, "security_bits": 128.0}
    for known, pace in ((here, 0.02), (shipped(here, "some processor"), None), (None, None)):
        assert estimate(work, TFHE_RS, SCHEME, p, known, **told).pace_seconds == pace


@pytest.mark.worker
@pytest.mark.long
def test_a_small_set_is_measured() -> None:
    if not command("tfhe_rs").installed:
        pytest.skip("tfhe_rs is not built: make tfhe")
    small = replace(TFHE_RS.samples()[0][1], lwe_dimension=16)
    found = measured(TFHE_RS, lambda *_: None, [(SCHEME, small)])
    assert [p.task for p in found] == ["lookup", "encrypt", "decrypt", "add", "scale", "keygen", "key_switch"]
    lookup, switch = found[0].seconds, found[-1].seconds
    assert 0 < switch < lookup < 1


def test_a_profile_is_kept_and_read(tmp_path: object) -> None:
    found = profile(TFHE_RS, made())
    assert LookupProfile.from_json(found.to_json()) == found
    with Store.open(f"{tmp_path}/store.sqlite") as store:
        save(store, found)
        assert of_this_machine(store, ["tfhe_rs", "seal"]) == {"tfhe_rs": found}
    assert (shipped(found, "A processor").points, shipped(found, "A processor").origin) == ((), "A processor")
