"""How much faster operations are with several threads: Amdahl's law over loops that run limb by limb.

Libraries share out whole limbs: of l limbs, T threads take ceil(l / T) turns, so that 3 limbs gain no more
from 2 threads than 4 do. Of an operation's time with one thread, a part is no such loop (`Serial.limbs`, what
that many limbs take) and a part of the loop does not become faster (`Serial.share`: memory, the start of
threads).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from fheasible.libraries.layout import SWITCHING
from fheasible.program.types import HAS_DIGITS, MAKES_DIGITS, Action

Json = dict[str, Any]
_KEY_SWITCHING = (*SWITCHING, "keygen")


@dataclass(frozen=True, slots=True)
class Serial:
    """What of an operation is not parallel: of the time with one thread, for a loop over l limbs,
    (limbs + share * l) / (limbs + l)."""

    limbs: float
    share: float


@dataclass(frozen=True, slots=True)
class ThreadModel:
    """The parallelism of one library. `threads` are those it was measured with: more are an extrapolation.

    `error_band` is what nine tenths of the wall time of contexts is within that the fit did not see.
    """

    library: str
    version: str
    machine: str
    threads: tuple[int, ...]
    serial: Mapping[str, Serial] = field(default_factory=dict)  # "scheme/action"; absent: not parallel
    error_band: float = 0.0

    def known(self, name: str) -> Serial | None:
        """Of a "scheme/action"; of a part in hoisting, where it was not measured, that of the rotation."""
        return self.serial.get(name) or self.serial.get(like(name))

    def ratio(self, scheme: str, action: str, limbs: int, threads: int, special: int = 0) -> float:
        """Wall seconds with `threads` threads per CPU second with one, on an idle machine.

        `limbs` are those that the operation works on, `special` those of P.
        """
        serial = self.known(f"{scheme}/{action}")
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


def like(name: str) -> str:
    """The "scheme/action" that costs by the same kernels: of a part in hoisting that of the rotation."""
    scheme, _, action = name.partition("/")
    return f"{scheme}/rotate" if action in (MAKES_DIGITS, HAS_DIGITS) else name


def ratio(serial: Serial, loop: int, threads: int) -> float:
    """The time with `threads` threads, relative to one, of an operation that loops over `loop` limbs."""
    return float(amdahl(serial.limbs, serial.share, max(loop, 1), threads))


def amdahl(limbs: Any, share: Any, loop: Any, threads: int) -> Any:
    """The same by `Serial`'s two figures, of numbers or of arrays; `loop` is at least 1, which gains
    nothing."""
    alone = (limbs + share * loop) / (limbs + loop)
    return alone + (1 - alone) * -(-loop // threads) / loop


def loop_limbs(action: str, limbs: int, special: int) -> int:
    """The limbs that an operation loops over: key switching those of P too, rescaling all but the last."""
    if action in _KEY_SWITCHING:
        return limbs + special
    return limbs - 1 if action == Action.RESCALE else limbs
