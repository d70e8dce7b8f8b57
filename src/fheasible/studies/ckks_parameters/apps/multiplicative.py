"""The sum of x*y*z over triples of real numbers in [0, 1]: the paper's multiplicative function [GKS25]."""

import fheasible as fh

n = 65_536


@fh.app(x=fh.reals(n, low=0, high=1), y=fh.reals(n, low=0, high=1), z=fh.reals(n, low=0, high=1))
def multiplicative(x, y, z):
    return fh.sum(x * y * z)
