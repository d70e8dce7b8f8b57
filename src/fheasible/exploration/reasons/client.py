"""How inputs lie in ciphertexts with the recommended set, and what is left for the client to do."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from fheasible import units
from fheasible.exploration.judging.candidate import Candidate
from fheasible.lowering.packing import chunks_of
from fheasible.program.style import Layout
from fheasible.program.types import Packed, Program

LAYOUT_WORDS: Final = {
    Layout.BY_COLUMN: "by column",
    Layout.SIDE_BY_SIDE: "side by side",
    Layout.BY_ROW: "row by row",
}
_NAMED = 4  # inputs that are named; of more, only the number is told


def for_the_client(best: Candidate) -> list[str]:
    """A sentence on the layout of the inputs, and one on the client's share of a run and its keys."""
    alike: dict[tuple[int, bool], list[Packed]] = defaultdict(list)
    groups = [_together(best, packed) for packed in best.program.inputs if packed.columns]
    for packed in best.program.inputs:
        if not packed.columns:
            alike[len(packed.values), packed.tiled].append(packed)
    groups += [_group(count, tiled, packed) for (count, tiled), packed in alike.items()]
    slots = best.program.slots
    return [
        f"Inputs lie in ciphertexts of {slots:,} slot{'s' * (slots > 1)}: {'; '.join(groups)}.",
        _share(best),
    ]


def _together(best: Candidate, joined: Packed) -> str:
    """The inputs that share ciphertexts: 'a, b and c side by side in 1, which is 1 instead of 3'."""
    names = [name for name, _ in joined.sources]
    longest = max(length for _, length in joined.sources)
    several, count = len(names) * chunks_of(longest, best.program.slots), len(joined.values)
    return f"{_names(names)} {LAYOUT_WORDS[best.layout]} in {count:,}, not {several:,}"


def _names(names: Sequence[str]) -> str:
    return units.listing(list(names)) if len(names) <= _NAMED else f"{len(names):,} inputs"


def _group(count: int, tiled: bool, inputs: Sequence[Packed]) -> str:
    """The inputs that take so many ciphertexts each: 'A and B in 1 each'."""
    names = _names([p.name for p in inputs])
    each = " each" if len(inputs) > 1 else ""
    return f"{names} in {count:,}{each}{', the first elements repeated beyond the end' if tiled else ''}"


def _share(best: Candidate) -> str:
    program, sizes, cpu = best.program, best.estimate.sizes, best.estimate.cpu_seconds
    results = sum(len(p.values) for p in program.outputs)
    took = made = ""
    if cpu:
        own = cpu["encrypt"] + cpu["decrypt"]
        took = f", in {units.seconds(own)} of the {units.seconds(cpu['total'])} of CPU time"
        made = f" in {units.seconds(cpu['keygen'])}"
    keys = sizes.public_key_bytes + sizes.evaluation_key_bytes
    sent = f"{ciphertexts(encrypted(program))} ({units.size(sizes.upload_bytes)})"
    back = f"{ciphertexts(results)} ({units.size(sizes.download_bytes)})"
    return (
        f"The client encrypts {sent} and decrypts {back}{took}. Once before, it makes keys of"
        f" {units.size(keys)}{made}."
    )


def encrypted(program: Program) -> int:
    """The ciphertexts that the client encrypts for a run."""
    return sum(len(p.values) for p in program.inputs)


def ciphertexts(count: int) -> str:
    """So many ciphertexts, in words."""
    return f"{count:,} ciphertext{'s' * (count > 1)}"
