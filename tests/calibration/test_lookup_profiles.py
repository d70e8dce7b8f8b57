"""The shipped profiles of table look-ups: what is known before any calibration."""

from statistics import geometric_mean

import pytest

from fheasible.calibration.lookup_profiles import at_hand, default_lookup_profile
from fheasible.libraries.lookup_library import LookupTask
from fheasible.libraries.openfhe.lookups import BINFHE
from fheasible.libraries.tfhe_rs.library import SCHEME, TFHE_RS
from fheasible.store.store import Store

PUBLISHED = {"1_CARRY_1": 11.1e-3, "2_CARRY_2": 15.6e-3, "3_CARRY_3": 126e-3, "4_CARRY_4": 1.58}
"""Seconds of a key switch with a bootstrap on an AMD EPYC 9R14, from TFHE-rs's documentation
(cpu-pbs-benchmark-tuniform-2m128.svg)."""


def seconds(bits: str) -> float:
    found = default_lookup_profile("tfhe_rs")
    assert found is not None
    p = TFHE_RS.named_set(f"MESSAGE_{bits}_KS_PBS_TUNIFORM_2M128").parameters
    return found.seconds(LookupTask.LOOKUP, TFHE_RS.work(LookupTask.LOOKUP, SCHEME, p))


@pytest.mark.parametrize("bits", PUBLISHED)
def test_published_times_differ_by_one_constant(bits: str) -> None:
    constant = geometric_mean(PUBLISHED[each] / seconds(each) for each in PUBLISHED)
    assert abs(seconds(bits) * constant / PUBLISHED[bits] - 1) < 0.15


@pytest.mark.parametrize("name", ["tfhe_rs", "binfhe"])
def test_a_shipped_profile_says_so_and_has_a_wide_band(tmp_path: object, name: str) -> None:
    with Store.open(f"{tmp_path}/store.sqlite") as store:
        found = at_hand(store, [name])[name]
    assert found.origin
    assert found.error_band >= 0.5


def test_binfhe_takes_what_whole_programs_took_that_its_calibration_has_not_seen() -> None:
    """CPU seconds of evaluation on the machine of the profile: 1,017 look-ups of examples/12_maximum.py."""
    found = default_lookup_profile("binfhe")
    assert found is not None
    p = BINFHE.named_set("STD128Q_4/GINX").parameters
    assert ("ginx", p) not in BINFHE.samples()
    each = found.seconds(LookupTask.LOOKUP, BINFHE.work(LookupTask.LOOKUP, "ginx", p))
    assert 1017 * each == pytest.approx(111, rel=0.1)
