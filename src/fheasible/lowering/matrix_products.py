"""How the products of two encrypted matrices lie in ciphertexts: forms of a circuit that compute the same.

A circuit as it is traced has all m k n products of elements in one long vector of k blocks, which are added
up: one product of ciphertexts, if k m n slots are there, and three levels. Two other forms add up k products
of m n elements each. One takes column l of A and row l of B, each repeated: two levels, and more rotations.
The other takes skewed matrices, turned by l [JiaKimLauSon18]: three levels, and fewer products with plain
vectors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import Final, NamedTuple

import numpy as np

from fheasible.aliases import Ints
from fheasible.circuit.encrypted_matrix import block_sums
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Circuit, Node, Op, node
from fheasible.circuit.simplify import rewrite, same
from fheasible.lowering.builder import Grown
from fheasible.lowering.diagonals import HOISTED, PRODUCT
from fheasible.program.types import Action


class Product(NamedTuple):
    """Two vectors a and b that hold matrices of m x k and k x n elements, row by row."""

    a: Node
    b: Node
    m: int
    k: int
    n: int

    def places(self) -> tuple[Ints, Ints]:
        """The row and the column of each element of the result."""
        row, column = np.divmod(np.arange(self.m * self.n), self.n)
        return row, column


def forms(circuit: Circuit) -> tuple[Circuit, ...]:
    """The circuit as it is, and with products of encrypted matrices in the other forms, if it has some."""
    if not any(product_of(n) for n in circuit.nodes()):
        return (circuit,)
    return (circuit, *(rewrite(circuit, partial(_rewritten, form)) for form in _FORMS))


def product_of(n: Node) -> Product | None:
    """The matrices whose product the node is, as `EncryptedMatrix` writes it; None for any other node."""
    if n.op is not Op.LINEAR or n.args[0].op is not Op.MULTIPLY:
        return None
    left, right = n.args[0].args
    if left.op is not Op.LINEAR or right.op is not Op.LINEAR:
        return None
    sums, first, second = n.attribute, left.attribute, right.attribute
    size, length = sums.shape
    if length % size or length // size < 2 or len(first) != length or len(second) != length:
        return None
    n_columns = int(second.columns[:size].max()) + 1
    found = Product(left.args[0], right.args[0], size // n_columns, length // size, n_columns)
    own = sums == block_sums(size, found.k, sums.values.dtype.type)
    return found if own and _is_product(found, first, second) else None


def _is_product(found: Product, first: Matrix, second: Matrix) -> bool:
    """Whether the blocks are those of the product of two matrices."""
    if (found.a.length, found.b.length) != (found.m * found.k, found.k * found.n):
        return False
    if not first.selects or not second.selects:
        return False
    block, row, column = np.unravel_index(np.arange(len(first)), (found.k, found.m, found.n))
    of_a = bool((first.columns == row * found.k + block).all())
    return of_a and bool((second.columns == block * found.n + column).all())


def _rewritten(form: Callable[[Product, Node], Node], n: Node, args: tuple[Node, ...]) -> Node:
    found = product_of(n)
    if found is None:
        return same(n, args)
    left, right = args[0].args
    return form(found._replace(a=left.args[0], b=right.args[0]), n)


def _by_columns(of: Product, n: Node) -> Node:
    """The sum of the outer products of column l of A and row l of B."""
    row, column = of.places()
    return _summed(
        n,
        ((_selected(of.a, row * of.k + l, n), _selected(of.b, l * of.n + column, n)) for l in range(of.k)),
    )


def _by_diagonals(of: Product, n: Node) -> Node:
    """The sum of products of skewed matrices: element (i, j) meets a_(i, i+j+l) and b_(i+j+l, j), modulo k.

    Where the result has at least k rows and columns, A and B are skewed once and then turned by l.
    """
    row, column = of.places()
    if of.k > min(of.m, of.n):
        middles = ((row + column + l) % of.k for l in range(of.k))
        return _summed(
            n,
            (
                (_selected(of.a, row * of.k + middle, n), _selected(of.b, middle * of.n + column, n))
                for middle in middles
            ),
        )
    middle = (row + column) % of.k
    a, b = _selected(of.a, row * of.k + middle, n), _selected(of.b, middle * of.n + column, n)
    return _summed(
        n,
        (
            (
                _selected(a, row * of.n + (column + l) % of.k, n),
                _selected(b, (row + l) % of.k * of.n + column, n),
            )
            for l in range(of.k)
        ),
    )


def _selected(x: Node, places: Ints, of: Node) -> Node:
    """The vector whose element i is element places[i] of x."""
    number = of.attribute.values.dtype.type
    matrix = Matrix.selecting(places, x.length, number)
    return (
        x
        if matrix.is_identity
        else node(Op.LINEAR, x, attribute=matrix, length=len(places), kind=of.kind, where=of.where)
    )


def _summed(of: Node, pairs: Iterator[tuple[Node, Node]]) -> Node:
    """The sum of the products of these pairs, in the place of the node."""

    def made(op: Op, x: Node, y: Node) -> Node:
        return node(op, x, y, length=of.length, kind=of.kind, where=of.where)

    return reduce(partial(made, Op.ADD), (made(Op.MULTIPLY, a, b) for a, b in pairs))


_FORMS: Final = (_by_columns, _by_diagonals)
_MANY_PRODUCTS: Final = 32


def short_slots(found: Sequence[Circuit]) -> int | None:
    """The slots that the other ones of a circuit's `forms` fill, where these are fewer. None without products
    of matrices, or where the other forms add up too many products of ciphertexts to gain by it."""
    whole, *others = (max(n.length for n in form.nodes()) for form in found)
    gains = others and 2 * others[0] <= whole and _most_products(found[0]) <= _MANY_PRODUCTS
    return 1 << (others[0] - 1).bit_length() if gains else None


def _most_products(circuit: Circuit) -> int:
    return max((found.k for n in circuit.nodes() if (found := product_of(n))), default=0)


def cost(operations: Sequence[Grown], levels: int, hoists: bool) -> float:
    """What a program costs before its parameters are known, in rotations of one limb. Every operation works
    on a limb for each level, and on two more."""
    turned: set[int] = set()
    total = 0.0
    for o in operations:
        total += HOISTED if hoists and o.action is Action.ROTATE and o.args[0] in turned else _COSTS[o.action]
        turned.update(o.args if o.action is Action.ROTATE else ())
    return total * (levels + 2)


_COSTS: Final = defaultdict(
    lambda: 0.02,  # sums, and what only forgets limbs
    {
        Action.ROTATE: 1.0,
        Action.SWAP_ROWS: 1.0,
        Action.RELINEARIZE: 1.0,
        Action.MUL: 0.5,
        Action.SQUARE: 0.4,
        Action.MUL_PLAIN: PRODUCT,
        Action.MUL_SCALAR: 0.1,
        Action.RESCALE: 0.15,
    },
)
