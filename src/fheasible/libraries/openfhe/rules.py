"""OpenFHE 1.6.1: which ring dimension, primes, digits and scales it makes of a request, and what it refuses.

The three schemes' rules are in `ckks`, `bgv` and `bfv`; what they share is in `rns`.
"""

from dataclasses import replace
from math import ceil
from typing import Final

from fheasible.aliases import Json
from fheasible.errors import UnknownName, UsageError
from fheasible.libraries.forms import request_form
from fheasible.libraries.openfhe import bfv, bgv, bootstrap, ckks
from fheasible.libraries.openfhe.rns import refusal
from fheasible.libraries.parameters import Parameters, Request
from fheasible.schemes.rns.bootstrap.procedure import Table
from fheasible.schemes.rns.bootstrap.table import typical
from fheasible.security.tables import LEVELS, OPENFHE

NAME: Final = "openfhe"
VERSION: Final = "1.6.1"
SECURITY_TABLE: Final = OPENFHE  # the one it enforces
TECHNIQUES: Final = ("fixedmanual", "fixedauto", "flexibleauto", "flexibleautoext")
KEY_SWITCHINGS: Final = ("hybrid", "bv")
SECRETS: Final = ("uniform_ternary", "gaussian", "sparse_ternary")  # a bootstrap has one more

SCHEMES: Final = ("ckks", "bgv", "bfv")

_COUNTS = ("depth", "scale_bits", "first_bits", "batch", "digits")
_INTEGER_COUNTS = (*_COUNTS, "eval_add_count", "key_switch_count")
# The fields that a scheme's CCParams does not take. The user can never choose the chain itself.
_CHAIN = ("prime_bits", "special_bits")
_UNAVAILABLE = {
    "ckks": _CHAIN,
    "bgv": _CHAIN,
    "bfv": (*_CHAIN, "technique", "first_bits"),
}


def with_defaults(request: Request) -> Request:
    """`request` with OpenFHE's default for its scheme in place of each None for which OpenFHE has one."""
    request = _checked_names(request)
    if request.security not in (None, *LEVELS):
        raise UsageError(
            f"OpenFHE has no security level of {request.security} bits", "ask for 128, 192 or 256"
        )
    for field in _COUNTS if request.scheme == "ckks" else _INTEGER_COUNTS:
        if (getattr(request, field) or 0) < 0:
            raise UsageError(f"{field} cannot be {getattr(request, field)}", "give a number of at least 0")
    for field in _UNAVAILABLE[request.scheme]:
        if getattr(request, field) is not None:
            raise UsageError(
                f"OpenFHE's {request.scheme.upper()} has no parameter {field}", f"leave {field} out"
            )
    if request.scheme == "ckks":
        return bootstrap.with_defaults(ckks.with_defaults(bootstrap.for_tables(request)))
    return bgv.with_defaults(request) if request.scheme == "bgv" else bfv.with_defaults(request)


def parameters(request: Request) -> Parameters:
    """Exactly what OpenFHE's GenCryptoContext makes of `request`; InfeasibleParameters where it refuses.

    `Parameters.request` holds the request with the defaults filled in.
    """
    request = with_defaults(request)
    if request.scheme == "ckks" and request.bootstrap is not None:
        return bootstrap.bootstrapped(request, ckks.parameters(bootstrap.whole(request)))
    if request.secret == bootstrap.ENCAPSULATED:
        reason = "an encapsulated secret is for bootstrapping, and no bootstrap is asked for"
        raise refusal(request, reason, "use --secret sparse_ternary")
    if request.scheme == "ckks":
        return ckks.parameters(request)
    return bgv.parameters(request) if request.scheme == "bgv" else bfv.parameters(request)


def worker_parameters(request: Request) -> Json:
    """The `parameters` of the worker's protocol: what CCParams takes, null for a default of OpenFHE.

    A bootstrap's are those of `EvalBootstrapSetup` and `EvalBootstrap`, with the levels that it leaves.
    """
    form = request_form(_checked_names(request))
    asked = {key: form[key] for key in _WORKER_KEYS}
    if request.scheme != "ckks" or request.bootstrap is None:
        return asked
    filled = with_defaults(request)
    assert filled.scheme == "ckks"
    assert filled.bootstrap is not None
    own = filled.bootstrap
    told = {
        "levels": filled.depth,
        "slots": own.slots or 0,
        "budget": [own.encode_levels, own.decode_levels],
        "correction": own.message_bits or 0,
        "iterations": own.iterations,
        "iteration_bits": own.iteration_bits or 0,
    }
    if own.table_bits is not None:
        entries = typical(Table(own.table_bits, own.table_order or 1))
        asked["batch"] = own.slots  # of which OpenFHE makes the slots of what comes from coefficients
        told["table"] = {
            "bits": own.table_bits, "order": own.table_order, "entries": [int(entry) for entry in entries],
        }  # fmt: skip
    return asked | {"depth": bootstrap.whole(filled).depth, "secret": filled.secret, "bootstrap": told}


_WORKER_KEYS = (
    "scheme",
    "depth",
    "security",
    "quantum",
    "ring_dimension",
    "scale_bits",
    "first_bits",
    "technique",
    "plain_modulus",
    "batch",
    "digits",
    "key_switching",
    "secret",
    "eval_add_count",
    "key_switch_count",
    "noise_estimate",
)


def digits_at(parameters: Parameters, level: int) -> int:
    """How many digits key switching splits a ciphertext of level + 1 limbs into (BFV: always of all limbs).

    Hybrid key switching keeps the number of limbs per digit, BV has a digit for each limb.
    """
    limbs = parameters.limbs if parameters.scheme == "bfv" else level + 1
    if parameters.key_switching == "bv":
        return limbs
    return ceil(limbs / ceil(parameters.limbs / parameters.digits))


def _checked_names(request: Request) -> Request:
    """`request` with its names in lower case, or UnknownName."""
    given = request.technique, request.key_switching, request.secret
    technique = _known("technique", request.technique, TECHNIQUES)
    key_switching = _known("key switching", request.key_switching, KEY_SWITCHINGS)
    secret = _known("secret", request.secret, (*SECRETS, bootstrap.ENCAPSULATED))
    if given == (technique, key_switching, secret):
        return request  # so are most of the thousands that are asked for
    return replace(request, technique=technique, key_switching=key_switching, secret=secret)


def _known(what: str, name: str | None, names: tuple[str, ...]) -> str | None:
    if name is None or name.lower() in names:
        return name and name.lower()
    raise UnknownName(f"OpenFHE has no {what} {name!r}", f"choose one of {', '.join(names)}")
