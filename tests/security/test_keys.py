"""Sets with several secrets: the weakest one decides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.security.keys import EPHEMERAL, KeyColumns, KeyUse, allows, judge_keys, least_bits
from fheasible.security.lookup import RINGS, security_bits
from fheasible.security.verdict import verdict

N = 1 << 16


def of_lattigo(log_qp: float = 1546, weight: int = 192, ephemeral_log_q: float = 121) -> list[KeyUse]:
    """The secrets of `N16QP1546H192H32` [Lattigo]: q0 has 60 bits and the first special prime 61."""
    return [
        KeyUse(N, log_qp, f"sparse:{weight}"),
        KeyUse(N, ephemeral_log_q, "sparse:32", EPHEMERAL),
    ]


def test_lattigo_s_default_set_has_its_128_bits_and_its_main_secret_decides() -> None:
    found = judge_keys(of_lattigo())
    assert found.binding.role == "main"
    assert found.bits == verdict("rlwe", N, 1546, "sparse:192").bits
    assert found.reaches(128)
    assert not found.reaches(192)
    assert str(found) == (
        "the main secret (sparse:192, n = 2^16, log2 q = 1546) decides: 133 bits; "
        "the ephemeral secret (sparse:32, n = 2^16, log2 q = 121) has 163 bits"
    )


def test_an_ephemeral_secret_under_a_large_modulus_decides() -> None:
    found = judge_keys(of_lattigo(log_qp=900, ephemeral_log_q=600))
    assert found.binding.role == EPHEMERAL
    assert found.bits is not None
    assert found.bits < 128
    assert not found.reaches(128)
    assert any(warning.startswith("the ephemeral secret") for warning in found.warnings)


def test_without_its_ephemeral_secret_a_set_is_not_less_secure() -> None:
    with_it, without = judge_keys(of_lattigo()), judge_keys(of_lattigo()[:1])
    assert without.bits is not None
    assert with_it.bits is not None
    assert without.bits >= with_it.bits


def test_a_secret_that_nobody_estimates_decides() -> None:
    found = judge_keys([*of_lattigo(), KeyUse(N, 100, "unheard-of", "third")])
    assert found.binding.role == "third"
    assert found.bits is None
    assert not found.reaches(1)
    assert "no estimate" in str(found)


uses = st.builds(
    KeyUse,
    st.sampled_from(RINGS),
    st.floats(20, 3000),
    st.sampled_from(["ternary", "gaussian", "sparse:32", "sparse:192", "sparse:100"]),
)


@given(st.lists(uses, min_size=1, max_size=3))
def test_a_set_is_as_secure_as_its_weakest_secret(given: list[KeyUse]) -> None:
    found = judge_keys(given)
    each = [judge_keys([use]) for use in given]
    assert found.bits == min(one.bits for one in each if one.bits is not None)
    assert found.reaches(128) == all(one.reaches(128) for one in each)
    assert found.binding in given


@given(st.lists(uses, min_size=1, max_size=3), st.sampled_from([128, 192]))
def test_what_a_set_is_allowed_is_what_its_verdict_reaches(given: list[KeyUse], level: int) -> None:
    """But within a step of the search for limits, and where a table's rounding lies between."""
    if allows(given, level):
        assert judge_keys(given).reaches(level)


def test_many_sets_are_judged_at_once_and_alike() -> None:
    log_qp = np.array([800.0, 1200.0, 1546.0, 1800.0])
    ephemeral = np.array([60.0, 121.0, 400.0, 600.0])
    bits, which = least_bits([KeyColumns(N, log_qp, "sparse:192"), KeyColumns(N, ephemeral, "sparse:32")])
    for i in range(len(log_qp)):
        alone = judge_keys(of_lattigo(log_qp[i], 192, ephemeral[i]))
        assert bits[i] == alone.bits
        assert which[i] == alone.weakest
    assert bits[0] == security_bits(N, 60.0, "sparse:32")


def test_what_cannot_be_judged_is_refused() -> None:
    with pytest.raises(UsageError):
        judge_keys([])
    with pytest.raises(InfeasibleParameters, match="weight 192"):
        judge_keys([KeyUse(128, 20, "sparse:192")])
