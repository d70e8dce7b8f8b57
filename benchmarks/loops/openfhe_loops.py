"""OpenFHE's operations in bare loops, as a user of its Python binding would write them."""

import numpy as np
import openfhe
from timing import answer, asked

request = asked()
p, slots = request["parameters"], request["slots"]
ccparams = openfhe.CCParamsCKKSRNS()
ccparams.SetRingDim(p["ring_dimension"])
ccparams.SetMultiplicativeDepth(p["depth"])
ccparams.SetScalingModSize(p["scale_bits"])
ccparams.SetFirstModSize(p["first_bits"])
ccparams.SetBatchSize(slots)
ccparams.SetScalingTechnique(openfhe.ScalingTechnique.__members__[p["technique"].upper()])
ccparams.SetKeySwitchTechnique(openfhe.KeySwitchTechnique.__members__[p["key_switching"].upper()])
ccparams.SetSecurityLevel(openfhe.SecurityLevel.HEStd_NotSet)
context = openfhe.GenCryptoContext(ccparams)
for feature in ("PKE", "KEYSWITCH", "LEVELEDSHE"):
    context.Enable(getattr(openfhe.PKESchemeFeature, feature))
keys = context.KeyGen()
context.EvalMultKeyGen(keys.secretKey)
context.EvalRotateKeyGen(keys.secretKey, [1])
plain = context.MakeCKKSPackedPlaintext(np.linspace(-1, 1, slots))
a, b = context.Encrypt(keys.publicKey, plain), context.Encrypt(keys.publicKey, plain)

LOOPS = {
    "product": lambda: context.Relinearize(context.EvalMultNoRelin(a, b)),
    "product in one call": lambda: context.EvalMult(a, b),
    "rotation": lambda: context.EvalRotate(a, 1),
    "encryption": lambda: context.Encrypt(keys.publicKey, plain),
}
answer(LOOPS, request["repetitions"], request["warmup"])
