"""What the evaluation needs of SEAL: its evaluator, the keys, and plain operands at the right level."""

import struct
from math import prod

import numpy as np
import seal

from common.parameters import PARAMETERS, REAL
from common.scheme import SLOTS, TOP, CkksEncoders, make_context, parms_ids

SCALES = PARAMETERS["scales"]
ROUNDING = 1e-9  # two scales closer than this differ by rounding of doubles alone


class Server:
    def __init__(self, folder, constants):
        self.context = make_context()
        self.evaluator = seal.Evaluator(self.context)
        self.relinearization_key = self._key(seal.RelinKeys, folder / "relinearization.key")
        self.rotation_keys = self._key(seal.GaloisKeys, folder / "rotations.key")
        self.levels = parms_ids(self.context)
        self.constants = constants
        if REAL:
            self.encoders = CkksEncoders(self.context)
            for level in PARAMETERS["vector_levels"]:
                self.encoders.at(level)  # now, since it takes some milliseconds to make one
            self.magic = self.encoders.at(TOP).encode(0.0, 1.0).to_bytes()[:8]
        else:
            self.batch = seal.BatchEncoder(self.context)

    def _key(self, kind, path):
        if not path.is_file():  # the application needs none
            return None
        key = kind()
        key.load(self.context, str(path))
        return key

    def load(self, path):
        ciphertext = seal.Ciphertext()
        ciphertext.load(self.context, str(path))
        return ciphertext

    def save(self, ciphertext, path):
        ciphertext.save(str(path))

    # -- CKKS: every level has a scale of its own, and a product the square of its level's scale

    def rescale(self, x, level):
        return _at(self.evaluator.rescale_to_next(x), SCALES[level])

    def add_number(self, x, number, level):
        return self.evaluator.add_plain(x, self._number(number, x.scale(), level))

    def multiply_number(self, x, number, level):
        square = SCALES[level] * SCALES[level]
        factor = self._number(number, square / x.scale(), level)
        return _at(self.evaluator.multiply_plain(x, factor), square)

    def add_vector(self, x, values, level):
        return self.evaluator.add_plain(x, self._vector(values, x.scale(), level))

    def multiply_vector(self, x, values, level):
        square = SCALES[level] * SCALES[level]
        factor = self._vector(values, square / x.scale(), level)
        return _at(self.evaluator.multiply_plain(x, factor), square)

    def _vector(self, values, scale, level):
        return self.encoders.at(level).encode(np.tile(values, SLOTS // len(values)), scale)

    def _number(self, value, scale, level):
        """The constant polynomial, in SEAL's own serialized form: the binding has no encoder at a lower
        level, and to bring a plaintext down would cost more than the product that it is for."""
        coefficient, primes = round(value * scale), PARAMETERS["q"][: level + 1]
        if 2 * abs(coefficient) >= prod(primes):
            raise ValueError("encoded value is too large")
        n = PARAMETERS["ring_dimension"]
        limbs = [(coefficient % prime).to_bytes(8, "little") * n for prime in primes]
        count = n * (level + 1)
        fields = struct.pack("<4QQd", *self.levels[level], count, scale)
        inner = 16 + 8 + 8 * count
        head = self.magic + struct.pack("<Q", 16 + len(fields) + inner) + fields
        plain = seal.Plaintext()
        plain.load_bytes(self.context, b"".join((head, self.magic, struct.pack("<QQ", inner, count), *limbs)))
        return plain

    # -- BGV and BFV

    def integer(self, value):
        """The constant polynomial: the same number in every slot."""
        return seal.Plaintext(format(value % PARAMETERS["plain_modulus"], "X"))

    def integers(self, values):
        return self.batch.encode(np.tile(values, SLOTS // len(values)))


def _at(x, scale):
    """`x` with that scale, if its own differs from it by rounding alone."""
    if abs(x.scale() - scale) <= ROUNDING * scale:
        x.scale(scale)
    return x
