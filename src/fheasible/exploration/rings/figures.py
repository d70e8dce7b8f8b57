"""What an application takes with a ring scheme at many parameter sets at once: work, memory, kernels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from fheasible.estimation.ring_profile import FRESH
from fheasible.exploration.rings.workload import Call, Load
from fheasible.program.phases import PHASES
from fheasible.rings.element import Element
from fheasible.rings.kernels import Counts, stored_bytes
from fheasible.rings.sizes import Size, larger
from fheasible.rings.tally import Memory, Tally
from fheasible.rings.weights import PANTHERS, Weights
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.scheme import RingScheme

_Made = TypeVar("_Made")


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
    """The figures of an application that makes those calls: what `count_plan` counts, call by call."""
    stage = _Stage(kind, parameters, weights)
    sums = _Sums()
    for call, load in calls.items():
        tally = stage.tally(call)
        sums.include(call.phase, load.count, tally)
        for ciphertexts, plaintexts in load.alive:
            sums.reach(call.phase, stage.beside(call, ciphertexts, plaintexts), tally)
    multiplications = weights.total(sums.integers)
    return Figures(multiplications, sums.words, sums.total_words, sums.bytes, sums.kernels, stage.sizes())


class _Sums:
    """The figures of the calls so far. Counts are floats, since those of long vectors overflow 64 bits."""

    def __init__(self) -> None:
        self.words: Size = 0
        self.total_words: Size = 0.0
        self._memory = Memory()
        self.integers: Counts = {}
        self.kernels: dict[str, Counts] = {phase: {} for phase in PHASES}

    def include(self, phase: str, count: int, tally: Tally) -> None:
        _add(self.integers, tally.integers, count)
        _add(self.kernels[phase], tally.kernels, count)
        self.total_words = self.total_words + float(count) * tally.memory.total_words

    def reach(self, phase: str, beside: tuple[Size, Size], tally: Tally) -> None:
        words, stored = beside
        self.words = larger(self.words, words + tally.memory.max_words)
        before = self.bytes
        self._memory.touch(stored + tally.memory.most_bytes)
        self._memory.keep(tally.memory.tables, tally.memory.smaller_tables)
        _add(self.kernels[phase], {FRESH: self.bytes - before}, 1)

    @property
    def bytes(self) -> Size:
        return self._memory.max_bytes


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
            "add": (c, c),
            "negate": (c,),
            "times": (c, constant),
            "multiply": (keys, c, c),
            "decrypt": (keys, c),
        }
        return getattr(scheme, function)(*operands[function])

    def beside(self, call: Call, ciphertexts: int, plaintexts: int) -> tuple[Size, Size]:
        """The numbers of 32-bit integers and of bytes in memory before the call."""
        if call.function == "keygen":
            return 0, 0
        keys, c, m = (t.memory for t in (self._of_keys, self._of_ciphertext, self._of_plaintext))
        return (
            keys.words + ciphertexts * c.words + plaintexts * m.words,
            keys.bytes + ciphertexts * c.bytes + plaintexts * m.bytes,
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
