"""Integers that bring two BGV plaintexts of different factors together [KPZ21]."""


def balanced(f: int, g: int, t: int) -> tuple[int, int]:
    """(a, b) in [0, t) with a·f = b·g modulo t: of the steps of Euclid's algorithm, the pair nearest to 0.

    Nearness is meant modulo t. A negative integer is nevertheless multiplied in as its residue in [0, t), so
    that noise grows by up to t, as in SEAL `balance_correction_factors` (evaluator.cpp) and Lattigo
    `matchScalesBinary` (schemes/bgv/evaluator.go).
    """
    ratio = pow(f, -1, t) * g % t
    r0, r1, b0, b1 = t, ratio, 0, 1
    best, least = (ratio, 1), 2 * t
    while r1:
        near = min(r1, t - r1) + min(b1, t - b1)
        if near < least:
            best, least = (r1, b1), near
        r0, r1, b0, b1 = r1, r0 % r1, b1, (b0 - (r0 // r1) * b1) % t
    return best
