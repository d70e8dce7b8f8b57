"""What OpenFHE's bootstrapping takes, and what it refuses; by hand, without the library."""

from dataclasses import replace
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters, UnsupportedOperation, UsageError
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.forms import parameters_form, parameters_of
from fheasible.libraries.layout import Task
from fheasible.libraries.openfhe import bootstrap, rules
from fheasible.libraries.openfhe.refresh import method
from fheasible.libraries.parameters import CkksParameters, CkksRequest
from fheasible.libraries.work import counts, layout_of
from fheasible.schemes.rns.bootstrap.factors import rotations

INSECURE_N = 1024


def asked(depth: int = 3, settings: dict[str, Any] | None = None, **own: Any) -> CkksRequest:
    given = {"slots": 16, "encode_levels": 2, "decode_levels": 2} | own
    return CkksRequest(
        "ckks",
        depth,
        None,
        ring_dimension=INSECURE_N,
        bootstrap=BootstrapRequest(**given),
        **(settings or {}),
    )


def made(request: CkksRequest) -> CkksParameters:
    p = rules.parameters(request)
    assert p.scheme == "ckks"
    return p


@given(slots=st.integers(0, 15).map(lambda k: 1 << k), levels=st.integers(1, 15))
def test_a_transform_in_so_many_factors_has_every_stage_once(slots: int, levels: int) -> None:
    stages = bootstrap.stages(slots)
    if levels > stages:
        return
    factors = bootstrap.factors(slots, levels)
    assert (sum(factors), len(factors)) == (stages, levels)
    assert len({*factors[:-1]}) <= 1
    assert min(factors) > 0


@given(
    log_n=st.integers(6, 16),
    log_slots=st.integers(0, 15),
    encode=st.integers(1, 6),
    decode=st.integers(1, 6),
)
def test_a_bootstrap_has_the_rotations_of_its_trace_and_of_each_factor(
    log_n: int, log_slots: int, encode: int, decode: int
) -> None:
    """The trace makes the sum over all copies; a factor's steps span its own stages."""
    n, slots = 1 << log_n, 1 << min(log_slots, log_n - 1)
    most = bootstrap.stages(slots)
    p = made(
        replace(
            asked(
                slots=slots,
                encode_levels=min(encode, most),
                decode_levels=min(decode, most),
                message_bits=10,
            ),
            ring_dimension=n,
        )
    )
    assert p.bootstrap is not None
    steps = rotations(p.bootstrap.procedure, n, method(p.bootstrap.procedure))
    assert all(0 < step < n // 2 for step in steps)
    copies = n // 2 // slots
    assert copies == 1 or slots in steps
    assert copies < 4 or {2 * slots, 3 * slots} <= steps


def test_a_bootstrap_uses_up_the_levels_above_those_that_it_leaves() -> None:
    """By hand: 1 + 2 + 2 of the transforms, 7 of a series of degree 104, 6 of the doubled angles."""
    p = made(asked(3))
    assert (p.levels, p.limbs, len(p.scales), p.extended_limbs) == (3, 3 + 18 + 2, 3 + 18 + 1, 0)
    sparse = made(asked(3, {"secret": "sparse_ternary"}))
    assert sparse.limbs == 3 + 1 + 4 + 6 + 3 + 2
    twice = made(asked(3, {"secret": "sparse_ternary"}, iterations=2, iteration_bits=12))
    assert twice.limbs == sparse.limbs + 1
    assert p.bootstrap is not None
    assert p.technique == "flexibleautoext"  # whose extra limb the bootstrap leaves out
    assert (p.bootstrap.q, p.bootstrap.p, p.bootstrap.weight) == (p.q[:-1], p.p, None)


def test_an_encapsulated_secret_has_primes_of_its_own_for_raising_the_modulus() -> None:
    found = made(asked(3, {"secret": "sparse_encapsulated"})).bootstrap
    assert found is not None
    assert (found.weight, found.procedure.ephemeral) == (192, 32)
    assert [prime.bit_length() for prime in found.ephemeral_p] == [33, 33]
    assert prod((found.q[0], *found.ephemeral_p)).bit_length() == 126
    assert not {*found.ephemeral_p} & {*found.q, *found.p}


def test_parameters_that_are_bootstrapped_survive_their_form() -> None:
    p = made(asked(3, {"secret": "sparse_encapsulated"}))
    assert parameters_of(parameters_form(p)) == p


@pytest.mark.parametrize(
    ("depth", "settings", "own", "reason", "remedy"),
    [
        (3, {"secret": "gaussian"}, {}, "no modular reduction for a gaussian secret", "--secret"),
        (3, {"key_switching": "bv"}, {}, "hybrid key switching alone", "--key-switching hybrid"),
        (0, {}, {}, "at least 1 level", "depth of 1"),
        (3, {}, {"slots": 12}, "12 slots cannot be bootstrapped", "power of two"),
        (3, {}, {"slots": 1024}, "1024 slots exceed the 512 slots", "fewer slots"),
        (3, {}, {"encode_levels": 5}, "encode_levels 5 is outside 1 to 4", "choose encode_levels"),
        (3, {}, {"decode_levels": 0}, "decode_levels 0 is outside 1 to 4", "choose decode_levels"),
        (3, {}, {"iterations": 3}, "3 iterations are outside 1 to 2", "once or twice"),
        (3, {}, {"iterations": 2}, "1 to 30 iteration_bits, and has 0", "precision in bits"),
        (
            3, {"scale_bits": 45}, {"message_bits": 9},
            "correction factor of 9 bits is outside 15", "message_bits 15",
        ),
    ],
)  # fmt: skip
def test_what_openfhe_cannot_bootstrap_is_refused_with_a_remedy(
    depth: int, settings: dict[str, Any], own: dict[str, Any], reason: str, remedy: str
) -> None:
    with pytest.raises(InfeasibleParameters) as refused:
        rules.parameters(asked(depth, settings, **own))
    assert reason in refused.value.message
    assert remedy in str(refused.value.remedy)


def test_what_another_librarys_bootstrapping_takes_is_refused() -> None:
    with pytest.raises(UsageError, match="no ephemeral"):
        rules.parameters(asked(ephemeral=32))


def test_an_encapsulated_secret_without_a_bootstrap_is_refused() -> None:
    bare = replace(asked(3, {"secret": "sparse_encapsulated"}), bootstrap=None)
    with pytest.raises(InfeasibleParameters, match="no bootstrap is asked for"):
        rules.parameters(bare)


def test_a_request_without_a_bootstrap_tells_the_worker_nothing_of_one() -> None:
    bare = replace(asked(3), bootstrap=None)
    assert "bootstrap" not in rules.worker_parameters(bare)
    assert rules.worker_parameters(bare)["depth"] == 3
    assert rules.worker_parameters(asked(3))["depth"] == 3 + 18


def test_a_bootstrap_is_counted_with_its_own_chain_technique_and_memory() -> None:
    """Larger transforms take more; a set without a bootstrap has no counts of one."""
    task = Task("bootstrap", 2)
    few, full = (made(asked(2, slots=slots)) for slots in (16, 512))
    assert 0 < counts(layout_of(few), task)["forward"] < counts(layout_of(full), task)["forward"]
    found = [
        counts(layout_of(made(asked(2, {"technique": technique}))), task)["forward"]
        for technique in ("fixedmanual", "flexibleauto", "flexibleautoext")
    ]
    assert found[1] == found[2] != found[0]  # the extra limb is no limb of the bootstrap's
    with pytest.raises(UnsupportedOperation):
        counts(layout_of(rules.parameters(replace(asked(2), bootstrap=None))), task)
