"""How wide the errors of the live OpenFHE's keys are: JSON on stdout, {"public": [...], "switching": [...]}.

Run by the interpreter of OpenFHE's own environment, with its worker's folder as the argument: what reads the
polynomials out of serialized keys stands there. The public key is b = e - a·s in each limb. Row i of the key
for s² with BV key switching has e - a·s in every limb but the i-th, which holds s² too.
"""

import json
import struct
import sys
import tempfile
from pathlib import Path


def main(workers):
    sys.path.insert(0, workers)
    import openfhe

    import openfhe_context
    import openfhe_polynomials

    asked = {"scheme": "bfv", "depth": 2, "plain_modulus": 65537, "ring_dimension": 2048, "security": None}
    context = openfhe_context.make(asked | {"key_switching": "bv"})
    facts = openfhe_context.Facts(context)
    keys = context.KeyGen()
    context.EvalMultKeyGen(keys.secretKey)
    limbs = len(facts.q)
    secret, public = (openfhe_polynomials._limbs(key, facts) for key in (keys.secretKey, keys.publicKey))
    widths = {"public": [width(public[j], public[limbs + j], secret[j], j, facts) for j in range(limbs)]}
    found = read(switching_key(openfhe), facts)
    masks, sums = found[: len(found) // 2], found[len(found) // 2 :]
    rows = len(masks) // limbs
    places = [(i * limbs + j, j) for i in range(rows) for j in range(limbs) if i != j]
    widths["switching"] = [width(sums[k], masks[k], secret[j], j, facts) for k, j in places]
    print(json.dumps(widths))


def switching_key(openfhe):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "key"
        assert openfhe.CryptoContext.SerializeEvalMultKey(str(path), openfhe.BINARY)
        return path.read_bytes()


def read(data, facts):
    """Every limb: its length, its words, its prime, its format."""
    import numpy as np

    length, found, at = struct.pack("<Q", facts.n), [], 0
    ends = {struct.pack("<Q", prime) + b"\0\0\0\0" for prime in facts.q}
    while (at := data.find(length, at)) >= 0:
        end = at + 8 + 8 * facts.n
        if data[end : end + 12] in ends:
            found.append(np.frombuffer(data, dtype="<u8", count=facts.n, offset=at + 8))
            at = end
        at += 1
    return found


def width(b, a, s, limb, facts):
    """The standard deviation of the coefficients of b + a·s."""
    import numpy as np

    from worker.noise import _inverse

    q = facts.q[limb]
    values = (b.astype(object) + a.astype(object) * s.astype(object)) % q
    coefficients = _inverse(values.astype(np.uint64), q, facts.roots[limb]).astype(object)
    return float(np.std([float(c if c < q // 2 else c - q) for c in coefficients]))


if __name__ == "__main__":
    main(sys.argv[1])
