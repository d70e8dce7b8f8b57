"""What the live OpenFHE bootstraps with: a JSON list of requests on stdin, a JSON list of answers on stdout.

Run by the interpreter of OpenFHE's own environment, as `live_openfhe.py` is: it imports nothing of fheasible.
An answer has that script's fields, and the rotations, other automorphisms and correction factor that the
library itself chose, the level of a result, its error, and the bytes of both files of keys.
"""

import json
import os
import sys

from live_openfhe import build, describe
from live_openfhe_sizes import size


def answer(request):
    import openfhe

    context, own = build(openfhe, request), request["bootstrap"]
    answer = describe(openfhe, context, request)
    for feature in (openfhe.LEVELEDSHE, openfhe.ADVANCEDSHE, openfhe.FHE):
        context.Enable(feature)
    context.EvalBootstrapSetup(own["budget"], [0, 0], own["slots"], own["correction"])
    keys = context.KeyGen()
    context.EvalMultKeyGen(keys.secretKey)
    slots = own["slots"] or context.GetRingDimension() // 2
    context.EvalBootstrapKeyGen(keys.secretKey, slots)
    answer |= written(openfhe, context, keys.secretKey.GetKeyTag(), slots)
    answer["correction"] = context.GetCKKSBootCorrectionFactor()
    answer |= bootstrapped(context, keys, own, slots, len(answer["q"]))
    openfhe.ClearEvalMultKeys()
    openfhe.CryptoContext.ClearEvalAutomorphismKeys()
    openfhe.ReleaseAllContexts()
    return answer


def written(openfhe, context, tag, slots):
    save, alone = openfhe.CryptoContext.SerializeEvalAutomorphismKey, openfhe.SerializeEvalBootstrapKey
    n = context.GetRingDimension()
    turns = {pow(5, k, 2 * n): k for k in range(n // 2)}
    found = openfhe.CryptoContext.GetExistingEvalAutomorphismKeyIndices(tag)
    return {
        "rotations": sorted(turns[i] for i in found if i in turns),
        "others": sorted(i - 2 * n for i in found if i not in turns),
        "all_keys": size(lambda path: save(path, openfhe.BINARY, tag)),
        "alone": size(lambda path: alone(path, openfhe.BINARY, context, tag, slots)),
    }


def bootstrapped(context, keys, own, slots, limbs):
    values = [0.5 - (i % 7) / 10 for i in range(slots)]
    plain = context.MakeCKKSPackedPlaintext(values, 1, limbs - 2, None, slots)
    x = context.EvalBootstrap(
        context.Encrypt(keys.publicKey, plain), own["iterations"], own["iteration_bits"]
    )
    found = {"level": limbs - x.GetLevel() - x.GetNoiseScaleDeg()}
    try:
        result = context.Decrypt(keys.secretKey, x)
    except RuntimeError as refusal:  # where the error is as large as the values
        return found | {"error": str(refusal)}
    result.SetLength(slots)
    return found | {
        "error": max(abs(a - b) for a, b in zip(result.GetRealPackedValue(), values, strict=True))
    }


if __name__ == "__main__":
    kept = os.dup(1)
    os.dup2(2, 1)  # what the native library prints must not stand among the answers
    answers = json.dumps([answer(request) for request in json.load(sys.stdin)])
    os.write(kept, answers.encode())
