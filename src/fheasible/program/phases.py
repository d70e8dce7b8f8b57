"""The phases of a run, in the order in which they happen."""

from typing import Final

PHASES: Final = ("keygen", "encrypt", "evaluate", "decrypt")
PHASES_AND_TOTAL: Final = (*PHASES, "total")  # the total leaves out key generation
