"""On bits: c1^3 c2^2 c3^2 S T (S + c3) (S + c2 + c3), where S = c1 T + c1 + c2 and T = c1 c2 + c3.

Eleven factors: ten multiplications deep as written, five once Fheasible has paired them
(@fh.app(minimise_depth=False, ...) keeps the ten).
"""

import fheasible as fh


@fh.app(
    c1=fh.integers(4096, low=0, high=1),
    c2=fh.integers(4096, low=0, high=1),
    c3=fh.integers(4096, low=0, high=1),
)
def depth_ten(c1, c2, c3):
    t = c1 * c2 + c3
    s = c1 * t + c1 + c2
    return c1 * c1 * c1 * c2 * c2 * c3 * c3 * s * t * (s + c3) * (s + c2 + c3)
