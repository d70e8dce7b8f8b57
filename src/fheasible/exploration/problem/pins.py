"""Pins: settings that a search keeps at one value, so that only sets with these values are searched."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fheasible.units import listing


@dataclass(frozen=True, slots=True)
class Pin:
    """A setting with the one value that it may have; `text` is the value as it was typed."""

    name: str
    value: Any
    text: str

    def __str__(self) -> str:
        return f"{self.name}={self.text}"


@dataclass(frozen=True, slots=True)
class Pins:
    """The pins of a search; none by default."""

    pins: tuple[Pin, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.pins)

    def __iter__(self) -> Iterator[Pin]:
        return iter(self.pins)

    def __contains__(self, name: object) -> bool:
        return any(pin.name == name for pin in self.pins)

    def allow(self, name: str, value: Any) -> bool:
        """Whether a setting of that name may have the value."""
        return all(pin.value == value for pin in self.pins if pin.name == name)

    def value(self, name: str) -> Any:
        """The value that the setting is kept at; None where it is not pinned."""
        return next((pin.value for pin in self.pins if pin.name == name), None)

    def without(self, name: str) -> "Pins":
        """The pins without the named one."""
        return Pins(tuple(pin for pin in self.pins if pin.name != name))

    def __str__(self) -> str:
        return listing([str(pin) for pin in self.pins])


NO_PINS = Pins()


def what_pins_exclude(pins: Pins, fitting: Callable[[Pins], str]) -> Iterator[str]:
    """A sentence for each pin that alone keeps out everything that fits otherwise; one sentence on all pins
    where no single one does. `fitting` says what fits with other pins: 'SEAL CKKS fits', or nothing."""
    alone = False
    for pin in pins:
        said = fitting(pins.without(pin.name))
        if said:
            alone = True
            yield f"{pin} excludes everything that fits. Without it, {said}."
    if alone:
        return
    said = fitting(NO_PINS) if len(pins.pins) > 1 else ""
    if said:
        yield f"{pins} exclude everything together. Without any of them, {said}."
    else:
        yield f"Nothing fits without {pins} either."


def fits(named: Sequence[str], most: int = 3) -> str:
    """The names of what fits, as part of a sentence; empty where nothing does."""
    if not named:
        return ""
    more = len(named) - most
    rest = [f"{more} more kinds of sets"] if more > 0 else []
    return f"{listing([*named[:most], *rest])} {'fits' if len(named) == 1 else 'fit'}"
