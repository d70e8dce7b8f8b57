"""The counting interpreter: it runs a scheme's functions on numbers of limbs alone and leaves a tally.

Each operation is recorded as its name and sizes, and converted to kernels when the tally is read; it costs a
few microseconds. Limbs are in use for as long as the scheme's own variables live, as in a real run.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.kernels import kernels
from fheasible.rings.rns.ring import RnsRing


@dataclass(slots=True)
class LimbMemory:
    """Memory in limbs of 8n bytes.

    `live` limbs were made and are in use now, `peak` is the largest `live` so far, and `operands` counts the
    distinct limbs of operands from outside.
    """

    live: int = 0
    peak: int = 0
    operands: int = 0


class CountingRnsRing(RnsRing):
    """A ring of any n that only counts: q limbs in the chain, p special ones and `extra` auxiliary ones."""

    def __init__(self, q: int, p: int, extra: int = 0) -> None:
        self.n, self.moduli = None, None
        self._divide(q, p, extra)
        self.restart()

    def restart(self) -> None:
        """Start a new tally. Polynomials made before become operands from outside."""
        self._seen: dict[tuple[Any, ...], int] = {}
        self._memory = LimbMemory()

    @property
    def tally(self) -> Counter[str]:
        """Kernel counts so far, in limbs (`kernels.KERNELS` says what each kernel is)."""
        total: Counter[str] = Counter()
        for key, times in self._seen.items():
            for kernel, count in kernels(*key).items():
                total[kernel] += times * count
        return +total

    @property
    def operations(self) -> Counter[str]:
        """How often each operation was called."""
        total: Counter[str] = Counter()
        for key, times in self._seen.items():
            total[key[0]] += times
        return total

    @property
    def live_limbs(self) -> int:
        """The number of limbs that were made and are in use."""
        return self._memory.live

    @property
    def peak_limbs(self) -> int:
        """The largest number of limbs in use at once, without operands from outside."""
        return self._memory.peak

    @property
    def operand_limbs(self) -> int:
        """The number of distinct limbs of operands from outside that were touched."""
        return self._memory.operands

    def _interpret(
        self,
        operation: str,
        basis: Basis,
        domain: Domain,
        operands: tuple[Poly, ...] = (),
        choice: Any = None,
        value: Any = None,
    ) -> Any:
        if operation == "given":
            return _Block(None, 0)
        width, memory, inner = len(basis.limbs), self._memory, 0
        for x in operands:
            x.data.touch(memory, x.basis.mask)
            inner = len(x.basis.limbs)
        key = (operation, width, len(operands), inner, choice)
        self._seen[key] = self._seen.get(key, 0) + 1
        return None if operation in ("lift", "outside") else _Block(memory, width)

    def _view(self, parts: tuple[Poly, ...], basis: Basis) -> Any:
        return parts[0].data if len(parts) == 1 else _Parts(parts)


class _Block:
    """Limbs that are in use for as long as this object lives; `home` is None for limbs from outside."""

    __slots__ = ("_home", "_limbs", "_seen_by", "_touched")

    def __init__(self, home: LimbMemory | None, limbs: int) -> None:
        self._home, self._limbs = home, limbs
        self._seen_by: LimbMemory | None = None
        if home is not None:
            home.live += limbs
            home.peak = max(home.peak, home.live)

    def touch(self, memory: LimbMemory, limbs: int) -> None:
        """Count these limbs (a mask) as an operand's, each once, unless they were made under `memory`."""
        if self._home is memory:
            return
        if self._seen_by is not memory:
            self._seen_by, self._touched = memory, 0
        new = limbs & ~self._touched
        self._touched |= new
        memory.operands += new.bit_count()

    def __del__(self) -> None:
        if self._home is not None:
            self._home.live -= self._limbs


class _Parts:
    """The data of joined polynomials, which keeps all of them in use."""

    __slots__ = ("_parts",)

    def __init__(self, parts: tuple[Poly, ...]) -> None:
        self._parts = parts

    def touch(self, memory: LimbMemory, limbs: int) -> None:
        for x in self._parts:
            x.data.touch(memory, limbs & x.basis.mask)
