"""Digits of residues in a base of any size."""

from typing import Any

import numpy as np

from fheasible.rings.limbs import Limbs, constant, extended, magnitude

WORD = 1 << 63  # the native code divides by words below this, and shifts for powers of two


def decomposed(native: Any, x: Limbs, w: int, count: int) -> Limbs:
    """The lowest `count` digits of x >= 0 in base w, least significant first, in as few limbs as they fill.

    Column j becomes columns j·count to j·count + count - 1.
    """
    if w & (w - 1) == 0:
        made: Limbs = native.decompose(x, w.bit_length() - 1, count)
    elif w < WORD:
        made = native.decompose_word(x, w, count)
    else:
        made = _long_division(native, x, w, count)
    return made


def _long_division(native: Any, x: Limbs, w: int, count: int) -> Limbs:
    """The digits in a base larger than a word: each remainder is a digit, and the rest divides exactly."""
    rows, cols, n, width = x.shape
    base = magnitude(w)
    out = np.empty((rows, cols, count, n, len(base)), np.uint64)
    rest = extended(x, width + 1)
    for k in range(count):
        digit = native.remainder(rest, base)
        out[:, :, k] = digit
        rest = native.sub(rest, extended(digit, len(base) + 1), width + 1)
        rest = native.scale_round(rest, constant(1), base, width + 1)
    return out.reshape(rows, cols * count, n, len(base))
