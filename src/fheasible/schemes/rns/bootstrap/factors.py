"""The factors of the homomorphic DFT as data: diagonals, baby and giant steps, and the rotations they need.

U_jk = ξ^(k·5^j) takes the coefficients t_k = c_k + i·c_(k+s) of s slots to the slots. Without its reordering
by reversed bits, U is a product of log2(s) stages. Stage e has butterflies over a distance of 2^e slots. A
factor is a product of consecutive stages [CCS19], [BMTH21].
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf

from fheasible.schemes.rns.bootstrap.method import Diagonals, Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure

_FEW = 3  # merged diagonals, below which rotations are listed without baby and giant steps
_SHORT = 7  # diagonals, above which there are twice as many baby steps


@dataclass(frozen=True, slots=True)
class Group:
    """The diagonals that share a giant step, which is the rotation `giant`.

    Each is a pair (baby step, shift): the plain vector of this shift, turned back by `back`, is multiplied
    with the operand rotated by the baby step.
    """

    giant: int
    terms: tuple[tuple[int, int], ...]
    back: int


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor: `stages` in the order in which they are applied, on plain vectors of `length` numbers.

    A factor without stages is a matrix without structure. `babies` are the rotations of the operand that are
    made. `repeated`: the giant step is done between groups, the last group first, and after them the rotation
    `finish`. `doubled`: the sparse operand or result has two halves.
    """

    stages: tuple[int, ...]
    length: int
    groups: tuple[Group, ...]
    babies: tuple[int, ...]
    period: int = 0  # shifts with the same remainder are one diagonal; 0: no two are
    doubled: bool = False
    repeated: bool = False
    finish: int = 0

    @property
    def diagonals(self) -> int:
        """The number of plain vectors."""
        return sum(len(group.terms) for group in self.groups)

    @property
    def rotations(self) -> frozenset[int]:
        """The rotations that have a key. Of two diagonals every shift has one, even 0 [Lattigo]."""
        made = frozenset((*self.babies, *(group.giant for group in self.groups), self.finish))
        return made if self.period and self.diagonals < _FEW else made - {0}


def encoding(p: Procedure, n: int, method: Method) -> tuple[Factor, ...]:
    """The factors from coefficients to slots, the first applied first."""
    return _factors(p, n, method, p.encode, encode=True)


def decoding(p: Procedure, n: int, method: Method) -> tuple[Factor, ...]:
    """The factors from slots to coefficients, the first applied first."""
    return _factors(p, n, method, p.decode, encode=False)


def rotations(p: Procedure, n: int, method: Method) -> frozenset[int]:
    """All rotations of a bootstrap that have a key, apart from the conjugation."""
    found = {step for steps in trace_steps(p, n, method) for step in steps}
    for factor in (*encoding(p, n, method), *decoding(p, n, method)):
        found |= factor.rotations
    if p.slots < n // 2:
        found.add(p.slots)
    kept = {steps for steps in found if steps % (n // 2)}
    return frozenset(kept | {0} if 0 in found else kept)


def trace_steps(p: Procedure, n: int, method: Method) -> tuple[tuple[int, ...], ...]:
    """The rotations whose sums project to the polynomials in X^(n/(2·slots)); none with all slots.

    Each entry are the rotations of one value that are added to it.
    """
    step, row, made = p.slots, n // 2, []
    while 2 * step <= row:
        wide = method.hoisted_trace and 4 * step <= row
        made.append((step, 2 * step, 3 * step) if wide else (step,))
        step *= 4 if wide else 2
    return tuple(made)


def is_dense(p: Procedure, method: Method) -> bool:
    """Whether both directions are one matrix without structure."""
    return method.dense and len(p.encode) == 1 and len(p.decode) == 1


def _factors(p: Procedure, n: int, method: Method, stages: Sequence[int], encode: bool) -> tuple[Factor, ...]:
    sparse = p.slots < n // 2
    length = 2 * p.slots if sparse else p.slots
    if is_dense(p, method):
        return (_dense(p.slots, n // 2, length, sparse),)
    if method.diagonals is Diagonals.REPEATED:
        return _repeated(p.slots, n // 2, _cut(stages, encode), sparse, encode)
    made = []
    for number, own in enumerate(_cut(stages, encode)):
        edge = sparse and number == (len(stages) - 1 if encode else 0)
        made.append(_merged(p.slots, own, length, edge, encode, method.babies_per_giant))
    return tuple(made)


def _cut(counts: Sequence[int], encode: bool) -> Iterable[tuple[int, ...]]:
    """The stages of each factor. Encoding begins with the widest butterflies, decoding with the narrowest."""
    total, done = sum(counts), 0
    for count in counts:
        own = range(done, done + count)
        yield tuple(total - 1 - stage if encode else stage for stage in own)
        done += count


def _repeated(
    slots: int, row: int, stages: Iterable[tuple[int, ...]], sparse: bool, encode: bool
) -> tuple[Factor, ...]:
    """Shifts of 0, 1, ... units, each 2^k - 1 units more than it should be; the last factor undoes this."""
    made: list[Factor] = []
    offset, length = 0, 2 * slots if sparse else slots
    for own in stages:
        unit, count = 1 << min(own), (2 << len(own)) - 1
        babies, middle = repeated_babies(len(own)), (count // 2) * unit
        offset += middle
        groups = []
        for first in range(0, count, babies):
            terms = [(j * unit % row, (first + j) * unit - middle) for j in range(min(babies, count - first))]
            groups.append(Group(babies * unit % row, tuple(terms), first * unit - offset))
        steps = tuple(j * unit % row for j in range(babies))
        made.append(Factor(own, length, tuple(groups), steps, repeated=True))
    edge = len(made) - 1 if encode else 0
    made[edge] = replace(made[edge], doubled=sparse)
    made[-1] = replace(made[-1], finish=(slots + 1) % row)
    return tuple(made)


def repeated_babies(stages: int) -> int:
    """The number of baby steps of a factor of so many stages [OpenFHE: GetCollapsedFFTParams]."""
    return 1 << stages // 2 + 1 + ((2 << stages) - 1 > _SHORT)


def _merged(slots: int, stages: tuple[int, ...], length: int, edge: bool, encode: bool, ratio: int) -> Factor:
    """Shifts modulo the period, each cut into multiples of a power of two and a rest [Lattigo]."""
    period = 2 * slots if edge and not encode else slots
    shifts = {0, slots} if edge and not encode else {0}
    for stage in stages:
        shifts = {(d + turn) % period for d in shifts for turn in (0, 1 << stage, -(1 << stage))}
    size = _baby_steps(shifts, length, ratio)
    groups: dict[int, list[tuple[int, int]]] = {}
    for shift in sorted(shifts):
        groups.setdefault(shift // size * size, []).append((shift % size, shift))
    babies = tuple(sorted({shift % size for shift in shifts}))
    made = tuple(Group(giant, tuple(terms), giant) for giant, terms in sorted(groups.items()))
    return Factor(stages, length, made, babies, period, edge)


def _baby_steps(shifts: set[int], length: int, ratio: int) -> int:
    """The number of baby steps: the largest power of two with at most `ratio` of them to a giant step."""
    size = 1
    while size < length:
        giants = len({shift // size for shift in shifts}) - 1
        babies = len({shift % size for shift in shifts}) - 1
        found = babies / giants if giants else (inf if babies else 0.0)
        if found >= ratio:
            return size if found == ratio else size // 2
        size *= 2
    return 1


def _dense(slots: int, row: int, length: int, sparse: bool) -> Factor:
    """Every shift below `slots` [OpenFHE: EvalLinearTransform]."""
    size = min(repeated_babies(max(1, slots.bit_length() - 1)), slots)
    groups = tuple(
        Group(size % row, tuple((s - first, s) for s in range(first, first + size)), first)
        for first in range(0, slots, size)
    )
    return Factor((), length, groups, tuple(range(size)), 0, sparse, repeated=True)
