"""Numbers modulo t as digits: how they are added up, and their residues in a given interval."""

from fheasible.lowering.lookups.arithmetic import Arithmetic
from fheasible.lowering.lookups.builder import LookupBuilder
from fheasible.lowering.lookups.dividing import Dividing
from fheasible.lowering.lookups.number import Number, tightened


class Residues:
    """Numbers modulo t, or as they are where t is None.

    `sums` wrap around where t is a power of two, whose digits above the highest are left out; `whole` never
    wraps around.
    """

    def __init__(self, build: LookupBuilder, t: int | None) -> None:
        self.t, self.base = t, build.base
        binary = t is not None and not t & (t - 1)
        bits = build.base.bit_length() - 1
        limit = -(-(t.bit_length() - 1) // bits) if t is not None and binary else None
        self.sums = Arithmetic(build, limit)
        self.whole = Arithmetic(build)

    @property
    def wraps(self) -> bool:
        """Whether sums wrap around by themselves."""
        return self.sums.limit is not None

    def reduced(self, x: Number) -> Number:
        """x modulo t, where it has grown far beyond t."""
        assert self.t is not None
        low = x.low % self.t
        x = Number(x.length, low, x.columns)
        most = low + sum(t.bound * self.base**i for i, c in enumerate(x.columns) for t in c)
        if most < 2 * self.t * self.t and all(t.weight > 0 for c in x.columns for t in c):
            return x
        return self.residue(x, 0)

    def residue(self, x: Number, least: int) -> Number:
        """The residue of x in [least, least + t), in digits from `least` on."""
        assert self.t is not None
        if self.wraps:
            x = self.sums.added(x)
            found = self.sums.settled(self.sums.rebased(Number(x.length, x.low - least, x.columns), 0))
            found = self._cut(found)
        else:
            x = self.whole.settled(Number(x.length, x.low - least, x.columns))
            span = x.low, x.low + sum(x.most(i) * self.base**i for i in range(len(x.columns)))
            found = Dividing(self.whole).remainder(x, self.t, span)
            found = self.whole.digits(found, 0, (0, self.t - 1))
        return tightened(Number(x.length, least, found.columns), (least, least + self.t - 1), self.base)

    def _cut(self, x: Number) -> Number:
        """Digits modulo t, a power of two that may end within the highest digit."""
        assert self.t is not None
        assert self.sums.limit is not None
        left = self.t // self.base ** (self.sums.limit - 1)
        if len(x.columns) < self.sums.limit or left == self.base or not x.columns[-1]:
            return x
        top = x.columns[-1][0]
        cut = Number(x.length, 0, ((top,),))
        made = self.whole.digits_of(self.whole.packed(cut) or top, 0, lambda v: v % left)
        return Number(x.length, x.low, x.columns[:-1] + made.columns)
