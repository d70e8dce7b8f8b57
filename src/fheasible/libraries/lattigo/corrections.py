"""What Lattigo 6.1.1 does in each action of our worker besides the shared algorithms.

Counts are in limbs of n coefficients. The facts are from core/rlwe/{evaluator, encryptor, keygenerator,
decryptor}.go, ring/basis_extension.go and schemes/{ckks, bgv}/{evaluator, encoder}.go [Lattigo].
"""

from collections import Counter
from typing import Final

from fheasible.libraries.lattigo.case import LattigoCase
from fheasible.program.types import HAS_DIGITS, MAKES_DIGITS

_SWITCHING: Final = ("relinearize", "rotate", "swap_rows", MAKES_DIGITS, HAS_DIGITS)
_ENCODING: Final = ("encrypt", "add_plain", "mul_plain")


def added(action: str, c: LattigoCase) -> Counter[str]:
    """The kernel counts to add to those of the variant's algorithms; negative where Lattigo does less."""
    found: Counter[str] = Counter()
    if action in _SWITCHING:
        found.update(_switching(c, digits=action != HAS_DIGITS))
    if action in _ENCODING and not c.is_real:
        found.update(messages=-c.limbs, copies=c.limbs)  # RingT2Q copies residues modulo t
    if action == "encrypt":
        found.update(roundings=c.chain - c.limbs)  # the ternary sampler writes all of the chain
        found.update(_from_one_limb(c.limbs, 2 if c.special else 0))
    if action == "decrypt":
        found.update(_decryption(c))
    if action == "keygen":  # MForm of the secret; each key's P·s is also multiplied by 1
        found.update(constant_products=c.chain + c.special + c.polys * c.chain)
    return found


def _switching(c: LattigoCase, digits: bool) -> Counter[str]:
    """The counts to add for a key switch, which makes the digits if `digits` is true.

    Sums of words are reduced before they overflow. With one special prime, a digit's own limb is reduced too.
    """
    found: Counter[str] = Counter()
    for width, together in zip((c.limbs, c.special), c.lazy_digits, strict=True):
        found["reductions"] += 2 * width * (-(-c.digits // together) - 1)
    if c.special == 1:
        found["word_reductions"] += c.digits if digits else 0
        found.update(_from_one_limb(c.limbs, 2))
    return found


def _from_one_limb(width: int, times: int) -> Counter[str]:
    """The counts to add for ModUpPtoQ from a single limb.

    Lattigo runs the code for several limbs, where the ring counts a plain reduction.
    """
    found = Counter(constant_products=1, float_corrections=1, conversion_products=width, reductions=width)
    found["word_reductions"] = -width
    return Counter({kernel: times * count for kernel, count in found.items()})


def _decryption(c: LattigoCase) -> Counter[str]:
    """The counts to add for decryption: Horner's rule with one more reduction.

    Integers are not lifted. Reals are lifted by big integers, at the cost of a limb for each limb and for two
    more. Measured: n big integers of l limbs take 80 ns·n·(l + 2), for l from 2 to 24. Allocations take this
    time, so it does not grow with limbs².
    """
    found = Counter(reductions=c.limbs, products=-max(c.polys - 2, 0) * c.limbs)
    if not c.is_real:
        found["reconstructions"] = -1
    elif c.limbs == 1:
        found.update(reconstructions=-1, roundings=1)
    else:
        found["reconstructions"] = c.limbs + 2 - c.limbs**2
    return found
