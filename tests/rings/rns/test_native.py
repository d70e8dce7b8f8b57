"""The native kernels refuse arrays that do not fit, whatever Python hands them."""

from collections.abc import Callable
from typing import Any

import fheasible_native as native
import numpy as np
import pytest

from .drawing import CHAIN

P = np.array(CHAIN[:2], np.uint64)
X = np.arange(32, dtype=np.uint64).reshape(2, 16)
ONES = np.ones(2, np.uint64)
WRONG: dict[str, Callable[[], Any]] = {
    "a limb has no modulus": lambda: native.rns_forward(X, P[:1]),
    "there are no moduli": lambda: native.rns_forward(X, P[:0]),
    "there are no limbs": lambda: native.rns_add(X[:0], X[:0], P[:0]),
    "a modulus has no root of unity": lambda: native.rns_forward(X, np.array([CHAIN[0], 2**32], np.uint64)),
    "a modulus is no prime": lambda: native.rns_inverse(X, np.array([33, 65], np.uint64)),
    "n is too small": lambda: native.rns_forward(X[:, :8].copy(), P),
    "n is no power of two": lambda: native.rns_forward(X[:, :12].copy(), P),
    "n differs": lambda: native.rns_add(X, X[:, :8].copy(), P),
    "limbs differ": lambda: native.rns_sub(X, X[:1], P),
    "memory is not contiguous": lambda: native.rns_add(X[:, ::2], X[:, ::2], P),
    "a modulus has 63 bits": lambda: native.rns_add(X, X, np.array([CHAIN[0], 2**62], np.uint64)),
    "a modulus is 1": lambda: native.rns_scale(X, ONES, ONES),
    "a constant is missing": lambda: native.rns_scale(X, ONES[:1], P),
    "a constant is too many": lambda: native.rns_offset(X, np.ones(3, np.uint64), P),
    "a factor is missing": lambda: native.rns_inner_product([X, X], [X], P),
    "there are no factors": lambda: native.rns_inner_product([], [], P),
    "factors differ": lambda: native.rns_inner_product([X, X[:, :8].copy()], [X, X], P),
    "a matrix has another height": lambda: native.rns_convert(X, X[:1, :2].copy(), P),
    "a matrix has another width": lambda: native.rns_convert(X, X[:, :3].copy(), P),
    "a cofactor is missing": lambda: native.rns_reconstruct(X, X, True, P),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG.keys())
def test_arrays_that_do_not_fit_are_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError):
        call()


def test_operands_are_left_as_they_are() -> None:
    before = X.copy()
    native.rns_forward(X, P)
    native.rns_inverse(X, P)
    native.rns_add(X, X, P)
    native.rns_scale(X, ONES, P)
    assert (before == X).all()
