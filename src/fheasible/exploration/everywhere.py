"""What a recommendation promises for every input in the declared ranges, by the worst that were found."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fheasible.errors import UsageError
from fheasible.exploration.answer import ranked, ties
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.classes import resolved
from fheasible.exploration.foresee import HALF
from fheasible.exploration.problem import Problem
from fheasible.exploration.search import Exploration, Rejected
from fheasible.exploration.wish import Asked, Measure, Wish
from fheasible.noise.domain import WorstCase, largest_output, points, worst_case

Search = Callable[[Problem, Wish], Exploration]

FAR_BELOW_BITS = 1.0  # less than asked, somewhere in the ranges: that is said before anything else
ROUNDS = 4  # in which the worst inputs of one answer judge the next
NARROWER = "ask for less precision, or declare narrower ranges, in which errors grow less"


def explore_everywhere(problem: Problem, wish: Wish, search: Search) -> Exploration:
    """The answer of `search`, held against the worst inputs of the declared ranges: with a warning where they
    leave far less precision than is asked; where the wish is for the worst case, a set that reaches it there
    too, or none."""
    if wish.worst_case and wish.least.measure is Measure.CLASS:
        raise UsageError(
            "classes are those of the data, and the worst of the declared ranges has none",
            "ask for bits or an absolute error with --worst-case",
        )
    if wish.worst_case and problem.trusted:
        raise UsageError(
            "the data are trusted to stand for all inputs, and the worst of the declared ranges is asked for",
            "leave out --trust-data or --worst-case",
        )
    wish = replace(wish, precision=resolved(wish.precision, problem.truth))
    if not problem.real:
        return _whole(problem, wish, search)
    found = over_the_domain(search(problem, wish))
    return _reaching(found, search) if wish.worst_case else _warned(found)


def _whole(problem: Problem, wish: Wish, search: Search) -> Exploration:
    """Integers are right everywhere: CKKS is judged by the inputs with the largest results, and again by the
    worst ones where its best set is wrong there."""
    if problem.trusted or not problem.extremes or problem.unsuited("ckks"):
        return over_the_domain(search(problem, wish))
    at = max(problem.extremes, key=lambda p: max(p.largest(n) for _, n in problem.circuit.outputs))
    words, data = at.words, at.data
    for _ in range(ROUNDS):
        there = Problem(problem.circuit, data, f"the worst inputs found in the declared ranges: {words}")
        e = replace(search(there, wish), given=problem)
        wrong = _wrong_somewhere(e)
        if wrong is None:
            break
        words, data = wrong.at.words, wrong.at.data
    return over_the_domain(e)


def _wrong_somewhere(e: Exploration) -> WorstCase | None:
    """Where some integer of the first CKKS candidate rounds to another."""
    first = next((c for c in e.candidates if c.scheme == "ckks"), None)
    found = None if first is None else domain(e, first)
    return found if found and (found.beyond or found.absolute_error >= HALF) else None


def over_the_domain(e: Exploration) -> Exploration:
    """The exploration with the worst case of its best candidate; of data that are trusted there is none.
    Integers that come out wrong somewhere in the ranges are none that BFV and BGV would give: such a set is
    not recommended."""
    best = e.best
    if best is None or best.scheme != "ckks" or e.problem.trusted:
        return e
    found = domain(e, best)
    if not e.problem.real and (found.beyond or found.absolute_error >= HALF):
        reason = f"it is right on these data, but {found.data}, some integer rounds to another"
        return over_the_domain(
            _without(e, best, reason, "say that no others will come: --data, --trust-data")
        )
    told = replace(best, estimate=replace(best.estimate, worst_case_bits=found.bits))
    front, tied = (frozenset(told if c is best else c for c in group) for group in (e.front, e.ties))
    return replace(e, candidates=(told, *e.candidates[1:]), front=front, ties=tied)


def domain(e: Exploration, c: Candidate) -> WorstCase:
    """The worst case of a candidate over the declared ranges."""
    return worst_case(e.problem.lowerings(c.degrees).circuit, c.program, c.parameters)


def _without(e: Exploration, c: Candidate, reason: str, remedy: str) -> Exploration:
    left = tuple(x for x in e.candidates if x is not c)
    rejected = e.rejected
    if not any((x.library, x.scheme) == (c.library, c.scheme) for x in left):
        rejected = (*rejected, Rejected(c.library, c.scheme, reason, remedy))
    rows = np.flatnonzero(e.kept["rank"] != e.candidates.index(c) + 1)
    return replace(
        e, candidates=left, front=e.front - {c}, rejected=rejected, ties=ties(left, e.wish.aims),
        kept=ranked(e.kept.take(rows)),
    )  # fmt: skip


def _warned(e: Exploration) -> Exploration:
    best = e.best
    if best is None or best.estimate.worst_case_bits is None or not e.problem.real:
        return e
    if e.wish.least.classes is not None:  # which are of the data at hand
        return e
    asked, found = e.wish.least, domain(e, best)
    if _lenient(asked).met_by(found.assured):
        return e
    reached = "results are worth nothing" if found.beyond else f"only {asked.said(asked.of(found.assured))}"
    return replace(
        e,
        alarms=(
            f"what is asked holds for {e.problem.source}, and not for every input in the declared ranges: "
            f"with {found.data}, {reached}{'' if found.beyond else ' can be relied on'}. Say --worst-case to "
            f"have it everywhere, or declare narrower ranges.",
        ),
    )


def _lenient(asked: Asked) -> Asked:
    """What is not far below it."""
    if asked.in_bits:
        return replace(asked, value=max(asked.value - FAR_BELOW_BITS, FAR_BELOW_BITS / 2))
    return replace(asked, value=asked.value * 2**FAR_BELOW_BITS)


def _reaching(e: Exploration, search: Search) -> Exploration:
    """Searched again with the worst inputs of each answer, until one reaches there what is asked."""
    wish, problem = e.wish, e.problem
    for _ in range(ROUNDS):
        best = e.best
        if best is None or best.scheme != "ckks":
            return e
        found = domain(e, best)
        if wish.least.met_by(found.assured):
            return e
        source = f"the worst inputs found in the declared ranges: {found.data}"
        there = Problem(problem.circuit, found.at.data, source)
        strict = replace(wish, precision=_absolute(e, best))
        e = over_the_domain(replace(search(there, strict), wish=wish, given=problem))
    while e.best is not None and not wish.least.met_by(domain(e, e.best).assured):
        found = domain(e, e.best)
        left = wish.least.said(wish.least.of(found.assured))
        reason = f"with {found.data}, {left} can be relied on; asked: {wish.least}"
        e = over_the_domain(_without(e, e.best, reason, NARROWER))
    return e


def _absolute(e: Exploration, best: Candidate) -> Asked:
    """Bits of the largest result of the ranges as the error that they allow; else what is asked."""
    asked, circuit = e.wish.least, e.problem.lowerings(best.degrees).circuit
    if asked.measure is not Measure.BITS:
        return asked
    return Asked(Measure.ABSOLUTE, largest_output(circuit, points(circuit, best.program)) * 2.0**-asked.value)
