"""What each library writes, byte by byte: files of the live libraries, and headers counted by hand."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.libraries.lattigo import sizes as lattigo_sizes
from fheasible.libraries.openfhe import sizes as openfhe_sizes
from fheasible.libraries.openfhe.rules import parameters as openfhe_parameters
from fheasible.libraries.parameters import CkksParameters, Parameters, parameters_for, request_for
from fheasible.libraries.seal import sizes as seal_sizes

FORMATS = {"openfhe": openfhe_sizes, "seal": seal_sizes, "lattigo": lattigo_sizes}
LIVE = Path(__file__).with_name("live_seal_seeds.py")
LIVE_PYTHON = Path(__file__).parents[2] / "workers" / "seal" / ".venv" / "bin" / "python"
PRIME = (1 << 50) - 27  # of 50 bits, as any would do


def ask_seal(questions: list[dict[str, Any]]) -> list[Any]:
    if not LIVE_PYTHON.exists():
        pytest.skip("SEAL is not installed")
    asked = json.dumps(questions)
    done = subprocess.run(
        [LIVE_PYTHON, LIVE], input=asked, capture_output=True, text=True, timeout=120, check=True
    )
    answers: list[Any] = json.loads(done.stdout)
    return answers


def made(
    library: str, n: int, limbs: int, special: int, digits: int, key_switching: str = "hybrid",
    scheme: str = "bfv",
) -> Parameters:  # fmt: skip
    own = {} if scheme == "ckks" else {"plain_modulus": 65537}
    return parameters_for(
        library, scheme, n, (PRIME,) * limbs, (PRIME,) * special, digits, key_switching=key_switching, **own
    )


def test_files_that_openfhe_wrote_of_an_insecure_ring_of_16() -> None:
    """`SerializeToFile` and the key tables of the wheel 1.6.1, CKKS of depth 2, two rotations."""
    request = request_for(
        "ckks", 2, None, scale_bits=40, first_bits=50, technique="fixedmanual", ring_dimension=16
    )
    p = openfhe_parameters(request)
    assert (p.limbs, len(p.p), p.digits) == (3, 2, 2)
    assert [openfhe_sizes.ciphertext(p, limbs) for limbs in (3, 2, 1)] == [1759, 1677, 1323]
    assert (openfhe_sizes.public_key(p), openfhe_sizes.secret_key(p)) == (1715, 1204)
    assert (openfhe_sizes.relinearization_key(p), openfhe_sizes.rotation_keys(p, 2)) == (4491, 7875)


def test_bv_keys_of_openfhe_have_a_digit_for_each_limb_and_no_second_ring() -> None:
    hybrid, bv = made("openfhe", 16, 3, 2, 1), made("openfhe", 16, 3, 0, 3, "bv")
    one_digit = 2 * (20 + 3 * (33 + 128))  # its two polynomials: 20 bytes each, 33 and the residues each limb
    assert openfhe_sizes.relinearization_key(replace(bv, q=bv.q[:3])) == (
        openfhe_sizes.public_key(bv) - one_digit  # the context
        + (495 - 445) + 72  # another head; the key's own context, tag and lengths
        + 3 * one_digit
    )  # fmt: skip
    ring_over_qp = 88 + 8 * 4 + 5 * 48  # 250 bits are 4 words; 5 moduli
    pair_over_qp = 2 * (20 + 5 * (33 + 128))
    assert openfhe_sizes.relinearization_key(hybrid) == (
        openfhe_sizes.public_key(hybrid) - one_digit + (495 - 445) + 72 + ring_over_qp + pair_over_qp
    )  # fmt: skip


@pytest.mark.parametrize(
    ("n", "batch", "steps"),
    [
        (16, None, (1, 2, 3, 4)),
        (64, None, (1, 2, 3, 4, 8, 12, 16)),
        (256, None, (1, 2, 3, 4, 8, 12, 16, 32, 48, 64)),
        (1024, 64, (1, 2, 3, 4, 8, 12, 16, 32, 48)),
        (1024, 2, (1,)),
        (1024, 1, ()),
    ],
)
def test_the_rotations_of_openfhes_sum(n: int, batch: int | None, steps: tuple[int, ...]) -> None:
    """`GetExistingEvalAutomorphismKeyIndices` of the wheel 1.6.1."""
    p = replace(made("openfhe", n, 2, 1, 2, scheme="ckks"), request=request_for("ckks", 1, batch=batch))
    assert openfhe_sizes.sum_steps(p) == steps


def test_seals_objects_by_hand() -> None:
    p = made("seal", 8, 2, 1, 2)
    head, limb = 16, 64  # SEALHeader; 8 residues
    ciphertext = head + 32 + 1 + 5 * 8 + (head + 8)  # parms_id, domain, five numbers, an array
    assert seal_sizes.ciphertext(p, 2) == ciphertext + 4 * limb == 369
    assert seal_sizes.public_key(p) == ciphertext + 6 * limb == 497
    assert seal_sizes.secret_key(p) == head + 32 + 2 * 8 + (head + 8) + 3 * limb == 280
    assert seal_sizes.relinearization_key(p) == head + 32 + 8 + (8 + 2 * 497) == 1058
    assert seal_sizes.rotation_keys(p, 2) == head + 32 + 8 + 6 * 8 + 2 * (8 + 2 * 497) == 2108  # 6 are empty


def test_lattigos_objects_by_hand() -> None:
    p = made("lattigo", 16, 3, 2, 2)
    three, two = 8 + 3 * (8 + 128), 8 + 2 * (8 + 128)  # a list of limbs, each a list of residues
    json = 44 + (84 + 21 + 2 * 45) + 38  # of the metadata, as its own BinarySize has it
    assert lattigo_sizes.ciphertext(p, 3) == 1 + json + 8 + 2 * three
    assert lattigo_sizes.secret_key(p) == three + two
    assert lattigo_sizes.public_key(p) == 8 + 2 * (three + two)
    key = 8 + 8 + 2 * (8 + 8 + 2 * (three + two))
    assert lattigo_sizes.relinearization_key(p) == key
    assert lattigo_sizes.rotation_keys(p, 3) == 3 * (16 + key)


def test_lattigo_without_special_primes_writes_no_list_for_them() -> None:
    assert lattigo_sizes.secret_key(made("lattigo", 16, 3, 0, 3)) == 8 + 3 * (8 + 128)


def test_seals_seeds_by_hand() -> None:
    """What two polynomials take, less the second, and 16 + 1 + 64 bytes of the generator."""
    p, bgv = (made("seal", 64, 2, 1, 2, scheme=scheme) for scheme in ("ckks", "bgv"))
    limb, seed = 8 * 64, 81
    assert seal_sizes.seeded_ciphertext(p, 2) == seal_sizes.ciphertext(p, 2) - 2 * limb + seed
    assert seal_sizes.seeded_ciphertext(p, 1) == seal_sizes.ciphertext(p, 1) - limb + seed
    assert seal_sizes.seeded_ciphertext(bgv, 1) == seal_sizes.seeded_ciphertext(p, 2)
    saved = 3 * limb - seed  # of each pair over QP
    written = seal_sizes.public_key(p) + seal_sizes.relinearization_key(p) + seal_sizes.rotation_keys(p, 4)
    assert seal_sizes.seeded_keys(p, True, 4) == written - (1 + 2 + 4 * 2) * saved
    assert seal_sizes.seeded_keys(p, False, 0) == seal_sizes.public_key(p) - saved


def test_files_that_lattigo_wrote_of_compressed_keys() -> None:
    """`MarshalBinary` of 6.1.1, N = 1024: a relinearisation key, a rotation's; neither has its seed of 32
    bytes."""
    for limbs, special, relinearization, rotation in (
        (3, 1, 98_512, 98_528),
        (4, 2, 98_480, 98_496),
        (5, 3, 131_280, 131_296),
    ):
        p = made("lattigo", 1024, limbs, special, -(-limbs // special))
        public = lattigo_sizes.public_key(p)
        assert lattigo_sizes.seeded_keys(p, True, 0) == public + relinearization + 32
        assert lattigo_sizes.seeded_keys(p, False, 2) == public + 2 * (rotation + 32)


def test_three_polynomials_that_lattigo_and_openfhe_wrote() -> None:
    p = made("lattigo", 1024, 3, 1, 3, scheme="ckks")
    assert (lattigo_sizes.ciphertext(p, 3), lattigo_sizes.ciphertext(p, 3, 3)) == (49_502, 74_110)
    request = request_for(
        "ckks", 2, None, scale_bits=40, first_bits=50, technique="fixedmanual", ring_dimension=16
    )
    openfhe = openfhe_parameters(request)
    assert openfhe_sizes.ciphertext(openfhe, 3, 3) == 2262  # of a product
    assert openfhe_sizes.ciphertext(openfhe, 2, 3) == 2139  # ... that was rescaled


@pytest.mark.worker
def test_the_live_seal_reads_seeded_files_of_the_predicted_length() -> None:
    """And writes what it made of them in the length of whole ones."""
    cases = [(1024, 2), (2048, 3)]
    told = [{"n": n, "bits": [40, *[30] * (limbs - 1), 40]} for n, limbs in cases]
    for (n, limbs), found in zip(cases, ask_seal(told), strict=True):
        p = CkksParameters("seal", "ckks", n, (PRIME,) * limbs, (PRIME,), limbs)
        public = seal_sizes.seeded_keys(p, False, 0)
        assert found == {
            "ciphertext": [seal_sizes.seeded_ciphertext(p, limbs), seal_sizes.ciphertext(p, limbs)],
            "public key": [public, seal_sizes.public_key(p)],
            "relinearization key": [
                seal_sizes.seeded_keys(p, True, 0) - public,
                seal_sizes.relinearization_key(p),
            ],
        }


@pytest.mark.parametrize("library", FORMATS)
@given(n=st.sampled_from((8, 64, 1024)), limbs=st.integers(1, 20), special=st.integers(1, 4))
def test_more_limbs_take_more_bytes(library: str, n: int, limbs: int, special: int) -> None:
    written: ModuleType = FORMATS[library]
    small, large = (made(library, n, k, special, min(k, 3)) for k in (limbs, limbs + 1))
    assert written.ciphertext(large, limbs + 1) > written.ciphertext(small, limbs)
    for of in (written.public_key, written.secret_key, written.relinearization_key):
        assert of(large) > of(small)


@pytest.mark.parametrize("library", FORMATS)
@given(limbs=st.integers(1, 20), digits=st.integers(1, 4), keys=st.integers(1, 30))
def test_each_further_rotation_takes_as_much_as_the_last(
    library: str, limbs: int, digits: int, keys: int
) -> None:
    p, written = made(library, 64, limbs, 2, digits), FORMATS[library]
    each = written.rotation_keys(p, 2) - written.rotation_keys(p, 1)
    residues = 8 * 64 * 2 * (limbs if library == "seal" else digits) * (limbs + 2)
    assert residues < each < 2 * residues
    assert written.rotation_keys(p, keys + 1) == written.rotation_keys(p, keys) + each
