"""The factors of the homomorphic DFT as data: diagonals, baby and giant steps, and the rotations they need.

U_jk = ξ^(k·5^j) takes the coefficients t_k = c_k + i·c_(k+s) of s slots to the slots. Without its reordering
by reversed bits, U is a product of log2(s) stages. Stage e has butterflies over a distance of 2^e slots. A
factor is a product of consecutive stages [CCS19], [BMTH21].
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isqrt

from fheasible.schemes.rns.bootstrap.method import Diagonals, Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure


@dataclass(frozen=True, slots=True)
class Group:
    """The diagonals that share a giant step.

    Each is a pair (baby step, shift). The plain vector of this shift, turned back by the giant step, is
    multiplied with the operand rotated by the baby step. `giant` and the baby steps are rotations with keys.
    """

    giant: int
    terms: tuple[tuple[int, int], ...]
    back: int  # by how much plain vectors are turned back; `giant` before it is reduced to a rotation


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor: `stages` in the order in which they are applied, on plain vectors of `length` numbers.

    `babies` are the rotations of the operand that are made, whether or not all of them are used. A factor
    without stages is a matrix without structure. `doubled`: the sparse operand or result has two halves.
    """

    stages: tuple[int, ...]
    length: int
    groups: tuple[Group, ...]
    babies: tuple[int, ...]
    period: int  # shifts with the same remainder are one diagonal; 0: no two are
    doubled: bool = False

    @property
    def diagonals(self) -> int:
        """The number of plain vectors."""
        return sum(len(group.terms) for group in self.groups)

    @property
    def rotations(self) -> frozenset[int]:
        """The rotations that need a key."""
        return frozenset((*self.babies, *(group.giant for group in self.groups))) - {0}


def encoding(p: Procedure, n: int, method: Method) -> tuple[Factor, ...]:
    """The factors from coefficients to slots, the first applied first."""
    return _factors(p, n, method, p.encode, encode=True)


def decoding(p: Procedure, n: int, method: Method) -> tuple[Factor, ...]:
    """The factors from slots to coefficients, the first applied first."""
    return _factors(p, n, method, p.decode, encode=False)


def rotations(p: Procedure, n: int, method: Method) -> frozenset[int]:
    """All rotations of a bootstrap that need a key, apart from the conjugation."""
    found = set(trace_steps(p, n))
    for factor in (*encoding(p, n, method), *decoding(p, n, method)):
        found |= factor.rotations
    if p.slots < n // 2:
        found.add(p.slots)
    return frozenset(steps for steps in found if steps % (n // 2))


def trace_steps(p: Procedure, n: int) -> tuple[int, ...]:
    """The rotations whose sum projects to the polynomials in X^(n/(2·slots)); none with all slots."""
    return tuple(p.slots << i for i in range((n // 2 // p.slots).bit_length() - 1))


def is_dense(p: Procedure, method: Method) -> bool:
    """Whether both directions are one matrix without structure."""
    return method.dense and len(p.encode) == 1 and len(p.decode) == 1


def _factors(p: Procedure, n: int, method: Method, stages: Sequence[int], encode: bool) -> tuple[Factor, ...]:
    sparse = p.slots < n // 2
    if is_dense(p, method):
        return (_dense(p.slots, sparse),)
    made = []
    for number, own in enumerate(_cut(stages, encode)):
        edge = sparse and number == (len(stages) - 1 if encode else 0)
        make = _signed if method.diagonals is Diagonals.SIGNED else _merged
        made.append(make(p.slots, n, own, sparse, edge, encode, method))
    return tuple(made)


def _cut(counts: Sequence[int], encode: bool) -> Iterable[tuple[int, ...]]:
    """The stages of each factor. Encoding begins with the widest butterflies, decoding with the narrowest."""
    total, done = sum(counts), 0
    for count in counts:
        own = range(done, done + count)
        yield tuple(total - 1 - stage if encode else stage for stage in own)
        done += count


def _signed(
    slots: int, n: int, stages: tuple[int, ...], sparse: bool, edge: bool, encode: bool, method: Method
) -> Factor:
    """Shifts from -(2^k - 1) to 2^k - 1 units, cut into giant steps from the lowest [OpenFHE]."""
    unit, count = 1 << min(stages), (1 << len(stages) + 1) - 1
    babies = min(1 << len(stages) // 2 + 1 + (count > 7), count + 1)
    lowest, period = -((count + 1) // 2 - 1), slots if encode else n // 2
    steps = [(lowest + j) * unit for j in range(babies)]
    groups = []
    for giant in range(0, count, babies):
        terms = [(s % period, s + giant * unit) for s in steps[: min(babies, count - giant)]]
        groups.append(Group(giant * unit % (n // 2), tuple(terms), giant * unit))
    length = 2 * slots if sparse else slots
    return Factor(stages, length, tuple(groups), tuple(s % period for s in steps), 0, edge)


def _merged(
    slots: int, n: int, stages: tuple[int, ...], sparse: bool, edge: bool, encode: bool, method: Method
) -> Factor:
    """Shifts modulo the period, each cut into multiples of a power of two and a rest [Lattigo]."""
    length = 2 * slots if sparse else slots
    period = 2 * slots if edge and not encode else slots
    shifts = {0, slots} if edge and not encode else {0}
    for stage in stages:
        shifts = {(d + turn) % period for d in shifts for turn in (0, 1 << stage, -(1 << stage))}
    size = _baby_steps(shifts, length, method.babies_per_giant)
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


def _dense(slots: int, sparse: bool) -> Factor:
    """Every shift below `slots`, in baby steps of about its square root [OpenFHE: EvalLinearTransform]."""
    size = isqrt(slots - 1) + 1 if slots > 1 else 1
    groups = tuple(
        Group(giant, tuple((s - giant, s) for s in range(giant, min(giant + size, slots))), giant)
        for giant in range(0, slots, size)
    )
    return Factor((), 2 * slots if sparse else slots, groups, tuple(range(size)), 0, sparse)
