"""SEAL as a `Backend`: one class for CKKS, one for the integer schemes."""

import platform
from importlib.metadata import version
from typing import Any

import numpy as np
import seal
from numpy.typing import NDArray

from seal_constants import Constants
from seal_polynomials import opened
from worker.backend import EVERYWHERE, Backend, Cipher, Library, Sizes
from worker.clock import CLOCK_TOLD
from worker.copies import combined
from worker.noise import Noise, invariant_noise
from worker.refusal import BAD_REQUEST, INFEASIBLE, UNSUPPORTED, Refusal, reading
from worker.request import Json, Program
from worker.serialized import size

SCHEMES = {"bfv": seal.scheme_type.bfv, "bgv": seal.scheme_type.bgv, "ckks": seal.scheme_type.ckks}
SECURITY = {
    None: seal.sec_level_type.none,
    128: seal.sec_level_type.tc128,
    192: seal.sec_level_type.tc192,
    256: seal.sec_level_type.tc256,
}
ACTIONS = {
    "ckks": EVERYWHERE | {"rescale", "drop"},
    "bgv": EVERYWHERE | {"rescale", "drop", "swap_rows"},
    "bfv": EVERYWHERE | {"swap_rows"},
}
ENCODES_A_VECTOR = ("encrypt", "add_plain", "mul_plain")
NO_SWITCH = "SEAL's API has no switching of a ciphertext to another secret key"
NO_HOISTING = "SEAL's rotations cannot share digits"
LACKS = {
    "rotate_hoist": NO_HOISTING,
    "rotate_hoisted": NO_HOISTING,
    "key_switch": NO_SWITCH,
    "keygen_switch": NO_SWITCH,
}
NOT_SPARSE = "SEAL encodes all slots; it has no sparse packing"
ROUNDING = 1e-9  # two scales closer than this differ by rounding of doubles alone


class SealBackend(Backend):
    """What SEAL does alike in all its schemes."""

    def __init__(self, parameters: Json) -> None:
        with reading("parameters"):
            self._n = int(parameters["ring_dimension"])
            self._q = [int(x) for x in parameters["q"]]
            self._p = [int(x) for x in parameters.get("p") or ()]
            self._t = int(parameters["plain_modulus"]) if parameters.get("plain_modulus") else None
            self._scheme = SCHEMES[parameters["scheme"]]
            self._security = SECURITY[parameters.get("security")]
            self._scales = [float(s) for s in parameters.get("scales") or ()]
        if len(self._p) > 1 or (len(self._q) > 1 and not self._p):
            raise Refusal(BAD_REQUEST, f"SEAL has one special prime, not {len(self._p)}")
        self._context = self._open(self._q + self._p, self._security)
        self._evaluator = seal.Evaluator(self._context)
        self._ids = _parms_ids(self._context)
        self._top = len(self._q) - 1
        self._slots = self._n

    def _open(self, chain: list[int], security: Any, expand: bool = True) -> Any:
        parms = seal.EncryptionParameters(self._scheme)
        parms.set_poly_modulus_degree(self._n)
        parms.set_coeff_modulus([seal.Modulus(x) for x in chain])
        if self._t is not None:
            parms.set_plain_modulus(self._t)
        context = seal.SEALContext(parms, expand, security)
        if not context.parameters_set():
            name, message = context.parameter_error_name(), context.parameter_error_message()
            raise Refusal(INFEASIBLE, f"context: {message} ({name})")
        return context

    def describe(self) -> Json:
        chain = [m.value() for m in self._context.key_context_data().parms().coeff_modulus()]
        limbs = len(self._q)
        return {
            "ring_dimension": self._context.key_context_data().parms().poly_modulus_degree(),
            "q": [str(x) for x in chain[:limbs]],
            "p": [str(x) for x in chain[limbs:]],
            "digits": limbs,  # SEAL decomposes by the limb
            "plain_modulus": self._t,
        }

    def prepare(self, program: Program) -> None:
        self._slots = program.slots
        self._steps = [*program.rotations, *([0] if program.swaps_rows else [])]  # SEAL's name of the swap
        self._relinearizes = program.relinearizes
        if program.levels > self._top:
            raise Refusal(INFEASIBLE, f"context: {program.levels} levels, but only {len(self._q)} primes")
        switches = self._steps or self._relinearizes
        if switches and not self._context.using_keyswitching():
            raise Refusal(INFEASIBLE, "context: key switching needs a special prime, and there is none")

    def keygen(self) -> None:
        generator = self.key_maker()
        self._secret = generator.secret_key()
        self._public = generator.create_public_key()
        self._relin = generator.create_relin_keys() if self._relinearizes else None
        self._galois = seal.GaloisKeys()
        if self._steps:
            generator.create_galois_keys(self._steps, self._galois)
        self._encryptor = seal.Encryptor(self._context, self._public)
        self._decryptors: dict[int, tuple[Any, Any]] = {}
        self._symmetric: Any = None

    def secret(self) -> Any:
        return self._secret

    def stranger(self) -> Any:
        return seal.KeyGenerator(self._context).secret_key()

    def _decryptor(self, key: Any) -> Any:
        """Made once per key; the key is held, so that its id stays its own."""
        if id(key) not in self._decryptors:
            self._decryptors[id(key)] = (key, seal.Decryptor(self._context, key))
        return self._decryptors[id(key)][1]

    def sizes(self, sample: Cipher | None) -> Sizes:
        return Sizes(
            ciphertext=0 if sample is None else sample.save_size(seal.compr_mode_type.none),
            public_key=size(self._public.save),
            secret_key=size(self._secret.save),
            relinearization_key=0 if self._relin is None else size(self._relin.save),
            rotation_keys=size(self._galois.save) if self._steps else 0,
            rotation_key_count=len(self._steps),
        )

    def close(self) -> None:
        """SEAL keeps nothing outside its objects."""

    def forget_made(self) -> None:
        """The same holds for keys."""

    def encrypted(self, plain: Any, level: int) -> Cipher:
        return self._at_level(self._encryptor.encrypt(plain), level)

    def encrypted_by_secret(self, plain: Any, level: int) -> Cipher:
        """By an encryptor of its own, which programs need not keep in memory."""
        if self._symmetric is None:
            self._symmetric = seal.Encryptor(self._context, self._secret)
        return self._at_level(self._symmetric.encrypt_symmetric(plain), level)

    def _at_level(self, fresh: Cipher, level: int) -> Cipher:
        """The fresh ciphertext at that level, where its plaintext did not say so."""
        return fresh

    def decrypted(self, x: Cipher, key: Any) -> Any:
        return self._decryptor(key).decrypt(x)

    def decrypt(self, x: Cipher, key: Any) -> NDArray[Any]:
        return self.decode(self.decrypted(x, key))

    def plain_size(self, plain: Any) -> int:
        return int(plain.save_size(seal.compr_mode_type.none))

    def key_maker(self) -> Any:
        return seal.KeyGenerator(self._context)

    def make_secret(self) -> Any:
        return self.key_maker()

    def make_pair(self) -> Any:
        return self.make_public(self.key_maker())

    def make_public(self, maker: Any) -> Any:
        return maker.create_public_key()

    def make_relinearization(self, maker: Any) -> Any:
        return maker.create_relin_keys()

    def make_rotation(self, maker: Any) -> Any:
        made = seal.GaloisKeys()
        maker.create_galois_keys([1], made)
        return made

    def neg(self, x: Cipher, level: int) -> Cipher:
        return self._evaluator.negate(x)

    def add(self, x: Cipher, y: Cipher, level: int) -> Cipher:
        return self._evaluator.add(x, y)

    def sub(self, x: Cipher, y: Cipher, level: int) -> Cipher:
        return self._evaluator.sub(x, y)

    def mul(self, x: Cipher, y: Cipher, level: int) -> Cipher:
        return self._evaluator.multiply(x, y)  # in CKKS two scales S_l make S_l^2 to the last bit

    def square(self, x: Cipher, level: int) -> Cipher:
        return self._evaluator.square(x)

    def relinearize(self, x: Cipher, level: int) -> Cipher:
        return self._evaluator.relinearize(x, self._relin)

    def drop(self, x: Cipher, level: int) -> Cipher:
        return self._evaluator.mod_switch_to(x, self._ids[level])


class SealCkks(SealBackend):
    def __init__(self, parameters: Json) -> None:
        super().__init__(parameters)
        encoder = seal.CKKSEncoder(self._context)
        self._encoders = {self._top: encoder}
        self._constants = Constants(self._context, encoder, self._q, self._n, self._ids)

    def prepare(self, program: Program) -> None:
        """An encoder for each level that vectors are encoded at.

        The binding encodes at the top level alone, where C++ takes any level. A level's identity is a hash of
        its primes, so that a context whose top is that level encodes for it, in the time it takes in C++.
        """
        super().prepare(program)
        capacity = self._n // 2
        if program.slots > capacity:
            raise Refusal(INFEASIBLE, f"context: {program.slots} slots, but this ring has {capacity}")
        if len(self._scales) <= program.levels:
            raise Refusal(BAD_REQUEST, f"{len(self._scales)} scales for {program.levels + 1} levels")
        self._tiles = capacity // program.slots
        uses = {o.level for o in program.operations if o.action in ENCODES_A_VECTOR}
        for level in sorted(uses - self._encoders.keys()):
            shorter = self._open(self._q[: level + 2], seal.sec_level_type.none, expand=False)
            self._encoders[level] = seal.CKKSEncoder(shorter)

    def _filled(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self._tiles == 1 else np.tile(values, self._tiles)

    def _at(self, x: Cipher, scale: float) -> Cipher:
        """`x` with the ladder's scale, if its own differs from it by rounding alone."""
        if abs(x.scale() - scale) <= ROUNDING * scale:
            x.scale(scale)
        return x

    def _square(self, level: int) -> float:
        return self._scales[level] * self._scales[level]

    def encode(self, values: NDArray[Any], level: int) -> Any:
        return self._encoders[level].encode(self._filled(values), self._scales[level])

    def decode(self, plain: Any) -> NDArray[Any]:
        decoded = self._encoders[self._top].decode(plain)
        return decoded if self._tiles == 1 else combined(decoded.reshape(-1, self._slots))

    def rescale(self, x: Cipher, level: int) -> Cipher:
        return self._at(self._evaluator.rescale_to_next(x), self._scales[level])

    def rotate(self, x: Cipher, steps: int, level: int) -> Cipher:
        return self._evaluator.rotate_vector(x, steps, self._galois)

    def add_plain(self, x: Cipher, plain: Any, level: int) -> Cipher:
        return self._evaluator.add_plain(x, self._encoders[level].encode(self._filled(plain), x.scale()))

    def mul_plain(self, x: Cipher, plain: Any, level: int) -> Cipher:
        square = self._square(level)
        encoded = self._encoders[level].encode(self._filled(plain), square / x.scale())
        return self._at(self._evaluator.multiply_plain(x, encoded), square)

    def add_scalar(self, x: Cipher, plain: float, level: int) -> Cipher:
        return self._evaluator.add_plain(x, self._constants.encode(plain, x.scale(), level))

    def mul_scalar(self, x: Cipher, plain: float, level: int) -> Cipher:
        square = self._square(level)
        encoded = self._constants.encode(plain, square / x.scale(), level)
        return self._at(self._evaluator.multiply_plain(x, encoded), square)


class SealIntegers(SealBackend):
    """BFV and BGV. Level l has l + 1 limbs in BGV; BFV stays at the top, which it calls level 0."""

    def prepare(self, program: Program) -> None:
        super().prepare(program)
        self._tiles = self._n // program.slots
        if self._tiles == 0 or program.two_rows != (self._tiles == 1):
            rows = 2 if program.two_rows else 1
            raise Refusal(BAD_REQUEST, f"{program.slots} slots in {rows} rows of a ring of {self._n}")
        self._fresh = 0 if program.scheme == "bfv" else self._top
        self._encoder = seal.BatchEncoder(self._context)

    def encode(self, values: NDArray[Any], level: int) -> Any:
        return self._encoder.encode(values if self._tiles == 1 else np.tile(values, self._tiles))

    def _constant(self, value: int) -> Any:
        """The constant polynomial: the same number in every slot, and no transform to make it."""
        return seal.Plaintext(format(value % (self._t or 1), "X"))

    def _at_level(self, fresh: Cipher, level: int) -> Cipher:
        return fresh if level == self._fresh else self._evaluator.mod_switch_to(fresh, self._ids[level])

    def decode(self, plain: Any) -> NDArray[Any]:
        return self._encoder.decode(plain)[: self._slots]

    def noise(self, x: Cipher) -> Noise:
        evaluated = x if x.is_ntt_form() else self._evaluator.transform_to_ntt(x)
        times = self._t or 1 if self._scheme == SCHEMES["bfv"] else 1
        return invariant_noise(opened(evaluated, self._secret, self._q + self._p), times)

    def rescale(self, x: Cipher, level: int) -> Cipher:
        return self._evaluator.mod_switch_to_next(x)

    def rotate(self, x: Cipher, steps: int, level: int) -> Cipher:
        return self._evaluator.rotate_rows(x, steps, self._galois)

    def swap_rows(self, x: Cipher, level: int) -> Cipher:
        return self._evaluator.rotate_columns(x, self._galois)

    def add_plain(self, x: Cipher, plain: Any, level: int) -> Cipher:
        return self._evaluator.add_plain(x, self.encode(plain, level))

    def mul_plain(self, x: Cipher, plain: Any, level: int) -> Cipher:
        return self._evaluator.multiply_plain(x, self.encode(plain, level))

    def add_scalar(self, x: Cipher, plain: int, level: int) -> Cipher:
        return self._evaluator.add_plain(x, self._constant(plain))

    def mul_scalar(self, x: Cipher, plain: int, level: int) -> Cipher:
        return self._evaluator.multiply_plain(x, self._constant(plain))


def _parms_ids(context: Any) -> dict[int, Any]:
    """SEAL's name of each level; its chain index is the number of limbs less one."""
    data, ids = context.first_context_data(), {}
    while data is not None:
        ids[data.chain_index()] = data.parms_id()
        data = data.next_context_data()
    return ids


def _open(parameters: Json) -> Backend:
    with reading("parameters"):
        scheme = parameters["scheme"]
    return SealCkks(parameters) if scheme == "ckks" else SealIntegers(parameters)


def _actions(scheme: str, automatic: bool) -> frozenset[str]:
    if scheme not in ACTIONS or automatic:
        raise Refusal(UNSUPPORTED, f"SEAL has no {scheme}{' that rescales by itself' if automatic else ''}")
    return ACTIONS[scheme]


def _lacks(scheme: str, sparse: bool) -> dict[str, str]:
    if sparse:
        raise Refusal(UNSUPPORTED, NOT_SPARSE)
    return LACKS


def _greeting() -> Json:
    wheel = version("seal-python")
    header = seal.EncryptionParameters(seal.scheme_type.ckks).to_bytes()  # SEALHeader: bytes 3, 4 = version
    return {
        "library": "seal",
        "version": wheel,
        "binding": f"seal-python {wheel}",
        "build": {"serialization": f"{header[3]}.{header[4]}", "compression": "none", "threads": 1}
        | CLOCK_TOLD,
        "runtime": f"CPython {platform.python_version()}",
        "schemes": sorted(SCHEMES),
        "operations": sorted(frozenset().union(*ACTIONS.values())),
    }


LIBRARY = Library(_greeting(), _actions, _open, lacks=_lacks)
