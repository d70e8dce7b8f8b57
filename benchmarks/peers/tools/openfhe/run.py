"""OpenFHE's defaults: the multiplicative depth is given, and the plain modulus of integers; GenCryptoContext
chooses all else, for its default security of 128 bits.

Ring, primes, scales, digits and techniques are those of CCParams, as its examples (advanced-real-numbers.py,
simple-real-numbers.py, simple-integers.py) leave them.
"""

import sys
from pathlib import Path

import numpy as np
import openfhe

sys.path.insert(0, str(Path(__file__).parent.parent))
from diagonals import diagonals, product
from harness import PLAIN_MODULUS, SQUARINGS, Prepared, main


def prepare(application, inputs):
    return {"variance": variance, "squarings": squarings, "network": network}[application](inputs)


class Keys:
    """A context of `depth` with its keys."""

    def __init__(self, asked, depth):
        asked.SetMultiplicativeDepth(depth)
        self.asked, self.depth = asked, depth
        self.context = openfhe.GenCryptoContext(asked)
        for feature in (openfhe.PKE, openfhe.KEYSWITCH, openfhe.LEVELEDSHE, openfhe.ADVANCEDSHE):
            self.context.Enable(feature)
        self.pair = self.context.KeyGen()
        self.context.EvalMultKeyGen(self.pair.secretKey)

    def encrypt(self, plain):
        return self.context.Encrypt(self.pair.publicKey, plain)

    def decrypt(self, c, size):
        plain = self.context.Decrypt(c, self.pair.secretKey)
        plain.SetLength(size)
        return plain

    def parameters(self, scheme):
        return {
            "scheme": scheme,
            "ring_dimension": self.context.GetRingDimension(),
            "depth": self.depth,
            "asked": str(self.asked),
        }

    def reals(self, x, evaluate, size):
        def decrypt(c):
            return self.decrypt(c, size).GetRealPackedValue()[:size]

        def encrypt():
            return self.encrypt(self.context.MakeCKKSPackedPlaintext(x))

        return Prepared(self.parameters("ckks"), encrypt, evaluate, decrypt)


def variance(inputs):
    x = inputs["x"].tolist()
    keys = Keys(openfhe.CCParamsCKKSRNS(), 2)
    context = keys.context
    context.EvalSumKeyGen(keys.pair.secretKey)

    def mean(c):
        return context.EvalMult(context.EvalSum(c, len(x)), 1 / len(x))

    def evaluate(c):
        return context.EvalSub(mean(context.EvalSquare(c)), context.EvalSquare(mean(c)))

    return keys.reals(x, evaluate, 1)


def network(inputs):
    keys = Keys(openfhe.CCParamsCKKSRNS(), 5)
    context, slots = keys.context, keys.context.GetRingDimension() // 2
    x = np.zeros(1024)
    x[: len(inputs["x"])] = inputs["x"]
    layers = [diagonals(inputs[name], slots) for name in ("first", "second", "third")]
    steps = sorted(set().union(*(layer.rotations() for layer in layers)))
    context.EvalRotateKeyGen(keys.pair.secretKey, steps)
    encode = context.MakeCKKSPackedPlaintext
    encoded = [[[encode(v.tolist()) for v in group] for group in layer.vectors] for layer in layers]
    order = context.GetCyclotomicOrder()

    def times(layer, plain, c):
        digits = context.EvalFastRotationPrecompute(c)
        babies = [c, *(context.EvalFastRotation(c, i, order, digits) for i in range(1, layer.baby))]
        return product(layer, plain, babies, context.EvalRotate, context.EvalMult, context.EvalAdd)

    def evaluate(c):
        c = context.EvalSquare(times(layers[0], encoded[0], c))
        c = context.EvalSquare(times(layers[1], encoded[1], c))
        return times(layers[2], encoded[2], c)

    return keys.reals(np.tile(x, slots // len(x)).tolist(), evaluate, len(inputs["third"]))


def squarings(inputs):
    x = inputs["x"].tolist()
    asked = openfhe.CCParamsBGVRNS()
    asked.SetPlaintextModulus(PLAIN_MODULUS)
    keys = Keys(asked, SQUARINGS)

    def evaluate(c):
        for _ in range(SQUARINGS):
            c = keys.context.EvalSquare(c)
        return c

    def decrypt(c):
        return keys.decrypt(c, len(x)).GetPackedValue()

    def encrypt():
        return keys.encrypt(keys.context.MakePackedPlaintext(x))

    return Prepared(keys.parameters("bgv"), encrypt, evaluate, decrypt)


if __name__ == "__main__":
    main("openfhe", prepare)
