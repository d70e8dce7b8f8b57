"""What an application asks of any ring scheme, at any parameters: which functions are called how often, and
what else is in memory then. Vectors of thousands of elements are counted by one call of each function."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from fheasible.schemes.evaluate import run
from fheasible.schemes.plan import Plan
from fheasible.schemes.scheme import RingScheme

Alive = tuple[int, int]  # ciphertexts and plaintexts


class Call(NamedTuple):
    """A function of a scheme in one phase. `constant` stands for all constants that `times` treats alike."""

    phase: str
    function: str
    constant: int | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """How many such calls there are, and the maximal combinations of what is in memory before them."""

    count: int
    alive: tuple[Alive, ...]


def workload(steps: Plan) -> dict[Call, Load]:
    """Every call of the application with its load, from key generation to decryption.

    The application is evaluated as it is when it is counted or run, but on tokens instead of ciphertexts.
    """
    rehearsal = _Rehearsal()
    run(steps, cast(RingScheme, rehearsal), caller=rehearsal.phase_by_phase)
    return {call: Load(count, maximal(rehearsal.alive[call])) for call, count in rehearsal.counts.items()}


def maximal(found: set[Alive]) -> tuple[Alive, ...]:
    """The pairs that no other pair equals or exceeds in both numbers."""
    kept: list[Alive] = []
    for c, p in sorted(found, reverse=True):
        if not kept or p > kept[-1][1]:
            kept.append((c, p))
    return tuple(kept)


class _Rehearsal:
    """A stand-in for a scheme, with the functions that an application calls. Ciphertexts and plaintexts are
    tokens, which live while they are used."""

    spec = SimpleNamespace(t=SimpleNamespace(value=None))

    def __init__(self) -> None:
        self.counts: dict[Call, int] = {}
        self.alive: dict[Call, set[Alive]] = {}
        self._in_use = [0, 0]
        self._phase = ""

    def phase_by_phase(self, name: str, function: Callable[..., Any], *operands: Any) -> Any:
        self._phase = name
        return function(*operands)

    def keygen(self) -> None:
        self._note("keygen")

    def message(self, _: Any = None) -> "_Token":
        self._note("message")
        return _Token(self._in_use, 1)

    def encrypt(self, *_: Any) -> "_Token":
        return self._ciphertext("encrypt")

    def add(self, *_: Any) -> "_Token":
        return self._ciphertext("add")

    def negate(self, *_: Any) -> "_Token":
        return self._ciphertext("negate")

    def multiply(self, *_: Any) -> "_Token":
        return self._ciphertext("multiply")

    def constant(self, *_: Any) -> "_Token":
        return self._ciphertext("constant")

    def times(self, _: Any, k: int) -> "_Token":
        """The product with a constant. A power of two is a shift, and all other constants cost the same."""
        return self._ciphertext("times", 2 if k > 0 and k & (k - 1) == 0 else 3)

    def decrypt(self, *_: Any) -> "_Token":
        self._note("decrypt")
        return _Token(self._in_use, 1)

    def _ciphertext(self, function: str, constant: int | None = None) -> "_Token":
        self._note(function, constant)
        return _Token(self._in_use, 0)

    def _note(self, function: str, constant: int | None = None) -> None:
        call = Call(self._phase, function, constant)
        self.counts[call] = self.counts.get(call, 0) + 1
        self.alive.setdefault(call, set()).add((self._in_use[0], self._in_use[1]))


class _Token:
    """Counts as in use for as long as it lives, as a block of the counting ring does."""

    __slots__ = ("_in_use", "_kind")

    def __init__(self, in_use: list[int], kind: int) -> None:
        self._in_use, self._kind = in_use, kind
        in_use[kind] += 1

    def __del__(self) -> None:
        self._in_use[self._kind] -= 1
