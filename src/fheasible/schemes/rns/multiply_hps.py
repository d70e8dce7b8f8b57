"""BFV's product, divided by Q/t as in [HPS19] and [KPZ21].

Operands and results are over Q, and results are in coefficients. R has about as many limbs as Q. Where the
tensor product exceeds the modulus, it does so by a multiple of QR. Times t/R this is a multiple of Q, and
times t/Q it is a multiple of R. So only HPS, whose result is first known modulo R alone, needs R larger than
n·t·Q, and DIVIDE_FIRST needs R larger than n·Q.
"""

from collections.abc import Sequence

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Conversion, Domain, Poly
from fheasible.rings.rns.modulus import in_domain, mod_down, mod_up
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns.auxiliary import product_basis
from fheasible.schemes.rns.tensor import square, tensor
from fheasible.schemes.rns.variant import Multiplication, Variant

Parts = tuple[Poly, ...]
EXACT = Conversion.EXACT


def hps(ring: RnsRing, xs: Parts, ys: Parts, t: int | None, variant: Variant) -> Parts:
    """round(t/Q·x·y), from the product over QR; the result is first modulo R, then brought back to Q."""
    extended = product_basis(ring)
    products = _tensor(ring, *_raised(ring, xs, ys, extended), xs is ys, variant)
    scaled = [ring.scale_round(z, t, ring.q, extended) for z in products]
    return tuple(ring.convert(z, ring.q, EXACT) for z in scaled)


def divide_first(ring: RnsRing, xs: Parts, ys: Parts, t: int | None, variant: Variant) -> Parts:
    """t·round(x·y/Q): the rounding of the division is also multiplied by t."""
    extended = product_basis(ring)
    products = _tensor(ring, *_raised(ring, xs, ys, extended), xs is ys, variant)
    quotients = [mod_down(ring, z, ring.q, variant.mod_down) for z in products]
    return tuple(ring.scale(ring.convert(z, ring.q, EXACT), t) for z in quotients)


def hps_over_q(ring: RnsRing, xs: Parts, ys: Parts, t: int | None, variant: Variant) -> Parts:
    """round(t/R·x·y') for y' close to R/Q·y; x and y' are over QR.

    In the leveled variant x is first divided down to fewer limbs Q_l, y' is close to R_l/Q·y, and the result
    is multiplied by Q/Q_l.
    """
    leveled = variant.multiplication is Multiplication.HPS_OVER_Q_LEVELED
    kept = ring.q[: variant.multiplication_limbs] if leveled else ring.q
    auxiliary = product_basis(ring)
    extended = auxiliary[: len(auxiliary) - len(ring.q) + len(kept)]
    if leveled:
        xs_raised = [narrowed(ring, in_domain(ring, x, Domain.COEFFICIENT), kept) for x in xs]
    else:
        xs_raised = list(xs)
    first = [mod_up(ring, x, kept + extended, EXACT) for x in xs_raised]
    second = [mod_up(ring, _over(ring, y, extended), kept + extended, EXACT) for y in ys]
    products = _tensor(ring, first, second, xs is ys, variant)
    scaled = [ring.scale_round(z, t, extended, kept) for z in products]
    return tuple(widened(ring, z) for z in scaled)


def narrowed(ring: RnsRing, x: Poly, kept: Basis) -> Poly:
    """round(Q_l/Q·x) over the limbs that are kept; COEFFICIENT domain."""
    dropped = x.basis - kept
    return ring.scale_round(x, 1, dropped, kept) if dropped.limbs else x


def widened(ring: RnsRing, x: Poly) -> Poly:
    """Q/Q_l·x over Q, for x over the first limbs Q_l of Q; the other limbs are 0."""
    others = ring.q - x.basis
    if not others.limbs:
        return x
    return ring.join(ring.scale(x, ring.product(others)), ring.zero(others, x.domain))


def _over(ring: RnsRing, y: Poly, extended: Basis) -> Poly:
    """R/Q·y over R by a fast division of R·y by Q, with an error of at most one for each limb of Q."""
    product = ring.product(extended)
    minus = ring.scale(in_domain(ring, y, Domain.COEFFICIENT), None if product is None else -product)
    return ring.scale(ring.convert(minus, extended), ring.product(y.basis), inverse=True)


def _raised(ring: RnsRing, xs: Parts, ys: Parts, extended: Basis) -> tuple[Sequence[Poly], Sequence[Poly]]:
    """Both operands over QR, NTT domain; the operand of a square is raised only once."""
    first = [mod_up(ring, x, x.basis + extended, EXACT) for x in xs]
    return first, first if xs is ys else [mod_up(ring, y, y.basis + extended, EXACT) for y in ys]


def _tensor(
    ring: RnsRing, xs: Sequence[Poly], ys: Sequence[Poly], same: bool, variant: Variant
) -> list[Poly]:
    """The tensor product in COEFFICIENT domain."""
    by = 1 if variant.montgomery else None
    made = square(ring, xs, ys, variant.square_products, by) if same else tensor(ring, xs, ys, by)
    return [ring.to_coefficients(z) for z in made]
