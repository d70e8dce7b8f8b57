"""The sets with a bootstrap that are tried: in each ring as many levels as security allows, and fewer."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from fheasible.circuit.degrees import Degrees
from fheasible.errors import FheasibleError
from fheasible.exploration.judging import secure
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.space.bootstraps import budgeted
from fheasible.exploration.space.requests import Choice, request
from fheasible.libraries.library import BootstrapSetting, Library
from fheasible.libraries.parameters import Parameters

RINGS_TRIED = 2  # the smallest rings in which a bootstrap leaves a level, with each setting
ROOM = 3  # bits that the first prime has beyond the scale, below which results keep a level
# Numbers of levels that are tried: few, because each takes a program of its own.
_LEVELS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 26, 32, 40)
_SHARES = (1.0, 0.6)  # of the most levels that security allows


def refreshed(
    library: Library,
    wish: Wish,
    degrees: Degrees,
    rings: tuple[int, ...],
    slots: int,
    as_written: bool = False,
) -> Iterator[Choice]:
    """The choices of CKKS with bootstraps of so many slots at most; none where the library has none."""
    for setting in library.bootstrap_settings():
        found = 0
        for n in rings:
            choice = _choice(library, setting, degrees, n, as_written)
            asked = Wish(security=wish.security, quantum=wish.quantum)
            most = _most_levels(library, asked, _alike(choice), min(slots, n // 2))
            for levels in sorted({_tried(share * most) for share in _SHARES if most}, reverse=True):
                style = replace(choice.style, spare=int(setting.scale_bits > setting.first_bits - ROOM))
                yield replace(choice, style=budgeted(style, library, levels))
            found += most > 0
            if found == RINGS_TRIED:
                break


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
def _most_levels(library: Library, wish: Wish, choice: Choice, slots: int) -> int:
    """The most levels that a bootstrap may leave with the security that is wished for; 0 for none."""
    low, high = 0, _LEVELS[-1] + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _secure(library, wish, choice, slots, middle) else (low, middle)
    return low


def _tried(levels: float) -> int:
    """The largest number of levels that is tried, up to this one; at least 1."""
    return max((n for n in _LEVELS if n <= levels), default=_LEVELS[0])


def _secure(library: Library, wish: Wish, choice: Choice, slots: int, levels: int) -> bool:
    assert choice.bootstrap is not None
    asked = replace(choice, bootstrap=replace(choice.bootstrap, slots=slots))
    try:
        made = library.parameters(
            replace(request(asked, library, 0, wish.quantum, levels, None), security=None)
        )
    except FheasibleError:
        return False
    return is_secure(made, wish)


def is_secure(p: Parameters, wish: Wish) -> bool:
    """Whether all secrets of a set that switches keys have the security that is wished for."""
    uses = secure.keys(p, switches_keys=True)
    return all(use.log_q <= use.asked(wish.quantum).allowed(wish.security) for use in uses)
