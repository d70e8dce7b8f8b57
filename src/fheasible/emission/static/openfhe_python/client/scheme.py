"""Keys, encryption and decryption with OpenFHE."""

import openfhe

from client.vectors import repeated
from common.parameters import PARAMETERS, REAL
from common.scheme import TOP, make_context, read, set_up_bootstrap

N, SLOTS, BINARY = PARAMETERS["ring_dimension"], PARAMETERS["slots"], openfhe.BINARY


class Client:
    def __init__(self):
        self.context = make_context()

    def make_keys(self, here, to_server):
        context = self.context
        pair = context.KeyGen()
        secret, tag = pair.secretKey, pair.secretKey.GetKeyTag()
        _write(secret, here / "secret.key")
        _write(pair.publicKey, here / "public.key")
        bootstraps = PARAMETERS["bootstraps"]
        if PARAMETERS["relinearizes"] or bootstraps:
            context.EvalMultKeyGen(secret)
        if PARAMETERS["rotations"]:
            context.EvalRotateKeyGen(secret, PARAMETERS["rotations"])
        if PARAMETERS["swaps_rows"]:
            context.EvalAutomorphismKeyGen(secret, [2 * N - 1])
        if bootstraps:
            set_up_bootstrap(context, True)
            context.EvalBootstrapKeyGen(secret, SLOTS)
        if PARAMETERS["relinearizes"] or bootstraps:
            path = str(to_server / "relinearization.key")
            _done(openfhe.CryptoContext.SerializeEvalMultKey(path, BINARY, tag), path)
        if PARAMETERS["rotations"] or PARAMETERS["swaps_rows"] or bootstraps:
            path = str(to_server / "rotations.key")
            _done(openfhe.CryptoContext.SerializeEvalAutomorphismKey(path, BINARY, tag), path)

    def load_public_key(self, here):
        path = str(here / "public.key")
        self.public = read(openfhe.DeserializePublicKey(path, BINARY), path)

    def load_secret_key(self, here):
        path = str(here / "secret.key")
        self.secret = read(openfhe.DeserializePrivateKey(path, BINARY), path)

    def encrypt(self, row, level):
        if REAL:
            plain = self.context.MakeCKKSPackedPlaintext(row, 1, TOP - level, None, SLOTS)
        else:
            gone = 0 if PARAMETERS["scheme"] == "bfv" else TOP - level
            plain = self.context.MakePackedPlaintext(repeated(row, N), 1, gone)
        return self.context.Encrypt(self.public, plain)

    def decrypt(self, ciphertext):
        plain = self.context.Decrypt(self.secret, ciphertext)
        plain.SetLength(SLOTS)
        return plain.GetRealPackedValueArray() if REAL else plain.GetPackedValueArray()

    def save(self, ciphertext, path):
        _write(ciphertext, path)

    def load(self, path):
        return read(openfhe.DeserializeCiphertext(str(path), BINARY), path)


def _write(thing, path):
    _done(openfhe.SerializeToFile(str(path), thing, BINARY), path)


def _done(written, path):
    if not written:
        raise SystemExit(f"{path} cannot be written")
