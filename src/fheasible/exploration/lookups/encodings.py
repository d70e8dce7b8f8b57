"""How an application's integers can lie in ciphertexts: every encoding with its program of table look-ups."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Final

from fheasible.aliases import Json
from fheasible.errors import CircuitError, UnsupportedOperation
from fheasible.estimation.lookups import Workload
from fheasible.exploration.problem.pins import NO_PINS, Pins
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked
from fheasible.lowering.lookups.builder import TooManyLookups, TooManySteps
from fheasible.lowering.lookups.cleartext import in_clear
from fheasible.lowering.lookups.lower import lower_lookups
from fheasible.noise.achieved import achieved
from fheasible.program.lookups import LookupProgram, Step

if TYPE_CHECKING:
    from fheasible.noise.tfhe.summary import NormSummary

MOST_BITS: Final = 8  # log2 of message times carry: larger tables take a ring of 2^15 and more
FRACTIONS: Final = (4, 6, 8, 10, 12, 14, 16, 20, 24, 28)  # bits after the point that are tried for reals
MANY: Final = 100_000  # look-ups, of which a program takes long to write
MOST: Final = 10_000_000  # look-ups, which take a day: programs of more are not written
OF_ENCODINGS: Final = ("message", "carry", "fraction")  # the settings that may be pinned
_KEPT: Final = ("encoded",)
_LONGER: Final = 5  # times as many steps as wanted with the usual digits are too many with larger ones, too
_ALIKE: Final = 1.1  # so many times the fewest look-ups: less noise could make up for them


@dataclass(frozen=True, slots=True)
class Encoding:
    """`message` values of a digit, times `carry`, fit in a ciphertext. `fraction`: bits after the point of
    real numbers; None for integers."""

    message: int
    carry: int
    fraction: int | None = None

    @property
    def modulus(self) -> int:
        return self.message * self.carry

    @property
    def settings(self) -> Json:
        """As `--param` accepts them."""
        own: Json = {"message": self.message, "carry": self.carry}
        return own if self.fraction is None else own | {"fraction": self.fraction}

    def __str__(self) -> str:
        point = "" if self.fraction is None else f", {self.fraction} bits after the point"
        return f"message {self.message}, carry {self.carry}{point}"


@dataclass(frozen=True, eq=False)
class Encoded:
    """An application in an encoding, with what it takes whatever the parameters."""

    encoding: Encoding
    program: LookupProgram
    work: Workload

    @property
    def lookups(self) -> int:
        return self.work.lookups

    @cached_property
    def norms(self) -> "NormSummary":
        """The 2-norms of what is looked up and decrypted."""
        from fheasible.noise.tfhe.program import norms_of  # which loads scipy
        from fheasible.noise.tfhe.summary import NormSummary

        return NormSummary.of(norms_of(self.program))

    @cached_property
    def depth(self) -> int:
        """The most look-ups in succession."""
        deep: dict[int, int] = {}
        for step in self.program.steps:
            before = max((deep[a] for a in step.args), default=0)
            deep[step.out] = before + (step.step is Step.LOOKUP)
        return max(deep.values(), default=0)


def encodings(fraction: int | None = None) -> Iterator[Encoding]:
    """Every encoding with room for a sum of two digits whose tables are small enough, those with small tables
    first."""
    for bits in range(2, MOST_BITS + 1):
        for message in range(1, bits):
            yield Encoding(1 << message, 1 << (bits - message), fraction)


def encoded(
    problem: Problem, least: Asked, longest: float = inf, pins: Pins = NO_PINS
) -> tuple[list[Encoded], str]:
    """The application in every encoding that the pins allow and that can express it in at most `longest`
    steps, and why not where none can. Where it takes very many look-ups, it is written in one of these alone,
    the usual one where that is allowed.

    It is kept until something else is asked of the problem: long programs take gigabytes.
    """
    only = f"; only programs of up to {longest:,} steps are written as code"
    key = "digits", least if problem.real else None, longest
    fraction, reason = problem.once(key, lambda: _digits(problem, least, longest, only))
    if reason:
        return [], reason
    asked = fraction, longest, tuple(pins.value(name) for name in OF_ENCODINGS)
    known = problem.kept.get(_KEPT)
    if known is None or known[0] != asked:
        problem.kept[_KEPT] = known = asked, _in_all(problem, fraction, longest, pins, only)
    ways, reason = known[1]
    return list(ways), reason


def _digits(problem: Problem, least: Asked, longest: float, only: str) -> tuple[int | None, str]:
    """The bits after the point that reals need, and why the application has no program whatever its digits
    are; empty where it may have one."""
    try:
        fraction = _fraction(problem, least) if problem.real else None
        if longest < inf:
            largest = FRACTIONS[-1] if problem.real else None
            lower_lookups(problem.circuit, 4, 4, fraction or largest, longest=_LONGER * longest)
    except TooManySteps as error:
        return None, error.message + only
    except CircuitError as error:
        return None, error.message if problem.real else ""
    if problem.real and fraction is None:
        return None, f"no fixed point of up to {FRACTIONS[-1]} bits gives {least}"
    return fraction, ""


def _in_all(
    problem: Problem, fraction: int | None, longest: float, pins: Pins, only: str
) -> tuple[list[Encoded], str]:
    found, reason, long = [], "", ""
    pinned = [e for e in encodings(fraction) if _allowed(pins, e)]
    if not pinned:
        return [], f"no set that is searched has {pins}"
    soon = _soon_written(problem, _usual(fraction), longest)
    for encoding in (_one_of(pinned),) if soon is None else pinned:
        try:
            found.append((soon or {}).get(encoding) or encoded_as(problem, encoding, MOST, longest))
        except TooManyLookups as error:
            reason = f"the application takes {error.lookups:,} table look-ups or more with {encoding}"
            reason += f", and only programs of up to {MOST:,} are searched"
        except TooManySteps as error:
            long = error.message + only
        except CircuitError as error:
            reason = error.message
    return _fewest(found), "" if found else long or reason


def _fewest(found: list[Encoded]) -> list[Encoded]:
    """Those that take about as few look-ups as any with the same modulus, and so the same sets."""
    least: dict[int, int] = {}
    for each in found:
        modulus = each.encoding.modulus
        least[modulus] = min(each.lookups, least.get(modulus, each.lookups))
    return [each for each in found if each.lookups <= _ALIKE * least[each.encoding.modulus]]


def usual(problem: Problem) -> Encoding:
    """Two bits of message, and two of carry."""
    return _usual(FRACTIONS[4] if problem.real else None)


def _usual(fraction: int | None) -> Encoding:
    return Encoding(4, 4, fraction)


def _allowed(pins: Pins, encoding: Encoding) -> bool:
    own = encoding.settings
    return all(pins.allow(name, own.get(name)) for name in OF_ENCODINGS)


def _one_of(found: list[Encoding]) -> Encoding:
    """The usual encoding where it is among these, else one with as much carry as message, or the first."""
    alike = [e for e in found if e.carry == e.message]
    return next((e for e in alike if e == _usual(e.fraction)), (alike or found)[0])


def _soon_written(problem: Problem, encoding: Encoding, longest: float) -> dict[Encoding, Encoded] | None:
    """The application in that encoding, by the encoding; empty where it cannot be expressed in so many steps,
    and None where it takes very many look-ups."""
    try:
        return {encoding: encoded_as(problem, encoding, MANY, longest)}
    except TooManyLookups:
        return None
    except CircuitError:
        return {}


def encoded_as(problem: Problem, encoding: Encoding, most: float = inf, longest: float = inf) -> Encoded:
    """The application in that encoding. CircuitError where it cannot be expressed or has more than `longest`
    steps, TooManyLookups where a part of it takes `most` look-ups."""
    e = encoding
    program = lower_lookups(problem.circuit, e.message, e.carry, e.fraction, most, longest)
    return Encoded(encoding, program, Workload.of(program))


def _fraction(problem: Problem, least: Asked) -> int | None:
    """The fewest bits after the point that give the results as precisely as asked; None where none do.
    CircuitError where those that would be more precise than all others cannot express the application."""
    refused: CircuitError | None = None
    for bits in FRACTIONS:
        try:
            results = in_clear(problem.circuit, bits, problem.data)
        except UnsupportedOperation as error:  # tables grow with each bit
            refused = refused if isinstance(refused, UnsupportedOperation) else error
            continue
        except CircuitError as error:  # numbers become 0 with few bits
            refused = refused or error
            continue
        if least.met_by(achieved(results, problem.truth)):
            return bits
        refused = None
    if refused is not None:
        raise refused
    return None
