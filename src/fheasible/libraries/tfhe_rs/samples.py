"""The sets with which TFHE-rs is calibrated.

Times do not depend on errors, nor on whether a set is secure. So the sets differ in what counts: the number
and size of polynomials, the digits of both decompositions and the groups of bits.
"""

from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, TfheParameters

_ERRORS = Gaussian(2.0**-40)


def samples() -> list[TfheParameters]:
    """INSECURE sets: dimension, polynomials, their size, levels of the bootstrap and key switch, grouping."""
    grid = [
        (512, 1, 256, 3, 4, 1),
        (480, 4, 512, 1, 3, 1),
        (240, 2, 512, 2, 6, 1),
        (600, 2, 1024, 1, 4, 1),
        (300, 1, 1024, 3, 2, 1),
        (800, 1, 2048, 1, 5, 1),
        (200, 1, 2048, 2, 3, 1),
        (300, 1, 4096, 1, 6, 1),
        (80, 1, 4096, 2, 2, 1),
        (80, 1, 8192, 2, 4, 1),
        (24, 1, 16384, 2, 3, 1),
        (8, 1, 32768, 3, 2, 1),
        (480, 2, 1024, 1, 4, 2),
        (400, 1, 2048, 1, 3, 4),
        (120, 1, 2048, 2, 5, 3),
        (32, 1, 8192, 2, 3, 4),
    ]
    return [_parameters(*row) for row in grid]


def _parameters(n: int, k: int, size: int, level: int, switch: int, grouping: int) -> TfheParameters:
    return TfheParameters(
        lwe_dimension=n,
        glwe_dimension=k,
        polynomial_size=size,
        lwe_errors=_ERRORS,
        glwe_errors=_ERRORS,
        pbs=Gadget(40 // level, level),
        ks=Gadget(16 // switch, switch),
        message_modulus=4,
        carry_modulus=4,
        grouping=grouping,
    )
