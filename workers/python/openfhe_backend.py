"""OpenFHE as a `Backend`: one class for CKKS, one for the integer schemes.

OpenFHE counts levels from the top: its level is the number of limbs that are gone. Ours is the number
of limbs that are left, less one.
"""

import platform
from ctypes import CDLL
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import openfhe
from numpy.typing import NDArray

from openfhe_binfhe import binfhe
from openfhe_bootstrap import Bootstrap
from openfhe_context import CCPARAMS, MEASURE, Facts, make, special_primes
from openfhe_lookups import METHODS, BinFheLooker
from openfhe_polynomials import opened
from openfhe_switching import OpenFheSwitching
from openfhe_tables import OpenFheTables
from worker import memory
from worker.backend import EVERYWHERE, HOISTING, Backend, Cipher, Library, Sizes, Switching, Tables
from worker.bench import SWITCHING
from worker.lookup_bench import LookupBench
from worker.noise import Noise, invariant_noise
from worker.refusal import BAD_REQUEST, INFEASIBLE, UNSUPPORTED, Refusal, reading
from worker.request import Json, Program, sizes
from worker.serialized import size

ACTIONS = {
    "ckks": EVERYWHERE | {"rescale", "drop", "eval_sum", "eval_chebyshev", "bootstrap", HOISTING},
    "bgv": EVERYWHERE | {"rescale", "drop", "swap_rows", HOISTING},
    "bfv": EVERYWHERE | {"swap_rows", HOISTING},
}
MANUAL = "fixedmanual"
MEETS_A_PLAINTEXT = ("add_plain", "mul_plain", "add_scalar", "mul_scalar")

WHOLE = "OpenFHE's Decrypt decodes as well, and its Python binding has neither of the two alone"
ONE_CALL = "OpenFHE makes the secret and the public key in one call"
LACKS = {"decrypt": WHOLE, "decode": WHOLE, "keygen_secret": ONE_CALL, "keygen_public": ONE_CALL}
ONLY_CKKS = "OpenFHE switches to FHEW from CKKS alone"
NOT_SPARSE = "OpenFHE's BGV and BFV encode all slots; only its CKKS has sparse packing"

UNDER_FLOODED = (
    "a product that is not rescaled has the square of the scale, and OpenFHE floods it as if it had the scale"
)


class OpenFheBackend(Backend):
    """What OpenFHE does alike in all its schemes."""

    def __init__(self, parameters: Json) -> None:
        self._context = make(parameters)
        self._facts = Facts(self._context)
        self._scheme = str(parameters["scheme"])
        self._depth = int(parameters["depth"])
        self._top = self._facts.limbs - 1
        self._keys: Any = None
        self._swap: Any = None

    def describe(self) -> Json:
        secret = self._keys.secretKey if self._keys else self._context.KeyGen().secretKey
        facts = self._facts
        return {
            "ring_dimension": facts.n,
            "q": [str(x) for x in facts.q],
            "p": [str(x) for x in special_primes(self._context, facts, secret)],
            "digits": facts.digits,
            "plain_modulus": None if self._scheme == "ckks" else self._context.GetPlaintextModulus(),
            "technique": facts.technique,
            "key_switching": "hybrid" if facts.hybrid else "bv",
        }

    def prepare(self, program: Program) -> None:
        self._program = program
        self._slots = program.slots
        highest = max((o.level for o in program.operations), default=0)
        if self._scheme != "bfv" and highest > self._top:
            raise Refusal(INFEASIBLE, f"context: level {highest} needs more than {self._facts.limbs} limbs")
        if program.automatic == (self._facts.technique == MANUAL) and self._scheme != "bfv":
            asked = "automatic" if program.automatic else "manual"
            raise Refusal(BAD_REQUEST, f"{asked} rescaling in the program, but {self._facts.technique} here")

    def keygen(self) -> None:
        self._forget_keys()
        program, context = self._program, self._context
        self._keys = context.KeyGen()
        if self._multiplies:
            context.EvalMultKeyGen(self._keys.secretKey)
        if program.rotations:
            context.EvalRotateKeyGen(self._keys.secretKey, list(program.rotations))
        if program.sums_slots:
            context.EvalSumKeyGen(self._keys.secretKey)
        if program.swaps_rows:
            self._swap = context.EvalAutomorphismKeyGen(self._keys.secretKey, [self._row_swap])

    @property
    def _multiplies(self) -> bool:
        """Whether there is a relinearisation key."""
        return self._program.relinearizes

    @property
    def _row_swap(self) -> int:
        """X -> X^-1 exchanges the two rows."""
        return 2 * self._facts.n - 1

    def secret(self) -> Any:
        return self._keys.secretKey

    def stranger(self) -> Any:
        return self.make_pair().secretKey

    def encrypted(self, plain: Any, level: int) -> Cipher:
        return self._context.Encrypt(self._keys.publicKey, plain)

    def encrypted_by_secret(self, plain: Any, level: int) -> Cipher:
        return self._context.Encrypt(self._keys.secretKey, plain)

    def switching_key(self, key: Any) -> Any:
        return self.make_switching(self._keys.secretKey, key)

    def key_switch(self, x: Cipher, switching_key: Any) -> Cipher:
        return self._context.KeySwitch(x, switching_key)

    def key_maker(self) -> Any:
        return self.stranger()

    def make_pair(self) -> Any:
        return self._context.KeyGen()

    def make_relinearization(self, maker: Any) -> Any:
        return self._context.EvalMultKeyGen(maker)

    def make_rotation(self, maker: Any) -> Any:
        return self._context.EvalRotateKeyGen(maker, [1])

    def make_switching(self, maker: Any, other: Any) -> Any:
        return self._context.KeySwitchGen(maker, other)

    def forget_made(self) -> None:
        self._forget_keys()

    def sizes(self, sample: Cipher | None) -> Sizes:
        keys = self._keys
        return Sizes(
            ciphertext=0 if sample is None else _saved(sample),
            public_key=_saved(keys.publicKey),
            secret_key=_saved(keys.secretKey),
            relinearization_key=size(self._save_relinearization) if self._multiplies else 0,
            rotation_keys=self._rotation_bytes(),
            rotation_key_count=self._rotation_keys(),
        )

    def _save_relinearization(self, path: str) -> None:
        openfhe.CryptoContext.SerializeEvalMultKey(path, openfhe.BINARY, self._keys.secretKey.GetKeyTag())

    def _save_rotations(self, path: str) -> None:
        tag = self._keys.secretKey.GetKeyTag()
        openfhe.CryptoContext.SerializeEvalAutomorphismKey(path, openfhe.BINARY, tag)

    def _rotation_bytes(self) -> int:
        """OpenFHE's own table of automorphism keys holds the one that exchanges rows too."""
        return size(self._save_rotations) if self._rotation_keys() else 0

    def _rotation_keys(self) -> int:
        """How many there are: EvalSum has a choice of its own."""
        program = self._program
        if program.sums_slots or program.bootstraps:
            return len(self._context.GetExistingEvalAutomorphismKeyIndices(self._keys.secretKey.GetKeyTag()))
        return len(program.rotations) + int(program.swaps_rows)

    def _forget_keys(self) -> None:
        """OpenFHE keeps evaluation keys in tables of its own, for as long as the process lives."""
        openfhe.ClearEvalMultKeys()
        openfhe.CryptoContext.ClearEvalAutomorphismKeys()
        self._keys = self._swap = None

    def close(self) -> None:
        """Also the context: the same parameters would give it back, and it would cost nothing to make."""
        self._forget_keys()
        openfhe.ReleaseAllContexts()

    def _gone(self, level: int) -> int:
        """OpenFHE's number of our level."""
        return self._top - level

    def add(self, x: Cipher, y: Cipher, level: int) -> Cipher:
        return self._context.EvalAdd(x, y)

    def sub(self, x: Cipher, y: Cipher, level: int) -> Cipher:
        return self._context.EvalSub(x, y)

    def neg(self, x: Cipher, level: int) -> Cipher:
        return self._context.EvalNegate(x)

    def mul(self, x: Cipher, y: Cipher, level: int) -> Cipher:
        return self._context.EvalMultNoRelin(x, y)

    def square(self, x: Cipher, level: int) -> Cipher:
        """OpenFHE's own EvalSquare relinearizes; without that there is only the product."""
        return self._context.EvalMultNoRelin(x, x)

    def relinearize(self, x: Cipher, level: int) -> Cipher:
        return self._context.Relinearize(x)

    def rescale(self, x: Cipher, level: int) -> Cipher:
        """ModReduce does nothing in the automatic techniques; Compress does the same work in them."""
        if self._program.automatic:
            return self._context.Compress(x, level + 1)
        return self._context.ModReduce(x)

    def drop(self, x: Cipher, level: int) -> Cipher:
        return self._context.LevelReduce(x, None, self._gone(level) - x.GetLevel())

    def rotate(self, x: Cipher, steps: int, level: int) -> Cipher:
        return self._context.EvalRotate(x, steps)

    def digits(self, x: Cipher) -> Any:
        return self._context.EvalFastRotationPrecompute(x)

    def rotate_hoisted(self, x: Cipher, digits: Any, steps: int, level: int) -> Cipher:
        return self._context.EvalFastRotation(x, steps, digits)

    def swap_rows(self, x: Cipher, level: int) -> Cipher:
        return self._context.EvalAutomorphism(x, self._row_swap, self._swap)

    def add_plain(self, x: Cipher, plain: Any, level: int) -> Cipher:
        """The plaintext is made at the level and degree of `x`, so that nothing has to be aligned."""
        return self._context.EvalAdd(x, self._encode(plain, x.GetNoiseScaleDeg(), x.GetLevel()))

    def mul_plain(self, x: Cipher, plain: Any, level: int) -> Cipher:
        return self._context.EvalMult(x, self._encode(plain, 1, self._factor_level(x)))

    def _factor_level(self, x: Cipher) -> int:
        """Where a factor of `x` belongs: the automatic techniques first rescale what has degree 2."""
        return int(x.GetLevel()) + (x.GetNoiseScaleDeg() - 1 if self._program.automatic else 0)

    def _encode(self, values: NDArray[Any], degree: int, level: int) -> Any:
        raise NotImplementedError


class OpenFheCkks(OpenFheBackend):
    def __init__(self, parameters: Json) -> None:
        super().__init__(parameters)
        self._noise = parameters.get("noise_estimate")
        self._security = (
            parameters.get("fhew") or parameters.get("security"),
            bool(parameters.get("quantum")),
        )
        self._told, self._scale_bits = parameters.get("bootstrap"), parameters.get("scale_bits")
        told = self._told
        self._bootstrap = Bootstrap(told) if told else None

    def describe(self) -> Json:
        """With the scales of all levels that values may have; FLEXIBLEAUTOEXT has one limb above those."""
        scales = [self._context.GetScalingFactorReal(self._gone(level)) for level in range(self._depth + 1)]
        return {**super().describe(), "scales": scales}

    def prepare(self, program: Program) -> None:
        super().prepare(program)
        if program.bootstraps and self._bootstrap and self._bootstrap.table:
            raise Refusal(
                BAD_REQUEST, "the program bootstraps, and the parameters' bootstrap looks a table up"
            )
        if program.bootstraps and self._bootstrap is None:
            raise Refusal(BAD_REQUEST, "the program bootstraps, and the parameters have no bootstrap")
        if self._bootstrap:
            self._bootstrap.prepare(self._context, program, self._facts.n // 2)

    @property
    def _multiplies(self) -> bool:
        return super()._multiplies or self._program.bootstraps

    def keygen(self) -> None:
        """A bootstrap's keys are made last, of the memory that the making of the others gave back."""
        super().keygen()
        if self._bootstrap and self._program.bootstraps:
            memory.trim()
            self._bootstrap.make_keys(self._context, self._keys.secretKey, self._program.slots)
            memory.trim()

    def sizes(self, sample: Cipher | None) -> Sizes:
        known = super().sizes(sample)
        if not (self._bootstrap and self._program.bootstraps):
            return known
        secret, slots = self._keys.secretKey, self._program.slots
        return replace(known, bootstrap_keys=self._bootstrap.key_bytes(self._context, secret, slots))

    def bootstrap(self, x: Cipher, level: int) -> Cipher:
        assert self._bootstrap is not None
        made = self._bootstrap.refresh(self._context, x, self._top - x.GetLevel())
        made = self.rescale(made, level) if made.GetNoiseScaleDeg() > 1 else made
        left, degree = self._top - made.GetLevel(), made.GetNoiseScaleDeg()
        if (left, degree) != (level, 1):
            words = f"a bootstrap left level {left} and degree {degree}, where level {level} and degree 1"
            raise Refusal(UNSUPPORTED, f"bootstrap: {words} were wanted")
        return made

    def switching(self) -> Switching:
        return OpenFheSwitching(self._context, self._keys, self._slots, self._top, *self._security)

    def tables(self) -> Tables:
        if not (self._told and self._bootstrap and self._bootstrap.table):
            raise Refusal(BAD_REQUEST, "the parameters look no table up")
        half = self._facts.n // 2
        return OpenFheTables(
            self._context, self._keys, self._told, int(self._scale_bits or 0), self._top, half
        )

    def _encode(self, values: NDArray[Any], degree: int, level: int) -> Any:
        return self._context.MakeCKKSPackedPlaintext(values, degree, level, None, self._slots)

    def encode(self, values: NDArray[Any], level: int) -> Any:
        return self._encode(values, 1, self._gone(level))

    def decrypt(self, x: Cipher, key: Any) -> NDArray[Any]:
        if self._noise is not None and x.GetNoiseScaleDeg() > 1:
            raise Refusal(UNSUPPORTED, UNDER_FLOODED)
        plain = self._context.Decrypt(key, x)
        if self._noise == MEASURE:
            return np.full(self._slots, plain.GetLogError())
        plain.SetLength(self._slots)
        return plain.GetRealPackedValueArray()

    def eval_sum(self, x: Cipher, level: int) -> Cipher:
        return self._context.EvalSum(x, self._slots)

    def eval_chebyshev(self, x: Cipher, plain: NDArray[Any], level: int) -> Cipher:
        """OpenFHE's series begin with c_0 / 2."""
        low, high, first, *others = (float(v) for v in plain)
        return self._context.EvalChebyshevSeries(x, [2 * first, *others], low, high)

    def add_scalar(self, x: Cipher, plain: float, level: int) -> Cipher:
        return self._context.EvalAdd(x, plain)

    def mul_scalar(self, x: Cipher, plain: float, level: int) -> Cipher:
        return self._context.EvalMult(x, plain)


class OpenFheIntegers(OpenFheBackend):
    """BFV and BGV. BFV stays at OpenFHE's level 0, whatever a program calls it."""

    def prepare(self, program: Program) -> None:
        super().prepare(program)
        n = self._facts.n
        self._tiles = n // program.slots
        if self._tiles == 0 or program.two_rows != (self._tiles == 1):
            raise Refusal(BAD_REQUEST, f"{program.slots} slots in a ring of {n}, two_rows {program.two_rows}")

    def _encode(self, values: NDArray[Any], degree: int, level: int) -> Any:
        filled = values if self._tiles == 1 else np.tile(values, self._tiles)
        return self._context.MakePackedPlaintext(filled, degree, level)

    def _constant(self, value: int, degree: int, level: int) -> Any:
        """The same number in every slot; OpenFHE refuses to mix in a constant polynomial as such."""
        return self._context.MakePackedPlaintext(np.full(self._facts.n, value), degree, level)

    def encode(self, values: NDArray[Any], level: int) -> Any:
        return self._encode(values, 1, 0 if self._scheme == "bfv" else self._gone(level))

    def decrypt(self, x: Cipher, key: Any) -> NDArray[Any]:
        plain = self._context.Decrypt(key, x)
        plain.SetLength(self._slots)
        return plain.GetPackedValueArray()

    def noise(self, x: Cipher) -> Noise:
        times = self._context.GetPlaintextModulus() if self._scheme == "bfv" else 1
        return invariant_noise(opened(x, self._keys.secretKey, self._facts), times)

    def add_scalar(self, x: Cipher, plain: int, level: int) -> Cipher:
        return self._context.EvalAdd(x, self._constant(plain, x.GetNoiseScaleDeg(), x.GetLevel()))

    def mul_scalar(self, x: Cipher, plain: int, level: int) -> Cipher:
        return self._context.EvalMult(x, self._constant(plain, 1, self._factor_level(x)))


def _saved(thing: Any) -> int:
    return size(lambda path: openfhe.SerializeToFile(path, thing, openfhe.BINARY))


def _open(parameters: Json) -> Backend:
    with reading("parameters"):
        scheme = parameters["scheme"]
    return OpenFheCkks(parameters) if scheme == "ckks" else OpenFheIntegers(parameters)


def _actions(scheme: str, automatic: bool) -> frozenset[str]:
    if scheme not in ACTIONS:
        raise Refusal(UNSUPPORTED, f"OpenFHE has no {scheme} here")
    return ACTIONS[scheme] - (frozenset(("drop",)) if automatic else frozenset())


def _object_to(program: Program) -> None:
    """Refuses what OpenFHE would compute wrongly without a word.

    Its BFV leaves an unrelinearized product in coefficient form, and adds whatever is in evaluation form to
    it, or multiplies by it, as if both were alike. (`LeveledSHEBFVRNS::EvalMult`; `Relinearize` mends it.)
    """
    if program.scheme != "bfv":
        return
    known = sizes(program)
    for i, o in enumerate(program.operations):
        mixed = len({known[a] for a in o.args}) > 1 or o.action in MEETS_A_PLAINTEXT
        if mixed and any(known[a] == 3 for a in o.args):
            words = "OpenFHE's BFV can only add a product to products before it is relinearized"
            raise Refusal(UNSUPPORTED, f"operation {i} ({o.action}): {words}")


def _lacks(scheme: str, sparse: bool) -> dict[str, str]:
    """Short CKKS vectors are always packed sparsely."""
    if sparse and scheme != "ckks":
        raise Refusal(UNSUPPORTED, NOT_SPARSE)
    return LACKS if scheme == "ckks" else LACKS | dict.fromkeys(SWITCHING, ONLY_CKKS)


def _threads() -> int:
    """The threads of a parallel loop, as the OpenMP that OpenFHE has loaded says."""
    loaded = {
        line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libgomp" in line
    }
    return min((int(CDLL(path).omp_get_max_threads()) for path in loaded), default=1)


def _greeting() -> Json:
    wheel = version("openfhe")
    return {
        "library": "openfhe",
        "version": ".".join(wheel.split(".")[:3]),
        "binding": f"openfhe {wheel}",
        "build": {"native_integer_bits": openfhe.get_native_int(), "threads": _threads()},
        "runtime": f"CPython {platform.python_version()}",
        "schemes": sorted((*CCPARAMS, *METHODS)),
        "operations": sorted(frozenset().union(*ACTIONS.values())),
    }


LIBRARY = Library(
    _greeting(),
    _actions,
    _open,
    _object_to,
    _lacks,
    {"binfhe": ("timed_bits", binfhe)},
    _threads,
    LookupBench(BinFheLooker),
)
