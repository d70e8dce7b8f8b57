"""Whether published advice on the parameters of CKKS holds for the recommended set [GKS25, Sec. 5].

"Choose the smallest ring on the plateau of precision": precision rises with the scale, until errors that do
not depend on the scale limit it. "The technique with an extra modulus is the most precise."
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan

from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.judge import Judge, Rejection, wrong
from fheasible.exploration.reasons.choices import choice_of
from fheasible.exploration.search.search import Exploration
from fheasible.exploration.space.requests import LARGEST_PRIME, SCALES, Choice
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.parameters import CkksParameters
from fheasible.noise.ckks.precision import precision
from fheasible.program.types import Program
from fheasible.units import listing, power_of_two

PLATEAU_BITS = 1.0  # a set that is less precise than the best by no more than this is on the plateau
SOURCE = "[GKS25]"
_COMPARED = {"cpu_seconds": "time", "peak_bytes": "memory"}
_STEP = 3  # bits of scale between the sets that show the plateau


@dataclass(frozen=True, slots=True)
class _Set:
    """A set at another scale or with another technique: its precision, and what it takes."""

    choice: Choice
    program: Program
    parameters: CkksParameters
    bits: float

    @property
    def ring(self) -> int:
        return self.parameters.ring_dimension


def plateau(told: Sequence[float]) -> int:
    """The number of the first set from which on all are as precise as the best one, but for `PLATEAU_BITS`;
    of the last one where precision still rises. Sets are in the order of their scales."""
    most = max(told)
    below = [i for i, bits in enumerate(told) if bits < most - PLATEAU_BITS]
    return min(below[-1] + 1 if below else 0, len(told) - 1)


def advice(e: Exploration, best: Candidate, profile: Profile | None) -> list[str]:
    """A line on the recommended set and what the paper would advise. None for integers, for flooded results,
    where the library sets the scale itself, and with bootstraps, of which the paper says nothing."""
    if best.scheme != "ckks" or not e.problem.real or best.ckks.flooding or best.request.scale_bits is None:
        return []
    if best.program.bootstraps:
        return []
    judge = Judge(e.problem, BY_NAME[best.library], best.scheme, e.wish, profile)
    choice = choice_of(best)
    told = [*_plateau(judge, best, choice), *_techniques(judge, best, choice)]
    return [" ".join(told)] if told else []


def _plateau(judge: Judge, best: Candidate, choice: Choice) -> Iterator[str]:
    """Sentences on the least scale of the plateau, and on whether its ring is the recommended one."""
    found = list(_scales(judge, choice))
    if len(found) < 2:
        return
    told = [one.bits for one in found]
    top, most = found[plateau(told)], max(told)
    ours, scale = best.parameters.ring_dimension, top.choice.scale_bits
    if top is found[-1]:
        yield (
            f"{SOURCE} advises the smallest ring on the plateau of precision. There is none here: precision "
            f"rises with the scale as far as values fit, to {most:.1f} bits at {scale} bits of scale."
        )
        return
    yield (
        f"{SOURCE} advises the smallest ring on the plateau of precision: here {most:.1f} bits, reached at a "
        f"scale of about {scale} bits with N = {power_of_two(top.ring)}."
    )
    if top.ring == ours:
        yield "That is the recommended ring, so the advice holds."
    elif top.ring < ours:
        yield "A smaller ring than the recommended one reaches it, so the advice alone is not enough here."
    else:
        yield (
            f"The precision asked for needs only N = {power_of_two(ours)}, so the advice does not hold here: "
            f"it would take {_more(judge, best, top)}."
        )


def _more(judge: Judge, best: Candidate, other: _Set) -> str:
    """What the other set takes, as multiples of the best candidate's."""
    theirs, ours = judge.figures(other.program, other.parameters), best.used(judge.wish)
    ratios = {word: theirs[name] / ours[name] for name, word in _COMPARED.items()}
    said = [f"{ratio:.1f} times the {word}" for word, ratio in ratios.items() if not isnan(ratio)]
    return listing(said)


def _scales(judge: Judge, choice: Choice) -> Iterator[_Set]:
    """The sets at other scales, with the largest first prime, each in the smallest secure ring."""
    own = choice.special_bits is not None
    for scale in range(SCALES[0] + 2, LARGEST_PRIME, _STEP):
        sized = replace(choice, scale_bits=scale, first_bits=LARGEST_PRIME, ring_dimension=None)
        if choice.level_bits is not None:
            sized = replace(sized, level_bits=scale)
        found = _judged(judge, replace(sized, special_bits=LARGEST_PRIME) if own else sized)
        if found is not None:
            yield found


def _judged(judge: Judge, choice: Choice) -> _Set | None:
    """The set of that choice with its precision; None where the library makes none, or a wrong one."""
    made = judge.made(choice)
    if isinstance(made, Rejection):
        return None
    program, p = made
    if p.scheme != "ckks" or wrong(judge.problem, program, p, judge.wish.failure_bits, expected=True):
        return None
    found = precision(program, p, judge.problem.gains(program), judge.problem.truth)
    return _Set(choice, program, p, found.bits)


def _techniques(judge: Judge, best: Candidate, choice: Choice) -> Iterator[str]:
    """A sentence on the technique that is the most precise at the recommended scale. The paper says that it
    is the one with limbs above the program's levels."""
    found: dict[str, _Set] = {}
    for technique in judge.library.techniques:
        if technique and choice.technique:
            style = judge.library.style(best.scheme, technique)
            style = replace(style, spare=choice.style.spare, as_written=choice.style.as_written)
            one = _judged(judge, replace(choice, technique=technique, style=style, ring_dimension=None))
            if one is not None:
                found[technique] = one
    extended = [name for name, one in found.items() if one.parameters.extended_limbs]
    if not extended or len(found) < 2:
        return
    most = max(one.bits for one in found.values())
    level = [name for name, one in found.items() if one.bits >= most - PLATEAU_BITS]
    told = ", ".join(f"{name} {one.bits:.1f}" for name, one in found.items())
    holds = set(level) & set(extended)
    verdict = "holds" if level == extended else "is of no use, as others are as precise" if holds else "fails"
    yield (
        f"It calls {listing(extended)} the most precise technique; at this scale the bits are {told}, so "
        f"that {verdict}."
    )
