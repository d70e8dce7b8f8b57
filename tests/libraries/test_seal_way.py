"""What SEAL's own way counts, against the calls of the wheel's functions and against counts by hand.

`seal_counts.json`: calls per action of `ntt_negacyclic_harvey_lazy`, `inverse_ntt_negacyclic_harvey_lazy`,
`dyadic_product_coeffmod`, `multiply_poly_scalar_coeffmod`, `modulo_poly_coeffs`, `dot_product_mod`,
`apply_galois(_ntt)` and `sample_poly_*` on one limb, in seal-python 4.4.0 under callgrind: five primes of 50
and 40 bits and one special prime, n = 1024, our worker's backend. Transforms modulo t are named apart.
"""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.parameters import Parameters, parameters_for, request_for
from fheasible.libraries.seal import rules as seal
from fheasible.libraries.seal.case import base_limbs
from fheasible.libraries.seal.operations import perform, variant
from fheasible.rings.rns.kernels import KERNELS
from schemes.rns import bounds
from schemes.rns.actions import ACTIONS
from schemes.rns.toy import LIMBS, toy

COUNTED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "seal_counts.json").read_text())
SCHEMES = ("ckks", "bgv", "bfv")
ONES = ("add", "sub", "neg", "mul", "square", "relinearize", "add_plain", "mul_plain", "add_scalar")
EVERYWHERE = (*ONES, "mul_scalar", "rotate", "encrypt", "decrypt", "keygen")
every_scheme = pytest.mark.parametrize("scheme", SCHEMES)


def layout(scheme: str, limbs: int = 5) -> Parameters:
    """Only the numbers of limbs matter."""
    own = {} if scheme == "ckks" else {"plain_modulus": 2}
    return parameters_for("seal", scheme, ring_dimension=0, q=(1,) * limbs, p=(1,), **own)


def counts(scheme: str, action: str, limbs: int = 5, below: int = 0, dropped: int = 0) -> Counter[str]:
    """Of an action at `below` levels under the top of so many limbs."""
    polys = 3 if action in ("mul", "square") else 2
    return perform(layout(scheme, limbs), action, limbs - 1 - below - dropped, polys, dropped)


def named(row: dict[str, Any]) -> str:
    return f"{row['scheme']} {row['action']} {row['level']} {row['polys']} {row['dropped']}"


@pytest.mark.parametrize("row", COUNTED, ids=named)
def test_it_calls_each_kernel_as_often_as_the_wheel_does(row: dict[str, Any]) -> None:
    made = perform(layout(row["scheme"]), row["action"], row["level"], row["polys"], row["dropped"])
    assert {kernel: made[kernel] for kernel in row["counts"]} == row["counts"]


@every_scheme
@pytest.mark.parametrize("k", [1, 2, 7, 20])
def test_switching_keys_takes_a_transform_for_every_pair_of_limbs(scheme: str, k: int) -> None:
    """(k + 1)(k + 2): in CKKS and BGV k + k² + 2 + 2k, in BFV k(k + 1) + 2(k + 1) (switch_key_inplace)."""
    for action in ("relinearize", "rotate"):
        made = counts(scheme, action, k)
        assert made["forward"] + made["inverse"] == (k + 1) * (k + 2)
        assert made["lazy_products"] == 2 * k * (k + 1)
        assert made["reductions"] == 2 * (k + 1)


@pytest.mark.parametrize("k", [1, 5, 9])
def test_divisions_reduce_few_of_their_sums(k: int) -> None:
    """CKKS and BFV: half the special prime 1, and the result k, for each of two parts; half a prime for each
    part rescaled. BGV: an opposite modulo t, and 3k, of which rescaling has 2(k - 1)."""
    assert counts("ckks", "relinearize", k)["additions"] == 2 * (1 + k)
    assert counts("bfv", "rotate", k)["additions"] == 2 * (1 + k)
    assert counts("bgv", "relinearize", k)["additions"] == 2 * (1 + 3 * k)
    if k > 1:
        assert counts("ckks", "rescale", k)["additions"] == 2
        assert counts("bgv", "rescale", k)["additions"] == 2 * (1 + 2 * (k - 1))
    assert perform(layout("ckks", 12), "encrypt", k - 1, 2)["additions"] == 2 * (k + 1) + 2 + k


@pytest.mark.parametrize("k", [1, 3, 8])
def test_a_key_switch_reads_only_its_level_s_part_of_the_key(k: int) -> None:
    made = perform(layout("ckks", 12), "relinearize", k - 1, 2)
    assert made["operand_limbs"] == 3 * k + 2 * k * (k + 1)


@pytest.mark.parametrize("k", [1, 4, 9])
def test_a_product_of_bfv_is_that_of_behz(k: int) -> None:
    """By hand, b = |B_sk| = k + 1: four inputs q -> B_sk and m~; three outputs q -> B_sk -> q and m_sk."""
    made, b = counts("bfv", "mul", k), k + 1
    assert (made["forward"], made["inverse"]) == (4 * (k + b), 3 * (k + b))
    assert (made["products"], made["copies"]) == (4 * (k + b), 8 * k)
    if k > 1:
        assert made["conversion_products"] == 4 * k * (b + 1) + 3 * (k * b + k * k + k)
        assert made["reductions"] == 4 * (b + 1) + 3 * (b + k + 1)


def test_a_product_of_bfv_multiplies_by_these_constants() -> None:
    """For k = 5, b = 6, |B| = 5. Input: m~ and both cofactor inverses 3k, r 1, Q and 1/m~ 2b. Output:
    t k + b, cofactors k, 1/Q b, cofactors twice 2|B|, 1/B 1, B k."""
    by_input, by_output = 15 + 1 + 12, 11 + 5 + 6 + 10 + 1 + 5
    assert counts("bfv", "mul")["constant_products"] == 4 * by_input + 3 * by_output
    assert counts("bfv", "square")["constant_products"] == 2 * by_input + 3 * by_output


def test_the_auxiliary_base_grows_where_the_plain_modulus_is_large() -> None:
    """32 + bits of t + 60 k >= 61 k + 61 (RNSTool::initialize)."""
    bits = (60,) * 3
    p = seal.parameters(
        request_for("bfv", 1, security=None, ring_dimension=8192, prime_bits=bits, plain_modulus=65537)
    )
    assert base_limbs(p, 3) == 3
    assert base_limbs(replace(p, plain_modulus=(1 << 31) - 1), 3) == 3
    assert base_limbs(replace(p, plain_modulus=(1 << 32) - 1), 3) == 4
    wider = perform(replace(p, plain_modulus=(1 << 32) - 1), "mul", 0, 3)
    assert wider["forward"] == perform(p, "mul", 0, 3)["forward"] + 4


def test_a_fresh_ciphertext_of_ckks_costs_what_its_own_level_does() -> None:
    """u and two errors over k + 1 limbs, 2k back after the division, k of the plaintext."""
    for k in (1, 3, 6):
        made = perform(layout("ckks", 8), "encrypt", k - 1, 2)
        assert (made["forward"], made["inverse"]) == (3 * (k + 1) + 2 * k + k, 2)


def test_a_fresh_ciphertext_of_bgv_is_made_at_the_top_and_switched() -> None:
    top, lower = (perform(layout("bgv", 5), "encrypt", level, 2) for level in (4, 3))
    switched = counts("bgv", "drop", dropped=1)
    for kernel in ("forward", "inverse", "constant_products", "word_reductions", "copies"):
        assert lower[kernel] == top[kernel] + switched[kernel]


def test_dropping_limbs_copies_in_ckks_and_divides_in_bgv() -> None:
    """Two limbs of five: 2·5 copied, then there and back 2·4 and 2·3."""
    made = counts("ckks", "drop", dropped=2)
    assert made["copies"] == 10 + 2 * (8 + 6)
    assert sum(made[kernel] for kernel in ("forward", "inverse", "additions")) == 0
    assert counts("bgv", "drop", dropped=2)["forward"] == 2 * (4 + 3)


def test_a_constant_is_free_of_transforms_in_ckks_and_not_in_bgv() -> None:
    assert counts("ckks", "mul_scalar")["forward"] == 0
    assert counts("bgv", "mul_scalar")["forward"] == 5
    assert counts("bfv", "mul_scalar")["forward"] == counts("bfv", "add_scalar")["additions"] == 0


def test_a_product_writes_the_operand_twice_and_zeros_before() -> None:
    """Of two parts: zeros and a copy 4k, an array for three 2k and k zeros, the three results 3k."""
    made = counts("ckks", "mul")
    assert (made["copies"], made["writes"], made["reads"]) == (20, 50, 40)
    assert made["peak_limbs"] == 25


def test_key_switching_holds_one_digit_at_a_time() -> None:
    """Copy 3k, c_2 k, sums 2(k + 1), accumulators 4, a digit 1."""
    assert counts("ckks", "relinearize")["peak_limbs"] == 15 + 5 + 12 + 4 + 1


@pytest.mark.parametrize(("scheme", "action"), [("bfv", "rescale"), ("bfv", "drop"), ("ckks", "swap_rows")])
def test_it_refuses_what_seal_has_not(scheme: str, action: str) -> None:
    with pytest.raises(UnsupportedOperation, match=action):
        perform(layout(scheme), action, 2, 2)
    with pytest.raises(UnsupportedOperation, match="eval_sum"):
        perform(layout(scheme), "eval_sum", 2, 2)


@every_scheme
@given(action=st.sampled_from(EVERYWHERE), limbs=st.integers(1, 9))
def test_more_limbs_are_more_work_and_nothing_is_negative(scheme: str, action: str, limbs: int) -> None:
    fewer, more = counts(scheme, action, limbs), counts(scheme, action, limbs + 1)
    assert set(fewer) <= {*KERNELS, "peak_limbs", "operand_limbs"}
    assert min(fewer.values()) >= 0
    assert all(more[kernel] >= count for kernel, count in fewer.items() if kernel != "word_reductions")
    assert more["peak_limbs"] > fewer["peak_limbs"] > 0


@pytest.mark.parametrize("scheme", ["ckks", "bgv"])
@given(limbs=st.integers(3, 9), polys=st.sampled_from([2, 3]))
def test_rescaling_and_dropping_grow_with_limbs_and_parts(scheme: str, limbs: int, polys: int) -> None:
    p, wider = layout(scheme, limbs), layout(scheme, limbs + 1)
    for action, dropped in (("rescale", 0), ("drop", 1)):
        fewer = perform(p, action, limbs - 1 - dropped, polys, dropped)
        more = perform(wider, action, limbs - dropped, polys, dropped)
        assert min(fewer.values()) >= 0
        assert more["writes"] > fewer["writes"]
        assert fewer["writes"] > perform(p, action, limbs - 1 - dropped, polys - 1, dropped)["writes"]


def test_a_ciphertext_of_three_parts_is_decrypted_with_one_power_more() -> None:
    for scheme in SCHEMES:
        two, three = (perform(layout(scheme), "decrypt", 4, polys) for polys in (2, 3))
        assert three["products"] == two["products"] + 5
        assert three["additions"] >= two["additions"] + 10


@every_scheme
def test_keys_are_a_row_for_each_limb(scheme: str) -> None:
    """K = 6: secret and public key, then five rows of K limbs for each of three keys."""
    made = perform(layout(scheme), "keygen", 4, 3)
    assert made["uniform_samples"] == made["allocations"] == 6 + 3 * 30
    assert made["gaussian_samples"] == 16
    assert made["peak_limbs"] == 3 * 2 * 6 * 5 + 8 * 6


@every_scheme
def test_what_its_algorithms_make_decrypts_to_the_cleartext(scheme: str) -> None:
    bench = toy(scheme, variant(layout(scheme)))
    for level in range(LIMBS) if scheme != "bfv" else (LIMBS - 1,):
        o = bench.operands(level)
        bound = bounds.slots(bench, level) if bench.is_real else 0
        for name, action in ACTIONS.items():
            if action.possible(scheme, level):
                assert bench.error(action.made(bench, o), action.expected(bench, o)) <= bound, (name, level)


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_swapping_rows_is_a_rotation(scheme: str) -> None:
    assert counts(scheme, "swap_rows") == counts(scheme, "rotate")


def test_integers_are_put_together_word_by_word_from_two_limbs_on() -> None:
    assert [counts("ckks", "decrypt", k)["reconstructions"] for k in (1, 2, 5)] == [0, 14, 50]
    assert [counts(scheme, "decrypt")["reconstructions"] for scheme in ("bgv", "bfv")] == [0, 0]
