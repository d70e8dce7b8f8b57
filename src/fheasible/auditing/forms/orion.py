"""Orion's YAML configuration, which Lattigo carries out.

The keys, their spelling in any case, and the defaults (192 coefficients of the secret are not 0; the scale is
that of the last prime) are from `orion/backend/python/parameters.py` [Orion].
"""

from collections.abc import Iterator
from typing import Any, Final

from fheasible.auditing.forms.lattigo import CONJUGATE, without_switching
from fheasible.auditing.found import Found, Taken
from fheasible.auditing.yaml_text import entries
from fheasible.libraries.lattigo.rules import NAME

_SECTION: Final = "ckks_params"
_WEIGHT: Final = 192


def read(source: str) -> Iterator[Found]:
    """The set of a configuration; none where the file has no such section."""
    own = {
        path[1].lower(): value
        for path, value in entries(source).items()
        if path[0] == _SECTION and len(path) == 2
    }
    if own:
        yield _found(own)


def _found(own: dict[str, tuple[int, Any]]) -> Found:
    taken = Taken()
    first = min(line for line, _ in own.values())

    def given(key: str) -> tuple[Any, int]:
        line, value = own.get(key, (first, None))
        return value, line

    chains = {
        "prime_bits": taken.sizes("LogQ", *given("logq")),
        "special_bits": taken.sizes("LogP", *given("logp")),
        "special_primes": None,
    }
    scale = taken.number("LogScale", *given("logscale"))
    if scale is None and chains["prime_bits"]:
        scale = float(chains["prime_bits"][-1])
    weight = taken.whole("H", *given("h"))
    ring = str(given("ringtype")[0] or "standard").lower()
    return Found(
        "Orion (YAML)", NAME, first, "ckks", taken.ring_of_log(*given("logn")), scale_bits=scale,
        weight=weight if weight is not None else _WEIGHT, unread=tuple(taken.unread),
        remarks=(CONJUGATE,) if ring == "conjugateinvariant" else (), **without_switching(chains, own),
    )  # fmt: skip
