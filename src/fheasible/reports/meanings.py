"""What each colour, shape and dash stands for, the same in all reports.

A strong colour is a library (or a ring scheme), a shape is a scheme, a soft colour is a part of a run, and
colours from dark to light are the values of a setting in their order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.lookup_catalogue import LOOKUP_CATALOGUE
from fheasible.reports import theme
from fheasible.schemes.catalogue import SCHEMES as RING_SCHEMES

_COLOURS = (  # the first six are told apart by the colour-blind [OkaIto08]
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8B5A2B", "#6A4FA3", "#666600",
)  # fmt: skip
_LIBRARIES = [*(lib.title for lib in CATALOGUE.values()), *(lib.title for lib in LOOKUP_CATALOGUE.values())]
KINDS = MappingProxyType(
    dict(zip([*_LIBRARIES, *(scheme.title for scheme in RING_SCHEMES.values())], _COLOURS, strict=True))
)
"""The colour of each library and, since they are never beside libraries, of each ring scheme."""
_HEXAGON = "M1,0L0.5,0.87L-0.5,0.87L-1,0L-0.5,-0.87L0.5,-0.87Z"
SCHEMES = MappingProxyType(
    {
        "CKKS": "circle", "BFV": "square", "BGV": "triangle-up", "TFHE": "diamond", "FHEW": "triangle-down",
        "YASHE": "cross", "F-NTRU": "triangle-right", "SHIELD": "triangle-left", "FV": _HEXAGON,
    }
)  # fmt: skip
PARTS = MappingProxyType(
    {
        "rotate": "#AEC7E8", "mul": "#FFBB78", "relinearize": "#98DF8A", "rescale": "#FF9896",
        "mul plain": "#C5B0D5", "encrypt": "#F7B6D2", "decrypt": "#C49C94", "bootstrap": "#DBDB8D",
        "eval sum": "#9EDAE5", "evaluate": "#E3E9F1", "keygen": "#F6E3B4", "context": "#ECECEC",
    }
)  # fmt: skip
REST = "#C7C7C7"  # all parts together that have no colour of their own
OTHER = "#555555"  # what is neither a library nor a value of a setting: a limit, a target
_FREE = ("#F2D5C4", "#CFE8CF", "#D9D2E9", "#FDE9A9", "#C9DDE3", "#E8C8C8", "#D5E3B5")  # of other parts
_TONE = 0.72  # the part of a library's colour that its next line in a figure keeps
_SHADES = ("#6A4FB3", "#3E6CC0", "#1F8A9E", "#3C9A5F", "#8C9A2E")  # these show on white and on black


@dataclass(frozen=True, slots=True)
class Look:
    """How one name is drawn."""

    colour: str
    shape: str
    dash: tuple[int, ...] = theme.SOLID


def kind_of(name: str) -> str | None:
    """The library or the ring scheme that a name begins with; None where it is neither."""
    words = name.lstrip("0123456789. ")  # a rank stands before some names
    return next((kind for kind in KINDS if words.startswith(kind)), None)


def scheme_of(name: str) -> str | None:
    """The scheme that a name has among its words."""
    words = name.replace(",", " ").replace(":", " ").replace("'", " ").split()
    return next((scheme for scheme in SCHEMES if scheme in words), None)


def looks(names: Sequence[str]) -> list[Look]:
    """How each of the names is drawn in one figure. Where none is a library, they are values in order."""
    kinds, free = [kind_of(name) for name in names], shades(len(names))
    found: list[Look] = []
    for place, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        colour = KINDS[kind] if kind else OTHER if any(kinds) else free[place]
        shape = SCHEMES.get(scheme_of(name) or "", theme.SHAPES[0 if kind else place % len(theme.SHAPES)])
        alike = [look for look in found if look.colour == colour]
        if any(look.shape == shape for look in alike):
            used = {look.shape for look in alike}
            shape = next((s for s in (*SCHEMES.values(), *theme.SHAPES) if s not in used), shape)
        found.append(Look(colour, shape, theme.DASHES[len(alike) % len(theme.DASHES)]))
    return found


def apart(found: Sequence[Look]) -> list[Look]:
    """The looks of lines, in which those of one library differ: the first has its colour, each further one a
    lighter tone of it."""
    tones: dict[str, int] = {}
    lines = []
    for look in found:
        place = tones[look.colour] = tones.get(look.colour, -1) + 1
        lines.append(replace(look, colour=_mixed(look.colour, "#FFFFFF", 1 - _TONE**place)))
    return lines


def shades(count: int) -> list[str]:
    """That many colours from dark to light, for values in their order."""
    if count <= 1:
        return [_SHADES[1]] * count
    last = len(_SHADES) - 1
    return [_between(place * last / (count - 1)) for place in range(count)]


def _between(at: float) -> str:
    """The colour at that place among the shades."""
    low = min(int(at), len(_SHADES) - 2)
    return _mixed(_SHADES[low], _SHADES[low + 1], at - low)


def _mixed(one: str, other: str, share: float) -> str:
    """A colour between two; `share` is how much of the other one it has."""
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return f"#{bytes(round(a + (b - a) * share) for a, b in pairs).hex().upper()}"


def parts(names: Sequence[str], rest: str = "") -> list[str]:
    """The colour of each part of a run; `rest` is the name of all others together."""
    free = iter(_FREE * (1 + len(names) // len(_FREE)))
    return [REST if name == rest else PARTS[name] if name in PARTS else next(free) for name in names]


def rings(names: Sequence[str]) -> list[str]:
    """The soft colour of each ring dimension, as '2^14': always the same one."""
    return [theme.PASTELS[int(name.removeprefix("2^")) % len(theme.PASTELS)] if _is_ring(name) else REST
            for name in names]  # fmt: skip


def _is_ring(name: str) -> bool:
    return name.startswith("2^") and name[2:].isdecimal()
