"""The sets with which TFHE-rs is calibrated.

Times depend neither on how large errors are nor on whether a set is secure. So sets differ in what counts:
the number and size of polynomials, the digits of both decompositions, the groups of bits, and from which
distribution the errors are drawn, one by turns with the other. Small dimensions tell the prices apart, and
some are as large as those of secure sets, whose keys do not fit in a cache.
"""

from typing import Final

from fheasible.schemes.tfhe.parameters import Errors, Gadget, Gaussian, TfheParameters, TUniform

_ERRORS: Final = (Gaussian(2.0**-40), TUniform(24))


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
        (700, 5, 256, 1, 4, 1),
        (820, 4, 512, 1, 4, 1),
        (640, 1, 1024, 2, 5, 1),
        (880, 2, 1024, 1, 3, 1),
        (960, 1, 2048, 1, 3, 1),
        (720, 1, 2048, 2, 4, 1),
        (640, 1, 4096, 1, 4, 1),
        (480, 2, 1024, 1, 4, 2),
        (840, 1, 2048, 1, 4, 2),
        (690, 2, 1024, 1, 5, 3),
        (400, 1, 2048, 1, 3, 4),
        (120, 1, 2048, 2, 5, 3),
        (32, 1, 8192, 2, 3, 4),
    ]
    return [_parameters(*row, _ERRORS[i % len(_ERRORS)]) for i, row in enumerate(grid)]


def _parameters(
    n: int, k: int, size: int, level: int, switch: int, grouping: int, errors: Errors
) -> TfheParameters:
    return TfheParameters(
        lwe_dimension=n,
        glwe_dimension=k,
        polynomial_size=size,
        lwe_errors=errors,
        glwe_errors=errors,
        pbs=Gadget(40 // level, level),
        ks=Gadget(16 // switch, switch),
        message_modulus=4,
        carry_modulus=4,
        grouping=grouping,
    )
