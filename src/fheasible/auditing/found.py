"""A parameter set as it stands in a file, whatever the library's way to write it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fheasible.aliases import Json
from fheasible.auditing.values import Call, Symbol, Unread, shown

Bits = tuple[int, ...]
_LARGEST_RING, _LARGEST_PRIME, _MOST_DEPTH = 1 << 20, 1 << 64, 1000


@dataclass(frozen=True, slots=True)
class Found:
    """What a file says of one parameter set. None stands for what it leaves to the library, or for what could
    not be read: `unread` then has a sentence.

    `form` is what it is written for, and `library` the one that carries it out. `primes` are the primes
    themselves where the file has them, else `prime_bits` their sizes. `checked` says whether the library
    checks the security level; None where it never does. `weight` is the number of the secret's coefficients
    that are not 0. `settings` are further settings of a request to the library.
    """

    form: str
    library: str
    line: int
    scheme: str | None = None
    ring_dimension: int | None = None
    depth: int | None = None
    prime_bits: Bits | None = None
    special_bits: Bits | None = None
    primes: Bits | None = None
    special_primes: Bits | None = None
    scale_bits: float | None = None
    plain_modulus: int | None = None
    security: int | None = None
    checked: bool | None = None
    quantum: bool = False
    secret: str = "uniform_ternary"
    weight: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def to_json(self) -> Json:
        names = [name for name in self.__slots__ if name not in ("unread", "remarks")]
        return {name: getattr(self, name) for name in names} | {"unread": list(self.unread)}


class Taken:
    """Takes values out of a file's expressions, and keeps a sentence on each that cannot be taken."""

    def __init__(self) -> None:
        self.unread: list[str] = []

    def whole(self, what: str, value: Any, line: int, most: int = _LARGEST_PRIME) -> int | None:
        """A whole number from 0 to `most`."""
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            self._missed(what, value, line, "a whole number")
            return None
        if not 0 <= value <= most:
            self._missed(what, value, line, f"from 0 to {most:,}")
            return None
        return value

    def ring(self, value: Any, line: int) -> int | None:
        """A ring dimension: a power of two."""
        found = self.whole("the ring dimension", value, line, _LARGEST_RING)
        if found is not None and (found < 2 or found & (found - 1)):
            self._missed("the ring dimension", value, line, "a power of two")
            return None
        return found

    def ring_of_log(self, value: Any, line: int) -> int | None:
        found = self.whole("log2 of the ring dimension", value, line, 20)
        return None if not found else 1 << found

    def depth(self, value: Any, line: int) -> int | None:
        return self.whole("the depth", value, line, _MOST_DEPTH)

    def sizes(self, what: str, value: Any, line: int, most: int = 64) -> Bits | None:
        """A list of whole numbers from 1 to `most`."""
        if value is None:
            return None
        if not isinstance(value, tuple):
            self._missed(what, value, line, "a list of whole numbers")
            return None
        for entry in value:
            if isinstance(entry, bool) or not isinstance(entry, int) or not 1 <= entry <= most:
                self._missed(what, entry, line, f"a whole number from 1 to {most:,}")
                return None
        return value

    def number(self, what: str, value: Any, line: int) -> float | None:
        """A positive number."""
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            self._missed(what, value, line, "a positive number")
            return None
        return float(value)

    def word(self, what: str, value: Any, line: int, words: Mapping[str, Any]) -> Any:
        """What the name stands for; its scopes and its letters' case do not matter."""
        if isinstance(value, Symbol | str):
            name = value.last if isinstance(value, Symbol) else value
            by_name = {known.lower(): meaning for known, meaning in words.items()}
            if name.lower() in by_name:
                return by_name[name.lower()]
        self._missed(what, value, line, f"one of {', '.join(words)}")
        return None

    def _missed(self, what: str, value: Any, line: int, wanted: str) -> None:
        """Keeps a sentence on why the value cannot be taken."""
        said = str(value) if isinstance(value, Unread) else f"`{shown(value)}` is not {wanted}"
        if isinstance(value, Symbol | Call):
            said = f"`{shown(value)}` is not in this file as a fixed value"
        self.unread.append(f"line {line}: {what} cannot be read ({said})")
