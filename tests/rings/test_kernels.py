"""The kernel view against the native module, and counted memory against what the exact ring allocates."""

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import fheasible_native as native
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.rings import kernels, products, workspaces
from fheasible.rings.counting import CountingRing
from fheasible.rings.element import Element, Scalar
from fheasible.rings.exact import ExactRing
from fheasible.rings.ring import Ring
from fheasible.schemes.fv import FV
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.scheme import RingScheme

shapes = st.integers(1, 40)
widths = st.integers(1, 1200)
degrees = st.integers(0, 15).map(lambda k: 1 << k)


def test_the_primes_are_those_of_the_native_module() -> None:
    assert native.prime_bits() == products.PRIME_BITS


@given(shapes, shapes, shapes, degrees, widths, widths)
@settings(deadline=None)
def test_a_matrix_product_takes_the_primes_and_the_memory_that_the_native_module_says(
    rows: int, inner: int, cols: int, n: int, a_bits: int, b_bits: int
) -> None:
    x, y = Element(rows, inner, False, a_bits), Element(inner, cols, False, b_bits)
    if rows == inner == 1 or inner == cols == 1:
        inner = 1
    product = products.matrix_product(Element(rows, cols, False, 1), (x, y), n)
    assert product.primes == native.prime_count(inner, n, a_bits, b_bits)
    assert product.workspace() == native.workspace_bytes(rows, inner, cols, n, a_bits, b_bits)
    assert product.tables() == native.table_bytes(n, product.primes)


@given(shapes, degrees, widths)
@settings(deadline=None)
def test_a_square_transforms_its_matrix_once(size: int, n: int, bits: int) -> None:
    x = Element(size, size, False, bits)
    product = products.matrix_product(x, (x, x), n)
    assert product.workspace() == native.workspace_bytes(size, size, size, n, bits, bits, True)


@given(shapes, shapes, degrees, widths, widths)
@settings(deadline=None)
def test_a_convolution_takes_the_primes_and_the_memory_that_the_native_module_says(
    k: int, l: int, n: int, a_bits: int, b_bits: int
) -> None:
    x, y = Element(1, k, False, a_bits), Element(1, l, False, b_bits)
    product = products.convolution(Element(1, k + l - 1, False, 1), (x, y), n)
    assert product.primes == native.prime_count(min(k, l), n, a_bits, b_bits)
    assert product.workspace() == native.convolve_workspace_bytes(k, l, n, a_bits, b_bits)


def test_the_tables_that_products_leave_by_hand() -> None:
    """n = 64, residues of 100 bits. By a ternary polynomial: coefficients below 64·2^101, 3 bits to spare,
    so 3 primes of 50. By another: 64·2^200, 5 primes, of which 3 are those before. An inverse multiplies
    degrees 64, 32 and 16 with 5 primes each; what is shorter goes without tables. These have 4 words for each
    coefficient and prime."""
    q, tables = 2**100 - 3, 32 * 64 * 5
    ring = CountingRing(64, 100, q)
    a, b = ring.uniform(), ring.uniform()
    ring.multiply(a, ring.ternary())
    assert ring.tally.memory.tables == 32 * 64 * 3
    ring.multiply(a, b)
    ring.multiply(ring.multiply(a, b), ring.ternary())
    assert (ring.tally.memory.tables, ring.tally.memory.smaller_tables) == (tables, 0)
    ring.inverse(a)
    assert (ring.tally.memory.tables, ring.tally.memory.smaller_tables) == (tables, tables // 2 + tables // 4)
    assert ring.tally.memory.max_bytes == ring.tally.memory.most_bytes + tables * 7 // 4
    assert tables == native.table_bytes(64, 5)


@pytest.mark.parametrize(("inner", "beside"), [(7, 14 + 5), (1, 2 + 5)])
def test_a_result_is_written_when_the_residues_of_its_operands_are_gone(inner: int, beside: int) -> None:
    """n = 64, of 100 bits: 5 primes, so 5 words for each coefficient of the result, and one for each of the
    2·inner operands while these are transformed, at least the 2 of the result itself afterwards."""
    out, x, y = Element(1, 1, True, 100), Element(1, inner, True, 100), Element(inner, 1, True, 100)
    primes = products.matrix_product(out, (x, y), 64).primes
    assert primes == 5
    with_result = workspaces.workspace("multiply", out, (x, y), 64) + products.stored_bytes(out, 64)
    assert with_result == 8 * 64 * beside


def test_the_kernels_of_one_product_by_hand() -> None:
    """(2 x 3)·(3 x 1) of residues of 100 bits, n = 16: coefficients below 3·16·2^200.

    With the 3 spare bits that is 200 + 4 + 2 + 3 bits: 5 primes of 50. Transformed: 6 + 3 polynomials there
    and 2 back, 16·4/2 = 32 butterflies each and prime. Residues: 9 polynomials of 16 coefficients of 2 words,
    modulo 5 primes. Pointwise: 2·3 products of 16 values. Put together: 2·16 coefficients from 5 primes and
    the multiple of their product, in the 2 words of q and one more, of which 4 are summed side by side. Sums
    have at most 100 + 50 + 3 bits: of the 2 words of the quotient by q only the lower one can be other than
    0, which takes the 2 products of the words of q.
    """
    out, x, y = Element(2, 1, True, 100), Element(2, 3, True, 100), Element(3, 1, True, 100)
    counts = kernels.kernels("multiply", out, (x, y), 16, 100)
    derived = {
        "operations": 1,
        "butterflies": 11 * 32 * 5,
        "plain_residues": 0,
        "residues": 9 * 16 * 5,
        "residue_products": 9 * 16 * 2 * 5,
        "pointwise_products": 6 * 16 * 5,
        "recombined_residues": 2 * 16 * 5,
        "recombination_products": 2 * 16 * 6 * 4,
        "divisions": 2 * 16,
        "quotient_limbs": 2 * 16,
        "skipped_limbs": 2 * 16,
        "limb_products": 2 * 16 * 2,
        "paged_bytes": 0,
        "heap_bytes": 8 * 16 * (6 + 3 + 2 * 5 + 2 * 2),
    }
    assert {name: counts[name] for name in derived} == derived


def test_the_smaller_operand_is_its_own_residues_unless_it_is_the_one_that_is_scaled() -> None:
    """Coefficients below 2^49 need no reduction; of two such operands the right one is scaled."""
    small, large = Element(1, 3, False, 48), Element(3, 1, True, 100)
    out = Element(1, 1, True, 100)

    def residues(x: Element, y: Element) -> tuple[int, int, int]:
        counts = kernels.kernels("multiply", out, (x, y), 16, 100)
        primes = products.matrix_product(out, (x, y), 16).primes
        names = ("plain_residues", "residues", "residue_products")
        return tuple(counts[name] // (16 * primes) for name in names)  # type: ignore[return-value]

    assert residues(small, large) == (3, 3, 6)
    assert residues(Element(1, 3, True, 100), Element(3, 1, False, 48)) == (3, 3, 6)
    assert residues(small, Element(3, 1, False, 48)) == (3, 3, 3)


def functions(scheme: RingScheme) -> dict[str, Callable[[], Any]]:
    """Each function of the scheme, on what the one before left."""
    kept: dict[str, Any] = {}

    def keygen() -> None:
        kept["keys"] = scheme.keygen()

    def encrypt() -> None:
        kept["c"] = scheme.encrypt(kept["keys"], scheme.message([1]))

    def multiply() -> None:
        kept["c"] = scheme.multiply(kept["keys"], kept["c"], scheme.add(kept["keys"], kept["c"], kept["c"]))

    def decrypt() -> None:
        scheme.decrypt(kept["keys"], kept["c"])

    return {"keygen": keygen, "encrypt": encrypt, "multiply": multiply, "decrypt": decrypt}


def counted(ring: CountingRing, scheme: RingScheme) -> dict[str, tuple[int, int]]:
    """Bytes in use after each function, and at most in it."""
    found = {}
    for name, call in functions(scheme).items():
        ring.tally.memory.most_bytes = ring.tally.memory.bytes
        call()
        found[name] = ring.tally.memory.bytes, ring.tally.memory.most_bytes
    return found


def allocated(scheme: RingScheme) -> dict[str, tuple[int, int]]:
    """The same of numpy's arrays; the native code's own buffers are not among them."""
    gc.collect()
    tracemalloc.start()
    found = {}
    for name, call in functions(scheme).items():
        tracemalloc.reset_peak()
        call()
        found[name] = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return found


@pytest.mark.long
@pytest.mark.parametrize(("log_q", "log_w"), [(200, 8), (100, 2), (256, 64), (130, 60)])
def test_the_counted_memory_is_what_the_exact_ring_allocates(log_q: int, log_w: int) -> None:
    """In use: to 2 % and 64 KiB of Python's own. At most: no less, and no more than the buffers and tables
    of the largest product beyond it."""
    p = RingParameters(2048, log_q, 2, log_w)
    ring = p.counting_ring()
    predicted = counted(ring, FV(ring, p.spec))
    measured = allocated(FV(ExactRing(2048, 2**log_q - 1, 1), p.spec))
    words, small = -(-log_q // log_w), 1 << 16
    buffers = 8 * 2048 * 3 * (words + 5 * (2 * log_q // 50 + 2))
    for name, (now, most) in measured.items():
        assert predicted[name][0] == pytest.approx(now, rel=0.02, abs=small)
        assert most - small <= predicted[name][1] <= most + buffers + small


@pytest.mark.long
@pytest.mark.parametrize(
    "call",
    [
        lambda R, x: R.inverse(R.entry(x, 0, 0)),
        lambda R, x: R.powers(x, Scalar.of(4)),
        lambda R, x: R.decompose(x, Scalar.power(64)),
        lambda R, x: R.add(R.transpose(x), R.transpose(x)),
        lambda R, x: R.negate(R.column(x, 1)),
        lambda R, x: R.remainder(R.lift(x), Scalar.of(2**64 - 1)),
        lambda R, x: R.gaussian(3.2, 5, 5),
        lambda R, x: R.uniform(5, 5),
        lambda R, x: R.fold(x),
        lambda R, x: R.product_in_full(R.row(x, 0), x),
        lambda R, x: R.inner_product_in_full(x, x),
        lambda R, x: R.product_in_full(R.entry(x, 0, 0), R.uniform(20, 1)),
    ],
)
def test_no_operation_allocates_more_than_is_counted(call: Callable[[Ring, Element], Element]) -> None:
    n, q = 4096, 2**150 + 1
    exact, ring = ExactRing(n, q, 3), CountingRing(n, 151, q)
    x, same = exact.uniform(2, 2), ring.uniform(2, 2)
    before = ring.tally.memory.bytes
    call(ring, same)
    gc.collect()
    tracemalloc.start()
    call(exact, x)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most <= ring.tally.memory.most_bytes - before + 20_000
