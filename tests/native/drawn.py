"""What the properties draw: moduli and coefficients, with the extremes among them."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .oracle import Grid

MODULI = st.one_of(
    st.sampled_from([2, 3, 4, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 2**128 - 1, 2**300, 2**1200 - 1]),
    st.integers(2, 130).flatmap(lambda bits: st.integers(2 ** (bits - 1), 2**bits - 1)),
    st.integers(2**299, 2**300 - 1),
)


def signed_values(limbs: int) -> SearchStrategy[int]:
    """Integers that `limbs` limbs hold in two's complement."""
    least, most = -(2 ** (64 * limbs - 1)), 2 ** (64 * limbs - 1) - 1
    return st.one_of(st.sampled_from([0, -1, least, most]), st.integers(least, most))


def bounded(bits: int) -> SearchStrategy[int]:
    """Integers of at most 2^bits in absolute value, that bound included."""
    return st.one_of(st.sampled_from([-(2**bits), 2**bits]), st.integers(-(2**bits), 2**bits))


def residues(q: int) -> SearchStrategy[int]:
    """Integers in [0, q)."""
    return st.one_of(st.sampled_from([0, q // 2, (q // 2 + 1) % q, q - 1]), st.integers(0, q - 1))


def polys(n: int, coefficients: SearchStrategy[int]) -> SearchStrategy[list[int]]:
    return st.lists(coefficients, min_size=n, max_size=n)


def grids(rows: int, columns: int, n: int, coefficients: SearchStrategy[int]) -> SearchStrategy[Grid]:
    """Matrices of polynomials."""
    row = st.lists(polys(n, coefficients), min_size=columns, max_size=columns)
    return st.lists(row, min_size=rows, max_size=rows)


def any_grid(coefficients: SearchStrategy[int]) -> SearchStrategy[Grid]:
    """Small matrices of small polynomials, which fill whole batches of the kernels, or do not."""
    shapes = st.tuples(st.integers(1, 2), st.integers(1, 3), st.sampled_from([1, 2, 4, 8]))
    return shapes.flatmap(lambda shape: grids(*shape, coefficients))
