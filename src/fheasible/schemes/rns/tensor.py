"""Products of ciphertexts, part by part: (c_0, c_1, ...)·(d_0, d_1, ...) as polynomials in s. NTT domain.

`by` multiplies the parts of one operand before the product: it is t, or 1 where the multiplication stands for
a change of representation.
"""

from collections.abc import Sequence

from fheasible.rings.rns.element import Poly
from fheasible.rings.rns.ring import RnsRing


def tensor(ring: RnsRing, xs: Sequence[Poly], ys: Sequence[Poly], by: int | None = None) -> tuple[Poly, ...]:
    """Part k is Σ x_i·y_(k-i), times `by`; 4 products for two ciphertexts of two parts."""
    made: list[Poly | None] = [None] * (len(xs) + len(ys) - 1)
    for i, x in enumerate(times(ring, xs, by)):
        for j, y in enumerate(ys):
            product, before = ring.multiply(x, y), made[i + j]
            made[i + j] = product if before is None else ring.add(before, product)
    return tuple(part for part in made if part is not None)


def square(
    ring: RnsRing, xs: Sequence[Poly], ys: Sequence[Poly], products: int = 3, by: int | None = None
) -> tuple[Poly, ...]:
    """The product where y is x (or close to a multiple): (x_0·y_0, 2·x_0·y_1, x_1·y_1), or by 4 products."""
    if products == 4 or len(xs) != 2:
        return tensor(ring, xs, ys, by)
    x0, x1 = times(ring, xs, by)
    mixed = ring.multiply(x0, ys[1])
    return ring.multiply(x0, ys[0]), ring.add(mixed, mixed), ring.multiply(x1, ys[1])


def times(ring: RnsRing, xs: Sequence[Poly], by: int | None) -> tuple[Poly, ...]:
    """Every part times an integer; the parts as they are where it is None."""
    return tuple(xs) if by is None else tuple(ring.scale(x, by) for x in xs)
