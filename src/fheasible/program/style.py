"""How a library wants a program of one scheme to be written."""

from dataclasses import dataclass

from fheasible.program.types import Scheme


@dataclass(frozen=True, slots=True)
class Style:
    """Facts about (scheme, library, technique) that change which operations a program consists of."""

    scheme: Scheme
    automatic: bool = False  # the library brings operands to one level by itself
    extended: bool = False  # fresh ciphertexts carry one more limb and its degree (FLEXIBLEAUTOEXT)
    composites: bool = False  # sums and Chebyshev series are the library's own (OpenFHE's CKKS), for studies
    exact_scales: bool = True  # CKKS: each level has its own scale, so values must be brought to it
    as_written: bool = False  # products in the order written, be it deeper than need be
    spare: int = 0  # levels that results keep, as room for values beyond the first prime
    mixed_sizes: bool = True  # products that are not relinearised yet may meet what is (not in OpenFHE's BFV)
    hoists: bool = False  # rotations of one value share its digits
    signed_numbers: bool = True  # -3 multiplies noise by 3 (not by t - 3, as where integers lie in [0, t))
    loses_last_summands: bool = False  # plain summands at the last level count as zero

    @property
    def leveled(self) -> bool:
        """Whether multiplications use up levels."""
        return self.scheme is not Scheme.BFV

    @property
    def exact(self) -> bool:
        """Whether the plaintexts are integers."""
        return self.scheme is not Scheme.CKKS
