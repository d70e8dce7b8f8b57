"""Applications of a few elements."""

import fheasible as fh


@fh.app(a=fh.integers(16, low=0, high=15), b=fh.integers(16, low=0, high=15))
def dot(a: fh.Vector, b: fh.Vector) -> fh.Vector:
    return fh.inner_product(a, b)


@fh.app(x=fh.reals(8, low=0, high=1))
def squares(x: fh.Vector) -> fh.Vector:
    print("what an application prints is talk")
    return x * x
