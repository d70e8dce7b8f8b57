"""Microsoft SEAL as one object for each build: the native library, and WebAssembly under Node (node-seal)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
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
from fheasible.libraries.parameters import IntegerParameters, Parameters, Request
from fheasible.libraries.seal import cells, operations, resident, rules, sizes
from fheasible.program.style import Style
from fheasible.program.types import Action, Scheme
from fheasible.security.tables import SIGMA


@dataclass(frozen=True, eq=False, kw_only=True)
class Seal(Library):
    """SEAL, whose user gives the bits of the primes. P is one prime, and a digit is one limb."""

    def parameters(self, request: Request) -> Parameters:
        return self.named(rules.parameters(request))

    def worker_parameters(self, p: Parameters) -> Json:
        return rules.worker_parameters(p)

    def own_style(self, scheme: str, technique: str | None) -> Style:
        kind = Scheme(scheme)
        return Style(kind, hoists=self.hoists, signed_numbers=kind is not Scheme.BFV)

    def series_depth(self, style: Style) -> None:
        return None

    def switchings(self, scheme: str) -> tuple[str, ...]:
        return ("hybrid",)

    def integer_settings(self, scheme: str) -> Iterator[Setting]:
        return iter(())

    def chain_settings(self, scheme: str, limbs: int) -> Mapping[str, Any]:
        return {} if scheme == "ckks" else {"prime_bits": (50,) * max(limbs, 1 + (scheme == "bgv"))}

    def bootstrap_settings(self) -> Iterator[BootstrapSetting]:
        return iter(())

    def limbs_per_digit(self, p: Sets) -> int:
        return 1

    def digits(self, limbs: int, special: int, asked: int | None, depth: int) -> int:
        return limbs

    def encoded(self, scheme: str, n: int, slots: int) -> tuple[int, int]:
        """(n/2, n): our worker repeats the slots of a short vector in CKKS, and SEAL treats all coefficients
        alike, even those that are then exactly 0."""
        return n // 2, n

    def depends_on_depth(self, scheme: str) -> bool:
        return False

    def special_bits(self, p: Parameters) -> int:
        return 1

    def deciding_special_bits(self, largest: Floats, limbs: int, special: int) -> Ints:
        return np.zeros(len(largest), dtype=np.int64)

    def memory_classes(self, block: Block) -> Ints:
        return resident.memory_classes(block)

    def sum_steps(self, p: Sets) -> tuple[int, ...]:
        return ()

    def least_bootstrap_level(self, iterations: int) -> int:
        """0, because SEAL bootstraps nothing."""
        return 0

    def has_plain_factors(self, scheme: str) -> bool:
        return scheme == "bgv"

    def has_plain_scales(self, scheme: str) -> bool:
        return False

    def plain_scales(self, p: IntegerParameters) -> tuple[int, ...]:
        return (1,) * p.limbs

    def kept_limbs(self, p: IntegerParameters, depth: int, switching: bool) -> int:
        return p.limbs

    def scale_room_bits(
        self, log2_scale: Floats, log2_modulus: Floats, encoded: Flags, log2_largest: Floats
    ) -> Floats:
        return rules.scale_room_bits(log2_scale, log2_modulus, encoded, log2_largest)


SEAL: Final = Seal(
    name=rules.NAME,
    title="SEAL",
    build_of="",
    version=rules.VERSION,
    schemes=rules.SCHEMES,
    techniques=("",),
    worker=WorkerSource("python"),
    threading=Threading(
        Parallelism.NONE,
        by_default=1,
        limits="SEAL uses one thread here: its evaluator starts none, and its Python binding holds the "
        "interpreter's lock during every operation, so that threads of the worker only wait for each other. "
        "Another process would need all keys once more, and each ciphertext written and read again, which "
        "takes longer than to add two.",
    ),
    security_table=rules.SECURITY_TABLE,
    compares_bits=True,
    key_sigma=SIGMA,
    leaks=rules.LEAKS,
    flooding_scale_bits=None,
    largest_ring=1 << 15,
    own_primes=None,
    largest_special_bits=rules.MAX_PRIME_BITS,
    most_special=1,
    digit_choices=(),
    usual_digits=(),
    encoding=0.5,
    decoding=0.6,
    floods=False,
    ignores_far_copies=True,
    encodes_at_degree_one=False,
    refuses_scales=True,
    refused_zeros=(Action.MUL_SCALAR, Action.MUL_PLAIN),  # such a product would hide nothing
    narrows=False,
    switching_levels=None,
    bootstrap_method=None,
    hoists=False,
    bare=Bare(34.0e6, 0.9e6, reads_inputs_first=True),
    resident=resident,
    files=sizes,
    sizes_by_primes=False,
    decodes_by_integers=False,
    reduces_by_special=False,
    memory_by_primes=("bgv", "bfv"),
    operations=operations,
    cells=cells,
    counted_by=("cells.py", "operations.py", "corrections.py", "buffers.py", "case.py"),
)

# SEAL 4.1.2, compiled by Emscripten to WebAssembly: its primes, limits, algorithms and files are those of
# 4.4.0 (tests/libraries/test_node_seal.py compares them). Times and the memory of a bare process differ.
NODE_SEAL: Final = replace(
    SEAL,
    name=rules.NODE_NAME,
    title="node-seal",
    version=rules.NODE_VERSION,
    build_of=SEAL.name,
    worker=WorkerSource("node"),
    bare=Bare(63.0e6, 0.9e6, reads_inputs_first=True),
)
