"""What an application asks of a ring scheme, whichever and at whatever parameters: which function how often,
and beside what in memory. Vectors of thousands of elements are then counted by one call of each function."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from fheasible.schemes.evaluate import run
from fheasible.schemes.plan import Plan
from fheasible.schemes.scheme import Scheme

Alive = tuple[int, int]  # ciphertexts and plaintexts


class Call(NamedTuple):
    """A function of a scheme in one phase. `constant` represents those that `times` treats alike."""

    phase: str
    function: str
    constant: int | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """How many such calls there are, and what is in memory before them: each maximal combination."""

    count: int
    alive: tuple[Alive, ...]


def workload(steps: Plan) -> dict[Call, Load]:
    """Every call of the application, from key generation to decryption.

    The application is evaluated, as it is when it is counted or run, on tokens instead of ciphertexts.
    """
    rehearsal = _Rehearsal()
    run(steps, cast(Scheme, rehearsal), caller=rehearsal.phase_by_phase)
    return {call: Load(count, maximal(rehearsal.alive[call])) for call, count in rehearsal.counts.items()}


def maximal(found: set[Alive]) -> tuple[Alive, ...]:
    """Those that no other exceeds in both."""
    kept: list[Alive] = []
    for c, p in sorted(found, reverse=True):
        if not kept or p > kept[-1][1]:
            kept.append((c, p))
    return tuple(kept)


class _Rehearsal:
    """Has of a scheme what an application calls; ciphertexts and plaintexts are tokens, alive while used."""

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
        """A power of two is a shift; all others cost the same."""
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
