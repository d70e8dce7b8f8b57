"""What a program will cost and give at parameters, before it is run."""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from fheasible.estimation import memory
from fheasible.estimation.features import Caches, Shape, features
from fheasible.estimation.profile import Profile
from fheasible.estimation.sizes import Sizes, sizes
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.work import Layout, Task
from fheasible.program.schedule import product_depths, value_levels, value_sizes
from fheasible.program.types import Action, Program

Json = dict[str, Any]
PHASES = ("keygen", "encrypt", "evaluate", "decrypt")


@dataclass(frozen=True, slots=True)
class Estimate:
    """Predicted figures; times are None without a profile."""

    cpu_seconds: dict[str, float] | None
    wall_seconds: dict[str, float] | None
    peak_bytes: int
    sizes: Sizes
    precision_bits: float | None
    security_bits: float
    standard_bits: int | None
    library_bits: int | None
    error_band: float | None
    absolute_error: float | None = None  # of any element of a CKKS result, in all but one in a thousand runs
    largest_relative_error: float | None = None  # likewise, over the element's value
    worst_case_bits: float | None = None  # of CKKS, whatever inputs the declared ranges allow
    origin: str = ""  # of times by a shipped profile: the processor that it was measured on

    @property
    def timed(self) -> bool:
        return self.cpu_seconds is not None

    @property
    def calibrated(self) -> bool:
        """Whether the times are of this machine."""
        return self.timed and not self.origin

    def to_json(self) -> Json:
        """The shape E of the command line's contract."""
        return {
            "cpu_seconds": self.cpu_seconds or dict.fromkeys((*PHASES, "total")),
            "wall_seconds": self.wall_seconds or dict.fromkeys((*PHASES, "total")),
            "peak_bytes": self.peak_bytes,
            "ciphertext_bytes": self.sizes.ciphertext_bytes,
            "public_key_bytes": self.sizes.public_key_bytes,
            "evaluation_key_bytes": self.sizes.evaluation_key_bytes,
            "evaluation_keys": self.sizes.evaluation_keys,
            "secret_key_bytes": self.sizes.secret_key_bytes,
            "precision_bits": self.precision_bits,
            "absolute_error": self.absolute_error,
            "largest_relative_error": self.largest_relative_error,
            "worst_case_bits": self.worst_case_bits,
            "security_bits": self.security_bits,
            "standard_bits": self.standard_bits,
            "library_bits": self.library_bits,
            "calibrated": self.calibrated,
            "error_band": self.error_band,
            "profile_of": self.origin or None,
        }


def cpu_seconds(program: Program, p: Parameters, profile: Profile) -> dict[str, float]:
    """CPU seconds by phase; "total" is of all but key generation."""
    return dict(
        _cpu_seconds(program, p.ring_dimension, Layout.of(p), profile, sizes(program, p).evaluation_keys)
    )


@lru_cache(maxsize=4096)  # sets that differ in the size of their primes alone cost the same
def _cpu_seconds(program: Program, n: int, layout: Layout, profile: Profile, keys: int) -> dict[str, float]:
    times = dict.fromkeys(PHASES, 0.0)
    keygen = Counter({Item("keygen", "keygen", layout.limbs - 1, keys): 1})
    for item, count in (tally(program) + keygen).items():
        times[item.phase] += count * profile.seconds(Shape(n, layout, item.task(layout)))
    times = {phase: profile.composition * seconds for phase, seconds in times.items()}
    return times | {"total": times["encrypt"] + times["evaluate"] + times["decrypt"]}


COMPOSITES = (Action.EVAL_SUM, Action.EVAL_CHEBYSHEV)


class Item(NamedTuple):
    """A kind of operation of a program: equal ones cost the same."""

    phase: str
    action: str
    level: int
    polys: int = 2
    dropped: int = 0
    depth: int = 0  # products before it, one after another

    def task(self, layout: Layout) -> Task:
        """What it is there: BFV works on all limbs at every level, and OpenFHE's alone minds the depth."""
        bfv = layout.scheme == "bfv"
        level = layout.limbs - 1 if bfv else min(self.level, layout.limbs - 1)
        depth = self.depth if bfv and layout.library == "openfhe" else 0
        return Task(self.action, level, self.polys, self.dropped, depth)


@lru_cache(maxsize=1024)
def tally(program: Program) -> Counter[Item]:
    """How often each kind of operation occurs, decryption included."""
    counts = Counter(i for i in items(program) if i.action not in COMPOSITES)  # those cost what is inside
    for o in program.operations:
        counts.update(Item("evaluate", action, level, 2) for action, level in o.internal)
    made_at = value_levels(program)
    counts.update(Item("decrypt", "decrypt", made_at[v], 2) for out in program.outputs for v in out.values)
    return counts


def items(program: Program) -> list[Item]:
    """The kind of each operation, in order."""
    polys, depths = value_sizes(program), product_depths(program)
    made_at = value_levels(program)
    return [
        Item(
            "encrypt" if o.action is Action.ENCRYPT else "evaluate",
            o.action.value,
            o.computes_at,
            polys[o.out],
            made_at[o.args[0]] - o.level if o.action is Action.DROP else 0,
            max((depths[a] for a in o.args), default=0),
        )
        for o in program.operations
    ]


def work(program: Program, p: Parameters) -> float:
    """Features of all operations added up, unweighted: ranks parameters where no profile is at hand."""
    return _work(program, p.ring_dimension, Layout.of(p))


@lru_cache(maxsize=4096)
def _work(program: Program, n: int, layout: Layout) -> float:
    kinds = ((Shape(n, layout, item.task(layout)), count) for item, count in tally(program).items())
    return sum(count * sum(features(shape, Caches())) for shape, count in kinds)


def peak_bytes(program: Program, p: Parameters, profile: Profile | None) -> int:
    """Peak resident set of the process that runs the program; by counts alone where nothing was fitted."""
    fitted = profile.memory.get(p.scheme) if profile else None
    return memory.peak_bytes(fitted or memory.PHYSICAL[p.library], memory.needs(program, p))


def estimate(
    program: Program,
    p: Parameters,
    profile: Profile | None,
    *,
    precision_bits: float | None,
    security_bits: float,
    standard_bits: int | None,
    library_bits: int | None,
    absolute_error: float | None = None,
    largest_relative_error: float | None = None,
) -> Estimate:
    """Everything that is predicted of a program at these parameters."""
    cpu = cpu_seconds(program, p, profile) if profile else None
    wall = {k: v * profile.wall_factor for k, v in cpu.items()} if cpu and profile else None
    return Estimate(
        cpu,
        wall,
        peak_bytes(program, p, profile),
        sizes(program, p),
        precision_bits,
        security_bits,
        standard_bits,
        library_bits,
        profile.error_band if profile else None,
        absolute_error,
        largest_relative_error,
        origin=profile.origin if profile else "",
    )
