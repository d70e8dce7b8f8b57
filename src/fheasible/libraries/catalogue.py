"""The libraries, each behind the same few questions."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from fheasible.errors import UnknownName, UsageError
from fheasible.libraries.lattigo import library as lattigo
from fheasible.libraries.openfhe import library as openfhe
from fheasible.libraries.openfhe.way import KEY_SIGMA
from fheasible.libraries.parameters import Parameters, Request
from fheasible.libraries.seal import library as seal
from fheasible.program.style import Style
from fheasible.program.types import Scheme
from fheasible.security.tables import SIGMA

Json = dict[str, Any]
_UNSIGNED = (("seal", Scheme.BFV), ("openfhe", Scheme.BFV))  # as their `Variant.signed_numbers`


@dataclass(frozen=True, slots=True)
class Library:
    """`parameters` turns a request into what the library runs with; `worker_parameters` says that to
    its worker; `techniques` are its ways of rescaling ("" where there is but one); `leaks` says why its CKKS
    results give the secret key away to whoever sees them, where it cannot drown their noise; `hoists`: its
    rotations of one value can share digits, in every scheme; `key_sigma`: the standard deviation of the
    errors of its switching keys; `encoding` and `decoding`: how far a slot is off by transforms in doubles
    (`noise/doubles.py`), in units, as measured."""

    name: str
    title: str  # as it writes itself
    version: str
    schemes: tuple[str, ...]
    parameters: Callable[[Request], Parameters]
    worker_parameters: Callable[[Parameters], Json]
    techniques: tuple[str, ...] = ("",)
    leaks: str = ""
    hoists: bool = False
    key_sigma: float = SIGMA
    encoding: float = 1.0
    decoding: float = 1.0

    def narrowest_error(self, switches_keys: bool) -> float:
        """The least standard deviation of the errors that an attacker sees, of ciphertexts or of keys."""
        return min(SIGMA, self.key_sigma) if switches_keys else SIGMA

    def style(self, scheme: str, technique: str | None, composites: bool = False) -> Style:
        """How its programs of that scheme are written; `composites` for the library's own sums and series,
        which OpenFHE's CKKS has in the techniques that align by themselves."""
        if composites:
            return self._with_composites(self.style(scheme, technique))
        kind = Scheme(scheme)
        if self.name != "openfhe" or kind is Scheme.BFV:
            signed = (self.name, kind) not in _UNSIGNED
            return Style(kind, mixed_sizes=self.name != "openfhe", hoists=self.hoists, signed_numbers=signed)
        chosen = openfhe.with_defaults(Request(scheme, 1, technique=technique)).technique or ""
        flexible, extended = chosen.startswith("flexible"), chosen == "flexibleautoext"
        return Style(
            kind,
            automatic=chosen.endswith(("auto", "autoext")),
            extended=extended,
            exact_scales=flexible,
            hoists=self.hoists,
            signed_numbers=kind is Scheme.CKKS or flexible,  # whose scales make any number of any
            loses_last_summands=kind is Scheme.BGV and extended,
        )

    def _with_composites(self, style: Style) -> Style:
        if not (self.name == "openfhe" and style.scheme is Scheme.CKKS and style.automatic):
            raise UsageError(
                f"{self.name} {style.scheme.upper()} has no composites to use here",
                "OpenFHE's CKKS has, with --param technique=flexibleauto (or fixedauto, flexibleautoext)",
            )
        return replace(style, composites=True)


def _of_request(f: Callable[[Request], Json]) -> Callable[[Parameters], Json]:
    """OpenFHE picks primes by itself: its worker is told the request."""

    def of_parameters(p: Parameters) -> Json:
        assert p.request is not None
        return f(p.request)

    return of_parameters


CATALOGUE = {
    library.name: library
    for library in (
        Library(
            openfhe.NAME,
            "OpenFHE",
            openfhe.VERSION,
            openfhe.SCHEMES,
            openfhe.parameters,
            _of_request(openfhe.worker_parameters),
            openfhe.TECHNIQUES,
            hoists=True,
            key_sigma=KEY_SIGMA,
            encoding=2.7,
            decoding=0.6,
        ),
        Library(
            seal.NAME,
            "SEAL",
            seal.VERSION,
            seal.SCHEMES,
            seal.parameters,
            seal.worker_parameters,
            leaks=seal.LEAKS,
            encoding=0.5,
            decoding=0.6,
        ),
        Library(
            lattigo.NAME,
            "Lattigo",
            lattigo.VERSION,
            lattigo.SCHEMES,
            lattigo.parameters,
            lattigo.worker_parameters,
            leaks=lattigo.LEAKS,
            hoists=True,
            encoding=0.6,
            decoding=0.7,
        ),
    )
}


def library(name: str) -> Library:
    """The library of that name, in any case."""
    found = CATALOGUE.get(name.lower())
    if found is None:
        raise UnknownName(f"no library is named {name!r}", f"choose one of {', '.join(CATALOGUE)}")
    return found


def scheme_of(library: Library, name: str) -> str:
    """The scheme of that name, in any case, if the library has it."""
    if name.lower() not in library.schemes:
        raise UnknownName(
            f"{library.name} has no scheme {name!r}", f"choose one of {', '.join(library.schemes)}"
        )
    return name.lower()
