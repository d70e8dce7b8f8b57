"""On bits modulo 2: c1^3 c2^2 c3^2 S T (S + c3) (S + c2 + c3), where S = c1 T + c1 + c2 and T = c1 c2 + c3.

Equation 3 of the PAnTHErS paper (modulo 2 it is always 0). Eleven factors: a chain of ten multiplications as
written, five levels once they are paired (--as-written keeps the chain).
"""

import fheasible as fh


@fh.app(c1=fh.integers(1, modulo=2), c2=fh.integers(1, modulo=2), c3=fh.integers(1, modulo=2))
def ten_products(c1, c2, c3):
    t = c1 * c2 + c3
    s = c1 * t + c1 + c2
    return c1 * c1 * c1 * c2 * c2 * c3 * c3 * s * t * (s + c3) * (s + c2 + c3)
