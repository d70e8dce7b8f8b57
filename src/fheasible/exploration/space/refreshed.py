"""The sets with a bootstrap that are tried: in each ring as many levels as security allows, and fewer."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from math import ceil, floor, log2

from fheasible.circuit.degrees import Degrees
from fheasible.errors import FheasibleError
from fheasible.exploration.judging import secure
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.space.bootstraps import budgeted
from fheasible.exploration.space.pinned import of_bootstrap
from fheasible.exploration.space.requests import Choice, request
from fheasible.libraries.library import BootstrapSetting, Library
from fheasible.libraries.parameters import PREFIX, CkksParameters, Parameters, Request
from fheasible.lowering.plan import Lowerings
from fheasible.noise.ckks.bootstrap import added

ITERATIONS = PREFIX + "iterations"
LEAST_RING = 1 << 14  # the smallest that is tried
RINGS_TRIED = 2  # the smallest rings in which a bootstrap leaves a level, with each setting
ROOM = 3  # bits that the first prime has beyond the scale, below which results keep a level
# Numbers of levels that are tried: few, because each takes a program of its own.
_LEVELS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 26, 32, 40)
_SHARES = (1.0, 0.6)  # of the most levels that security allows
# Bits of precision that are asked for, from which on a second iteration is tried: a larger scale has fewer.
ITERATED_FROM = 16.0
MORE_BITS = 8  # beyond those that are asked for, that a bootstrap should have: operations add to its error
_LEAST_GAIN = 4  # bits for which an iteration is worth a try
_SURPLUS = 4  # bits more than those that lack, since more of them cost little
_UNSURE = 3  # bits of the first iteration that the second does not rely on
_MOST_GAIN = 30  # bits of one iteration, in any library


def refreshed(
    library: Library,
    wish: Wish,
    degrees: Degrees,
    rings: tuple[int, ...],
    slots: int,
    as_written: bool = False,
) -> Iterator[Choice]:
    """The choices of CKKS with bootstraps of so many slots at most; none where the library has none.

    Where fresh inputs may have levels beyond those after a bootstrap, a choice has all of them (`with_needed`
    leaves those that save bootstraps), and another one has not. What is pinned of a bootstrap, all have.
    """
    pinned = wish.pins.value(ITERATIONS)
    for setting in dict.fromkeys(of_bootstrap(wish.pins, each) for each in library.bootstrap_settings()):
        single = setting._replace(asked=replace(setting.asked, iterations=None, iteration_bits=None))
        once = list(_of(library, wish, single, degrees, rings, slots, as_written))
        if pinned in (None, 1):
            yield from once
        again = iterated(library, wish, setting, once[0], slots) if once and pinned != 1 else None
        if again is not None:
            yield from _of(library, wish, again, degrees, rings, slots, as_written)


def _of(
    library: Library,
    wish: Wish,
    setting: BootstrapSetting,
    degrees: Degrees,
    rings: tuple[int, ...],
    slots: int,
    as_written: bool,
) -> Iterator[Choice]:
    """The choices of one setting, in the smallest rings in which it leaves a level."""
    found = 0
    for n in rings:
        choice = _choice(library, setting, degrees, n, as_written)
        most, above = _most_levels(library, _secured(wish), _alike(choice), min(slots, n // 2))
        for levels in _levels(most, wish.pins.value("levels")):
            style = replace(choice.style, spare=int(setting.scale_bits > setting.first_bits - ROOM))
            for more in (0, above) if above else (0,):
                own = budgeted(style, library, levels, setting.asked.iterations or 1, more)
                yield replace(choice, style=own)
        found += most > 0
        if found == RINGS_TRIED:
            break


def _levels(most: int, pinned: int | None) -> list[int]:
    """The numbers of levels that are tried, where so many are secure at most, the largest first."""
    if pinned is not None:
        return [pinned] if 0 < pinned <= most else []
    return sorted({_tried(share * most) for share in _SHARES if most}, reverse=True)


def _secured(wish: Wish) -> Wish:
    """The wish without all that does not matter to how many levels are secure."""
    return Wish(security=wish.security, quantum=wish.quantum)


def iterated(
    library: Library, wish: Wish, setting: BootstrapSetting, once: Choice, slots: int
) -> BootstrapSetting | None:
    """The setting with a second iteration [BCCKY22], where one of the choice `once` is hardly precise enough
    for what is asked; None where it is, or where two are not either. With as many iterations as are pinned,
    whatever is asked."""
    wanted, budget, n = wish.least.value + MORE_BITS, once.style.budget, once.ring_dimension
    assert budget is not None
    assert n is not None
    pinned = wish.pins.value(ITERATIONS)
    if pinned is None and (not wish.least.in_bits or wish.least.value < ITERATED_FROM):
        return None
    p = parameters(library, _secured(wish), _alike(once), min(slots, n // 2), budget.levels)
    assert isinstance(p, CkksParameters)
    has = -log2(added(p).total) / 2
    most = min(floor(has) - _UNSURE, _MOST_GAIN)
    if pinned is not None:
        asked = replace(setting.asked, iteration_bits=setting.asked.iteration_bits or max(most, 1))
        return setting._replace(asked=asked)
    gain = setting.asked.iteration_bits or min(max(ceil(wanted - has) + _SURPLUS, _LEAST_GAIN), most)
    if has >= wanted or gain < _LEAST_GAIN or has + gain < wish.least.value:
        return None
    return setting._replace(asked=replace(setting.asked, iterations=2, iteration_bits=gain))


def with_needed(choice: Choice, lowerings: Lowerings) -> Choice | None:
    """The choice with no more levels beyond those after a bootstrap than its fresh inputs need to save as
    many bootstraps; None where they save none, or where there is no program, which is said of the choice
    without."""
    budget, n = choice.style.budget, choice.ring_dimension
    assert budget is not None
    assert n is not None
    if not budget.above:
        return choice
    try:
        used = lowerings.above_needed(choice.style, n, choice.slots)
    except FheasibleError:
        return None
    return replace(choice, style=replace(choice.style, budget=replace(budget, above=used))) if used else None


def _choice(
    library: Library, setting: BootstrapSetting, degrees: Degrees, n: int, as_written: bool
) -> Choice:
    style = replace(library.style("ckks", setting.technique), as_written=as_written)
    chain = library.own_primes is None
    return Choice(
        style,
        setting.technique,
        scale_bits=setting.scale_bits,
        first_bits=setting.first_bits,
        level_bits=setting.scale_bits if chain else None,
        digits=setting.digits,
        special=setting.special,
        ring_dimension=n,
        degrees=degrees,
        secret=setting.secret,
        bootstrap=setting.asked,
    )


def _alike(choice: Choice) -> Choice:
    """The choice for the usual degrees and order of products: all have the same bootstraps."""
    return replace(choice, degrees=(), style=replace(choice.style, as_written=False))


@lru_cache(maxsize=1024)
def _most_levels(library: Library, wish: Wish, choice: Choice, slots: int) -> tuple[int, int]:
    """(the most levels that a bootstrap may leave with the security that is wished for, 0 for none; the
    levels beyond them that fresh inputs may have)."""
    low, high, found, above = 0, _LEVELS[-1] + 1, 0, 0
    left: dict[int, float] = {}  # bits that the modulus could be larger, by the levels after a bootstrap
    while high - low > 1:
        guess = min(max(_guessed(choice, low, high, left), low + 1), high - 1)
        p = parameters(library, wish, choice, slots, guess)
        if p is not None:
            left[guess] = _room(p, wish)
        if p is not None and is_secure(p, wish):
            low, found, above = guess, guess, library.levels_above(p)
        elif p is None and guess == 1:
            low = guess  # it may be too few for the library
        else:
            high = guess
    return found, above


def _guessed(choice: Choice, low: int, high: int, left: Mapping[int, float]) -> int:
    """About how many levels are secure, where so many are and so many are not: the modulus grows by about as
    many bits with each."""
    if low in left and high in left:
        return low + int((high - low) * left[low] / max(left[low] - left[high], 1.0))
    if not low:
        return 1  # often not even one level is left
    return low + int(left[low] / (choice.scale_bits or 1)) if low in left else (low + high) // 2


def _room(p: Parameters, wish: Wish) -> float:
    """The bits that the modulus could be larger for the main secret."""
    main = secure.keys(p, switches_keys=True)[0]
    return main.asked(wish.quantum).allowed(wish.security) - main.log_q


def _tried(levels: float) -> int:
    """The largest number of levels that is tried, up to this one; at least 1."""
    return max((n for n in _LEVELS if n <= levels), default=_LEVELS[0])


def parameters(library: Library, wish: Wish, choice: Choice, slots: int, levels: int) -> Parameters | None:
    """What the library makes of a choice that leaves so many levels; None where it refuses it."""
    assert choice.bootstrap is not None
    asked = replace(choice, bootstrap=replace(choice.bootstrap, slots=slots))
    return _made(library, request(asked, library, None, wish.quantum, levels, None))


@lru_cache(maxsize=1024)  # choices that differ in the levels of fresh inputs ask for the same
def _made(library: Library, asked: Request) -> Parameters | None:
    try:
        return library.parameters(asked)
    except FheasibleError:
        return None


def is_secure(p: Parameters, wish: Wish) -> bool:
    """Whether all secrets of a set that switches keys have the security that is wished for."""
    uses = secure.keys(p, switches_keys=True)
    return all(use.log_q <= use.asked(wish.quantum).allowed(wish.security) for use in uses)
