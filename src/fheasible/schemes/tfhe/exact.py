"""The ring in which TFHE with given parameters is run."""

from fheasible.rings.torus.exact import DOUBLES, ExactTorusRing
from fheasible.rings.torus.fourier import parts_needed
from fheasible.schemes.tfhe.parameters import TfheParameters


def exact_ring(p: TfheParameters, seed: int | None = None, doubles: bool = False) -> ExactTorusRing:
    """A ring whose products are exact for these parameters; with `doubles`, they have the errors of one FFT
    in double precision, as in the libraries."""
    rows, sums = p.pbs.level * (p.glwe_dimension + 1), 1 << (p.grouping if p.grouping > 1 else 0)
    needed = parts_needed(p.pbs.base_log - 1, sums.bit_length(), rows, p.polynomial_size)
    return ExactTorusRing(seed, p.torus_bits, DOUBLES if doubles else needed)
