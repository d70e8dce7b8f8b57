"""BGV and BFV by columns: all sizes of primes that a program may have in a ring, judged at once.

Noise of integers is not monotone in the size of primes (BGV's plaintext factors follow from them), so that
every size is looked at. What `judge.Judge` says of one set is said of all here.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from fheasible.errors import InfeasibleParameters
from fheasible.estimation.profile import Profile
from fheasible.exploration.columns import Columns
from fheasible.exploration.described import affordable, tabled, taken
from fheasible.exploration.judge import Rejection
from fheasible.exploration.problem import Problem
from fheasible.exploration.sieve import Judged, Nearest, Sieve, nearer
from fheasible.exploration.space import PRIME_BITS, Choice, prime_bits, request, special_bits
from fheasible.exploration.wish import Wish
from fheasible.libraries.block import Block
from fheasible.libraries.blocks import blocks
from fheasible.libraries.catalogue import Library
from fheasible.libraries.parameters import Request
from fheasible.lowering.plan import depth_of
from fheasible.noise.exact import budget_bits
from fheasible.noise.primitive import narrowest_error
from fheasible.program.types import Program
from fheasible.security.lookup import allowed_log_q

SECRET: Final = "uniform_ternary"
RULES: Final = (
    0,
    8,
    60,
)  # bits by which a BGV chain's first prime exceeds the others: as far as there are any


class Integers:
    """A library and scheme in one ring."""

    def __init__(
        self, problem: Problem, library: Library, scheme: str, wish: Wish, profile: Profile | None, ring: int
    ) -> None:
        self.problem, self.library, self.scheme, self.wish, self.profile = (
            problem, library, scheme, wish, profile
        )  # fmt: skip
        self.n = ring
        self.limit = allowed_log_q(ring, SECRET, wish.security, wish.quantum)

    def judged(self, choice: Choice, place: int, every: bool) -> Judged:
        """All sizes of a choice. `place`: by which its rows are known again."""
        sized = self.sizes(choice, every)
        program = self.problem.lowerings(()).program(choice.style, self.n, choice.slots)
        depth = depth_of(program, choice.style)
        try:
            t = self.problem.plain_modulus(self.n)
        except InfeasibleParameters as error:
            return Judged(len(sized), Columns.empty(), Rejection("parameters", error.message))
        asked, nearest = self._asked(sized, depth, t)
        answer = blocks(self.library, [r for _, r in asked])
        if answer.refusals:
            first = next(iter(answer.refusals.values()))
            nearest = nearer(nearest, Rejection("parameters", first.message, 1.0))
        found = []
        for made in answer.made:
            left = self._sieve(choice, place, [asked[i][0] for i in made.indices.tolist()])
            found.append(self._of_block(program, made.block, left))
            nearest = nearer(nearest, left.nearest)
        return Judged(len(sized), Columns.joined(found), nearest)

    def limbs(self, choice: Choice) -> int:
        """Of BGV's chain."""
        program = self.problem.lowerings(()).program(choice.style, self.n, choice.slots)
        return depth_of(program, choice.style) + 1

    def sizes(self, choice: Choice, every: bool) -> list[Choice]:
        """OpenFHE sizes primes itself; without `every` three rules for BGV's first prime."""
        if self.library.name == "openfhe":
            return [choice]
        if self.scheme == "bfv":
            return [replace(choice, level_bits=bits) for bits in PRIME_BITS]
        largest = PRIME_BITS[-1]
        return [
            replace(choice, level_bits=bits, first_bits=first)
            for bits in PRIME_BITS
            for first in (
                range(bits, largest + 1)
                if every
                else dict.fromkeys(min(bits + above, largest) for above in RULES)
            )
        ]

    def _asked(
        self, sized: Sequence[Choice], depth: int, t: int
    ) -> tuple[list[tuple[Choice, Request]], Nearest]:
        """Requests for what may be secure, and the nearest of what is not."""
        kept: list[tuple[Choice, Request]] = []
        least = float("inf")
        for choice in sized:
            bits = self._bits(choice, depth)
            if bits > self.limit:
                least = min(least, bits)
            else:
                wish = self.wish
                asked = request(choice, self.library, wish.security, wish.quantum, depth, t)
                kept.append((choice, asked))
        if least == float("inf"):
            return kept, None
        return kept, Rejection("security", self._insecure(least), least / max(self.limit, 1.0))

    def _bits(self, choice: Choice, depth: int) -> float:
        """log2 QP is no smaller; 0 where the library finds the sizes."""
        q = prime_bits(choice, self.scheme, depth)
        if q is None:
            return 0.0
        p = special_bits(choice, self.library) or (max(q),)
        return sum(b - min(1.0, 8 * (len(q) + len(p)) * self.n * b / 2.0**b) for b in q + p)

    def _insecure(self, log_qp: float) -> str:
        return (
            f"log2 QP = {log_qp:.0f} at N = {self.n}, where {self.wish.security}-bit security allows "
            f"{self.limit:.0f} bits"
        )

    def _sieve(self, choice: Choice, place: int, sized: Sequence[Choice]) -> Sieve:
        columns = {
            "scale": np.array([c.level_bits or 0 for c in sized]),
            "first": np.array([c.first_bits or c.level_bits or 0 for c in sized]),
            "special": np.zeros(len(sized), dtype=np.int64),
        }
        return Sieve(choice, place, columns)

    def _of_block(self, program: Program, block: Block, left: Sieve) -> Columns:
        left["at"] = np.arange(len(block))
        left["log_q"], left["log_p"] = block.log_q, np.broadcast_to(block.log_p, len(block))
        log_qp = block.log_qp
        left.keep(log_qp <= self.limit, "security", log_qp / max(self.limit, 1.0))
        if not len(left):
            return Columns.empty()
        budget = np.asarray(budget_bits(program, block.take(left["at"]), self.wish.failure_bits))
        left.keep(budget >= 0, "correctness", -budget)
        if not len(left):
            return Columns.empty()
        block = block.take(left["at"])
        left.columns.update(taken(program, block, self.profile))
        affordable(left, self.wish)
        return self._tabled(program, block, left)

    def _tabled(self, program: Program, block: Block, left: Sieve) -> Columns:
        sized = self.library.name != "openfhe"
        r = block.exact[0].request
        shape = {
            "library": self.library.name, "scheme": self.scheme, "technique": block.technique,
            "ring_dimension": self.n, "secret": SECRET, "sigma": narrowest_error(program, block),
            "limbs": block.limbs, "special_limbs": len(block.p), "digits": block.digits,
            "depth": r.depth if r else 0, "plain_modulus": float(block.plain_modulus or 0),
        }  # fmt: skip
        if sized:
            left["level_bits"], left["first_bits"] = (left[k].astype(np.float64) for k in ("scale", "first"))
            left["special_bits"] = np.floor(np.log2(np.max(block.p, axis=0)) + 0.5)[: len(left)]
        return tabled(program, shape, left, self.wish, self.profile.error_band if self.profile else None)
