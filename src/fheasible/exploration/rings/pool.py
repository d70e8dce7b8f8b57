"""The sets of one scheme that are still feasible, with their figures; and why there are none: the nearest
miss, with its numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible import units
from fheasible.aliases import Floats
from fheasible.estimation.ring_profile import RingProfile
from fheasible.exploration.rings.choice import RingCandidate
from fheasible.exploration.rings.figures import Figures
from fheasible.exploration.rings.space import RingSets
from fheasible.exploration.rings.wish import SECRET, RingWish
from fheasible.schemes.plan import Plan
from fheasible.schemes.scheme import RingScheme
from fheasible.security.verdict import Verdict, verdict, verdicts

TOTAL = ("encrypt", "evaluate", "decrypt")  # key generation happens once, however often the rest does


@dataclass(frozen=True, slots=True)
class RingPool:
    """The sets of one scheme as arrays; entry i of each belongs to set i. `stored` is the bytes that the
    exact ring keeps at most. `bytes` is the peak that a profile predicts; without a profile it is the same as
    `stored`, and `seconds`, by phase, are None."""

    kind: type[RingScheme]
    t: int
    sets: RingSets
    multiplications: Floats
    words: Floats
    stored: Floats
    bytes: Floats
    sizes: Mapping[str, Floats]
    seconds: Mapping[str, Floats] | None
    profile: RingProfile | None

    @staticmethod
    def of(
        kind: type[RingScheme], t: int, sets: RingSets, counted: Figures, profile: RingProfile | None
    ) -> "RingPool":
        def each(x: Any) -> Floats:
            return np.broadcast_to(np.asarray(x, dtype=np.float64), len(sets))

        used = profile if profile and all(map(profile.covers, counted.kernels.values())) else None
        seconds = {phase: each(used.seconds(k)) for phase, k in counted.kernels.items()} if used else None
        return RingPool(
            kind,
            t,
            sets,
            each(counted.multiplications),
            each(counted.words),
            each(counted.bytes),
            each(used.peak_bytes(counted.bytes) if used else counted.bytes),
            {name: each(size) for name, size in counted.sizes.items()},
            seconds | {"total": np.sum([seconds[phase] for phase in TOTAL], axis=0)} if seconds else None,
            used,
        )

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def complexity(self) -> Floats:
        """Predicted seconds; integer multiplications where there is no profile."""
        return self.multiplications if self.seconds is None else self.seconds["total"]

    @property
    def memory(self) -> Floats:
        """Predicted bytes; 32-bit integers where there is no profile."""
        return self.words if self.profile is None else self.bytes

    def where(self, chosen: NDArray[np.bool_]) -> "RingPool":
        """The sets that a mask selects."""
        return RingPool(
            self.kind,
            self.t,
            self.sets.where(chosen),
            self.multiplications[chosen],
            self.words[chosen],
            self.stored[chosen],
            self.bytes[chosen],
            {name: size[chosen] for name, size in self.sizes.items()},
            {name: s[chosen] for name, s in self.seconds.items()} if self.seconds else None,
            self.profile,
        )

    def candidate(
        self, i: int, compromise: float, pareto: bool, verdict: Verdict, warnings: tuple[str, ...]
    ) -> RingCandidate:
        """The candidate that set i is."""
        profile = self.profile
        return RingCandidate(
            kind=self.kind,
            parameters=self.sets.at(i, self.t),
            depth=int(self.sets.depth[i]),
            multiplications=int(self.multiplications[i]),
            words=int(self.words[i]),
            stored_bytes=int(self.stored[i]),
            sizes={name: int(size[i]) for name, size in self.sizes.items()},
            cpu_seconds={name: float(s[i]) for name, s in self.seconds.items()} if self.seconds else None,
            wall_factor=profile.wall_factor if profile else None,
            error_band=profile.error_band if profile else None,
            peak_bytes=int(self.bytes[i]) if profile else None,
            compromise=compromise,
            verdict=verdict,
            warnings=warnings,
            pareto=pareto,
        )


def not_bits(kind: type[RingScheme], steps: Plan, t: int) -> str:
    return f"plaintexts of {kind.title} are bits (t = 2), but {steps.name} needs t = {t}"


def too_shallow(sets: RingSets, depth: int, wish: RingWish) -> str:
    """Why no set in reach bears the depth, or the noise of the sums in addition to it."""
    i = int(np.lexsort((sets.log_w, sets.log_q, -sets.depth))[0])
    deepest = f"{_set(sets, i)}, allows {sets.depth[i]}"
    if sets.depth[i] >= depth:
        return (
            "the noise of its sums and products is too large for every set, although the deepest set, "
            f"{deepest} products in succession"
        )
    return (
        f"depth {depth} is needed, but the deepest set, {deepest}; {wish.rule} allows no log2 q beyond "
        f"{sets.log_q.max()} in rings up to {units.power_of_two(int(sets.n.max()))}"
    )


def insecure(kind: type[RingScheme], sets: RingSets, depth: int, wish: RingWish) -> str:
    """Why no set is secure, by the set to which today's estimate gives most bits; of those without a figure,
    the one of least q."""
    bits = verdicts(kind.problem, sets.n, sets.log_q, SECRET, wish.quantum).bits
    i = int(np.lexsort((sets.log_q, -np.nan_to_num(bits, nan=-1.0)))[0])
    found = verdict(kind.problem, int(sets.n[i]), float(sets.log_q[i]), SECRET, wish.quantum)
    enough = bits[i] >= wish.least_bits  # enough bits, but with a warning: overstretched NTRU
    warned = (
        f"today's estimate warns about every set of depth {depth}"
        if enough
        else f"no set of depth {depth} has {wish.least_bits} bits by today's estimate"
    )
    return f"{warned}; the nearest, with log2 w = {sets.log_w[i]}: {'; '.join(found.warnings)}"


def too_large(pool: RingPool, most: int) -> str:
    i = int(np.argmin(pool.bytes))
    return (
        f"the least memory is {units.size(float(pool.bytes[i]))}, at {_set(pool.sets, i)}, "
        f"but only {units.size(most)} are allowed"
    )


def too_slow(pool: RingPool, most: float) -> str:
    assert pool.seconds is not None
    i = int(np.argmin(pool.seconds["total"]))
    return (
        f"the least time is {units.seconds(float(pool.seconds['total'][i]))}, at {_set(pool.sets, i)}, "
        f"but only {units.seconds(most)} are allowed"
    )


def _set(sets: RingSets, i: int) -> str:
    n = units.power_of_two(int(sets.n[i]))
    return f"n = {n}, log2 q = {sets.log_q[i]}, log2 w = {sets.log_w[i]}"
