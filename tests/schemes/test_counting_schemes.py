"""Every scheme on the counting ring: shapes as when run, many sets at once as one by one, hand counts."""

from typing import Any

import numpy as np
import pytest

from fheasible.rings.counting import CountingRing
from fheasible.rings.element import Element, Scalar
from fheasible.rings.exact import ExactRing
from fheasible.rings.tally import Tally
from fheasible.rings.weights import PANTHERS
from fheasible.schemes.call import count
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.spec import Spec

INSECURE_N = 32
FUNCTIONS = [(name, f) for name, s in SCHEMES.items() for f in s.functions]


@pytest.mark.parametrize(("name", "function"), FUNCTIONS)
def test_many_sets_at_once_are_counted_as_one_by_one(name: str, function: str) -> None:
    n, log_q, log_w = np.array([1024, 2048, 64]), np.array([60, 101, 300]), np.array([1, 7, 60])
    together = count(SCHEMES[name], function, RingParameters(n, log_q, 2, log_w))
    for i in range(3):
        one = RingParameters(int(n[i]), int(log_q[i]), 2, int(log_w[i]))
        assert figures(count(SCHEMES[name], function, one)) == figures(together, i)


def figures(tally: Tally, i: int | None = None) -> dict[Any, int]:
    """All sums of a tally, of the i-th set."""
    m = tally.memory
    sums: dict[Any, Any] = {**tally.operations, **tally.integers, **tally.kernels}
    sums |= {"words": m.words, "max": m.max_words, "total": m.total_words, "bytes": m.max_bytes}
    return {k: int(v if i is None or not np.ndim(v) else v[i]) for k, v in sums.items()}


@pytest.mark.parametrize("name", SCHEMES)
def test_counted_ciphertexts_have_the_shapes_of_real_ones(name: str) -> None:
    q = (1 << 60) - 1
    seen = []
    for ring in (CountingRing(INSECURE_N, 60, q), ExactRing(INSECURE_N, q, 1)):
        scheme = SCHEMES[name](ring, Spec(Scalar.of(2), Scalar.power(8)))
        keys = scheme.keygen()
        c = scheme.encrypt(keys, scheme.message([1]))
        made = [keys.secret, keys.public, c, scheme.add(keys, c, c), scheme.multiply(keys, c, c)]
        made += [scheme.constant(scheme.message([1])), scheme.decrypt(keys, c)]
        made += [keys.evaluation] if keys.evaluation is not None else []
        seen.append([shape(x) for x in made])
    assert seen[0] == seen[1]


def shape(x: Element) -> tuple[int, int, bool, int]:
    return int(x.rows), int(x.cols), x.modular, int(x.bits)


PRODUCTS = [  # l = 15 digits of log2 w = 4 at log2 q = 60: products of polynomials, by hand
    ("fv", "keygen", 1 + 1 + 15),  # a·s for pk, s², and the a_i·s of rlk
    ("fv", "encrypt", 2),
    ("fv", "decrypt", 1),
    ("fv", "multiply", 4 + 2 * 15),
    ("yashe", "encrypt", 1),
    ("yashe", "decrypt", 1),
    ("yashe", "product", 1),
    ("yashe", "key_switch", 15),
    ("yashe", "multiply", 1 + 15),
    ("fntru", "encrypt", 15),
    ("fntru", "decrypt", 1),
    ("fntru", "multiply", 15 * 15),
    ("fntru", "xor", 15 * 15),
    ("shield", "keygen", 1),
    ("shield", "encrypt", 2 * 30),
    ("shield", "decrypt", 2 * 30 + 1),
    ("shield", "multiply", 2 * 30 * 30),
]


@pytest.mark.parametrize(("name", "function", "products"), PRODUCTS)
def test_products_of_polynomials_are_as_many_as_by_hand(name: str, function: str, products: int) -> None:
    tally = count(SCHEMES[name], function, RingParameters(1024, 60, 2, 4))
    assert tally.operations["multiplication", "polynomial"] == products
    assert tally.integers["multiplication"] >= products * 61_148  # ceil(1024^1.59) = ceil(2^15.9)


def test_a_key_of_yashe_takes_one_inversion_when_counted() -> None:
    """Two products for each of the degrees 1024, 512, ..., 2; g·f^-1 and l products h·s_i."""
    tally = count(SCHEMES["yashe"], "keygen", RingParameters(1024, 60, 2, 4))
    assert tally.operations["multiplication", "polynomial"] == 2 * 10 + 1 + 15


MIXED, POLYNOMIAL, INTEGER = "integer and polynomial", "polynomial", "integer"
MULTIPLY = {  # at n = 1024, log2 q = 60, w = 2^4, t = 2, l = 15, by hand: every operation of a product
    # lift both; c·d, doubled, divided by q, rounded, reduced; its digits, times the key's l rows
    "yashe": {
        ("subtraction", MIXED): 2,
        ("multiplication", POLYNOMIAL): 1 + 15,
        ("modulo", POLYNOMIAL): 1 + 15,
        ("addition", POLYNOMIAL): 14,
        ("shift", MIXED): 1 + 15,
        ("division", MIXED): 1,
        ("round", POLYNOMIAL): 1,
        ("modulo", MIXED): 1 + 15 + 1,
    },
    # digits of l residues, an l x l matrix, times l residues
    "fntru": {
        ("shift", MIXED): 15 * 15,
        ("modulo", MIXED): 15 * 15 + 15,
        ("multiplication", POLYNOMIAL): 15 * 15,
        ("modulo", POLYNOMIAL): 15 * 15,
        ("addition", POLYNOMIAL): 15 * 14,
    },
    # digits of 30 x 2 residues, a 30 x 30 matrix, times 30 x 2
    "shield": {
        ("shift", MIXED): 30 * 30,
        ("modulo", MIXED): 30 * 30 + 60,
        ("multiplication", POLYNOMIAL): 30 * 30 * 2,
        ("modulo", POLYNOMIAL): 30 * 30 * 2,
        ("addition", POLYNOMIAL): 30 * 2 * 29,
    },
}
MOST = {  # 32-bit integers for each coefficient: a residue has 2, a digit 1
    "yashe": (2 + 15 + 2, 2 + 2 + 4 + 3 + 2 + 15 + 2),  # a product below 2^128 has 4; rounded, of 72 bits, 3
    "fntru": (225 + 2 * 15, 225 + 2 * 15),
    "shield": (900 + 2 * 60, 900 + 2 * 60),
}


@pytest.mark.parametrize("name", MULTIPLY)
def test_all_operations_of_a_product_are_those_derived_by_hand(name: str) -> None:
    tally = count(SCHEMES[name], "multiply", RingParameters(1024, 60, 2, 4))
    assert tally.operations == MULTIPLY[name]
    assert (tally.memory.max_words, tally.memory.total_words) == tuple(1024 * k for k in MOST[name])


def test_the_multiplications_of_a_product_of_yashe_are_those_derived_by_hand() -> None:
    """16 products of ceil(2^15.9), and all else by the weights, each kind rounded up:
    (16·1023 + 2·1024)/1.065, 14·1024/1.309, 1024/0.115, 1024/0.314, 17·1024/0.909, and 16·1024 shifts."""
    others = 17_293 + 10_952 + 8_905 + 3_262 + 19_151 + 16_384
    tally = count(SCHEMES["yashe"], "multiply", RingParameters(1024, 60, 2, 4))
    assert PANTHERS.total(tally.integers) == 16 * 61_148 + others


def test_all_operations_of_a_key_of_yashe_are_those_derived_by_hand() -> None:
    """f' and g, and e and s of 15 rows, are drawn. f = 2·f' + 1 is inverted by 10 halvings of the degree; h
    is 2·g/f; 15 powers of f; 15 products h·s; two sums of 15 residues. Reduced are f twice and e, and every
    product and sum modulo q."""
    tally = count(SCHEMES["yashe"], "keygen", RingParameters(1024, 60, 2, 4))
    assert tally.operations == {
        ("random", POLYNOMIAL): 2 + 2 * 15,
        ("shift", MIXED): 1 + 1 + 15,
        ("shift", INTEGER): 15,
        ("division", INTEGER): 1,
        ("multiplication", POLYNOMIAL): 20 + 1 + 15,
        ("modulo", POLYNOMIAL): 20 + 1 + 15,
        ("addition", POLYNOMIAL): 1 + 15 + 15,
        ("modulo", MIXED): 20 + 1 + 1 + 2 + 5 * 15,
    }


def test_all_operations_of_an_encryption_of_f_ntru_are_those_derived_by_hand() -> None:
    """h·s + 2·e + m·(1, w, ...): 15 rows each. Reduced: e and m, every product and power, both sums."""
    tally = count(SCHEMES["fntru"], "encrypt", RingParameters(1024, 60, 2, 4))
    assert tally.operations == {
        ("random", POLYNOMIAL): 2 * 15,
        ("multiplication", POLYNOMIAL): 15,
        ("modulo", POLYNOMIAL): 15,
        ("shift", MIXED): 15 + 15,
        ("shift", INTEGER): 15,
        ("addition", POLYNOMIAL): 2 * 15,
        ("modulo", MIXED): 15 + 15 + 1 + 15 + 2 * 15,
    }
