"""SEAL's operations in bare loops, as a user of its Python binding would write them."""

import numpy as np
import seal
from timing import answer, asked

request = asked()
p, slots = request["parameters"], request["slots"]
parms = seal.EncryptionParameters(seal.scheme_type.ckks)
parms.set_poly_modulus_degree(p["ring_dimension"])
parms.set_coeff_modulus([seal.Modulus(int(x)) for x in (*p["q"], *p["p"])])
context = seal.SEALContext(parms, True, seal.sec_level_type.none)
keys = seal.KeyGenerator(context)
relin = keys.create_relin_keys()
galois = seal.GaloisKeys()
keys.create_galois_keys([1], galois)
encryptor, evaluator = seal.Encryptor(context, keys.create_public_key()), seal.Evaluator(context)
plain = seal.CKKSEncoder(context).encode(np.linspace(-1, 1, slots), p["scales"][-1])
a, b = encryptor.encrypt(plain), encryptor.encrypt(plain)

LOOPS = {
    "product": lambda: evaluator.relinearize(evaluator.multiply(a, b), relin),
    "rotation": lambda: evaluator.rotate_vector(a, 1, galois),
    "encryption": lambda: encryptor.encrypt(plain),
}
answer(LOOPS, request["repetitions"], request["warmup"])
