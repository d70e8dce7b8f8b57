"""What the evaluation needs of OpenFHE: its context, which holds the keys, and plain operands."""

import numpy as np
import openfhe

from common.parameters import PARAMETERS, REAL
from common.scheme import ASKED, TOP, make_context, read, set_up_bootstrap

N, SLOTS, BINARY = PARAMETERS["ring_dimension"], PARAMETERS["slots"], openfhe.BINARY
TOLD = ("EncodingType", "HopLevel", "KeyTag", "Level", "NoiseScaleDeg", "Slots")
SCALES = ("ScalingFactor", "ScalingFactorInt")


class Server:
    def __init__(self, folder, constants):
        self.context = make_context()  # the client's: keys and ciphertexts that are read belong to it
        self.constants = constants
        self.automatic = PARAMETERS["automatic"]
        if (folder / "relinearization.key").is_file():
            self.context.DeserializeEvalMultKey(str(folder / "relinearization.key"), BINARY)
        if (folder / "rotations.key").is_file():
            self.context.DeserializeEvalAutomorphismKey(str(folder / "rotations.key"), BINARY)
        if PARAMETERS["bootstraps"]:
            set_up_bootstrap(self.context, True)
        self._swap = None
        self._blank = self._made_here()

    def load(self, path):
        """The ciphertext of a file, as one that was made here. (Most operations copy, and the wheel copies
        what it has read twenty times slower than what it has made.)"""
        found = read(openfhe.DeserializeCiphertext(str(path), BINARY), path)
        made = self._blank.CloneEmpty()
        made.SetElements(found.GetElements())
        for what in (*TOLD, *SCALES):
            getattr(made, f"Set{what}")(getattr(found, f"Get{what}")())
        return made

    def _made_here(self):
        """A ciphertext that nobody ever decrypts, under a key that is forgotten at once."""
        plain = self.context.MakeCKKSPackedPlaintext([0.0]) if REAL else self.context.MakePackedPlaintext([0])
        return self.context.Encrypt(self.context.KeyGen().publicKey, plain)

    def save(self, ciphertext, path):
        if not openfhe.SerializeToFile(str(path), ciphertext, BINARY):
            raise SystemExit(f"{path} cannot be written")

    def drop(self, x, level):
        """`x` without the limbs above that level; CKKS keeps the scale."""
        return self.context.LevelReduce(x, None, TOP - level - x.GetLevel())

    def swap_rows(self, x):
        """The two rows exchanged, by X -> X^-1."""
        if self._swap is None:
            self._swap = self.context.GetEvalAutomorphismKeyMap(x.GetKeyTag())
        return self.context.EvalAutomorphism(x, 2 * N - 1, self._swap)

    def add_vector(self, x, values):
        return self.context.EvalAdd(x, self._encoded(values, x.GetNoiseScaleDeg(), x.GetLevel()))

    def multiply_vector(self, x, values):
        return self.context.EvalMult(x, self._encoded(values, 1, self._factor_level(x)))

    def add_integer(self, x, value):
        return self.context.EvalAdd(x, self._constant(value, x.GetNoiseScaleDeg(), x.GetLevel()))

    def multiply_integer(self, x, value):
        return self.context.EvalMult(x, self._constant(value, 1, self._factor_level(x)))

    def bootstrap(self, x, level):
        own = ASKED["bootstrap"]
        made = self.context.EvalBootstrap(x, own["iterations"], own["iteration_bits"])
        if made.GetNoiseScaleDeg() == 1:
            return made
        return self.context.Compress(made, level + 1) if self.automatic else self.context.ModReduce(made)

    def _factor_level(self, x):
        """Where a factor of `x` belongs: the automatic techniques first rescale what has degree 2."""
        return x.GetLevel() + (x.GetNoiseScaleDeg() - 1 if self.automatic else 0)

    def _encoded(self, values, degree, level):
        """The plaintext at the level and degree of the other operand, so that nothing has to be aligned."""
        if REAL:
            return self.context.MakeCKKSPackedPlaintext(values, degree, level, None, SLOTS)
        return self.context.MakePackedPlaintext(np.tile(values, N // len(values)), degree, level)

    def _constant(self, value, degree, level):
        """The same number in every slot."""
        return self.context.MakePackedPlaintext(np.full(N, value), degree, level)
