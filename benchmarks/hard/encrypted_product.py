"""The product of two encrypted matrices of 16 x 16 reals, by hand: one inner product for each entry."""

import fheasible as fh

SIDE = 16


@fh.app(a=fh.reals(SIDE * SIDE, low=-1, high=1), b=fh.reals(SIDE * SIDE, low=-1, high=1))
def encrypted_product(a, b):
    rows = [a[i * SIDE : (i + 1) * SIDE] for i in range(SIDE)]
    columns = [b[j::SIDE] for j in range(SIDE)]
    return fh.concatenate([fh.inner_product(row, column) for row in rows for column in columns])
