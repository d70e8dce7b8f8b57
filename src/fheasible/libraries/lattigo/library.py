"""Lattigo as one object."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from fheasible.aliases import Flags, Floats, Ints, Json
from fheasible.libraries.block import Block, Sets
from fheasible.libraries.lattigo import bootstrap, case, cells, moduli, operations, resident, rules, sizes
from fheasible.libraries.library import (
    Bare,
    BootstrapSetting,
    Library,
    Parallelism,
    Setting,
    Threading,
    WorkerSource,
)
from fheasible.libraries.parameters import IntegerParameters, Parameters, Request
from fheasible.program.style import Style
from fheasible.program.types import Scheme
from fheasible.schemes.rns.bootstrap.method import EVEN
from fheasible.security.tables import SIGMA


@dataclass(frozen=True, eq=False, kw_only=True)
class Lattigo(Library):
    """Lattigo, whose user gives the bits of the primes. A digit has as many limbs as P."""

    def parameters(self, request: Request) -> Parameters:
        return self.named(rules.parameters(request))

    def worker_parameters(self, p: Parameters) -> Json:
        return rules.worker_parameters(p)

    def own_style(self, scheme: str, technique: str | None) -> Style:
        return Style(Scheme(scheme), hoists=self.hoists)

    def series_depth(self, style: Style) -> None:
        return None

    def switchings(self, scheme: str) -> tuple[str, ...]:
        return ("hybrid",)

    def integer_settings(self, scheme: str) -> Iterator[Setting]:
        return iter(())

    def chain_settings(self, scheme: str, limbs: int) -> Mapping[str, Any]:
        return {} if scheme == "ckks" else {"prime_bits": (50,) * max(limbs, 1 + (scheme == "bgv"))}

    def bootstrap_settings(self) -> Iterator[BootstrapSetting]:
        return bootstrap.settings()

    def limbs_per_digit(self, p: Sets) -> int:
        """How many limbs a digit has: as many as P, whatever the chain's length, and one without P."""
        return 1 if p.key_switching == "bv" else max(len(p.p), 1)

    def digits(self, limbs: int, special: int, asked: int | None, depth: int) -> int:
        return -(-limbs // special)

    def encoded(self, scheme: str, n: int, slots: int) -> tuple[int, int]:
        """(n/2, number of coefficients that are not 0): our worker repeats the slots of a short vector.

        In CKKS many coefficients are then exactly 0, and are written as zeros directly
        (SingleFloat64ToFixedPointCRT [Lattigo]).
        """
        return n // 2, 2 * slots if scheme == "ckks" else n

    def depends_on_depth(self, scheme: str) -> bool:
        return False

    def special_bits(self, p: Parameters) -> int:
        """The bits of P's largest prime, which decide how many products fit a word."""
        return max(p.p, default=1).bit_length()

    def deciding_special_bits(self, largest: Floats, limbs: int, special: int) -> Ints:
        return case.deciding_bits(largest, limbs, special)

    def memory_classes(self, block: Block) -> Ints:
        return np.asarray(case.product_limbs(block))

    def sum_steps(self, p: Sets) -> tuple[int, ...]:
        return ()

    def least_bootstrap_level(self, iterations: int) -> int:
        """0, or 1 where the error of an iteration is bootstrapped again."""
        return int(iterations > 1)

    def has_plain_factors(self, scheme: str) -> bool:
        """True for BFV as well, because a product's division by Q leaves a factor -1/Q."""
        return True

    def has_plain_scales(self, scheme: str) -> bool:
        return False

    def plain_scales(self, p: IntegerParameters) -> tuple[int, ...]:
        return (1,) * p.limbs

    def kept_limbs(self, p: IntegerParameters, depth: int, switching: bool) -> int:
        return p.limbs

    def scale_room_bits(
        self, log2_scale: Floats, log2_modulus: Floats, encoded: Flags, log2_largest: Floats
    ) -> Floats:
        return np.full_like(log2_scale, np.inf)


LATTIGO: Final = Lattigo(
    name=rules.NAME,
    title="Lattigo",
    build_of="",
    version=rules.VERSION,
    schemes=rules.SCHEMES,
    techniques=("",),
    worker=WorkerSource("go"),
    threading=Threading(
        Parallelism.OPERATIONS,
        by_default=1,  # it starts no goroutine, core/rlwe/evaluator.go
        limits="Lattigo executes an operation in one goroutine: its threads gain where operations do not "
        "need each other's results.",
    ),
    security_table=rules.SECURITY_TABLE,
    compares_bits=False,
    key_sigma=SIGMA,
    leaks=rules.LEAKS,
    flooding_scale_bits=None,
    largest_ring=1 << 16,
    own_primes=None,
    largest_special_bits=moduli.MAX_SPECIAL_BITS,
    most_special=cells.MOST_SPECIAL,
    digit_choices=(),
    usual_digits=(3, 2, 5),
    encoding=0.6,
    decoding=0.7,
    floods=False,
    ignores_far_copies=False,
    encodes_at_degree_one=False,
    refuses_scales=False,
    refused_zeros=(),
    narrows=False,
    switching_levels=None,
    bootstrap_method=EVEN,
    hoists=True,
    bare=Bare(7.5e6, 2.2e6, reads_inputs_first=False),
    resident=resident,
    files=sizes,
    sizes_by_primes=False,
    decodes_by_integers=True,
    reduces_by_special=True,
    memory_by_primes=("bgv", "bfv"),
    operations=operations,
    cells=cells,
    counted_by=("cells.py", "operations.py", "corrections.py", "buffers.py", "case.py"),
)
