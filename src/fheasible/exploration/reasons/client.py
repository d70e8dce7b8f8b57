"""How inputs lie in ciphertexts with the recommended set, and what is left for the client to do."""

from collections import defaultdict
from collections.abc import Sequence

from fheasible import units
from fheasible.exploration.judging.candidate import Candidate
from fheasible.program.types import Packed

_NAMED = 4  # inputs that are named; of more, only the number is told


def for_the_client(best: Candidate) -> list[str]:
    """A sentence on the layout of the inputs, and one on the client's share of a run and its keys."""
    alike: dict[tuple[int, bool], list[Packed]] = defaultdict(list)
    for packed in best.program.inputs:
        alike[len(packed.values), packed.tiled].append(packed)
    groups = [_group(count, tiled, packed) for (count, tiled), packed in alike.items()]
    slots = best.program.slots
    return [
        f"Inputs lie in ciphertexts of {slots:,} slot{'s' * (slots > 1)}: {'; '.join(groups)}.",
        _share(best),
    ]


def _group(count: int, tiled: bool, inputs: Sequence[Packed]) -> str:
    """The inputs that take so many ciphertexts each: 'A and B in 1 each'."""
    few = len(inputs) <= _NAMED
    names = units.listing([p.name for p in inputs]) if few else f"{len(inputs):,} inputs"
    each = " each" if len(inputs) > 1 else ""
    return f"{names} in {count:,}{each}{', the first elements repeated beyond the end' if tiled else ''}"


def _share(best: Candidate) -> str:
    program, sizes, cpu = best.program, best.estimate.sizes, best.estimate.cpu_seconds
    fresh, results = (sum(len(p.values) for p in ends) for ends in (program.inputs, program.outputs))
    took = made = ""
    if cpu:
        own = cpu["encrypt"] + cpu["decrypt"]
        took = f", in {units.seconds(own)} of the {units.seconds(cpu['total'])} of CPU time"
        made = f" in {units.seconds(cpu['keygen'])}"
    keys = sizes.public_key_bytes + sizes.evaluation_key_bytes
    return (
        f"The client encrypts {_ciphertexts(fresh)} ({units.size(sizes.upload_bytes)}) and decrypts"
        f" {_ciphertexts(results)} ({units.size(sizes.download_bytes)}){took}. Once before, it makes keys of"
        f" {units.size(keys)}{made}."
    )


def _ciphertexts(count: int) -> str:
    return f"{count:,} ciphertext{'s' * (count > 1)}"
