"""The same at n = 2^13 and 128-bit security (log2 QP up to 218 [HES18]): three limbs, as libraries run it."""

from dataclasses import replace

import pytest

from fheasible.rings.rns.element import Conversion, Domain
from fheasible.rings.rns.modulus import Rounding
from fheasible.schemes.rns.variant import Automorphism, Mask, Message, Multiplication, Variant
from schemes.rns import bounds
from schemes.rns.actions import ACTIONS
from schemes.rns.toy import toy

N, LIMBS = 1 << 13, 3
OPENFHE = Variant(
    lazy=False, mod_down=Rounding(Conversion.FAST), automorphism=Automorphism.EXTENDED, square_products=4
)
SEAL = Variant(
    mask=Mask.NEXT,
    mod_down=Rounding(Conversion.FLOOR, half=True),
    rescale=Rounding(Conversion.FLOOR, half=True),
    automorphism=Automorphism.FIRST,
)
LATTIGO = Variant(
    reuse_ntt=False,
    mod_up=Conversion.EXACT,
    mask=Mask.FIRST,
    mask_domain=Domain.COEFFICIENT,
    montgomery=True,
    lazy=False,
)
CASES = {
    ("ckks", "as OpenFHE"): OPENFHE,
    ("ckks", "as SEAL"): SEAL,
    ("ckks", "as Lattigo"): LATTIGO,
    ("bgv", "as OpenFHE"): replace(OPENFHE, decode_switched=True, drop_switches=False),
    ("bgv", "as SEAL"): replace(SEAL, through_plain=True, top_first=True),
    ("bgv", "as Lattigo"): replace(LATTIGO, message=Message.HIGH),
    ("bfv", "as OpenFHE"): replace(
        OPENFHE,
        automorphism=Automorphism.LAST,
        multiplication=Multiplication.HPS_OVER_Q_LEVELED,
        product=Domain.COEFFICIENT,
        rotation_limbs=LIMBS,
    ),
    ("bfv", "as SEAL"): replace(SEAL, multiplication=Multiplication.BEHZ, rest=Domain.COEFFICIENT),
    ("bfv", "as Lattigo"): replace(LATTIGO, message=Message.HIGH, multiplication=Multiplication.DIVIDE_FIRST),
}


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "library"), CASES)
def test_every_action_is_right_at_a_secure_size(scheme: str, library: str) -> None:
    bench = toy(scheme, CASES[scheme, library], N, LIMBS)
    o = bench.operands(bench.top)
    bound = bounds.slots(bench, bench.top) if bench.is_real else 0
    for name, action in ACTIONS.items():
        if action.possible(scheme, bench.top):
            assert bench.error(action.made(bench, o), action.expected(bench, o)) <= bound, name
