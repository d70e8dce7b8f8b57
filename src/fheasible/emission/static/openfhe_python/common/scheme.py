"""OpenFHE's context, from the same settings on both sides; levels counted as the parameters do.

OpenFHE counts the limbs that are gone; here a level is the number of limbs that are left, less one.
"""

import openfhe

from common.parameters import PARAMETERS

ASKED = PARAMETERS["openfhe"]
TOP = len(PARAMETERS["q"]) - 1
NUMBERS = {
    "depth": "SetMultiplicativeDepth",
    "ring_dimension": "SetRingDim",
    "scale_bits": "SetScalingModSize",
    "first_bits": "SetFirstModSize",
    "plain_modulus": "SetPlaintextModulus",
    "batch": "SetBatchSize",
    "digits": "SetNumLargeDigits",
    "digit_size": "SetDigitSize",
    "eval_add_count": "SetEvalAddCount",
    "key_switch_count": "SetKeySwitchCount",
}
NAMES = {
    "technique": ("SetScalingTechnique", openfhe.ScalingTechnique),
    "key_switching": ("SetKeySwitchTechnique", openfhe.KeySwitchTechnique),
    "secret": ("SetSecretKeyDist", openfhe.SecretKeyDist),
}
KINDS = {
    "bfv": openfhe.CCParamsBFVRNS,
    "bgv": openfhe.CCParamsBGVRNS,
    "ckks": openfhe.CCParamsCKKSRNS,
}


def make_context():
    """The context, which client and server make alike.

    (OpenFHE 1.6.1 never returns from encoding integers in a context that was read from a file.)
    """
    wanted = KINDS[PARAMETERS["scheme"]]()
    for name, setter in NUMBERS.items():
        if ASKED.get(name) is not None:
            getattr(wanted, setter)(ASKED[name])
    for name, (setter, kind) in NAMES.items():
        if ASKED.get(name) is not None:
            getattr(wanted, setter)(kind.__members__[ASKED[name].upper()])
    wanted.SetSecurityLevel(_security())
    if ASKED.get("noise_estimate") is not None:  # decryption adds noise that drowns 2^noise_estimate
        wanted.SetDecryptionNoiseMode(openfhe.DecryptionNoiseMode.NOISE_FLOODING_DECRYPT)
        wanted.SetExecutionMode(openfhe.ExecutionMode.EXEC_EVALUATION)
        wanted.SetNoiseEstimate(ASKED["noise_estimate"])
    context = openfhe.GenCryptoContext(wanted)
    enable(context)
    if context.GetRingDimension() != PARAMETERS["ring_dimension"]:
        raise SystemExit(f"OpenFHE chose ring dimension {context.GetRingDimension()}: is it another version?")
    return context


def enable(context):
    features = ["PKE", "KEYSWITCH", "LEVELEDSHE", "ADVANCEDSHE", *(["FHE"] if ASKED.get("bootstrap") else [])]
    for feature in features:
        context.Enable(getattr(openfhe.PKESchemeFeature, feature))


def set_up_bootstrap(context, matrices):
    """`matrices`: with those of both transforms, which the evaluation needs."""
    own = ASKED["bootstrap"]
    slots = own["slots"] or PARAMETERS["ring_dimension"] // 2
    context.EvalBootstrapSetup(own["budget"], [0, 0], slots, own["correction"], matrices)


def _security():
    if ASKED["security"] is None:
        return openfhe.SecurityLevel.HEStd_NotSet
    kind = "quantum" if ASKED["quantum"] else "classic"
    return getattr(openfhe.SecurityLevel, f"HEStd_{ASKED['security']}_{kind}")


def read(found, path):
    """What OpenFHE has read from a file."""
    thing, there = found
    if not there:
        raise SystemExit(f"{path} cannot be read")
    return thing
