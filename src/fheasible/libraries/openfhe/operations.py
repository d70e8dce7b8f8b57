"""How OpenFHE 1.6.1 does each action of our worker: its choices among the algorithms, and an action's counts.

The facts were read in the public sources up to 1.5.1 [OpenFHE] and counted in the wheel 1.6.1, by
intercepting its functions and its allocations of 8n bytes. Where both differ (sums of products in one pass,
rescaling, rotations in the extended basis), this file follows the wheel. What OpenFHE does to limbs in memory
is in `copies`.
"""

from collections import Counter
from dataclasses import replace
from math import floor, log2

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.openfhe import refresh
from fheasible.libraries.openfhe.bootstrap_memory import peak
from fheasible.libraries.openfhe.bounds import NoiseBounds
from fheasible.libraries.openfhe.copies import CopiedSizes, limbs
from fheasible.libraries.openfhe.rns import digit_limbs
from fheasible.libraries.parameters import IntegerParameters, Parameters
from fheasible.libraries.refreshing import Refreshing
from fheasible.program.types import HAS_DIGITS, LACKING, MAKES_DIGITS, Action
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.rings.rns.element import Conversion, Domain, Poly
from fheasible.rings.rns.modulus import Rounding, digit_bases
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns.bfv import BFV
from fheasible.schemes.rns.bgv import BGV
from fheasible.schemes.rns.ciphertext import SIGMA, Ciphertext, RnsKeys, RnsSpec
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.variant import Automorphism, KeySwitching, Multiplication, ScalarForm, Variant

Scheme = CKKS | BGV | BFV

_SCHEMES: dict[str, type[CKKS] | type[BGV] | type[BFV]] = {"ckks": CKKS, "bgv": BGV, "bfv": BFV}
_DROP_MARGIN = 16.0  # bits of noise that FindLevelsToDrop leaves besides 3 for each product
_STEP = log2(1.001)  # its iteration ends at a smaller change of log2(q)
_FIRST_GUESS = 6.0 * log2(10)
# For each coefficient, besides one for each limb: two that are reduced and made a double, and as much as one
# more to begin (measured: 100 ns·n·(l + 3) from 2 limbs to 11).
_BIG_INTEGERS = 3
# Flooding noise is drawn by Karney's algorithm, which takes as long as four ternary polynomials (measured:
# 420 ns a coefficient with its transform, whatever the deviation).
_WIDE_GAUSSIAN = Counter(ternary_samples=4)
# KeySwitchGenInternal (keyswitch-hybrid.cpp, keyswitch-bv.cpp): `private(dug, dgg)` gives every OpenMP thread
# a generator of its own, made by its default constructor, with a standard deviation of 1. Seen in the wheel.
KEY_SIGMA = 1.0
_COMPOSITES = {Action.EVAL_SUM, Action.EVAL_CHEBYSHEV, Action.BOOTSTRAP}
_ACTIONS = ({a.value for a in Action} - _COMPOSITES) | {MAKES_DIGITS, HAS_DIGITS, "decrypt", "keygen"}
TURNS = (Action.ROTATE, Action.SWAP_ROWS, MAKES_DIGITS, HAS_DIGITS)
_OPERAND_PARTS: dict[str, int] = {Action.RELINEARIZE: 3, Action.MUL: 2, Action.SQUARE: 2}


def variant(p: Parameters, depth: int = 0, kept: int | None = None) -> Variant:
    """OpenFHE's choices for these parameters.

    BFV computes products and rotations in `kept` limbs, or, where that is None, in `kept_limbs` after `depth`
    successive products. From keyswitch-hybrid.cpp, keyswitch-bv.cpp, rns-pke.cpp, dcrtpoly-impl.h,
    bfvrns-leveledshe.cpp [OpenFHE].
    """
    hybrid, bfv = p.key_switching != "bv", p.scheme == "bfv"
    turned = multiplied = None
    if p.scheme == "bfv":
        turned, multiplied = (kept or kept_limbs(p, depth, switching) for switching in (True, False))
    scalar = ScalarForm.NUMBER if p.scheme == "ckks" else ScalarForm.ENCODED
    return Variant(
        key_switching=KeySwitching.HYBRID if hybrid else KeySwitching.BV,
        limbs_per_digit=digit_limbs(p),
        lazy=False,
        copy_own=True,
        mod_up=Conversion.FAST if hybrid else Conversion.EXACT,
        mod_down=Rounding(Conversion.FAST),
        automorphism=Automorphism.EXTENDED if hybrid and not bfv else Automorphism.LAST,
        rotation_limbs=turned,
        detour=bfv,
        scaled_errors=True,
        spare_power=True,
        decode_switched=p.scheme == "bgv",
        plaintext=Domain.NTT,
        centred=False,
        scalar_sum=scalar,
        scalar_product=scalar,
        truncated_numbers=True,  # GetElementForEvalMult of ckksrns-leveledshe.cpp
        product=Domain.COEFFICIENT if bfv else None,
        square_products=4,
        drop_switches=False,
        multiplication=Multiplication.HPS_OVER_Q_LEVELED,
        multiplication_limbs=multiplied,
    )


def kept_limbs(p: IntegerParameters, depth: int, switching: bool) -> int:
    """The number of limbs of Q that BFV multiplies in (with `switching`: rotates in) after `depth` products.

    It leaves out limbs as far as the noise allows: FindLevelsToDrop of bfvrns-leveledshe.cpp [OpenFHE],
    [KPZ21, App. D]. It uses all limbs where p names no ring dimension.
    """
    t, n = p.plain_modulus, p.ring_dimension
    if not n:
        return p.limbs
    bits, bounds = p.q[0].bit_length(), NoiseBounds.of(n, p.secret)

    def next_log_q(log_q: float) -> float:
        if depth == 0:
            return log2(4 * t * bounds.fresh)
        return bounds.log_q(t, depth, _switched(p, bounds, log_q))

    previous, log_q = _FIRST_GUESS, next_log_q(_FIRST_GUESS)
    while abs(log_q - previous) > _STEP:
        previous, log_q = log_q, next_log_q(log_q)
    extra = log2(_switched(p, bounds, log_q) if switching else bounds.expansion_ms)
    spare = log_q - 2 - log2(t) - 3 * depth - _DROP_MARGIN - extra
    return p.limbs - min(max(floor(spare / bits), 0), p.limbs - 1)


def _switched(p: IntegerParameters, bounds: NoiseBounds, log_q: float) -> float:
    """The bound on the noise of one key switch."""
    if p.key_switching == "bv":
        return bounds.switched_bv(log_q, p.q[0].bit_length())
    return bounds.switched_hybrid(digit_limbs(p), p.digits)


def perform(
    p: Parameters,
    action: str,
    level: int,
    polys: int,
    dropped: int = 0,
    depth: int = 0,
    kept: int | None = None,
) -> Counter[str]:
    """The kernel counts of one action in limbs of n coefficients, with `peak_limbs` and `operand_limbs`.

    It works on level + 1 limbs (BFV: on all; a drop ends there). `polys` is the number of polynomials of the
    result, for "decrypt" of the operand, and for "keygen" the number of switching keys, of which the first is
    for relinearisation. For `depth` and `kept` see `variant`. UnsupportedOperation for what has no counts.
    """
    if action not in _ACTIONS or (p.scheme, action) in LACKING:
        raise UnsupportedOperation(
            f"OpenFHE has no {action} to count in {p.scheme}", "use the operations that it consists of"
        )
    sizes = _sizes(p, action, level + dropped, polys, depth, kept)
    ring = CountingRnsRing(sizes.chain, sizes.special, sizes.chain + 1 if p.scheme == "bfv" else 1)
    scheme = _SCHEMES[p.scheme](ring, RnsSpec(), variant(p, depth, kept))
    if action == "keygen":
        generate(ring, sizes)
    else:
        _act(scheme, action, min(level, p.limbs - 1), sizes)
    flooded = action == "decrypt" and p.scheme == "ckks" and p.flooding > 0
    if flooded:
        ring.to_ntt(ring.gaussian(ring.level(sizes.limbs - 1), SIGMA))
    return _held(ring, action, sizes, ring.tally + (_WIDE_GAUSSIAN if flooded else Counter()))


def refreshed(p: Parameters, of: Refreshing) -> Counter[str]:
    """The kernel counts of one bootstrap, with `peak_limbs` and `operand_limbs`."""
    found = refresh.counts(of, variant(p))
    found["peak_limbs"] = peak(of)
    return found


def _sizes(p: Parameters, action: str, level: int, polys: int, depth: int, given: int | None) -> CopiedSizes:
    limbs = p.limbs if p.scheme == "bfv" or action == "keygen" else min(level + 1, p.limbs)
    kept, turning = limbs, action in TURNS
    if p.scheme == "bfv" and (turning or action in (Action.MUL, Action.SQUARE)):
        kept = given or kept_limbs(p, depth, turning)
    special = 0 if p.key_switching == "bv" else len(p.p)
    return CopiedSizes(p.scheme, limbs, p.limbs, special, digit_limbs(p), polys, kept)


def _act(scheme: Scheme, action: str, level: int, sizes: CopiedSizes) -> None:
    """Run the action on operands and keys that were there before it."""
    turns = (1,) if action in (Action.ROTATE, MAKES_DIGITS, HAS_DIGITS) else ()
    keys = scheme.given_keys(action == Action.RELINEARIZE, turns, action == Action.SWAP_ROWS)
    at = sizes.limbs - 1
    x = scheme.operand(at, _OPERAND_PARTS.get(action, sizes.parts))
    match action:
        case Action.ENCRYPT:
            scheme.encrypt(keys, level=at)
        case "decrypt":
            scheme.decrypt(keys, replace(x, parts=scheme.at_rest(x.parts)))
        case Action.ADD | Action.SUB | Action.MUL:
            getattr(scheme, action)(x, scheme.operand(at, x.size))
        case Action.RELINEARIZE | Action.SWAP_ROWS:
            getattr(scheme, action)(keys, x)
        case Action.ROTATE:
            scheme.rotate(keys, x, 1)
        case "rotate_hoist" | "rotate_hoisted":
            _rotate_hoisted(scheme, x, keys, there=action == HAS_DIGITS)
        case Action.DROP:
            scheme.drop(x, level)
        case _:
            getattr(scheme, action)(x)


def _rotate_hoisted(scheme: Scheme, x: Ciphertext, keys: RnsKeys, there: bool) -> None:
    """Run EvalFastRotation, after EvalFastRotationPrecompute unless the digits are `there` already."""
    ring, digits = scheme.ring, scheme.digits(x)
    if there and isinstance(ring, CountingRnsRing):
        ring.restart()
    scheme.rotate_decomposed(keys, x, digits, 1)


def generate(ring: RnsRing, sizes: CopiedSizes) -> None:
    """Make the pair of keys and `parts` switching keys: a secret over Q, brought to P again for each key.

    From KeyGenInternal of base-pke.cpp, KeySwitchGenInternal of keyswitch-hybrid.cpp and of keyswitch-bv.cpp
    [OpenFHE].
    """
    s = ring.to_ntt(ring.ternary(ring.q))
    made = [_masked(ring, ring.q, s)]
    for number in range(sizes.parts):
        source = ring.automorphism(s, 3) if number else ring.multiply(s, s)
        made += (
            _switch_key_hybrid(ring, s, source, sizes) if sizes.hybrid else _switch_key_bv(ring, s, source)
        )


def _masked(ring: RnsRing, over: Basis, s: Poly) -> tuple[Poly, Poly]:
    """The pair (ns·e - a·s, a) over a basis."""
    a, e = ring.uniform(over), _error(ring, over)
    return ring.subtract(e, ring.multiply(a, s)), a


def _error(ring: RnsRing, over: Basis) -> Poly:
    """An error ns·e over a basis; ns is 1 in CKKS and BFV."""
    return ring.scale(ring.to_ntt(ring.gaussian(over, SIGMA)), None)


def _switch_key_hybrid(ring: RnsRing, s: Poly, source: Poly, sizes: CopiedSizes) -> list[tuple[Poly, Poly]]:
    """The rows of a hybrid switching key, one over QP for each digit.

    P·source is added in the digit's own limbs.
    """
    first = ring.to_coefficients(ring.restrict(s, ring.q[:1]))
    extended = ring.join(s, ring.to_ntt(ring.convert(first, ring.p, Conversion.EXACT)))
    rows, over = [], ring.q + ring.p
    for digit in digit_bases(ring.q, sizes.digit):
        b, a = _masked(ring, over, extended)
        own = ring.add(ring.restrict(b, digit), ring.scale(ring.restrict(source, digit), None))
        rows.append((ring.join(own, ring.restrict(b, over - digit)), a))
    return rows


def _switch_key_bv(ring: RnsRing, s: Poly, source: Poly) -> list[tuple[Poly, Poly]]:
    """The rows of a BV switching key, one over Q for each limb.

    a·s + ns·e is subtracted from a polynomial that has this limb of the source, and zeros in all others.
    """
    rows = []
    for limb in digit_bases(ring.q, 1):
        a = ring.uniform(ring.q)
        held, others = ring.copy(ring.restrict(source, limb)), ring.q - limb
        if others:
            held = ring.join(held, ring.zero(others, Domain.NTT))
        rows.append((ring.subtract(held, ring.add(ring.multiply(a, s), _error(ring, ring.q))), a))
    return rows


def _held(ring: CountingRnsRing, action: str, sizes: CopiedSizes, tally: Counter[str]) -> Counter[str]:
    """The tally with OpenFHE's own memory, corrected where it computes otherwise than the ring counts."""
    for correction in (_fused(action, sizes), _besides(action, sizes)):
        tally.update(correction)
    used = limbs(action, sizes)
    copied = used.copied - tally["copies"]
    tally.update({"copies": copied, "reads": copied, "writes": copied + used.cleared})
    tally["allocations"] = used.copied + used.cleared
    touched = sizes.parts * sizes.limbs if action == Action.DROP else 0  # it copies all limbs, then cuts
    tally["peak_limbs"], tally["operand_limbs"] = used.peak, max(touched, ring.operand_limbs)
    return tally


def _fused(action: str, s: CopiedSizes) -> Counter[str]:
    """The counts to add for sums that are made in one pass with a product (MultAccEqNoCheck).

    They are negative, because such sums are no passes of their own.
    """
    sums = _sums(action, s)
    return Counter({"additions": -sums, "reads": -sums, "writes": -sums})


def _sums(action: str, s: CopiedSizes) -> int:
    match action:
        case Action.MUL | Action.SQUARE:
            return 2 * s.kept if s.scheme == "bfv" else s.limbs
        case Action.RELINEARIZE:
            return 2 * (s.digits - 1) * s.wide
        case _ if action in TURNS:
            raised = s.limbs if s.hybrid and s.scheme != "bfv" else 0  # P·c_0, added to the inner product
            return 2 * (s.digits - 1) * s.wide + raised
        case Action.RESCALE if s.scheme == "bgv":
            return s.whole - s.parts
        case "decrypt":
            switched = s.limbs * (s.limbs - 1) // 2 if s.scheme == "bgv" else 0
            return s.whole - s.limbs + switched
        case _:
            return 0


def _besides(action: str, s: CopiedSizes) -> Counter[str]:
    """The counts to add to those of the schemes' algorithms; negative where an action computes less."""
    match action:
        case _ if s.hybrid and (action in TURNS or action == Action.RELINEARIZE):
            return _short_conversions(s, digits=action != HAS_DIGITS)
        case "decrypt" if s.scheme == "ckks":
            # Noise against key recovery. A big integer is allocated and added for each limb, and from two
            # limbs on `_BIG_INTEGERS` more.
            steps = s.limbs + _BIG_INTEGERS * (s.limbs > 1)
            return Counter(gaussian_samples=1, reconstructions=steps - s.limbs * s.limbs)
        case "decrypt":
            # A product with the inverse of the plain factor, even of 1; residues modulo t are words already.
            return Counter(constant_products=1, reconstructions=-1)
        case Action.MUL | Action.SQUARE if s.scheme == "bfv":
            merged = Counter(constant_products=-2 * (s.limbs + s.kept))  # in the conversion's constants
            merged.update(_from_one(2 * (s.limbs == 1), s.kept))
            merged.update(_from_one(4 * (s.kept == 1), s.kept, exact=True))
            return merged
        case Action.ENCRYPT | Action.ADD_PLAIN | Action.ADD_SCALAR if s.scheme == "bfv":
            return Counter(products=s.limbs, constant_products=-1)  # TimesQovert, limb by limb
        case _:
            return Counter()


def _short_conversions(s: CopiedSizes, digits: bool = True) -> Counter[str]:
    """The counts to add for conversions of a key switch: from digits of one limb, if `digits` are made, and
    from a P of one limb."""
    last = s.kept - (s.digits - 1) * s.digit
    short = s.digits if s.digit == 1 else int(last == 1)
    more = _from_one(short if digits else 0, s.wide - 1)
    more.update(_from_one(2 * (s.special == 1), s.kept))
    return more


def _from_one(times: int, width: int, exact: bool = False) -> Counter[str]:
    """The counts to add for conversions from one limb.

    OpenFHE runs them like those from several limbs; the ring counts them as plain reductions.
    """
    out = times * width
    more = {"constant_products": times, "conversion_products": out, "reductions": out}
    if exact:
        more |= {"float_corrections": times, "additions": out}
    return Counter({"word_reductions": -out} | more)
