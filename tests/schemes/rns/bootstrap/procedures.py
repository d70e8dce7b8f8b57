"""Procedures that together make every choice, by what they show."""

from dataclasses import replace

from fheasible.schemes.rns.bootstrap.method import EVEN, LATE, Alignment, Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction, Wave

ALL, FEW = 32, 8  # slots, of a ring of dimension 64
SERIES = Reduction(12, 63, 2)
BITS = 10  # of the message
FULL = Procedure(ALL, (3, 2), (2, 3), SERIES, BITS)
SPARSE = Procedure(FEW, (2, 1), (1, 2), SERIES, BITS)
SHARED = {
    "full": FULL,
    "sparse": SPARSE,
    "one factor": replace(FULL, encode=(5,), decode=(5,)),
    "one factor, sparse": replace(SPARSE, encode=(3,), decode=(3,)),
    "factors of one stage": replace(SPARSE, encode=(1, 1, 1), decode=(1, 1, 1)),
    "encapsulated": replace(FULL, ephemeral=4, reduction=Reduction(8, 40, 2)),
    "encapsulated, sparse": replace(SPARSE, ephemeral=4, reduction=Reduction(8, 40, 2)),
    "three double angles": replace(FULL, reduction=Reduction(12, 36, 3)),
    "two iterations, sparse": replace(SPARSE, iterations=2, iteration_bits=8),
}
ARCSINE = replace(FULL, reduction=replace(SERIES, inverse_degree=7), message_bits=4)
EVEN_ALONE = {
    "arcsine": ARCSINE,
    "three iterations, sparse": replace(SPARSE, iterations=3, iteration_bits=6),
    "sine": replace(FULL, reduction=Reduction(6, 63, wave=Wave.SINE)),
    "near the integers": replace(FULL, reduction=Reduction(12, 30, 3, wave=Wave.COSINE)),
    "factors share primes": replace(ARCSINE, encode=(2, 2, 1), encode_shared=(2, 1), decode_shared=(2,)),
}
LATE_ALONE: dict[str, tuple[Procedure, Method]] = {
    alignment: (FULL, replace(LATE, alignment=alignment)) for alignment in Alignment
} | {"the bound in the transform": (FULL, replace(LATE, bound_apart=False))}
CASES: dict[str, tuple[Procedure, Method]] = (
    {f"even: {name}": (p, EVEN) for name, p in (SHARED | EVEN_ALONE).items()}
    | {f"late: {name}": (p, LATE) for name, p in SHARED.items()}
    | {f"late: {name}": case for name, case in LATE_ALONE.items()}
)
