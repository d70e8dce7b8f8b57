"""Keys, encryption and decryption with SEAL."""

import seal

from client.vectors import averaged, repeated
from common.parameters import PARAMETERS, REAL
from common.scheme import SLOTS, TOP, CkksEncoders, make_context, parms_ids


class Client:
    def __init__(self):
        self.context = make_context()
        self.ckks = CkksEncoders(self.context) if REAL else None
        self.batch = None if REAL else seal.BatchEncoder(self.context)

    def make_keys(self, here, to_server):
        generator = seal.KeyGenerator(self.context)
        generator.secret_key().save(str(here / "secret.key"))
        generator.create_public_key().save(str(here / "public.key"))
        if PARAMETERS["relinearizes"]:
            generator.create_relin_keys().save(str(to_server / "relinearization.key"))
        steps = [*PARAMETERS["rotations"], *([0] if PARAMETERS["swaps_rows"] else [])]  # 0: swap the rows
        if steps:
            rotations = seal.GaloisKeys()
            generator.create_galois_keys(steps, rotations)
            rotations.save(str(to_server / "rotations.key"))

    def load_public_key(self, here):
        key = seal.PublicKey()
        key.load(self.context, str(here / "public.key"))
        self.encryptor = seal.Encryptor(self.context, key)

    def load_secret_key(self, here):
        key = seal.SecretKey()
        key.load(self.context, str(here / "secret.key"))
        self.decryptor = seal.Decryptor(self.context, key)

    def encrypt(self, row, level):
        if REAL:
            scale = PARAMETERS["scales"][level]
            return self.encryptor.encrypt(self.ckks.at(level).encode(repeated(row, SLOTS), scale))
        fresh = self.encryptor.encrypt(self.batch.encode(repeated(row, SLOTS)))
        if PARAMETERS["scheme"] == "bgv" and level != TOP:
            return seal.Evaluator(self.context).mod_switch_to(fresh, parms_ids(self.context)[level])
        return fresh

    def decrypt(self, ciphertext):
        plain = self.decryptor.decrypt(ciphertext)
        if REAL:
            return averaged(self.ckks.at(TOP).decode(plain))
        return self.batch.decode(plain)[: PARAMETERS["slots"]]

    def save(self, ciphertext, path):
        ciphertext.save(str(path))

    def load(self, path):
        ciphertext = seal.Ciphertext()
        ciphertext.load(self.context, str(path))
        return ciphertext
