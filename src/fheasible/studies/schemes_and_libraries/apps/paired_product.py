"""Equation 1 of the paper: the product of n real numbers, in which each half is multiplied by the other."""

import fheasible as fh

n = 2


@fh.app(x=fh.reals(n, low=0.9, high=1.1))
def paired_product(x):
    left, over = n, None  # elements of x, and the product of those without a partner
    while left > 1:
        half = left // 2
        if left % 2:
            over = x[left - 1] if over is None else over * x[left - 1]
        x = x[:half] * x[half : 2 * half]
        left = half
    return x if over is None else x * over
