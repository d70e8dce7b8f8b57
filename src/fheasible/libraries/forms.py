"""Requests and parameters as they are stored, keyed and sent to workers: one form for all schemes.

A form names the fields of every kind, in an order that never changes. What a scheme does not have is None, or
empty, or 0. Only sets that are bootstrapped name their `bootstrap`.
"""

from dataclasses import asdict, fields
from typing import Any, Final

from fheasible.aliases import Json
from fheasible.libraries.bootstrapping import Bootstrapping, BootstrapRequest
from fheasible.libraries.parameters import PARAMETERS, REQUESTS, Parameters, Request
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction, Table, Wave

_REQUEST: Final = (
    "scheme", "depth", "security", "quantum", "scale_bits", "first_bits", "technique", "plain_modulus",
    "batch", "digits", "key_switching", "ring_dimension", "secret", "prime_bits", "special_bits",
    "eval_add_count", "key_switch_count", "noise_estimate",
)  # fmt: skip
_PARAMETERS: Final = (
    "library", "scheme", "ring_dimension", "q", "p", "digits", "technique", "key_switching", "secret",
    "plain_modulus", "scales", "levels", "extended_limbs", "flooding", "request",
)  # fmt: skip
_BOOTSTRAP: Final = "bootstrap"  # in both, where it is not None
_ABSENT: Final[Json] = {"scales": (), "flooding": 0.0}  # where it is not None


def request_form(request: Request) -> Json:
    """The fields of the request by name."""
    return _form(request, _REQUEST) | _bootstrap(request)


def parameters_form(p: Parameters) -> Json:
    """The fields of the parameters by name, and of their request."""
    asked = {"request": None if p.request is None else request_form(p.request)}
    return _form(p, _PARAMETERS) | asked | _bootstrap(p)


def request_of(form: Json) -> Request:
    """The request with that form, or with the form as JSON gives it back."""
    kind = REQUESTS[form["scheme"]]
    own = _own(kind, form, _REQUEST)
    if own.get(_BOOTSTRAP) is not None:
        own[_BOOTSTRAP] = BootstrapRequest(**_tuples(own[_BOOTSTRAP]))
    made: Request = kind(**own)
    return made


def parameters_of(form: Json) -> Parameters:
    """The parameters with that form, or with the form as JSON gives it back."""
    kind = PARAMETERS[form["scheme"]]
    request = None if form["request"] is None else request_of(form["request"])
    own = _own(kind, form, _PARAMETERS)
    if own.get(_BOOTSTRAP) is not None:
        own[_BOOTSTRAP] = _bootstrapping(own[_BOOTSTRAP])
    made: Parameters = kind(**own | {"request": request})
    return made


def _bootstrap(of: Request | Parameters) -> Json:
    given = getattr(of, _BOOTSTRAP, None)
    return {} if given is None else {_BOOTSTRAP: asdict(given)}


def procedure_of(form: Json) -> Procedure:
    """The procedure with these fields, or with the fields as JSON gives them back."""
    reduction = Reduction(**form["reduction"] | {"wave": Wave(form["reduction"]["wave"])})
    table = Table(**form["table"]) if form.get("table") else None
    return Procedure(**_tuples(form) | {"reduction": reduction, "table": table})


def _bootstrapping(form: Json) -> Bootstrapping:
    return Bootstrapping(**_tuples(form) | {"procedure": procedure_of(form["procedure"])})


def _form(of: Request | Parameters, names: tuple[str, ...]) -> Json:
    return {name: getattr(of, name, _ABSENT.get(name)) for name in names}


def _own(kind: type[Any], form: Json, names: tuple[str, ...]) -> dict[str, Any]:
    """The fields of the form without those of other kinds, and lists as tuples."""
    foreign = {*names} - {each.name for each in fields(kind)}
    return _tuples({k: v for k, v in form.items() if k not in foreign})


def _tuples(form: Json) -> dict[str, Any]:
    """The form with tuples where JSON has lists."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in form.items()}
