"""Variants that together make every choice, named by what they choose."""

from fheasible.rings.rns.element import Conversion, Domain
from fheasible.rings.rns.modulus import Rounding
from fheasible.schemes.rns.variant import (
    Automorphism,
    KeySwitching,
    Mask,
    Message,
    Multiplication,
    ScalarForm,
    Variant,
)

BV, NTT, COEFFICIENT = KeySwitching.BV, Domain.NTT, Domain.COEFFICIENT
FLOOR = Conversion.FLOOR
BITS = Variant(key_switching=BV, digit_bits=9)  # of 40 and 50 bits: the last digit has fewer

KEY_SWITCHING = {
    "digits of one limb": Variant(),
    "three digits, the last shorter": Variant(limbs_per_digit=2),
    "two digits, the last shorter": Variant(limbs_per_digit=3),
    "one digit": Variant(limbs_per_digit=5),
    "bits": BITS,
    "bits, first": Variant(key_switching=BV, digit_bits=9, automorphism=Automorphism.FIRST, lazy=False),
    "reduced products": Variant(limbs_per_digit=2, lazy=False),
    "own limbs transformed again": Variant(limbs_per_digit=2, reuse_ntt=False),
    "own limbs copied": Variant(limbs_per_digit=2, copy_own=True),
    "centred digits": Variant(mod_up=Conversion.EXACT),
    "centred digits of two limbs": Variant(limbs_per_digit=2, mod_up=Conversion.EXACT),
    "fast mod down": Variant(limbs_per_digit=2, mod_down=Rounding(Conversion.FAST)),
    "mod down by halves": Variant(limbs_per_digit=2, mod_down=Rounding(FLOOR, half=True)),
    "mod down apart": Variant(limbs_per_digit=2, mod_down=Rounding(apart=True)),
    "automorphism first": Variant(limbs_per_digit=2, automorphism=Automorphism.FIRST),
    "automorphism over QP": Variant(limbs_per_digit=2, automorphism=Automorphism.EXTENDED),
    "no hoisting": Variant(limbs_per_digit=2, hoisting=False),
}
ENCRYPTION = {
    "mask over QP": Variant(limbs_per_digit=2, mask=Mask.SPECIAL),
    "mask over QP in coefficients": Variant(limbs_per_digit=2, mask=Mask.SPECIAL, mask_domain=COEFFICIENT),
    "mask over one special prime": Variant(limbs_per_digit=2, mask=Mask.FIRST, mask_domain=COEFFICIENT),
    "mask over the next prime": Variant(mask=Mask.NEXT),
    "mask in coefficients": Variant(mask_domain=COEFFICIENT),
    "detour": Variant(detour=True),
    "top first": Variant(top_first=True),
    "scaled errors": Variant(scaled_errors=True),
    "spare power": Variant(spare_power=True),
    "plaintexts in NTT domain": Variant(plaintext=NTT),
    "plaintexts from 0 to t": Variant(centred=False),
    "scalars filled": Variant(scalar_sum=ScalarForm.FILLED, scalar_product=ScalarForm.FILLED),
    "scalars transformed": Variant(scalar_sum=ScalarForm.TRANSFORMED, scalar_product=ScalarForm.TRANSFORMED),
    "scalars encoded": Variant(scalar_sum=ScalarForm.ENCODED, scalar_product=ScalarForm.ENCODED),
}
CIPHERTEXTS = {
    "at rest in coefficients": Variant(rest=COEFFICIENT),
    "at rest in coefficients, first": Variant(rest=COEFFICIENT, automorphism=Automorphism.FIRST),
    "at rest in coefficients, over QP": Variant(
        limbs_per_digit=3, rest=COEFFICIENT, automorphism=Automorphism.EXTENDED
    ),
    "coefficients, bits": Variant(key_switching=BV, digit_bits=9, rest=COEFFICIENT),
    "products in coefficients": Variant(limbs_per_digit=2, product=COEFFICIENT),
    "four products": Variant(square_products=4),
    "Montgomery": Variant(montgomery=True),
    "rescaling apart": Variant(rescale=Rounding(apart=True)),
    "rescaling by halves": Variant(rescale=Rounding(FLOOR, half=True)),
    "rescaling down": Variant(rescale=Rounding(FLOOR)),
    "copies": Variant(copies=(("add", 2), ("mul", 3), ("rotate", 1))),
}
INTEGERS = {
    "whole limbs": Variant(key_switching=BV),
    "high": Variant(limbs_per_digit=2, message=Message.HIGH),
    "high, masked": Variant(message=Message.HIGH, mask=Mask.FIRST, mask_domain=COEFFICIENT, montgomery=True),
    "high in coefficients": Variant(message=Message.HIGH, rest=COEFFICIENT),
}
BGV_ALONE = {
    "through t": Variant(through_plain=True),
    "through t by halves": Variant(
        through_plain=True, mod_down=Rounding(FLOOR, half=True), rescale=Rounding(FLOOR, half=True)
    ),
    "through t, masked": Variant(through_plain=True, mask=Mask.NEXT),
    "through t, apart": Variant(through_plain=True, rescale=Rounding(apart=True)),
    "levels left out": Variant(drop_switches=False),
    "switched before it is decoded": Variant(decode_switched=True),
    "high, switched before it is decoded": Variant(decode_switched=True, message=Message.HIGH),
}
_PRODUCTS: dict[str, dict[str, object]] = {
    "BEHZ": {"multiplication": Multiplication.BEHZ},
    "HPS": {"multiplication": Multiplication.HPS},
    "HPS over Q": {"multiplication": Multiplication.HPS_OVER_Q},
    "leveled": {"multiplication": Multiplication.HPS_OVER_Q_LEVELED},
    "leveled to 4": {"multiplication": Multiplication.HPS_OVER_Q_LEVELED, "multiplication_limbs": 4},
    "divided first": {"multiplication": Multiplication.DIVIDE_FIRST},
}
_LYING: dict[str, dict[str, object]] = {
    "": {},
    " in coefficients": {"rest": COEFFICIENT},
    " high": {"message": Message.HIGH},
    " four": {"square_products": 4, "montgomery": True, "product": COEFFICIENT},
}
BFV_ALONE = {
    product + lying: Variant(**{"limbs_per_digit": 2, **choice, **where})  # type: ignore[arg-type]
    for product, choice in _PRODUCTS.items()
    for lying, where in _LYING.items()
} | {
    "rotations over all limbs": Variant(rotation_limbs=5),
    "rotations over four limbs": Variant(rotation_limbs=4, limbs_per_digit=2),
    "rotations over four limbs, coefficients": Variant(rotation_limbs=4, rest=COEFFICIENT),
    "rotations over four limbs, bits": Variant(rotation_limbs=4, key_switching=BV, digit_bits=9),
}
SHARED = KEY_SWITCHING | ENCRYPTION | CIPHERTEXTS
VARIANTS = {
    "ckks": SHARED,
    "bgv": SHARED | INTEGERS | BGV_ALONE,
    "bfv": SHARED | INTEGERS | BFV_ALONE,
}
