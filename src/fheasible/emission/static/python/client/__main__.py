"""The client: `python -m client keys`, `python -m client encrypt`, `python -m client decrypt`."""

import sys

import numpy as np

from client import vectors
from client.scheme import Client
from common.parameters import FOLDER, PARAMETERS, TO_CLIENT, TO_SERVER, ciphertexts

HERE = FOLDER / "client"


def keys():
    """Makes all keys. The secret and the public key stay in client/; the others go to the server."""
    TO_SERVER.mkdir(exist_ok=True)
    Client().make_keys(HERE, TO_SERVER)
    print("keys made: client/secret.key stays here; to_server/ is for the server")


def encrypt():
    """Encrypts client/data/*.txt into to_server/."""
    client = Client()
    client.load_public_key(HERE)
    for vector in PARAMETERS["inputs"]:
        rows = vectors.packed(vectors.given(HERE / "data", vector), vector)
        for row, level, path in zip(rows, vector["levels"], ciphertexts(TO_SERVER, vector), strict=True):
            client.save(client.encrypt(row, level), path)
    print(f"encrypted: {', '.join(v['name'] for v in PARAMETERS['inputs'])}")


def decrypt():
    """Decrypts to_client/ into client/results/*.txt, and compares with client/expected/*.txt."""
    client = Client()
    client.load_secret_key(HERE)
    for vector in PARAMETERS["outputs"]:
        rows = [client.decrypt(client.load(path)) for path in ciphertexts(TO_CLIENT, vector)]
        found = vectors.unpacked(rows, vector)
        vectors.write(HERE / "results" / f"{vector['file']}.txt", found)
        expected = HERE / "expected" / f"{vector['file']}.txt"
        print(f"{vector['name']}: {_compared(found, expected)}")


def _compared(found, expected):
    said = f"{len(found)} values in client/results/"
    if not expected.is_file():
        return said
    truth = np.array([float(line) for line in expected.read_text().split()])
    if len(truth) != len(found):
        return said
    return f"{said}; the largest difference from the cleartext result is {np.abs(found - truth).max():.3g}"


COMMANDS = {"keys": keys, "encrypt": encrypt, "decrypt": decrypt}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit("usage: python -m client keys | encrypt | decrypt")
    COMMANDS[sys.argv[1]]()
