"""Seeded files for the live SEAL: a JSON list of questions on stdin, a JSON list of answers on stdout.

Run by the interpreter of SEAL's own environment, so it imports nothing of fheasible. SEAL's Python binding
writes no seeds but reads them. So the second polynomial of each pair in a file that it wrote is replaced by a
seed, as native/src/seal/ciphertext.cpp [SEAL] says, and the file is read back. A question is {"n", "bits"};
an answer gives, for each kind of object, the bytes of the seeded file and of the file written after it was
read.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import seal

HEADER, LEVEL = 16, 32
MEMBERS = LEVEL + 1 + 5 * 8
BLAKE2XB = 1


def answer(question):
    context = opened(question)
    generator = seal.KeyGenerator(context)
    secret = generator.secret_key()
    encoder, encryptor = seal.CKKSEncoder(context), seal.Encryptor(context, secret)
    fresh = encryptor.encrypt_symmetric(encoder.encode(np.array([1.0, 2.0]), 2.0**20))
    keys = generator.create_relin_keys()
    kinds = {
        "ciphertext": (fresh, seeded),
        "public key": (generator.create_public_key(), seeded),
        "relinearization key": (keys, seeded_keys),
    }
    return {name: read_back(context, thing, replaced) for name, (thing, replaced) in kinds.items()}


def opened(question):
    parms = seal.EncryptionParameters(seal.scheme_type.ckks)
    parms.set_poly_modulus_degree(question["n"])
    parms.set_coeff_modulus(seal.CoeffModulus.Create(question["n"], question["bits"]))
    return seal.SEALContext(parms, True, seal.sec_level_type.none)


def read_back(context, thing, replaced):
    """[bytes with seeds, bytes without them once they were read]; and one byte less is refused."""
    short = replaced(saved(thing))
    if loads(context, thing, short[:-1]):
        raise AssertionError("a file without its last byte was read")
    if not loads(context, thing, short):
        raise AssertionError("the seeded file was refused")
    return [len(short), len(saved(thing))]


def saved(thing):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved"
        thing.save(str(path))
        return path.read_bytes()


def loads(context, thing, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved"
        path.write_bytes(content)
        try:
            thing.load(context, str(path))
        except (RuntimeError, ValueError):
            return False
        return True


def seeded(pair):
    """A ciphertext or public key: half its residues, and what they are drawn by."""
    head, members, array = pair[:HEADER], pair[HEADER : HEADER + MEMBERS], pair[HEADER + MEMBERS :]
    words = int.from_bytes(array[HEADER : HEADER + 8], "little") // 2
    half = words.to_bytes(8, "little") + array[HEADER + 8 : HEADER + 8 + 8 * words]
    drawn = bytes([BLAKE2XB]) + bytes(range(64))
    return wrapped(head, members + wrapped(array[:HEADER], half) + wrapped(head, drawn))


def seeded_keys(keys):
    """A list of one key, a pair for each digit."""
    start = HEADER + LEVEL + 16
    body, pairs = keys[HEADER:start], []
    while start < len(keys):
        length = int.from_bytes(keys[start + 8 : start + HEADER], "little")
        pairs.append(seeded(keys[start : start + length]))
        start += length
    return wrapped(keys[:HEADER], body + b"".join(pairs))


def wrapped(head, body):
    """With a header of the body's length."""
    return head[:8] + (HEADER + len(body)).to_bytes(8, "little") + body


json.dump([answer(question) for question in json.load(sys.stdin)], sys.stdout)
