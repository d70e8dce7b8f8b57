"""Values of expressions in code that is read and never executed: numbers, lists, names and calls.

What cannot be known without executing the code is `Unread`, with the reason. It is never guessed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, log2
from typing import Any

LONGEST = 4096  # entries of a list, and bits of a number: no parameter set has more
_CONVERSIONS = {
    "int", "float", "double", "size_t", "uint32_t", "uint64_t", "int32_t", "int64_t", "usint", "unsigned",
    "float64", "uint64", "uint32", "int64", "NewScale", "static_cast", "long", "list", "tuple",
}  # fmt: skip
_POWERS, _POWERS_OF_TWO = {"pow", "Pow", "power"}, {"Exp2", "exp2"}
_LISTS = {"vector"}


@dataclass(frozen=True, slots=True)
class Unread:
    """An expression whose value the file alone does not say."""

    text: str
    why: str = "it is no constant of this file"

    def __str__(self) -> str:
        return f"`{self.text}`: {self.why}"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name that the file does not define, such as one of a library's enumeration."""

    name: str

    @property
    def last(self) -> str:
        return self.name.rsplit(".", 1)[-1]


@dataclass(frozen=True, slots=True)
class Call:
    """A call, or a composite literal, with the values of its arguments. Scopes are joined by points."""

    name: str
    arguments: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0

    @property
    def last(self) -> str:
        """The function's own name, without template arguments."""
        return self.name.split("<", 1)[0].rsplit(".", 1)[-1]

    @property
    def receiver(self) -> str:
        """The object whose method is called; empty for a function."""
        return self.name.rpartition(".")[0]

    def argument(self, place: int, *names: str) -> Any:
        """The argument of that place or of one of the names; None where it is left out."""
        for name in names:
            if name in self.named:
                return self.named[name]
        return self.arguments[place] if 0 <= place < len(self.arguments) else None


@dataclass(frozen=True, slots=True)
class Assigned:
    """A name that is given a value."""

    line: int
    name: str
    value: Any


Statement = Assigned | Call


def folded(call: Call) -> Any:
    """The value of a call that only converts or computes a number; the call itself otherwise."""
    given = call.arguments
    if call.last in _LISTS and len(given) == 1 and isinstance(given[0], tuple):
        return given[0]
    if call.named or not given:
        return call
    if call.last in _CONVERSIONS and len(given) == 1 and isinstance(given[0], int | float | tuple | Unread):
        return given[0]
    if call.last in _POWERS and len(given) == 2:
        return combined("**", *given)
    if call.last in _POWERS_OF_TWO and len(given) == 1:
        return combined("**", 2.0, given[0])
    return call


def combined(operator: str, left: Any, right: Any) -> Any:
    """The value of a binary operation; Unread where an operand is, or the result is out of all range."""
    for side in (left, right):
        if isinstance(side, Unread):
            return side
    text = f"{shown(left)} {operator} {shown(right)}"
    if isinstance(left, tuple) or isinstance(right, tuple):
        return _joined(operator, left, right, text)
    if not all(isinstance(side, int | float) for side in (left, right)):
        return Unread(text)
    try:
        found = _computed(operator, left, right)
    except (ArithmeticError, ValueError, TypeError):
        found = None
    if found is None or isinstance(found, complex) or not isfinite(found):
        return Unread(text, "it is no number in a usual range")
    return found


def _computed(operator: str, left: Any, right: Any) -> Any:
    if operator in ("**", "<<", "*"):  # a file may ask for numbers that fill the memory
        size = log2(abs(left)) if left else 0.0
        bits = {"**": size * right, "<<": size + right, "*": size + (log2(abs(right)) if right else 0.0)}
        if abs(bits[operator]) > LONGEST:
            return None
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case "//":
            return left // right
        case "%":
            return left % right
        case "**":
            return left**right
        case "<<":
            return left << right
        case ">>":
            return left >> right
    return None


def _joined(operator: str, left: Any, right: Any, text: str) -> Any:
    if operator == "+" and isinstance(left, tuple) and isinstance(right, tuple):
        both = left + right
        return both if len(both) <= LONGEST else Unread(text, "the list is too long")
    if operator == "*":
        entries, times = (left, right) if isinstance(left, tuple) else (right, left)
        if isinstance(times, int) and 0 <= times * len(entries) <= LONGEST:
            return entries * times
    return Unread(text)


def shown(value: Any) -> str:
    """The value as a reader would write it, shortened."""
    if isinstance(value, Unread):
        return value.text
    if isinstance(value, Symbol):
        return value.name
    if isinstance(value, Call):
        return f"{value.name}(...)"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(shown, value[:4])) + (", ...]" if len(value) > 4 else "]")
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "..."
