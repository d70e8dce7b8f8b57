"""SEAL's context, with exactly the primes of the parameters."""

import seal

from common.parameters import PARAMETERS

SCHEMES = {"bfv": seal.scheme_type.bfv, "bgv": seal.scheme_type.bgv, "ckks": seal.scheme_type.ckks}
SECURITY = {
    None: seal.sec_level_type.none,
    128: seal.sec_level_type.tc128,
    192: seal.sec_level_type.tc192,
    256: seal.sec_level_type.tc256,
}
RING_DIMENSION = PARAMETERS["ring_dimension"]
SLOTS = RING_DIMENSION // 2 if PARAMETERS["scheme"] == "ckks" else RING_DIMENSION
TOP = len(PARAMETERS["q"]) - 1  # the highest level; level l has l + 1 primes


def make_context():
    return context_of([*PARAMETERS["q"], *PARAMETERS["p"]], SECURITY[PARAMETERS["security"]], True)


def context_of(primes, security, expand):
    wanted = seal.EncryptionParameters(SCHEMES[PARAMETERS["scheme"]])
    wanted.set_poly_modulus_degree(RING_DIMENSION)
    wanted.set_coeff_modulus([seal.Modulus(prime) for prime in primes])
    if PARAMETERS["plain_modulus"]:
        wanted.set_plain_modulus(PARAMETERS["plain_modulus"])
    context = seal.SEALContext(wanted, expand, security)
    if not context.parameters_set():
        raise SystemExit(f"SEAL refuses the parameters: {context.parameter_error_message()}")
    return context


def parms_ids(context):
    """SEAL's name of each level."""
    data, ids = context.first_context_data(), {}
    while data is not None:
        ids[data.chain_index()] = data.parms_id()
        data = data.next_context_data()
    return ids


class CkksEncoders:
    """Vectors at any level. The binding encodes at a context's top level alone, where C++ takes any; a
    level's identity is a hash of its primes, so a shorter context's encoder makes the same plaintext."""

    def __init__(self, context):
        self._made = {TOP: seal.CKKSEncoder(context)}

    def at(self, level):
        if level not in self._made:
            shorter = context_of(PARAMETERS["q"][: level + 2], seal.sec_level_type.none, False)
            self._made[level] = seal.CKKSEncoder(shorter)
        return self._made[level]
