"""How much memory and swap a worker may take, and the sizes as they are typed."""

import re
from dataclasses import asdict, dataclass

from fheasible.aliases import Json
from fheasible.errors import UsageError
from fheasible.units import size

LEAST_BYTES = 2**20
MOST_BYTES = 2**50
NEEDED = "needed"  # what --swap without a size stands for
_UNITS = {"": 2**20, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}  # without a unit: MiB
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)")


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """A worker's limit. `swap_bytes` is how much of its memory may lie in a swap file; 0 for none."""

    memory_bytes: int
    swap_bytes: int = 0

    def __str__(self) -> str:
        swap = f"with {size(self.swap_bytes)} of swap" if self.swap_bytes else "without swap"
        return f"{size(self.memory_bytes)} of memory {swap}"

    def to_json(self) -> Json:
        return asdict(self)


def limit_of(memory: str | int | None, swap: str | int | None) -> MemoryLimit | None:
    """The limit of --memory-limit and --swap as they are typed, or in bytes; None where neither is given."""
    if memory is None:
        if swap is not None:
            raise UsageError(
                f"--swap {swap} needs a limit on memory", "add --memory-limit, such as --memory-limit 512MiB"
            )
        return None
    if swap == NEEDED:
        raise UsageError("--swap has no size", "write --swap 4GiB")
    return MemoryLimit(bytes_of("--memory-limit", memory), 0 if swap is None else bytes_of("--swap", swap))


def is_size(word: str) -> bool:
    """Whether the word can be meant as a size, right or wrong."""
    return bool(re.match(r"-?[\d.]", word)) or word.lower() in ("inf", "none")


def bytes_of(option: str, typed: str | int) -> int:
    """The number of bytes of a size such as 512MiB, 1.5GiB, or 512, which is in MiB; a number is in bytes.
    UsageError for anything else."""
    if isinstance(typed, int):
        typed_bytes, typed = (0 if isinstance(typed, bool) else typed), f"{typed} bytes"
    else:
        told = _SIZE.fullmatch(typed.strip())
        unit = _UNITS.get(told[2].upper()) if told else None
        typed_bytes = int(float(told[1]) * unit) if told and unit else 0
    count = typed_bytes
    if not LEAST_BYTES <= count <= MOST_BYTES:
        raise UsageError(
            f"{option} {typed} is not a size from {size(LEAST_BYTES)} to {size(MOST_BYTES)}",
            f"write {option} 512MiB, or 4GiB",
        )
    return count
