"""How much faster operations are with several threads: Amdahl's law over loops that run limb by limb.

Libraries share out whole limbs: of l limbs, T threads take ceil(l / T) turns, so that 3 limbs gain no more
from 2 threads than 4 do. Of an operation's time with one thread, a part is no such loop (`Serial.limbs`, what
that many limbs take) and a part of the loop does not become faster (`Serial.share`: memory, the start of
threads).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from fheasible.program.types import Action

Json = dict[str, Any]
_KEY_SWITCHING = (Action.RELINEARIZE, Action.ROTATE, Action.SWAP_ROWS, "keygen")


@dataclass(frozen=True, slots=True)
class Serial:
    """What of an operation is not parallel."""

    limbs: float
    share: float

    def of(self, loop: int) -> float:
        """The serial part of the time with one thread, for a loop over so many limbs."""
        return (self.limbs + self.share * loop) / (self.limbs + loop) if loop > 0 else 1.0


@dataclass(frozen=True, slots=True)
class ThreadModel:
    """The parallelism of one library. `threads` are those it was measured with: more are an extrapolation.

    `error_band` is the mean relative error of wall times of contexts that the fit did not see.
    """

    library: str
    version: str
    machine: str
    threads: tuple[int, ...]
    serial: Mapping[str, Serial] = field(default_factory=dict)  # "scheme/action"; absent: not parallel
    error_band: float = 0.0

    def ratio(self, scheme: str, action: str, limbs: int, threads: int, special: int = 0) -> float:
        """Wall seconds with `threads` threads per CPU second with one, on an idle machine.

        `limbs` are those that the operation works on, `special` those of P.
        """
        serial = self.serial.get(f"{scheme}/{action}")
        return 1.0 if serial is None else ratio(serial, loop_limbs(action, limbs, special), threads)

    def speedup(self, scheme: str, action: str, limbs: int, threads: int, special: int = 0) -> float:
        """How many times faster than with one thread; 1 for what never was measured."""
        return 1.0 / self.ratio(scheme, action, limbs, threads, special)

    def to_json(self) -> Json:
        return asdict(self)

    @staticmethod
    def from_json(body: Json) -> "ThreadModel":
        serial = {name: Serial(**found) for name, found in body["serial"].items()}
        return ThreadModel(**{**body, "threads": tuple(body["threads"]), "serial": serial})


def ratio(serial: Serial, loop: int, threads: int) -> float:
    """The time with `threads` threads, relative to one, of an operation that loops over `loop` limbs."""
    if loop <= 0:
        return 1.0
    alone = serial.of(loop)
    return alone + (1 - alone) * -(-loop // threads) / loop


def loop_limbs(action: str, limbs: int, special: int) -> int:
    """The limbs that an operation loops over: key switching those of P too, rescaling all but the last."""
    if action in _KEY_SWITCHING:
        return limbs + special
    return limbs - 1 if action == Action.RESCALE else limbs
