"""What a bootstrap takes, as numbers of limbs."""

from dataclasses import replace

from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.schemes.rns.bootstrap.counting import Bases, counted
from fheasible.schemes.rns.bootstrap.method import EVEN, LATE
from fheasible.schemes.rns.bootstrap.tables import levels, plain_limbs, prepared
from fheasible.schemes.rns.ciphertext import RnsSpec
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.variant import Variant
from schemes.rns.bootstrap.procedures import FULL, SPARSE

N, CHAIN, SPECIAL = 64, 16, 2
VARIANT = Variant(limbs_per_digit=SPECIAL)


def test_the_limbs_of_plain_vectors_are_those_of_the_tables() -> None:
    scheme = CKKS(CountingRnsRing(CHAIN, SPECIAL), RnsSpec(), VARIANT)
    method = replace(EVEN, plains_at_start=False)
    for p in (FULL, SPARSE, replace(FULL, decode_shared=(2,))):
        tables = prepared(scheme, p, N, method)
        plains = [x for f in (*tables.encode, *tables.decode) for group in f.plains for x in group]
        assert plain_limbs(p, N, method, CHAIN - 1, SPECIAL) == sum(len(x.basis) for x in plains)


def test_vectors_that_keep_the_limbs_of_the_first_factor_are_longer_by_one_for_every_factor_before() -> None:
    lean = plain_limbs(FULL, N, replace(EVEN, plains_at_start=False), CHAIN - 1, SPECIAL)
    narrow, wide = 7, 14  # diagonals of the second factors: 2 and 3 stages, the first merged into 8
    assert plain_limbs(FULL, N, EVEN, CHAIN - 1, SPECIAL) - lean in (narrow + 8, wide + 1)


def test_a_count_touches_keys_and_vectors_as_operands() -> None:
    for method in (EVEN, LATE):
        tally = counted(SPARSE, N, method, VARIANT, Bases(CHAIN, SPECIAL), 1)
        vectors = plain_limbs(SPARSE, N, replace(method, plains_at_start=False), CHAIN - 1, SPECIAL)
        assert tally["operand_limbs"] > vectors
        assert tally["peak_limbs"] > 2 * CHAIN


def test_fewer_slots_and_a_lower_chain_take_less() -> None:
    full, sparse = (counted(p, N, EVEN, VARIANT, Bases(CHAIN, SPECIAL), 1) for p in (FULL, SPARSE))
    lower = counted(SPARSE, N, EVEN, VARIANT, Bases(CHAIN - 1, SPECIAL), 1)
    assert full["forward"] > sparse["forward"] > lower["forward"]
    assert levels(SPARSE, EVEN, CHAIN - 1).result == levels(SPARSE, EVEN, CHAIN - 2).result + 1
