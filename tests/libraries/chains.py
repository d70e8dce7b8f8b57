"""Parameters of every library in which only numbers of limbs mean anything."""

from hypothesis import strategies as st

from fheasible.libraries.parameters import Parameters, parameters_for
from fheasible.program.types import Action

LIBRARIES = ("openfhe", "seal", "lattigo")
SCHEMES = ("ckks", "bgv", "bfv")
SWITCHING = (Action.RELINEARIZE, Action.ROTATE)
BITS = 50
PLAIN_MODULUS = 786_433
INSECURE_N = 4096


def chain(
    library: str, scheme: str, limbs: int, digit: int = 1, n: int = INSECURE_N, bv: bool = False
) -> Parameters:
    """So many limbs of 50 bits, in digits of `digit` limbs with as many special ones; SEAL's have one."""
    digit = 1 if library == "seal" else min(digit, limbs)
    return parameters_for(
        library,
        scheme,
        n,
        q=((1 << BITS) - 1,) * limbs,
        p=() if bv else ((1 << BITS) - 1,) * digit,
        digits=limbs if bv else -(-limbs // digit),
        key_switching="bv" if bv else "hybrid",
        levels=0 if scheme == "bfv" else limbs - 1,
        **({} if scheme == "ckks" else {"plain_modulus": PLAIN_MODULUS}),
    )


def actions(scheme: str) -> tuple[str, ...]:
    """All that a program of the scheme may ask for, "decrypt" and "keygen"."""
    missing = {"ckks": (Action.SWAP_ROWS,), "bgv": (), "bfv": (Action.RESCALE, Action.DROP)}[scheme]
    alike = (a.value for a in Action if not a.startswith(("eval_", "bootstrap")) and a not in missing)
    return (*alike, "decrypt", "keygen")


def polys(action: str) -> int:
    """Of the result; of "keygen" the keys."""
    return 3 if action in ("mul", "square", "keygen") else 2


libraries = st.sampled_from(LIBRARIES)
schemes = st.sampled_from(SCHEMES)
