"""A test of the reasons why nothing fits: a set richer than necessary is made without the search."""

from collections.abc import Iterator

from fheasible.api.answer import Answer
from fheasible.errors import FheasibleError
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import chosen, shape_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish
from fheasible.exploration.search.limits import limits
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import Request, request_for
from fheasible.noise.ckks.precision import precision
from fheasible.noise.integers.budget import budget_bits, expected_bits
from fheasible.security.lookup import allowed_log_q
from fheasible.trial.draw import Draw

DRAWS = 6
MARGIN_BITS = 1.0  # by which a set must at least exceed the request: a result right by luck refutes nothing


def richer(answer: Answer, library: str, scheme: str, draw: Draw) -> Candidate | None:
    """A set as `fheasible run --param` makes it: as secure as asked, within the limits, not right by luck.

    A few sets are drawn; None where no drawn set is of that kind.
    """
    found = answer.exploration
    lib = next(lib for lib in answer.libraries if lib.name == library)
    for request in _requests(lib, scheme, found.wish, draw):
        try:
            shape = shape_from(found.problem, {}, found.wish.least, scheme)
            profile = answer.profiles.get(library)
            c = chosen(found.problem, lib, request, profile, shape, found.wish.shared_results)
        except FheasibleError:  # there is no such set
            continue
        if _secure(c, found.wish) and _within(c, found.wish) and not lucky(c, found.wish):
            return c
    return None


def stricter(asked: Asked, problem: Problem, c: Candidate) -> Asked:
    """The request, made stricter by a margin of at least MARGIN_BITS.

    In CKKS, the margin is also at least the difference between what half of all encryptions reach and what
    all but one in a thousand reach.
    """
    margin = MARGIN_BITS
    if c.scheme == "ckks":
        found = precision(c.program, c.ckks, problem.gains(c.program), problem.truth)
        margin = max(margin, float(found.bits - found.assured_bits))
    if asked.reached_by(float("inf")):
        return Asked(asked.measure, min(asked.value + margin, 52.0))
    return Asked(asked.measure, asked.value / 2**margin)


def _requests(lib: Library, scheme: str, wish: Wish, draw: Draw) -> Iterator[Request]:
    for _ in range(DRAWS):
        base = request_for(scheme, 0, security=wish.security, quantum=wish.quantum)
        technique = draw.one(lib.techniques) if scheme == "ckks" and lib.techniques else None
        if scheme == "ckks":
            scale = draw.whole(25, 59)
            first = min(scale + draw.whole(1, 20), 60)
            base = base.having(scale_bits=scale, first_bits=first, technique=technique or None)
        ring = None if draw.chance(0.3) else 1 << draw.whole(13, 16)
        yield base.having(ring_dimension=ring)


def _secure(c: Candidate, wish: Wish) -> bool:
    p = c.parameters
    return p.log_qp <= allowed_log_q(p.ring_dimension, p.secret, wish.security, wish.quantum)


def lucky(c: Candidate, wish: Wish) -> bool:
    """Whether an exact result is wrong more often than allowed, and yet right more often than not.

    The budget that is left on average tells the latter: the bounds on failures are safe, and so too low.
    """
    p = c.parameters
    if p.scheme == "ckks":
        return False
    outputs = [v for out in c.program.outputs for v in out.values]
    average = expected_bits(c.program, p)
    usual = min(average[v] for v in outputs)
    return bool(budget_bits(c.program, p, wish.failure_bits) < 0 <= usual)


def _within(c: Candidate, wish: Wish) -> bool:
    """Whether the set's predicted figures are within the limits of the wish."""
    used = c.used(wish) | {"ciphertext_bytes": float(c.estimate.sizes.ciphertext_bytes)}
    of = {
        "max_bytes": "peak_bytes", "max_ciphertext_bytes": "ciphertext_bytes", "max_key_bytes": "key_bytes",
        "max_seconds": "cpu_seconds",
    }  # fmt: skip
    return all(used[of[name]] <= most for name, most in limits(wish).items())
