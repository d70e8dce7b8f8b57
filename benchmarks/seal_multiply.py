"""SEAL's BFV multiplication without relinearisation, timed on demand; runs in SEAL's environment.

    workers/seal/.venv/bin/python benchmarks/seal_multiply.py N BITS,BITS,...,BITS

The last of the primes is SEAL's special one: it belongs to keys, not to the ciphertext modulus. Every line of
input, a number, is answered by the CPU seconds of so many multiplications, as JSON; the first line of output
says what is multiplied. The security check is off.
"""

import json
import sys
import time
from importlib.metadata import version

import seal


def main() -> None:
    n, bits = int(sys.argv[1]), [int(b) for b in sys.argv[2].split(",")]
    context = made(n, bits)
    keys = seal.KeyGenerator(context)
    encryptor, evaluator = seal.Encryptor(context, keys.create_public_key()), seal.Evaluator(context)
    a, b = encryptor.encrypt(seal.Plaintext("1x^3 + 1")), encryptor.encrypt(seal.Plaintext("1x^7 + 1x^1"))
    product = seal.Decryptor(context, keys.secret_key()).decrypt(evaluator.multiply(a, b))
    data = context.first_context_data().total_coeff_modulus_bit_count()
    correct = product.to_string() == "1x^10 + 1x^7 + 1x^4 + 1x^1"
    print(json.dumps({"version": version("seal-python"), "log_q": data, "correct": correct}), flush=True)
    for line in sys.stdin:
        print(json.dumps([timed(evaluator, a, b) for _ in range(int(line))]), flush=True)


def made(n: int, bits: list[int]) -> seal.SEALContext:
    parameters = seal.EncryptionParameters(seal.scheme_type.bfv)
    parameters.set_poly_modulus_degree(n)
    parameters.set_coeff_modulus(seal.CoeffModulus.Create(n, bits))
    parameters.set_plain_modulus(2)
    return seal.SEALContext(parameters, True, seal.sec_level_type.none)


def timed(evaluator: seal.Evaluator, a: seal.Ciphertext, b: seal.Ciphertext) -> float:
    begun = time.process_time()
    evaluator.multiply(a, b)
    return time.process_time() - begun


if __name__ == "__main__":
    main()
