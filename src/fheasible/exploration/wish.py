"""What the user wants of a recommendation."""

from dataclasses import dataclass

from fheasible.errors import UsageError

SECURITY_LEVELS = (128, 192, 256)
OBJECTIVES = ("time", "memory", "size")
LEAST_BITS = 10.0  # of CKKS results where no precision is asked


@dataclass(frozen=True, slots=True)
class Wish:
    """Constraints and the objective. Security is classical unless `quantum`."""

    security: int = 128
    quantum: bool = False
    precision_bits: float | None = None
    max_seconds: float | None = None
    max_bytes: int | None = None
    objective: str = "time"

    def __post_init__(self) -> None:
        if self.security not in SECURITY_LEVELS:
            raise UsageError(
                f"nobody offers {self.security} bits of security",
                f"the standards define {', '.join(map(str, SECURITY_LEVELS))}: choose one of them",
            )
        if self.objective not in OBJECTIVES:
            raise UsageError(
                f"there is no objective {self.objective!r}", f"choose one of {', '.join(OBJECTIVES)}"
            )
        if self.precision_bits is not None and not 0 < self.precision_bits <= 52:
            raise UsageError(
                f"a precision of {self.precision_bits:g} bits cannot be had",
                "cleartext doubles carry 52 bits: ask for more than 0 and at most 52",
            )

    @property
    def least_bits(self) -> float:
        return LEAST_BITS if self.precision_bits is None else self.precision_bits
