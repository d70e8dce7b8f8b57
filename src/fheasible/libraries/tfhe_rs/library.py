"""TFHE-rs as one object."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from fheasible.aliases import Json
from fheasible.libraries.library import Parallelism, Threading, WorkerSource
from fheasible.libraries.lookup_library import (
    LookupLibrary,
    LookupMemory,
    LookupSizes,
    LookupTask,
    NamedSet,
    Transforms,
)
from fheasible.libraries.tfhe_rs import samples, sizes, work
from fheasible.schemes.tfhe.parameters import TORUS_BITS, Errors, ModulusSwitch, TfheParameters, TUniform
from fheasible.units import power_of_two

SCHEME: Final = "tfhe"
SECURITY: Final = 128  # what TFHE-rs says of all its sets, in bits
GPU: Final = "GPU_"  # how the names of sets that are meant for a GPU begin
_SMALLEST, _LARGEST = 32, 1 << 17  # polynomials that its Fourier transform has
_MOST_GROUPED = 8


@dataclass(frozen=True, eq=False, kw_only=True)
class TfheRs(LookupLibrary):
    """TFHE-rs, whose core takes any parameters on a torus of 64 bits."""

    def refusal(self, scheme: str, p: TfheParameters) -> str:
        return next((why for wrong, why in _wrong(p) if wrong), "")

    def transforms(self, p: TfheParameters) -> Transforms:
        return Transforms()

    def work(self, task: LookupTask, scheme: str, p: TfheParameters) -> Mapping[str, float]:
        return work.work(task, p)

    def parts(self, scheme: str, p: TfheParameters) -> Mapping[str, Mapping[str, float]]:
        return {"key_switch": work.key_switch(p)}

    def samples(self) -> Sequence[tuple[str, TfheParameters]]:
        return [(SCHEME, p) for p in samples.samples()]

    def rotation(self, p: TfheParameters) -> str:
        digits = f"{p.pbs.level} digit{'s' * (p.pbs.level != 1)} of {p.pbs.base_log} bits"
        return (
            f"n = {p.lwe_dimension} external products with N = {power_of_two(p.polynomial_size)}, "
            f"k = {p.glwe_dimension}, and {digits}"
        )

    def sizes(self, scheme: str, p: TfheParameters) -> LookupSizes:
        return sizes.files(p)

    def memory(self, scheme: str, p: TfheParameters) -> LookupMemory:
        return sizes.memory(p)

    def worker_parameters(self, scheme: str, p: TfheParameters) -> Json:
        return p.to_json()


def _wrong(p: TfheParameters) -> list[tuple[bool, str]]:
    """What the core does not take, as clauses."""
    n, values, group = p.polynomial_size, p.plaintext_modulus, p.grouping
    gadgets = (p.pbs, p.ks)
    return [
        (p.torus_bits != TORUS_BITS, f"it has a torus of {TORUS_BITS} bits, not of {p.torus_bits}"),
        (not _power(n) or not _SMALLEST <= n <= _LARGEST, f"it has no polynomials of size {n}"),
        (
            not _power(values) or values < 2,
            f"its ciphertexts hold a power of two of values, not {values}",
        ),
        (values > n, f"it needs a polynomial size of {values} at least, for as many values"),
        (min(g.base_log * g.level for g in gadgets) < 1, "it needs one digit of one bit at least"),
        (max(g.bits for g in gadgets) > TORUS_BITS, f"its digits have {TORUS_BITS} bits at most in all"),
        (not 1 <= group <= _MOST_GROUPED, f"it takes 1 to {_MOST_GROUPED} bits at a time, not {group}"),
        (
            group > 0 and p.lwe_dimension % group > 0,
            f"its groups of {group} bits do not divide {p.lwe_dimension}, the LWE dimension",
        ),
        (
            group > 1 and p.modulus_switch is ModulusSwitch.CENTERED,
            "it has no centered modulus switch with multi-bit bootstraps",
        ),
        (
            any(_outside(errors) for errors in (p.lwe_errors, p.glwe_errors)),
            "its errors must lie within the torus",
        ),
    ]


def _outside(errors: Errors) -> bool:
    far = isinstance(errors, TUniform) and errors.bound > TORUS_BITS - 2
    return far or not 0 <= errors.std < 0.5


def _power(n: int) -> bool:
    return n > 0 and n & (n - 1) == 0


def own_sets() -> dict[str, NamedSet]:
    """The sets that the crate ships in its newest family, v1_7, by name in lower case."""
    text = (files("fheasible.libraries") / "data" / "tfhe_rs_sets.json").read_text()
    return {row["name"].lower(): _own(row) for row in json.loads(text)}


def _own(row: Json) -> NamedSet:
    parameters = TfheParameters.from_json(row["parameters"])
    return NamedSet(row["name"], parameters, SCHEME, row["log2_failure"], SECURITY)


TFHE_RS: Final = TfheRs(
    name="tfhe_rs",
    title="TFHE-rs",
    version="1.8.2",
    worker_of="tfhe_rs",
    worker=WorkerSource(language="rust"),
    schemes=(SCHEME,),
    threading=Threading(
        parallelism=Parallelism.OPERATIONS,
        by_default=None,
        limits="a look-up without groups of bits has one thread; those of a step are shared out",
    ),
    named=MappingProxyType({key: s for key, s in own_sets().items() if not s.name.startswith(GPU)}),
    custom=True,
)
