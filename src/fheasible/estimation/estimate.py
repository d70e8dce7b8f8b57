"""What a program will cost and give at parameters, before it is run."""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from fheasible.estimation.features import Shape, features, shape
from fheasible.estimation.profile import Profile
from fheasible.estimation.sizes import WORD, Sizes, sizes
from fheasible.libraries.parameters import Parameters
from fheasible.program.schedule import live_limbs, value_levels, value_sizes
from fheasible.program.types import Action, Program

Json = dict[str, Any]
PHASES = ("keygen", "encrypt", "evaluate", "decrypt")


@dataclass(frozen=True, slots=True)
class Estimate:
    """Predicted figures; times and peak are None without a profile."""

    cpu_seconds: dict[str, float] | None
    wall_seconds: dict[str, float] | None
    peak_bytes: int | None
    sizes: Sizes
    precision_bits: float | None
    security_bits: float
    standard_bits: int | None
    library_bits: int | None
    error_band: float | None

    @property
    def calibrated(self) -> bool:
        return self.cpu_seconds is not None

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
            "security_bits": self.security_bits,
            "standard_bits": self.standard_bits,
            "library_bits": self.library_bits,
            "calibrated": self.calibrated,
            "error_band": self.error_band,
        }


def cpu_seconds(program: Program, p: Parameters, profile: Profile) -> dict[str, float] | None:
    """CPU seconds by phase; None where the profile lacks an operation of the program."""
    times: dict[str, float] = dict.fromkeys(PHASES, 0.0)
    keygen = Counter({Item("keygen", "keygen", p.limbs - 1, sizes(program, p).evaluation_keys): 1})
    for item, count in (tally(program) + keygen).items():
        price = profile.seconds(p.scheme, item.action, item.shape(p))
        if price is None:
            return None
        times[item.phase] += count * price
    return times | {"total": times["encrypt"] + times["evaluate"] + times["decrypt"]}


COMPOSITES = (Action.EVAL_SUM, Action.EVAL_CHEBYSHEV)


class Item(NamedTuple):
    """A kind of operation of a program: equal ones cost the same."""

    phase: str
    action: str
    level: int
    polys: int
    dropped: int = 0

    def shape(self, p: Parameters) -> Shape:
        return shape(p, self.level, self.polys, self.dropped)


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
    polys = value_sizes(program)
    made_at = value_levels(program)
    return [
        Item(
            "encrypt" if o.action is Action.ENCRYPT else "evaluate",
            o.action.value,
            o.computes_at,
            polys[o.out],
            made_at[o.args[0]] - o.level if o.action is Action.DROP else 0,
        )
        for o in program.operations
    ]


@lru_cache(maxsize=8192)
def work(program: Program, p: Parameters) -> float:
    """Features of all operations added up, unweighted: ranks parameters where no profile is at hand."""
    return sum(n * sum(features(item.action, item.shape(p))) for item, n in tally(program).items())


def peak_bytes(program: Program, p: Parameters, profile: Profile) -> int | None:
    """Peak resident set of the process that runs the program."""
    model = profile.memory.get(p.scheme)
    if model is None:
        return None
    needs = memory_needs(program, p)
    parts = zip((model.context, model.keys, model.live), needs, strict=True)
    return int(model.baseline_bytes + sum(c * x for c, x in parts))


def memory_needs(program: Program, p: Parameters) -> tuple[float, float, float]:
    """Coefficients of the context's tables, bytes of keys, bytes of living ciphertexts."""
    context = p.ring_dimension * (p.limbs + len(p.p)) * _contexts(program, p)
    return float(context), float(sizes(program, p).all_keys_bytes), float(live_bytes(program, p))


def _contexts(program: Program, p: Parameters) -> int:
    """SEAL's binding encodes vectors at the top level only: its worker has a context for each other one."""
    if p.library != "seal":
        return 1
    vectors = (Action.ADD_PLAIN, Action.MUL_PLAIN)
    return len({program.levels} | {o.level for o in program.operations if o.action in vectors})


def live_bytes(program: Program, p: Parameters) -> int:
    """Bytes of all ciphertexts when most of them are alive."""
    per_limb = WORD * p.ring_dimension
    whole = p.limbs if p.scheme == "bfv" else 1
    return _most_limbs(program) * per_limb * whole


@lru_cache(maxsize=1024)
def _most_limbs(program: Program) -> int:
    return max(live_limbs(program), default=0)


def estimate(
    program: Program,
    p: Parameters,
    profile: Profile | None,
    *,
    precision_bits: float | None,
    security_bits: float,
    standard_bits: int | None,
    library_bits: int | None,
) -> Estimate:
    """Everything that is predicted of a program at these parameters."""
    cpu = cpu_seconds(program, p, profile) if profile else None
    wall = {k: v * profile.wall_factor for k, v in cpu.items()} if cpu and profile else None
    return Estimate(
        cpu,
        wall,
        peak_bytes(program, p, profile) if profile else None,
        sizes(program, p),
        precision_bits,
        security_bits,
        standard_bits,
        library_bits,
        profile.error_band if profile and cpu else None,
    )
