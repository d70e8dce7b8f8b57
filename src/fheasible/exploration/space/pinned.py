"""Which choices of a search, and which sizes of primes, have the values that are pinned."""

from dataclasses import replace
from typing import Any, Final

import numpy as np

from fheasible.aliases import Flags
from fheasible.exploration.problem.pins import Pins
from fheasible.exploration.space.chains import ChainSizes
from fheasible.exploration.space.requests import Choice
from fheasible.libraries.library import BootstrapSetting, Library
from fheasible.libraries.parameters import PREFIX, Request

SIZES: Final = ("scale_bits", "first_bits", "prime_bits", "special_bits")
"""The settings that are bits of primes, or of the scale."""
OF_BOOTSTRAPS: Final = (
    "encode_levels", "decode_levels", "iterations", "iteration_bits", "message_bits", "ephemeral", "weight",
)  # fmt: skip
"""The settings of a bootstrap that a pin may fix, without their prefix."""
BOOTSTRAPPED: Final = ("levels", *(PREFIX + name for name in OF_BOOTSTRAPS))
"""The pins that only sets with bootstraps have; `levels` is how many are left after a bootstrap."""
_USUAL_SWITCHING: Final = "hybrid"  # where a library leaves no choice


def sized(pins: Pins) -> bool:
    """Whether a size of primes is pinned, other than by the scale. Sizes that are known to gain nothing are
    then tried, too."""
    return any(name in pins for name in SIZES if name != "scale_bits")


def as_pinned(pins: Pins, library: Library, choice: Choice) -> bool:
    """Whether sets of the choice may have the pinned values. A ring and sizes that the choice leaves open may
    have any."""
    if not pins:
        return True
    if choice.bootstrap is None and any(name in pins for name in BOOTSTRAPPED):
        return False
    own: dict[str, Any] = {
        "technique": choice.technique,
        "digits": choice.digits,
        "key_switching": choice.key_switching or _USUAL_SWITCHING,
        "secret": choice.secret,
        "degree": choice.degrees,
        "spare_levels": choice.style.spare,
        "as_written": choice.style.as_written,
        "layout": choice.style.layout,
    }
    fixed = {"ring_dimension": choice.ring_dimension}
    if not choice.style.exact:
        own["prime_bits"] = None  # a chain of CKKS is described by its scale and its first prime
        fixed |= {"scale_bits": choice.scale_bits, "first_bits": choice.first_bits}
    own |= {name: value for name, value in fixed.items() if value is not None}
    if "special_bits" in pins and not choice.style.exact:
        many = len(pins.value("special_bits"))
        if library.own_primes is not None or many != (choice.special or 1):
            return False
    return all(pins.allow(name, value) for name, value in own.items())


def of_bootstrap(pins: Pins, setting: BootstrapSetting) -> BootstrapSetting:
    """The setting with the pinned values of its bootstrap. A library refuses what it does not have."""
    pinned = {name: pins.value(PREFIX + name) for name in OF_BOOTSTRAPS if PREFIX + name in pins}
    return setting._replace(asked=replace(setting.asked, **pinned))


def of_sizes(pins: Pins, sizes: ChainSizes) -> ChainSizes:
    """The sizes of CKKS that have the pinned values."""
    if not any(name in pins for name in SIZES):
        return sizes
    fits: Flags = np.ones(len(sizes), dtype=np.bool_)
    for name, column in (("scale_bits", sizes.scale), ("first_bits", sizes.first)):
        if name in pins:
            fits &= column == pins.value(name)
    if "special_bits" in pins:
        bits = set(pins.value("special_bits"))
        fits &= (sizes.special == max(bits)) & (len(bits) == 1)
    return sizes.take(fits)


def of_request(pins: Pins, asked: Request) -> bool:
    """Whether a request of integers, with the sizes of all its primes, has the pinned values."""
    return all(pins.allow(name, getattr(asked, name)) for name in SIZES)
