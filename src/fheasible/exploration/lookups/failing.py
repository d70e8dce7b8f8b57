"""How often a run of table look-ups goes wrong, in words. A sum without look-ups may never do so."""

from typing import Final

NEVER_BITS: Final = 10_000  # what fails less often than once in 2^10,000 runs never fails


def never(log2_failure: float) -> bool:
    """Whether something of that probability does not happen."""
    return -log2_failure > NEVER_BITS


def once(log2_failure: float) -> str:
    """How often something fails, as "2^41.3" for once in so many times."""
    bits = max(0.0, -log2_failure)  # in this order, -0.0 becomes 0.0
    return f"2^{bits:.0f}" if bits > 20 else f"2^{bits:.1f}"


def run_goes_wrong(log2_failure: float) -> str:
    """A clause without an article: "run goes wrong once in 2^41", or that it never does."""
    return "run never goes wrong" if never(log2_failure) else f"run goes wrong once in {once(log2_failure)}"


def wrong_in(log2_failure: float) -> str:
    """The same as a figure beside others: "wrong once in 2^41 runs", or "never wrong"."""
    return "never wrong" if never(log2_failure) else f"wrong once in {once(log2_failure)} runs"


def probability(log2_failure: float, digits: int = 0) -> str:
    """The probability in the cell of a table: "2^-41", or "never"."""
    return "never" if never(log2_failure) else f"2^{log2_failure:.{digits}f}"
