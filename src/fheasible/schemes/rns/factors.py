"""Integers that bring two BGV plaintexts of different factors together [KPZ21]."""


def balanced(f: int, g: int, t: int) -> tuple[int, int]:
    """(a, b) in [0, t) with a·f = b·g modulo t: along Euclid's algorithm, those nearest to 0 modulo t.

    A negative one is nevertheless multiplied in as what it is modulo t, so that noise grows by up to t: SEAL
    `balance_correction_factors` (evaluator.cpp), Lattigo `matchScalesBinary` (schemes/bgv/evaluator.go).
    """
    ratio = pow(f, -1, t) * g % t
    r0, r1, b0, b1 = t, ratio, 0, 1
    best = (ratio, 1)
    while r1:
        if _distance(r1, t) + _distance(b1, t) < _distance(best[0], t) + _distance(best[1], t):
            best = (r1, b1)
        r0, r1, b0, b1 = r1, r0 % r1, b1, (b0 - (r0 // r1) * b1) % t
    return best


def _distance(x: int, t: int) -> int:
    return min(x, t - x)
