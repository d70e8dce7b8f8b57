"""OpenFHE's BinFHE as a library of table look-ups on small integers.

A table of values below a bit of padding is negacyclic: `EvalFunc` looks it up with one blind rotation, in
every set of BinFHE, those for gates included. Between look-ups, ciphertexts are vectors modulo q, which
Python's binding does not add: the worker does, as `EvalAddEq` of the library.

Contexts for arbitrary functions (`arbFunc`) have half the q of others with the same keys, and hence half the
room for noise. Tables without a bit of padding take two rotations in them. Both never pay, and are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from fheasible.aliases import Json
from fheasible.libraries.gates import KEYGEN, priced
from fheasible.libraries.library import Parallelism, Threading, WorkerSource
from fheasible.libraries.lookup_library import (
    LookupLibrary,
    LookupMemory,
    LookupSizes,
    LookupTask,
    NamedSet,
    Transforms,
)
from fheasible.libraries.openfhe import binfhe
from fheasible.libraries.openfhe.binfhe_sets import SETS, bin_set
from fheasible.schemes.fhew.parameters import METHODS, FhewParameters, FhewSet
from fheasible.schemes.fhew.rotation import products, turns
from fheasible.units import power_of_two

FUNCTION_BITS: Final = (12, 17, 26)  # log2 of their modulus, of sets for functions: one for each gadget
SAMPLES: Final = (
    "TOY/GINX", "TOY/AP", "TOY/LMKCDEY", "MEDIUM/GINX", "STD128Q_3/GINX",
    "STD128Q_4_LMKCDEY/LMKCDEY", "TOY/GINX/Q12", "TOY/GINX/Q17", "TOY/GINX/Q26",
)  # fmt: skip
"""Sets that calibration measures, whose keys are 3.4 GiB in all."""
BASELINE: Final = 46 * 2**20  # a process that has loaded Python, numpy and the library
_FEWEST: Final = 4  # values: a message of two, with room for a sum
_LEAST_ROOM: Final = 32  # q / (4 values): in less room, noise makes most look-ups fail
_LIST_ENTRY: Final = 40  # bytes of a table's entry, as Python's lists have it
_ROTATION_COPIES: Final = 24  # polynomials that a rotation works in, beside its keys


@dataclass(frozen=True, eq=False, kw_only=True)
class BinFhe(LookupLibrary):
    """BinFHE, whose sets have names. Each is there once for each bootstrap that it can be used with."""

    def refusal(self, scheme: str, p: FhewParameters) -> str:
        if not self.holds(p, p.plaintext_modulus):
            most = self.most_values(p)
            return f"a ciphertext of {p.set.name} holds a power of two of values, {_FEWEST} to {most}"
        return "" if p.method in p.set.methods else f"{p.set.name} is no set for {p.method.upper()}"

    def most_values(self, p: FhewParameters) -> int:
        return p.set.q // (4 * _LEAST_ROOM)

    def holds(self, p: FhewParameters, values: int) -> bool:
        return values in (1 << bits for bits in range(2, self.most_values(p).bit_length()))

    def transforms(self, p: FhewParameters) -> Transforms:
        return Transforms(mantissa_bits=None)

    def work(self, task: LookupTask, scheme: str, p: FhewParameters) -> Mapping[str, float]:
        """Kernels of `binfhe.work`, and `files`: ciphertexts that go to the library and back. What is linear
        is done on arrays: `sums`, words that are multiplied and added, and `arrays`."""
        of = p.set
        if task is LookupTask.KEYGEN:
            return _priced(of, binfhe.work(of, p.method, KEYGEN))
        if task is LookupTask.LOOKUP:
            return _rotation(p) | _priced(of, {"switch_adds": binfhe.switch_adds(of)}) | {"files": 1}
        if task in (LookupTask.ENCRYPT, LookupTask.DECRYPT):
            return {"words": of.n + 1, "files": 1}
        return {"sums": of.n + 1, "arrays": 1}

    def parts(self, scheme: str, p: FhewParameters) -> Mapping[str, Mapping[str, float]]:
        """The blind rotation alone, which a gate with an extended result is."""
        return {} if p.set.log_q is not None else {"rotation": _rotation(p)}

    def sizes(self, scheme: str, p: FhewParameters) -> LookupSizes:
        return LookupSizes(
            ciphertext=binfhe.ciphertext_bytes(p.set),
            evaluation_key=binfhe.key_bytes(p.set, p.method),
            secret_key=binfhe.secret_bytes(p.set),
        )

    def memory(self, scheme: str, p: FhewParameters) -> LookupMemory:
        of = p.set
        return LookupMemory(
            baseline=BASELINE,
            keys=binfhe.memory_bytes(of, p.method),
            key_generation=0.0,
            ciphertext=8 * (of.n + 1),
            lookup=_ROTATION_COPIES * 8 * of.ring,
            table=_LIST_ENTRY * of.q,
        )

    def worker_parameters(self, scheme: str, p: FhewParameters) -> Json:
        return {"set": p.set.name, "method": p.method, "log_q": p.set.log_q, "arbitrary": False}

    def named_set(self, name: str) -> NamedSet:
        """That set, with the bootstrap that its name gives, or the first one that it has: STD128/LMKCDEY,
        STD128."""
        names = [name, *(f"{name}/{method}" for method in self.schemes)]
        found = next((self.named[key.lower()] for key in names if key.lower() in self.named), None)
        return found or super().named_set(name)

    def rotation(self, p: FhewParameters) -> str:
        return f"n = {p.set.n} steps with N = {power_of_two(p.set.ring)}, and {_gadget(p.set)}"

    def samples(self) -> Sequence[tuple[str, FhewParameters]]:
        sets = {each.name: each.parameters for each in self.named.values()}
        chosen = (sets[name] for name in SAMPLES if name in sets)
        return [(p.method, p) for p in chosen if isinstance(p, FhewParameters)]


def _gadget(of: FhewSet) -> str:
    """The digits of the gadget in words, by steps where they differ."""
    parts = [(steps, of.levels(base), base.bit_length() - 1) for base, steps in of.gadget]
    said = [f"{levels} digit{'s' * (levels != 1)} of {bits} bits" for _, levels, bits in parts]
    if len(parts) == 1:
        return said[0]
    return " and ".join(f"{what} in {steps} of them" for (steps, *_), what in zip(parts, said, strict=True))


def _rotation(p: FhewParameters) -> dict[str, float]:
    """Kernels of `binfhe.rotation_work`, and `steps`: the coefficients of a polynomial, for each product and
    each automorphism, which decompose one or two."""
    of = p.set
    steps = sum(count for _, count in products(of, p.method)) + turns(of, p.method)
    return _priced(of, binfhe.rotation_work(of, p.method) | {"steps": steps * of.ring})


def _priced(of: FhewSet, counts: Mapping[str, float]) -> dict[str, float]:
    return {priced(of, kernel): float(count) for kernel, count in counts.items()}


def own_sets() -> Iterator[NamedSet]:
    for of in SETS.values():
        for method in METHODS:
            if method in of.methods:
                yield _named(f"{of.name}/{method.upper()}", of, method)
    for name in ("TOY", "STD128"):
        for bits in FUNCTION_BITS:
            of = bin_set(name, "ginx", bits, arbitrary=False)
            yield _named(f"{name}/GINX/Q{bits}", of, "ginx")


def _named(name: str, of: FhewSet, method: str) -> NamedSet:
    digits = "".join(c for c in of.name.split("_")[0] if c.isdigit())
    p = FhewParameters(set=of, method=method, message_modulus=2, carry_modulus=2)
    return NamedSet(name, p, method, promised_bits=int(digits) if digits else None)


def _toy(s: NamedSet) -> bool:
    """Those without a level of security are named last."""
    return s.promised_bits is None


BINFHE: Final = BinFhe(
    name="binfhe",
    title="BinFHE",
    version="1.6.1",
    worker_of="openfhe",
    worker=WorkerSource("python", (3, 10)),
    schemes=METHODS,
    threading=Threading(
        parallelism=Parallelism.NONE,
        by_default=1,
        limits="look-ups are executed one after the other, each in one thread",
    ),
    named=MappingProxyType({s.name.lower(): s for s in sorted(own_sets(), key=_toy)}),
    custom=False,
)
