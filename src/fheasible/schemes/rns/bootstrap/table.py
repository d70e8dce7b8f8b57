"""A table as a trigonometric polynomial, and how it is looked up in slots that hold I + m/p [AKP25].

f(m) is the real part of Σ c_k·z^k for z = exp(2πi·(I + m/p)), whatever the integer I is. Its first
derivatives are zero at every entry. So the noise of the operand is made smaller, not larger.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import UsageError
from fheasible.schemes.rns.bootstrap import monic
from fheasible.schemes.rns.bootstrap.aligned import Aligned, Value
from fheasible.schemes.rns.bootstrap.procedure import Reduction, Table
from fheasible.schemes.rns.bootstrap.series import turning

Entries = NDArray[np.float64]
Coefficients = NDArray[np.complex128]
DOUBLINGS = 2  # of the angle, whatever the table is
ORDERS = (1, 2, 3)
_LINEAR = 5  # a polynomial of a lower degree is a sum of powers, each with its coefficient
_SPARE = 3  # levels of four entries at order 1, which would do with fewer


def degree(table: Table) -> int:
    """The degree of a table that has no structure of its own."""
    return table.entries - 1 if table.order == 1 else len(weights(table)) - 1


def depth(table: Table) -> int:
    """The levels of the polynomial in z."""
    if table.boolean:
        return 0
    top = degree(table)
    return _SPARE if top < _LINEAR else monic.depth(top)


@lru_cache(maxsize=64)
def weights(table: Table) -> Entries:
    """By how much the k-th harmonic of the entries counts, for k = 0, 1, ...

    Harmonics that agree at the entries, k and k ± p, ... share their weight 1 so that the first `order`
    derivatives are zero there.
    """
    p, order = table.entries, table.order
    if order not in ORDERS:
        raise UsageError(f"a table of order {order}", f"choose among {ORDERS}")
    found = np.zeros(2 * p + 1)
    for first in range(-(p // 2) if order == 2 else 0, p // 2 + 1 if order == 2 else p):
        share = 0.5 if order == 2 and abs(first) == p / 2 else 1.0
        below = {1: 1, 2: 1, 3: 2}[order]
        places = np.array([first + p * j for j in range(-below, order + 1 - below)], dtype=np.float64)
        powers = np.vander(places / p, order + 1, increasing=True).T
        parts = np.linalg.solve(powers, np.eye(order + 1)[0])
        for place, part in zip(places.astype(int), parts, strict=True):
            if place >= 0:
                found[place] += share * part
    return np.trim_zeros(np.where(np.abs(found) < 1e-12, 0, found), "b")


def coefficients(table: Table, entries: Entries) -> Coefficients:
    """c_0, c_1, ...; half the constant, since the conjugate is added.

    For a boolean table they are the two real numbers of f(1) + (f(0) - f(1))·cos².
    """
    if table.boolean:
        return np.array([entries[1], entries[0] - entries[1]], dtype=np.complex128)
    harmonics = np.fft.fft(entries) / table.entries
    own = weights(table)
    made = own * harmonics[np.arange(len(own)) % table.entries]
    made[0] /= 2
    return np.asarray(made)


def typical(table: Table) -> Entries:
    """Entries without any structure, as which a table is counted."""
    return np.random.default_rng(table.bits).integers(0, table.entries, table.entries).astype(np.float64)


def turned(on: Aligned, x: Value, table: Table, r: Reduction) -> Value:
    """z, or for a boolean table the squared cosine of half its angle."""
    if table.boolean:
        x = on.settled(monic.evaluated(on, x, turning(r).real.copy()))
        x = on.square(x)
        x = on.reduced(on.add_number(on.double(x), -1.0))
        return on.reduced(on.square(x))
    x = on.settled(monic.evaluated(on, x, turning(r)))
    for _ in range(r.doublings):
        x = on.reduced(on.square(x))
    return x


def values(on: Aligned, z: Value, table: Table, entries: Entries) -> Value:
    """Σ c_k·z^k, whose real part is the entry; of a boolean table the entry itself."""
    c = coefficients(table, entries)
    if table.boolean:
        first, step = (float(number) for number in c.real)
        product = on.multiple(z, round(abs(step)))
        return on.add_number(product if step > 0 else on.negated(product), first)
    if len(c) > _LINEAR:
        return monic.summed(on, monic.power_terms(on, z, len(c) - 1), c)
    terms = monic.powers(on, z, len(c) - 1)
    total = None
    for power, weight in zip(terms, c[1:], strict=True):
        if weight:
            term = on.mul_number(power, weight.item())
            total = term if total is None else on.add(total, term)
    assert total is not None
    return on.add_number(on.reduced(total), c[0].item())
