"""How Lattigo 6.1.1 does the operations of a program: the shared algorithms in its variant.

The facts are from core/rlwe/{encryptor, keygenerator, evaluator_gadget_product}.go,
schemes/ckks/evaluator.go, ring/{basis_extension, scaling}.go and schemes/bgv/{encoder, evaluator}.go
[Lattigo], and from our worker. Everything is in NTT domain. Messages of BGV and BFV are as in `Message.HIGH`;
BFV is BGV with another product. What Lattigo does in addition is in `corrections`.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.lattigo import corrections, refresh
from fheasible.libraries.lattigo.bootstrap import widened
from fheasible.libraries.lattigo.buffers import memory
from fheasible.libraries.lattigo.case import LattigoCase
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.refreshing import Refreshing
from fheasible.program.types import HAS_DIGITS, LACKING, MAKES_DIGITS
from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.rings.rns.element import Conversion, Domain
from fheasible.rings.rns.modulus import Rounding
from fheasible.schemes.rns.arithmetic import ResidueArithmetic
from fheasible.schemes.rns.bfv import BFV
from fheasible.schemes.rns.bgv import BGV
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys, RnsSpec
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.variant import (
    Automorphism,
    KeySwitching,
    Mask,
    Message,
    Multiplication,
    Variant,
)

NEAREST: Final = Rounding(Conversion.FLOOR, half=True)  # ModUpPtoQ, DivRoundByLastModulus
_SCHEMES: Final[dict[str, Callable[..., ResidueArithmetic]]] = {"ckks": CKKS, "bgv": BGV, "bfv": BFV}
_UNARY: Final = ("neg", "rescale", "add_plain", "mul_plain", "add_scalar", "mul_scalar")
_DIVIDING: Final = ("rescale", "drop")
_TURNING: Final = ("rotate", "swap_rows", MAKES_DIGITS, HAS_DIGITS)


def variant(p: Parameters, polys: int = 2) -> Variant:
    """The algorithms of the scheme, for an operand of `polys` polynomials, some of which a plain sum copies.

    Key switching with one special prime has code of its own, which transforms a digit's own limb again.
    Encryption uses one special prime however many there are.
    """
    special = len(p.p)
    return Variant(
        key_switching=KeySwitching.HYBRID if special else KeySwitching.BV,
        limbs_per_digit=max(special, 1),
        reuse_ntt=special > 1,
        copy_own=special > 1,
        mod_up=Conversion.EXACT,
        mod_down=NEAREST,
        automorphism=Automorphism.LAST,
        mask=Mask.FIRST if special else Mask.CHAIN,
        mask_domain=Domain.COEFFICIENT if special else Domain.NTT,
        message=None if p.scheme == "ckks" else Message.HIGH,
        centred=False,  # Encoder.RingT2Q
        montgomery=True,
        rescale=NEAREST,
        multiplication=Multiplication.DIVIDE_FIRST,
        copies=(("add_plain", polys - 1), ("add_scalar", polys - (p.scheme != "ckks")), ("decrypt", 1)),
    )


def perform(
    p: Parameters, action: str, level: int, polys: int, dropped: int = 0, depth: int = 0
) -> Counter[str]:
    """The kernel counts of one operation in limbs of n coefficients, with `peak_limbs` and `operand_limbs`.

    `action` is a program's action, "decrypt" or "keygen". It works on level + 1 limbs (BFV: on all; a drop
    ends there). `polys` is the number of polynomials of the result, for "decrypt" of the operand, and for
    "keygen" the number of switching keys. `depth` does not matter. UnsupportedOperation for what Lattigo does
    not have.
    """
    if action in (MAKES_DIGITS, HAS_DIGITS) and not p.p:  # DecomposeNTT needs P: no digits are shared
        action = "rotate"
    case = LattigoCase.of(p, level, polys, dropped)
    ring = CountingRnsRing(case.chain, case.special, _auxiliary(case))
    choices = replace(variant(p, polys), scaled_errors=action == "keygen")  # keys are kept in MForm
    if action in (MAKES_DIGITS, HAS_DIGITS):  # DecomposeNTT has no code of its own for one special prime
        choices = replace(choices, reuse_ntt=True, copy_own=True)
    _run(_SCHEMES[p.scheme](ring, RnsSpec(), choices), action, case)
    tally = ring.tally
    tally.update(corrections.added(action, case))
    if action in _DIVIDING:
        tally["word_reductions"] = 0  # the last limb is added to the others as it is
    used = memory(action, case)
    tally["allocations"], tally["peak_limbs"] = round(used.made), used.peak
    return Counter({**+tally, "operand_limbs": ring.operand_limbs})


def refreshed(of: Refreshing) -> Counter[str]:
    """The kernel counts of one bootstrap, with `peak_limbs` and `operand_limbs`."""
    return refresh.counts(of, variant(widened(of)))


def _auxiliary(c: LattigoCase) -> int:
    """The number of primes of the ring beside those of Q and P: t in BGV, those of QMul and t in BFV."""
    return {"ckks": 0, "bgv": 1, "bfv": c.product + 1}[c.scheme]


def _run(scheme: ResidueArithmetic, action: str, c: LattigoCase) -> None:
    """Run the action on operands that were there before it."""
    if (c.scheme, action) in LACKING:
        raise UnsupportedOperation(
            f"Lattigo has no {action} in {c.scheme}", "lower the program for its style"
        )
    turns = (1,) if action in _TURNING else ()
    keys, level = scheme.given_keys(action == "relinearize", turns, swap_rows=False), c.limbs - 1
    match action:
        case "keygen":
            scheme.keygen(relinearize=c.polys > 0, rotations=range(1, c.polys))
        case "encrypt":
            scheme.encrypt(keys, level=level)
        case "decrypt":
            scheme.decrypt(keys, scheme.operand(level, c.polys))
        case "add" | "sub":
            getattr(scheme, action)(scheme.operand(level, c.polys), scheme.operand(level, c.polys))
        case "mul":
            scheme.mul(scheme.operand(level), scheme.operand(level))
        case "square":
            scheme.square(scheme.operand(level))
        case "relinearize":
            scheme.relinearize(keys, scheme.operand(level, 3))
        case "rotate" | "swap_rows":
            scheme.rotate(keys, scheme.operand(level), 1)
        case "rotate_hoist" | "rotate_hoisted":
            _rotate_hoisted(scheme, keys, scheme.operand(level), there=action == HAS_DIGITS)
        case "drop":
            _drop(scheme, scheme.operand(level + c.dropped, c.polys), level)
        case _ if action in _UNARY:
            getattr(scheme, action)(scheme.operand(level, c.polys))
        case _:
            raise UnsupportedOperation(f"Lattigo has no {action}", "lower the program for its style")


def _rotate_hoisted(scheme: ResidueArithmetic, keys: RnsKeys, x: Ciphertext, there: bool) -> None:
    """Run AutomorphismHoisted, after DecomposeNTT unless the digits are `there` already."""
    ring, digits = scheme.ring, scheme.digits(x)
    if there and isinstance(ring, CountingRnsRing):
        ring.restart()
    scheme.rotate_decomposed(keys, x, digits, 1)


def _drop(scheme: ResidueArithmetic, x: Ciphertext, level: int) -> None:
    """Drop to `level`. The limbs that stay are copied where nothing is divided."""
    below = scheme.drop(x, level)
    if x.level == level or isinstance(scheme, CKKS):
        for part in below.parts:
            scheme.ring.copy(part)
