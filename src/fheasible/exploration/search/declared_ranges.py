"""What a recommendation promises for every input in the declared ranges, by the worst inputs that were
found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import UsageError
from fheasible.estimation.estimate import Estimate
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.classes import resolved
from fheasible.exploration.judging.finer import finer
from fheasible.exploration.judging.nonlinear import left, needed, needed_at, needed_to_round, off
from fheasible.exploration.judging.rank import ties
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import HALF, Asked, Measure, Wish, bits
from fheasible.exploration.search.search import Exploration, Rejected, explore, ranked
from fheasible.libraries.library import Library
from fheasible.noise.achieved import Achieved
from fheasible.noise.ckks.domain import (
    InputPoint,
    WorstCase,
    at_the_ends,
    largest_output,
    points,
    worst_case,
    worst_of,
)
from fheasible.noise.ckks.precision import precision
from fheasible.noise.reach.gains import content, gains
from fheasible.program.types import Program

Search = Callable[[Problem, Wish], Exploration]

Wrong = tuple[Mapping[str, NDArray[Any]], str, Asked]  # inputs, in words, and what is needed there

FAR_BELOW_BITS = 1.0  # below what is asked, somewhere in the ranges: a warning then comes before the answer
SANE = bits(3.0)  # a result with less is garbage, wherever in the ranges its inputs lie
BESIDE_NOISE = 1.25  # what noise and rounded factors may make of the error of approximations, as a multiple
FAR_FEWER_BITS = 2.0  # below what first order predicts; by chance, a few executions differ by less
ROUNDS = 4  # of searches, in which the worst inputs of one answer judge the next


def explore_everywhere(
    problem: Problem, wish: Wish, search: Search, leads: Search | None = None
) -> Exploration:
    """The answer of `search`, checked at the worst inputs of the declared ranges. `leads`: the same search
    for the best set of each library and scheme alone, which finds these inputs sooner.

    Integers are right there too, and a precision that is wished for the worst case is reached there. Any
    other result is better than garbage there where that is possible, and a warning says where it is far below
    what is asked. `seconds` are those of all searches. UsageError for a wish for the worst case that cannot
    be judged.
    """
    start = perf_counter()
    _check(problem, wish)
    return replace(_everywhere(problem, wish, search, leads), seconds=perf_counter() - start)


def answer(
    problem: Problem, wish: Wish, libraries: Sequence[Library], profiles: Mapping[str, Profile]
) -> Exploration:
    """What users are answered: what the libraries offer, checked at the worst inputs of the ranges."""

    def search(of: Problem, asked: Wish, leads: bool = False) -> Exploration:
        return explore(of, asked, libraries, profiles, leads=leads)

    return explore_everywhere(problem, wish, search, partial(search, leads=True))


def _everywhere(problem: Problem, wish: Wish, search: Search, leads: Search | None) -> Exploration:
    again = leads or search
    found = again(*first_asked(problem, wish))
    if problem.real:
        found = _where_others_are_right(_where_the_best_is_right(found, again), again)
    else:
        found = _where_all_are_rounded(found, again)
    if leads:
        found = search(found.problem, found.wish)
    found = _with_what_is_left(_without_the_bent(found)) if problem.real else _without_misrounded(found)
    if problem.trusted:
        return found
    if wish.worst_case and problem.real:
        found = _without_the_wrong(found)
    return _warned(over_the_domain(found))


def first_asked(problem: Problem, wish: Wish) -> tuple[Problem, Wish]:
    """What the first search is asked."""
    wish = replace(wish, precision=resolved(wish.precision, problem.truth))
    return problem if problem.real else _with_largest(problem), wish


def _check(problem: Problem, wish: Wish) -> None:
    if wish.worst_case and wish.least.measure is Measure.CLASS:
        raise UsageError(
            "--worst-case does not apply to classes, because only the data have classes",
            "ask for bits or an absolute error with --worst-case",
        )
    if wish.worst_case and problem.trusted:
        raise UsageError(
            "--trust-data ignores the declared ranges, but --worst-case asks for their worst inputs",
            "leave out --trust-data or --worst-case",
        )


def _with_largest(problem: Problem) -> Problem:
    """A problem of integers with the inputs that have the largest results in addition to the data, since CKKS
    must round them right; unchanged where CKKS is unsuited or no such inputs are known."""
    at = None if problem.unsuited("ckks") else problem.at_the_largest
    return problem.also_at(at.data, at.words, SANE) if at else problem


def _where_the_best_is_right(found: Exploration, search: Search) -> Exploration:
    """The exploration of reals, searched again until the best set does what is needed at its worst inputs,
    where that is possible."""
    for _ in range(ROUNDS):
        missed = _missed(found)
        if missed is None:
            break
        at, there = missed
        again = search(found.problem.also_at(at.data, at.words, there), found.wish)
        if again.best is None and not found.wish.worst_case:
            break  # no set can do it
        found = again
    return found


def _missed(e: Exploration) -> tuple[InputPoint, Asked] | None:
    """Inputs at which the best set does not do what is needed, and what is needed there; None where there are
    no such inputs."""
    best = e.best
    if best is None:
        return None
    if e.problem.trusted:
        return _bent(e, best)
    worst = domain(e, best)
    if not _holds(e, best, worst):
        return worst.at, _attainable(e, best, worst.at)
    return _bent_at(e, best, worst.at) or _bent_at_ends(e, best) or _bent(e, best)


def _where_others_are_right(found: Exploration, search: Search) -> Exploration:
    """The exploration, searched again for each library whose best set is wrong at the worst inputs of the
    overall best set. The new search asks of that library's sets what is needed there, where they can reach
    it."""
    for library in sorted({c.library for c in found.candidates}):
        for _ in range(ROUNDS):
            missed = _missed_by(found, library)
            if missed is None:
                break
            at, there = missed
            again = search(found.problem.also_at(at.data, at.words, there, library), found.wish)
            if _lead(again, library) is None:
                break  # no set of the library can do it
            found = again
    return found


def _missed_by(e: Exploration, library: str) -> tuple[InputPoint, Asked] | None:
    """Inputs at which another library's best set does not do what is needed, and what is needed there; None
    where there are no such inputs."""
    best, c = e.best, _lead(e, library)
    if best is None or c is None or c is best or best.scheme != "ckks":
        return None
    if e.problem.trusted:
        return _bent(e, c)
    worst = domain(e, best).at
    there = _there(e, c, worst)
    if not _holds(e, c, there):
        return there.at, _attainable(e, c, there.at)
    return _bent_at(e, c, _moved(worst, best.program, c.program)) or _bent_at_ends(e, c) or _bent(e, c)


def _lead(e: Exploration, library: str) -> Candidate | None:
    """The library's best set in CKKS; None where it has none."""
    return next((c for c in e.candidates if c.library == library and c.scheme == "ckks"), None)


def _there(e: Exploration, c: Candidate, at: InputPoint) -> WorstCase:
    """The worst case of `c` at the inputs `at` and at those with the largest results, which OpenFHE may
    refuse to decrypt. Both were found for the best candidate's program, which may be another."""
    assert e.best is not None
    found = points(e.problem.lowerings(e.best.degrees).circuit, e.best.program)
    most = max(found, key=lambda p: largest_output((p,)))
    there = tuple(_moved(each, e.best.program, c.program) for each in dict.fromkeys((at, most)))
    return worst_of(there, largest_output((most,)), c.program, c.ckks)


def _largest(e: Exploration) -> float:
    """The size of the largest output that was found in the declared ranges."""
    assert e.best is not None
    return largest_output(points(e.problem.lowerings(e.best.degrees).circuit, e.best.program))


@lru_cache(maxsize=16)
def _moved(at: InputPoint, known: Program, program: Program) -> InputPoint:
    """The point `at`, whose gains are those of the program `known`, with the gains of `program`."""
    if content(program) == content(known):
        return at
    return replace(at, gains=gains(program, at.data))


def _bent_at(e: Exploration, c: Candidate, worst: InputPoint) -> tuple[InputPoint, Asked] | None:
    """The inputs `worst`, and the error allowed there, where a rehearsal is off by more than is needed; None
    where it is not."""
    if e.best is None or not e.problem.real:
        return None
    asked = needed_at(e.problem, c, _needed(e), worst)
    return None if asked is None else (worst, asked)


def _bent_at_ends(e: Exploration, c: Candidate) -> tuple[InputPoint, Asked] | None:
    """Inputs with arguments of functions at the ends of their intervals, and the error allowed there, where a
    rehearsal is off by more than is needed; None where there are no such inputs."""
    if e.best is None:
        return None
    at = at_the_ends(e.problem.lowerings(e.best.degrees).circuit, e.best.program)
    found = (_bent_at(e, c, _moved(each, e.best.program, c.program)) for each in at)
    return next((bent for bent in found if bent), None)


def _bent(e: Exploration, c: Candidate) -> tuple[InputPoint, Asked] | None:
    """Inputs drawn from the ranges, and the error allowed there, where a rehearsal shows a result on the data
    to be off by more than is asked; None where it does not."""
    best = e.best
    if best is None or not e.problem.real:
        return None
    at = _drawn(e.problem, best)
    at = at if c is best else _moved(at, best.program, c.program)
    asked = needed(e.problem, c, e.wish.least, at)
    return None if asked is None else (at, asked)


def _drawn(problem: Problem, c: Candidate) -> InputPoint:
    """Inputs drawn from the ranges; the data where the circuit keeps its promises at no other inputs."""
    found = points(problem.lowerings(c.degrees).circuit, c.program)
    return (
        found[0]
        if found
        else InputPoint(problem.source, problem.data, problem.gains(c.program), problem.truth)
    )


def _holds(e: Exploration, c: Candidate, worst: WorstCase) -> bool:
    if not e.problem.real:
        return not worst.beyond and worst.absolute_error < HALF
    enough = [e.wish.least] if e.wish.worst_case else [SANE, *_asked_alone(e.wish)]
    if any(asked.met_by(worst.assured) for asked in enough):
        return True
    return not worst.beyond and _attainable(e, c, worst.at).met_by(worst.assured)


def _attainable(e: Exploration, c: Candidate, at: InputPoint) -> Asked:
    """The error to ask for at these inputs: what is needed, but no less than approximated functions leave
    there by themselves, whatever the scale. A precision that is wished for the worst case is asked for
    unchanged."""
    asked = _needed(e)
    if e.wish.worst_case or not e.problem.approximates:
        return asked
    fixed = precision(c.program, c.ckks, at.gains, at.truth).assured_without_noise
    return replace(asked, value=max(asked.value, BESIDE_NOISE * fixed))


def _needed(e: Exploration) -> Asked:
    """The error that is needed at the worst inputs. With a wish for the worst case, it is what is asked.
    Otherwise results must not be garbage, or must be as precise as asked where that is less strict. Bits
    become the error that they allow, as a part of the largest result of the ranges."""
    if e.wish.worst_case:
        return _as_error(e, e.wish.least)
    allowed = [_as_error(e, asked) for asked in (SANE, *_asked_alone(e.wish))]
    return max(allowed, key=lambda asked: asked.value)


def _asked_alone(wish: Wish) -> list[Asked]:
    """The precision that is asked on the data, in a list, where it says how far results may be off anywhere;
    else an empty list."""
    return [wish.least] if wish.least.measure in (Measure.BITS, Measure.ABSOLUTE) else []


def _as_error(e: Exploration, asked: Asked) -> Asked:
    if asked.measure is not Measure.BITS:
        return asked
    return Asked(Measure.ABSOLUTE, _largest(e) * 2.0**-asked.value)


def _where_all_are_rounded(found: Exploration, search: Search) -> Exploration:
    """The exploration, searched again where a library's first set in CKKS rounds some integer to another, at
    the worst inputs or because noise multiplies noise."""
    waiting = sorted({c.library for c in found.candidates})
    for _ in range(ROUNDS):
        problem, wrong = found.problem, []
        for library in waiting:  # what is asked of one does not change what another library has
            lead = _lead(found, library)
            missed = _wrong_in_the_ranges(found, lead) or _misrounded(found, lead)
            if missed is not None:
                problem = problem.also_at(*missed, library)
                wrong.append(library)
        if not wrong:
            break
        found, waiting = search(problem, found.wish), wrong
    return found


def _without_misrounded(e: Exploration) -> Exploration:
    """The exploration without those first CKKS candidates of each library of which noise that multiplies
    noise rounds some integer to another."""
    for library in sorted({c.library for c in e.candidates}):
        while (c := _lead(e, library)) is not None and _misrounded(e, c):
            reason = "noise that multiplies noise rounds an integer to a wrong one"
            e = _without(e, c, reason, finer(e.problem.circuit))
    return e


def _wrong_in_the_ranges(e: Exploration, c: Candidate | None) -> Wrong | None:
    """The worst inputs of the declared ranges, with what is needed there, where some integer may be rounded
    to another; None where all come out right. They are found once for all searches."""
    if c is None or e.problem.trusted:
        return None

    def missed() -> Wrong | None:
        worst = domain(e, c)
        return None if _holds(e, c, worst) else (worst.at.data, worst.data, _to_round(e, c, worst))

    found: Wrong | None = e.problem.once(("wrong", c.program, c.parameters, e.wish.failure_bits), missed)
    return found


def _to_round(e: Exploration, c: Candidate, worst: WorstCase) -> Asked:
    """The error to ask for at the worst inputs of a set that may round an integer to another there. The
    search asks of every set that its largest error is less than half. Where it is, and a part of it is only
    known roughly, the search has to ask for less."""
    if worst.beyond:
        return SANE
    at = worst.at
    told = float(precision(c.program, c.ckks, at.gains, at.truth, e.wish.failure_bits).worst_error)
    return SANE if told >= HALF else Asked(Measure.ABSOLUTE, told * HALF / worst.absolute_error)


def _misrounded(e: Exploration, c: Candidate | None) -> Wrong | None:
    """Inputs on which noise that is multiplied by noise rounds some integer to another, and the error to ask
    for there; None where there are no such inputs. They are found once for all searches."""
    if c is None:
        return None
    others = e.problem.elsewhere(c.library, c.scheme)

    def missed() -> Wrong | None:
        there = {id(on.data): on for on in (e.problem, *(a.there for a in others))}
        found = ((on, needed_to_round(on, c, e.wish.failure_bits)) for on in there.values())
        return next(((on.data, on.source, asked) for on, asked in found if asked is not None), None)

    key = ("misrounded", c.program, c.parameters, e.wish.failure_bits, others)
    found: Wrong | None = e.problem.once(key, missed)
    return found


def _without_the_bent(e: Exploration) -> Exploration:
    """The exploration without those first CKKS candidates of each library that a rehearsal on the data shows
    to be off by more than is asked."""
    for library in sorted({c.library for c in e.candidates}):
        while (c := _lead(e, library)) is not None and (beyond := off(e.problem, c, e.wish.least)) > 1:
            reason = (
                f"with noise and rounded numbers, the error of a result is {beyond:.2g} times the "
                "allowed error"
            )
            e = _without(e, c, reason, finer(e.problem.circuit))
    return e


def _with_what_is_left(e: Exploration) -> Exploration:
    """The exploration with the precision that a rehearsal on the data shows for each library's first CKKS
    candidate, where first order predicts much more."""
    for library in sorted({c.library for c in e.candidates}):
        c = _lead(e, library)
        if c is None or c.estimate.precision_bits is None:
            continue
        found = left(e.problem, c)
        if found.bits < c.estimate.precision_bits - FAR_FEWER_BITS:
            e = _with(e, c, replace(c, estimate=_with_bits(c.estimate, found)))
    return e


def _with_bits(told: Estimate, found: Achieved) -> Estimate:
    """The estimate with the bits that were found, and with the worse of the other figures that it has and
    that were found."""
    return replace(
        told,
        precision_bits=found.bits,
        mean_precision_bits=min(told.mean_precision_bits or found.mean, found.mean),
        absolute_error=max(told.absolute_error or 0.0, found.absolute),
        largest_relative_error=max(told.largest_relative_error or 0.0, found.relative),
    )


def _without_the_wrong(e: Exploration) -> Exploration:
    """The exploration without the candidates before the first one that reaches what is asked at the worst
    inputs."""
    while e.best is not None and not e.wish.least.met_by(domain(e, e.best).assured):
        found = domain(e, e.best)
        relied = e.wish.least.relied_on(e.wish.least.of(found.assured))
        reason = f"with {found.data}, {relied}; asked: {e.wish.least}"
        e = _without(e, e.best, reason, finer(e.problem.circuit))
    return e


def over_the_domain(e: Exploration) -> Exploration:
    """The exploration with the worst case of its best candidate, where that is a CKKS set; unchanged where
    the data are trusted. A set that rounds some integer to another somewhere in the ranges is not
    recommended, since BFV and BGV would give it right."""
    best = e.best
    if best is None or best.scheme != "ckks" or e.problem.trusted:
        return e
    found = domain(e, best)
    if not e.problem.real and (found.beyond or found.absolute_error >= HALF):
        reason = f"it is right on these data, but with {found.data} an integer rounds to a wrong one"
        return over_the_domain(
            _without(
                e, best, reason, "give the data and say that no input will be larger: --data, --trust-data"
            )
        )
    return _with(e, best, replace(best, estimate=replace(best.estimate, worst_case_bits=found.bits)))


def domain(e: Exploration, c: Candidate) -> WorstCase:
    """The worst case of a candidate over the declared ranges."""
    circuit = e.problem.lowerings(c.degrees).circuit
    key = "worst case", c.program, c.parameters
    found: WorstCase = e.problem.once(key, partial(worst_case, circuit, c.program, c.ckks))
    return found


def _with(e: Exploration, c: Candidate, told: Candidate) -> Exploration:
    """The exploration with `told`, the same candidate with more known about it, in place of `c`."""
    candidates = tuple(told if x is c else x for x in e.candidates)
    front, tied = (frozenset(told if x is c else x for x in group) for group in (e.front, e.ties))
    bits, own = e.kept["precision_bits"], e.kept["rank"] == e.candidates.index(c) + 1
    kept = e.kept
    if told.estimate.precision_bits is not None:
        kept = kept.with_columns(precision_bits=np.where(own, told.estimate.precision_bits, bits))
    return replace(e, candidates=candidates, front=front, ties=tied, kept=kept)


def _without(e: Exploration, c: Candidate, reason: str, remedy: str) -> Exploration:
    left = tuple(x for x in e.candidates if x is not c)
    rejected = e.rejected
    if not any((x.library, x.scheme) == (c.library, c.scheme) for x in left):
        rejected = (*rejected, Rejected(c.library, c.scheme, reason, remedy))
    rows = np.flatnonzero(e.kept["rank"] != e.candidates.index(c) + 1)
    return replace(
        e, candidates=left, front=e.front - {c}, rejected=rejected, ties=ties(left, e.wish.goal),
        kept=ranked(e.kept.take(rows)),
    )  # fmt: skip


def _warned(e: Exploration) -> Exploration:
    best = e.best
    if best is None or best.estimate.worst_case_bits is None or not e.problem.real or e.wish.worst_case:
        return e
    if e.wish.least.classes is not None:  # classes are those of the data at hand
        return e
    asked, found = e.wish.least, domain(e, best)
    if _lenient(asked).met_by(found.assured):
        return e
    relied = "results are worthless" if found.beyond else asked.relied_on(asked.of(found.assured))
    return replace(
        e,
        alarms=(
            f"the precision holds for {e.problem.source}, but not for every input in the declared ranges: "
            f"with {found.data}, {relied}. Give --worst-case to have it everywhere, or declare narrower "
            f"ranges.",
        ),
    )


def _lenient(asked: Asked) -> Asked:
    """A precision that is not far below the one asked for."""
    if asked.in_bits:
        return replace(asked, value=max(asked.value - FAR_BELOW_BITS, FAR_BELOW_BITS / 2))
    return replace(asked, value=asked.value * 2**FAR_BELOW_BITS)
