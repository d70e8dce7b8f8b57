"""OpenFHE as one object."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from fheasible.aliases import Flags, Floats, Ints, Json
from fheasible.libraries.block import Block, Sets
from fheasible.libraries.library import (
    Bare,
    BootstrapSetting,
    Library,
    Parallelism,
    Setting,
    Threading,
    WorkerSource,
)
from fheasible.libraries.openfhe import (
    binfhe,
    bootstrap,
    cells,
    columns,
    operations,
    refresh,
    resident,
    rns,
    rules,
    sizes,
)
from fheasible.libraries.openfhe.bgv import plain_scales
from fheasible.libraries.openfhe.ckks import chebyshev_depth
from fheasible.libraries.openfhe.refresh import LEAST_LEVEL
from fheasible.libraries.parameters import IntegerParameters, Parameters, Request, request_for
from fheasible.program.style import SeriesDepth, Style
from fheasible.program.types import Action, Scheme
from fheasible.schemes.rns.bootstrap.method import LATE, Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure

_COUNTS: Final = (None, 16, 1024)  # additions, and also key switches, that a level of BGV must allow
_LIMB_BITS: Final = (None, 54, 48, 42, 36, 30)  # of BFV; the library's own default is 60
_DIGITS: Final = (1, 2, 3, 4)  # of BGV and BFV; the library's own default is one of the first three


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenFHE(Library):
    """OpenFHE, which chooses primes, digits and rings by itself."""

    def parameters(self, request: Request) -> Parameters:
        return self.named(rules.parameters(request))

    def worker_parameters(self, p: Parameters) -> Json:
        """The request's own fields, because the library finds the primes."""
        assert p.request is not None
        return rules.worker_parameters(p.request)

    def own_style(self, scheme: str, technique: str | None) -> Style:
        kind = Scheme(scheme)
        if kind is Scheme.BFV:
            return Style(kind, mixed_sizes=False, hoists=self.hoists, signed_numbers=False)
        chosen = rules.with_defaults(request_for(scheme, 1, technique=technique)).technique or ""
        flexible, extended = chosen.startswith("flexible"), chosen == "flexibleautoext"
        return Style(
            kind,
            automatic=chosen.endswith(("auto", "autoext")),
            extended=extended,
            exact_scales=flexible,
            hoists=self.hoists,
            signed_numbers=kind is Scheme.CKKS or flexible,  # its scales turn a number into any other
            loses_last_summands=kind is Scheme.BGV and extended,
        )

    def series_depth(self, style: Style) -> SeriesDepth | None:
        """The levels of a series in CKKS, with a technique that aligns operands by itself; else None."""
        return chebyshev_depth if style.scheme is Scheme.CKKS and style.automatic else None

    def switchings(self, scheme: str) -> tuple[str, ...]:
        return ("bv", "hybrid") if scheme == "bfv" else ("hybrid", "bv")

    def integer_settings(self, scheme: str) -> Iterator[Setting]:
        for technique in self.techniques if scheme == "bgv" else (None,):
            counted = scheme == "bgv" and technique != "fixedmanual"  # BFV takes no counts beside a depth
            for key_switching in ("hybrid", "bv"):
                for digits in _DIGITS if key_switching == "hybrid" else (None,):
                    for many in _COUNTS if counted else (None,):
                        for limb in _LIMB_BITS if scheme == "bfv" else (None,):
                            yield Setting(technique, key_switching, digits, many, limb)

    def chain_settings(self, scheme: str, limbs: int) -> Mapping[str, Any]:
        """The technique alone, or nothing in BFV, because OpenFHE picks a chain from the depth."""
        return {} if scheme == "bfv" else {"technique": "fixedmanual"}

    def bootstrap_settings(self) -> Iterator[BootstrapSetting]:
        return bootstrap.settings()

    def limbs_per_digit(self, p: Sets) -> int:
        return rns.digit_limbs(p)

    def digits(self, limbs: int, special: int, asked: int | None, depth: int) -> int:
        return columns.digits_for(asked, depth)

    def encoded(self, scheme: str, n: int, slots: int) -> tuple[int, int]:
        """(slots, 2 * slots) in CKKS, else (n/2, n).

        CKKS embeds only the slots, at every n/2/slots-th coefficient (CKKSPackedEncoding::Encode [OpenFHE]).
        A transform modulo t fills the ring.
        """
        return (slots, 2 * slots) if scheme == "ckks" else (n // 2, n)

    def depends_on_depth(self, scheme: str) -> bool:
        return scheme == "bfv"

    def special_bits(self, p: Parameters) -> int:
        return 1

    def deciding_special_bits(self, largest: Floats, limbs: int, special: int) -> Ints:
        return np.zeros(len(largest), dtype=np.int64)

    def memory_classes(self, block: Block) -> Ints:
        return np.arange(len(block))

    def sum_steps(self, p: Sets) -> tuple[int, ...]:
        return sizes.sum_steps(p)

    def bootstrap_method_for(self, procedure: Procedure, technique: str) -> Method:
        return refresh.method(procedure, technique)

    def least_bootstrap_level(self, iterations: int) -> int:
        """1, because one rescaling goes to the correction factor."""
        return LEAST_LEVEL

    def has_plain_factors(self, scheme: str) -> bool:
        """False, because the factors are 1 or OpenFHE takes care of them itself (`Step.raised`)."""
        return False

    def has_plain_scales(self, scheme: str) -> bool:
        return scheme == "bgv"

    def plain_scales(self, p: IntegerParameters) -> tuple[int, ...]:
        return plain_scales(p)

    def kept_limbs(self, p: IntegerParameters, depth: int, switching: bool) -> int:
        return operations.kept_limbs(p, depth, switching)

    def scale_room_bits(
        self, log2_scale: Floats, log2_modulus: Floats, encoded: Flags, log2_largest: Floats
    ) -> Floats:
        return np.full_like(log2_scale, np.inf)


OPENFHE: Final = OpenFHE(
    name=rules.NAME,
    title="OpenFHE",
    build_of="",
    version=rules.VERSION,
    schemes=rules.SCHEMES,
    techniques=rules.TECHNIQUES,
    worker=WorkerSource("python", (3, 10)),
    threading=Threading(
        Parallelism.LIMBS,
        by_default=None,  # OpenMP's own rule
        limits="OpenFHE shares out the limbs of one operation at a time: its threads gain nothing where an "
        "operation has one limb, and where its loops are not parallel.",
    ),
    security_table=rules.SECURITY_TABLE,
    compares_bits=True,
    key_sigma=operations.KEY_SIGMA,
    leaks="",
    flooding_scale_bits=59,
    largest_ring=1 << 17,
    own_primes=columns,
    largest_special_bits=None,
    most_special=0,
    digit_choices=tuple(range(1, 9)),
    usual_digits=(3, 2, 4, 1),
    encoding=2.7,
    decoding=0.6,
    floods=True,
    ignores_far_copies=False,
    encodes_at_degree_one=True,
    refuses_scales=False,
    refused_zeros=(Action.MUL_PLAIN, Action.ADD_PLAIN, Action.ENCRYPT),
    narrows=True,
    switching_levels=12,
    bootstrap_method=LATE,
    encrypts_above=True,
    looks_up=True,
    gates=binfhe,
    hoists=True,
    bare=Bare(43.5e6, 1.8e6, reads_inputs_first=True),
    resident=resident,
    files=sizes,
    sizes_by_primes=True,
    decodes_by_integers=False,
    reduces_by_special=False,
    memory_by_primes=("bfv",),
    operations=operations,
    cells=cells,
    counted_by=("cells.py", "operations.py", "bounds.py", "copies.py"),
)
