"""Ask the live SEAL: a JSON list of questions on stdin, a JSON list of answers on stdout.

Run by the interpreter of SEAL's own environment, so it imports nothing of fheasible. A question is
{"n", "bits"} for CoeffModulus.Create, {"n", "security"} for CoeffModulus.MaxBitCount, or worker parameters
under "parameters" for what SEALContext says of them. An answer is the value, or the library's words.
"""

import json
import sys
from typing import Any

import seal

LEVELS = {
    None: seal.sec_level_type.none,
    128: seal.sec_level_type.tc128,
    192: seal.sec_level_type.tc192,
    256: seal.sec_level_type.tc256,
}


def answer(question: dict[str, Any]) -> Any:
    try:
        if "parameters" in question:
            return context(question["parameters"])
        if "bits" in question:
            return [m.value() for m in seal.CoeffModulus.Create(question["n"], question["bits"])]
        return seal.CoeffModulus.MaxBitCount(question["n"], LEVELS[question["security"]])
    except (ValueError, RuntimeError) as words:
        return str(words)


def context(p: dict[str, Any]) -> str:
    """SEAL's own verdict, "valid" where it takes the parameters."""
    parms = seal.EncryptionParameters(getattr(seal.scheme_type, p["scheme"]))
    parms.set_poly_modulus_degree(p["ring_dimension"])
    parms.set_coeff_modulus([seal.Modulus(int(x)) for x in p["q"] + p["p"]])
    if p["plain_modulus"] is not None:
        parms.set_plain_modulus(int(p["plain_modulus"]))
    verdict: str = seal.SEALContext(parms, True, LEVELS[p["security"]]).parameter_error_message()
    return verdict


json.dump([answer(question) for question in json.load(sys.stdin)], sys.stdout)
