"""Sets whose inputs are joined in one ciphertext: they start from the best set whose inputs are not."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Final, NamedTuple

from fheasible.exploration.judging.judge import Judge
from fheasible.exploration.search.worth_a_walk import score_if
from fheasible.exploration.space.requests import Choice
from fheasible.program.style import Layout

# What the best set may take with its inputs joined, as a multiple of what it takes, for its neighbours in
# that ring to be judged, of which some may be right where it is not; and for all sets with that layout to be
# walked.
_WORTH_A_LOOK: Final = 1.0
_WORTH_A_WALK: Final = 0.8


class JoinedChoice(NamedTuple):
    """A choice with its inputs joined, and the smallest ring that holds it; `clearly` where it takes much
    less than with its inputs apart."""

    choice: Choice
    ring: int
    clearly: bool


def joined_choices(
    judge: Judge,
    choice: Choice,
    sized: Choice,
    score: float,
    rings: Sequence[int],
    walked: Container[tuple[Layout, bool]],
) -> Iterator[JoinedChoice]:
    """The choice with its inputs joined, in each layout that may take less than `score` in the first of these
    rings, in ascending order, that holds it. `sized` is the choice with sizes for all primes. Layouts that
    were `walked` with its order of products are left out."""
    lowerings = judge.problem.lowerings(choice.degrees, choice.style.exact)
    for layout in lowerings.layouts[1:]:
        if (layout, choice.style.as_written) in walked:
            continue
        style = replace(sized.style, layout=layout)
        for n in rings:
            if not lowerings.joins_in(style.slots_of(n)):
                continue
            own = score_if(judge, replace(sized, style=style, slots=None, ring_dimension=n), judge.wish)
            if own < _WORTH_A_LOOK * score:
                laid_out = replace(choice, style=replace(choice.style, layout=layout), slots=None)
                yield JoinedChoice(laid_out, n, own < _WORTH_A_WALK * score)
            if own < inf:
                break


def joined_refreshed(judge: Judge, choice: Choice, score: float, n: int) -> Iterator[Choice]:
    """The choice, which bootstraps, with its inputs joined, where that takes less than `score`."""
    lowerings = judge.problem.lowerings(choice.degrees)
    for layout in lowerings.layouts[1:] if lowerings.joins_in(choice.style.slots_of(n)) else ():
        laid_out = replace(choice, style=replace(choice.style, layout=layout))
        if score_if(judge, laid_out, judge.wish) < score:
            yield laid_out
