"""How much faster operations are with several threads: Amdahl's law over loops that run limb by limb.

Libraries whose threads share out the limbs of an operation give each thread whole limbs: T threads work
through l limbs in ceil(l / T) turns, so 2 threads take as many turns for 3 limbs as for 4. Two parts of an
operation's time with one thread do not become faster: a part outside such loops, which takes as long as
`Serial.limbs` limbs, and the share `Serial.share` of the loop itself (memory, the start of threads).

Where each thread executes operations of its own, the loop is over operations: k of them at once take k times
the time of one for the share that is not parallel. What a whole program takes is worked out by `walls`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from fheasible.aliases import Json
from fheasible.libraries.layout import BOOTSTRAP_KEYS, SWITCHING
from fheasible.program.types import HAS_DIGITS, MAKES_DIGITS, Action

_KEY_SWITCHING = (*SWITCHING, "keygen", BOOTSTRAP_KEYS)


@dataclass(frozen=True, slots=True)
class Serial:
    """The part of an operation that is not parallel.

    It is (limbs + share * l) / (limbs + l) of the time with one thread, for a loop over l limbs.
    """

    limbs: float
    share: float


@dataclass(frozen=True, slots=True)
class ThreadModel:
    """The parallelism of one library, measured with each number of `threads`; more is an extrapolation.

    `error_band` is the relative error that nine tenths of the wall time stay within, in contexts that the
    fit did not see.
    """

    library: str
    version: str
    machine: str
    threads: tuple[int, ...]
    serial: Mapping[str, Serial] = field(default_factory=dict)  # by "scheme/action"; absent: not parallel
    error_band: float = 0.0

    def known(self, name: str) -> Serial | None:
        """The serial part of a "scheme/action"; None where it was not measured.

        A hoisted rotation that was not measured has the serial part of a plain rotation.
        """
        return self.serial.get(name) or self.serial.get(like(name))

    def ratio(self, scheme: str, action: str, limbs: int, threads: int, special: int = 0) -> float:
        """Wall seconds with `threads` threads per CPU second with one, on an idle machine.

        `limbs` is the number of limbs that the operation works on, `special` the number of limbs of P.
        """
        serial = self.known(f"{scheme}/{action}")
        return 1.0 if serial is None else ratio(serial, loop_limbs(action, limbs, special), threads)

    def speedup(self, scheme: str, action: str, limbs: int, threads: int, special: int = 0) -> float:
        """How many times faster an operation is than with one thread; 1 for one that was never measured."""
        return 1.0 / self.ratio(scheme, action, limbs, threads, special)

    def to_json(self) -> Json:
        return asdict(self)

    @staticmethod
    def from_json(body: Json) -> "ThreadModel":
        serial = {name: Serial(**found) for name, found in body["serial"].items()}
        return ThreadModel(**{**body, "threads": tuple(body["threads"]), "serial": serial})


def like(name: str) -> str:
    """The "scheme/action" that uses the same kernels, or else the name itself.

    It is the plain rotation for a hoisted one, and key generation for the keys of a bootstrap.
    """
    scheme, _, action = name.partition("/")
    if action == BOOTSTRAP_KEYS:
        return f"{scheme}/keygen"
    return f"{scheme}/rotate" if action in (MAKES_DIGITS, HAS_DIGITS) else name


def ratio(serial: Serial, loop: int, threads: int) -> float:
    """The time with `threads` threads, relative to one, of an operation that loops over `loop` limbs."""
    return float(amdahl(serial.limbs, serial.share, max(loop, 1), threads))


def amdahl(limbs: Any, share: Any, loop: Any, threads: int) -> Any:
    """The time with `threads` threads, relative to one, from the two figures of `Serial` (numbers or arrays).

    `loop` is at least 1; a loop over one limb gains nothing.
    """
    alone = (limbs + share * loop) / (limbs + loop)
    return alone + (1 - alone) * -(-loop // threads) / loop


def loop_limbs(action: str, limbs: int, special: int) -> int:
    """The number of limbs that an operation loops over.

    Key switching and key generation add the limbs of P; rescaling leaves out the last limb.
    """
    if action in _KEY_SWITCHING:
        return limbs + special
    return limbs - 1 if action == Action.RESCALE else limbs
