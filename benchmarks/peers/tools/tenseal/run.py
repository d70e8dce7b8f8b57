"""TenSEAL: the contexts of its tutorials, and vectors as they use them.

The context of "Tutorial 2 - Working with Approximate Numbers" (8192; 60, 40, 40, 60; scale 2^40) is deep
enough for the variance as a mean of squares less a squared mean; that of "Tutorial 4 - Encrypted Convolution
on MNIST" (8192; 31, six times 26, 31; scale 2^26) for the network. For integers TenSEAL asks for a ring and
takes SEAL's default primes: here it is the smallest ring whose results are right. Galois keys are those that
`generate_galois_keys` makes.
"""

import sys
from pathlib import Path

import tenseal as ts

sys.path.insert(0, str(Path(__file__).parent.parent))
from harness import PLAIN_MODULUS, SQUARINGS, Prepared, main

RING_OF_SQUARINGS = 16384  # wrong results with 8192


def prepare(application, inputs):
    return {"variance": variance, "squarings": squarings, "network": network}[application](inputs)


def variance(inputs):
    x = inputs["x"].tolist()
    context = reals([60, 40, 40, 60], 40)

    def evaluate(v):
        mean = v.sum() * (1 / len(x))
        return (v * v).sum() * (1 / len(x)) - mean * mean

    return prepared(context, lambda: ts.ckks_vector(context, x), evaluate, [60, 40, 40, 60], 40)


def network(inputs):
    x = inputs["x"].tolist()
    first, second, third = (inputs[name].T.tolist() for name in ("first", "second", "third"))
    bits = [31, *[26] * 6, 31]
    context = reals(bits, 26)

    def evaluate(v):
        hidden = v.mm(first).square()
        hidden = hidden.mm(second).square()
        return hidden.mm(third)

    return prepared(context, lambda: ts.ckks_vector(context, x), evaluate, bits, 26)


def squarings(inputs):
    x = inputs["x"].tolist()
    context = ts.context(ts.SCHEME_TYPE.BFV, RING_OF_SQUARINGS, PLAIN_MODULUS, n_threads=1)

    def evaluate(v):
        for _ in range(SQUARINGS):
            v = v * v
        return v

    parameters = {"scheme": "bfv", "ring_dimension": RING_OF_SQUARINGS, "primes": "SEAL's defaults"}
    return Prepared(parameters, lambda: ts.bfv_vector(context, x), evaluate, lambda v: v.decrypt())


def reals(bits, scale):
    context = ts.context(ts.SCHEME_TYPE.CKKS, 8192, coeff_mod_bit_sizes=bits, n_threads=1)
    context.global_scale = 2**scale
    context.generate_galois_keys()
    return context


def prepared(context, encrypt, evaluate, bits, scale):
    parameters = {"scheme": "ckks", "ring_dimension": 8192, "prime_bits": bits, "scale_bits": scale}
    return Prepared(parameters, encrypt, evaluate, lambda v: v.decrypt())


if __name__ == "__main__":
    main("tenseal", prepare)
