"""How large the live OpenFHE's values are: a JSON list of requests on stdin, of answers on stdout.

Run by the interpreter of OpenFHE's own environment, as `live_openfhe.py` is: it imports nothing of fheasible.
An answer gives limbs: serialized bytes by the 8n bytes of a limb, rounded.
"""

import json
import os
import sys
import tempfile

from live_openfhe import build


def answer(request):
    import openfhe

    context = build(openfhe, request)
    for feature in (openfhe.PKE, openfhe.KEYSWITCH, openfhe.LEVELEDSHE):
        context.Enable(feature)
    keys = context.KeyGen()
    context.EvalMultKeyGen(keys.secretKey)
    limb = 8 * context.GetRingDimension()
    x = context.Encrypt(keys.publicKey, message(context, request["scheme"]))
    made = {"encrypt": x, "mul": context.EvalMultNoRelin(x, x)}
    made["relinearize"] = context.Relinearize(made["mul"])
    if request["scheme"] != "bfv":
        made["rescale"] = context.ModReduce(made["relinearize"])
        made["drop"] = context.LevelReduce(x, None, 2)
    found = {name: saved(openfhe, value) / limb for name, value in made.items()}
    tag = keys.secretKey.GetKeyTag()
    save = openfhe.CryptoContext.SerializeEvalMultKey
    found["relinearization key"] = size(lambda path: save(path, openfhe.BINARY, tag)) / limb
    return {"limbs": {name: int(count) for name, count in found.items()}, "degrees": degrees(context, x)}


def message(context, scheme):
    if scheme == "ckks":
        return context.MakeCKKSPackedPlaintext([0.5] * 4)
    return context.MakePackedPlaintext([1, 2, 3])


def degrees(context, x):
    """By which OpenFHE knows how many products lie before: of powers of x, and of their sums with x."""
    powers = [x]
    for _ in range(2):
        powers.append(context.Relinearize(context.EvalMultNoRelin(powers[-1], powers[-1])))
    sums = [context.EvalAdd(power, x) for power in powers]
    return [[y.GetNoiseScaleDeg() for y in some] for some in (powers, sums)]


def saved(openfhe, thing):
    return size(lambda path: openfhe.SerializeToFile(path, thing, openfhe.BINARY))


def size(save):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saved")
        save(path)
        return os.path.getsize(path)


if __name__ == "__main__":
    kept = os.dup(1)
    os.dup2(2, 1)  # what the native library prints must not stand among the answers
    answers = json.dumps([answer(request) for request in json.load(sys.stdin)])
    os.write(kept, answers.encode())
