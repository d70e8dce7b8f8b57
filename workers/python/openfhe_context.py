"""OpenFHE contexts: made from `CCParams`, and read back for the primes that they really have."""

import json
import re
import struct
from collections.abc import Iterator
from typing import Any

import openfhe

from worker.refusal import BAD_REQUEST, Refusal, reading
from worker.request import Json

CCPARAMS = {
    "bfv": openfhe.CCParamsBFVRNS,
    "bgv": openfhe.CCParamsBGVRNS,
    "ckks": openfhe.CCParamsCKKSRNS,
}
FEATURES = ("PKE", "KEYSWITCH", "LEVELEDSHE", "ADVANCEDSHE")
NUMBERS = {
    "depth": "SetMultiplicativeDepth",
    "ring_dimension": "SetRingDim",
    "scale_bits": "SetScalingModSize",
    "first_bits": "SetFirstModSize",
    "plain_modulus": "SetPlaintextModulus",
    "batch": "SetBatchSize",
    "digits": "SetNumLargeDigits",
    "digit_size": "SetDigitSize",  # bits of a digit in BV key switching; CKKS decrypts to noise without it
    "eval_add_count": "SetEvalAddCount",
    "key_switch_count": "SetKeySwitchCount",
}
NAMES = {
    "technique": ("SetScalingTechnique", openfhe.ScalingTechnique),
    "key_switching": ("SetKeySwitchTechnique", openfhe.KeySwitchTechnique),
    "secret": ("SetSecretKeyDist", openfhe.SecretKeyDist),
}

MEASURE = "measure"


def make(parameters: Json) -> Any:
    """The context; OpenFHE raises its own words where there is none."""
    with reading("parameters"):
        ccparams = CCPARAMS[parameters["scheme"]]()
        numbers = {k: int(parameters[k]) for k in NUMBERS if parameters.get(k) is not None}
        names = {k: str(parameters[k]) for k in NAMES if parameters.get(k) is not None}
        security = _security(parameters.get("security"), bool(parameters.get("quantum")))
        noise = parameters.get("noise_estimate")
    for key, value in numbers.items():
        getattr(ccparams, NUMBERS[key])(value)
    for key, name in names.items():
        setter, kind = NAMES[key]
        getattr(ccparams, setter)(_named(kind, name))
    ccparams.SetSecurityLevel(security)
    if noise is not None:
        _flood(ccparams, noise)
    context = openfhe.GenCryptoContext(ccparams)
    for feature in (*FEATURES, *(("FHE",) if parameters.get("bootstrap") else ())):
        context.Enable(getattr(openfhe.PKESchemeFeature, feature))
    return context


def _flood(ccparams: Any, noise: float | str) -> None:
    """Decryption adds noise that drowns 2^noise; with "measure" it tells that noise instead of values."""
    ccparams.SetDecryptionNoiseMode(openfhe.DecryptionNoiseMode.NOISE_FLOODING_DECRYPT)
    if noise == MEASURE:
        ccparams.SetExecutionMode(openfhe.ExecutionMode.EXEC_NOISE_ESTIMATION)
    else:
        ccparams.SetExecutionMode(openfhe.ExecutionMode.EXEC_EVALUATION)
        ccparams.SetNoiseEstimate(float(noise))


def _security(bits: int | None, quantum: bool) -> Any:
    if bits is None:
        return openfhe.SecurityLevel.HEStd_NotSet
    return getattr(openfhe.SecurityLevel, f"HEStd_{int(bits)}_{'quantum' if quantum else 'classic'}")


def _named(kind: Any, name: str) -> Any:
    try:
        return kind.__members__[name.upper()]
    except KeyError:
        known = ", ".join(sorted(kind.__members__)).lower()
        raise Refusal(BAD_REQUEST, f"OpenFHE has no {name!r}; it has {known}") from None


class Facts:
    """What a context says of itself when it is serialized: the binding has no other way to ask."""

    def __init__(self, context: Any) -> None:
        found = list(_objects(json.loads(openfhe.Serialize(context, openfhe.JSON))))
        ring = next(o for o in found if isinstance(o.get("p"), list))
        crypto = next(o for o in found if "dnum" in o)
        self.n = int(ring["value0"]["rd"])
        limbs = [p["ptr_wrapper"]["data"]["value0"] for p in ring["p"]]
        self.q = [int(limb["cm"]["v"]) for limb in limbs]
        self.roots = [int(limb["ru"]["v"]) for limb in limbs]  # of order 2n
        self.hybrid = crypto["ks"] == openfhe.KeySwitchTechnique.HYBRID.value
        self.technique = str(openfhe.ScalingTechnique(crypto["rs"]).name).lower()
        self.digits = int(crypto["dnum"]) if self.hybrid else _limbwise_digits(self.q, context.GetDigitSize())
        self.limbs = len(self.q)


def _objects(value: Any) -> Iterator[Json]:
    """Every object inside, outermost first."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(inner)


def _limbwise_digits(q: list[int], digit_size: int) -> int:
    """BV key switching: a digit per limb, or per `digit_size` bits of a limb."""
    return sum(-(-prime.bit_length() // digit_size) if digit_size else 1 for prime in q)


def special_primes(context: Any, facts: Facts, secret: Any) -> list[int]:
    """The primes of P in their order, read from a key-switching key: nothing else shows them.

    Each limb of a serialized key is preceded by (2N, N, prime, root of unity) in little-endian words.
    """
    if not facts.hybrid:
        return []
    key = openfhe.Serialize(context.KeySwitchGen(secret, secret), openfhe.BINARY)
    header = re.escape(struct.pack("<II", 2 * facts.n, facts.n)) + rb"(?:\0\0\0\0)??(.{8}).{8}\0{16}"
    moduli = (struct.unpack("<Q", m.group(1))[0] for m in re.finditer(header, key, re.DOTALL))
    primes = dict.fromkeys(m for m in moduli if m % (2 * facts.n) == 1)
    return [p for p in primes if p not in set(facts.q)]
