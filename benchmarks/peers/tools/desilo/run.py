"""DESILO's library: an Engine with as many levels as the application takes, which chooses all else.

It has CKKS alone (its description: "with plans to expand to various integer-based schemes in the future"),
so that the ten squarings are those of reals. Its documentation says neither primes nor security.
"""

import sys
from pathlib import Path

import numpy as np
from desilofhe import Engine

sys.path.insert(0, str(Path(__file__).parent.parent))
from diagonals import diagonals, product
from harness import SQUARINGS, Prepared, main


def prepare(application, inputs):
    return {"variance": variance, "squarings": squarings, "network": network}[application](inputs)


class Keys:
    """An engine with the keys that an application needs; `left` are its rotations."""

    def __init__(self, levels, left=()):
        self.engine = Engine(max_level=levels)
        self.secret = self.engine.create_secret_key()
        self.public = self.engine.create_public_key(self.secret)
        self.relinearization = self.engine.create_relinearization_key(self.secret)
        fixed = self.engine.create_fixed_rotation_key
        self.rotations = {step: fixed(self.secret, step) for step in left}

    def rotate(self, c, step):
        return self.engine.rotate(c, self.rotations[step])

    def square(self, c):
        return self.engine.square(c, self.relinearization)

    def prepared(self, x, evaluate, size):
        parameters = {
            "scheme": "ckks",
            "ring_dimension": 2 * self.engine.slot_count,
            "levels": self.engine.max_level,
        }
        return Prepared(
            parameters,
            lambda: self.engine.encrypt(x, self.public),
            evaluate,
            lambda c: self.engine.decrypt(c, self.secret)[:size],
        )


def variance(inputs):
    x = inputs["x"]
    steps = [1 << i for i in range(len(x).bit_length() - 1)]
    keys = Keys(3, steps)  # with 2 levels, whose ring is half as large, a rotation takes a level
    engine = keys.engine

    def mean(c):
        for step in steps:
            c = engine.add(c, keys.rotate(c, step))
        return engine.multiply(c, 1 / len(x))

    def evaluate(c):
        return engine.subtract(mean(keys.square(c)), keys.square(mean(c)))

    return keys.prepared(x, evaluate, 1)


def squarings(inputs):
    keys = Keys(SQUARINGS)

    def evaluate(c):
        for _ in range(SQUARINGS):
            c = keys.square(c)
        return c

    return keys.prepared(inputs["x"].astype(float), evaluate, len(inputs["x"]))


def network(inputs):
    x = np.zeros(1024)
    x[: len(inputs["x"])] = inputs["x"]
    slots = Engine(max_level=5).slot_count
    layers = [diagonals(inputs[name], slots) for name in ("first", "second", "third")]
    keys = Keys(5, sorted(set().union(*(layer.rotations() for layer in layers))))
    engine = keys.engine
    encoded = [[[engine.encode(v) for v in group] for group in layer.vectors] for layer in layers]

    def times(layer, plain, c):
        babies = [c, *engine.rotate_many(c, [keys.rotations[i] for i in range(1, layer.baby)])]
        return product(layer, plain, babies, keys.rotate, engine.multiply, engine.add)

    def evaluate(c):
        c = keys.square(times(layers[0], encoded[0], c))
        c = keys.square(times(layers[1], encoded[1], c))
        return times(layers[2], encoded[2], c)

    return keys.prepared(np.tile(x, slots // len(x)), evaluate, len(inputs["third"]))


if __name__ == "__main__":
    main("desilofhe", prepare)
