"""Ask the live OpenFHE what it makes of requests: a JSON list on stdin, a JSON list of answers on stdout.

Run by the interpreter of OpenFHE's own environment (Python 3.10), so it imports nothing of fheasible. A
request is what `worker_parameters` of OpenFHE's library writes; the primes of P are read out of a real key.
Every context is made in a child process: OpenFHE keeps state across a failed one, and it may abort.
"""

import json
import os
import re
import struct
import sys

NAMES = {128: "HEStd_128", 192: "HEStd_192", 256: "HEStd_256"}
NUMBERS = {
    "depth": "SetMultiplicativeDepth",
    "ring_dimension": "SetRingDim",
    "scale_bits": "SetScalingModSize",
    "first_bits": "SetFirstModSize",
    "plain_modulus": "SetPlaintextModulus",
    "batch": "SetBatchSize",
    "digits": "SetNumLargeDigits",
    "eval_add_count": "SetEvalAddCount",
    "key_switch_count": "SetKeySwitchCount",
}
CHOICES = {
    "technique": "SetScalingTechnique",
    "key_switching": "SetKeySwitchTechnique",
    "secret": "SetSecretKeyDist",
}


def ask(request):
    import openfhe

    try:
        context = build(openfhe, request)
    except Exception as refusal:
        return {"error": str(refusal)}
    return describe(openfhe, context, request)


def build(openfhe, request):
    wanted = getattr(openfhe, "CCParams" + request["scheme"].upper() + "RNS")()
    for key, setter in NUMBERS.items():
        if request.get(key) is not None:
            getattr(wanted, setter)(request[key])
    for key, setter in CHOICES.items():
        if request.get(key) is not None:
            getattr(wanted, setter)(getattr(openfhe, request[key].upper()))
    if request.get("noise_estimate") is not None:
        wanted.SetDecryptionNoiseMode(openfhe.NOISE_FLOODING_DECRYPT)
        wanted.SetExecutionMode(openfhe.EXEC_EVALUATION)
        wanted.SetNoiseEstimate(request["noise_estimate"])
    bits = request.get("security")
    attacker = "_quantum" if request.get("quantum") else "_classic"
    wanted.SetSecurityLevel(getattr(openfhe, "HEStd_NotSet" if bits is None else NAMES[bits] + attacker))
    return openfhe.GenCryptoContext(wanted)


def describe(openfhe, context, request):
    story = openfhe.Serialize(context, openfhe.JSON)
    answer = {
        "ring_dimension": context.GetRingDimension(),
        "q": [str(q) for q in primes(story)],
        "digits": int(re.search(r'"dnum": (\d+)', story).group(1)),
        "batch": context.GetBatchSize(),
    }
    if request["scheme"] == "ckks":
        answer["scales"] = [context.GetScalingFactorReal(k) for k in range(len(answer["q"]))]
    if request.get("key_switching") != "bv" and (request["scheme"] != "bfv" or request.get("key_switching")):
        answer["p"] = [str(p) for p in special(openfhe, context) if str(p) not in answer["q"]]
    return answer


def primes(story):
    """The moduli of the RNS limbs in a serialized object, in order, each once."""
    found = re.findall(r'"rd": \d+,\s*"cm": \{\s*(?:"cereal_class_version": \d+,\s*)?"v": (\d+)', story)
    return list(dict.fromkeys(int(q) for q in found))


def special(openfhe, context):
    """The moduli of a key's limbs, in order, each once: in its binary form, which is quickly written,
    (2N, N, prime, root of unity) stand before each limb as little-endian words."""
    for feature in (openfhe.PKE, openfhe.KEYSWITCH):
        context.Enable(feature)
    n, secret = context.GetRingDimension(), context.KeyGen().secretKey
    key = openfhe.Serialize(context.KeySwitchGen(secret, secret), openfhe.BINARY)
    header = re.escape(struct.pack("<II", 2 * n, n)) + rb"(?:\0\0\0\0)??(.{8}).{8}\0{16}"
    found = (struct.unpack("<Q", m.group(1))[0] for m in re.finditer(header, key, re.DOTALL))
    return [q for q in dict.fromkeys(found) if q % (2 * n) == 1]


def isolated(request):
    """The answer of a child process, or how it died."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(writer, "w") as pipe:
            json.dump(ask(request), pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"aborted": True}


def main():
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # OpenFHE prints
    import openfhe  # noqa: F401  once, before forking

    json.dump([isolated(request) for request in json.load(sys.stdin)], replies)
    replies.close()


if __name__ == "__main__":
    main()
