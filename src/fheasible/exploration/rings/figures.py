"""What an application asks of any ring scheme, and what it takes with one at many parameter sets at once.

It asks for calls of functions, each so many times and beside so much else in memory, whatever the parameters.
Vectors of thousands of elements are counted by one call of each function. It takes work, memory and kernels.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeVar, cast

from fheasible.errors import UnsupportedOperation
from fheasible.program import phases
from fheasible.rings.element import Element
from fheasible.rings.pieces import HEAP, HUGE, PAGED, PHASES, TABLES, Counts, share_on_heap
from fheasible.rings.products import stored_bytes
from fheasible.rings.sizes import Size, larger
from fheasible.rings.tally import Memory, Tally
from fheasible.rings.weights import PANTHERS, Weights
from fheasible.schemes.evaluate import run
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import Plan
from fheasible.schemes.scheme import RingScheme

Alive = tuple[int, int]  # ciphertexts and plaintexts

_Made = TypeVar("_Made")


class Call(NamedTuple):
    """A function of a scheme in one phase. `constant` stands for all constants that `times` treats alike."""

    phase: str
    function: str
    constant: int | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """How many such calls there are, and what is in memory before them: maximal combinations, and on average.

    `begun` is what was in memory when their phase began.
    """

    count: int
    alive: tuple[Alive, ...]
    average: tuple[float, float]
    begun: Alive


def workload(steps: Plan) -> dict[Call, Load]:
    """Every call of the application with its load, from key generation to decryption.

    The application is evaluated as it is when it is counted or run, but on tokens instead of ciphertexts.
    """
    rehearsal = _Rehearsal()
    run(steps, cast(RingScheme, rehearsal), caller=rehearsal.phase_by_phase)
    return {call: rehearsal.load(call) for call in rehearsal.counts}


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
        self._sums: dict[Call, list[int]] = {}
        self._begun: dict[str, Alive] = {}
        self._in_use = [0, 0]
        self._phase = ""

    def load(self, call: Call) -> Load:
        count, (ciphertexts, plaintexts) = self.counts[call], self._sums[call]
        average = ciphertexts / count, plaintexts / count
        return Load(count, maximal(self.alive[call]), average, self._begun[call.phase])

    def phase_by_phase(self, name: str, function: Callable[..., Any], *operands: Any) -> Any:
        self._phase = name
        self._begun[name] = self._now
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
        self.alive.setdefault(call, set()).add(self._now)
        sums = self._sums.setdefault(call, [0, 0])
        sums[0], sums[1] = sums[0] + self._now[0], sums[1] + self._now[1]

    @property
    def _now(self) -> Alive:
        return self._in_use[0], self._in_use[1]


class _Token:
    """Counts as in use for as long as it lives, as a block of the counting ring does."""

    __slots__ = ("_in_use", "_kind")

    def __init__(self, in_use: list[int], kind: int) -> None:
        self._in_use, self._kind = in_use, kind
        in_use[kind] += 1

    def __del__(self) -> None:
        self._in_use[self._kind] -= 1


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of an application, each with one entry for each set.

    `multiplications` and `words` are the PAnTHErS view of the whole application, key generation included: all
    operations as multiplications of integers, and the most 32-bit integers in memory; `total_words` are those
    ever made. `bytes` is the most that the exact interpreter keeps at once, `kernels` what it runs through in
    each phase, `sizes` the bytes of keys and of a fresh ciphertext.
    """

    multiplications: Size
    words: Size
    total_words: Size
    bytes: Size
    kernels: Mapping[str, Counts]
    sizes: Mapping[str, Size]


def figures(
    kind: type[RingScheme],
    parameters: RingParameters,
    calls: Mapping[Call, Load],
    weights: Weights = PANTHERS,
) -> Figures:
    """The figures of an application that makes those calls: what `count_plan` counts, call by call.

    UnsupportedOperation for a scheme whose calls depend on what made their operands.
    """
    if kind.stateful:
        raise UnsupportedOperation(
            f"{kind.title} is not explored: what a call takes depends on what made its operands",
            "count given sets with fheasible sweep, or explore YASHE",
        )
    stage = _Stage(kind, parameters, weights)
    sums, tallies = _Sums(), {call: stage.tally(call) for call in calls}
    for call, load in calls.items():
        sums.begin(call.phase, stage.beside(call, *load.begun))
        for alive in load.alive:
            sums.reach(call.phase, stage.beside(call, *alive), tallies[call])
    for call, load in calls.items():
        sums.include(call.phase, load.count, stage.beside(call, *load.average), tallies[call])
    sums.touch()
    multiplications = weights.total(sums.integers)
    return Figures(multiplications, sums.words, sums.total_words, sums.bytes, sums.kernels, stage.sizes())


class _Sums:
    """The figures of the calls so far. Counts are floats, since those of long vectors overflow 64 bits."""

    def __init__(self) -> None:
        self.words: Size = 0
        self.total_words: Size = 0.0
        self._memory = Memory()
        self._begun: dict[str, Size] = {}  # bytes on the heap when a phase begins, and the most in it
        self._most: dict[str, Size] = {}
        self._loaded: dict[str, Size] = {}  # bytes of the transform tables of a phase
        self.integers: Counts = {}
        self.kernels: dict[str, Counts] = {phase: {} for phase in phases.PHASES}

    def begin(self, phase: str, beside: "_Beside") -> None:
        """Note what is on the heap when the phase begins, the same for each of its calls."""
        self._begun[phase] = beside.heap
        self._most.setdefault(phase, beside.heap)

    def include(self, phase: str, count: int, beside: "_Beside", tally: Tally) -> None:
        _add(self.integers, tally.integers, count)
        _add(self.kernels[phase], _placed(tally, self._most[phase] - beside.heap), count)
        self.total_words = self.total_words + float(count) * tally.memory.total_words

    def reach(self, phase: str, beside: "_Beside", tally: Tally) -> None:
        self.words = larger(self.words, beside.words + tally.memory.max_words)
        self._memory.touch(beside.bytes + tally.memory.most_bytes)
        self._memory.keep(tally.memory.tables, tally.memory.smaller_tables)
        self._most[phase] = larger(self._most[phase], beside.heap + tally.memory.most_heap)
        self._loaded[phase] = larger(self._loaded.get(phase, 0), tally.memory.loaded)

    def touch(self) -> None:
        """Count what comes from phases as such: fresh pages of the heap, and transform tables."""
        for phase, kernels in self.kernels.items():  # one without calls begins, too
            fresh = self._most.get(phase, 0) - self._begun.get(phase, 0)
            _add(kernels, {PHASES: 1, PAGED: fresh, TABLES: self._loaded.get(phase, 0)}, 1)

    @property
    def bytes(self) -> Size:
        return self._memory.max_bytes


class _Beside(NamedTuple):
    """What is in memory beside a call: 32-bit integers, bytes, and those of them on the heap."""

    words: Size
    bytes: Size
    heap: Size


def _placed(tally: Tally, room: Size) -> Counts:
    """The kernels of a call, whose large pieces lie on the heap as far as there is room for them."""
    memory, kernels = tally.memory, tally.kernels
    share = share_on_heap(room - memory.most_heap, memory.most_bytes - memory.most_heap)
    large = {name: kernels.get(name, 0) for name in (PAGED, HUGE)}
    own = {name: count * (1.0 - share) for name, count in large.items()}
    return kernels | own | {HEAP: kernels.get(HEAP, 0) + sum(large.values()) * share}


def _add(total: Counts, counts: Counts, times: int) -> None:
    for name, count in counts.items():
        total[name] = total.get(name, 0.0) + float(times) * count


class _Stage:
    """A counting ring with keys, a plaintext m and a ciphertext c: operands for every function."""

    def __init__(self, kind: type[RingScheme], parameters: RingParameters, weights: Weights) -> None:
        self._ring = parameters.counting_ring(weights)
        self._scheme = kind(self._ring, parameters.spec)
        self._keys, self._of_keys = self._counted(self._scheme.keygen)
        self._m, self._of_plaintext = self._counted(self._scheme.message)
        self._c, self._of_ciphertext = self._counted(lambda: self._scheme.encrypt(self._keys, self._m))

    def _counted(self, function: Callable[[], _Made]) -> tuple[_Made, Tally]:
        self._ring.restart()
        made = function()
        return made, self._ring.tally

    def tally(self, call: Call) -> Tally:
        """The counts of the call itself."""
        return self._counted(lambda: self._result(call.function, call.constant))[1]

    def _result(self, function: str, constant: int | None) -> Any:
        scheme, keys, c = self._scheme, self._keys, self._c
        operands: dict[str, tuple[Any, ...]] = {
            "keygen": (),
            "message": (),
            "encrypt": (keys, self._m),
            "constant": (self._m,),
            "add": (keys, c, c),
            "negate": (c,),
            "times": (c, constant),
            "multiply": (keys, c, c),
            "decrypt": (keys, c),
        }
        return getattr(scheme, function)(*operands[function])

    def beside(self, call: Call, ciphertexts: float, plaintexts: float) -> _Beside:
        """What is in memory before the call, with that many ciphertexts and plaintexts."""
        if call.function == "keygen":
            return _Beside(0, 0, 0)
        keys, c, m = (t.memory for t in (self._of_keys, self._of_ciphertext, self._of_plaintext))
        return _Beside(
            keys.words + ciphertexts * c.words + plaintexts * m.words,
            keys.bytes + ciphertexts * c.bytes + plaintexts * m.bytes,
            keys.heap + ciphertexts * c.heap + plaintexts * m.heap,
        )

    def sizes(self) -> dict[str, Size]:
        """The bytes of a ciphertext and of the keys, as the exact interpreter stores them."""
        keys = self._keys
        return {
            "ciphertext_bytes": self._stored(self._c),
            "public_key_bytes": self._stored(keys.public),
            "evaluation_key_bytes": self._stored(keys.evaluation),
            "secret_key_bytes": self._stored(keys.secret),
        }

    def _stored(self, x: Element | None) -> Size:
        return stored_bytes(x, self._ring.n) if x is not None else 0
