"""Lattigo's own way, against counts made by hand from its source, or measured in it.

Notation: l limbs at the level, L of the chain, K special, M of QMul, b = ceil(l/K) digits.
"""

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.lattigo.buffers import memory
from fheasible.libraries.lattigo.case import LattigoCase, product_limbs
from fheasible.libraries.lattigo.moduli import gen_moduli
from fheasible.libraries.lattigo.operations import perform, variant
from fheasible.libraries.parameters import IntegerParameters, Parameters, parameters_for
from schemes.rns import bounds
from schemes.rns.actions import ACTIONS
from schemes.rns.toy import LIMBS, toy

INSECURE_N = 1024
SCHEMES = ("ckks", "bgv", "bfv")
shapes = st.tuples(st.integers(1, 30), st.integers(2, 12), st.data())


def shape(scheme: str, limbs: int, special: int, bits: int = 40) -> Parameters:
    """Of so many limbs, none of which is a prime."""
    own = {} if scheme == "ckks" else {"plain_modulus": 65537}
    return parameters_for("lattigo", scheme, INSECURE_N, (1 << bits,) * limbs, (1 << bits,) * special, **own)


def counted(
    p: Parameters, action: str, limbs: int | None = None, polys: int = 2, **more: int
) -> Counter[str]:
    return perform(p, action, (limbs or p.limbs) - 1, polys, **more)


# -- key switching: gadgetProductMultiplePLazy and gadgetProductSinglePAndBitDecompLazy


@given(shapes)
def test_key_switching_transforms_all_limbs_for_each_digit_and_twice_more(
    drawn: tuple[int, int, Any],
) -> None:
    L, K, data = drawn
    l = data.draw(st.integers(1, L))
    b = -(-l // K)
    for action in ("relinearize", "rotate"):
        found = counted(shape("ckks", L, K), action, l)
        assert found["inverse"] == l + 2 * K
        assert found["forward"] == (b - 1) * l + b * K + 2 * l
        assert found["inverse"] + found["forward"] == (b + 2) * (l + K)


@given(shapes)
def test_key_switching_converts_every_digit_to_all_other_limbs(drawn: tuple[int, int, Any]) -> None:
    L, K, data = drawn
    l = data.draw(st.integers(1, L))
    digits = [min(K, l - first) for first in range(0, l, K)]
    found = counted(shape("bgv", L, K), "relinearize", l)
    assert found["conversion_products"] == sum(a * (l - a + K) for a in digits if a > 1) + 2 * K * l
    assert found["word_reductions"] == sum(l - 1 + K for a in digits if a == 1)
    assert found["lazy_products"] == 2 * len(digits) * (l + K)
    assert found["copies"] == l
    assert found["operand_limbs"] == 2 * len(digits) * (l + K) + 3 * l


def test_a_rotation_permutes_both_parts_and_adds_one() -> None:
    """Automorphism, beside the key switching that a relinearisation shares; that adds to two parts."""
    p, l = shape("ckks", 9, 3), 6
    rotation, relinearization = counted(p, "rotate", l), counted(p, "relinearize", l)
    assert (rotation["permutations"], relinearization["permutations"]) == (2 * l, 0)
    assert relinearization["additions"] - rotation["additions"] == l
    assert counted(shape("bgv", 9, 3), "swap_rows", l)["forward"] == rotation["forward"]


@given(st.integers(1, 30))
def test_one_special_prime_transforms_the_digits_own_limbs_too(l: int) -> None:
    found = counted(shape("ckks", l, 1), "relinearize")
    assert found["forward"] == l * (l + 1) + 2 * l
    assert found["inverse"] == l + 2
    assert found["word_reductions"] == l * (l + 1)
    assert found["copies"] == 0


@given(shapes)
def test_rotations_that_share_digits_make_them_once(drawn: tuple[int, int, Any]) -> None:
    """DecomposeNTT, then AutomorphismHoisted, whose transforms are those of the division by P [HS18]."""
    L, K, data = drawn
    l = data.draw(st.integers(1, L))
    b = -(-l // K)
    p = shape("ckks", L, K)
    rotate, first, found = (counted(p, a, l) for a in ("rotate", "rotate_hoist", "rotate_hoisted"))
    assert first["inverse"] + first["forward"] == (b + 2) * (l + K)  # also with one special prime
    assert (found["inverse"], found["forward"]) == (2 * K, 2 * l)
    assert (first["copies"], found["copies"]) == (l, 0)  # a digit's own limbs
    for kernel in ("lazy_products", "permutations", "additions", "reductions"):
        assert found[kernel] <= first[kernel]
    assert found["lazy_products"] == first["lazy_products"] == rotate["lazy_products"] == 2 * b * (l + K)
    assert first["allocations"] - found["allocations"] == b * (l + K)
    assert rotate["allocations"] == found["allocations"] == 2 * l


@given(st.integers(2, 30))
def test_one_special_prime_takes_the_digits_own_limbs_from_where_they_are(l: int) -> None:
    """The rotation that stands alone transforms them again, see above."""
    p = shape("bgv", l, 1)
    assert counted(p, "rotate")["forward"] - counted(p, "rotate_hoist")["forward"] == l
    assert counted(p, "rotate")["word_reductions"] == counted(p, "rotate_hoist")["word_reductions"]


def test_without_special_primes_no_digits_are_shared() -> None:
    p = shape("ckks", 7, 0)
    for action in ("rotate_hoist", "rotate_hoisted"):
        assert counted(p, action) == counted(p, "rotate")


def test_without_special_primes_nothing_is_divided() -> None:
    found = counted(shape("ckks", 7, 0), "relinearize")
    assert (found["forward"], found["inverse"], found["conversion_products"]) == (49, 7, 0)
    assert found["lazy_products"] == 2 * 49


def test_sums_over_many_digits_are_reduced_before_a_word_overflows() -> None:
    """60 bits: QiOverflowMargin 16, so every 8 digits; 20 digits of one limb."""
    few, many = (counted(shape("ckks", 20, 1, bits), "relinearize")["reductions"] for bits in (40, 60))
    assert many - few == 2 * (20 + 1) * 2


# -- encryption: encryptZeroPk, with levelP = 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_encryption_adds_one_special_prime_of_however_many(scheme: str) -> None:
    alike = [counted(shape(scheme, 9, K), "encrypt") for K in (1, 2, 5)]
    assert alike[0] == alike[1] == alike[2]
    assert alike[0]["forward"] == 4 * 9 + 1
    assert alike[0]["inverse"] == 2 * 9 + 2
    assert alike[0]["products"] == 2 * (9 + 1)
    assert alike[0]["operand_limbs"] == 2 * (9 + 1)


def test_encryption_without_special_primes_stays_in_ntt_domain() -> None:
    found = counted(shape("ckks", 9, 0), "encrypt")
    assert (found["forward"], found["inverse"], found["products"]) == (4 * 9, 0, 2 * 9)


def test_the_ternary_sampler_writes_the_whole_chain_at_any_level() -> None:
    """Encoding l; ternary L + 1; two Gaussian ones l + 1 each."""
    for l in (1, 4, 9):
        found = counted(shape("ckks", 9, 3), "encrypt", l)
        assert (found["messages"], found["roundings"]) == (l, (9 + 1) + 2 * (l + 1))


# -- levels: DivRoundByLastModulusNTT


@pytest.mark.parametrize("scheme", ["ckks", "bgv"])
def test_rescaling_adds_the_last_limb_to_the_others_without_reducing_it(scheme: str) -> None:
    for l, parts in ((2, 2), (9, 2), (9, 3)):
        found = counted(shape(scheme, 9, 3), "rescale", l, parts)
        assert found["inverse"] == parts
        assert found["forward"] == found["constant_products"] == parts * (l - 1)
        assert found["word_reductions"] == found["conversion_products"] == 0
        assert found["allocations"] == parts * (l - 1)


def test_bgv_drops_levels_one_by_one() -> None:
    p = shape("bgv", 9, 3)
    rescaled = Counter[str]()
    for l in (9, 8, 7):
        rescaled.update(counted(p, "rescale", l))
    dropped = counted(p, "drop", 6, dropped=3)
    for kernel in ("forward", "inverse", "constant_products", "additions", "allocations"):
        assert dropped[kernel] == rescaled[kernel]


def test_ckks_drops_levels_by_copying_what_stays() -> None:
    found = counted(shape("ckks", 9, 3), "drop", 6, dropped=3)
    assert found["copies"] == found["allocations"] == 2 * 6
    assert found["forward"] == found["inverse"] == 0


# -- products: mulRelin, tensorStandard, tensorScaleInvariant


@pytest.mark.parametrize("scheme", ["ckks", "bgv"])
def test_a_product_takes_four_limb_products_and_a_square_three(scheme: str) -> None:
    p, l = shape(scheme, 9, 3), 5
    product, square = counted(p, "mul", l, 3), counted(p, "square", l, 3)
    assert (product["products"], product["constant_products"], product["additions"]) == (4 * l, 2 * l, l)
    assert (square["products"], square["constant_products"], square["additions"]) == (3 * l, 2 * l, l)


def test_a_product_of_bfv_is_made_in_a_second_base() -> None:
    p = shape("bfv", 10, 4, 45)
    l, M = 10, product_limbs(p)
    found = counted(p, "mul", polys=3)
    assert M == 8
    assert (found["inverse"], found["forward"]) == (7 * l + 3 * M, 3 * l + 4 * M)
    assert found["conversion_products"] == 10 * l * M
    assert found["float_corrections"] == 7 * l + 3 * M
    assert found["products"] == 4 * (l + M)
    assert found["constant_products"] == 4 * l + 3 * (l + M) + 3 * M + 3 * l + 2 * (l + M)


def test_a_square_of_bfv_raises_one_operand() -> None:
    p = shape("bfv", 10, 4, 45)
    l, M = 10, product_limbs(p)
    found = counted(p, "square", polys=3)
    assert (found["inverse"], found["forward"]) == (5 * l + 3 * M, 3 * l + 2 * M)
    assert found["conversion_products"] == 8 * l * M
    assert found["products"] == 3 * (l + M)


@pytest.mark.parametrize(
    ("bits", "limbs", "measured"), [(45, 5, 4), (45, 10, 8), (45, 20, 15), (55, 20, 19), (60, 10, 11)]
)
def test_the_second_base_has_as_many_primes_as_lattigo_gives_it(bits: int, limbs: int, measured: int) -> None:
    """RingQMul().ModuliChainLength() of these parameters."""
    q, p = gen_moduli(INSECURE_N, (bits,) * limbs, (60,))
    assert (
        product_limbs(IntegerParameters("lattigo", "bfv", INSECURE_N, q, p, plain_modulus=65537)) == measured
    )


def test_bfv_works_on_the_whole_chain_whatever_the_level() -> None:
    p = shape("bfv", 6, 2)
    for action in ("mul", "encrypt", "decrypt", "rotate", "add_plain"):
        assert perform(p, action, 0, 2) == perform(p, action, 5, 2)


# -- plain operands


@pytest.mark.parametrize("scheme", SCHEMES)
def test_only_vectors_are_encoded(scheme: str) -> None:
    p, l = shape(scheme, 6, 2), 6
    product, number = counted(p, "mul_plain"), counted(p, "mul_scalar")
    assert (product["forward"], product["products"]) == (l, 2 * l)
    assert (number["forward"], number["constant_products"]) == (0, 2 * l)
    assert counted(p, "add_plain")["forward"] == l
    assert counted(p, "add_scalar")["additions"] == l


def test_a_plain_sum_copies_the_parts_that_it_does_not_change() -> None:
    l = 6
    for parts in (2, 3):
        for scheme, by_number in (("ckks", parts), ("bgv", parts - 1)):  # CopyNew; CopyLvl of the others
            p, encoded = shape(scheme, l, 2), 0 if scheme == "ckks" else l
            assert counted(p, "add_plain", polys=parts)["copies"] == (parts - 1) * l + encoded
            assert counted(p, "add_scalar", polys=parts)["copies"] == by_number * l


# -- decryption


def test_reals_are_decoded_by_big_integers_and_integers_are_not() -> None:
    for l in (2, 8, 24):
        assert counted(shape("ckks", 24, 4), "decrypt", l)["reconstructions"] == l + 2
    assert counted(shape("ckks", 24, 4), "decrypt", 1)["reconstructions"] == 0
    for scheme in ("bgv", "bfv"):
        found = counted(shape(scheme, 8, 4), "decrypt")
        assert (found["reconstructions"], found["inverse"], found["conversion_products"]) == (0, 8, 8)


def test_each_further_part_takes_one_more_product_to_decrypt() -> None:
    for parts in (2, 3):
        assert counted(shape("ckks", 8, 2), "decrypt", polys=parts)["products"] == (parts - 1) * 8


# -- what is allocated: TotalAlloc, in limbs of 8n bytes


@pytest.mark.parametrize(
    ("limbs", "encode", "encrypt", "mul", "relinearize"),
    [
        (1, 1.02, 2.18, 3.03, 2.04),
        (2, 2.02, 4.18, 6.03, 4.05),
        (4, 12.02, 8.19, 12.03, 8.15),
        (8, 32.02, 16.23, 24.04, 16.31),
        (16, 64.02, 32.29, 48.06, 32.65),
    ],
)
def test_allocations_are_those_measured(
    limbs: int, encode: float, encrypt: float, mul: float, relinearize: float
) -> None:
    """With n = 4096; a fraction of a limb is lists of moduli and random bytes."""
    p = shape("ckks", limbs, 2)
    assert counted(p, "encrypt")["allocations"] == pytest.approx(encode + encrypt, abs=0.5)
    assert counted(p, "mul_plain")["allocations"] == pytest.approx(encode + 2 * limbs, abs=0.5)
    assert counted(p, "mul", polys=3)["allocations"] == pytest.approx(mul, abs=0.5)
    assert counted(p, "relinearize")["allocations"] == pytest.approx(relinearize, abs=0.7)


@pytest.mark.parametrize(
    ("limbs", "special", "rotate", "first", "found"),
    [
        (1, 1, 2.05, 4.05, 2.04),
        (4, 2, 8.15, 20.16, 8.08),
        (8, 3, 16.32, 49.35, 16.13),
        (16, 5, 32.60, 116.66, 32.23),
        (9, 1, 18.16, 108.24, 18.09),
    ],
)
def test_digits_are_allocated_once_for_all_rotations_that_share_them(
    limbs: int, special: int, rotate: float, first: float, found: float
) -> None:
    """Of our worker, with n = 4096; a fraction of a limb is lists of polynomials."""
    measured = {"rotate": rotate, "rotate_hoist": first, "rotate_hoisted": found}
    for action, allocated in measured.items():
        counted_limbs = counted(shape("ckks", limbs, special), action)["allocations"]
        assert counted_limbs == pytest.approx(allocated, abs=0.9)


def test_garbage_of_encoding_grows_with_the_chain_and_not_the_level() -> None:
    """A chain of 8 and 16 limbs, at level 0: 25.02 and 49.01 limbs."""
    for chain, measured in ((4, 9.02), (8, 25.02), (16, 49.01)):
        found = counted(shape("ckks", chain, 2), "mul_plain", 1)["allocations"]
        assert found - 2 == pytest.approx(measured, abs=0.1)


@pytest.mark.parametrize(
    ("limbs", "low", "high"),
    [(2, 25.0, 32.1), (4, 37.0, 46.1), (8, 63.0, 73.3), (16, 113.0, 128.3), (20, 141.1, 156.4)],
)
def test_garbage_of_decoding_lies_between_what_was_measured(limbs: int, low: float, high: float) -> None:
    """TotalAlloc of a decryption, without plaintext and values, with primes of 22 to 60 bits and n = 8192."""
    found = counted(shape("ckks", limbs, 2), "decrypt")["allocations"]
    assert low < found - limbs - 1 < high


# -- which kept buffers are written: those that are no longer zero in a fresh evaluator, encoder and encryptor

SIX_BASES = 6 * 5 + 5  # buffQMul without two, and the extender's, over QMul, and over Q


@pytest.mark.parametrize(
    ("scheme", "special", "action", "written"),
    [
        ("ckks", 2, "encrypt", 15),
        ("ckks", 0, "encrypt", 6),
        ("bgv", 2, "encrypt", 15),
        ("bfv", 0, "encrypt", 6),
        ("ckks", 2, "add", 0),
        ("ckks", 2, "mul", 10),
        ("bgv", 2, "square", 10),
        ("bfv", 2, "mul", 10 + SIX_BASES + 2 * 5),
        ("bfv", 2, "square", 10 + SIX_BASES),
        ("ckks", 2, "relinearize", 33),
        ("ckks", 1, "relinearize", 30),
        ("ckks", 0, "rotate", 21),
        ("bgv", 2, "rotate", 33),
        ("ckks", 2, "rotate_hoist", 26),
        ("ckks", 1, "rotate_hoist", 23),
        ("ckks", 2, "rotate_hoisted", 21),
        ("ckks", 2, "add_plain", 1),
        ("bfv", 2, "mul_plain", 6),
        ("ckks", 2, "mul_scalar", 0),
        ("ckks", 2, "rescale", 5),
        ("bgv", 2, "rescale", 5),
        ("ckks", 2, "decrypt", 6),
        ("bgv", 2, "decrypt", 6),
    ],
)
def test_as_many_limbs_of_kept_buffers_are_written_as_were_seen(
    scheme: str, special: int, action: str, written: int
) -> None:
    """Over five limbs of 50 bits; QMul has five as well."""
    polys = 3 if action in ("mul", "square") else 2
    found = memory(action, LattigoCase(scheme, 5, polys, 0, 5, special, 5)).written
    assert sum(found.values()) == written


def test_below_the_top_an_encryption_writes_the_whole_mask() -> None:
    below = memory("encrypt", LattigoCase("ckks", 3, 2, 0, 5, 2, 0)).written
    assert sum(below.values()) == 13


def test_a_drop_of_bgv_writes_what_a_rescaling_does_and_one_of_ckks_nothing() -> None:
    for dropped in (1, 2):
        drops = [LattigoCase(scheme, 5 - dropped, 2, dropped, 5, 2, 0) for scheme in ("bgv", "ckks")]
        assert [sum(memory("drop", c).written.values()) for c in drops] == [5, 0]


# -- keys


def test_each_row_of_a_key_is_drawn_over_the_whole_modulus() -> None:
    L, K, keys = 10, 4, 3
    rows = 1 + keys * 3  # the public key's, and ceil(L/K) of each switching key
    found = counted(shape("ckks", L, K), "keygen", polys=keys)
    assert found["uniform_samples"] == rows * (L + K)
    assert found["gaussian_samples"] == rows
    assert found["forward"] == (rows + 1) * (L + K)
    assert found["allocations"] == 6 * L + 5 * K + 3 * (L + K) + keys * (2 * 3 * (L + K) + 1)


# -- altogether


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("special", [0, 1, 3])
def test_more_limbs_are_more_work(scheme: str, special: int) -> None:
    for action in (
        "encrypt",
        "add",
        "mul",
        "square",
        "relinearize",
        "rotate",
        "mul_plain",
        "decrypt",
        "keygen",
    ):
        found = [counted(shape(scheme, limbs, special), action) for limbs in range(2, 13)]
        for fewer, more in pairwise(found):
            for kernel in ("forward", "inverse", "products", "lazy_products", "operand_limbs", "peak_limbs"):
                assert fewer[kernel] <= more[kernel], (action, kernel)


def test_no_kernel_is_counted_below_zero() -> None:
    for scheme in SCHEMES:
        for special in (0, 1, 2):
            for action in ("encrypt", "relinearize", "decrypt", "add_plain", "keygen"):
                for limbs in (2, 3, 7):
                    found = counted(shape(scheme, limbs, special), action)
                    assert min(found.values()) >= 0, (scheme, special, action)
                    assert {"operand_limbs", "peak_limbs"} <= found.keys()


@pytest.mark.parametrize(
    ("scheme", "action"), [("bfv", "rescale"), ("ckks", "swap_rows"), ("ckks", "eval_sum")]
)
def test_what_lattigo_has_not_is_refused(scheme: str, action: str) -> None:
    with pytest.raises(UnsupportedOperation, match=action):
        counted(shape(scheme, 4, 2), action)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("special", [1, 2])
def test_its_variant_decrypts_to_the_cleartext(scheme: str, special: int) -> None:
    bench = toy(scheme, variant(shape(scheme, LIMBS, special)))
    s, keys, a, b, v = bench.scheme, bench.keys, bench.values(1), bench.values(2), bench.values(3)
    x, y = s.encrypt(keys, a), s.encrypt(keys, b)
    for name, action in ACTIONS.items():
        if scheme != action.not_in:
            plain = (0.734375 if bench.is_real else -31) if action.scalar else v
            error = bench.error(action.run(s, keys, x, y, plain), action.clear(bench, a, b, plain))
            assert error <= (bounds.slots(bench, LIMBS - 1) if bench.is_real else 0), name
