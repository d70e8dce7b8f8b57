"""The judgement of a single choice: a candidate with its estimate, or the reason why it is rejected."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from math import log2
from typing import Any

from fheasible.errors import InfeasibleParameters, UnsupportedOperation
from fheasible.estimation.estimate import Estimate, estimate, swapped
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging import secure, sharing
from fheasible.exploration.judging.candidate import Candidate, split
from fheasible.exploration.judging.finer import finer
from fheasible.exploration.judging.impossible import DEEPER, SMALLER, overflowing
from fheasible.exploration.judging.threads import Threads, serving, walls_of
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import FAILURE_BITS, HALF, Asked, Measure, Wish, rounds_below
from fheasible.exploration.space import bootstraps
from fheasible.exploration.space.requests import Choice, request
from fheasible.exploration.space.sizing import LEAST_ROOM
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import CkksParameters, Parameters, Request, request_for
from fheasible.noise.ckks.decryption import REFUSED_BITS
from fheasible.noise.ckks.elements import refusal_bits
from fheasible.noise.ckks.headroom import headroom_bits, scale_room_bits, smallest_number_bits
from fheasible.noise.ckks.modular_raising import bootstrap_failure_bits
from fheasible.noise.ckks.precision import Precision, precision
from fheasible.noise.integers.budget import budget_bits
from fheasible.noise.reach.gains import Gains
from fheasible.program.types import Program
from fheasible.security.keys import MAIN
from fheasible.security.lookup import security_bits
from fheasible.security.tables import ENFORCED, standard_bits

ROUNDS_TO_ZERO = -1.0  # log2 of half
_TOO_FAINT = (
    "set numbers that are too small to matter to 0, or raise the scale with a higher --precision or "
    "scale_bits"
)
TRUST_DATA = (
    "declare narrower ranges, or give data and say that no input will be larger: --data, --trust-data"
)

MORE_MODULUS = (
    "give results more modulus with a larger first prime or a spare level (--param first_bits=60, "
    "spare_levels=1)"
)

NOTHING_BITS = 0.0  # an element that is off by more than the largest result may outgrow its modulus, too
FITS = 2.0**-3  # an error up to this never does: no first prime is smaller than the scale
_DROWNED = (
    "the error of an element may exceed the largest result, outgrow the modulus and spoil all other elements"
)

STAGES = (
    "expression", "parameters", "security", "overflow", "correctness", "precision", "ranges", "memory",
    "size", "time",
)  # fmt: skip
"""The stages in their order. In "ranges", a set that is right on the data is wrong for other declared
inputs."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a choice is rejected. One that fails at a later stage, or at the same stage by a smaller `miss`,
    was nearer to being feasible."""

    stage: str
    reason: str
    miss: float = 0.0
    remedy: str = ""

    @property
    def distance(self) -> tuple[int, float]:
        return (-STAGES.index(self.stage), self.miss)


_TOO_SMALL = ("overflow", "correctness", "precision", "ranges")


def too_small(verdict: object) -> bool:
    """Whether only larger primes can help."""
    return isinstance(verdict, Rejection) and verdict.stage in _TOO_SMALL


def refused(verdict: object) -> bool:
    """Whether the library has no such parameters: it lacks primes so small, or allows none so large."""
    return isinstance(verdict, Rejection) and verdict.stage == "parameters"


class Judge:
    """Judges choices for one library, scheme, wish and profile."""

    def __init__(
        self, problem: Problem, library: Library, scheme: str, wish: Wish, profile: Profile | None
    ) -> None:
        self.problem, self.library, self.scheme, self.wish = problem, library, scheme, wish
        self.profile = profile if profile and profile.covers(scheme) else None

    @property
    def floods(self) -> bool:
        """Whether decryption must drown the noise of results."""
        return sharing.floods(self.problem, self.scheme, self.wish.shared_results)

    @property
    def asked(self) -> tuple[Hashable, ...]:
        """All that a verdict depends on, beside the choice and what the problem itself is."""
        others = self.problem.elsewhere(self.library.name, self.scheme)
        return self.library.name, self.library.techniques, self.scheme, self.wish, self.profile, others

    def __call__(self, choice: Choice) -> Candidate | Rejection:
        made = self.made(choice)
        if isinstance(made, Rejection):
            return made
        program, p = made
        return (
            self._insecure(program, p)
            or failing(p, program.bootstrap_count, self.wish.failure_bits)
            or wrong(self.problem, program, p, self.wish.failure_bits, expected=True)
            or self._accept(program, p, choice)
        )

    def made(self, choice: Choice) -> tuple[Program, Parameters] | Rejection:
        """The program and the parameters that the library makes of the choice, right or wrong; a rejection
        where it makes none."""
        try:
            program, parameters = self._plan(choice)
            if self.floods and parameters.scheme == "ckks":
                parameters = sharing.drowning(self.problem, choice.degrees, self.library, program, parameters)
        except InfeasibleParameters as error:
            return Rejection("parameters", error.message)
        except UnsupportedOperation as error:
            return Rejection("expression", error.message)
        return program, parameters

    def figures(self, program: Program, p: Parameters) -> dict[str, float]:
        """What the set takes of the machine and costs its user, by name, be it right or wrong."""
        judged = self._estimate(program, p, None)
        asked = p.request or request_for(self.scheme, 0)
        c = Candidate(self.library.name, self.scheme, asked, p, program, judged)
        return c.used(self.wish) | {"ciphertext_bytes": float(judged.sizes.ciphertext_bytes)}

    # -- parameters ------------------------------------------------------------------------------

    def _plan(self, choice: Choice) -> tuple[Program, Parameters]:
        """The program and parameters of the choice. Where it leaves the ring open, that is the smallest ring
        that is secure by the Guidelines too, where a library's own table is older."""
        program, parameters = self._at(choice, choice.ring_dimension)
        while choice.ring_dimension is None and self._insecure(program, parameters):
            if parameters.ring_dimension >= self.library.largest_ring:
                break
            program, parameters = self._at(choice, 2 * parameters.ring_dimension)
        return program, parameters

    def _at(self, choice: Choice, ring: int | None) -> tuple[Program, Parameters]:
        def of(depth: int, n: int | None) -> Request:
            t = self.problem.plain_modulus(n or 1 << 16) if choice.style.exact else None
            return _with_ring(self._request(choice, depth, t), n)

        lowerings = self.problem.lowerings(choice.degrees, choice.style.exact)
        ask = bootstraps.asking(lowerings, choice.style, choice.slots, of, self.library.parameters)
        return sharing.planned(self.problem, choice.degrees, choice.style, ask, ring, choice.slots)

    def _request(self, choice: Choice, depth: int, t: int | None) -> Request:
        asked = request(choice, self.library, self.wish.security, self.wish.quantum, depth, t)
        return sharing.asked_to_flood(asked) if asked.scheme == "ckks" and self.floods else asked

    # -- constraints -----------------------------------------------------------------------------

    def _insecure(self, program: Program, p: Parameters) -> Rejection | None:
        """The rejection of a set that is insecure by the stricter rule, whatever the library itself accepts:
        see `allowed_log_q`."""
        n = p.ring_dimension
        for use in secure.keys(p, program.switches_keys):
            limit = use.asked(self.wish.quantum).allowed(self.wish.security)
            if use.log_q > limit:
                allowed = f"{int(limit)} bits" if limit >= 1 else "no modulus"
                what = "log2 QP" if use.role == MAIN else f"log2 of the modulus of {use.role} secrets"
                return Rejection(
                    "security",
                    f"{what} = {use.log_q:.0f} at N = {n}, but {self.wish.security}-bit security allows "
                    f"{allowed} there",
                    use.log_q / max(limit, 1.0),
                    DEEPER if n >= self.library.largest_ring else "",
                )
        return None

    def _accept(self, program: Program, p: Parameters, choice: Choice) -> Candidate | Rejection:
        found = self._precision(program, p)
        if found is not None and self._too_coarse(found):
            return self._imprecise(found)
        elsewhere = self._coarse_elsewhere(program, p) if p.scheme == "ckks" else None
        if elsewhere:
            return elsewhere
        judged = self._estimate(program, p, found)
        assert p.request is not None
        candidate = Candidate(
            self.library.name, self.scheme, p.request, p, program, judged, choice.degrees,
            slots=split(program, choice.slots), rounded=found is not None and not self.problem.real,
            as_written=choice.style.as_written, layout=choice.style.layout,
            threads=self._threads(program, p).asked, walls=walls_of(program, p, self.profile, self.wish),
        )  # fmt: skip
        return self._too_dear(judged) or replace(candidate, figures=candidate.used(self.wish))

    def _estimate(self, program: Program, p: Parameters, found: Precision | None) -> Estimate:
        """The estimate with the threads that are best, and with the time that the set waits where it may
        swap."""
        threads = self._threads(program, p)
        judged = judged_estimate(program, p, self.profile, found, self.wish.quantum, *threads)
        space = self.wish.swap
        unknown = space is None or program.bootstraps  # what a bootstrap swaps is not predicted
        return judged if unknown or space is None else swapped(judged, program, p, self.profile, space)

    def _threads(self, program: Program, p: Parameters) -> Threads:
        return serving(program, p, self.profile, self.wish)

    def _precision(self, program: Program, p: Parameters) -> Precision | None:
        if p.scheme != "ckks":
            return None
        return self._precise(self.problem, program, p)

    def _precise(self, on: Problem, program: Program, p: CkksParameters) -> Precision:
        """The precision on the data of the problem `on`."""
        return precision(program, p, on.gains(program), on.truth, self.wish.failure_bits)

    def _coarse_elsewhere(self, program: Program, p: CkksParameters) -> Rejection | None:
        """The rejection of a set that is not right at other inputs than the data, where it must be right
        too."""
        for other, needed, _ in reversed(self.problem.elsewhere(p.library, p.scheme)):
            there = self._precise(other, program, p)
            refused = _refused(there.refusal_bits, f"with {other.source}, ")
            if refused:
                return replace(refused, stage="ranges", remedy=TRUST_DATA)
            if not met(needed, there, self.problem.real):
                reason = f"with {other.source}, {self._left(needed, there)}"
                return Rejection("ranges", reason, there.assured.absolute, self._finer)
        return None

    def _left(self, needed: Asked, there: Precision) -> str:
        """The precision that is left at other inputs, beside the one that is needed there, as a clause."""
        if not self.problem.real:
            least = f"absolute error < {rounds_below(needed):.2g}"
            return f"errors up to {there.worst_error:.2g} must be expected; needed there: {least}"
        return f"{needed.said(needed.of(there.assured))} must be expected; needed there: {needed}"

    def _too_coarse(self, found: Precision) -> bool:
        """Whether the precision is too low. Integers in CKKS must come out right when they are rounded,
        whatever precision is asked in addition."""
        if not self.problem.real and found.worst_error >= HALF:
            return True
        asked = self.wish.least if self.problem.real else self.wish.precision
        if asked is None:
            return False
        return not (reached(asked, found) and fits(found.assured_bits, found.assured_absolute))

    @property
    def _finer(self) -> str:
        return finer(self.problem.circuit)

    def _imprecise(self, found: Precision) -> Rejection:
        if not self.problem.real and found.worst_error >= HALF:
            reason = f"an error of up to {found.worst_error:.2g} rounds an integer to a wrong one"
            return Rejection("precision", reason, found.worst_error, self._finer)
        return self._missed(found)

    def _missed(self, found: Precision) -> Rejection:
        asked, reached = self.wish.least, self.wish.least.of(found.assured)
        if asked.met_by(found.assured):
            return Rejection("precision", _DROWNED, -found.assured_bits, self._finer)
        relied = asked.relied_on(reached)
        if not asked.in_bits:
            return Rejection("precision", f"{relied}; asked: {asked}", reached, self._finer)
        usual = found.mean_bits if asked.measure is Measure.MEAN else found.bits
        expected = f"{usual:.1f} are expected" if usual > 0 else "no bit is expected"
        return Rejection(
            "precision", f"{relied}, {expected}; {asked.value:g} are asked for", -reached, self._finer
        )

    def _too_dear(self, e: Estimate) -> Rejection | None:
        seconds, most = self.wish.max_seconds, self.wish.max_bytes
        if most is not None and e.peak_bytes is not None and e.peak_bytes > most:
            reason = beyond(e.peak_bytes / 2**20, most / 2**20, " MiB", " at the peak")
            return Rejection("memory", reason, float(e.peak_bytes), "allow more memory with --max-memory")
        space = self.wish.swap
        if space is not None and e.swap is None and e.peak_bytes > space.limit_bytes:
            reason = beyond(e.peak_bytes / 2**20, space.limit_bytes / 2**20, " MiB", " at the peak")
            remedy = "what a bootstrap swaps is not predicted: allow more memory with --max-memory"
            return Rejection("memory", reason, float(e.peak_bytes), remedy)
        sizes = self._too_large_to_send(e)
        if sizes:
            return sizes
        if seconds is not None and e.cpu_seconds and e.cpu_seconds["total"] > seconds:
            reason = beyond(e.cpu_seconds["total"], seconds, " s")
            return Rejection("time", reason, e.cpu_seconds["total"], "allow more time with --max-time")
        return None

    def _too_large_to_send(self, e: Estimate) -> Rejection | None:
        keys = e.sizes.public_key_bytes + e.sizes.evaluation_key_bytes
        limits = (
            ("a ciphertext", e.sizes.ciphertext_bytes, self.wish.max_ciphertext_bytes, "--max-ciphertext"),
            ("all keys", keys, self.wish.max_key_bytes, "--max-keys"),
        )
        for what, size, most, option in limits:
            if most is not None and size > most:
                reason = beyond(size / 2**20, most / 2**20, " MiB", f" for {what}")
                return Rejection("size", reason, float(size), f"allow more with {option}")
        return None


def met(needed: Asked, found: Precision, real: bool) -> bool:
    """Whether the needed precision is reached; for integers, whether all of them are rounded to
    themselves."""
    return reached(needed, found) if real else bool(found.worst_error < rounds_below(needed))


def reached(asked: Asked, found: Precision) -> bool:
    """Whether all but one in a thousand encryptions are as precise as asked."""
    return asked.reached_by(getattr(found, asked.figure))


def fits(assured_bits: Any, assured_absolute: Any) -> Any:
    """Whether no error of an element outgrows its modulus, for one set or for each of many."""
    return (assured_bits >= NOTHING_BITS) | (assured_absolute <= FITS)


def beyond(took: float, most: float, unit: str, what: str = "") -> str:
    """'213.8 MiB for all keys, but only 2 MiB are allowed', with as many digits as tell the two apart."""
    allowed = f"{most:g}"
    precise = (f"{took:.{digits}g}" for digits in range(4, 10))
    shown = next((text for text in precise if float(text) > float(allowed)), f"{took:.10g}")
    shown = f"{took:,.0f}" if "e+" in shown else shown
    return f"{shown}{unit}{what}, but only {allowed}{unit} are allowed"


def wrong(
    problem: Problem,
    program: Program,
    p: Parameters,
    failure_bits: float = FAILURE_BITS,
    expected: bool = False,
    spare_bits: float = LEAST_ROOM,
) -> Rejection | None:
    """The rejection of a set that is wrong, or None. Its values or scales overflow, a number vanishes, or the
    noise reaches the plaintext of an exact scheme or keeps a library from decrypting. `expected`: the values
    are those to be expected in the declared ranges, and not those of the data alone. `spare_bits`: how many
    bits of a modulus the values of CKKS must leave free."""
    if p.scheme == "ckks":
        values = problem.expected(program) if expected else problem.gains(program)
        room = headroom_bits(program, p, values)
        if room < spare_bits:
            return Rejection("overflow", overflowing(program, p, values, spare_bits), -room, SMALLER)
        left = scale_room_bits(program, p)
        if left < 0:
            return Rejection("overflow", _as_large_as_the_modulus(p, -left), -left, MORE_MODULUS)
        gains = problem.gains(program)
        return _refused(refusal_bits(program, p, gains)) or _vanishing(program, p, gains)
    budget = budget_bits(program, p, failure_bits)
    by = f"by {-budget:.1f} bits" if -budget < p.log_q else "by more bits than that"
    reason = (
        f"the noise exceeds what {p.log_q:.0f} bits of modulus can hold, {by}, "
        f"more often than once in 2^{failure_bits:g} runs"
    )
    return Rejection("correctness", reason, -budget) if budget < 0 else None


def failing(p: Parameters, bootstraps: int, failure_bits: float) -> Rejection | None:
    """The rejection of a set of which so many bootstraps lose a value too often."""
    if p.scheme != "ckks" or p.bootstrap is None or not bootstraps:
        return None
    once = bootstrap_failure_bits(p.ring_dimension, p.bootstrap)
    left = once - log2(bootstraps)
    if left >= failure_bits:
        return None
    reason = (
        f"raising the modulus goes beyond what its reduction covers once in 2^{left:.0f} runs; "
        f"once in 2^{failure_bits:g} is allowed"
    )
    return Rejection("correctness", reason, failure_bits - left, "choose another secret (--param secret)")


def _as_large_as_the_modulus(p: CkksParameters, missing: float) -> str:
    """The reason why a scale as large as the modulus is rejected: SEAL refuses it, however small the values
    are."""
    return (
        f"{BY_NAME[p.library].title} refuses a scale of {log2(p.nominal):.0f} bits, because the remaining "
        f"modulus is too small by {missing:.0f} bit{'s' * (missing > 1)}"
    )


def _refused(left: float, where: str = "") -> Rejection | None:
    """The rejection of a set whose results the library refuses to decrypt. OpenFHE does so where it sees too
    much noise in the imaginary parts of a result."""
    reason = f"{where}the library refuses to decrypt a result with so much noise"
    return Rejection("correctness", reason, -left) if left < REFUSED_BITS else None


def _vanishing(program: Program, p: CkksParameters, gains: Gains) -> Rejection | None:
    """The rejection of a set in which a number rounds to zero, which SEAL and OpenFHE refuse; None where
    there is no such number."""
    at_scale = smallest_number_bits(program, p, gains)
    if at_scale >= ROUNDS_TO_ZERO:
        return None
    small = f"whose scale is too small by {ROUNDS_TO_ZERO - at_scale:.0f} bits"
    reason = f"{BY_NAME[p.library].title} refuses a number that rounds to zero, {small}"
    return Rejection("correctness", reason, -at_scale, _TOO_FAINT)


def judged_estimate(
    program: Program,
    p: Parameters,
    profile: Profile | None,
    found: Precision | None,
    quantum: bool,
    threads: int | None = 1,
    cores: int = 1,
) -> Estimate:
    """The estimate with both verdicts on security: by the Guidelines, and by the library's own table. The
    security bits are those with the narrowest errors that are published."""
    posed, table = secure.posed(p, program.switches_keys, quantum), ENFORCED.get(BY_NAME[p.library].family)
    n, log_qp = p.ring_dimension, p.log_qp
    uses = secure.keys(p, program.switches_keys)
    bits = min(security_bits(use.ring_dimension, use.log_q, use.secret, use.sigma, quantum) for use in uses)
    return estimate(
        program,
        p,
        profile,
        precision_bits=found.bits if found else None,
        mean_precision_bits=found.mean_bits if found else None,
        absolute_error=found.assured_absolute if found else None,
        largest_relative_error=found.assured_relative if found else None,
        security_bits=bits,
        standard_bits=secure.guideline_bits(posed),
        library_bits=standard_bits(n, log_qp, p.secret, table, quantum) if table else None,
        threads=threads,
        cores=cores,
    )


def _with_ring(r: Request, n: int | None) -> Request:
    return r if n is None else replace(r, ring_dimension=n)
